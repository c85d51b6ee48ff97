"""Art of the unrolled rotor: pockets with frets, the ring of numbers, the turret."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.rendering.wheels.shape import FLOOR, FLOOR_END, HUB, ROTOR, Floats

Bgr = tuple[float, float, float]
_METAL: Final = np.array([120, 160, 185], np.float32)
_INK: Final = np.array([240, 244, 244], np.float32)
_COLUMNS: Final = 48
"""Columns per pocket."""
_ARMS: Final = 4


@dataclass(frozen=True, slots=True)
class Pocket:
    """A pocket: its printed label and its colour."""

    label: str
    ground: Bgr


def unrolled(pockets: Sequence[Pocket], wheel_mm: float, px_per_mm: float, wood: Bgr) -> NDArray[np.uint8]:
    """Return the unrolled rotor, uint8 (radius, angle, 3), ``px_per_mm`` rows per mm, from the first pocket on."""
    rows = int(ROTOR * wheel_mm * px_per_mm) + 2
    radius = np.arange(rows, dtype=np.float32) / np.float32(px_per_mm * wheel_mm)
    art = np.repeat(np.array([pocket.ground for pocket in pockets], np.float32), _COLUMNS, axis=0)[None]
    art = np.repeat(art, rows, axis=0)
    art[(radius >= FLOOR) & (radius < FLOOR_END)] *= np.float32(0.82)
    _draw_middle(art, radius, np.array(wood, np.float32))
    _draw_frets(art, radius, len(pockets), wheel_mm)
    _draw_numbers(art, radius, pockets)
    for edge in (FLOOR, FLOOR_END, ROTOR - 0.01):
        art[np.abs(radius - edge) < 0.004] = _METAL
    art[radius > ROTOR - 0.005] = 14
    return np.clip(art, 0, 255).astype(np.uint8)


def _draw_middle(art: Floats, radius: Floats, wood: Floats) -> None:
    cone, hub = radius < FLOOR, radius < HUB
    art[cone] = wood * (1 + 0.12 * np.sin(radius[cone] * 90))[:, None, None]
    art[hub] = _METAL * (0.75 + 0.35 * np.cos(radius[hub] * 60))[:, None, None]
    arm = (radius > 0.05) & (radius < 0.27)
    for k in range(_ARMS):
        at = int((k + 0.5) / _ARMS * art.shape[1])
        art[arm, at - 20 : at + 20] = _METAL * 1.15


def _draw_frets(art: Floats, radius: Floats, count: int, wheel_mm: float) -> None:
    """Draw the thin metal walls between pockets, and the lines between their numbers."""
    for row in np.flatnonzero(radius >= FLOOR):
        wide = (1.1 if radius[row] < FLOOR_END else 0.45) / (2 * np.pi * radius[row] * wheel_mm) * art.shape[1]
        for k in range(count):
            columns = np.arange(int(k * _COLUMNS - wide / 2), int(k * _COLUMNS + wide / 2) + 1) % art.shape[1]
            art[row, columns] = _METAL


def _draw_numbers(art: Floats, radius: Floats, pockets: Sequence[Pocket]) -> None:
    ring = np.flatnonzero((radius > FLOOR_END + 0.012) & (radius < ROTOR - 0.015))
    aspect = 2 * np.pi * float(radius[ring].mean()) * len(art) / ROTOR / len(pockets)  # arc of a pocket, in rows
    for k, pocket in enumerate(pockets):
        tile = _tile(pocket.label, round(aspect), len(ring))
        share = cv2.resize(tile, (_COLUMNS, len(ring)), interpolation=cv2.INTER_AREA)[::-1, :, None] / np.float32(255)
        part = art[ring[0] : ring[-1] + 1, k * _COLUMNS : (k + 1) * _COLUMNS]
        part[:] = part * (1 - share) + _INK * share


def _tile(label: str, width: int, height: int) -> NDArray[np.uint8]:
    """Return a tile with a centred number, its top towards the wheel's outside."""
    fine = 4
    tile = np.zeros((height * fine, width * fine), np.uint8)
    (wide, high), _ = cv2.getTextSize(label, cv2.FONT_HERSHEY_DUPLEX, 1.0, 2)
    size = min(0.7 * tile.shape[0] / high, 0.72 * tile.shape[1] / wide)
    thick = max(2, round(2.2 * size))
    (wide, high), _ = cv2.getTextSize(label, cv2.FONT_HERSHEY_DUPLEX, size, thick)
    at = ((tile.shape[1] - wide) // 2, (tile.shape[0] + high) // 2)
    cv2.putText(tile, label, at, cv2.FONT_HERSHEY_DUPLEX, size, 255, thick, cv2.LINE_AA)
    return tile
