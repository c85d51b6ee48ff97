"""Vision pipeline of a table played with one die: its tray and throws. See `companion.tracking.sight.Sight`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final, NotRequired, TypedDict

import cv2
import numpy as np

from companion.journal.evidence import EvidenceRing, Exhibit
from companion.kernel.messages import Message, message
from companion.kernel.situation import Situation
from companion.service.questions import Choice, Intention, Question
from companion.tracking.dice import questions as asks
from companion.tracking.dice.fairness_watch import FairnessReport
from companion.tracking.dice.motion import Rect, TrayMotion
from companion.tracking.dice.pace import Pace
from companion.tracking.dice.throws import ANY_THROW, CountsThrows, ThrowRules, Throws, ThrowStatus, is_due
from companion.tracking.dice.tray import Lie, Spot, Tray
from companion.tracking.dice.verdict import DieReader, Verdict, kind_words
from companion.tracking.sight import NO_PROPOSAL, JournalNote, SightProposal
from companion.vision.dice.axis import Axis
from companion.vision.dice.boxes import DieBox
from companion.vision.dice.enrolled import EnrolledDie
from companion.vision.dice.finding.walls import is_at_wall
from companion.vision.draw import Mark, MarkKind, to_jpeg
from companion.vision.frame import Frame, Image
from companion.vision.sightings import Quad

_MIN_CORRELATION: Final = 0.90
_COMPARED_PX: Final = 48
_MAX_READINGS: Final = 14
_TOO_SOON: Final = message("The die was taken up before it could be read: that throw does not count.")
_TRAY_MARGIN: Final = 0.08  # margin around the tray, as a share of its shorter side

Zone = tuple[float, float, float, float]
"""A part of the picture: x, y, width, height, as fractions of the picture's size."""
WHOLE: Final[Zone] = (0.0, 0.0, 1.0, 1.0)


class DieReport(TypedDict):
    """The tray report on the dealer's page."""

    kind: str
    state: str
    text: str
    shown: str | None
    face: str | None
    counted: bool
    die_px: int | None
    throws_seen: int
    knows: list[str]
    slow: str | None
    fairness: NotRequired[FairnessReport]


@dataclass(slots=True)
class _Reading:
    """A rest of the die whose reading is in progress; ``readings`` counts the frames read."""

    lie: Lie
    readings: int = 0


