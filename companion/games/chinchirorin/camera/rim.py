"""Finds the bowl in a picture: the ellipse of its rim, which also tells how the camera is tilted."""

from __future__ import annotations

from dataclasses import dataclass
from math import acos, cos, degrees, hypot, radians, sin
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.chinchirorin.camera.trace import FLATTEST, STEEP, Ellipse, traced
from companion.vision.dice.finding.heat import STRIDE, HeatNet, padded
from companion.vision.dice.finding.segments import shrunk
from companion.vision.frame import Image, Points

VIEW_PX: Final = 160
"""Longer side of the picture in which the bowl is searched."""
_LEAST: Final = 0.05  # of the picture that a bowl fills
_ROUND: Final = 0.93  # of the bowl's inside and of its ellipse that they have in common
_ROUGHLY: Final = 0.82  # the same, where the rim's edge agrees
_WHOLE: Final = 0.7  # of the rim that is in the picture, as roughly seen
_OUT: Final = 0.02  # of the rim's longer axis that it may seem to reach out of the picture: farther, dice may lie there
SIGNED_DEG: Final = 10.0
"""Of tilt: from here on its direction is told."""
_EDGE_PX: Final = 320  # longer side of the picture in which the rim's edge is searched
_POINTS, _STEPS, _ROUNDS = 96, 25, 2
_NEAR: Final = 0.07  # of the half axis, where the edge is searched
_USUAL: Final = 0.06
_AGREE: Final = 0.45  # of the points around that must lie on it
_TRACED: Final = 0.6  # of the way around with an edge on an ellipse that is found by edges alone
_INSIDE, _OUTSIDE = 0.2, 0.2  # the mean chances of the bowl inside and outside of that one


@dataclass(frozen=True, slots=True)
class Rim:
    """The rim of a bowl, in pixels.

    Attributes:
        center: of its ellipse.
        longer, shorter: whole axes. turn_deg: of the longer axis, clockwise from the picture's right.
        tilt_deg: of the camera off the vertical.
        away_deg: the direction that leads away from the camera, clockwise from the picture's upper side: of the two
            that the ellipse leaves open the one nearer to it, as cameras are held. 0 where there is hardly any tilt.
    """

    center: tuple[float, float]
    longer: float
    shorter: float
    turn_deg: float
    tilt_deg: float
    away_deg: float

    def off(self, point: tuple[float, float]) -> float:
        """Return how far a point is from the centre: 1 on the rim.

        >>> Rim((50.0, 50.0), 80.0, 40.0, 90.0, 60.0, 90.0).off((50.0, 90.0))
        1.0
        """
        dx, dy, turn = point[0] - self.center[0], point[1] - self.center[1], radians(self.turn_deg)
        along, across = dx * cos(turn) + dy * sin(turn), dy * cos(turn) - dx * sin(turn)
        return round(hypot(2 * along / self.longer, 2 * across / self.shorter), 9)

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
    odds = cv2.resize(maps[0], None, fx=STRIDE, fy=STRIDE, interpolation=cv2.INTER_LINEAR)[:h, :w]
    inside = _largest(odds > 0)
    if inside is None or inside.mean() < _LEAST:
        return None
    finer = shrunk(picture, _EDGE_PX)
    rough, common = _ellipse(inside)
    found = None
    if rough is not None and common >= _ROUGHLY:
        scaled = _scaled(rough, finer.shape[1] / w)
        found = _drawn_to_edges(finer, scaled) or (scaled if common >= _ROUND else None)
    if found is None:
        by_edges = _by_edges(small, odds, inside)
        found = by_edges and _scaled(by_edges, finer.shape[1] / w)
    if found is None:
        return None
    (x, y), (shorter, longer), turn = found
    scale = picture.shape[1] / finer.shape[1]
    tilt_deg = degrees(acos(min(1.0, shorter / longer)))
    across_deg = (turn + 90) % 180
    away_deg = 0.0 if tilt_deg < SIGNED_DEG else across_deg - 180.0 * (across_deg > 90)
    rim = Rim((x * scale, y * scale), longer * scale, shorter * scale, across_deg, tilt_deg, away_deg)
    return rim if _is_in(rim, picture) else None


def _is_in(rim: Rim, picture: Image) -> bool:
    left, top, w, h = rim.box
    spare = _OUT * rim.longer
    return min(left, top) > -spare and left + w < picture.shape[1] + spare and top + h < picture.shape[0] + spare


def _by_edges(picture: Image, odds: NDArray[np.floating], inside: NDArray[np.uint8]) -> Ellipse | None:
    """Return the rim as edges all around tell it, if most of the bowl seems to lie in it and little outside."""
    h, w = inside.shape
    contours, _ = cv2.findContours(inside, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    (x, y), radius = cv2.minEnclosingCircle(max(contours, key=cv2.contourArea))
    usual = 0.75 * min(h, w)
    starts: tuple[Ellipse, ...] = ((x, y), (2 * radius, 2 * radius), 0.0), ((w / 2, h / 2), (usual, usual), 0.0)
    found, share = max((traced(picture, start) for start in starts), key=lambda each: each[1])
    if found is None or share < _TRACED:
        return None
    filled = np.zeros_like(inside)
    cv2.ellipse(filled, found, 1, -1)
    chances = 1 / (1 + np.exp(-odds))
    is_bowl = chances[filled > 0].mean() > _INSIDE and chances[filled == 0].mean() < _OUTSIDE
    return found if is_bowl else None


def _scaled(ellipse: Ellipse, scale: float) -> Ellipse:
    (x, y), (shorter, longer), turn = ellipse
    return (x * scale, y * scale), (shorter * scale, longer * scale), turn


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
    if longer <= 0 or shorter < FLATTEST * longer or longer > 1.5 * max(h, w):
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
        clear = steep.max(axis=1) > STEEP
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
    return ellipse if shorter > FLATTEST * longer else None
