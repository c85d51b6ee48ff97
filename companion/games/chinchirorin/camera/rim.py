"""Finds the bowl in a picture: the ellipse of its rim, which also indicates the camera's tilt."""

from dataclasses import dataclass
from math import acos, cos, degrees, hypot, pi, radians, sin, sqrt
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.chinchirorin.camera.ellipse import Ellipse, fit_ellipse
from companion.vision.dice.finding.heat import STRIDE, HeatNet, padded
from companion.vision.dice.finding.segments import shrunk
from companion.vision.frame import Image

LogOdds = NDArray[np.float32]
"""Log-odds (h, w) that a pixel lies within the rim of a bowl."""
SEARCH_PX: Final = 160
"""Longer side of the downscaled picture in which the bowl is searched."""
_LOG_ODDS_LIMIT: Final = 8.0
_BIAS: Final = 0.7
"""Added to the network's log-odds: it more often takes a part of a bowl for the table than the reverse."""
_ATTEMPTS: Final = ((0.0, 0.5), (1.5, 0.88), (3.0, 0.88))
"""Log-odds added in each attempt, since bold prints on a table make the network doubt a bowl, and the share of the rim
that must then lie on an edge."""
_MIN_AREA: Final = 0.05
"""Share of the picture."""
_MAX_OVERHANG: Final = 0.045
"""Part of the rim's major axis that may lie outside the picture; dice could lie in more of it."""
DIRECTED_FROM_DEG: Final = 10.0
"""Tilt from which its direction is known."""
_MAX_BORDER: Final = 0.45
"""Share of the bowl's diameter that may touch one border of the picture; a bowl with more of it is cut off."""
_MIN_MEAN_INSIDE, _MAX_MEAN_OUTSIDE = 0.2, 0.2
"""Mean probabilities of the bowl inside and outside the rim."""


@dataclass(frozen=True, slots=True)
class Rim:
    """The rim of a bowl: an ellipse in the picture.

    Attributes:
        center, major_px, minor_px: its centre and full axes, px.
        rotation_deg: of the major axis, clockwise from the picture's right.
        tilt_deg: the camera's, off the vertical.
        away_deg: the direction away from the camera, clockwise from the picture's upper side. The ellipse leaves two
            opposite ones; the one nearer to the upper side is assumed. 0 if there is hardly any tilt.
    """

    center: tuple[float, float]
    major_px: float
    minor_px: float
    rotation_deg: float
    tilt_deg: float
    away_deg: float

    def relative_radius(self, point: tuple[float, float]) -> float:
        """Return a point's distance from the centre: 1 on the rim.

        >>> Rim((50.0, 50.0), 80.0, 40.0, 90.0, 60.0, 90.0).relative_radius((50.0, 90.0))
        1.0
        """
        dx, dy, angle = point[0] - self.center[0], point[1] - self.center[1], radians(self.rotation_deg)
        along, across = dx * cos(angle) + dy * sin(angle), dy * cos(angle) - dx * sin(angle)
        return round(hypot(2 * along / self.major_px, 2 * across / self.minor_px), 9)

    @property
    def box(self) -> tuple[int, int, int, int]:
        """The bounding box (x, y, width, height), px."""
        angle = radians(self.rotation_deg)
        w = hypot(self.major_px * cos(angle), self.minor_px * sin(angle))
        h = hypot(self.major_px * sin(angle), self.minor_px * cos(angle))
        return round(self.center[0] - w / 2), round(self.center[1] - h / 2), round(w), round(h)


def bowl_log_odds(small: Image, net: HeatNet) -> LogOdds:
    """Return the log-odds (h, w) of each pixel of a small picture, uint8 (h, w, 3) BGR, to lie within a bowl's rim.

    They are averaged over four rotations, since prints that the network mistakes for a bowl differ between them.
    """
    views = [np.rot90(_log_odds(np.asarray(np.rot90(small, turns), np.uint8), net), -turns) for turns in range(4)]
    return np.asarray(np.mean(views, axis=0) + _BIAS, np.float32)


