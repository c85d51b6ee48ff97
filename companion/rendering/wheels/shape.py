"""The shape of a wheel as a surface of revolution, and its intersection with a camera's rays."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

_RADII: Final = (0.0, 0.1, 0.16, 0.37, 0.38, 0.47, 0.475, 0.575, 0.585, 0.8, 0.84, 0.87, 1.0, 1.012)
_HEIGHTS: Final = (0.17, 0.11, 0.07, 0.017, 0.0, 0.0, 0.01, 0.035, 0.045, 0.16, 0.165, 0.22, 0.23, 0.0)
HUB, FLOOR, FLOOR_END, ROTOR, TRACK = 0.16, 0.38, 0.47, 0.58, 0.82
"""Radii relative to the wheel's: hub, inner and outer end of the pockets' floor, rotor edge, ball track."""
BALL: Final = 0.029
_STEPS: Final = 10
_FINE: Final = 2000


@dataclass(frozen=True, slots=True)
class Ball:
    """A ball on the wheel.

    Attributes:
        angle: clockwise in the picture, radians.
        radius: distance of its centre from the axis, mm.
        lift: height above the wheel, mm.
    """

    angle: float
    radius: float
    lift: float = 0.0


@dataclass(frozen=True, slots=True)
class Eye:
    """Position of a camera that looks straight down: mm from the wheel's axis, and above the table."""

    x: float
    y: float
    height: float


def height_at(radius: Floats | float, wheel_mm: float) -> Floats:
    """Return the wheel's height at some radii; ``wheel_mm`` is its radius."""
    table = np.interp(np.linspace(0, 1.2, _FINE), _RADII, _HEIGHTS) * wheel_mm
    at = np.clip(np.asarray(radius, np.float32) * np.float32((_FINE - 1) / 1.2 / wheel_mm), 0, _FINE - 1)
    return np.asarray(table[at.astype(np.int32)], np.float32)


def slope_at(radius: Floats, wheel_mm: float) -> Floats:
    """Return the wheel's outward slope at some radii."""
    slopes = np.gradient(np.array(_HEIGHTS), np.array(_RADII))
    return np.asarray(np.interp(radius / wheel_mm, _RADII, slopes), np.float32)


def met(x: Floats, y: Floats, eye: Eye, wheel_mm: float) -> tuple[Floats, Floats]:
    """Return the points (x, y) where rays towards these table points hit the wheel."""
    z = np.zeros_like(x)
    seen_x, seen_y = x, y
    for _ in range(_STEPS):
        share = z / np.float32(eye.height)
        seen_x, seen_y = x + (np.float32(eye.x) - x) * share, y + (np.float32(eye.y) - y) * share
        z = np.float32(0.35) * z + np.float32(0.65) * height_at(np.hypot(seen_x, seen_y), wheel_mm)
    return seen_x, seen_y


def seen_at(point: tuple[float, float, float], eye: Eye) -> tuple[float, float]:
    """Return the table point behind a point, as seen by the camera.

    >>> seen_at((10.0, 0.0, 100.0), Eye(0.0, 0.0, 1000.0))
    (11.1, 0.0)
    """
    x, y, z = point
    grow = eye.height / (eye.height - z)
    return round(eye.x + (x - eye.x) * grow, 1), round(eye.y + (y - eye.y) * grow, 1)
