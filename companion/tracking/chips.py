"""Chips on a printed mat: which lie still, which lie under others, which were taken away. On tags and a calibration.

A camera from above sees the top of a stack only. A chip that comes to lie on another is noticed, as the other was seen
before; a stack that is put down as a whole shows its top chip alone, so chips are laid one by one or side by side.
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
"""A chip is gone once the mat was seen for so long where it lay."""
LOST_S: Final = 4.0
"""One that is out of sight for so long, and under no other chip, may be gone as well: something else is in the way."""
_SEEN: Final = 3
_SEEN_COVERED: Final = 2
_SAME_MM: Final = 1.5
_SAME_TURN: Final = 6.0
"""Degrees. An equal chip that is laid on one lies a little otherwise; one that was nudged is asked about, too."""
_COVERS_MM: Final = 0.75 * CHIP_MM
_BEFORE: Final = 12  # pictures: so long ago no hand was there yet
_FAR: Final = 16  # levels
_SAME: Final = 0.9
Word = Literal["there", "away", "left"]
"""It lies there out of sight; it does not; or it is gone, and its bet stays."""


@dataclass(frozen=True, slots=True)
class ChipSeen:
    """A chip in a picture: the middle of it on the mat (mm), and the corners of its tag (px)."""

    chip: Chip
    at: Point
    corners: Quad

    @property
    def turn(self) -> float:
        """The direction of its tag's upper edge in the picture, degrees."""
        (ax, ay), (bx, by), *_ = self.corners
        return degrees(atan2(by - ay, bx - ax))


def chips_in(tags: Iterable[TagSeen], mat: MatCalibration) -> tuple[ChipSeen, ...]:
    """Return the chips among the tags of a picture."""
    return tuple(
        ChipSeen(CHIP_OF_TAG[tag.number], mat.mm(center_of(tag.corners)), tag.corners)
        for tag in tags
        if tag.number in CHIP_OF_TAG
    )


@dataclass(slots=True)
class ChipLying:
    """A chip on the mat.

    Attributes:
        id: counts the chips that came.
        since, last: when it came to lie there, and was seen last, s.
        hidden_s: for how long the mat was seen where it lay.
        unseen_s: for how long it was not seen.
        cover: the chip that was laid on it, if any.
        word, said_at: what the dealer said of it since it was seen last, and when, s.
        is_bet: False if it lies there and is no bet: after a round, or taken back by hand.
        earlier: how many coins of an earlier bet it can stand for, one that a round has left undecided.
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
    cover: ChipLying | None = None
    is_seen: bool = True
    word: Word | None = None
    said_at: float = float("-inf")
    is_bet: bool = True
    earlier: int = 0

    @property
    def is_covered(self) -> bool:
        return self.cover is not None

    @property
    def turn(self) -> float:
        return ChipSeen(self.chip, self.at, self.corners).turn

    @property
    def is_settled(self) -> bool:
        is_long = self.times >= _SEEN and self.last - self.since >= SETTLED_S - 1e-6
        return is_long or (self.is_covered and self.times >= _SEEN_COVERED)

    @property
    def is_gone(self) -> bool:
        return self.hidden_s >= GONE_S and not self.is_covered

    @property
    def is_lost(self) -> bool:
        return self.unseen_s >= LOST_S and not self.is_covered and not self.is_gone

    @property
    def is_out(self) -> bool:
        """Whether it is gone, or may be."""
        return self.is_gone or self.is_lost

    @property
    def is_sure(self) -> bool:
        """Whether it lies there: it is seen, or was so a moment ago, or the dealer said so of a covered one."""
        if self.cover is None:
            return not self.is_out
        return self.word == "there" and self.said_at >= self.cover.since and not self.cover.is_out

    @property
    def is_vouched_for(self) -> bool:
        """Whether the dealer said that it lies there, and nothing that lies on it was moved since."""
        above = self.cover
        while above is not None:
            if above.last >= self.said_at and (above.is_covered or above.is_gone or above.word == "away"):
                return False
            above = above.cover
        return self.word == "there"

    @property
    def is_looked_for(self) -> bool:
        """Whether it, or what covers it, went out of sight a moment ago: another chip may be this one, moved."""
        is_on_top = self.cover is None or self.cover.is_looked_for
        return is_on_top and not (self.is_seen or self.is_out)


class ChipTracker:
    """Follows chips from picture to picture. Not thread-safe."""

    def __init__(self) -> None:
        self.lying: list[ChipLying] = []
        self._count = 0
        self._t = 0.0

    def update(self, seen: Sequence[ChipSeen], t: float, is_bare: Callable[[ChipLying], bool]) -> None:
        """Process the chips of a picture, taken at ``t`` (s).

        Args:
            is_bare: whether the mat is seen where a chip lay.
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
        # a chip that was only carried by never lay there
        self.lying = [one for one in self.lying if one.is_seen or one.is_settled or t - one.last < GONE_S]
        self._uncover()

    def _came(self, seen: ChipSeen, t: float) -> ChipLying:
        self._count += 1
        return ChipLying(self._count, seen.chip, seen.at, seen.corners, t, t)

    def _uncover(self) -> None:
        """What lay under a chip is looked for again once that is gone."""
        here = {lying.id for lying in self.lying if not lying.is_gone}
        for lying in self.lying:
            if lying.cover is not None and lying.cover.id not in here:
                lying.cover = None
                lying.word = None if lying.word == "there" else lying.word

    def forget(self, gone: Iterable[ChipLying]) -> None:
        """Follow these chips no longer."""
        ids = {lying.id for lying in gone}
        self.lying = [lying for lying in self.lying if lying.id not in ids]


