"""The canvases that the bowl's networks take: a fixed rim size, with up leading away from the camera."""

from dataclasses import dataclass
from functools import lru_cache
from math import cos, radians, sin
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.frame import Image, Points

RIM_PX: Final = 256.0
"""The rim's major axis."""
SIDE: Final = 272
CHANNELS: Final = 6
"""Red, green, blue (0 to 1); position right and down of the rim's centre, in semi-major axes; tilt in 30 degrees."""
STRIDE: Final = 8
SIZE_UNIT: Final = 32.0
TILT_UNIT: Final = 30.0
CROP_SIDE: Final = 80
CROP_DIE_PX: Final = 50.0
"""The die's size in its crop."""
CROP_CHANNELS: Final = 7
"""Red, green, blue; position, as above; the camera's tilt to the right and down, in 30 degrees."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A similarity transform from the picture to a square canvas.

    Attributes:
        matrix: (2, 3), from the picture's pixels to the canvas's.
        side: of the canvas, px. scale: canvas pixels per picture pixel.
        rim_px: the rim's major axis on the canvas.
        tilt_deg: the camera's, estimated from the rim.
    """

    matrix: NDArray[np.float64]
    side: int
    scale: float
    rim_px: float
    tilt_deg: float

    def back(self, points: Points) -> Points:
        """Return canvas points (n, 2) in the picture's pixels."""
        return np.asarray((points - self.matrix[:, 2]) @ np.linalg.inv(self.matrix[:, :2]).T)


def bowl_frame(
    center: tuple[float, float], major_px: float, rotation_deg: float, tilt_deg: float, *, zoom: float = 1.0,
    side: int = SIDE,
) -> Frame:  # fmt: skip
    """Return the frame of a bowl.

    Args:
        center, major_px: of its rim in the picture, px.
        rotation_deg: the picture's direction that is up on the canvas, clockwise from the picture's upper side.
    """
    rim_px = RIM_PX * zoom
    scale, angle = rim_px / major_px, radians(rotation_deg)
    linear = scale * np.array([[cos(angle), sin(angle)], [-sin(angle), cos(angle)]])
    shift = side / 2 - linear @ np.array(center)
    return Frame(np.column_stack([linear, shift]), side, scale, rim_px, tilt_deg)


def warped(picture: Image, frame: Frame) -> Image:
    """Return the canvas, uint8 (side, side, 3) BGR."""
    corners = frame.back(np.array([[0, 0], [1, 0], [0, 1], [1, 1]]) * frame.side)
    left, top = np.clip(corners.min(axis=0) - 4, 0, (picture.shape[1] - 1, picture.shape[0] - 1)).astype(int)
    right, below = np.maximum(corners.max(axis=0).astype(int) + 5, (left + 1, top + 1))
    small, matrix = picture[top:below, left:right], frame.matrix.copy()
    matrix[:, 2] += matrix[:, :2] @ (left, top)
    if frame.scale < 0.5:  # warping alone would skip pixels
        factor = 2 * frame.scale
        size = (max(1, round(small.shape[1] * factor)), max(1, round(small.shape[0] * factor)))
        matrix[:, 0] *= small.shape[1] / size[0]
        matrix[:, 1] *= small.shape[0] / size[1]
        small = np.asarray(cv2.resize(small, size, interpolation=cv2.INTER_AREA), np.uint8)
    if frame.scale < 0.8:
        small = np.asarray(cv2.GaussianBlur(small, (3, 3), 0.6), np.uint8)
    side = frame.side
    canvas = cv2.warpAffine(small, matrix, (side, side), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(canvas, np.uint8)


def finder_input(canvas: Image, frame: Frame, center: tuple[float, float]) -> NDArray[np.float32]:
    """Return the input of the network that finds dice, float32 (1, 6, side, side).

    Args:
        center: of the rim in the picture.
    """
    channels = np.empty((1, CHANNELS, *canvas.shape[:2]), np.float32)
    channels[0, :5] = _colors_and_positions(canvas, frame, center)
    channels[0, 5] = frame.tilt_deg / TILT_UNIT
    return channels


def die_frame(
    center: tuple[float, float], size: float, major_px: float, rotation_deg: float, tilt_deg: float
) -> Frame:  # fmt: skip
    """Return the frame of one die's crop, from its centre and size and the rim's major axis, px; see `bowl_frame`."""
    zoom = CROP_DIE_PX / size * major_px / RIM_PX
    return bowl_frame(center, major_px, rotation_deg, tilt_deg, zoom=zoom, side=CROP_SIDE)


def crop_input(
    canvas: Image, frame: Frame, center: tuple[float, float], away_deg: float | None
) -> NDArray[np.float32]:  # fmt: skip
    """Return the input of the network that reads a die, float32 (7, side, side).

    Args:
        center: of the rim in the picture.
        away_deg: the canvas's direction away from the camera, clockwise from up; None if unknown.
    """
    channels = np.empty((CROP_CHANNELS, *canvas.shape[:2]), np.float32)
    channels[:5] = _colors_and_positions(canvas, frame, center)
    away = radians(away_deg or 0.0)
    tilt = frame.tilt_deg / TILT_UNIT if away_deg is not None else 0.0
    channels[5], channels[6] = tilt * sin(away), -tilt * cos(away)
    return channels


def _colors_and_positions(canvas: Image, frame: Frame, center: tuple[float, float]) -> NDArray[np.float32]:
    channels = np.empty((5, *canvas.shape[:2]), np.float32)
    channels[:3] = canvas[..., ::-1].transpose(2, 0, 1)
    channels[:3] *= np.float32(1 / 255)
    offset = (frame.side / 2 - frame.matrix @ (*center, 1)) * (2 / frame.rim_px)
    channels[3:] = _positions(frame.side) * np.float32(2 / frame.rim_px) + offset.astype(np.float32)[:, None, None]
    return channels


@lru_cache(maxsize=64)
def _positions(side: int) -> NDArray[np.float32]:
    """Return each pixel's offset (2, side, side) from the canvas's centre: right, down."""
    y, x = np.mgrid[0:side, 0:side].astype(np.float32) + np.float32(0.5 - side / 2)
    return np.stack([x, y])
