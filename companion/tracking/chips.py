"""Tracks chips on a printed mat, from their tags and the mat's calibration: at rest, covered or removed.

A camera from above sees only the top of a stack. A chip laid on another is noticed because the lower one was seen
before; a stack put down as a whole shows only its top chip, so chips have to be laid one by one or side by side.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import atan2, degrees, dist
from typing import Final, Literal

import cv2
import numpy as np

from companion.objects.chips import CHIP_MM, CHIP_OF_TAG, Chip
from companion.vision.draw import Mark
from companion.vision.frame import Gray
from companion.vision.mat import MatCalibration
from companion.vision.sightings import Point, Quad, TagSeen, center_of

SETTLED_S: Final = 0.8
GONE_S: Final = 2.0
"""A chip is gone once the bare mat has been seen in its place for this long."""
LOST_S: Final = 4.0
"""A chip unseen for this long and not under another chip may be gone as well: something else hides its place."""
_MIN_FRAMES: Final = 3
_MIN_FRAMES_COVERED: Final = 2
_MAX_OFFSET_MM: Final = 1.5
_MAX_ROTATION_DEG: Final = 6.0
"""Degrees. An equal chip laid on top has a slightly different rotation; a nudged chip is asked about as well."""
_COVER_DISTANCE_MM: Final = 0.75 * CHIP_MM
_FRAMES_BEFORE_HAND: Final = 12  # frames: that long ago no hand was there yet
_MAX_PIXEL_DIFFERENCE: Final = 16  # grey levels: maximum difference of an unchanged pixel
_MIN_UNCHANGED_SHARE: Final = 0.9  # minimum share of unchanged pixels
DealerStatement = Literal["there", "away", "left"]
"""The dealer's statement on an unseen chip: it is there; it is not there; it is gone, but its bet stays."""


@dataclass(frozen=True, slots=True)
class ChipSighting:
    """A chip in a picture: its centre on the mat (mm), and the corners of its tag (px)."""

    chip: Chip
    at: Point
    corners: Quad

    @property
    def turn(self) -> float:
        """The rotation of its tag in the picture, degrees."""
        (ax, ay), (bx, by), *_ = self.corners
        return degrees(atan2(by - ay, bx - ax))


def chips_in(tags: Iterable[TagSeen], mat: MatCalibration) -> tuple[ChipSighting, ...]:
    """Return the chips among the tags of a picture."""
    return tuple(
        ChipSighting(CHIP_OF_TAG[tag.number], mat.mm(center_of(tag.corners)), tag.corners)
        for tag in tags
        if tag.number in CHIP_OF_TAG
    )


@dataclass(slots=True)
class TrackedChip:
    """A chip on the mat.

    Attributes:
        id: running number.
        at: its centre on the mat, mm.
        corners: of its tag, px.
        since, last: when it was first and last seen there, s.
        times: the number of frames in which it was seen.
        hidden_s: for how long the bare mat has been seen in its place.
        unseen_s: for how long it has not been seen.
        cover: the chip that was laid on it, if any.
        statement, stated_at: the dealer's statement since it was last seen, and its time, s.
        is_bet: False for a chip that is not a bet: left after a round, or taken back by hand.
        earlier: the coins of an earlier, still undecided bet that it can stand for.
    """

    id: int
    chip: Chip
    at: Point
    corners: Quad
    since: float
    last: float
    times: int = 1
    hidden_s: float = 0.0
    unseen_s: float = 0.0
    cover: TrackedChip | None = None
    is_seen: bool = True
    statement: DealerStatement | None = None
    stated_at: float = float("-inf")
    is_bet: bool = True
    earlier: int = 0

    @property
    def is_covered(self) -> bool:
        return self.cover is not None

    @property
    def turn(self) -> float:
        return ChipSighting(self.chip, self.at, self.corners).turn

    @property
    def is_settled(self) -> bool:
        is_long = self.times >= _MIN_FRAMES and self.last - self.since >= SETTLED_S - 1e-6
        return is_long or (self.is_covered and self.times >= _MIN_FRAMES_COVERED)

    @property
    def is_gone(self) -> bool:
        return self.hidden_s >= GONE_S and not self.is_covered

    @property
    def is_lost(self) -> bool:
        return self.unseen_s >= LOST_S and not self.is_covered and not self.is_gone

    @property
    def may_be_gone(self) -> bool:
        """Whether it is gone, or may be."""
        return self.is_gone or self.is_lost

    @property
    def is_sure(self) -> bool:
        """Whether it is certainly there: seen now or a moment ago, or covered and confirmed by the dealer."""
        if self.cover is None:
            return not self.may_be_gone
        return self.statement == "there" and self.stated_at >= self.cover.since and not self.cover.may_be_gone

    @property
    def is_vouched_for(self) -> bool:
        """Whether the dealer confirmed it, and no chip on top of it has moved since."""
        above = self.cover
        while above is not None:
            if above.last >= self.stated_at and (above.is_covered or above.is_gone or above.statement == "away"):
                return False
            above = above.cover
        return self.statement == "there"

    @property
    def just_vanished(self) -> bool:
        """Whether it, or its cover, went out of sight a moment ago: a new chip may be this one, moved."""
        is_on_top = self.cover is None or self.cover.just_vanished
        return is_on_top and not (self.is_seen or self.may_be_gone)


