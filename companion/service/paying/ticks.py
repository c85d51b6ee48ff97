"""Which steps of the pay sheets are ticked: worked out from the journal's notices.

Ticks move no coins and decide nothing, so they are no commands: an undo takes back the decision, never a tick. But
they are written to the journal all the same. After a power cut in the middle of paying, the dealer has to know who has
been paid, and whoever asks later when a payment was handed over finds it, with the time and the source.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Self

from typing_extensions import TypedDict

from companion.journal.hash_chain import Draft, Entry
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


def tick_of(entry: Entry | Draft) -> TickJson | None:
    """Return what an entry says about ticks; None if it is about something else."""
    if entry.kind != "notice" or f'"{PAID}"' not in entry.record:
        return None
    tick: TickJson | None = (json.loads(entry.record).get("data") or {}).get(PAID)
    return tick


Tick = tuple[int, str]
"""How many commands counted before the one that a step is about, and the step's name without that number."""


def tick_in(sheet: str, step: str) -> Tick:
    """Return which step of which command a sheet's step is: the same one may lie on several sheets.

    >>> tick_in("17-3f2a91c0", "pay >Ann"), tick_in("17-3f2a91c0", "19: hand player/Ann>house")
    ((17, 'pay >Ann'), (19, 'hand player/Ann>house'))
    """
    place, colon, name = step.partition(": ")
    return (int(place), name) if colon and place.isdecimal() else (place_of(sheet), step)


@dataclass(frozen=True, slots=True)
class Ticks:
    """What is ticked of the commands that still count."""

    done: frozenset[Tick] = frozenset()
    places: frozenset[int] = frozenset()
    "Where something was ever ticked, also if that was taken back: how many commands counted before each."

    def of(self, sheet: str, steps: Iterable[str]) -> frozenset[str]:
        """Return which of a sheet's steps are ticked."""
        return frozenset(step for step in steps if tick_in(sheet, step) in self.done)

    def are_of(self, place: int) -> bool:
        """Say whether anything is ticked of the command before which so many counted."""
        return any(of == place for of, _ in self.done)

    def are_before(self, place: int) -> bool:
        """Say whether anything was ever ticked of an earlier command than the one before which so many counted."""
        return any(of < place for of in self.places)

    def and_given(self, entries: Sequence[Entry]) -> Self:
        """Return the ticks with those of further entries, also where a command was undone in the same ones."""
        given = (tick for entry in entries if (tick := tick_of(entry)) is not None)
        return type(self)(_with(self.done, given), self.places)

    def after(self, entries: Sequence[Entry | Draft], count: int) -> Self:
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
                count += _step_back(entry)
                lowest = min(lowest, count)
            elif (tick := tick_of(entry)) is not None:
                steps = [step for step in tick["steps"] if tick_in(tick["sheet"], step)[0] < lowest]
                given.append({**tick, "steps": steps})
        kept = frozenset(tick for tick in self.done if is_same_session and tick[0] < lowest)
        places = frozenset(place for place in self.places if is_same_session and place < lowest)
        new = {tick_in(tick["sheet"], step)[0] for tick in given for step in tick["steps"]}
        return type(self)(_with(kept, reversed(given)), places | new)


def fewest_counted(entries: Sequence[Entry], count: int) -> int:
    """Return how few commands counted in between: what lay beyond was undone, though it may count again.

    Args:
        entries: further ones of a session's journal.
        count: how many commands count after the last of them.
    """
    lowest = count
    for entry in reversed(entries):
        if entry.kind == "command":
            count += _step_back(entry)
            lowest = min(lowest, count)
    return lowest


def _step_back(entry: Entry | Draft) -> int:
    """Return how many more commands counted before an entry than after it."""
    return 1 if json.loads(entry.record)["do"] == Undo.verb else -1


def _with(done: frozenset[Tick], ticks: Iterable[TickJson]) -> frozenset[Tick]:
    for tick in ticks:
        steps = {tick_in(tick["sheet"], step) for step in tick["steps"]}
        done = done | steps if tick["is_paid"] else done - steps
    return done