def _nearest(lying: ChipLying, seen: Sequence[ChipSeen]) -> ChipSeen | None:
    near = [one for one in seen if one.chip == lying.chip and dist(one.at, lying.at) <= _SAME_MM]
    near = [one for one in near if abs((one.turn - lying.turn + 180) % 360 - 180) <= _SAME_TURN]
    return min(near, key=lambda one: dist(one.at, lying.at), default=None)


def _covers(one: ChipLying, lying: ChipLying) -> bool:
    return dist(one.at, lying.at) <= _COVERS_MM


class ChipsOnMat:
    """Follows the chips on a mat from picture to picture. Not thread-safe."""

    def __init__(self) -> None:
        self._tracker = ChipTracker()
        self._bare = BareMat()

    def see(self, gray: Gray, tags: Iterable[TagSeen], mat: MatCalibration, t: float) -> None:
        """Process a picture, uint8 (H, W), with the tags in it; ``t`` is its time in seconds, never going back."""
        self._bare.see(gray, mat)
        self._tracker.update(chips_in(tags, mat), t, self._bare.is_bare)
        self._bare.keep(self._tracker.lying)

    @property
    def lying(self) -> Sequence[ChipLying]:
        """All chips, also those that have not settled yet and those that are gone, until they are forgotten."""
        return self._tracker.lying

    def forget(self, gone: Iterable[ChipLying]) -> None:
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
    """The mat as it was seen before chips came to lie on it, 1 px for each 2 mm."""

    def __init__(self) -> None:
        self._now: Gray | None = None
        self._known: dict[int, tuple[Gray, Gray]] = {}
        "Of each chip how it looked where it lies: just before it came, and without the chips that lay there then."
        self._last: deque[Gray] = deque(maxlen=_BEFORE)

    def see(self, gray: Gray, mat: MatCalibration) -> None:
        """Process a picture, uint8 (H, W)."""
        if self._now is not None:
            self._last.append(self._now)
        scale = np.diag([2.0, 2.0, 1.0])
        size = (round(mat.mat.width_mm / 2), round(mat.mat.height_mm / 2))
        flags = cv2.INTER_AREA | cv2.WARP_INVERSE_MAP
        self._now = np.asarray(cv2.warpPerspective(gray, np.array(mat.to_px) @ scale, size, flags=flags), np.uint8)

    def keep(self, lying: Iterable[ChipLying]) -> None:
        """Remember how the mat looked where chips have come; a hand was there just before they did."""
        here = {one.id: one for one in lying}
        self._known = {id_: patch for id_, patch in self._known.items() if id_ in here}
        for id_, one in here.items():
            if id_ not in self._known and self._last:
                before = self._last[0]
                self._known[id_] = _patch(before, one.at), _patch(self._cleared(before, one, here.values()), one.at)

    def _cleared(self, before: Gray, of: ChipLying, lying: Iterable[ChipLying]) -> Gray:
        """Return a picture of the mat in which the chips are cleared that lie about where another came to lie."""
        bare = before.copy()
        for one in lying:
            if one.id in self._known and dist(one.at, of.at) <= 2 * CHIP_MM:
                patch = self._known[one.id][1]
                if bare[_window(bare, one.at)].shape == patch.shape:
                    bare[_window(bare, one.at)] = patch
        return bare

    def is_bare(self, lying: ChipLying) -> bool:
        """Say whether the mat is seen where a chip lay."""
        known = self._known.get(lying.id)
        if known is None or self._now is None:
            return False
        here = _patch(self._now, lying.at)
        return any(here.shape == one.shape and float(np.mean(cv2.absdiff(here, one) <= _FAR)) >= _SAME for one in known)


def _window(rectified: Gray, at: Point) -> tuple[slice, slice]:
    """Return where a chip lies in the mat's picture."""
    half = round(CHIP_MM / 4)
    x, y = round(at[0] / 2), round(at[1] / 2)
    return slice(max(0, y - half), max(0, y + half + 1)), slice(max(0, x - half), max(0, x + half + 1))


def _patch(rectified: Gray, at: Point) -> Gray:
    return rectified[_window(rectified, at)].copy()