class DieSight:
    """Watches one die in a tray and proposes each throw once.

    Args:
        reader: finds and reads dice.
        rules: the game's rules about throws.
        zone: the tray, as fractions of the picture.
        axis: the camera's optical axis relative to the tray; None if unknown.
        evidence: where pictures of throws are stored; None: not stored.
        fairness: returns the fairness test's result, for the dealer's page.
        now: wall-clock time, for evidence.
    """

    def __init__(
        self,
        reader: DieReader,
        rules: ThrowRules = ANY_THROW,
        *,
        zone: Zone = WHOLE,
        axis: Axis | None = None,
        evidence: EvidenceRing | None = None,
        fairness: Callable[[], FairnessReport] | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._reader, self._zone, self._evidence, self._now = reader, zone, evidence, now
        self._axis, self._shown = axis, WHOLE
        self._update_reader_axis()
        self._fairness = fairness
        self._is_enrolling: Callable[[], bool] = lambda: False
        self._knows: tuple[str, ...] = ()
        self._motion, self._tray, self._throws = TrayMotion(), Tray(), Throws(rules)
        self._pace = Pace()
        self._reading: _Reading | None = None
        self._face_at_rest: Image | None = None
        "The die as it came to rest, see `_face_of`."
        self._face_read: Image | None = None
        "The die at its latest verdict."
        self._rect: Rect = (0, 0, 0, 0)
        self._tray_offset: Rect = (0, 0, 0, 0)
        "The tray's top-left corner within `_margin_crop`."
        self._margin_crop: Image = np.zeros((0, 0, 3), np.uint8)
        "The tray with a margin."
        self._t = 0.0
        self._table: Situation | None = None
        self._left_tray: tuple[float, bool] | None = None
        "When the die left the tray, and whether it is seen outside."
        self._dismissed: set[str] = set()
        self._seen = 0
        self._several_since: float | None = None

    @property
    def zone(self) -> Zone:
        """The tray, as fractions of the picture."""
        return self._zone

    # ---- enrolled dice

    def set_known_dice(self, dice: Sequence[EnrolledDie]) -> None:
        """Recognise these dice from the next throw on. Thread-safe."""
        self._knows = tuple(die.name for die in dice)
        self._reader.set_known_dice(dice)

    def set_axis(self, axis: Axis | None) -> None:
        """Set the camera's axis, from the next throw on. Thread-safe."""
        self._axis = axis
        self._update_reader_axis()

    def _update_reader_axis(self) -> None:
        """Pass the reader the axis relative to the crop that it is given."""
        self._reader.set_axis(None if self._axis is None else self._axis.within(self._shown))

    def suspend_while(self, is_enrolling: Callable[[], bool]) -> None:
        """Ignore throws while ``is_enrolling()``: a die is being enrolled."""
        self._is_enrolling = is_enrolling

    # ---- a frame

    def see(self, frame: Frame, t: float) -> tuple[JournalNote, ...]:
        tray = self._crop(frame.image)
        if t - self._t > 1.0:
            self._motion.forget()
        self._t = t
        was_slow = self._pace.slow is not None
        self._pace.frame(t)
        movement = self._motion.update(tray, t)
        before = self._tray.lie
        begun = self._tray.update(t, movement, self._find, self._is_alike)
        if begun is not None:
            self._begin(begun)
        notes: tuple[JournalNote, ...] = ()
        if begun is None and before is not None and self._tray.lie is None:
            if self._reading is not None and before.origin == "thrown" and not self._is_enrolling():
                notes = (JournalNote(_TOO_SOON, {"kind": "too-soon"}),)
            self._throws.lifted()
            self._reading = self._face_read = None
        if self._pace.slow is not None and not was_slow:
            notes = (*notes, JournalNote(self._pace.slow, {"kind": asks.SLOW}))
        return (*notes, *self._read_and_report(frame))

    def _is_alike(self, spot: Spot) -> bool:
        return self._face_at_rest is not None and _alike(
            _face_of(self._margin_crop, self._in_margin_crop(spot)), self._face_at_rest
        )

    def _crop(self, image: Image) -> Image:
        """Crop the tray; also keep a crop with a margin, because a die leaning on the wall may stick out."""
        height, width = image.shape[:2]
        x, y, w, h = self._zone
        x0, y0, wide, high = round(x * width), round(y * height), round(w * width), round(h * height)
        more = 0 if self._zone == WHOLE else round(_TRAY_MARGIN * min(wide, high))
        left, top = max(0, x0 - more), max(0, y0 - more)
        self._rect, self._tray_offset = (x0, y0, wide, high), (x0 - left, y0 - top, 0, 0)
        self._margin_crop = image[top : y0 + high + more, left : x0 + wide + more]
        shown = (left / width, top / height, self._margin_crop.shape[1] / width, self._margin_crop.shape[0] / height)
        if shown != self._shown:
            self._shown = shown
            self._update_reader_axis()
        return image[y0 : y0 + high, x0 : x0 + wide]

    def _find(self) -> list[Spot]:
        """Return the dice whose centres are inside the tray."""
        dx, dy, _, _ = self._tray_offset
        found = [Spot(_moved(spot.box, (-dx, -dy, 0, 0))) for spot in self._reader.find(self._margin_crop)]
        wide, high = self._rect[2:]
        return [spot for spot in found if 0 <= spot.middle[0] < wide and 0 <= spot.middle[1] < high]

    def _in_margin_crop(self, spot: Spot) -> Spot:
        return Spot(_moved(spot.box, self._tray_offset))

    def _begin(self, lie: Lie) -> None:
        before = self._throws.current
        if before is not None and before.lie.spot.apart(lie.spot) > 0.2:
            self._throws.lifted()
        self._motion.measured(lie.spot.size)
        self._reading = _Reading(lie)
        self._face_at_rest = _face_of(self._margin_crop, self._in_margin_crop(lie.spot))
        self._reader.start()

    def _read_and_report(self, frame: Frame) -> Iterator[JournalNote]:
        """Read the resting die until there is a verdict, and report problems in the tray."""
        if self._reading is not None and self._tray.state == "at rest" and self._table is not None:
            yield from self._read(frame, self._reading, self._table)
        if not self._is_enrolling():
            yield from self._report_problems(frame)

    def _read(self, frame: Frame, reading: _Reading, now: Situation) -> Iterator[JournalNote]:
        reading.readings += 1
        spot = self._in_margin_crop(reading.lie.spot)
        verdict = self._reader.observe(self._margin_crop, spot)
        if verdict is None and reading.readings >= _MAX_READINGS:
            verdict = Verdict(None, trouble="unsure")
        if verdict is None:
            return
        if verdict.shown is not None and self._is_at_wall(reading.lie.spot):
            verdict = replace(verdict, value=None, face=None, trouble="at-wall", likely=(verdict.shown,))
        self._reading = None
        face = _face_of(self._margin_crop, spot)
        same = self._face_read is not None and _alike(face, self._face_read)
        self._face_read = face
        name = self._keep(frame, reading, verdict)
        rest = self._throws.take(reading.lie, verdict, name, now, same=same)
        if self._is_enrolling():
            rest.status, rest.kind = ThrowStatus.ASIDE, ""
            return
        if rest.status is ThrowStatus.UNSURE:
            text = message("A throw could not be read.")
            yield JournalNote(text, {"kind": "unsure", "likely": list(verdict.likely), "evidence": name})
        if rest.kind == "wrong-die":
            text = message("A strange die lies in the tray.")
            if verdict.kind:
                text = message("A {kind} lies in the tray.", kind=kind_words(verdict.kind))
            yield JournalNote(text, {"kind": "wrong-die", "evidence": name})

    def _is_at_wall(self, spot: Spot) -> bool:
        """Whether the die touches the tray's wall: seen from above, a leaning die looks much like a flat one."""
        if self._zone == WHOLE:
            return False
        inside = np.array(_corners((0, 0, *self._rect[2:]), 0), np.float32)
        return is_at_wall(DieBox(spot.box, 1.0), inside)

    def _keep(self, frame: Frame, reading: _Reading, verdict: Verdict) -> str | None:
        """Store the die's picture as evidence before the reading is used; return its name, or None."""
        if self._evidence is None:
            return None
        lie, at = reading.lie, self._now()
        facts: dict[str, object] = {
            "id": verdict.shown, "kind": verdict.kind, "value": verdict.value, "face": verdict.face,
            "confidence": round(verdict.confidence, 4), "trouble": verdict.trouble, "likely": list(verdict.likely),
            "origin": lie.origin, "votes": reading.readings, "rest_s": round(self._t - lie.since, 3),
            "box": _moved(lie.spot.box, self._rect), "t": round(self._t, 3), "frame": frame.number,
            "at": at.astimezone(UTC).isoformat(timespec="milliseconds"),
        }  # fmt: skip
        crop = to_jpeg(_around(self._margin_crop, self._in_margin_crop(lie.spot)), 88)
        exhibit = Exhibit.of(at, verdict.shown or "none", lie.id, crop, facts)
        return exhibit.name if self._evidence.keep(exhibit) else None

    def _report_problems(self, frame: Frame) -> Iterator[JournalNote]:
        if self._tray.state == "two dice":
            if self._several_since is None:
                self._several_since = self._t
                text = message("{count} dice lay in the tray.", count=len(self._tray.others))
                yield JournalNote(text, {"kind": "two-dice"})
        elif self._tray.state in ("at rest", "empty"):
            self._several_since = None
            self._dismissed.discard("two-dice")
        flown = self._tray.flown_off
        if flown is None:
            self._left_tray = None
        elif self._left_tray is None or self._left_tray[0] != flown:
            is_outside = self._is_outside(frame.image)
            if is_outside or self._tray.is_flown:
                self._left_tray = (flown, is_outside)
            else:
                self._tray.flown_off = None
            if is_outside:
                yield JournalNote(message("The die lies outside the tray."), {"kind": "off-tray"})

    def _is_outside(self, image: Image) -> bool:
        if self._zone == WHOLE:
            return False
        x, y, w, h = self._rect
        for spot in self._reader.find(image):
            px, py = spot.middle
            if not (x <= px <= x + w and y <= py <= y + h):
                return True
        return False

    # ---- interpretation

    def propose(self, now: Situation) -> SightProposal:
        if not isinstance(now.state, CountsThrows):
            return NO_PROPOSAL
        self._table = now
        self._throws.follow(now.state.throws, self._t, self._is_on_its_way())
        if self._is_enrolling():
            return NO_PROPOSAL
        rest = self._throws.next(now, self._t)
        questions = (*self._throws.questions(now), *self._tray_questions(now))
        if rest is None:
            return SightProposal(questions=questions)
        return SightProposal(rest.record, rest.key, questions, rest.lie.since)

    def _is_on_its_way(self) -> bool:
        return self._tray.state in ("moving", "hand", "settling") or self._reading is not None

    def _tray_questions(self, now: Situation) -> Iterator[Question]:
        if self._tray.state == "two dice" and "two-dice" not in self._dismissed:
            yield asks.about_two(len(self._tray.others))
        if self._left_tray is not None and is_due(now):
            question = asks.about_flown(round(self._left_tray[0] * 10), self._left_tray[1])
            if question.id not in self._dismissed:
                yield question
        if self._pace.slow is not None and asks.SLOW not in self._dismissed:
            yield asks.about_slow(self._pace.slow)

    def played(self, proposal: SightProposal, before: Situation) -> None:
        rest = next((r for r in self._throws.rests if r.key == proposal.key), None)
        if rest is not None:
            self._throws.played(rest)
            self._seen += 1

    def refused(self, proposal: SightProposal) -> None:
        rest = next((r for r in self._throws.rests if r.key == proposal.key), None)
        if rest is not None:
            self._throws.refused(rest, self._t)

    def answered(self, question: Question, choice: Choice) -> None:
        if question.id == "two-dice:now":
            self._dismissed.add("two-dice")
        elif question.kind == asks.SLOW:
            self._dismissed.add(asks.SLOW)
        elif question.kind == "off-tray":
            self._dismissed = {*self._dismissed, question.id} if len(self._dismissed) < 100 else {question.id}
        else:
            self._throws.answered(question, choice)

    def intend(self, intention: Intention) -> None:
        """Ignored: intentions are about cards."""

    # ---- for pages

    def marks(self, questions: Sequence[Question]) -> Sequence[Mark]:
        marks = [] if self._zone == WHOLE else [Mark(_corners(self._rect, 0), "", "seen")]
        lie, rest = self._tray.lie, self._throws.current
        if lie is not None and self._reading is None and rest is not None and not self._tray.others:
            unread = "" if rest.status is ThrowStatus.COUNTED else "?"
            label = unread if rest.shown is None else rest.shown  # no words: the picture is the same in all languages
            asked = rest.status in (ThrowStatus.UNSURE, ThrowStatus.ASKED, ThrowStatus.UNDONE)
            kind: MarkKind = "counted" if rest.status is ThrowStatus.COUNTED else "asked" if asked else "seen"
            marks.append(Mark(_corners(_moved(lie.spot.box, self._rect), 6), label, kind))
        marks += [Mark(_corners(_moved(s.box, self._rect), 6), "x2", "stranger") for s in self._tray.others]
        return marks

    @property
    def state(self) -> str:
        """The tray's state for people, a key of `_TEXTS`."""
        if self._is_enrolling():
            return "enrollment"
        rest = self._throws.current
        if self._left_tray is not None and self._tray.state == "empty":
            return "off the tray"
        if self._tray.state != "at rest" or self._reading is not None or rest is None:
            return "settling" if self._tray.state == "at rest" and self._reading is not None else self._tray.state
        unsure = dict.fromkeys(("unsure", "at-wall", "aside"), "unsure")
        return {"leaning": "leaning", "wrong-kind": "wrong kind", **unsure}.get(rest.verdict.trouble, "at rest")

    def report(self) -> DieReport:
        rest, lie = self._throws.current, self._tray.lie
        read = rest if lie is not None and self._reading is None and rest is not None else None
        report: DieReport = {
            "kind": "die",
            "state": self.state,
            "text": _TEXTS[self.state],
            "shown": read.shown if read else None,
            "face": read.verdict.face if read else None,
            "counted": read.status is ThrowStatus.COUNTED if read else False,
            "die_px": round(lie.spot.size) if lie else None,
            "throws_seen": self._seen,
            "knows": list(self._knows),
            "slow": self._pace.slow,
        }
        if self._fairness is not None:
            report["fairness"] = self._fairness()
        return report


_TEXTS: Final[Mapping[str, Message]] = {
    "empty": message("The tray is empty."),
    "moving": message("The die rolls."),
    "hand": message("A hand is in the tray."),
    "settling": message("The die is being read."),
    "at rest": message("The die lies still."),
    "two dice": message("Several dice lie in the tray."),
    "off the tray": message("The die left the tray."),
    "leaning": message("The die leans."),
    "wrong kind": message("That is not the die of this game."),
    "unsure": message("The die cannot be read for sure."),
    "enrollment": message("A die is only shown to the camera. Nothing in the tray counts."),
}


def _moved(box: Rect, by: Rect) -> Rect:
    return box[0] + by[0], box[1] + by[1], box[2], box[3]


def _corners(box: Rect, more: int) -> Quad:
    x, y, w, h = box
    left, top, right, bottom = x - more, y - more, x + w + more, y + h + more
    return ((left, top), (right, top), (right, bottom), (left, bottom))


def _around(image: Image, spot: Spot, more: float = 0.35) -> Image:
    """Return a crop of the die with a margin."""
    (x, y), half = spot.middle, spot.size * (0.5 + more)
    top, left = max(0, round(y - half)), max(0, round(x - half))
    return image[top : round(y + half), left : round(x + half)]


def _face_of(image: Image, spot: Spot) -> Image:
    """Return a small grey crop of the die, to recognise it unchanged a moment later."""
    gray = cv2.cvtColor(_around(image, spot, 0.0), cv2.COLOR_BGR2GRAY)
    small = cv2.resize(gray, (_COMPARED_PX, _COMPARED_PX), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(small, (3, 3), 0), np.uint8)


def _alike(a: Image, b: Image) -> bool:
    return float(cv2.matchTemplate(a, b, cv2.TM_CCOEFF_NORMED)[0, 0]) > _MIN_CORRELATION
