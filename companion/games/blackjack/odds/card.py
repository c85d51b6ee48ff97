"""The basic strategy as players know it: a card with hard totals, soft totals and pairs, printed or on a page.

Letters tell the actions apart, never a colour alone; each language has its own letters.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

from typing_extensions import TypedDict

from companion.games.blackjack.odds.edges import edges
from companion.games.blackjack.odds.rule_set import RuleSet
from companion.games.blackjack.odds.strategy import Action, Cell
from companion.kernel.messages import Message, Words, joined, message, plural

HEADS: Final = (*map(str, range(2, 11)), "A")
"""The dealer's cards, in the order of the columns."""
TITLE: Final = message("Basic strategy")
PARTS: Final = {"hard": message("Hard"), "soft": message("Soft"), "pair": message("Pairs")}
LEGEND: Final[Mapping[Action, Message]] = {
    "hit": message("H = hit"),
    "stand": message("S = stand"),
    "double": message("D = double"),
    "split": message("P = split"),
    "surrender": message("R = surrender"),
}
"""Each action with its letter; in every language the letter stands before the equals sign."""
NOTES: Final = (
    message("Across: the dealer's card. Down: your hand."),
    message("Small letter: what to do where the first cannot be done."),
    message("Never take insurance."),
)
_FALLBACKS: Final = ("double", "surrender")
"""The actions whose second choice is told. A pair that cannot be split is played as its total."""


class RowJson(TypedDict):
    """A hand, or several that are played alike, with an action for each of the dealer's cards, and a fallback."""

    label: str
    cells: Sequence[Sequence[Action]]


class PartJson(TypedDict):
    """The rows of hard hands, soft hands or pairs."""

    title: Words
    rows: Sequence[RowJson]


class CardJson(TypedDict):
    """The whole card for the rules in force."""

    title: Words
    rules: Words
    edge: float
    "What the house keeps of each coin from whoever plays by the card."
    heads: Sequence[str]
    legend: Mapping[Action, Words]
    notes: Sequence[Words]
    parts: Sequence[PartJson]


def strategy_card(rules: RuleSet) -> CardJson:
    """Return the card for rules."""
    return {
        "title": TITLE,
        "rules": rules_words(rules),
        "edge": edges(rules).table_edge,
        "heads": HEADS,
        "legend": {action: words for action, words in LEGEND.items() if action != "surrender" or _gives_up(rules)},
        "notes": NOTES,
        "parts": [{"title": title, "rows": list(_rows(rules, part))} for part, title in PARTS.items()],
    }


def rules_words(rules: RuleSet) -> Message:
    """Return the rules that the card is for.

    >>> str(rules_words(RuleSet(6, "hit")))
    '6 decks · dealer hits soft 17 · late surrender · split aces play on'
    """
    return joined((plural("{n} deck", "{n} decks", rules.decks), *(_RULES[key] for key in
                   (rules.soft17, rules.surrender, rules.split_aces))), " · ")  # fmt: skip


_RULES: Final = {
    "stand": message("dealer stands on all 17s"),
    "hit": message("dealer hits soft 17"),
    "late": message("late surrender"),
    "early": message("early surrender"),
    "none": message("no surrender"),
    "play-on": message("split aces play on"),
    "one-card": message("one card to split aces"),
}


def _gives_up(rules: RuleSet) -> bool:
    return rules.surrender != "none"


def _rows(rules: RuleSet, part: str) -> Iterator[RowJson]:
    """Yield the rows of a part; neighbours that are played alike are one row."""
    table = edges(rules).strategy.rows
    every = [(label, tuple(map(_told, (*table[row][1:], table[row][0])))) for row, label in _LABELS[part].items()]
    for cells, rows in groupby(every, key=lambda row: row[1]):
        labels = [label for label, _ in rows]
        yield {"label": labels[0] if len(labels) == 1 else f"{labels[0]}–{labels[-1]}", "cells": cells}


def _told(cell: Cell) -> Cell:
    return cell[:2] if cell[0] in _FALLBACKS else cell[:1]


_LABELS: Final[Mapping[str, Mapping[str, str]]] = {
    "hard": {f"hard/{points}": f"{points}" for points in range(5, 22)},
    "soft": {f"soft/{points}": f"A,{points - 11}" for points in range(13, 21)},
    "pair": {f"pair/{value}": f"{HEADS[value - 2]},{HEADS[value - 2]}" for value in (*range(2, 11), 1)},
}
"""Table rows with their labels. What has no row is a pair, or a finished hand of 21."""


def letters(cell: Sequence[Action], say: Callable[[Message], str] = str) -> str:
    """Return a cell as the card has it: a capital, and a small letter for the second choice.

    >>> letters(("double", "hit")), letters(("split",))
    ('Dh', 'P')
    """
    first, *rest = (say(LEGEND[action]).partition(" = ")[0] for action in cell)
    return first + "".join(letter.lower() for letter in rest)
