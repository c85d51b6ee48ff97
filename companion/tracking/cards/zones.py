"""Maps positions to the mat's zones, calibrated live from the mat's corner tags.

While too many tags are covered, the stored calibration is used, but only once two visible tags confirm it: camera or
mat may have been moved since.

A card's zone is chosen by area, not only by its centre, with hysteresis: a card on a border keeps its zone until it
clearly lies in another.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, NotRequired, TypedDict

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.objects.geometry import Box
from companion.objects.mat import Mat, Mats
from companion.tracking.cards.card_geometry import apart
from companion.tracking.cards.observations import LyingCard, LyingToken, TrackedTable
from companion.vision.mat import MAX_ERROR_PX, MatCalibration, MatNotSeen, calibrate_mat
from companion.vision.sightings import FrameReading, Point, Quad, TagSeen, center_of

Source = Literal["mat", "stored", "none"]

_MOVE_THRESHOLD_PX: Final = 2.0  # a larger offset of a corner tag means that camera or mat was moved
_CONFIRMATION_TOLERANCE_PX: Final = 4.0  # maximum offset of a tag that confirms the stored calibration
_MIN_AGREEING_FRAMES: Final = 2
_MIN_TAGS: Final = 3
_MIN_FITTING_TAGS: Final = 2
_MIN_ZONE_SHARE: Final = 0.3  # minimum share of a card in a zone
_MIN_LEAD: Final = 0.25  # minimum lead over the second zone, as a share of the card
_HYSTERESIS: Final = 0.1  # maximum lead of another zone while the previous one is kept, as a share of the card
_TOKEN_HYSTERESIS_MM: Final = 8.0  # a token keeps its zone until its centre is farther outside


@dataclass(frozen=True, slots=True)
class Place:
    """The zone of an object, or the two zones that it straddles."""

    zone: str | None = None
    astride: tuple[str, ...] = ()
    on_mat: Quad | None = None
    "Its corners, mm."


class MatReport(TypedDict):
    """The mat in view and the quality of its calibration, rounded for display."""

    mat: str | None
    calibration: str
    px_per_mm: NotRequired[float]
    least_px_per_mm: NotRequired[float]
    px_per_module: NotRequired[float]
    error_px: NotRequired[float]


class Zones:
    """The live mapping from the picture to the mat's zones. Not thread-safe.

    Args:
        mats: the mats that may be used.
        stored: the calibration to use while too few tags are seen, provided the visible ones confirm it.
    """

    def __init__(self, mats: Mats, stored: MatCalibration | None = None) -> None:
        self._mats = mats
        self._stored = stored
        self._is_stored_right = False
        self._found: MatCalibration | None = None
        self._corners: dict[int, Point] = {}
        self._other: tuple[int, tuple[TagSeen, ...]] = (0, ())
        self._size = (0, 0)
        self._places: dict[tuple[str, int], tuple[Quad, int, Place]] = {}
        self._placed_on: Mat | None = None
        self.version = 0
        "Incremented whenever the mapping changes."

    @property
    def calibration(self) -> MatCalibration | None:
        """The current calibration; None if the mat's position is unknown."""
        if self._found is not None:
            return self._found
        return self._stored if self._is_stored_right else None

    @property
    def source(self) -> Source:
        """The source of `calibration`."""
        if self._found is not None:
            return "mat"
        return "none" if self.calibration is None else "stored"

    @property
    def mat(self) -> Mat | None:
        """The mat in view; None if unknown."""
        found = self.calibration
        return None if found is None else found.mat

    # ---- finding the mat

    def see(self, reading: FrameReading) -> None:
        """Process the mat tags of a frame: locate the mat, and relocate it after camera or mat has moved."""
        if reading.size != self._size:
            self._forget()
        self._size = reading.size
        tags = _of_one_mat(reading.mat_tags, self._mats)
        if self._found is None:
            self._check_stored(tags)
        if not self._is_enough(tags) or not self._is_news(tags):
            self._other = (0, ())
            return
        frames, before = self._other
        frames = frames + 1 if _are_same(tags, before) else 1
        self._other = (frames, tags)
        if frames >= _MIN_AGREEING_FRAMES and len(tags) >= _MIN_TAGS:
            self._find(tags)
        elif frames >= _MIN_AGREEING_FRAMES:
            self._follow(tags)

    def _forget(self) -> None:
        """Discard the mapping, which is void after a change of the picture size."""
        if self.calibration is not None:
            self.version += 1
        self._found, self._corners, self._other, self._is_stored_right = None, {}, (0, ()), False

    def _is_enough(self, tags: Sequence[TagSeen]) -> bool:
        """Whether the tags suffice to locate the mat: three, or two known ones to follow a move."""
        known = {tag.number for tag in tags} & self._corners.keys()
        return len(tags) >= _MIN_TAGS or len(known) == len(tags) == _MIN_FITTING_TAGS

    def _check_stored(self, tags: Sequence[TagSeen]) -> None:
        """Trust the stored calibration while all visible tags agree with it; at least two to begin with."""
        stored = self._stored
        if stored is None or not tags:
            return
        fitting = sum(self._fits(stored, tag) for tag in tags)
        is_enough = fitting >= _MIN_FITTING_TAGS or self._is_stored_right
        is_right = fitting == len(tags) and is_enough
        if is_right != self._is_stored_right:
            self._is_stored_right = is_right
            self.version += 1

    def _fits(self, stored: MatCalibration, tag: TagSeen) -> bool:
        box = stored.mat.tags.get(tag.number)
        if box is None or stored.size != self._size:
            return False
        middle = stored.px((box.x + box.width / 2, box.y + box.height / 2))
        return apart(center_of(tag.corners), middle) <= _CONFIRMATION_TOLERANCE_PX

    def _is_news(self, tags: Sequence[TagSeen]) -> bool:
        if self._found is None or self._mats.of_tag[tags[0].number] is not self._found.mat:
            return True
        moved = [t for t in tags if t.number in self._corners and _off(t, self._corners[t.number]) > _MOVE_THRESHOLD_PX]
        return len(moved) >= 2 or len(tags) > len(self._corners)

    def _find(self, tags: Sequence[TagSeen]) -> None:
        self._other = (0, ())
        mat = self._mats.of_tag[tags[0].number]
        try:
            found = calibrate_mat([tags], mat, self._size, least=_MIN_TAGS)
        except MatNotSeen:  # a tag appears twice
            return
        if found.error_px > MAX_ERROR_PX:
            return  # some tags are still remembered from before a bump
        self._found = found
        self._corners = {tag.number: center_of(tag.corners) for tag in tags}
        self.version += 1

    def _follow(self, tags: Sequence[TagSeen]) -> None:
        """Shift the whole mapping by two visible tags; the others are covered."""
        assert self._found is not None
        before = np.array([self._corners[tag.number] for tag in tags])
        after = np.array([center_of(tag.corners) for tag in tags])
        move, _ = cv2.estimateAffinePartial2D(before, after)
        self._other = (0, ())
        if move is None or not np.isfinite(move).all():
            return
        a, b, c = (np.vstack([move, (0.0, 0.0, 1.0)]) @ np.array(self._found.to_px)).tolist()
        self._found = replace(self._found, to_px=(tuple(a), tuple(b), tuple(c)))
        at = cv2.transform(np.array([list(self._corners.values())]), move)[0].tolist()
        self._corners = {number: (x, y) for number, (x, y) in zip(self._corners, at, strict=True)}
        self.version += 1

    # ---- placing objects

    def place(self, tracked: TrackedTable) -> TrackedTable:
        """Return the tracked table with the zones of all cards and tokens; unchanged without a mat."""
        mat = self.mat
        if mat is None:
            return tracked
        if mat is not self._placed_on:  # zones of another mat are void
            self._places, self._placed_on = {}, mat
        here = {("card", card.track) for card in tracked.lying} | {("token", token.track) for token in tracked.tokens}
        self._places = {key: known for key, known in self._places.items() if key in here}
        lying = tuple(self._placed_card(card) for card in tracked.lying)
        tokens = tuple(self._placed_token(token) for token in tracked.tokens)
        return replace(tracked, lying=lying, tokens=tokens, mat=mat.name)

    def _placed_card(self, card: LyingCard) -> LyingCard:
        quad = card.outline or card.corners
        found = self._known("card", card.track, quad)
        if found is None:
            before = self._places.get(("card", card.track))
            found = self._place_of(quad, before[2].zone if before else None)
            self._places["card", card.track] = (quad, self.version, found)
        return replace(card, zone=found.zone, astride=found.astride, on_mat=found.on_mat)

    def _placed_token(self, token: LyingToken) -> LyingToken:
        found = self._known("token", token.track, token.corners)
        if found is None:
            before = self._places.get(("token", token.track))
            found = Place(self._token_zone(center_of(token.corners), before[2].zone if before else None))
            self._places["token", token.track] = (token.corners, self.version, found)
        return replace(token, zone=found.zone)

    def _known(self, kind: str, track: int, quad: Quad) -> Place | None:
        known = self._places.get((kind, track))
        return known[2] if known is not None and known[:2] == (quad, self.version) else None

    def _place_of(self, quad: Quad, before: str | None) -> Place:
        assert self.calibration is not None
        assert self.mat is not None
        a, b, c, d = map(self.calibration.mm, quad)
        return replace(place_of((a, b, c, d), self.mat.zones, before), on_mat=(a, b, c, d))

    def _token_zone(self, point: Point, before: str | None) -> str | None:
        assert self.calibration is not None
        assert self.mat is not None
        x, y = self.calibration.mm(point)
        now = self.mat.zone_at(x, y)
        if before is None or now == before:
            return now
        return before if _holds(self.mat.zones[before], x, y, _TOKEN_HYSTERESIS_MM) else now

    # ---- for others

    def cell_mm(self, shape: tuple[int, int], cell_px: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return x and y on the mat (mm) of the centre of every cell of the picture, each float64 ``shape``.

        Args:
            shape: rows and columns of cells.
            cell_px: side of a cell, px.
        """
        found = self.calibration
        assert found is not None, "only with a mat"
        rows, columns = np.indices(shape)
        points = np.stack([(columns + 0.5) * cell_px, (rows + 0.5) * cell_px, np.ones(shape)], axis=-1)
        mm = points @ np.linalg.inv(np.array(found.to_px)).T
        return mm[..., 0] / mm[..., 2], mm[..., 1] / mm[..., 2]

    def report(self) -> MatReport:
        """Return the calibration's figures for display: px/mm and the fit of the corners."""
        found = self.calibration
        if found is None:
            return {"mat": None, "calibration": "none"}
        return {
            "mat": found.mat.name,
            "calibration": self.source,
            "px_per_mm": round(found.px_per_mm, 2),
            "least_px_per_mm": round(found.least_px_per_mm, 2),
            "px_per_module": round(found.px_per_module, 1),
            "error_px": round(found.error_px, 1),
        }


def place_of(quad_mm: Sequence[Point], zones: Mapping[str, Box], before: str | None = None) -> Place:
    """Return the zone that holds most of an object, or the two zones that it straddles.

    Args:
        quad_mm: its corners on the mat, mm.
        zones: the zones by name, mm.
        before: its previous zone; kept unless another holds clearly more.

    >>> zones = {"a": Box(0, 0, 10, 10), "b": Box(12, 0, 10, 10)}
    >>> place_of([(1, 1), (9, 1), (9, 9), (1, 9)], zones).zone
    'a'
    >>> place_of([(7, 1), (15, 1), (15, 9), (7, 9)], zones).astride
    ('b', 'a')
    """
    whole = max(area(quad_mm), 1e-9)
    near = ((name, box) for name, box in zones.items() if _touches(quad_mm, box))
    shares = sorted(((_share(quad_mm, box) / whole, name) for name, box in near), reverse=True)
    (first, name), (second, next_to) = (*shares, (0.0, ""), (0.0, ""))[:2]
    if first < _MIN_ZONE_SHARE:
        return Place()
    if before is not None and any(zone == before and share > first - _HYSTERESIS for share, zone in shares[:2]):
        return Place(before)
    return Place(name) if first - second >= _MIN_LEAD else Place(None, (name, next_to))


def area(points: Sequence[Point]) -> float:
    """Return the area of a polygon.

    >>> area([(0, 0), (4, 0), (4, 2), (0, 2)])
    8.0
    """
    twice = sum(ax * by - bx * ay for (ax, ay), (bx, by) in zip(points, [*points[1:], *points[:1]], strict=True))
    return abs(twice) / 2


def _touches(points: Sequence[Point], box: Box) -> bool:
    xs, ys = [p[0] for p in points], [p[1] for p in points]
    beside = max(xs) < box.x or min(xs) > box.x + box.width
    return not (beside or max(ys) < box.y or min(ys) > box.y + box.height)


def _share(points: Sequence[Point], box: Box) -> float:
    """Return the area of the intersection of a convex polygon and a box."""
    for axis, low, high in ((0, box.x, box.x + box.width), (1, box.y, box.y + box.height)):
        points = _cut(points, axis, low, 1.0)
        points = _cut(points, axis, high, -1.0)
        if len(points) < 3:
            return 0.0
    return area(points)


def _cut(points: Sequence[Point], axis: int, at: float, side: float) -> list[Point]:
    """Clip a polygon at the axis-parallel line ``axis = at``, keeping the side of larger values if ``side`` is 1."""
    out: list[Point] = []
    for a, b in zip(points, [*points[1:], *points[:1]], strict=True):
        da, db = side * (a[axis] - at), side * (b[axis] - at)
        if da >= 0:
            out.append(a)
        if (da >= 0) != (db >= 0):
            k = da / (da - db)
            out.append((a[0] + k * (b[0] - a[0]), a[1] + k * (b[1] - a[1])))
    return out


def _holds(box: Box, x: float, y: float, margin: float) -> bool:
    return (
        box.x - margin <= x <= box.x + box.width + margin and box.y - margin <= y <= box.y + box.height + margin
    )  # fmt: skip


def _of_one_mat(tags: Iterable[TagSeen], mats: Mats) -> tuple[TagSeen, ...]:
    """Return the tags of the mat that most of them belong to, sorted by number."""
    known = [tag for tag in tags if tag.number in mats.of_tag]
    names = [mats.of_tag[tag.number].name for tag in known]
    if not names:
        return ()
    most = max(sorted(set(names)), key=names.count)
    return tuple(sorted((t for t in known if mats.of_tag[t.number].name == most), key=lambda t: t.number))


def _are_same(tags: Sequence[TagSeen], before: Sequence[TagSeen]) -> bool:
    if [t.number for t in tags] != [t.number for t in before]:
        return False
    return all(_off(a, center_of(b.corners)) <= _MOVE_THRESHOLD_PX for a, b in zip(tags, before, strict=True))


def _off(tag: TagSeen, middle: Point) -> float:
    return apart(center_of(tag.corners), middle)
