"""Results entered by hand, and their comparison with the camera's reading of the same event."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from companion.kernel.commands import Record
from companion.kernel.messages import Message, message
from companion.kernel.situation import Situation
from companion.service.questions import Choice, Question
from companion.tracking.sight import JournalNote

LEAVE_CHOICE_ID: Final = "leave"
DIFFERS: Final = "differs"
Stage = Literal["told", "known", "twice"]
"""``told``: shown to the dealer; ``known``: acknowledged; ``twice``: asked whether it is another event."""
_FIELDS_NOT_READ: Final = ("do", "player", "evidence")


@dataclass(frozen=True, slots=True)
class Entry:
    """A result that was entered by hand.

    Attributes:
        record: the command.
        number: the number of effective commands, this one included.
        before: the situation before it.
        key: the key of the watcher's reading at that time, see `companion.plugins.perception.WatchReading`.
        is_moving: whether the object was still in motion.
        is_done: whether the event of that key had already been counted or decided on.
        is_open: whether the object of that key had come to rest and was neither counted nor decided on.
        is_doubtful: whether that rest was in doubt (see `companion.tracking.watched.Doubt`).
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
        """Whether this is certainly the result of the event ``key``: the one at rest at the time, or the next.

        An object in motion may belong to the next event already; but if the previous event was still open, the entry
        may be the previous one's.
        """
        if key == self.key:
            return not self.is_done
        return key > self.key and self.is_moving and not self.is_open

    def acknowledged(self) -> None:
        """Already handled: an entry that was never compared is dropped."""

    def matches(self, answer: Mapping[str, Any]) -> bool:
        """Whether the entry equals a watcher's answer; the order within a list of values does not matter."""
        return all(_in_order(self.record.get(name)) == _in_order(value) for name, value in answer.items())


@dataclass(frozen=True, slots=True)
class Difference:
    """A contradiction between an entry by hand and the camera's sure reading of the same event or card.

    Attributes:
        record: the command that was entered.
        number: the number of effective commands, this one included.
        key: the key of the event, or the card's track.
        entered: the entered values, in short.
        shown: the values read, in short.
        evidence: the name of the stored picture, if any.
        stage: see `Stage`.
    """

    record: Record
    number: int
    key: int
    entered: str
    shown: str
    evidence: str | None
    stage: Stage = "told"

    @property
    def id(self) -> str:
        """The id of its question."""
        return f"{DIFFERS}:{self.key}:{self.number}"

    def acknowledged(self) -> Difference:
        """Return it as acknowledged by the dealer."""
        return replace(self, stage="known") if self.stage == "told" else self

    def note(self) -> JournalNote:
        """Return the note for the journal."""
        if self.stage == "twice":
            return JournalNote(self.twice_text(), {"kind": "twice", "evidence": self.evidence})
        text = message(
            "{entered} was entered by hand, but the camera reads {shown}. What was entered counts.",
            entered=self.entered, shown=self.shown,
        )  # fmt: skip
        return JournalNote(text, {"kind": DIFFERS, "evidence": self.evidence})

    def twice_text(self) -> Message:
        """Return the question's text for the case that the object in motion was another event."""
        return message(
            "{shown} was still on its way when {entered} was entered by hand. Does {shown} count as well?",
            shown=self.shown, entered=self.entered,
        )  # fmt: skip

    def question(self, now: Situation) -> Question:
        """Return the question to the dealer; it offers an undo as long as the entry is the latest command."""
        ways = [Choice(LEAVE_CHOICE_ID, message("Leave it: {entered} counts", entered=self.entered))]
        only = {"do": self.record["do"], "number": self.number}
        if all(now.latest.get(name) == value for name, value in only.items()):
            undo = {"do": "undo", "only": only}
            ways.append(Choice("undo", message("Undo {entered}", entered=self.entered), undo))
        text = message(
            "{entered} was entered by hand, but the camera reads {shown}. {entered} counts unless it is undone.",
            entered=self.entered, shown=self.shown,
        )  # fmt: skip
        return Question(self.id, DIFFERS, text, tuple(ways))


def records_since(counted: int, now: Situation) -> list[tuple[int, Record]]:
    """Return the recent commands after the first ``counted``, each with its number; older ones may be missing."""
    first = now.latest["number"] - len(now.recent) + 1
    return [(number, record) for number, record in enumerate(now.recent, first) if number > counted]


def answer_text(answer: Mapping[str, Any]) -> str:
    """Return an answer's values in short; of a command, only the fields that a watcher can answer.

    >>> answer_text({"pocket": "17"}), answer_text({"dice": [1, 2, 2]})
    ('17', '1-2-2')
    >>> answer_text({"do": "throw", "out": True, "dice": None})
    'out'
    """
    found = []
    for name, value in answer.items():
        if name in _FIELDS_NOT_READ or value is None:
            continue
        if isinstance(value, bool):
            found += [name] if value else []
        else:
            found += ["-".join(map(str, value)) if isinstance(value, list | tuple) else str(value)]
    return " ".join(found)


def _in_order(value: object) -> object:
    return sorted(value) if isinstance(value, list | tuple) else value
