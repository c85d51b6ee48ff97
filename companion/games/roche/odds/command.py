"""`companion odds` for Roche."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast, get_args

from companion.games.roche.odds import table as odds_table
from companion.games.roche.odds.exact import live_odds
from companion.games.roche.paytable import Layout, Paytable, RocheDeck, load_paytable, load_paytable_file
from companion.kernel.errors import BadScript
from companion.kernel.shared.banked import LIMITS, parse_limits
from companion.odds.asked import limit_options, parse_options, parse_seen
from companion.odds.bet_odds import BetOdds

if TYPE_CHECKING:
    import numpy as np

OPTIONS: Final = ("layout", "deck", "paytable", *LIMITS)


@dataclass(frozen=True, slots=True)
class RocheAsked:
    """A Roche table: its layout, deck and prices, and the cards seen so far."""

    layout: Layout
    deck: RocheDeck
    paytable: Paytable
    seen: tuple[str, ...]

    @property
    def played(self) -> str:
        return "rounds dealt"

    def odds(self) -> tuple[BetOdds, ...]:
        return live_odds(self.layout, self.deck, self.seen, self.paytable)

    def lines(self) -> Iterable[tuple[str, ...]]:
        return (row.cells for row in odds_table.rows(self.odds()))

    def simulate(self, rounds: int, random: np.random.Generator, progress: Callable[[int], object]) -> dict[str, int]:
        from companion.games.roche.odds.simulation import simulate

        return simulate(rounds, random, self.deck, self.seen, progress=progress)


def ask(seen: str, pairs: Iterable[str]) -> RocheAsked:
    """Return what is asked of Roche.

    Raises:
        BadScript: an option that the game does not have, or a value that it cannot take.
    """
    chosen = parse_options("roche", pairs, OPTIONS, "deck=red")
    parse_limits(limit_options(chosen))  # no limit changes the odds, but a slip in one is told
    deck = cast(RocheDeck, _choice("deck", chosen.get("deck", "full"), get_args(RocheDeck)))
    layout = cast(Layout, _choice("layout", chosen.get("layout", "basic"), get_args(Layout)))
    return RocheAsked(layout, deck, _paytable(deck, chosen.get("paytable")), parse_seen(seen))


def _choice(key: str, value: str, allowed: Sequence[str]) -> str:
    if value not in allowed:
        raise BadScript(f"{key} is {value!r}. Use {' or '.join(allowed)}.")
    return value


def _paytable(deck: RocheDeck, source: str | None) -> Paytable:
    """Return the printed prices, or those of a TOML file, or changes written as JSON as in a script's header."""
    if source is None:
        return load_paytable(deck)
    if source.lstrip().startswith("{"):
        try:
            return load_paytable(deck).with_changes(json.loads(source))
        except ValueError as error:
            raise BadScript(f"--option paytable is not valid JSON ({error}). Correct it.") from error
    paytable = load_paytable_file(Path(source))
    if paytable.deck != deck:
        raise BadScript(
            f"{source} has prices for the {paytable.deck} deck, not the {deck} one. "
            f"Add --option deck={paytable.deck}, or choose another file."
        )
    return paytable
