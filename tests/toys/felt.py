"""A roulette mat without pixels: chips are passed to the camera code as a camera above the mat would see them."""

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from math import cos, dist, radians, sin

import numpy as np
from chip_table import ChipTable

from companion.games.roulette.camera.layout import LayoutSight
from companion.games.roulette.mats.spots import MATS
from companion.objects.chips import CHIP_MM, CHIP_TAG_MM, CHIPS
from companion.tracking.chips import TrackedChip
from companion.vision.frame import Image
from companion.vision.sightings import Point, Quad, TagSeen

HAND_MM = 50.0
"""Radius of a hand, phone or card on the mat."""
_PX_PER_MM = 2.5
_BEFORE = 12
"""Number of pictures ago at which no hand was there yet."""
_TOUCHES_MM = 4.0
Scene = tuple[tuple[str, Point, float], ...]


class FeltTable(ChipTable):
    """The same table without pixels, a hundred times as fast.

    Attributes:
        times: number of pictures in which each chip was seen at its position.
    """

    def __post_init__(self) -> None:
        self.times: Counter[tuple[str, Point, float]] = Counter()
        super().__post_init__()

    def make_sight(self) -> LayoutSight:
        return FeltSight()

    def picture(self) -> Image:
        self.sight.felt = self
        self.times.update(self.in_view())
        return np.full((54, 96, 3), 90, np.uint8)

    @property
    def scene(self) -> Scene:
        """Return all objects, lowest first."""
        return (*self.chips, *([("hand", self.hand, 0.0)] if self.hand is not None else []))

    def tags(self) -> Iterable[TagSeen]:
        """Return the visible tags."""
        for number, box in MATS[self.wheel].tags.items():
            yield TagSeen(number, _quad((box.x + box.width / 2, box.y + box.height / 2), box.width))
        for name, at, turn in self.in_view():
            yield TagSeen(CHIPS[name].tag, _quad(at, CHIP_TAG_MM, turn))

    def in_view(self) -> Iterator[tuple[str, Point, float]]:
        """Yield the chips with visible tags."""
        for place, chip in enumerate(self.chips):
            above = self.scene[place + 1 :]
            if not any(dist(chip[1], at) < radius(name) + CHIP_TAG_MM / 2 for name, at, _ in above):
                yield chip


class FeltSight(LayoutSight):
    """The layout sight for a `FeltTable`."""

    felt: FeltTable

    def __init__(self) -> None:
        super().__init__()
        self._chips._bare = Bare(self)

    def _tags_in(self, gray, t: float) -> tuple[TagSeen, ...]:
        return tuple(self.felt.tags())


class Bare:
    """Fake of `companion.tracking.chips.BareMat`: the mat's earlier appearance at chips' positions."""

    def __init__(self, sight: FeltSight) -> None:
        self.sight = sight
        self.now: Scene | None = None
        self.last: deque[Scene] = deque(maxlen=_BEFORE)
        self.known: dict[int, tuple[Scene, Scene]] = {}

    def see(self, gray, mat) -> None:
        if self.now is not None:
            self.last.append(self.now)
        self.now = self.sight.felt.scene

    def keep(self, lying: Iterable[TrackedChip]) -> None:
        here = {one.id: one for one in lying}
        self.known = {id_: patches for id_, patches in self.known.items() if id_ in here}
        for id_, one in here.items():
            if id_ not in self.known and self.last:
                about = [other.at for other in here.values() if other.id in self.known]
                about = [at for at in about if dist(at, one.at) <= 2 * CHIP_MM]
                before = self.last[0]
                cleared = tuple(thing for thing in before if not any(dist(thing[1], at) < 2 for at in about))
                self.known[id_] = _about(before, one.at), _about(cleared, one.at)

    def is_bare(self, lying: TrackedChip) -> bool:
        return self.now is not None and _about(self.now, lying.at) in self.known.get(lying.id, ())


def radius(thing: str) -> float:
    return CHIP_MM / 2 if thing in CHIPS else HAND_MM


def _about(scene: Scene, at: Point) -> Scene:
    """Return the objects of a scene near a point."""
    return tuple(one for one in scene if dist(one[1], at) < radius(one[0]) + CHIP_MM / 2 - _TOUCHES_MM)


def _quad(at: Point, side: float, turn: float = 0.0) -> Quad:
    """Return the corners of a square on the mat, px."""
    c, s = cos(radians(turn)) * side / 2, sin(radians(turn)) * side / 2
    corners = ((-c + s, -s - c), (c + s, s - c), (c - s, s + c), (-c - s, -s + c))
    (a, b, d, e) = (((at[0] + x) * _PX_PER_MM, (at[1] + y) * _PX_PER_MM) for x, y in corners)
    return a, b, d, e
