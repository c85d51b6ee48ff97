"""Simulates a camera on a sharp render: resolution, focus, color balance, noise, JPEG."""

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.rendering.painter import Image


def photographed(canvas: Image, rng: np.random.Generator, size_px: int, stored: int, around: float) -> Image:
    """Return a render as from a camera in whose picture the die is ``size_px`` wide, uint8 (stored, stored, 3).

    Args:
        around: ratio of the picture's side to the die's.
    """
    side = int(np.clip(size_px * around, 40, canvas.shape[0]))
    seen = cv2.resize(canvas, (side, side), interpolation=cv2.INTER_AREA).astype(np.float32)
    if rng.random() < 0.6:
        seen = _defocused(seen, rng, side / (size_px * around) * (size_px / 80) ** 0.5)
    seen = _developed(seen, rng)
    noise = rng.uniform(0, 9) * rng.random()
    if noise > 0.5:
        seen += rng.normal(0, noise, (side, side, 1 if rng.random() < 0.6 else 3)).astype(np.float32)
    picture = np.clip(seen, 0, 255).astype(np.uint8)
    if rng.random() < 0.5:
        picture = _as_jpeg(picture, int(rng.integers(45, 96)))
    way = cv2.INTER_AREA if side > stored else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(picture, (stored, stored), interpolation=way), np.uint8)


def _defocused(seen: NDArray[np.float32], rng: np.random.Generator, scale: float) -> NDArray[np.float32]:
    """Blur; relative to its size, a larger die is sharper, but less than in proportion to its pixels."""
    sigma = rng.uniform(0.3, 1.4) * scale
    blurred = cv2.GaussianBlur(seen, (0, 0), sigma)
    if rng.random() < 0.3:  # sharpened, as phones and webcams do
        blurred = seen + (seen - blurred) * rng.uniform(0.3, 1.5)
    return np.asarray(blurred, np.float32)


def _developed(seen: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    """Apply random exposure, white balance and black level."""
    gain = rng.uniform(0.65, 1.35) * rng.uniform(0.88, 1.12, 3)
    lift = rng.uniform(-8, 18)
    return np.asarray(np.minimum(seen, 255) * gain.astype(np.float32) + np.float32(lift), np.float32)


def _as_jpeg(picture: Image, quality: int) -> Image:
    _, packed = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)
