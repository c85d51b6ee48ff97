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
_ROUND: Final = 0.93  # of its ellipse that the bowl's inside and the ellipse have in common
_WHOLE: Final = 0.7  # of the rim that is in the picture
_FLATTEST: Final = 0.7  # of the ellipse: 45 degrees of tilt
SIGNED_DEG: Final = 10.0
"""Of tilt: from here on its direction is needed."""
_STEEPEST: Final = 0.9  # of a die's normal, at the rim
_TOLD: Final = 0.06  # squared: by so much more the wrong direction must miss the dice's normals
_CLEAR: Final = 0.4  # of the tilt's sine along the ellipse's shorter axis: then the direction is known


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
        told = degrees(atan2(way[0], -way[1])) % 360
        agrees = self.away_deg is None or cos(radians(told - self.away_deg)) > 0
        return replace(self, away_deg=told if agrees else None)

    @property
    def box(self) -> tuple[int, int, int, int]:
        turn = radians(self.turn_deg)
        w = hypot(self.longer * cos(turn), self.shorter * sin(turn))
        h = hypot(self.longer * sin(turn), self.shorter * cos(turn))
        return round(self.center[0] - w / 2), round(self.center[1] - h / 2), round(w), round(h)


def rim_in(picture: Image, net: HeatNet) -> Rim | None:
    """Return the rim of the bowl in a picture, uint8 (H, W, 3) BGR; None where no whole bowl is clearly seen.

    Args:
        net: its maps say how likely each place is within a bowl (log-odds), and the camera's tilt there: x and y of the
            direction away from the camera, as long as the tilt's sine.
    """
    small = shrunk(picture, VIEW_PX)
    h, w = small.shape[:2]
    maps = net.maps(padded(small)[None])[0]
    inside = _largest(cv2.resize(maps[0], None, fx=STRIDE, fy=STRIDE, interpolation=cv2.INTER_LINEAR)[:h, :w] > 0)
    if inside is None or inside.mean() < _LEAST:
        return None
    ellipse = _ellipse(inside)
    if ellipse is None:
        return None
    (x, y), (shorter, longer), turn = ellipse
    sure = maps[0] > 2
    tilt = maps[1:3, sure].mean(axis=1) if sure.any() else np.zeros(2, np.float32)
    scale = picture.shape[1] / w
    center = (float(x * scale), float(y * scale))
    tilt_deg, away_deg = _tilt(shorter / longer, turn, (float(tilt[0]), float(tilt[1])))
    return Rim(center, float(longer * scale), float(shorter * scale), (turn + 90) % 180, tilt_deg, away_deg)


def _misfit(normals: NDArray[np.floating], inwards: NDArray[np.floating], weights: NDArray[np.floating]) -> float:
    """Return how far normals are from leaning inwards, the more the farther out; squares on average."""
    w = weights[:, None]
    slope = float(np.clip((w * normals * inwards).sum() / max(1e-6, float((w * inwards**2).sum())), 0, _STEEPEST))
    return float((w * (normals - slope * inwards) ** 2).sum() / max(1e-6, float(weights.sum())))


def _largest(mask: NDArray[np.bool_]) -> NDArray[np.uint8] | None:
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8))
    if count < 2:
        return None
    return np.asarray(labels == 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax()), np.uint8)


def _ellipse(inside: NDArray[np.uint8]) -> tuple[Points, tuple[float, float], float] | None:
    """Return the centre, shorter and longer axis and turn of the ellipse that a mask fills; None for other shapes."""
    contours, _ = cv2.findContours(inside, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    hull = cv2.convexHull(max(contours, key=cv2.contourArea))
    ring = cv2.approxPolyDP(hull, 0.0, True)[:, 0].astype(np.float32)
    ring = _denser(ring)
    h, w = inside.shape
    free = ring[(ring[:, 0] > 1) & (ring[:, 1] > 1) & (ring[:, 0] < w - 2) & (ring[:, 1] < h - 2)]
    if len(free) < max(12, _WHOLE * len(ring)):
        return None
    center, (shorter, longer), turn = cv2.fitEllipse(free + 0.5)
    if longer <= 0 or shorter < _FLATTEST * longer or longer > 1.5 * max(h, w):
        return None
    filled = np.zeros_like(inside)
    cv2.ellipse(filled, (center, (shorter, longer), turn), 1, -1)
    common = float((filled & inside).sum()) / max(1, int((filled | inside).sum()))
    return (np.asarray(center), (float(shorter), float(longer)), float(turn)) if common > _ROUND else None


def _denser(ring: Points) -> Points:
    """Return points about a pixel apart along a closed line."""
    after = np.roll(ring, -1, axis=0)
    steps = np.maximum(1, np.linalg.norm(after - ring, axis=1).astype(int))
    return np.concatenate([np.linspace(a, b, n, endpoint=False) for a, b, n in zip(ring, after, steps, strict=True)])


def _tilt(ratio: float, turn_deg: float, seen: tuple[float, float]) -> tuple[float, float | None]:
    """Return the camera's tilt and the direction away from it, from the ellipse and from what the network says.

    The ellipse says how much and along which axis, the network which way along it.
    """
    tilt = acos(min(1.0, ratio))
    axis = (cos(radians(turn_deg)), sin(radians(turn_deg)))  # OpenCV's angle is that of the first, shorter side
    along = axis[0] * seen[0] + axis[1] * seen[1]
    if degrees(tilt) < SIGNED_DEG:
        return degrees(tilt), degrees(atan2(seen[0], -seen[1])) % 360
    if abs(along) < _CLEAR * sin(tilt):
        return degrees(tilt), None
    sign = 1 if along > 0 else -1
    return degrees(tilt), degrees(atan2(sign * axis[0], -sign * axis[1])) % 360