class ChipTracker:
    """Tracks chips from frame to frame. Not thread-safe."""

    def __init__(self) -> None:
        self.lying: list[TrackedChip] = []
        self._count = 0
        self._t = 0.0

    def update(self, seen: Sequence[ChipSighting], t: float, is_bare: Callable[[TrackedChip], bool]) -> None:
        """Process the chips of a frame taken at ``t`` (s).

        Args:
            is_bare: returns whether the bare mat is seen in a chip's place.
        """
        step, self._t = t - self._t, t
        left = list(seen)
        for lying in self.lying:
            found = _nearest(lying, left)
            lying.is_seen = found is not None
            if found is not None:
                left.remove(found)
                lying.at, lying.corners, lying.hidden_s = found.at, found.corners, 0.0
                lying.unseen_s = 0.0
                lying.cover = None
                lying.times, lying.last = lying.times + 1, t
        came = [self._came(one, t) for one in left]
        for lying in self.lying:
            if not lying.is_seen:
                lying.cover = lying.cover or next((one for one in came if _covers(one, lying)), None)
                lying.unseen_s += step
                lying.hidden_s += step if is_bare(lying) else 0.0
        self.lying += came
        # a chip that was only carried past never lay there
        self.lying = [one for one in self.lying if one.is_seen or one.is_settled or t - one.last < GONE_S]
        self._uncover()

    def _came(self, seen: ChipSighting, t: float) -> TrackedChip:
        self._count += 1
        return TrackedChip(self._count, seen.chip, seen.at, seen.corners, t, t)

    def _uncover(self) -> None:
        """Look for the chips under a cover again once the cover is gone."""
        here = {lying.id for lying in self.lying if not lying.is_gone}
        for lying in self.lying:
            if lying.cover is not None and lying.cover.id not in here:
                lying.cover = None
                lying.statement = None if lying.statement == "there" else lying.statement

    def forget(self, gone: Iterable[TrackedChip]) -> None:
        """Follow these chips no longer."""
        ids = {lying.id for lying in gone}
        self.lying = [lying for lying in self.lying if lying.id not in ids]


def _nearest(lying: TrackedChip, seen: Sequence[ChipSighting]) -> ChipSighting | None:
    near = [one for one in seen if one.chip == lying.chip and dist(one.at, lying.at) <= _MAX_OFFSET_MM]
    near = [one for one in near if abs((one.turn - lying.turn + 180) % 360 - 180) <= _MAX_ROTATION_DEG]
    return min(near, key=lambda one: dist(one.at, lying.at), default=None)


def _covers(one: TrackedChip, lying: TrackedChip) -> bool:
    return dist(one.at, lying.at) <= _COVER_DISTANCE_MM


