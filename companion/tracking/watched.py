"""Vision pipeline of a game with its own `Watcher`, such as one of a wheel. See `companion.tracking.sight.Sight`.

Each answer of the watcher becomes one command. It is played without asking only if the object was seen coming to rest
while the game was waiting for it. The dealer is asked if the object was already there, if its arrival was not seen, if
the result may already have been entered by hand, if it was undone, if the rules refuse it, and always while the watcher
is not trusted yet (`WatchPerception.is_asked`). An entry by the dealer stands; if the camera is sure of a different
result, the dealer is told and the journal records it.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final, Literal

from companion.journal.evidence import EvidenceRing, Exhibit
from companion.kernel.commands import Record
from companion.kernel.messages import Message, message
from companion.kernel.situation import Situation
from companion.plugins.perception import WatchPerception, WatchReading
from companion.service.questions import Choice, Intention, Question
from companion.tracking.entered import LEAVE_CHOICE_ID, Difference, Entry, Stage, answer_text, records_since
from companion.tracking.sight import NO_PROPOSAL, JournalNote, SightProposal
from companion.vision.draw import Mark, to_jpeg
from companion.vision.frame import Frame, Image
from companion.vision.sightings import Quad

COUNT: Final = "count"
ASIDE: Final = "aside"
WATCH: Final = "watch-"
"""Prefix of all question ids of this pipeline."""
RETRY_S: Final = 1.0
_MAX_FRAME_GAP_S: Final = 1.5
"""After a longer gap between frames, whatever came to rest meanwhile counts as unseen."""
Doubt = Literal["", "early", "unseen", "twice", "confirm"]
"""Why a result is not played without asking.

