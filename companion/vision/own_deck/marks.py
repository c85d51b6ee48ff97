"""Finds indices by their print alone: pairs of ink spots with the sizes and the distance of a rank and its suit.

Neither outline nor size of the card need be known: a pair of spots determines position, rotation and scale. The pixels
around the pair are compared with those of all templates, aligned by their own rank and suit.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.frame import Image
from companion.vision.own_deck.faces import FACE_PX, DeckFaces, Patch, blurred, darkest, window_mask
from companion.vision.own_deck.paper import Paper

Array = NDArray[np.float64]

INKS: Final = (0.36, 0.58)
"""Minimum darkness of ink, in its darkest channel; the second one separates spots that blur has joined."""
_MIN_SPOT_MM2: Final = 1.0
_MAX_SPOT_MM: Final = 16.0
_DIGIT_GAP_MM: Final = 1.6  # maximum gap between the digits of a ten
_UNIT_PX: Final = 14  # distance of rank and suit in the compared windows
_MAX_AREA_RATIO: Final = np.log(1.9)
_MAX_SPOTS: Final = 500
_MIN_SPOT_PX: Final = 8
_SAME_SPOT_MM: Final = 0.4
_SAME_AREA_RATIO: Final = np.log(1.5)
_PAPER_WIDTH_MM: Final = 75.0  # rough width of the paper that cards form, to estimate the scale
_PAPER_LEVEL_MM: Final = 9.0  # neighborhood in which the paper's level is measured
_MIN_FIT: Final = 0.86
_SAME_PLACE_MM: Final = 1.5
_MAX_BEHIND: Final = 0.12  # difference of a template's fit from the best one
_MAX_TEMPLATES: Final = 6
_PAIRS_PER_STEP: Final = 32
_MARGIN_KERNEL: Final = np.ones((9, 9), np.uint8)
_THIRDS: Final = np.full((1, 3), 1 / 3, np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Spots:
    """Spots of ink: their centers, (n, 2) px or mm, and areas, (n,) px² or mm²."""

    at: Array
    area: Array

    def joined(self, reach: Array) -> Spots:
        """Return the spots, followed by merged pairs of adjacent ones such as the digits of a ten.

        Args:
            reach: (n,), half the longer side of each spot.
        """
        distance = np.linalg.norm(self.at[:, None] - self.at[None], axis=2)
        sums = reach[:, None] + reach[None]
        is_similar = np.abs(np.log(self.area[:, None] / self.area[None])) < np.log(4.0)
        i, j = np.nonzero(np.triu((distance < 0.95 * sums) & is_similar, 1))
        area = self.area[i] + self.area[j]
        at = (self.at[i] * self.area[i, None] + self.at[j] * self.area[j, None]) / area[:, None]
        return Spots(np.vstack([self.at, at]), np.concatenate([self.area, area]))


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A possible index.

    Attributes:
        fit: cosine similarity with the best template.
        pose: (3, 2) px, as in `Match.pose`.
        templates: the best templates, the best first.
    """

    fit: float
    pose: Array
    templates: tuple[int, ...]