class ChipsOnMat:
    """Tracks the chips on a mat from the camera's pictures. Not thread-safe."""

    def __init__(self) -> None:
        self._tracker = ChipTracker()
        self._bare = BareMat()

    def see(self, gray: Gray, tags: Iterable[TagSeen], mat: MatCalibration, t: float) -> None:
        """Process a picture, uint8 (H, W), and its tags; ``t`` is its time in seconds, never going back."""
        self._bare.see(gray, mat)
        self._tracker.update(chips_in(tags, mat), t, self._bare.is_bare)
        self._bare.keep(self._tracker.lying)

    @property
    def lying(self) -> Sequence[TrackedChip]:
        """All tracked chips, including unsettled ones, and gone ones until they are forgotten."""
        return self._tracker.lying

    def forget(self, gone: Iterable[TrackedChip]) -> None:
        """Follow these chips no longer."""
        self._tracker.forget(gone)

    def marks(self) -> list[Mark]:
        """Return a mark for each chip in view."""
        return [
            Mark(lying.corners, lying.chip.id, "counted" if lying.is_settled else "seen")
            for lying in self.lying
            if lying.is_seen
        ]


class BareMat:
    """The appearance of the mat under each chip, rectified at 2 mm per px."""

    def __init__(self) -> None:
        self._now: Gray | None = None
        self._known: dict[int, tuple[Gray, Gray]] = {}
        "By chip id, its place just before it came, and the same with the chips lying there then removed."
        self._last: deque[Gray] = deque(maxlen=_FRAMES_BEFORE_HAND)

    def see(self, gray: Gray, mat: MatCalibration) -> None:
        """Process a picture, uint8 (H, W)."""
        if self._now is not None:
            self._last.append(self._now)
        scale = np.diag([2.0, 2.0, 1.0])
        size = (round(mat.mat.width_mm / 2), round(mat.mat.height_mm / 2))
        flags = cv2.INTER_AREA | cv2.WARP_INVERSE_MAP
        self._now = np.asarray(cv2.warpPerspective(gray, np.array(mat.to_px) @ scale, size, flags=flags), np.uint8)

    def keep(self, lying: Iterable[TrackedChip]) -> None:
        """Store the appearance of the mat under new chips, from some frames back, before a hand was there."""
        here = {one.id: one for one in lying}
        self._known = {id_: patch for id_, patch in self._known.items() if id_ in here}
        for id_, one in here.items():
            if id_ not in self._known and self._last:
                before = self._last[0]
                self._known[id_] = _patch(before, one.at), _patch(self._cleared(before, one, here.values()), one.at)

    def _cleared(self, before: Gray, of: TrackedChip, lying: Iterable[TrackedChip]) -> Gray:
        """Return a copy of the mat's picture with the known chips near a new chip replaced by bare mat."""
        bare = before.copy()
        for one in lying:
            if one.id in self._known and dist(one.at, of.at) <= 2 * CHIP_MM:
                patch = self._known[one.id][1]
                if bare[_window(bare, one.at)].shape == patch.shape:
                    bare[_window(bare, one.at)] = patch
        return bare

    def is_bare(self, lying: TrackedChip) -> bool:
        """Whether the bare mat is seen in a chip's place."""
        known = self._known.get(lying.id)
        if known is None or self._now is None:
            return False
        here = _patch(self._now, lying.at)
        return any(
            here.shape == one.shape
            and float(np.mean(cv2.absdiff(here, one) <= _MAX_PIXEL_DIFFERENCE)) >= _MIN_UNCHANGED_SHARE
            for one in known
        )


def _window(rectified: Gray, at: Point) -> tuple[slice, slice]:
    """Return the rows and columns of a chip in the rectified picture."""
    half = round(CHIP_MM / 4)
    x, y = round(at[0] / 2), round(at[1] / 2)
    return slice(max(0, y - half), max(0, y + half + 1)), slice(max(0, x - half), max(0, x + half + 1))


def _patch(rectified: Gray, at: Point) -> Gray:
    return rectified[_window(rectified, at)].copy()
