"""Cheap changes that make each stored sample count many times: turn, shift, zoom, colour, blur, noise, cover."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.rendering.painter import Image
from companion.training.scenes import CROP, STORED


def varied(image: Image, rng: np.random.Generator) -> Image:
    """Return a changed crop, uint8 (96, 96, 3) BGR, of a stored sample (128, 128, 3): any rotation, ±6 %, ±12 %."""
    zoom = rng.uniform(0.88, 1.12)
    shift = rng.uniform(-0.06, 0.06, 2) * CROP
    crop = _cut(image, float(rng.uniform(0, 360)), float(zoom), float(shift[0]), float(shift[1]))
    if rng.random() < 0.25:
        crop = np.asarray(cv2.GaussianBlur(crop, (0, 0), float(rng.uniform(0.3, 1.1))), np.uint8)
    crop = _recoloured(crop, rng)
    if rng.random() < 0.15:
        _cover(crop, rng)
    return crop


def plain(image: Image, degree: float = 0.0) -> Image:
    """Return the middle of a stored sample as the reader crops it, turned by an angle."""
    return _cut(image, degree, 1.0, 0.0, 0.0)


def _cut(image: Image, degree: float, zoom: float, dx: float, dy: float) -> Image:
    where = np.asarray(cv2.getRotationMatrix2D(((STORED - 1) / 2, (STORED - 1) / 2), degree, zoom), np.float64)
    move = np.array([[0, 0, (CROP - STORED) / 2 + dx], [0, 0, (CROP - STORED) / 2 + dy]])
    cut = cv2.warpAffine(image, where + move, (CROP, CROP), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    return np.asarray(cut, np.uint8)


def _recoloured(crop: Image, rng: np.random.Generator) -> Image:
    """Gain, lift and a swap of colour channels by one look-up each, then noise."""
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
    angle, far = rng.uniform(0, 2 * np.pi), rng.uniform(0.42, 0.6) * CROP
    x, y = (CROP / 2 + far * np.array([np.cos(angle), np.sin(angle)])).astype(int)
    colour = rng.integers(0, 256, 3).tolist()
    cv2.ellipse(
        crop, (int(x), int(y)), (int(width) // 2, int(height) // 2), float(rng.uniform(0, 180)), 0, 360, colour, -1
    )


def batch_input(crops: list[Image]) -> NDArray[np.float32]:
    """Return crops as the network takes them: float32 (N, 3, 96, 96), RGB, 0 to 1."""
    if not crops:
        return np.zeros((0, 3, CROP, CROP), np.float32)
    return np.ascontiguousarray(np.stack(crops)[..., ::-1].transpose(0, 3, 1, 2), np.float32) / np.float32(255)
