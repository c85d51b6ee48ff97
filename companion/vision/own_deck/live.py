"""Adds the cards of an enrolled deck to what a running camera's reader sees.

A place is read once it lies still, in small steps over several frames, and a card counts once two pictures agree. What
has not changed since is not read again.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.boxes import bounds, do_overlap, is_inside
from companion.vision.frame import Frame, Gray, Image, to_gray
from companion.vision.live.change import CELL_PX, Box
from companion.vision.own_deck.paper import Paper
from companion.vision.own_deck.reader import CardRead, DeckReader, Steps
from companion.vision.sightings import CardSighting, FrameReading, Quad, center_of, to_points, to_quad

LOOKS: Final = 2
"""Pictures that must agree."""
_BUDGET_S: Final = 0.012
_STILL_S: Final = 0.12
_THUMB: Final = 8
_CHANGED: Final = 10.0  # grey levels
_SAME_PLACE: Final = 0.2  # of a card's width
_STEADY_PX: Final = 2.0
_PAUSE_S: Final = 0.1


class FrameReader(Protocol):
    """What reads a running camera; `companion.vision.live.reader.Reader` is one."""

    def read(self, frame: Frame) -> FrameReading: ...


@dataclass(slots=True, eq=False)
class _Kept:
    """A card, or a place that looks like one (id None), as it was read last."""

    card: str | None
    outline: Quad
    lain: float
    seen: float
    looks: int = 1
    misses: int = 0


@dataclass(slots=True, eq=False)
class _Job:
    """A picture that is being read."""

    thumb: Gray
    t: float
    still: NDArray[np.bool_]
    new: NDArray[np.bool_]
    again: list[Box]
    steps: Steps[Sequence[CardRead]] = field(init=False)
    looked_at: list[Box] = field(default_factory=list)
    skipped: list[Box] = field(default_factory=list)

    def has_seen(self, box: Box) -> bool:
        """Say whether a place was read, or has changed."""
        boxes = (*self.looked_at, *self.again)
        return bool(_part(self.new, box).any()) or any(do_overlap(box, other) for other in boxes)


class OwnDeckReader:
    """Reads one camera's frames in order: what another reader sees, and the cards of a house's own deck.

    Args:
        reader: reads signed codes and tags.
        deck_reader: reads the deck.
        deck: the deck's id.
        budget_s: time for the deck in one frame.
    """

    def __init__(
        self,
        reader: FrameReader,
        deck_reader: DeckReader,
        deck: str,
        *,
        budget_s: float = _BUDGET_S,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._reader, self._deck_reader, self.deck = reader, deck_reader, deck
        self._budget_s, self._clock = budget_s, clock
        self._kept: list[_Kept] = []
        self._job: _Job | None = None
        self._known: Gray | None = None
        self._again: list[Box] = []
        self._begun = float("-inf")
        self._motion: NDArray[np.float64] | None = None

    def read(self, frame: Frame) -> FrameReading:
        """Say what lies on the table as of this frame."""
        reading = self._reader.read(frame)
        if frame.image.size == 0:
            return reading
        self._note_motion(reading, frame.t)
        if self._job is None:
            self._begin(frame)
        if self._job is not None:
            self._work(self._job)
        return self._with_own(reading, frame.t)

    # ---- what moves

    def _note_motion(self, reading: FrameReading, t: float) -> None:
        shape = (-(-reading.size[1] // CELL_PX), -(-reading.size[0] // CELL_PX))
        moving = reading.motion if reading.motion is not None else np.full(shape, reading.moving)
        if self._motion is None or self._motion.shape != moving.shape:
            self._motion, self._kept, self._job, self._known = np.full(moving.shape, t), [], None, None
        self._motion[moving] = t

    def _moved_in(self, box: Box) -> float:
        """Return when something moved last in a box (px)."""
        assert self._motion is not None
        x0, y0, x1, y1 = (max(0, side) // CELL_PX for side in box)
        part = self._motion[y0 : y1 + 1, x0 : x1 + 1]
        return float(part.max()) if part.size else 0.0

    # ---- reading

    def _begin(self, frame: Frame) -> None:
        """Begin to read a picture if anything in it is new and lies still."""
        if frame.t - self._begun < _PAUSE_S:
            return
        thumb = _thumb(frame.image)
        still = self._still(thumb.shape, frame.t)
        new = still if self._known is None else _differ(thumb, self._known) & still
        if not new.any() and not self._again:
            return
        self._begun = frame.t
        outlines = [to_points(kept.outline).astype(np.float64) for kept in self._kept if kept.card is not None]
        job = _Job(thumb, frame.t, still, new, self._again)
        job.steps = self._deck_reader.reading(frame.image.copy(), outlines, lambda paper: self._is_wanted(paper, job))
        self._job = job

    def _still(self, shape: tuple[int, ...], t: float) -> NDArray[np.bool_]:
        """Return where nothing moves, in pixels of the small picture."""
        assert self._motion is not None
        cells = (t - self._motion >= _STILL_S).astype(np.uint8)
        side = CELL_PX // _THUMB
        size = (cells.shape[1] * side, cells.shape[0] * side)
        grown = cv2.resize(cells, size, interpolation=cv2.INTER_NEAREST)
        return np.asarray(grown[: shape[0], : shape[1]] > 0)

    def _is_wanted(self, paper: Paper, job: _Job) -> bool:
        """Say whether a piece of paper is read: it lies still, and is new there or was read only once."""
        box = _box_of(paper)
        if not (_part(job.new, box).any() or any(do_overlap(box, other) for other in job.again)):
            return False
        if job.t - self._moved_in(box) < _STILL_S:
            job.skipped.append(box)
            return False
        job.looked_at.append(box)
        return True

    def _work(self, job: _Job) -> None:
        ends = self._clock() + self._budget_s
        try:
            next(job.steps)
            while self._clock() < ends:
                next(job.steps)
        except StopIteration as end:
            self._job = None
            self._take_in(job, end.value)

    def _take_in(self, job: _Job, reads: Sequence[CardRead]) -> None:
        """Compare what was read with what was known."""
        before = job.thumb ^ 128 if self._known is None else self._known
        self._known = np.where(job.still, job.thumb, before).astype(np.uint8)
        for box in job.skipped:
            _part(self._known, box)[:] = _part(job.thumb, box) ^ 128
        self._again = [box for box in job.looked_at if not any(is_inside(box, other) for other in job.again)]
        found = [(read.card, to_quad(read.outline)) for read in reads]
        found = [(card, quad) for card, quad in found if self._moved_in(bounds(quad)) <= job.t]
        matched: set[int] = set()
        for card, quad in found:
            same = next((kept for kept in self._kept if _is_same_place(kept.outline, quad)), None)
            if same is None:
                same = _Kept(card, quad, min(self._moved_in(bounds(quad)), job.t), job.t, looks=0)
                self._kept.append(same)
            elif same.card != card:
                same.card, same.looks = card, 0
            if _apart(same.outline, quad) > _STEADY_PX:
                same.outline = quad
            same.looks, same.misses, same.seen = same.looks + 1, 0, job.t
            matched.add(id(same))
        for kept in self._kept:
            box = bounds(kept.outline)
            if id(kept) not in matched and self._moved_in(box) <= job.t and job.has_seen(box):
                kept.misses += 1
                self._again.append(box)
            elif kept.looks < LOOKS:
                self._again.append(box)
        self._kept = [kept for kept in self._kept if kept.misses < LOOKS]

    # ---- what is said

    def _with_own(self, reading: FrameReading, t: float) -> FrameReading:
        known = [card.outline or card.corners for card in reading.cards]
        own = [kept for kept in self._kept if kept.looks >= LOOKS and not _covers(known, kept.outline)]
        cards = tuple(self._sighting(kept) for kept in own if kept.card is not None)
        places = [card.corners for card in cards]
        unread_objects = tuple(one for one in reading.unread_objects if not _covers(places, one.corners))
        unread = reading.unread_since
        if self._job is not None and any(kept.looks < LOOKS for kept in self._kept):
            unread = min(t, self._job.t) if unread is None else unread
        return replace(reading, cards=(*reading.cards, *cards), unread_objects=unread_objects, unread_since=unread)

    def _sighting(self, kept: _Kept) -> CardSighting:
        visible = 1.0 if self._moved_in(bounds(kept.outline)) <= kept.seen else 0.5
        unsigned: Final = "tag"  # an ordinary face proves nothing: the table asks, unless it was told to believe it
        return CardSighting(
            kept.card, self.deck, unsigned, kept.outline, kept.outline, visible=visible, rest_since=kept.lain
        )


def _thumb(image: Image) -> Gray:
    small = cv2.resize(image, None, fx=1 / _THUMB, fy=1 / _THUMB, interpolation=cv2.INTER_AREA)
    return cv2.GaussianBlur(to_gray(np.asarray(small, np.uint8)), (3, 3), 0).astype(np.uint8)


def _differ(now: Gray, then: Gray) -> NDArray[np.bool_]:
    """Return where two small pictures differ, apart from the light."""
    change = now.astype(np.float32) - then.astype(np.float32)
    return np.asarray(np.abs(change - float(np.median(change))) > _CHANGED)


def _part(small: NDArray[Any], box: Box) -> NDArray[Any]:
    """Return the part of a small picture that a box (px) covers."""
    x0, y0, x1, y1 = (max(0, side) // _THUMB for side in box)
    return small[y0 : y1 + 2, x0 : x1 + 2]


def _box_of(paper: Paper) -> Box:
    points = np.array([point for edge in paper.edges for point in (edge.start, edge.end)])
    x0, y0 = np.floor(points.min(axis=0)).astype(int).tolist()
    x1, y1 = np.ceil(points.max(axis=0)).astype(int).tolist()
    return x0, y0, x1, y1


def _is_same_place(a: Quad, b: Quad) -> bool:
    points = to_points(a)
    width = float(np.linalg.norm(points[1] - points[0]))
    return _apart(a, b) < _SAME_PLACE * width


def _apart(a: Quad, b: Quad) -> float:
    """Return how far two outlines are apart, px; one turned by half a turn is the same."""
    first, second = to_points(a), to_points(b)
    turned = np.roll(second, 2, axis=0)
    return float(min(np.abs(first - second).mean(), np.abs(first - turned).mean()))


def _covers(outlines: Sequence[Quad], quad: Quad) -> bool:
    middle = center_of(quad)
    return any(cv2.pointPolygonTest(to_points(outline), middle, False) >= 0 for outline in outlines)
