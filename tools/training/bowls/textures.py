"""Patterns without any dice, which a network that looks for dice must leave alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.frame import Image
from tools.training.bowls.paint import paint
from tools.training.samples.appearance import chance_table

SIDE: Final = 256
_BANK: Final = 300


@lru_cache(maxsize=1)
def bank() -> tuple[Image, ...]:
    """Return some hundred patterns, uint8 (SIDE, SIDE, 3); always the same."""
    rng = np.random.default_rng(17)
    return tuple(_pattern(rng) for _ in range(_BANK))


def texture(rng: np.random.Generator, side: int) -> Image:
    """Return a chance piece of a chance pattern, uint8 (side, side, 3)."""
    whole = bank()[int(rng.integers(_BANK))]
    scale, turn = float(np.exp(rng.uniform(-1.0, 0.7))), float(rng.uniform(0, 360))
    matrix = np.asarray(cv2.getRotationMatrix2D((SIDE / 2, SIDE / 2), turn, scale), np.float64)
    matrix[:, 2] += side / 2 - SIDE / 2 + rng.uniform(-0.2, 0.2, 2) * SIDE * scale
    cut = cv2.warpAffine(whole, matrix, (side, side), flags=cv2.INTER_AREA, borderMode=cv2.BORDER_WRAP)
    return np.asarray(cut, np.uint8)


def _pattern(rng: np.random.Generator) -> Image:
    art = np.ascontiguousarray(chance_table(rng, SIDE), np.uint8)
    if rng.random() < 0.85:
        _tiled(art, rng)
    if rng.random() < 0.3:
        paint(art, rng)
    return art


def _tiled(art: Image, rng: np.random.Generator) -> None:
    """Draw some shapes again and again, in rows."""
    step = rng.integers(12, 90, 2)
    jitter, shift = float(rng.choice([0, rng.uniform(0, 0.5)])), float(rng.choice([0, 0.5]))
    share = float(rng.choice([1.0, rng.uniform(0.3, 1)]))
    shapes = [_chance_shape(rng) for _ in range(rng.integers(1, 4))]
    for row, y in enumerate(range(0, SIDE + int(step[1]), int(step[1]))):
        for x in range(0, SIDE + int(step[0]), int(step[0])):
            if rng.random() > share:
                continue
            at = np.array([x + shift * step[0] * (row % 2), y]) + rng.uniform(-jitter, jitter, 2) * step
            for shape in shapes:
                _draw(art, shape, at + shape.off * step, shape.size * step)


@dataclass(frozen=True, slots=True, eq=False)
class _Shape:
    kind: int
    off: NDArray[np.float64]
    size: NDArray[np.float64]
    turn_deg: float
    colour: tuple[float, ...]
    thick: int


def _chance_shape(rng: np.random.Generator) -> _Shape:
    return _Shape(int(rng.integers(5)), rng.uniform(-0.4, 0.4, 2), rng.uniform(0.08, 0.5, 2), rng.uniform(0, 180),
                  tuple(rng.integers(0, 256, 3).tolist()), int(rng.choice([-1, 1, 2, 4])))  # fmt: skip


def _draw(art: Image, shape: _Shape, at: NDArray[np.float64], size: NDArray[np.float64]) -> None:
    kind, turn, colour, thick = shape.kind, shape.turn_deg, shape.colour, shape.thick
    (x, y), (w, h) = at.round().astype(int).tolist(), np.maximum(1, size.round()).astype(int).tolist()
    if kind == 0:
        cv2.rectangle(art, (x - w, y - h), (x + w, y + h), colour, thick, cv2.LINE_AA)
    elif kind == 1:
        cv2.ellipse(art, (x, y), (w, h), turn, 0, 360, colour, thick, cv2.LINE_AA)
    elif kind == 2:
        cv2.circle(art, (x, y), min(w, h), colour, thick, cv2.LINE_AA)
    elif kind == 3:
        cv2.ellipse(art, (x, y), (w, h), turn, 0, 200, colour, abs(thick), cv2.LINE_AA)
    else:
        corners = cv2.boxPoints(((x, y), (2 * w, 2 * h), turn)).round().astype(np.int32)
        cv2.fillConvexPoly(art, corners, colour, cv2.LINE_AA)
