"""Finds indices by their print alone: two spots of ink as far apart, and as large, as a rank and its suit.

Neither the card's outline nor how large cards are needs to be known: a pair of spots gives place, turn and size, and
what lies between and around them is compared with that of each template, all laid upon each other by their two spots.
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
"""Darkness of ink, in the channel where it is darkest; by the second, spots part that a blurred picture joins."""
_LEAST_MM2: Final = 1.0
_MOST_MM: Final = 16.0
_JOIN_MM: Final = 1.6
_UNIT: Final = 14  # px between rank and suit where templates are compared
_AREA: Final = np.log(1.9)
_MOST_SPOTS: Final = 500
_LEAST_PX: Final = 8
_SAME_PX: Final = 0.4  # a mm
_SAME_AREA: Final = np.log(1.5)
_SHARE_MM: Final = 75.0  # the shorter side of what cards cover, roughly
_LEVEL_MM: Final = 9.0
_LEAST_FIT: Final = 0.86
_SAME_MM: Final = 1.5
_ALIKE: Final = 0.12
_MANY: Final = 6
_STEP: Final = 32
_NEAR: Final = np.ones((9, 9), np.uint8)
_THIRDS: Final = np.full((1, 3), 1 / 3, np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Spots:
    """Spots of ink: their middles, (n, 2) px or mm, and how much ink each is, (n,) px² or mm²."""

    at: Array
    area: Array

    def joined(self, reach: Array) -> Spots:
        """Return the spots and, as one more each, pairs that nearly touch: a ten's two figures.

        Args:
            reach: (n,): how far each spot reaches from its middle.
        """
        far = np.linalg.norm(self.at[:, None] - self.at[None], axis=2)
        sums = reach[:, None] + reach[None]
        like = np.abs(np.log(self.area[:, None] / self.area[None])) < np.log(4.0)
        i, j = np.nonzero(np.triu((far < 0.95 * sums) & like, 1))
        area = self.area[i] + self.area[j]
        at = (self.at[i] * self.area[i, None] + self.at[j] * self.area[j, None]) / area[:, None]
        return Spots(np.vstack([self.at, at]), np.concatenate([self.area, area]))


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """A place that may be an index.

    Attributes:
        fit: cosine of the place and the template it is most like.
        at: (3, 2) px, as in `Match.at`.
        templates: those it is most like, the best first.
    """

    fit: float
    at: Array
    templates: tuple[int, ...]


class MarkFinder:
    """Finds the indices of one deck."""

    def __init__(self, faces: DeckFaces) -> None:
        self.faces = faces
        pairs = [next((m for ink in INKS if (m := _marks(corner, ink))), None) for corner in faces.corners]
        self.templates = [k for k, pair in enumerate(pairs) if pair is not None]
        there = [pair for pair in pairs if pair is not None]
        self._at = np.array([pair.at for pair in there]).reshape(-1, 2, 2)
        self._area = np.array([pair.area for pair in there]).reshape(-1, 2)
        step = self._at[:, 1] - self._at[:, 0]
        self._apart = np.linalg.norm(step, axis=1)
        self._angle = np.arctan2(step[:, 1], step[:, 0])

    @cached_property
    def _box(self) -> tuple[float, float, float, float]:
        """Where the compared window lies: left, top, right, bottom of the rank's middle, in units of the step."""
        w, h = self.faces.window_mm
        unit = float(np.median(self._apart))
        across = 0.5 * min(w - 1.0, 9.0) / unit
        y = float(np.median(self._at[:, 0, 1]))
        return -across, -(y - 1.0) / unit, across, min(1.0 + 4.2 / unit, (h - y) / unit)

    @cached_property
    def _canonical(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The templates as the pair's step turns them, rank above suit, of length 1, and what of them counts.

        Both are (n, pixels).
        """
        soft = blurred(self.faces.corners, 0.25)
        mask = window_mask((soft.shape[2] // FACE_PX, soft.shape[1] // FACE_PX))
        frames = [_frame(at[0] * FACE_PX - 0.5, at[1] * FACE_PX - 0.5) for at in self._at]
        counts = np.stack([self._seen(mask, frame).ravel() for frame in frames])
        faces = np.stack(
            [self._seen(soft[k].mean(axis=2), frame).ravel() for k, frame in zip(self.templates, frames, strict=True)]
        )
        faces *= counts
        faces /= np.maximum(np.linalg.norm(faces, axis=1, keepdims=True), 1e-6)
        return np.asarray(faces, np.float32), np.asarray(counts, np.float32)

    def _seen(self, picture: NDArray[np.float32], frame: Array) -> NDArray[np.float32]:
        """Return the compared window; ``frame`` (3, 2): the rank's middle, and a unit across and down."""
        left, top, right, bottom = self._box
        size = (round((right - left) * _UNIT), round((bottom - top) * _UNIT))
        m = np.column_stack([frame[1] / _UNIT, frame[2] / _UNIT, frame[0] + left * frame[1] + top * frame[2]])
        m[:, 2] += (m[:, 0] + m[:, 1]) / 2
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        return np.asarray(cv2.warpAffine(picture, m, size, flags=flags, borderMode=cv2.BORDER_REPLICATE), np.float32)

    def finding(self, image: Image, paper: Paper, mm: float | None = None) -> Generator[None, None, list[Found]]:
        """Look in small steps where indices may be on a piece of paper; returns the places, the likeliest first.

        Args:
            mm: how many pixels a millimeter is there, if that is known.
        """
        if not self.templates:
            return []
        x0, y0 = np.maximum(np.floor(paper.outline.min(axis=0)).astype(int) - 2, 0).tolist()
        x1, y1 = (np.ceil(paper.outline.max(axis=0)).astype(int) + 3).tolist()
        part = np.asarray(image[y0:y1, x0:x1], np.uint8)
        rough = mm or max(1.0, min(cv2.minAreaRect(paper.outline)[1]) / _SHARE_MM)
        darkness = _darkness(part, rough)
        inside = np.zeros(part.shape[:2], np.uint8)
        cv2.fillPoly(inside, [np.round(paper.outline - (x0, y0)).astype(np.int32)], 1)
        slack = 1.3 if mm else 2.2
        spots, reach = _spots(darkness, cv2.dilate(inside, _NEAR) > 0, rough, slack)
        spots = spots.joined(reach)
        soft = cv2.GaussianBlur(cv2.transform(darkness, _THIRDS), (0, 0), max(0.3, 0.2 * rough)).astype(np.float32)
        templates, counts = self._canonical
        found = []
        for n, (i, j) in enumerate(self._pairs(spots, rough, slack)):
            if n % _STEP == 0:
                yield
            frame = _frame(spots.at[i], spots.at[j])
            seen = self._seen(soft, frame).ravel()
            fits = templates @ seen / np.sqrt(np.maximum(counts @ np.square(seen), 1e-6))
            order = np.argsort(-fits)[:_MANY]
            best = float(fits[order[0]])
            if best < _LEAST_FIT:
                continue
            likely = tuple(self.templates[int(k)] for k in order if fits[k] > best - _ALIKE)
            at = self._pose(frame, int(order[0]))
            at[0] += x0, y0
            found.append(Found(best, at, likely))
        return _each_once(sorted(found, key=lambda one: -one.fit))

    def _pairs(self, spots: Spots, mm: float, slack: float) -> list[tuple[int, int]]:
        """Return which spots may be a rank and its suit: as far apart as their ink is large."""
        far = np.linalg.norm(spots.at[:, None] - spots.at[None], axis=2)
        low, high = self._apart.min() * mm / slack, self._apart.max() * mm * slack
        i, j = np.nonzero((far > low) & (far < high))
        scale = far[i, j][:, None] / self._apart[None]  # px a mm, by each template
        off = [
            np.abs(np.log(spots.area[k][:, None] / (self._area[None, :, one] * scale**2)))
            for one, k in enumerate((i, j))
        ]
        worse = np.maximum(off[0], off[1]).min(axis=1)
        keep = worse < _AREA
        return list(zip(i[keep].tolist(), j[keep].tolist(), strict=True))

    def _pose(self, frame: Array, k: int) -> Array:
        """Return the place of the index corner of the template of which a pair is the marks."""
        step = frame[2]
        mm = float(np.linalg.norm(step)) / self._apart[k]
        turn = float(np.arctan2(step[1], step[0])) - self._angle[k]
        x = mm * np.array([np.cos(turn), np.sin(turn)])
        y = np.array([-x[1], x[0]])
        rank = self._at[k, 0]
        return np.vstack([frame[0] - rank[0] * x - rank[1] * y, x, y])


def _each_once(found: Sequence[Found]) -> list[Found]:
    """Return the places without those that are another one, a little moved or turned."""
    kept: list[Found] = []
    for one in found:
        mm = float(np.linalg.norm(one.at[1]))
        reach = np.array([1.0, 10.0, 20.0])[:, None, None]
        if all(float(np.abs((one.at - other.at) * reach[:, 0]).max()) > 2 * _SAME_MM * mm for other in kept):
            kept.append(one)
    return kept


def _frame(rank: Array, suit: Array) -> Array:
    """Return the rank's middle and the unit across and down, (3, 2)."""
    down = np.asarray(suit, np.float64) - rank
    return np.vstack([rank, [down[1], -down[0]], down])


def _darkness(part: Image, mm: float) -> Patch:
    """Return how dark each place is compared with the paper near it."""
    side = max(5, round(_LEVEL_MM * mm))
    small = cv2.resize(part, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
    side = max(3, side // 4)
    level = cv2.blur(cv2.dilate(small, np.ones((side, side), np.uint8)), (side, side))
    paper = cv2.resize(level, (part.shape[1], part.shape[0]), interpolation=cv2.INTER_LINEAR).astype(np.float32)
    return np.asarray(np.clip(1 - part.astype(np.float32) / np.maximum(paper, 1.0), 0, 1), np.float32)


def _spots(darkness: Patch, inside: NDArray[np.bool_], mm: float, slack: float) -> tuple[Spots, Array]:
    """Return the spots of ink on the paper about as large as those of an index, and how far each reaches."""
    dark = darkest(darkness)
    found: list[list[float]] = []
    for level in INKS:
        _, _, stats, middles = cv2.connectedComponentsWithStats((dark > level).astype(np.uint8), connectivity=4)
        sides, area = stats[1:, 2:4].max(axis=1), stats[1:, 4]
        keep = (sides < _MOST_MM * mm * slack) & (area > _LEAST_MM2 * (mm / slack) ** 2) & (area > _LEAST_PX)
        keep &= (stats[1:, :2] > 0).all(axis=1) & (stats[1:, :2] + stats[1:, 2:4] < dark.shape[::-1]).all(axis=1)
        keep &= inside[tuple(np.round(middles[1:, ::-1]).astype(int).T)]
        new = np.column_stack([middles[1:], area, sides / 2])[keep]
        known = np.array(found).reshape(-1, 4)
        far = np.linalg.norm(new[:, None, :2] - known[None, :, :2], axis=2)
        like = np.abs(np.log(new[:, None, 2] / known[None, :, 2])) < _SAME_AREA
        found += new[~((far < _SAME_PX * mm) & like).any(axis=1)].tolist()
    x, y, area, reach = np.array(found[:_MOST_SPOTS], np.float64).reshape(-1, 4).T
    return Spots(np.column_stack([x, y]), area), reach


def _marks(corner: Patch, level: float) -> Spots | None:
    """Return rank and suit of a template, mm from the corner; None if they do not stand alone."""
    h, w = corner.shape[:2]
    ink = ((darkest(corner) > level) & (window_mask((w // FACE_PX, h // FACE_PX)) > 0)).astype(np.uint8)
    count, _, stats, middles = cv2.connectedComponentsWithStats(ink, connectivity=4)
    found = [
        (stats[k, :4] / FACE_PX, float(stats[k, 4]) / FACE_PX**2, (middles[k] + 0.5) / FACE_PX)
        for k in range(1, count)
        if stats[k, 4] >= _LEAST_MM2 * FACE_PX**2
    ]
    found = [one for one in found if max(one[0][2:]) <= _MOST_MM and one[0][0] + one[0][2] < w / FACE_PX - 0.3]
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
        middle = (rank[2] * rank[1] + beside[2] * beside[1]) / area
        rank = (np.array([x0, y0, x1 - x0, y1 - y0]), area, middle)
    below = [one for one in rest if one[0][1] > rank[2][1] and abs(one[2][0] - rank[2][0]) < 0.8 * max(rank[0][2:])]
    suit = min(below or rest, key=lambda one: float(np.linalg.norm(one[2] - rank[2])), default=None)
    if suit is None:
        return None
    return Spots(np.array([rank[2], suit[2]]), np.array([rank[1], suit[1]]))


def _is_beside(a: Sequence[float] | Array, b: Sequence[float] | Array) -> bool:
    """Say whether two boxes (x, y, w, h mm) stand beside each other, like a ten's figures."""
    gap = max(a[0], b[0]) - min(a[0] + a[2], b[0] + b[2])
    level = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    return bool(gap < _JOIN_MM and level > 0.6 * max(a[3], b[3]))
