"""What people on the demo table did and wait for, and what the companion made of it."""

from __future__ import annotations

from dataclasses import dataclass

from companion.kernel.commands import Record
from hardware.demo.guests import Journal


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
    counted: list[Record] = []
    undone: list[Record] = []
    for entry in journal.events(awaited.seq, 200):
        record = entry["record"]
        if entry["kind"] != "command":
            continue
        if record["do"] == "undo":
            undone += [counted.pop()] if counted else []
        elif record["do"] == "redo":
            counted += [undone.pop()] if undone else []
        else:
            counted.append(record)
    card = awaited.record.get("card")
    found = [record["do"] for record in counted if record.get("card") == card]
    return str(found[-1]) if found else None
