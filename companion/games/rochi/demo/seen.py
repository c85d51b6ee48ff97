"""What people on the demo table did and wait for, and what the companion made of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from companion.kernel.commands import Record
from companion.kernel.timeline import Timeline
from hardware.demo.guests import Journal

_MOST: Final = 200


@dataclass(frozen=True, slots=True)
class Awaited:
    """Something that lies on the table now, for the camera to see.

    Attributes:
        record: what it means.
        seq: the journal's head before it was done.
        at: when it was done, seconds.
        is_wrong: it should not be taken by the companion: a mischief.
    """

    record: Record
    seq: int
    at: float
    is_wrong: bool = False


def understood(journal: Journal, awaited: Awaited) -> str | None:
    """Return the verb under which the companion took an awaited card, None while it did not. Undone is not taken."""
    before: list[Record] = [{}] * _MOST  # commands from before that may be undone or done again
    line = Timeline(before, before)
    for entry in journal.events(awaited.seq, _MOST):
        if entry["kind"] == "command":
            line.follow(entry["record"]["do"], entry["record"])
    card = awaited.record.get("card")
    found = [record["do"] for record in line.done if record and record.get("card") == card]
    return str(found[-1]) if found else None