class MarkFinder:
    """Finds possible indices of one deck."""

    def __init__(self, faces: DeckFaces) -> None:
        self.faces = faces
        pairs = [next((m for ink in INKS if (m := _marks(corner, ink))), None) for corner in faces.corners]
        self.templates = [k for k, pair in enumerate(pairs) if pair is not None]
        there = [pair for pair in pairs if pair is not None]
        self._at = np.array([pair.at for pair in there]).reshape(-1, 2, 2)
        self._area = np.array([pair.area for pair in there]).reshape(-1, 2)
        step = self._at[:, 1] - self._at[:, 0]
        self._distances = np.linalg.norm(step, axis=1)
        self._angle = np.arctan2(step[:, 1], step[:, 0])

    @cached_property
    def _window_box(self) -> tuple[float, float, float, float]:
        """The compared window: left, top, right, bottom from the rank's center, in units of the step to the suit."""
        w, h = self.faces.window_mm
        unit = float(np.median(self._distances))
        across = 0.5 * min(w - 1.0, 9.0) / unit
        y = float(np.median(self._at[:, 0, 1]))
        return -across, -(y - 1.0) / unit, across, min(1.0 + 4.2 / unit, (h - y) / unit)

    @cached_property
    def _aligned(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The templates aligned by rank and suit, normalized, and their masks; both (n, pixels)."""
        soft = blurred(self.faces.corners, 0.25)
        mask = window_mask((soft.shape[2] // FACE_PX, soft.shape[1] // FACE_PX))
        frames = [_frame(at[0] * FACE_PX - 0.5, at[1] * FACE_PX - 0.5) for at in self._at]
        counts = np.stack([self._window(mask, frame).ravel() for frame in frames])
        faces = np.stack(
            [self._window(soft[k].mean(axis=2), frame).ravel() for k, frame in zip(self.templates, frames, strict=True)]
        )
        faces *= counts
        faces /= np.maximum(np.linalg.norm(faces, axis=1, keepdims=True), 1e-6)
        return np.asarray(faces, np.float32), np.asarray(counts, np.float32)

    def _window(self, picture: NDArray[np.float32], frame: Array) -> NDArray[np.float32]:
        """Return the compared window of a picture; ``frame``: see `_frame`."""
        left, top, right, bottom = self._window_box
        size = (round((right - left) * _UNIT_PX), round((bottom - top) * _UNIT_PX))
        m = np.column_stack([frame[1] / _UNIT_PX, frame[2] / _UNIT_PX, frame[0] + left * frame[1] + top * frame[2]])
        m[:, 2] += (m[:, 0] + m[:, 1]) / 2
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        return np.asarray(cv2.warpAffine(picture, m, size, flags=flags, borderMode=cv2.BORDER_REPLICATE), np.float32)

    def candidates_on(
        self, image: Image, paper: Paper, mm: float | None = None
    ) -> Generator[None, None, list[Candidate]]:
        """Find possible indices on a piece of paper, in small steps; returns them without duplicates, the best first.

        Args:
            mm: pixels per millimeter there, if known.
        """
        if not self.templates:
            return []
        x0, y0 = np.maximum(np.floor(paper.outline.min(axis=0)).astype(int) - 2, 0).tolist()
        x1, y1 = (np.ceil(paper.outline.max(axis=0)).astype(int) + 3).tolist()
        part = np.asarray(image[y0:y1, x0:x1], np.uint8)
        rough = mm or max(1.0, min(cv2.minAreaRect(paper.outline)[1]) / _PAPER_WIDTH_MM)
        darkness = _darkness(part, rough)
        inside = np.zeros(part.shape[:2], np.uint8)
        cv2.fillPoly(inside, [np.round(paper.outline - (x0, y0)).astype(np.int32)], 1)
        tolerance = 1.3 if mm else 2.2
        spots, reach = _spots(darkness, cv2.dilate(inside, _MARGIN_KERNEL) > 0, rough, tolerance)
        spots = spots.joined(reach)
        soft = cv2.GaussianBlur(cv2.transform(darkness, _THIRDS), (0, 0), max(0.3, 0.2 * rough)).astype(np.float32)
        templates, counts = self._aligned
        found = []
        for n, (i, j) in enumerate(self._pairs(spots, rough, tolerance)):
            if n % _PAIRS_PER_STEP == 0:
                yield
            frame = _frame(spots.at[i], spots.at[j])
            seen = self._window(soft, frame).ravel()
            fits = templates @ seen / np.sqrt(np.maximum(counts @ np.square(seen), 1e-6))
            order = np.argsort(-fits)[:_MAX_TEMPLATES]
            best = float(fits[order[0]])
            if best < _MIN_FIT:
                continue
            likely = tuple(self.templates[int(k)] for k in order if fits[k] > best - _MAX_BEHIND)
            pose = self._pose(frame, int(order[0]))
            pose[0] += x0, y0
            found.append(Candidate(best, pose, likely))
        return _without_duplicates(sorted(found, key=lambda one: -one.fit))

    def _pairs(self, spots: Spots, mm: float, tolerance: float) -> list[tuple[int, int]]:
        """Return the pairs of spots whose distance and areas match the rank and suit of some template."""
        distance = np.linalg.norm(spots.at[:, None] - spots.at[None], axis=2)
        low, high = self._distances.min() * mm / tolerance, self._distances.max() * mm * tolerance
        i, j = np.nonzero((distance > low) & (distance < high))
        scale = distance[i, j][:, None] / self._distances[None]  # pixels per mm, according to each template
        off = [
            np.abs(np.log(spots.area[k][:, None] / (self._area[None, :, one] * scale**2)))
            for one, k in enumerate((i, j))
        ]
        worse = np.maximum(off[0], off[1]).min(axis=1)
        keep = worse < _MAX_AREA_RATIO
        return list(zip(i[keep].tolist(), j[keep].tolist(), strict=True))

    def _pose(self, frame: Array, k: int) -> Array:
        """Return the pose of the index corner if a pair of spots is the rank and suit of template k."""
        step = frame[2]
        mm = float(np.linalg.norm(step)) / self._distances[k]
        turn = float(np.arctan2(step[1], step[0])) - self._angle[k]
        x = mm * np.array([np.cos(turn), np.sin(turn)])
        y = np.array([-x[1], x[0]])
        rank = self._at[k, 0]
        return np.vstack([frame[0] - rank[0] * x - rank[1] * y, x, y])


def _without_duplicates(found: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates without slightly shifted or rotated duplicates."""
    kept: list[Candidate] = []
    for one in found:
        mm = float(np.linalg.norm(one.pose[1]))
        reach = np.array([1.0, 10.0, 20.0])[:, None, None]
        if all(float(np.abs((one.pose - other.pose) * reach[:, 0]).max()) > 2 * _SAME_PLACE_MM * mm for other in kept):
            kept.append(one)
    return kept


def _frame(rank: Array, suit: Array) -> Array:
    """Return the rank's center, and the unit steps across and down to the suit, (3, 2)."""
    down = np.asarray(suit, np.float64) - rank
    return np.vstack([rank, [down[1], -down[0]], down])


def _darkness(part: Image, mm: float) -> Patch:
    """Return the darkness of each pixel relative to the paper around it."""
    side = max(5, round(_PAPER_LEVEL_MM * mm))
    small = cv2.resize(part, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
    side = max(3, side // 4)
    level = cv2.blur(cv2.dilate(small, np.ones((side, side), np.uint8)), (side, side))
    paper = cv2.resize(level, (part.shape[1], part.shape[0]), interpolation=cv2.INTER_LINEAR).astype(np.float32)
    return np.asarray(np.clip(1 - part.astype(np.float32) / np.maximum(paper, 1.0), 0, 1), np.float32)


def _spots(darkness: Patch, inside: NDArray[np.bool_], mm: float, tolerance: float) -> tuple[Spots, Array]:
    """Return the spots of ink on the paper with about the size of an index's, and their reach (see `Spots.joined`)."""
    dark = darkest(darkness)
    found: list[list[float]] = []
    for level in INKS:
        _, _, stats, centers = cv2.connectedComponentsWithStats((dark > level).astype(np.uint8), connectivity=4)
        sides, area = stats[1:, 2:4].max(axis=1), stats[1:, 4]
        keep = (
            (sides < _MAX_SPOT_MM * mm * tolerance)
            & (area > _MIN_SPOT_MM2 * (mm / tolerance) ** 2)
            & (area > _MIN_SPOT_PX)
        )
        keep &= (stats[1:, :2] > 0).all(axis=1) & (stats[1:, :2] + stats[1:, 2:4] < dark.shape[::-1]).all(axis=1)
        keep &= inside[tuple(np.round(centers[1:, ::-1]).astype(int).T)]
        new = np.column_stack([centers[1:], area, sides / 2])[keep]
        known = np.array(found).reshape(-1, 4)
        distance = np.linalg.norm(new[:, None, :2] - known[None, :, :2], axis=2)
        is_similar = np.abs(np.log(new[:, None, 2] / known[None, :, 2])) < _SAME_AREA_RATIO
        found += new[~((distance < _SAME_SPOT_MM * mm) & is_similar).any(axis=1)].tolist()
    x, y, area, reach = np.array(found[:_MAX_SPOTS], np.float64).reshape(-1, 4).T
    return Spots(np.column_stack([x, y]), area), reach


def _marks(corner: Patch, level: float) -> Spots | None:
    """Return rank and suit of a template, in mm; None if they cannot be separated."""
    h, w = corner.shape[:2]
    ink = ((darkest(corner) > level) & (window_mask((w // FACE_PX, h // FACE_PX)) > 0)).astype(np.uint8)
    count, _, stats, centers = cv2.connectedComponentsWithStats(ink, connectivity=4)
    found = [
        (stats[k, :4] / FACE_PX, float(stats[k, 4]) / FACE_PX**2, (centers[k] + 0.5) / FACE_PX)
        for k in range(1, count)
        if stats[k, 4] >= _MIN_SPOT_MM2 * FACE_PX**2
    ]
    found = [one for one in found if max(one[0][2:]) <= _MAX_SPOT_MM and one[0][0] + one[0][2] < w / FACE_PX - 0.3]
    if len(found) < 2:
        return None
    found.sort(key=lambda one: float(one[0][0] + one[0][1]))
    rank, *rest = found
    beside = next((one for one in rest if _is_beside(rank[0], one[0])), None)
    if beside is not None:
        rest = [one for one in rest if one is not beside]
        area = rank[1] + beside[1]
        x0, y0 = np.minimum(rank[0][:2], beside[0][:2])
        x1, y1 = np.maximum(rank[0][:2] + rank[0][2:], beside[0][:2] + beside[0][2:])
        center = (rank[2] * rank[1] + beside[2] * beside[1]) / area
        rank = (np.array([x0, y0, x1 - x0, y1 - y0]), area, center)
    below = [one for one in rest if one[0][1] > rank[2][1] and abs(one[2][0] - rank[2][0]) < 0.8 * max(rank[0][2:])]
    suit = min(below or rest, key=lambda one: float(np.linalg.norm(one[2] - rank[2])), default=None)
    if suit is None:
        return None
    return Spots(np.array([rank[2], suit[2]]), np.array([rank[1], suit[1]]))


def _is_beside(a: Sequence[float] | Array, b: Sequence[float] | Array) -> bool:
    """Whether two boxes (x, y, w, h mm) are side by side, like the digits of a ten."""
    gap = max(a[0], b[0]) - min(a[0] + a[2], b[0] + b[2])
    level = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    return bool(gap < _DIGIT_GAP_MM and level > 0.6 * max(a[3], b[3]))