def _log_odds(small: Image, net: HeatNet) -> LogOdds:
    h, w = small.shape[:2]
    maps = net.maps(padded(np.ascontiguousarray(small))[None])[0]
    log_odds = cv2.resize(maps[0], None, fx=STRIDE, fy=STRIDE, interpolation=cv2.INTER_LINEAR)[:h, :w]
    return np.asarray(np.clip(log_odds, -_LOG_ODDS_LIMIT, _LOG_ODDS_LIMIT), np.float32)


def find_rim(picture: Image, net: HeatNet) -> Rim | None:
    """Return the rim of the bowl in a picture, uint8 (H, W, 3) BGR; None if no complete bowl is clearly visible."""
    small = shrunk(picture, SEARCH_PX)
    log_odds = bowl_log_odds(small, net)
    for added, min_edge in _ATTEMPTS:
        ellipse = _find_ellipse(small, log_odds + np.float32(added), min_edge)
        if ellipse is not None:
            rim = _rim(ellipse, picture.shape[1] / small.shape[1])
            return rim if _is_inside(rim, picture) else None
    return None


def _find_ellipse(small: Image, log_odds: LogOdds, min_edge: float) -> Ellipse | None:
    inside = _largest_component(log_odds > 0)
    if inside is None or inside.mean() < _MIN_AREA or _is_cut_off(inside):
        return None
    ellipse, edge = fit_ellipse(small, log_odds, _equivalent_circle(inside))
    return ellipse if edge >= min_edge and _is_bowl(ellipse, log_odds) else None


def _rim(ellipse: Ellipse, scale: float) -> Rim:
    (x, y), (minor, major), rotation_deg = ellipse
    tilt_deg = degrees(acos(min(1.0, minor / major)))
    major_deg = (rotation_deg + 90) % 180
    away_deg = 0.0 if tilt_deg < DIRECTED_FROM_DEG else major_deg - 180.0 * (major_deg > 90)
    return Rim((x * scale, y * scale), major * scale, minor * scale, major_deg, tilt_deg, away_deg)


def _is_cut_off(inside: NDArray[np.uint8]) -> bool:
    """Whether the picture's border cuts the bowl off."""
    border = max(edge.sum() for edge in (inside[0], inside[-1], inside[:, 0], inside[:, -1]))
    return bool(border > _MAX_BORDER * 2 * sqrt(inside.sum() / pi))


def _is_inside(rim: Rim, picture: Image) -> bool:
    left, top, w, h = rim.box
    spare = _MAX_OVERHANG * rim.major_px
    return min(left, top) > -spare and left + w < picture.shape[1] + spare and top + h < picture.shape[0] + spare


def _is_bowl(ellipse: Ellipse, log_odds: NDArray[np.floating]) -> bool:
    """Whether most of what the network takes for a bowl lies in an ellipse, and little outside."""
    filled = np.zeros(log_odds.shape, np.uint8)
    cv2.ellipse(filled, ellipse, 1, -1)
    p = 1 / (1 + np.exp(-log_odds))
    return bool(p[filled > 0].mean() > _MIN_MEAN_INSIDE and (filled.all() or p[filled == 0].mean() < _MAX_MEAN_OUTSIDE))


def _largest_component(mask: NDArray[np.bool_]) -> NDArray[np.uint8] | None:
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8))
    if count < 2:
        return None
    return np.asarray(labels == 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax()), np.uint8)


def _equivalent_circle(inside: NDArray[np.uint8]) -> Ellipse:
    """Return the circle with a mask's area and centroid."""
    moments = cv2.moments(inside, binaryImage=True)
    diameter = 2 * sqrt(moments["m00"] / pi)
    return (moments["m10"] / moments["m00"], moments["m01"] / moments["m00"]), (diameter, diameter), 0.0
