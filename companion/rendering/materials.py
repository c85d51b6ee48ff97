"""Dice materials: colours, patterns, gloss, and the noise fields of the patterns."""

from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.rendering.faces import Colour

Field = NDArray[np.float32]
Pattern = Literal["solid", "speckled", "marbled", "swirled", "layered", "glitter", "pearl"]
PATTERNS: Final[tuple[Pattern, ...]] = ("solid", "speckled", "marbled", "swirled", "layered", "glitter", "pearl")
FIELD: Final = 256
"""Side of a pattern's seamless field in pixels."""


@dataclass(frozen=True, slots=True)
class Material:
    """Material of a die's body.

    Attributes:
        base, second: the body's colour and the pattern's, BGR 0 to 255.
        amount: strength of the pattern, 0 to 1.
        grain: scale of the pattern; 1 is one repeat per four die radii.
        clear: 0 opaque to 1 glass. metal: 0 plastic to 1 metal. gloss: 0 matt to 1 polished.
        rounding: radius of edges and corners, in die radii.
        field: number of the pattern's field.
    """

    base: Colour
    second: Colour = (255, 255, 255)
    pattern: Pattern = "solid"
    amount: float = 0.0
    grain: float = 1.0
    clear: float = 0.0
    metal: float = 0.0
    gloss: float = 0.5
    rounding: float = 0.03
    field: int = 0


@cache
def pattern_field(pattern: Pattern, number: int) -> Field:
    """Return a pattern's field, float32 (FIELD, FIELD), 0 to 1: the share of the second colour."""
    rng = np.random.default_rng([PATTERNS.index(pattern), number])
    return np.ascontiguousarray(_FIELDS[pattern](rng), np.float32)


def cloud(rng: np.random.Generator, smoothness: float, *, octaves: int = 4) -> Field:
    """Return seamless noise, float32 (FIELD, FIELD), 0 to 1; ``smoothness``: scale of the largest waves, per side."""
    total = np.zeros((FIELD, FIELD), np.float32)
    for octave in range(octaves):
        total += _waves(rng, smoothness * FIELD / 2**octave) / 2**octave
    low, high = np.percentile(total, [1, 99])
    return np.asarray(np.clip((total - low) / (high - low), 0, 1), np.float32)


def _waves(rng: np.random.Generator, sigma: float) -> Field:
    """Return white noise, smoothed with periodic boundaries."""
    spectrum = np.fft.rfft2(rng.standard_normal((FIELD, FIELD)))
    y, x = np.fft.fftfreq(FIELD)[:, None], np.fft.rfftfreq(FIELD)[None]
    smooth = np.fft.irfft2(spectrum * np.exp(-2 * (np.pi * sigma) ** 2 * (x * x + y * y) / 4))
    return np.asarray(smooth / smooth.std(), np.float32)


def _solid(rng: np.random.Generator) -> Field:
    return cloud(rng, 0.2) * 0.0


def _speckled(rng: np.random.Generator) -> Field:
    grains = _waves(rng, 1.0 + 3 * rng.random())
    return np.asarray(grains > np.percentile(grains, 78 + 18 * rng.random()), np.float32)


def _marbled(rng: np.random.Generator) -> Field:
    return np.asarray(1 - abs(2 * cloud(rng, 0.12, octaves=5) - 1) ** 0.6, np.float32)


def _swirled(rng: np.random.Generator) -> Field:
    """Return clouds distorted by clouds."""
    field, push = cloud(rng, 0.10), 60.0
    y, x = np.mgrid[0:FIELD, 0:FIELD].astype(np.float32)
    dx, dy = (push * (cloud(rng, 0.2, octaves=2) - 0.5) for _ in range(2))
    stirred = cv2.remap(field, (x + dx) % FIELD, (y + dy) % FIELD, cv2.INTER_LINEAR, borderMode=cv2.BORDER_WRAP)
    return np.asarray(np.clip(3 * stirred - 1, 0, 1), np.float32)


def _layered(rng: np.random.Generator) -> Field:
    rows = np.linspace(0, 2 * np.pi * rng.integers(1, 3), FIELD, endpoint=False)[:, None]
    waves = np.sin(rows + 2 * cloud(rng, 0.25, octaves=2))
    return np.asarray(np.clip(0.5 + 1.5 * waves, 0, 1), np.float32)


def _glitter(rng: np.random.Generator) -> Field:
    flakes = _waves(rng, 1.2) > 2.0
    return np.asarray(np.maximum(0.35 * cloud(rng, 0.15), flakes), np.float32)


def _pearl(rng: np.random.Generator) -> Field:
    return np.asarray(cloud(rng, 0.18, octaves=2) ** 1.5, np.float32)


_FIELDS: Final = {
    "solid": _solid,
    "speckled": _speckled,
    "marbled": _marbled,
    "swirled": _swirled,
    "layered": _layered,
    "glitter": _glitter,
    "pearl": _pearl,
}
