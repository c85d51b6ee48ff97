"""Roulette for the table companion."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from companion.games.roulette.odds import bets_now
from companion.games.roulette.pages import WEB
from companion.games.roulette.practice import practice
from companion.games.roulette.rules import Roulette, State
from companion.games.roulette.shapes import RouletteView
from companion.games.roulette.terms import TERMS
from companion.plugins.odds import OddsPart
from companion.plugins.plugin import GamePlugin

if TYPE_CHECKING:
    from companion.odds.asked import Asked
    from companion.plugins.options import GameOptions


def _ask(seen: str, options: Iterable[str]) -> Asked:
    from companion.games.roulette.asked import ask

    return ask(seen, options)


def _options() -> type[GameOptions]:
    from companion.games.roulette.options import RouletteOptions

    return RouletteOptions


ROULETTE: Final = GamePlugin(
    rules=Roulette(),
    house=State,
    view=RouletteView,
    practice=practice,
    terms=TERMS,
    options=_options,
    odds=OddsPart(bets=bets_now, ask=_ask),
    web=WEB,
)
