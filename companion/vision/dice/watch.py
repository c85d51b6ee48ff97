"""Reads dice from a live camera: only at rest, over several frames until they agree."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from math import dist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.objects.dice import DIE_KINDS, DieKind
from companion.vision.dice.axis import Axis
from companion.vision.dice.box_jitter import reread_jittered
from companion.vision.dice.boxes import DieBox, gray_patch, has_changed, overlap
from companion.vision.dice.decision_policy import DieReading, Evidence, gather, judge
from companion.vision.dice.enrolled import EnrolledDie
from companion.vision.dice.faces.classifier import Classifier, shared_classifier
from companion.vision.dice.off_axis_tracker import OffAxisTracker
from companion.vision.dice.reader import DiceReader, DiceSeen, without_value
from companion.vision.frame import Image

MIN_FRAMES: Final = 3
"""Minimum number of agreeing frames for an answer."""
MAX_FRAMES: Final = 8
"""Number of frames after which the answer is final, with a value or without."""
STILL_S: Final = 0.1
_MOVED_SIZES: Final = 0.05  # displacement that counts as motion, in die sizes
_CHANGED: Final = 9.0  # difference that counts as motion, mean gray levels of the thumbnail
_THUMB: Final = 32
_ELSEWHERE: Final = 0.2
"""Distance in die sizes from which a die was thrown again since."""


class FrameJudge:
    """Judges one resting die over several frames until it is answered or finally rejected. Not thread-safe.

    Args:
        tracker: off-axis evidence from earlier dice, while the axis is unknown; new if not given.
    """

    def __init__(
        self,
        expect: Collection[DieKind] = DIE_KINDS,
        *,
        classifier: Classifier | None = None,
        enrolled: Sequence[EnrolledDie] = (),
        axis: Axis | None = None,
        tracker: OffAxisTracker | None = None,
    ) -> None:
        self.axis = self._axis_next = axis
        self.expect = frozenset(expect)
        self.enrolled = tuple(enrolled)
        self.classifier = classifier or shared_classifier()
        self.answer: DieReading | None = None
        "The reading, once decided."
        self.tracker = tracker or OffAxisTracker()
        self._seen: list[Evidence] = []
        self._thumb: NDArray[np.float32] | None = None

    def set_enrolled(self, enrolled: Sequence[EnrolledDie]) -> None:
        """Recognize these enrolled dice from the next answer on. Thread-safe."""
        self.enrolled = tuple(enrolled)

    def set_axis(self, axis: Axis | None) -> None:
        """Use this camera axis from the next throw on: one throw is never judged by two axes. Thread-safe."""
        self._axis_next = axis

    def reset(self) -> None:
        """Discard the evidence, for another die or another throw."""
        self.answer, self._seen, self._thumb = None, [], None
        axis = self._axis_next
        if axis != self.axis:
            self.axis, self.tracker = axis, OffAxisTracker()

    @property
    def frames(self) -> int:
        return len(self._seen)

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        return tuple(self._seen)

    def observe(self, image: Image, die: DieBox) -> DieReading | None:
        """Process one more frame and return the answer as soon as there is one.

        If the die has changed since the previous frame, it was not at rest: start over.
        """
        thumb = _thumbnail(image, die)
        if self._thumb is not None and _differ(thumb, self._thumb):
            self.reset()
        self._thumb = thumb
        if self.answer is not None:
            return self.answer
        self._seen.append(self._gathered(image, die))
        if len(self._seen) < MIN_FRAMES:
            return None
        reading = self._judged(self._seen)
        if reading is None or not reading.reason or len(self._seen) >= MAX_FRAMES:
            if reading is not None:
                reading = reread_jittered(die, reading, lambda box: self._judged([self._gathered(image, box)]))
            self.answer = reading or _nothing(die, self.expect)
            if self._is_another_throw(thumb, die):
                self.tracker.add(self._seen, self.answer)
                self.tracker.last_die = thumb, die.center
        return self.answer

    def _is_another_throw(self, thumb: NDArray[np.float32], die: DieBox) -> bool:
        """Whether this is another throw than the tracker's last one: plain dice look alike on any face."""
        if self.tracker.last_die is None:
            return True
        before, center = self.tracker.last_die
        return _differ(thumb, before) or dist(center, die.center) > _ELSEWHERE * die.size_px

    def _gathered(self, image: Image, die: DieBox) -> Evidence:
        return gather(image, die, self.classifier, read_neighbors=bool(self.enrolled), axis=self.axis)

    def _judged(self, seen: Sequence[Evidence]) -> DieReading | None:
        calibration, off_axis = self.classifier.calibration, self.tracker.log_odds
        return judge(seen, self.expect, calibration, self.enrolled, camera_off_axis=off_axis)


