"""Other colours, light and noise for a picture, without PyTorch."""

from __future__ import annotations

import cv2
import numpy as np

from companion.rendering.painter import Image


def recoloured(crop: Image, rng: np.random.Generator) -> Image:
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
