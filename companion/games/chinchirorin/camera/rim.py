"""Finds the bowl in a picture: the ellipse of its rim, which also tells how the camera is tilted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import acos, atan2, cos, degrees, hypot, radians, sin
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.dice.finding.heat import STRIDE, HeatNet, padded
from companion.vision.dice.finding.segments import shrunk
from companion.vision.frame import Image, Points

VIEW_PX: Final = 160
"""Longer side of the picture in which the bowl is searched."""
_LEAST: Final = 0.05  # of the picture that a bowl fills
_ROUND: Final = 0.93  # of the bowl's inside and of its ellipse that they have in common
_ROUGHLY: Final = 0.82  # the same, where the rim's edge agrees
_WHOLE: Final = 0.7  # of the rim that is in the picture
_FLATTEST: Final = 0.7  # of the ellipse: 45 degrees of tilt
SIGNED_DEG: Final = 10.0
"""Of tilt: from here on its direction is needed."""
_STEEPEST: Final = 0.9  # of a die's normal, at the rim
_TOLD: Final = 0.06  # squared: by so much more the wrong direction must miss the dice's normals
_EDGE_PX: Final = 320  # longer side of the picture in which the rim's edge is searched
_POINTS, _STEPS, _ROUNDS = 96, 25, 2
_NEAR: Final = 0.07  # of the half axis, where the edge is searched
_USUAL: Final = 0.06
_STEEP: Final = 8.0  # of an edge, in steps of colour
_AGREE: Final = 0.45  # of the points around that must lie on it

Ellipse = tuple[tuple[float, float], tuple[float, float], float]
"""As OpenCV has it: centre, shorter and longer axis, turn of the shorter one in degrees clockwise from the right."""


@dataclass(frozen=True, slots=True)
class Rim:
    """The rim of a bowl, in pixels.

    Attributes:
        center: of its ellipse.
        longer, shorter: whole axes. turn_deg: of the longer axis, clockwise from the picture's right.
        tilt_deg: of the camera off the vertical.
        away_deg: the direction that leads away from the camera, clockwise from the picture's upper side; None: unknown.
    """

    center: tuple[float, float]
    longer: float
    shorter: float
    turn_deg: float
    tilt_deg: float
    away_deg: float | None

    def off(self, point: tuple[float, float]) -> float:
        """Return how far a point is from the centre: 1 on the rim.

        >>> Rim((50.0, 50.0), 80.0, 40.0, 90.0, 60.0, 90.0).off((50.0, 90.0))
        1.0
        """
        dx, dy, turn = point[0] - self.center[0], point[1] - self.center[1], radians(self.turn_deg)
        along, across = dx * cos(turn) + dy * sin(turn), dy * cos(turn) - dx * sin(turn)
        return round(hypot(2 * along / self.longer, 2 * across / self.shorter), 9)

    def directed(
        self, places: Sequence[tuple[float, float]], normals: NDArray[np.floating], weights: NDArray[np.floating]
    ) -> Rim:
        """Return the rim with the direction of the tilt that fits dice: they stand upright on the bowl's slope.

        Args:
            places: the dice's middles, px. normals: of their upper faces, as the camera sees them, (n, 2).
            weights: how likely each is a die.
        """
        turn = radians(self.turn_deg + 90)
        tilt = sin(radians(self.tilt_deg)) * np.array([cos(turn), sin(turn)])
        inwards = (np.array(self.center) - np.array(places)) / (self.longer / 2)
        plus, minus = (_misfit(normals - sign * tilt, inwards, weights) for sign in (1, -1))
        if abs(plus - minus) < _TOLD:
            return self
        way = tilt if plus < minus else -tilt
        return replace(self, away_deg=round(degrees(atan2(way[0], -way[1])), 6) % 360)

    def off_upright(
        self, places: Sequence[tuple[float, float]], normals: NDArray[np.floating], weights: NDArray[np.floating]
    ) -> NDArray[np.floating]:
        """Return for each die how far its normal is from one that stands upright on the slope where it lies."""
        if self.away_deg is None or not len(places):
            return np.zeros(len(places))
        away = radians(self.away_deg)
        rest = normals - sin(radians(self.tilt_deg)) * np.array([sin(away), -cos(away)])
        inwards = (np.array(self.center) - np.array(places)) / (self.longer / 2)
        return np.asarray(np.linalg.norm(rest - _slope(rest, inwards, weights[:, None]) * inwards, axis=1))

    @property
    def box(self) -> tuple[int, int, int, int]:
        turn = radians(self.turn_deg)
        w = hypot(self.longer * cos(turn), self.shorter * sin(turn))
        h = hypot(self.longer * sin(turn), self.shorter * cos(turn))
        return round(self.center[0] - w / 2), round(self.center[1] - h / 2), round(w), round(h)


def rim_in(picture: Image, net: HeatNet) -> Rim | None:
    """Return the rim of the bowl in a picture, uint8 (H, W, 3) BGR; None where no whole bowl is clearly seen.

    Args:
        net: its map says how likely each place is within the rim of a bowl (log-odds).
    """
    small = shrunk(picture, VIEW_PX)
    h, w = small.shape[:2]
    maps = net.maps(padded(small)[None])[0]
    inside = _largest(cv2.resize(maps[0], None, fx=STRIDE, fy=STRIDE, interpolation=cv2.INTER_LINEAR)[:h, :w] > 0)
    if inside is None or inside.mean() < _LEAST:
        return None
    rough, common = _ellipse(inside)
    if rough is None or common < _ROUGHLY:
        return None
    finer = shrunk(picture, _EDGE_PX)
    scaled = _scaled(rough, finer.shape[1] / w)
    drawn = _drawn_to_edges(finer, scaled)
    if drawn is None and common < _ROUND:
        return None
    (x, y), (shorter, longer), turn = drawn or scaled
    scale = picture.shape[1] / finer.shape[1]
    tilt_deg = degrees(acos(min(1.0, shorter / longer)))
    away_deg = 0.0 if tilt_deg < SIGNED_DEG else None
    return Rim((x * scale, y * scale), longer * scale, shorter * scale, (turn + 90) % 180, tilt_deg, away_deg)


def _scaled(ellipse: Ellipse, scale: float) -> Ellipse:
    (x, y), (shorter, longer), turn = ellipse
    return (x * scale, y * scale), (shorter * scale, longer * scale), turn


def _misfit(normals: NDArray[np.floating], inwards: NDArray[np.floating], weights: NDArray[np.floating]) -> float:
    """Return how far normals are from leaning inwards, the more the farther out; squares on average."""
    w = weights[:, None]
    slope = _slope(normals, inwards, w)
    return float((w * (normals - slope * inwards) ** 2).sum() / max(1e-6, float(weights.sum())))


def _slope(normals: NDArray[np.floating], inwards: NDArray[np.floating], w: NDArray[np.floating]) -> float:
    """Return how far dice at the rim lean inwards."""
    return float(np.clip((w * normals * inwards).sum() / max(1e-6, float((w * inwards**2).sum())), 0, _STEEPEST))


def _largest(mask: NDArray[np.bool_]) -> NDArray[np.uint8] | None:
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8))
    if count < 2:
        return None
    return np.asarray(labels == 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax()), np.uint8)


def _ellipse(inside: NDArray[np.uint8]) -> tuple[Ellipse | None, float]:
    """Return the ellipse around a mask (None if cut off, or too narrow), and the share that both have in common."""
    contours, _ = cv2.findContours(inside, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    hull = cv2.convexHull(max(contours, key=cv2.contourArea))
    ring = cv2.approxPolyDP(hull, 0.0, True)[:, 0].astype(np.float32)
    ring = _denser(ring)
    h, w = inside.shape
    free = ring[(ring[:, 0] > 1) & (ring[:, 1] > 1) & (ring[:, 0] < w - 2) & (ring[:, 1] < h - 2)]
    if len(free) < max(12, _WHOLE * len(ring)):
        return None, 0.0
    center, (shorter, longer), turn = cv2.fitEllipse(free + 0.5)
    if longer <= 0 or shorter < _FLATTEST * longer or longer > 1.5 * max(h, w):
        return None, 0.0
    filled = np.zeros_like(inside)
    cv2.ellipse(filled, (center, (shorter, longer), turn), 1, -1)
    common = float((filled & inside).sum()) / max(1, int((filled | inside).sum()))
    return ((float(center[0]), float(center[1])), (float(shorter), float(longer)), float(turn)), common


def _denser(ring: Points) -> Points:
    """Return points about a pixel apart along a closed line."""
    after = np.roll(ring, -1, axis=0)
    steps = np.maximum(1, np.linalg.norm(after - ring, axis=1).astype(int))
    return np.concatenate([np.linspace(a, b, n, endpoint=False) for a, b, n in zip(ring, after, steps, strict=True)])


def _drawn_to_edges(picture: Image, ellipse: Ellipse) -> Ellipse | None:
    """Return the ellipse moved to the edge of the rim; None where there is no clear one all around."""
    lab = cv2.cvtColor(cv2.GaussianBlur(picture, (3, 3), 0), cv2.COLOR_BGR2LAB).astype(np.float32)
    offsets = np.linspace(-_NEAR, _NEAR, _STEPS).astype(np.float32)
    now = ellipse
    for _ in range(_ROUNDS):
        on, outward, size = _around(now)
        places = on[:, None] + (offsets * size)[None, :, None] * outward[:, None]
        seen = cv2.remap(lab, np.ascontiguousarray(places, np.float32), None, cv2.INTER_LINEAR)  # type: ignore[call-overload]
        steep = np.linalg.norm(seen[:, 2:] - seen[:, :-2], axis=2) * np.exp(-((offsets[1:-1] / _USUAL) ** 2))
        best = steep.argmax(axis=1)
        points = places[np.arange(len(on)), best + 1]
        clear = steep.max(axis=1) > _STEEP
        if clear.mean() < _AGREE:
            return None
        fitted = _fitted(points[clear], size)
        if fitted is None or abs(fitted[1][1] / ellipse[1][1] - 1) > 2 * _NEAR:
            return None
        now = fitted
    return now


def _around(ellipse: Ellipse) -> tuple[Points, Points, float]:
    """Return points on an ellipse, which way is outwards there, and its mean half axis."""
    (x, y), (shorter, longer), turn_deg = ellipse
    turn, angle = radians(turn_deg), np.linspace(0, 2 * np.pi, _POINTS, endpoint=False)
    axes = np.array([[cos(turn), sin(turn)], [-sin(turn), cos(turn)]])
    on = np.column_stack([np.cos(angle) * shorter / 2, np.sin(angle) * longer / 2]) @ axes + (x, y)
    outward = np.column_stack([np.cos(angle) / shorter, np.sin(angle) / longer]) @ axes
    outward /= np.linalg.norm(outward, axis=1)[:, None]
    return on.astype(np.float32), outward.astype(np.float32), (shorter + longer) / 4


def _fitted(points: Points, size: float) -> Ellipse | None:
    """Return the ellipse that most points lie on, leaving out the others step by step."""
    kept = points
    for _ in range(4):
        if len(kept) < _AGREE * len(points) or len(kept) < 8:
            return None
        (x, y), (shorter, longer), turn = cv2.fitEllipseDirect(np.ascontiguousarray(kept, np.float32))
        ellipse = ((float(x), float(y)), (float(shorter), float(longer)), float(turn))
        dx, dy, angle = points[:, 0] - x, points[:, 1] - y, radians(turn)
        across, along = dx * cos(angle) + dy * sin(angle), dy * cos(angle) - dx * sin(angle)
        off = np.abs(np.hypot(2 * across / max(shorter, 1e-3), 2 * along / max(longer, 1e-3)) - 1) * size
        kept = points[off < max(1.0, 2.0 * float(np.median(off)))]
    return ellipse if shorter > _FLATTEST * longer else None
