"""Lighting: lamps, ambient light, and reflections on a polished die."""

from dataclasses import dataclass, field
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

MIRROR: Final = 64
"""Side of the environment picture reflected by a polished die."""


@dataclass(frozen=True, slots=True, eq=False)
class Lamp:
    """A distant lamp.

    Attributes:
        way: unit vector towards it (3,); x right, y down (as in the picture), z up to the camera.
        colour: BGR, 1 is white of normal strength.
    """

    way: NDArray[np.float32]
    colour: tuple[float, float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Lighting:
    """All light on the table.

    Attributes:
        lamps: the first one casts the shadow.
        ambient: ambient light, BGR.
        mirrored: float32 (MIRROR, MIRROR, 3), the reflection for normals from up (the middle) to sideways (the rim).
        shadow: darkness of the cast shadow, 0 to 1.
        softness: softness of its edge, in die radii.
        sway: variation of the reflection across one flat face.
    """

    lamps: tuple[Lamp, ...]
    ambient: tuple[float, float, float] = (0.45, 0.45, 0.45)
    mirrored: NDArray[np.float32] = field(default_factory=lambda: np.full((MIRROR, MIRROR, 3), 0.3, np.float32))
    shadow: float = 0.5
    softness: float = 0.15
    sway: float = 0.1


def lamp(azimuth_deg: float, height_deg: float, colour: tuple[float, float, float]) -> Lamp:
    """Return a lamp in a direction; 0 degrees of height is the horizon, 90 straight above."""
    around, above = np.radians([azimuth_deg, height_deg])
    way = np.array([np.cos(around) * np.cos(above), np.sin(around) * np.cos(above), np.sin(above)], np.float32)
    return Lamp(way, colour)


def room(rng: np.random.Generator, lamps: tuple[Lamp, ...]) -> NDArray[np.float32]:
    """Return an environment for reflections: a dim gradient, some windows or softboxes, and the lamps themselves."""
    y, x = np.mgrid[-1 : 1 : MIRROR * 1j, -1 : 1 : MIRROR * 1j].astype(np.float32)
    slope = rng.uniform(-0.3, 0.3, 2)
    image = np.repeat((rng.uniform(0.05, 0.5) + slope[0] * x + slope[1] * y)[..., None], 3, axis=2)
    for _ in range(int(rng.integers(0, 4))):
        _add_window(image, rng)
    for each in lamps:
        half = each.way + np.array([0, 0, 1], np.float32)
        half /= np.linalg.norm(half)
        spread = rng.uniform(0.03, 0.2)
        spot = np.exp(-((x - half[0]) ** 2 + (y - half[1]) ** 2) / (2 * spread**2)) * rng.uniform(0.5, 2.5)
        image += spot[..., None] * np.array(each.colour, np.float32)
    return np.asarray(np.clip(image, 0, 3), np.float32)


def _add_window(image: NDArray[np.float32], rng: np.random.Generator) -> None:
    centre, size = rng.uniform(0, MIRROR, 2), rng.uniform(4, 22, 2)
    corners = cv2.boxPoints((centre.tolist(), size.tolist(), float(rng.uniform(0, 180))))
    layer = np.zeros((MIRROR, MIRROR), np.float32)
    cv2.fillConvexPoly(layer, corners.round().astype(np.int32), float(rng.uniform(0.3, 2.0)), cv2.LINE_AA)
    image += cv2.GaussianBlur(layer, (0, 0), rng.uniform(0.5, 3))[..., None]
