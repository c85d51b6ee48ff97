"""Which steps of the pay sheets are ticked: worked out from the journal's notices.

Ticks move no coins and decide nothing, so they are no commands: an undo takes back the decision, never a tick. But
they are written to the journal all the same. After a power cut in the middle of paying, the dealer has to know who has
been paid, and whoever asks later when a payment was handed over finds it, with the time and the source.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Self

from typing_extensions import TypedDict

from companion.journal.hash_chain import Entry
from companion.kernel.commands import Undo

PAID: Final = "paid"
"""Under which a tick lies in the data of its notice."""


UNDONE: Final = "undone"
"""Under which the steps whose command was undone lie in the data of the notice that tells the dealer so."""


class TickJson(TypedDict):
    """Steps of a sheet that were ticked, or whose tick was taken back."""

    sheet: str
    steps: list[str]
    is_paid: bool


def place_of(sheet: str) -> int:
    """Return how many commands counted before the one that a sheet is about.

    >>> place_of("17-3f2a91c0")
    17
    """
    return int(sheet.partition("-")[0])


def place_in(sheet: str, step: str) -> int:
    """Return how many commands counted before the one that a step of a sheet is about.

    >>> place_in("17-3f2a91c0", "pay >Ann"), place_in("17-3f2a91c0", "19: hand player/Ann>house")
    (17, 19)
    """
    place = step.partition(":")[0]
    return int(place) if place.isdecimal() else place_of(sheet)


def tick_of(entry: Entry) -> TickJson | None:
    """Return what an entry says about ticks; None if it is about something else."""
    if entry.kind != "notice" or f'"{PAID}"' not in entry.record:
        return None
    tick: TickJson | None = (json.loads(entry.record).get("data") or {}).get(PAID)
    return tick


@dataclass(frozen=True, slots=True)
class Ticks:
    """What is ticked of each sheet whose command still counts."""

    by_sheet: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def of(self, sheet: str) -> frozenset[str]:
        """Return the ticked steps of a sheet."""
        return self.by_sheet.get(sheet, frozenset())

    def are_of(self, place: int) -> bool:
        """Say whether anything is ticked of the command before which so many counted."""
        return any(steps and place_of(sheet) == place for sheet, steps in self.by_sheet.items())

    def after(self, entries: Sequence[Entry], count: int) -> Self:
        """Return the ticks after further entries of the journal.

        The ticks of a decision that was undone are gone for good: done again, its coins are to be paid again.

        Args:
            count: how many commands count after the last entry.
        """
        lowest, given, is_same_session = count, list[TickJson](), True
        for entry in reversed(entries):
            if entry.kind == "start":
                is_same_session = False
                break
            if entry.kind == "command":
                count += 1 if json.loads(entry.record)["do"] == Undo.verb else -1
                lowest = min(lowest, count)
            elif (tick := tick_of(entry)) is not None and place_of(tick["sheet"]) < lowest:
                steps = [step for step in tick["steps"] if place_in(tick["sheet"], step) < lowest]
                given.append({**tick, "steps": steps})
        before = self.by_sheet if is_same_session else {}
        kept = {
            sheet: frozenset(step for step in steps if place_in(sheet, step) < lowest)
            for sheet, steps in before.items()
            if place_of(sheet) < lowest
        }
        return type(self)(_with(kept, reversed(given)))


def _with(sheets: Mapping[str, frozenset[str]], ticks: Iterable[TickJson]) -> Mapping[str, frozenset[str]]:
    found = dict(sheets)
    for tick in ticks:
        before, steps = found.get(tick["sheet"], frozenset()), frozenset(tick["steps"])
        found[tick["sheet"]] = before | steps if tick["is_paid"] else before - steps
    return found
