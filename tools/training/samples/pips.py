"""Random outlines, and pips of other shapes than plain discs."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.rendering.faces import SIDE, FaceArt, Mask
from companion.rendering.layouts import Layout

PLACES: Final = ((0, 0), (-1, -1), (1, 1), (-1, 1), (1, -1), (-1, 0), (1, 0))
"""Positions of a face's pips."""
PIPS: Final = ((0,), (1, 2), (0, 1, 2), (1, 2, 3, 4), (0, 1, 2, 3, 4), (1, 2, 3, 4, 5, 6))
"""For each value the indices of its pips' positions."""
Outline = NDArray[np.float64]
"""Points of a closed line, (n, 2), with a radius of about 1."""
_SUPERSAMPLING: Final = 4


def random_outline(rng: np.random.Generator) -> Outline:
    """Return a random closed outline with a radius of about 1: a disc, a polygon, a star or a blot."""
    turn, kind = np.linspace(0, 2 * np.pi, 48, endpoint=False), rng.random()
    if kind < 0.35:
        far = np.ones(48)
    elif kind < 0.7:
        corners = int(rng.integers(3, 8))
        turn = 2 * np.pi * np.arange(2 * corners) / (2 * corners)
        far = np.where(np.arange(2 * corners) % 2 == 0, 1.0, rng.uniform(0.35, 1) * np.cos(np.pi / corners))
    else:
        far = 1 + rng.uniform(0, 0.4) * np.cos(int(rng.integers(2, 7)) * turn)
    return np.asarray(np.column_stack([np.cos(turn), np.sin(turn)]) * far[:, None])


def draw(
    art: NDArray[np.uint8], shape: Outline, at: NDArray[np.floating], size: Sequence[float], turn: float,
    colour: float | Sequence[float], thick: int,
) -> None:  # fmt: skip
    """Draw an outline of the given half sizes, rotated by ``turn`` (radians), filled if ``thick`` is negative."""
    c, s = np.cos(turn), np.sin(turn)
    outline = (shape * np.asarray(size)) @ np.array([[c, s], [-s, c]]) + at
    points, ink = [np.round(outline * 8).astype(np.int32)], colour if isinstance(colour, float) else tuple(colour)
    if thick < 0:
        cv2.fillPoly(art, points, ink, cv2.LINE_AA, 3)
    else:
        cv2.polylines(art, points, True, ink, thick, cv2.LINE_AA, 3)


def random_pips(rng: np.random.Generator, layout: Layout, art: Sequence[FaceArt]) -> tuple[FaceArt, ...]:
    """Return the faces of a die with its pips replaced by another shape, some of them hollow."""
    shape, size, spread = random_outline(rng), float(rng.uniform(0.12, 0.2)), float(rng.uniform(0.44, 0.6))
    hole = float(rng.choice([0.0, rng.uniform(0.3, 0.75)]))
    large = float(rng.choice([1.0, rng.uniform(1.0, 2.2)]))
    depth = float(rng.choice([0.0, rng.uniform(0.2, 1.2)]))
    masks = (_pip_mask(value, shape, size * (large if value == 1 else 1.0), spread, hole) for value in layout)
    return tuple(replace(face, mask=mask, depth=depth) for face, mask in zip(art, masks, strict=True))


def _pip_mask(value: int, shape: Outline, size: float, spread: float, hole: float) -> Mask:
    mask = np.zeros((SIDE * _SUPERSAMPLING, SIDE * _SUPERSAMPLING), np.uint8)
    unit = SIDE * _SUPERSAMPLING / 2 / np.sqrt(2)
    for k in PIPS[value - 1]:
        at = SIDE * _SUPERSAMPLING / 2 + spread * unit * np.array(PLACES[k])
        draw(mask, shape, at, (size * unit, size * unit), 0.0, 255.0, -1)
        if hole:
            draw(mask, shape, at, (size * unit * hole, size * unit * hole), 0.0, 0.0, -1)
    return np.asarray(cv2.resize(mask, (SIDE, SIDE), interpolation=cv2.INTER_AREA), np.uint8)
