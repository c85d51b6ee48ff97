"""`companion odds` for Roche: cards of a suit with equal odds share a line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast, get_args

from companion.games.roche.odds.exact import live_odds
from companion.games.roche.paytable import Layout, Paytable, RocheDeck, load_paytable, load_paytable_file
from companion.kernel.errors import BadScript
from companion.kernel.messages import Message, message
from companion.kernel.shared.banked import LIMITS, parse_limits
from companion.kernel.words import SUITS
from companion.odds.asked import limit_options, parse_options, parse_seen
from companion.odds.bet_odds import BetOdds

if TYPE_CHECKING:
    import numpy as np


from companion.games.roche.paytable import CARD_FAMILIES
from companion.objects.cards import cards_of_suit
from companion.odds.table import cells

# Short enough for the whole table to fit on 80 columns.
_MEANING: Final[Mapping[str, Callable[[str], Message]]] = {
    "cut": lambda suit: message("{suit} cut", suit=suit),
    "day": lambda suit: message("{suit} cut, all day", suit=suit),
    "night": lambda suit: message("{suit} cut, all night", suit=suit),
    "starlight": lambda suit: message("no {suit} dealt", suit=suit),
    "card": lambda suit: message("{suit} cut with it", suit=suit),
    "oscura": lambda suit: message("{suit} cut without it", suit=suit),
    "terminus": lambda suit: message("{suit} cut by it", suit=suit),
    "cavalry": lambda _: message("all one short of a cut"),
}


@dataclass(frozen=True, slots=True)
class Row:
    """Bets of one kind and suit with equal odds; ``bets`` is not empty."""

    bets: tuple[BetOdds, ...]

    @property
    def cells(self) -> tuple[str, ...]:
        """The texts for the columns of `companion.odds.table.HEADINGS`."""
        return cells(self.bets[0], self.label, _meaning(self.bets[0].on))

    @property
    def label(self) -> str:
        """``card/6D1…6N6`` for all cards of a suit, ``card/6D1, 6D2`` for some."""
        first, last = self.bets[0].on, self.bets[-1].on
        if len(self.bets) == 1:
            return first
        _, rank = family_and_rank(first)
        if len(self.bets) == len(cards_of_suit(rank)):
            return f"{first}…{last.partition('/')[2]}"
        return ", ".join([first, *(odds.on.partition("/")[2] for odds in self.bets[1:])])


def family_and_rank(on: str) -> tuple[str, int]:
    """Return a bet's kind and suit, 0 for a bet without a suit.

    >>> family_and_rank("card/6D3"), family_and_rank("cavalry")
    (('card', 6), ('cavalry', 0))
    """
    family, _, target = on.partition("/")
    return family, int(target[:1] or 0)


def rows(odds: Iterable[BetOdds]) -> tuple[Row, ...]:
    """Return one row per group of equal bets, in order of first appearance."""
    groups: dict[tuple[object, ...], list[BetOdds]] = {}
    for bet in odds:
        family, rank = family_and_rank(bet.on)
        single = bet.on if family not in CARD_FAMILIES else ""
        groups.setdefault((family, rank, single, bet.probability, bet.pays), []).append(bet)
    return tuple(Row(tuple(bets)) for bets in groups.values())


def _meaning(on: str) -> Message:
    family, rank = family_and_rank(on)
    return _MEANING[family](SUITS.get(rank, ""))


OPTIONS: Final = ("layout", "deck", "paytable", *LIMITS)


@dataclass(frozen=True, slots=True)
class RocheAsked:
    """An odds query: layout, deck and prices, and the cards seen so far."""

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
        return (row.cells for row in rows(self.odds()))

    def simulate(self, rounds: int, random: np.random.Generator, progress: Callable[[int], object]) -> dict[str, int]:
        from companion.games.roche.odds.simulation import simulate

        return simulate(rounds, random, self.deck, self.seen, progress=progress)


def ask(seen: str, pairs: Iterable[str]) -> RocheAsked:
    """Parse a query about Roche.

    Raises:
        BadScript: an unknown option or an invalid value.
    """
    chosen = parse_options("roche", pairs, OPTIONS, "deck=red")
    parse_limits(limit_options(chosen))  # limits do not change the odds, but their errors are reported
    deck = cast(RocheDeck, _choice("deck", chosen.get("deck", "full"), get_args(RocheDeck)))
    layout = cast(Layout, _choice("layout", chosen.get("layout", "basic"), get_args(Layout)))
    return RocheAsked(layout, deck, _paytable(deck, chosen.get("paytable")), parse_seen(seen))


def _choice(key: str, value: str, allowed: Sequence[str]) -> str:
    if value not in allowed:
        raise BadScript(f"{key} is {value!r}. Use {' or '.join(allowed)}.")
    return value


def _paytable(deck: RocheDeck, source: str | None) -> Paytable:
    """Return the printed prices, those of a TOML file, or printed ones with JSON changes as in a script's header."""
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
