"""What was entered by hand, and whether the camera reads something else of the very same event."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from companion.kernel.commands import Record
from companion.kernel.messages import Message, message
from companion.kernel.situation import Situation
from companion.service.questions import Choice, Question
from companion.tracking.sight import Note

LEAVE: Final = "leave"
DIFFERS: Final = "differs"
Stage = Literal["told", "known", "twice"]
"""The dealer has to be told; knows of it; is asked whether what is read is another event."""
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

    def settled(self) -> None:
        """Nothing more has to be said about it."""

    def says(self, answer: Mapping[str, Any]) -> bool:
        """Whether it says the same as a watcher's answer; several values may be named in any order."""
        return all(_in_order(self.record.get(name)) == _in_order(value) for name, value in answer.items())


@dataclass(frozen=True, slots=True)
class Difference:
    """What was entered by hand, and what the camera surely reads of the same event, or of the same card.

    Attributes:
        record: the command that was entered.
        number: how many commands count with it.
        key: of the event, or the card's track.
        entered: what was entered, in short.
        shown: what is read, in short.
        evidence: the kept picture's name, if any.
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
        """What the question is called."""
        return f"{DIFFERS}:{self.key}:{self.number}"

    def settled(self) -> Difference:
        """Return it as one that the dealer knows of."""
        return replace(self, stage="known") if self.stage == "told" else self

    def note(self) -> Note:
        """Return what the journal keeps of it."""
        if self.stage == "twice":
            return Note(self.twice_text(), {"kind": "twice", "evidence": self.evidence})
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
        ways = [Choice(LEAVE, message("Leave it: {entered} counts", entered=self.entered))]
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
    """Return what was done since so many commands counted, each with how many count with it; of many, the latest."""
    first = now.latest["number"] - len(now.recent) + 1
    return [(number, record) for number, record in enumerate(now.recent, first) if number > counted]


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
