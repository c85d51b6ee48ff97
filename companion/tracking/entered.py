"""What was entered by hand, and whether a watcher reads another result of the very same event."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from companion.kernel.commands import Record
from companion.kernel.messages import Message, message
from companion.kernel.situation import Situation
from companion.service.questions import Choice, Question
from companion.tracking.sight import Note

LEAVE: Final = "leave"
DIFFERS: Final = "differs"
_OF_NO_ANSWER: Final = ("do", "player", "evidence")


@dataclass(frozen=True, slots=True)
class Entry:
    """A result that was entered by hand.

    Attributes:
        record: the command.
        number: how many commands count with it.
        before: the table before it.
        key: of what the watcher saw then, see `companion.plugins.perception.WatchReading`.
        is_moving: whether that had to be waited for.
        is_done: whether it was counted, or decided about, before.
        is_open: whether something lay there that was neither.
        is_doubtful: whether it did not come as it should, while the game waited for it.
    """

    record: Record
    number: int
    before: Situation
    key: int
    is_moving: bool
    is_done: bool
    is_open: bool
    is_doubtful: bool

    def is_about(self, key: int) -> bool:
        """Whether it surely is the result of the event with a key that came to rest next, or rested then.

        What is on its way may be the next event already; and if the one before was still open, it may be that one's.
        """
        if key == self.key:
            return not self.is_done
        return key > self.key and self.is_moving and not self.is_open

    def says(self, answer: Mapping[str, Any]) -> bool:
        """Whether it says the same as a watcher's answer; several values may be named in any order."""
        return all(_in_order(self.record.get(name)) == _in_order(value) for name, value in answer.items())


@dataclass(frozen=True, slots=True)
class Difference:
    """An entry, and what the camera surely reads of the same event.

    Attributes:
        entry: what was entered.
        key: of the event.
        shown: what is read, in short.
        evidence: the kept picture's name, if any.
    """

    entry: Entry
    key: int
    shown: str
    evidence: str | None

    @property
    def entered(self) -> str:
        return words_of(self.entry.record)

    def note(self) -> Note:
        """Return what the journal keeps of it."""
        text = message(
            "{entered} was entered by hand, but the camera reads {shown}. What was entered counts.",
            entered=self.entered, shown=self.shown,
        )  # fmt: skip
        return Note(text, {"kind": DIFFERS, "evidence": self.evidence})

    def twice_text(self) -> Message:
        """Return what is asked where it may be the next event that was on its way."""
        return message(
            "{shown} was still on its way when {entered} was entered by hand. Does {shown} count as well?",
            shown=self.shown, entered=self.entered,
        )  # fmt: skip

    def question(self, now: Situation) -> Question:
        """Return what the dealer is told: it may be undone at once while nothing was done since."""
        entry = self.entry
        ways = [Choice(LEAVE, message("Leave it: {entered} counts", entered=self.entered))]
        only = {"do": entry.record["do"], "number": entry.number}
        if all(now.latest.get(name) == value for name, value in only.items()):
            undo = {"do": "undo", "only": only}
            ways.append(Choice("undo", message("Undo {entered}", entered=self.entered), undo))
        text = message(
            "{entered} was entered by hand, but the camera reads {shown}. {entered} counts unless it is undone.",
            entered=self.entered, shown=self.shown,
        )  # fmt: skip
        return Question(f"{DIFFERS}:{self.key}:{entry.number}", DIFFERS, text, tuple(ways))


def results_since(counted: int, verb: str, now: Situation) -> list[tuple[int, Record]]:
    """Return what was entered with a verb since so many commands counted, each with how many count with it.

    Of many commands only the latest are looked at.
    """
    first = now.latest["number"] - len(now.recent) + 1
    numbered = enumerate(now.recent, first)
    return [(number, record) for number, record in numbered if number > counted and record["do"] == verb]


def words_of(answer: Mapping[str, Any]) -> str:
    """Return an answer's values in short; of a command, those that a watcher can answer.

    >>> words_of({"pocket": "17"}), words_of({"dice": [1, 2, 2]}), words_of({"do": "throw", "out": True, "dice": None})
    ('17', '1-2-2', 'out')
    """
    found = []
    for name, value in answer.items():
        if name in _OF_NO_ANSWER or value is None:
            continue
        if isinstance(value, bool):
            found += [name] if value else []
        else:
            found += ["-".join(map(str, value)) if isinstance(value, list | tuple) else str(value)]
    return " ".join(found)


def _in_order(value: object) -> object:
    return sorted(value) if isinstance(value, list | tuple) else value
