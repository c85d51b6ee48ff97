"""The ticked steps of the pay sheets, derived from the journal's notices.

Ticks move no coins and decide nothing, so they are not commands: an undo reverts a decision, never a tick. They are
journaled all the same: after a power cut in the middle of paying, the dealer has to know who has been paid, and the
journal shows later when a payment was made, and who ticked it.

The *place* of a command is the number of effective commands before it.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Self

from typing_extensions import TypedDict

from companion.journal.hash_chain import Draft, Entry
from companion.kernel.commands import Undo

PAID: Final = "paid"
"""Key of the tick in its notice's data."""


UNDONE: Final = "undone"
"""Key, in a notice's data, of ticked steps whose command was undone."""


class TickJson(TypedDict):
    """Steps of a sheet that were ticked or unticked."""

    sheet: str
    steps: list[str]
    is_paid: bool


def place_of(sheet: str) -> int:
    """Return the place of the command after which a sheet is named.

    >>> place_of("17-3f2a91c0")
    17
    """
    return int(sheet.partition("-")[0])


def tick_of(entry: Entry | Draft) -> TickJson | None:
    """Return an entry's tick, or None."""
    if entry.kind != "notice" or f'"{PAID}"' not in entry.record:
        return None
    tick: TickJson | None = (json.loads(entry.record).get("data") or {}).get(PAID)
    return tick


Tick = tuple[int, str]
"""The place of a step's command, and the step's key without it."""


def tick_in(sheet: str, step: str) -> Tick:
    """Return the tick of a sheet's step; the same step may be on several sheets.

    >>> tick_in("17-3f2a91c0", "pay >Ann"), tick_in("17-3f2a91c0", "19: hand player/Ann>house")
    ((17, 'pay >Ann'), (19, 'hand player/Ann>house'))
    """
    place, colon, name = step.partition(": ")
    return (int(place), name) if colon and place.isdecimal() else (place_of(sheet), step)


@dataclass(frozen=True, slots=True)
class Ticks:
    """The ticks of the effective commands."""

    done: frozenset[Tick] = frozenset()
    places: frozenset[int] = frozenset()
    "Places of the effective commands with a step that was ever ticked, even if it was unticked since."

    def of(self, sheet: str, steps: Iterable[str]) -> frozenset[str]:
        """Return the ticked ones among a sheet's steps."""
        return frozenset(step for step in steps if tick_in(sheet, step) in self.done)

    def are_of(self, place: int) -> bool:
        """Whether a step of the command at this place is ticked."""
        return any(of == place for of, _ in self.done)

    def are_before(self, place: int) -> bool:
        """Whether a step of a command before this place was ever ticked."""
        return any(of < place for of in self.places)

    def and_given(self, entries: Sequence[Entry]) -> Self:
        """Return the ticks with those of further entries, regardless of undos among these entries."""
        given = (tick for entry in entries if (tick := tick_of(entry)) is not None)
        return type(self)(_with(self.done, given), self.places)

    def after(self, entries: Sequence[Entry | Draft], count: int) -> Self:
        """Return the ticks after further entries of the journal.

        An undone decision loses its ticks for good: if it is made again, its coins have to be paid again.

        Args:
            count: the number of effective commands after the last entry.
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
    """Return the lowest number of effective commands during these entries; commands beyond it were undone meanwhile.

    Args:
        entries: consecutive entries of one session.
        count: the number of effective commands after the last of them.
    """
    lowest = count
    for entry in reversed(entries):
        if entry.kind == "command":
            count += _step_back(entry)
            lowest = min(lowest, count)
    return lowest


def _step_back(entry: Entry | Draft) -> int:
    """Return by how much the number of effective commands was higher before a command than after it."""
    return 1 if json.loads(entry.record)["do"] == Undo.verb else -1


def _with(done: frozenset[Tick], ticks: Iterable[TickJson]) -> frozenset[Tick]:
    for tick in ticks:
        steps = {tick_in(tick["sheet"], step) for step in tick["steps"]}
        done = done | steps if tick["is_paid"] else done - steps
    return done
