"""Cheap changes that make each stored sample count many times: turn, shift, zoom, colour, blur, noise, cover."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.rendering.painter import Image
from companion.vision.dice.boxes import CROP_PX
from companion.vision.dice.faces.upright import NUMBER_PX, number_crop, whole_crop

UPRIGHT_DEG: Final = 22.0
"""A number turned by less than this is to be read; see `companion.vision.dice.numbers`, which offers several turns."""
_ASKEW_DEG: Final = 45.0  # turned by more than this no number stands there
_HALF_TURN_DEG: Final = 150.0  # turned by more than this an 8, 1, 0 or 11 stands again


def varied(near: Image, rng: np.random.Generator) -> tuple[Image, float]:
    """Return a changed crop, uint8 (96, 96, 3) BGR, of a stored sample, and how far it was turned counter-clockwise.

    Any rotation, ±6 % shift, ±12 % zoom.
    """
    turn_deg = float(rng.uniform(0, 360))
    dx, dy = (float(shift) for shift in rng.uniform(-0.06, 0.06, 2) * CROP_PX)
    crop = whole_crop(near, turn_deg=turn_deg, scale=float(rng.uniform(0.88, 1.12)), shift_px=(dx, dy))
    crop = _spoilt(crop, rng)
    if rng.random() < 0.15:
        _cover(crop, rng)
    return crop, turn_deg


def varied_number(
    near: Image, up_deg: float | None, at: tuple[float, float], rng: np.random.Generator
) -> tuple[Image, bool]:
    """Return a changed number crop, uint8 (64, 64, 3) BGR, of a stored sample, and whether a number stands upright.

    Args:
        up_deg: where the number's head points; None where there is none.
        at: its place, in sizes of the die.
    """
    is_upright = up_deg is not None and rng.random() < 0.78
    off = float(rng.uniform(-UPRIGHT_DEG, UPRIGHT_DEG)) if is_upright else _askew(rng)
    shift = rng.normal(0, 0.022, 2)
    where = (at[0] + float(shift[0]), at[1] + float(shift[1]))
    crop = number_crop(near, (up_deg or 0.0) + off, where, scale=float(rng.uniform(0.85, 1.18)))
    if rng.random() < 0.15:
        crop = _squeezed(crop, rng)
    return _spoilt(crop, rng), is_upright


def _askew(rng: np.random.Generator) -> float:
    """A turn under which no number is upright; often that of the face's other corners."""
    if rng.random() < 0.6:
        return float(rng.choice([-120.0, 120.0]) + rng.uniform(-25, 25))
    return float(rng.choice([-1.0, 1.0]) * rng.uniform(_ASKEW_DEG, _HALF_TURN_DEG))


def _squeezed(crop: Image, rng: np.random.Generator) -> Image:
    """See the face a little aslant."""
    side = float(crop.shape[0])
    corners = np.array([[0, 0], [side, 0], [side, side], [0, side]], np.float32)
    moved = (corners + rng.uniform(-0.06, 0.06, (4, 2)) * side).astype(np.float32)
    warp = cv2.getPerspectiveTransform(corners, moved)
    cut = cv2.warpPerspective(crop, warp, crop.shape[1::-1], borderMode=cv2.BORDER_REFLECT)
    return np.asarray(cut, np.uint8)


def _spoilt(crop: Image, rng: np.random.Generator) -> Image:
    if rng.random() < 0.25:
        crop = np.asarray(cv2.GaussianBlur(crop, (0, 0), float(rng.uniform(0.3, 1.1))), np.uint8)
    return _recoloured(crop, rng)


def _recoloured(crop: Image, rng: np.random.Generator) -> Image:
    """Gain, lift and a swap of colour channels by one lookup each, then noise."""
    if rng.random() < 0.3:
        crop = np.ascontiguousarray(crop[..., rng.permutation(3)])
    if rng.random() < 0.08:
        crop = cv2.cvtColor(cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR).astype(np.uint8)
    gain = (rng.uniform(0.75, 1.25) * rng.uniform(0.92, 1.08, 3)).astype(np.float32)
    ramp = (np.arange(256, dtype=np.float32) / 255) ** np.float32(rng.uniform(0.8, 1.25))
    table = np.clip(255 * ramp[:, None] * gain + rng.uniform(-15, 15), 0, 255).astype(np.uint8)
    crop = np.asarray(cv2.LUT(crop, table[None]), np.uint8)
    if rng.random() < 0.3:
        noise = rng.standard_normal(crop.shape, np.float32) * np.float32(rng.uniform(1, 7))
        crop = np.clip(crop + noise, 0, 255).astype(np.uint8)
    return crop


def _cover(crop: Image, rng: np.random.Generator) -> None:
    """Hide something away from the middle, in place: a neighbour's edge, a glare, a label of the tray."""
    width, height = rng.integers(8, 30, 2)
    angle, far = rng.uniform(0, 2 * np.pi), rng.uniform(0.42, 0.6) * CROP_PX
    x, y = (CROP_PX / 2 + far * np.array([np.cos(angle), np.sin(angle)])).astype(int)
    colour = rng.integers(0, 256, 3).tolist()
    cv2.ellipse(
        crop, (int(x), int(y)), (int(width) // 2, int(height) // 2), float(rng.uniform(0, 180)), 0, 360, colour, -1
    )


def batch_input(crops: list[Image], side: int = CROP_PX) -> NDArray[np.float32]:
    """Return square crops as a network takes them: float32 (N, 3, side, side), RGB, 0 to 1."""
    if not crops:
        return np.zeros((0, 3, side, side), np.float32)
    return np.ascontiguousarray(np.stack(crops)[..., ::-1].transpose(0, 3, 1, 2), np.float32) / np.float32(255)


def number_input(crops: list[Image]) -> NDArray[np.float32]:
    """Return number crops as the network takes them: float32 (N, 3, 64, 64), RGB, 0 to 1."""
    return batch_input(crops, NUMBER_PX)
