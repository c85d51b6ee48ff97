"""Hold'em as a tournament, for the table companion: what a hand needs is the cash game's."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from companion.games.holdem.plugin import HOLDEM
from companion.games.holdem.tournament.clock import due
from companion.games.holdem.tournament.panel import TournamentPanel
from companion.games.holdem.tournament.rules import HoldemTournament
from companion.games.holdem.tournament.words import TERMS, practice

if TYPE_CHECKING:
    from companion.plugins.options import GameOptions


def _options() -> type[GameOptions]:
    from companion.games.holdem.tournament.options import TournamentOptions

    return TournamentOptions


TOURNAMENT: Final = replace(
    HOLDEM,
    rules=HoldemTournament(),
    options=_options,
    panel=TournamentPanel(),
    terms=TERMS,
    practice=practice,
    due=due,
    demo=None,
    scenarios=None,
)
