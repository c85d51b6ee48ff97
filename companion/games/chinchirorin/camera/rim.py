"""Finds the bowl in a picture: the ellipse of its rim, which also tells how the camera is tilted."""

from dataclasses import dataclass
from math import acos, cos, degrees, hypot, pi, radians, sin, sqrt
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.chinchirorin.camera.trace import Ellipse, traced
from companion.vision.dice.finding.heat import STRIDE, HeatNet, padded
from companion.vision.dice.finding.segments import shrunk
from companion.vision.frame import Image

Odds = NDArray[np.float32]
"""Log-odds (h, w) that a place is within the rim of a bowl."""
VIEW_PX: Final = 160
"""Longer side of the picture in which the bowl is searched."""
_MOST_ODDS: Final = 8.0
_RATHER: Final = 0.7  # log-odds: the network takes a part of a bowl for the table rather than the reverse
_LIFTS: Final = ((0.0, 0.5), (1.5, 0.88), (3.0, 0.88))
"""Log-odds that are added in turn, for a table's bold print makes the network doubt a bowl, and on how much of the way
around there must then be an edge."""
_LEAST: Final = 0.05  # of the picture that a bowl fills
_OUT: Final = 0.045  # of the rim's longer axis that it may reach out of the picture: farther, dice may lie there
SIGNED_DEG: Final = 10.0
"""Of tilt: from here on its direction is told."""
_CUT: Final = 0.45  # of its size that a bowl may have of the picture's border: more than so little of it is cut off
_INSIDE, _OUTSIDE = 0.2, 0.2  # the mean chances of the bowl inside and outside of the rim


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


def bowl_odds(small: Image, net: HeatNet) -> Odds:
    """Return how likely each place of a small picture, uint8 (h, w, 3) BGR, is within the rim of a bowl.

    It is looked at in four ways round: which prints of a table the network takes for a bowl's differs between them.

    Args:
        net: its map says it, in log-odds.
    """
    looks = [np.rot90(_odds(np.asarray(np.rot90(small, turns), np.uint8), net), -turns) for turns in range(4)]
    return np.asarray(np.mean(looks, axis=0) + _RATHER, np.float32)


def _odds(small: Image, net: HeatNet) -> Odds:
    h, w = small.shape[:2]
    maps = net.maps(padded(np.ascontiguousarray(small))[None])[0]
    odds = cv2.resize(maps[0], None, fx=STRIDE, fy=STRIDE, interpolation=cv2.INTER_LINEAR)[:h, :w]
    return np.asarray(np.clip(odds, -_MOST_ODDS, _MOST_ODDS), np.float32)


def rim_in(picture: Image, net: HeatNet) -> Rim | None:
    """Return the rim of the bowl in a picture, uint8 (H, W, 3) BGR; None where no whole bowl is clearly seen."""
    small = shrunk(picture, VIEW_PX)
    odds = bowl_odds(small, net)
    for lift, around in _LIFTS:
        found = _ellipse(small, odds + np.float32(lift), around)
        if found is not None:
            rim = _rim(found, picture.shape[1] / small.shape[1])
            return rim if _is_in(rim, picture) else None
    return None


def _ellipse(small: Image, odds: Odds, around: float) -> Ellipse | None:
    """Return the rim in a small picture, which has an edge on some of the way around; None where there is none."""
    inside = _largest(odds > 0)
    if inside is None or inside.mean() < _LEAST or _is_cut_off(inside):
        return None
    found, share = traced(small, odds, _circle(inside))
    return found if share >= around and _is_bowl(found, odds) else None


def _rim(ellipse: Ellipse, scale: float) -> Rim:
    (x, y), (shorter, longer), turn = ellipse
    tilt_deg = degrees(acos(min(1.0, shorter / longer)))
    across_deg = (turn + 90) % 180
    away_deg = 0.0 if tilt_deg < SIGNED_DEG else across_deg - 180.0 * (across_deg > 90)
    return Rim((x * scale, y * scale), longer * scale, shorter * scale, across_deg, tilt_deg, away_deg)


def _is_cut_off(inside: NDArray[np.uint8]) -> bool:
    """Whether a bowl goes on beyond the picture: it has more of its border than a whole one may touch."""
    border = max(edge.sum() for edge in (inside[0], inside[-1], inside[:, 0], inside[:, -1]))
    return bool(border > _CUT * 2 * sqrt(inside.sum() / pi))


def _is_in(rim: Rim, picture: Image) -> bool:
    left, top, w, h = rim.box
    spare = _OUT * rim.longer
    return min(left, top) > -spare and left + w < picture.shape[1] + spare and top + h < picture.shape[0] + spare


def _is_bowl(ellipse: Ellipse, odds: NDArray[np.floating]) -> bool:
    """Whether most of what looks like a bowl lies in an ellipse, and little outside."""
    filled = np.zeros(odds.shape, np.uint8)
    cv2.ellipse(filled, ellipse, 1, -1)
    chances = 1 / (1 + np.exp(-odds))
    return bool(chances[filled > 0].mean() > _INSIDE and (filled.all() or chances[filled == 0].mean() < _OUTSIDE))


def _largest(mask: NDArray[np.bool_]) -> NDArray[np.uint8] | None:
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8))
    if count < 2:
        return None
    return np.asarray(labels == 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax()), np.uint8)


def _circle(inside: NDArray[np.uint8]) -> Ellipse:
    """Return the circle as large as a mask, about its middle."""
    moments = cv2.moments(inside, binaryImage=True)
    across = 2 * sqrt(moments["m00"] / pi)
    return (moments["m10"] / moments["m00"], moments["m01"] / moments["m00"]), (across, across), 0.0
