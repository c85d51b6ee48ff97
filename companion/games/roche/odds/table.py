"""Odds as a person reads them: one line where the cards of a suit all have the same odds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from companion.games.roche.paytable import CARD_FAMILIES
from companion.objects.cards import SUIT_NAMES, cards_of_suit
from companion.odds.bet_odds import BetOdds
from companion.odds.table import cells, markdown_table

# Short enough for the whole table to fit on 80 columns.
_MEANING: Final = {
    "cut": "{suit} cut",
    "day": "{suit} cut, all day",
    "night": "{suit} cut, all night",
    "starlight": "no {suit} dealt",
    "card": "{suit} cut with it",
    "oscura": "{suit} cut without it",
    "terminus": "{suit} cut by it",
    "cavalry": "all one short of a cut",
}


@dataclass(frozen=True, slots=True)
class Row:
    """Bets of one kind and suit whose odds are the same; ``bets`` has at least one."""

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
    """Return the kind of bet and its suit, 0 for a bet on no suit.

    >>> family_and_rank("card/6D3"), family_and_rank("cavalry")
    (('card', 6), ('cavalry', 0))
    """
    family, _, target = on.partition("/")
    return family, int(target[:1] or 0)


def rows(odds: Iterable[BetOdds]) -> tuple[Row, ...]:
    """Return one row for each group of equal bets, in the order in which they first come."""
    groups: dict[tuple[object, ...], list[BetOdds]] = {}
    for bet in odds:
        family, rank = family_and_rank(bet.on)
        single = bet.on if family not in CARD_FAMILIES else ""
        groups.setdefault((family, rank, single, bet.probability, bet.pays), []).append(bet)
    return tuple(Row(tuple(bets)) for bets in groups.values())


def markdown(odds: Sequence[BetOdds]) -> str:
    """Return a Markdown table of the odds, with a line break at the end."""
    return markdown_table(row.cells for row in rows(odds))


def _meaning(on: str) -> str:
    family, rank = family_and_rank(on)
    return _MEANING[family].format(suit=SUIT_NAMES.get(rank, ""))
