"""Basic strategy of a rule set: an action for each total against each up-card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from companion.games.blackjack.odds.cards import VALUES, Counts, counted, total, value_of

Action = Literal["stand", "hit", "double", "split", "surrender"]
"""The verbs of a player's decisions."""
Cell = tuple[Action, ...]
"""Best action first, then fallbacks for hands that can no longer take it. The last is hit or stand."""
Column = Mapping[str, Cell]
"""The cells against one up-card, by row: "hard/16", "soft/18", "pair/8", where aces are "pair/1"."""

ROWS: Final = (
    *(f"hard/{points}" for points in range(4, 22)),
    *(f"soft/{points}" for points in range(12, 22)),
    *(f"pair/{value}" for value in range(1, VALUES + 1)),
)
_LETTERS: Final[Mapping[Action, str]] = {"stand": "S", "hit": "H", "double": "D", "split": "P", "surrender": "R"}
_ACTIONS: Final = {letter: action for action, letter in _LETTERS.items()}


def row_of(hand: Counts, is_pair: bool) -> str:
    """Return a hand's row.

    >>> row_of((0, 0, 0, 0, 0, 0, 0, 2, 0, 0), True), row_of((1, 0, 0, 0, 0, 1, 0, 0, 0, 0), False)
    ('pair/8', 'soft/17')
    """
    points, is_soft = total(hand)
    if is_pair:
        return f"pair/{hand.index(2) + 1}"
    return f"soft/{points}" if is_soft else f"hard/{points}"


@dataclass(frozen=True, slots=True)
class Strategy:
    """Strategy table: row -> cells against the ten up-cards, ace first."""

    rows: Mapping[str, tuple[Cell, ...]]

    def cell(self, cards: Sequence[str], up: str) -> Cell:
        """Return the table's cell for a hand and the dealer's card."""
        row = row_of(counted(cards), len(cards) == 2 and cards[0][0] == cards[1][0])
        return self.rows[row][value_of(up)]

    def to_json(self) -> dict[str, str]:
        """Return each row as letters, one word per up-card, ace first.

        S stand, H hit, D double, P split, R surrender; further letters are fallbacks.
        """
        return {row: " ".join(map(_letters, cells)) for row, cells in self.rows.items()}

    @classmethod
    def from_json(cls, rows: Mapping[str, str]) -> Strategy:
        """Return the table that `to_json` wrote."""
        return cls(
            {row: tuple(tuple(_ACTIONS[letter] for letter in word) for word in rows[row].split()) for row in ROWS}
        )


def _letters(cell: Cell) -> str:
    return "".join(_LETTERS[action] for action in cell)


def ranked(worth: Mapping[Action, float]) -> Cell:
    """Return a hand's cell from the worths of its actions.

    >>> ranked({"stand": -0.54, "hit": -0.53, "double": -1.1, "surrender": -0.5})
    ('surrender', 'hit')
    """
    cell: list[Action] = []
    while not cell or cell[-1] not in ("stand", "hit"):
        cell.append(max((action for action in worth if action not in cell), key=lambda action: worth[action]))
    return tuple(cell)
