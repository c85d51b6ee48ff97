"""Basic strategy card, printed or on a page: hard totals, soft totals and pairs.

Actions are distinguished by letters, not by colour alone; the letters are localized.
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
"""Dealer's up-cards, in column order."""
TITLE: Final = message("Basic strategy")
PARTS: Final = {"hard": message("Hard"), "soft": message("Soft"), "pair": message("Pairs")}
LEGEND: Final[Mapping[Action, Message]] = {
    "hit": message("H = hit"),
    "stand": message("S = stand"),
    "double": message("D = double"),
    "split": message("P = split"),
    "surrender": message("R = surrender"),
}
"""Action -> legend; in every language its letter precedes the equals sign."""
NOTES: Final = (
    message("Across: the dealer's card. Down: your hand."),
    message("Small letter: what to do where the first cannot be done."),
    message("Never take insurance."),
)
_FALLBACKS: Final = ("double", "surrender")
"""Actions shown with a fallback. A pair that cannot be split is played as its total."""


class RowJson(TypedDict):
    """A row: one or more hands played alike, with an action and fallback per up-card."""

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
    "House edge per coin against basic strategy."
    heads: Sequence[str]
    legend: Mapping[Action, Words]
    notes: Sequence[Words]
    parts: Sequence[PartJson]


def strategy_card(rules: RuleSet) -> CardJson:
    """Return the card for a rule set."""
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
    """Return the rule set as text.

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
    """Yield the rows of a part; adjacent rows with equal cells are merged."""
    table = edges(rules).strategy.rows
    every = [(label, tuple(map(_displayed, (*table[row][1:], table[row][0])))) for row, label in _LABELS[part].items()]
    for cells, rows in groupby(every, key=lambda row: row[1]):
        labels = [label for label, _ in rows]
        yield {"label": labels[0] if len(labels) == 1 else f"{labels[0]}–{labels[-1]}", "cells": cells}


def _displayed(cell: Cell) -> Cell:
    return cell[:2] if cell[0] in _FALLBACKS else cell[:1]


_LABELS: Final[Mapping[str, Mapping[str, str]]] = {
    "hard": {f"hard/{points}": f"{points}" for points in range(5, 22)},
    "soft": {f"soft/{points}": f"A,{points - 11}" for points in range(13, 21)},
    "pair": {f"pair/{value}": f"{HEADS[value - 2]},{HEADS[value - 2]}" for value in (*range(2, 11), 1)},
}
"""Row -> label. Totals without a row are pairs, or 21."""


def letters(cell: Sequence[Action], say: Callable[[Message], str] = str) -> str:
    """Return a cell's text: a capital letter, and a small one for the fallback.

    >>> letters(("double", "hit")), letters(("split",))
    ('Dh', 'P')
    """
    first, *rest = (say(LEGEND[action]).partition(" = ")[0] for action in cell)
    return first + "".join(letter.lower() for letter in rest)
