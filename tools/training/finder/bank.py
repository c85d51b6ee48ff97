"""Dice cut out of their renderings: what the scenes of the finder's training are put together from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.rendering.painter import Die, Image, View, paint
from companion.rendering.poses import leaning, resting
from tools.training.samples.appearance import chance_colour, chance_lighting
from tools.training.samples.chance_dice import chance_d6, chance_d20, chance_other, chance_rugen
from tools.training.samples.fonts import Fonts, Split

_SIDE: Final = 96
_ROOM: Final = 2.0  # the canvas by the tile: an outline never touches its border
_KINDS: Final = ("d20", "d6", "rugen", "other")
_CHANCES: Final = (0.3, 0.3, 0.18, 0.22)
_LEANING: Final = 0.3
_LEAN_DEG: Final = (3.0, 24.0)
_LEAST_ALPHA: Final = 5
_TILTED: Final = 0.6  # of the cameras, which stand off by up to
_WIDEST_TILT_DEG: Final = 40.0


@dataclass(frozen=True, slots=True, eq=False)
class Tile:
    """One die without what it lies on.

    Attributes:
        image: uint8 (h, w, 3) BGR.
        alpha: float32 (h, w), 0 to 1.
        lean_deg: how far it leans; 0 on a face.
    """

    image: Image
    alpha: NDArray[np.float32]
    lean_deg: float


def chance_tile(rng: np.random.Generator, fonts: Fonts, split: Split = "train") -> Tile:
    """Return a chance die of any kind, also of those that are never answered: the finder finds them all."""
    die = _die(rng, fonts, split)
    pose = resting(die.solid, int(rng.integers(len(die.art))), float(rng.uniform(0, 360)))
    lean = float(rng.uniform(*_LEAN_DEG)) if rng.random() < _LEANING else 0.0
    if lean:
        pose = leaning(pose, lean, float(rng.uniform(0, 360)))
    canvas = np.empty((round(_ROOM * _SIDE),) * 2 + (3,), np.uint8)
    canvas[:] = np.clip(chance_colour(rng), 0, 255)
    middle = canvas.shape[0] / 2
    tilt = float(rng.uniform(0, _WIDEST_TILT_DEG)) if rng.random() < _TILTED else 0.0
    view = View((middle, middle), 0.62 * _SIDE, float(rng.uniform(8, 40)), tilt, float(rng.uniform(0, 360)))
    alpha = paint(canvas, die, pose, view, chance_lighting(rng)).alpha
    rows, columns = np.nonzero(alpha > _LEAST_ALPHA)
    cut = np.s_[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
    return Tile(canvas[cut].copy(), np.asarray(alpha[cut] / 255, np.float32), lean)


def _die(rng: np.random.Generator, fonts: Fonts, split: Split) -> Die:
    kind = _KINDS[int(rng.choice(len(_KINDS), p=_CHANCES))]
    if kind == "d20":
        return chance_d20(rng, fonts, split)[0]
    if kind == "d6":
        return chance_d6(rng, fonts, split)[0]
    if kind == "rugen":
        return chance_rugen(rng, fonts, split)[0]
    return chance_other(rng, fonts, split)
