"""Adds the cards of an enrolled deck to the readings of a running camera.

A region is read once it is still, in small steps over several frames. A card counts once two pictures agree, and is not
read again while nothing changes there.
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

MIN_READINGS: Final = 2
"""Number of pictures that must agree."""
_BUDGET_S: Final = 0.012
_STILL_S: Final = 0.12
_THUMB: Final = 8  # full-size pixels per thumbnail pixel
_CHANGED: Final = 10.0  # gray levels
_SAME_PLACE: Final = 0.2  # relative to a card's width
_JITTER_PX: Final = 2.0  # smaller moves of an outline are ignored
_JOB_INTERVAL_S: Final = 0.1


class FrameReader(Protocol):
    """A reader of a running camera, such as `companion.vision.live.reader.Reader`."""

    def read(self, frame: Frame) -> FrameReading: ...


@dataclass(slots=True, eq=False)
class _Kept:
    """A card as it was last read; `card` is None if it could not be identified.

    Attributes:
        rest_since: time (s) since which it has not moved.
        last_read: time (s) of the picture of the last reading.
        readings: how many pictures in a row agreed.
        misses: how many pictures in a row did not show it.
    """

    card: str | None
    outline: Quad
    rest_since: float
    last_read: float
    readings: int = 1
    misses: int = 0


@dataclass(slots=True, eq=False)
class _Job:
    """A picture that is being read.

    Attributes:
        still, new: pixels of the thumbnail that are still, and those of them that have changed since the last reading.
        rereads: boxes that are read again although nothing has changed.
        read: boxes of the pieces of paper that are read.
        skipped: boxes of those that are not, because they moved.
    """

    thumb: Gray
    t: float
    still: NDArray[np.bool_]
    new: NDArray[np.bool_]
    rereads: list[Box]
    steps: Steps[Sequence[CardRead]] = field(init=False)
    read: list[Box] = field(default_factory=list)
    skipped: list[Box] = field(default_factory=list)

    def includes(self, box: Box) -> bool:
        """Whether a box was read or has changed."""
        boxes = (*self.read, *self.rereads)
        return bool(_part(self.new, box).any()) or any(do_overlap(box, other) for other in boxes)


class OwnDeckReader:
    """Reads one camera's frames in order; adds the cards of an enrolled deck to another reader's readings.

    Args:
        reader: reads signed codes and tags.
        deck_reader: reads the deck.
        deck: the deck's id.
        budget_s: time for the deck in one frame.
        clock: measures that time, s.
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
        self._read_thumb: Gray | None = None
        self._rereads: list[Box] = []
        self._started = float("-inf")
        self._motion: NDArray[np.float64] | None = None

    def read(self, frame: Frame) -> FrameReading:
        """Return what lies on the table as of this frame."""
        reading = self._reader.read(frame)
        if frame.image.size == 0:
            return reading
        self._note_motion(reading, frame.t)
        if self._job is None:
            self._start_job(frame)
        if self._job is not None:
            self._work(self._job)
        return self._with_cards(reading, frame.t)

    # ---- motion

    def _note_motion(self, reading: FrameReading, t: float) -> None:
        shape = (-(-reading.size[1] // CELL_PX), -(-reading.size[0] // CELL_PX))
        moving = reading.motion if reading.motion is not None else np.full(shape, reading.moving)
        if self._motion is None or self._motion.shape != moving.shape:
            self._motion, self._kept, self._job, self._read_thumb = np.full(moving.shape, t), [], None, None
        self._motion[moving] = t

    def _last_motion_in(self, box: Box) -> float:
        """Return the time (s) of the last motion in a box (px)."""
        assert self._motion is not None
        x0, y0, x1, y1 = (max(0, side) // CELL_PX for side in box)
        part = self._motion[y0 : y1 + 1, x0 : x1 + 1]
        return float(part.max()) if part.size else 0.0

    # ---- reading

    def _start_job(self, frame: Frame) -> None:
        """Start reading a picture if anything in it is new and still, or has to be read again."""
        if frame.t - self._started < _JOB_INTERVAL_S:
            return
        thumb = _thumb(frame.image)
        still = self._still(thumb.shape, frame.t)
        new = still if self._read_thumb is None else _changed(thumb, self._read_thumb) & still
        if not new.any() and not self._rereads:
            return
        self._started = frame.t
        outlines = [to_points(kept.outline).astype(np.float64) for kept in self._kept if kept.card is not None]
        job = _Job(thumb, frame.t, still, new, self._rereads)
        job.steps = self._deck_reader.reading(frame.image.copy(), outlines, lambda paper: self._is_wanted(paper, job))
        self._job = job

    def _still(self, shape: tuple[int, ...], t: float) -> NDArray[np.bool_]:
        """Return where nothing moves, in pixels of the thumbnail."""
        assert self._motion is not None
        cells = (t - self._motion >= _STILL_S).astype(np.uint8)
        side = CELL_PX // _THUMB
        size = (cells.shape[1] * side, cells.shape[0] * side)
        grown = cv2.resize(cells, size, interpolation=cv2.INTER_NEAREST)
        return np.asarray(grown[: shape[0], : shape[1]] > 0)

    def _is_wanted(self, paper: Paper, job: _Job) -> bool:
        """Whether to read a piece of paper: it is still, and either new or due for another reading."""
        box = _box_of(paper)
        if not (_part(job.new, box).any() or any(do_overlap(box, other) for other in job.rereads)):
            return False
        if job.t - self._last_motion_in(box) < _STILL_S:
            job.skipped.append(box)
            return False
        job.read.append(box)
        return True

    def _work(self, job: _Job) -> None:
        ends = self._clock() + self._budget_s
        try:
            next(job.steps)
            while self._clock() < ends:
                next(job.steps)
        except StopIteration as end:
            self._job = None
            self._finish_job(job, end.value)

    def _finish_job(self, job: _Job, reads: Sequence[CardRead]) -> None:
        """Match the cards of a finished picture with the known ones."""
        before = job.thumb ^ 128 if self._read_thumb is None else self._read_thumb
        self._read_thumb = np.where(job.still, job.thumb, before).astype(np.uint8)
        for box in job.skipped:
            _part(self._read_thumb, box)[:] = _part(job.thumb, box) ^ 128
        self._rereads = [box for box in job.read if not any(is_inside(box, other) for other in job.rereads)]
        found = [(read.card, to_quad(read.outline)) for read in reads]
        found = [(card, quad) for card, quad in found if self._last_motion_in(bounds(quad)) <= job.t]
        matched: set[int] = set()
        for card, quad in found:
            same = next((kept for kept in self._kept if _is_same_place(kept.outline, quad)), None)
            if same is None:
                same = _Kept(card, quad, min(self._last_motion_in(bounds(quad)), job.t), job.t, readings=0)
                self._kept.append(same)
            elif same.card != card:
                same.card, same.readings = card, 0
            if _offset(same.outline, quad) > _JITTER_PX:
                same.outline = quad
            same.readings, same.misses, same.last_read = same.readings + 1, 0, job.t
            matched.add(id(same))
        for kept in self._kept:
            box = bounds(kept.outline)
            if id(kept) not in matched and self._last_motion_in(box) <= job.t and job.includes(box):
                kept.misses += 1
                self._rereads.append(box)
            elif kept.readings < MIN_READINGS:
                self._rereads.append(box)
        self._kept = [kept for kept in self._kept if kept.misses < MIN_READINGS]

    # ---- readings

    def _with_cards(self, reading: FrameReading, t: float) -> FrameReading:
        known = [card.outline or card.corners for card in reading.cards]
        own = [kept for kept in self._kept if kept.readings >= MIN_READINGS and not _covers(known, kept.outline)]
        cards = tuple(self._sighting(kept) for kept in own if kept.card is not None)
        places = [card.corners for card in cards]
        unread_objects = tuple(one for one in reading.unread_objects if not _covers(places, one.corners))
        unread = reading.unread_since
        if self._job is not None and any(kept.readings < MIN_READINGS for kept in self._kept):
            unread = min(t, self._job.t) if unread is None else unread
        return replace(reading, cards=(*reading.cards, *cards), unread_objects=unread_objects, unread_since=unread)

    def _sighting(self, kept: _Kept) -> CardSighting:
        visible = 1.0 if self._last_motion_in(bounds(kept.outline)) <= kept.last_read else 0.5
        unsigned: Final = "tag"  # an ordinary face proves nothing: the table asks, unless configured to trust it
        return CardSighting(
            kept.card, self.deck, unsigned, kept.outline, kept.outline, visible=visible, rest_since=kept.rest_since
        )


def _thumb(image: Image) -> Gray:
    small = cv2.resize(image, None, fx=1 / _THUMB, fy=1 / _THUMB, interpolation=cv2.INTER_AREA)
    return cv2.GaussianBlur(to_gray(np.asarray(small, np.uint8)), (3, 3), 0).astype(np.uint8)


def _changed(now: Gray, then: Gray) -> NDArray[np.bool_]:
    """Return where two thumbnails differ, except for a change of the light."""
    change = now.astype(np.float32) - then.astype(np.float32)
    return np.asarray(np.abs(change - float(np.median(change))) > _CHANGED)


def _part(small: NDArray[Any], box: Box) -> NDArray[Any]:
    """Return the part of a thumbnail in a box (px of the full picture)."""
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
    return _offset(a, b) < _SAME_PLACE * width


def _offset(a: Quad, b: Quad) -> float:
    """Return the mean offset (px) of two outlines, ignoring a half turn."""
    first, second = to_points(a), to_points(b)
    turned = np.roll(second, 2, axis=0)
    return float(min(np.abs(first - second).mean(), np.abs(first - turned).mean()))


def _covers(outlines: Sequence[Quad], quad: Quad) -> bool:
    middle = center_of(quad)
    return any(cv2.pointPolygonTest(to_points(outline), middle, False) >= 0 for outline in outlines)
