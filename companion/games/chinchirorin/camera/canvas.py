"""The picture as the network that reads a bowl takes it: the rim always as large, up leads away from the camera."""

from dataclasses import dataclass
from functools import lru_cache
from math import cos, radians, sin
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.frame import Image, Points

ACROSS_PX: Final = 256.0
"""The rim's longer axis."""
SIDE: Final = 272
CHANNELS: Final = 6
"""Red, green, blue (0 to 1); place to the right and down, by the rim's longer half axis; tilt in 30 degrees."""
STRIDE: Final = 8
SIZE_UNIT: Final = 32.0
TILT_UNIT: Final = 30.0
CLOSE_SIDE: Final = 80
CLOSE_PX: Final = 50.0
"""The size of the die that a close-up shows."""
CLOSE_CHANNELS: Final = 7
"""Red, green, blue; place, as above; how far the camera is tilted to the right and down, in 30 degrees."""


@dataclass(frozen=True, slots=True)
class Frame:
    """How a picture is laid onto the canvas.

    Attributes:
        where: (2, 3), from the picture's pixels to the canvas's.
        side: of the canvas. scale: canvas pixels by picture pixel.
        across: the rim's longer axis on the canvas.
        tilt_deg: of the camera, as the rim tells it.
    """

    where: NDArray[np.float64]
    side: int
    scale: float
    across: float
    tilt_deg: float

    def back(self, points: Points) -> Points:
        """Return canvas points (n, 2) as points of the picture."""
        turn = self.where[:, :2]
        return np.asarray((points - self.where[:, 2]) @ np.linalg.inv(turn).T)


def framed(
    center: tuple[float, float], longer: float, turn_deg: float, tilt_deg: float, *, zoom: float = 1.0,
    side: int = SIDE,
) -> Frame:  # fmt: skip
    """Return the frame of a bowl.

    Args:
        center, longer: of its rim, px.
        turn_deg: where up on the canvas lies in the picture, clockwise from its upper side.
    """
    across = ACROSS_PX * zoom
    scale, turn = across / longer, radians(turn_deg)
    matrix = scale * np.array([[cos(turn), sin(turn)], [-sin(turn), cos(turn)]])
    shift = side / 2 - matrix @ np.array(center)
    return Frame(np.column_stack([matrix, shift]), side, scale, across, tilt_deg)


def drawn(picture: Image, frame: Frame) -> Image:
    """Return the canvas, uint8 (side, side, 3) BGR."""
    corners = frame.back(np.array([[0, 0], [1, 0], [0, 1], [1, 1]]) * frame.side)
    left, top = np.clip(corners.min(axis=0) - 4, 0, (picture.shape[1] - 1, picture.shape[0] - 1)).astype(int)
    right, below = np.maximum(corners.max(axis=0).astype(int) + 5, (left + 1, top + 1))
    small, where = picture[top:below, left:right], frame.where.copy()
    where[:, 2] += where[:, :2] @ (left, top)
    if frame.scale < 0.5:  # warping alone would leave pixels out
        factor = 2 * frame.scale
        size = (max(1, round(small.shape[1] * factor)), max(1, round(small.shape[0] * factor)))
        where[:, 0] *= small.shape[1] / size[0]
        where[:, 1] *= small.shape[0] / size[1]
        small = np.asarray(cv2.resize(small, size, interpolation=cv2.INTER_AREA), np.uint8)
    if frame.scale < 0.8:
        small = np.asarray(cv2.GaussianBlur(small, (3, 3), 0.6), np.uint8)
    side = frame.side
    cut = cv2.warpAffine(small, where, (side, side), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cut, np.uint8)


def blob(canvas: Image, frame: Frame, center: tuple[float, float]) -> NDArray[np.float32]:
    """Return what the network that finds dice takes, float32 (1, 6, side, side).

    Args:
        center: of the rim in the picture.
    """
    done = np.empty((1, CHANNELS, *canvas.shape[:2]), np.float32)
    done[0, :5] = _colors_and_places(canvas, frame, center)
    done[0, 5] = frame.tilt_deg / TILT_UNIT
    return done


def close_up(
    middle: tuple[float, float], size: float, longer: float, turn_deg: float, tilt_deg: float
) -> Frame:  # fmt: skip
    """Return the frame of one die: its middle and size, the longer axis of the rim, px; which way is up as above."""
    zoom = CLOSE_PX / size * longer / ACROSS_PX
    return framed(middle, longer, turn_deg, tilt_deg, zoom=zoom, side=CLOSE_SIDE)


def close_blob(
    canvas: Image, frame: Frame, center: tuple[float, float], away_deg: float | None
) -> NDArray[np.float32]:  # fmt: skip
    """Return what the network that reads a die takes, float32 (7, side, side).

    Args:
        center: of the rim in the picture. away_deg: on the canvas, clockwise from up; None if not known.
    """
    done = np.empty((CLOSE_CHANNELS, *canvas.shape[:2]), np.float32)
    done[:5] = _colors_and_places(canvas, frame, center)
    away = radians(away_deg or 0.0)
    tilt = frame.tilt_deg / TILT_UNIT if away_deg is not None else 0.0
    done[5], done[6] = tilt * sin(away), -tilt * cos(away)
    return done


def _colors_and_places(canvas: Image, frame: Frame, center: tuple[float, float]) -> NDArray[np.float32]:
    done = np.empty((5, *canvas.shape[:2]), np.float32)
    done[:3] = canvas[..., ::-1].transpose(2, 0, 1)
    done[:3] *= np.float32(1 / 255)
    off = (frame.side / 2 - frame.where @ (*center, 1)) * (2 / frame.across)
    done[3:] = _places(frame.side) * np.float32(2 / frame.across) + off.astype(np.float32)[:, None, None]
    return done


@lru_cache(maxsize=64)
def _places(side: int) -> NDArray[np.float32]:
    y, x = np.mgrid[0:side, 0:side].astype(np.float32) + np.float32(0.5 - side / 2)
    return np.stack([x, y])