``early``: it was at rest before the game waited for it. ``unseen``: its arrival was not seen. ``twice``: it was in
motion when a result was entered by hand. ``confirm``: either still that event or the one after it. Empty: no doubt.
"""
_STATES: Final[Mapping[str, Message]] = {
    "unseen": message("The camera does not see it yet."),
    "moving": message("It moves: wait until it rests."),
    "sure": message("It rests, and is read."),
    "unsure": message("It rests, but is not read."),
    "aside": message("Nothing has to be read now."),
}


class WatchSight:
    """Proposes each answer of a watcher once.

    Args:
        perception: the game's watcher, and the phases in which its answers count.
        evidence: where pictures of answers are stored; None: not stored.
        now: wall-clock time, for evidence.
    """

    def __init__(
        self,
        perception: WatchPerception,
        evidence: EvidenceRing | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._perception, self._evidence, self._now = perception, evidence, now
        self._watcher = perception.watcher()
        self._seen = WatchReading(moving=False)
        self._previous_reading = self._seen
        "The reading of the previous frame: what the dealer saw when entering a result."
        self._t = 0.0
        self._at_rest: tuple[int, Mapping[str, Any], float, str | None] | None = None
        "Key, answer, time and evidence of the result now at rest."
        self._latest_answer: tuple[int, Mapping[str, Any], float, str | None] | None = None
        "The same for the latest answer, even if the object has been picked up since."
        self._latest_key: int | None = None
        "Key of the latest object at rest, readable or not."
        self._by_hand: Entry | Difference | None = None
        "The latest entry by hand: not compared with the camera's reading yet, or found to differ from it."
        self._is_waiting: bool | None = None
        "Whether the game waits for an answer; None before the first `propose`."
        self._is_held = False
        self._latest_rest: tuple[int, Doubt] | None = None
        "Key of the latest rest, and why it is not played without asking."
        self._is_unseen = True
        "Whether frames were missing since the object was last seen arriving or at rest."
        self._next_doubt: Doubt = ""
        "The doubt about the next rest, if the object was in motion when a result was entered by hand."
        self._confirmed_key: int | None = None
        "The key that the dealer has just confirmed."
        self._done_key: int | None = None
        "The key already played or entered by hand."
        self._done_at_number = 0
        "The number of effective commands when that key was done."
        self._previous_situation: Situation | None = None
        "The situation at the previous call of `propose`."
        self._dismissed: set[str] = set()
        self._undone = False
        self._retry = 0.0

    # ---- a frame

    def see(self, frame: Frame, t: float) -> tuple[JournalNote, ...]:
        is_gap = t - self._t > _MAX_FRAME_GAP_S
        self._is_unseen |= is_gap
        self._t, self._previous_reading = t, (before := self._seen)
        seen = self._seen = self._watcher.see(frame.image, t)
        if not seen.moving:
            self._record_rest(seen.key)
        elif seen.key != before.key:
            self._is_unseen, self._next_doubt = False, ""  # its arrival is seen
        if seen.answer is None:
            self._at_rest = None  # the earlier reading no longer describes what is there
        elif self._at_rest is None or (self._at_rest[0], self._at_rest[1]) != (seen.key, seen.answer):
            self._at_rest = self._latest_answer = seen.key, seen.answer, t, self._keep(frame, seen)
        if not isinstance(self._by_hand, Entry) or (seen.moving and not is_gap):
            return ()
        self._by_hand = None if is_gap else self._compare(self._by_hand)
        return () if self._by_hand is None else (self._by_hand.note(),)

    def _compare(self, entry: Entry) -> Difference | None:
        """Return the difference between an entry and the sure reading of the same event; None without one."""
        seen = self._seen
        if (
            self._latest_answer is None
            or self._latest_answer[0] != seen.key
            or not entry.is_about(seen.key)
            or seen.question is not None
        ):
            return None
        if seen.answer is None and entry.is_doubtful:
            return None  # picked up since, and it may not be the event that the game was waiting for
        key, answer, _, evidence = self._latest_answer
        if entry.matches(answer) or not entry.before.accepts({"do": self._perception.verb, **answer}):
            return None
        is_twice = self._latest_rest == (key, "twice")  # the dealer is asked whether it is another event
        self._done_key = self._done_key if is_twice else key
        stage: Stage = "twice" if is_twice else "told"
        return Difference(
            entry.record, entry.number, key, answer_text(entry.record), answer_text(answer), evidence, stage
        )

    def _record_rest(self, key: int) -> None:
        """Record the object at rest, and any doubt about how it got there."""
        is_there = self._seen.answer is not None or self._seen.question is not None
        if is_there:
            self._latest_key = key
        is_new = self._latest_rest is None or key != self._latest_rest[0]
        if not self._is_waiting or (is_new and self._is_held):
            self._latest_rest = key, "early"
        elif is_new:
            self._latest_rest = key, "unseen" if self._is_unseen else self._next_doubt
        self._is_unseen = False
        self._next_doubt = "confirm" if self._next_doubt and not is_there else ""  # picked up, or hidden by a hand

    def _keep(self, frame: Frame, seen: WatchReading) -> str | None:
        """Store the picture as evidence before the answer is used; return its name, or None."""
        if self._evidence is None or seen.answer is None:
            return None
        at = self._now()
        facts: dict[str, object] = {
            "id": answer_text(seen.answer), **seen.answer, "confidence": round(seen.confidence, 4), "box": seen.box,
            "t": round(self._t, 3), "frame": frame.number, "at": at.astimezone(UTC).isoformat(timespec="milliseconds"),
        }  # fmt: skip
        short = re.sub(r"[^0-9A-Za-z]", "", answer_text(seen.answer))[:4] or "none"
        exhibit = Exhibit.of(at, short, seen.key, to_jpeg(_crop(frame.image, seen.box), 88), facts)
        return exhibit.name if self._evidence.keep(exhibit) else None

    # ---- interpretation

    def propose(self, now: Situation) -> SightProposal:
        self._is_held = now.hold is not None
        self._track_situation(bool(self._is_waiting) if self._is_held else self._is_due(now), now)
        proposal = self._proposal(now)
        found = self._difference_at("told")
        return proposal if found is None else replace(proposal, questions=(*proposal.questions, found.question(now)))

    def _difference_at(self, *stages: Stage) -> Difference | None:
        """Return the open difference to an entry by hand if it is at one of these stages."""
        found = self._by_hand
        return found if isinstance(found, Difference) and found.stage in stages else None

    def _proposal(self, now: Situation) -> SightProposal:
        if self._is_held or not self._is_waiting or (self._done_key == self._seen.key and not self._undone):
            return NO_PROPOSAL
        record = self._record()
        if record is None or self._at_rest is None:
            return SightProposal(questions=tuple(self._unread_questions()))
        key, _, since, _ = self._at_rest
        if self._question_id(key) in self._dismissed:
            return NO_PROPOSAL
        may_play = self._latest_rest == (key, "") and not self._undone and not self._perception.is_asked
        if may_play and now.accepts(record):
            return (
                NO_PROPOSAL if self._t < self._retry else SightProposal(record, f"watch-{key}-{since:.3f}", (), since)
            )
        return SightProposal(questions=(self._question_about(record, key, now),))

    def _is_due(self, now: Situation) -> bool:
        phase = getattr(getattr(now.state, "phase", None), "value", None)
        return phase in self._perception.phases and self._perception.verb in now.expected

    def _track_situation(self, due: bool, now: Situation) -> None:
        """Track when the game starts to wait, what was answered or entered by hand, and what was undone."""
        before, self._previous_situation = self._previous_situation, now
        number, verb = now.latest["number"], self._perception.verb
        counted, kept = number - 1, None
        if before is not None:
            counted, kept = before.latest["number"], now.undone_since(before.revision)
        was_due, self._is_waiting = self._is_waiting, due
        if due and was_due is False and not self._seen.moving:
            self._latest_rest = self._seen.key, "early"
        key, self._confirmed_key = self._confirmed_key, None
        if kept is not None and kept < self._done_at_number and self._done_key == self._seen.key:
            self._undone = True
        if kept is not None and self._by_hand is not None and kept < self._by_hand.number:
            self._by_hand = self._by_hand.acknowledged()
        done = records_since(counted if kept is None else kept, now)
        entered = [(at, record) for at, record in done if record["do"] == verb]
        if entered or (kept is None and was_due and not due):
            is_alone = key is None and not isinstance(self._by_hand, Entry) and len(entered) == 1
            self._by_hand = self._entered(before, *entered[0]) if is_alone else None
            is_unread = self._previous_reading.question is not None  # the entry is for this unread object
            self._next_doubt = "twice" if key is None and self._seen.moving and not is_unread else ""
            self._done_at_number = entered[-1][0] if entered else number
            self._done_key, self._undone = self._seen.key if key is None else key, False

    def _entered(self, before: Situation | None, number: int, record: Record) -> Entry | None:
        """Return the entry by hand for later comparison; None if it cannot be compared with a reading."""
        seen, key = self._previous_reading, self._previous_reading.key
        is_unread = seen.question is not None or self._seen.question is not None  # the reason for the entry
        if before is None or is_unread:
            return None
        is_wrong_undone = self._undone and self._difference_at("told", "known") is not None
        asked = {f"{WATCH}{kind}:{key}" for kind in ("rest", "undone")}
        is_done = (key == self._done_key and not is_wrong_undone) or not asked.isdisjoint(self._dismissed)
        is_open = key == self._latest_key and not is_done
        return Entry(record, number, before, key, seen.moving, is_done, is_open, self._latest_rest != (key, ""))

    def _is_undone(self, key: int) -> bool:
        return self._undone and key == self._done_key

    def _record(self) -> Record | None:
        if self._at_rest is None:
            return None
        _, answer, _, evidence = self._at_rest
        record: dict[str, Any] = {"do": self._perception.verb, **answer}
        return record if evidence is None else {**record, "evidence": evidence}

    def _unread_questions(self) -> Iterator[Question]:
        if self._is_unread and self._seen.question is not None:
            choices = (Choice(ASIDE, message("It does not count")),)
            yield Question(self._question_id(self._seen.key), "unsure", self._seen.question, choices)

    @property
    def _is_unread(self) -> bool:
        """Whether the game waits for the object at rest, and it cannot be read."""
        seen = self._seen
        is_open = self._question_id(seen.key) not in self._dismissed and seen.key != self._done_key
        return bool(self._is_waiting) and seen.question is not None and not seen.moving and is_open

    def _question_about(self, record: Record, key: int, now: Situation) -> Question:
        shown = answer_text(record)
        count = Choice(COUNT, label_of(shown), record)
        aside = Choice(ASIDE, message("No, it does not count"))
        if not now.accepts(record):
            text = message("The camera reads {shown}, which this table does not take. Enter what counts.", shown=shown)
            return Question(self._question_id(key), "unsure", text, (aside,))
        if self._is_undone(key) and self._difference_at("told", "known") is None:
            text = message("{shown} was undone and still lies there. Does it count?", shown=shown)
            return Question(self._question_id(key), "undone", text, (count, aside))
        kind = "confirm" if self._latest_rest is None or self._is_undone(key) else self._latest_rest[1] or "confirm"
        twice = self._difference_at("twice") if kind == "twice" else None
        text = _text_for(kind, shown) if twice is None else twice.twice_text()
        return Question(self._question_id(key), kind, text, (count, aside))

    def _question_id(self, key: int) -> str:
        kind = "undone" if self._is_undone(key) else "rest"
        return f"{WATCH}{kind}:{key}"

    def played(self, proposal: SightProposal, before: Situation) -> None:
        self._done_key, self._done_at_number = self._seen.key, before.latest["number"] + 1

    def refused(self, proposal: SightProposal) -> None:
        self._retry = self._t + RETRY_S

    def answered(self, question: Question, choice: Choice) -> None:
        if choice.id == COUNT and question.id.startswith(WATCH):
            self._confirmed_key = int(question.id.rpartition(":")[2])
        if choice.id == LEAVE_CHOICE_ID and (found := self._difference_at("told")) is not None:
            self._by_hand = found.acknowledged()
        if choice.id == ASIDE:
            self._dismissed = {*self._dismissed, question.id} if len(self._dismissed) < 100 else {question.id}

    def intend(self, intention: Intention) -> None:
        """Ignored: intentions are about cards."""

    # ---- for pages

    def marks(self, questions: Sequence[Question]) -> Sequence[Mark]:
        seen = self._seen
        if seen.box is None:
            return []
        label = "" if seen.answer is None else answer_text(seen.answer)
        return [Mark(_corners(seen.box), label, "asked" if questions else "counted" if label else "seen")]

    @property
    def state(self) -> str:
        """The state shown on pages, a key of `_STATES`."""
        seen = self._seen
        if seen.box is None:
            return "unseen"
        if seen.moving:
            return "moving"
        return "sure" if seen.answer is not None else "unsure" if self._is_unread else "aside"

    def report(self) -> Mapping[str, object]:
        shown = None if self._seen.answer is None else answer_text(self._seen.answer)
        return {"kind": "watch", "state": self.state, "text": _STATES[self.state], "shown": shown}


def _text_for(kind: str, shown: str) -> Message:
    if kind == "early":
        return message("{shown} lay there before the table waited for it. Does it count?", shown=shown)
    if kind == "unseen":
        return message("{shown} lies there, but nobody saw it come. Does it count?", shown=shown)
    if kind == "twice":
        return message("{shown} was still on its way when one was entered by hand. Does it count as well?", shown=shown)
    return message("The camera reads {shown}. Does it count?", shown=shown)


def label_of(shown: str) -> Message:
    """Return the label of the choice that counts an answer."""
    return message("Yes: count {shown}", shown=shown)


def _corners(box: tuple[int, int, int, int]) -> Quad:
    x, y, w, h = box
    return ((x, y), (x + w, y), (x + w, y + h), (x, y + h))


def _crop(image: Image, box: tuple[int, int, int, int] | None) -> Image:
    if box is None:
        return image
    x, y, w, h = box
    return image[max(0, y) : y + h, max(0, x) : x + w]