@dataclass(slots=True)
class _Track:
    """One die tracked from frame to frame."""

    die: DieBox
    since: float
    judge: FrameJudge = field(repr=False)
    thumb: NDArray[np.float32] | None = None


class DiceWatcher:
    """Reads the dice of a video or a camera, frame by frame. Not thread-safe.

    Args:
        reader: detects the dice; its settings apply.
    """

    def __init__(self, reader: DiceReader) -> None:
        self.reader = reader
        self._tracks: list[_Track] = []
        self._tracker = OffAxisTracker()

    def see(self, image: Image, t: float, *, taken: Collection[tuple[tuple[float, float], ...]] = ()) -> DiceSeen:
        """Process a frame (time in s, never going back) and return the dice with their values so far."""
        found = self.reader.find(image, taken=taken)  # type: ignore[arg-type]
        self._tracks = [self._track(image, die, t) for die in found]
        vetoes = self.reader.vetoes(image, found)
        readings = [_reading(each, image, t, self.reader.expect) for each in self._tracks]
        vetoed = [without_value(r, why) if why else r for r, why in zip(readings, vetoes, strict=True)]
        return self.reader.with_warnings(vetoed)

    def _track(self, image: Image, die: DieBox, t: float) -> _Track:
        """Return the existing track of a die at this place, or a new one if it is new or has moved."""
        thumb = _thumbnail(image, die)
        before = max(self._tracks, key=lambda f: overlap(f.die.box, die.box), default=None)
        if before is None or overlap(before.die.box, die.box) < 0.3:
            return _Track(die, t, self._new_judge(), thumb)
        moved = dist(before.die.center, die.center) > max(1.5, _MOVED_SIZES * die.size_px)
        still_die = before.die if not moved else die
        if moved or (before.thumb is not None and _differ(_thumbnail(image, still_die), before.thumb)):
            return _Track(die, t, self._new_judge(), thumb)
        before.thumb = _thumbnail(image, before.die)
        return before

    def _new_judge(self) -> FrameJudge:
        return FrameJudge(self.reader.expect, classifier=self.reader.classifier, enrolled=self.reader.enrolled,
                          axis=self.reader.axis, tracker=self._tracker)  # fmt: skip


def _reading(each: _Track, image: Image, t: float, expect: Collection[DieKind]) -> DieReading:
    if t - each.since < STILL_S:
        kind = each.judge.answer.kind if each.judge.answer else min(expect)
        return DieReading(kind, None, None, 0.0, each.die.box, "in motion", is_known_kind=False)
    answer = each.judge.observe(image, each.die)
    if answer is not None:
        return answer
    return DieReading(min(expect), None, None, 0.0, each.die.box, "just come to rest", is_known_kind=False)


def _nothing(die: DieBox, expect: Collection[DieKind]) -> DieReading:
    return DieReading(min(expect), None, None, 0.0, die.box, "no die", is_known_kind=False)


def _thumbnail(image: Image, die: DieBox) -> NDArray[np.float32]:
    return gray_patch(image, die.box, _THUMB)


def _differ(a: NDArray[np.float32], b: NDArray[np.float32]) -> bool:
    """Return whether two thumbnails differ by more than the lighting."""
    return has_changed(a, b, _CHANGED)
