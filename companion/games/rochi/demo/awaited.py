"""What people on the demo table did and wait for, and how they answer what the companion asks about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from companion.games.rochi.demo.moves import Board
from companion.kernel.commands import Record
from companion.plugins.panel import Asked

_IT_COUNTS: Final = ("here", "approve", "again")


@dataclass(frozen=True, slots=True)
class Awaited:
    """Something that lies on the table now, for the camera to see.

    Attributes:
        record: what it means.
        seq: how far the journal was read before it was done.
        at: when it was done, seconds.
    """

    record: Record
    seq: int
    at: float


def answer_to(question: Asked, board: Board, awaited: Sequence[Awaited]) -> str | None:
    """Return the choice of a careful dealer who knows what really happened.

    None where nothing fits: then hands mend the table and the question goes.
    """
    choices = {choice for choice, _ in question.choices}
    for mine in awaited:
        if mine.record["card"] not in (question.card, *choices):
            continue
        found = next((way for way in _true_ways(mine.record, board) if way in choices), None)
        if found is not None:
            return found
    return None


def _true_ways(record: Record, board: Board) -> Iterator[str]:
    """Yield how the ids of choices may call what was really done, the most exact first."""
    yield f"{record['do']}{board.seats.get(board.turn or '')}"
    yield record["do"]
    yield record["card"]
    yield from _IT_COUNTS
