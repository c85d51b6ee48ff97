"""Renders single dice with transparency, to be composited into the finder's training scenes."""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.rendering.painter import Die, Image, View, paint
from companion.rendering.poses import leaning, resting
from tools.training.samples.appearance import random_color, random_lighting
from tools.training.samples.fonts import Fonts, Split
from tools.training.samples.random_dice import random_d6, random_d20, random_other_die, random_rugen

_SIDE: Final = 96
_CANVAS_SCALE: Final = 2.0  # of the canvas relative to the tile, so that no outline touches its border
_KINDS: Final = ("d20", "d6", "rugen", "other")
_KIND_PROBABILITIES: Final = (0.3, 0.3, 0.18, 0.22)
_LEANING_SHARE: Final = 0.3
_LEAN_DEG: Final = (3.0, 24.0)
_MIN_ALPHA: Final = 5
_FLAT_SHARE: Final = 0.5  # of the d6 seen from straight above: the upper face alone
_MIN_CONTRAST: Final = 150.0
_COMMON_COLORS_SHARE: Final = 0.6  # of the flat d6: light with dark pips, or dark or colored with light pips
_PIPS: Final = (
    ((0, 0),), ((-1, -1), (1, 1)), ((-1, -1), (0, 0), (1, 1)), ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)), ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
)  # fmt: skip
_TILTED_SHARE: Final = 0.6  # of the cameras
_MAX_TILT_DEG: Final = 40.0


@dataclass(frozen=True, slots=True, eq=False)
class Tile:
    """One die without its background.

    Attributes:
        image: uint8 (h, w, 3) BGR.
        alpha: float32 (h, w), 0 to 1.
        lean_deg: angle by which it leans; 0 if it lies on a face.
    """

    image: Image
    alpha: NDArray[np.float32]
    lean_deg: float


def random_tile(rng: np.random.Generator, fonts: Fonts, split: Split = "train", *, straight: float = 0.0) -> Tile:
    """Return a random die of any kind, including those that are never read: the finder has to find them all.

    Args:
        straight: share of d6 seen from straight above, of which hardly more than the upper face is visible.
    """
    is_straight = bool(straight and rng.random() < straight)
    if is_straight and rng.random() < _FLAT_SHARE:
        return _flat_d6(rng)
    die = random_d6(rng, fonts, split)[0] if is_straight else _random_die(rng, fonts, split)
    pose = resting(die.solid, int(rng.integers(len(die.art))), float(rng.uniform(0, 360)))
    lean = float(rng.uniform(*_LEAN_DEG)) if rng.random() < _LEANING_SHARE and not is_straight else 0.0
    if lean:
        pose = leaning(pose, lean, float(rng.uniform(0, 360)))
    canvas = np.empty((round(_CANVAS_SCALE * _SIDE),) * 2 + (3,), np.uint8)
    canvas[:] = np.clip(random_color(rng), 0, 255)
    middle = canvas.shape[0] / 2
    tilt = float(rng.uniform(0, _MAX_TILT_DEG)) if rng.random() < _TILTED_SHARE and not is_straight else 0.0
    distance = float(rng.uniform(8, 40)) * (3 if is_straight else 1)
    view = View((middle, middle), 0.62 * _SIDE, distance, tilt, float(rng.uniform(0, 360)))
    alpha = paint(canvas, die, pose, view, random_lighting(rng)).alpha
    rows, columns = np.nonzero(alpha > _MIN_ALPHA)
    cut = np.s_[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
    return Tile(canvas[cut].copy(), np.asarray(alpha[cut] / 255, np.float32), lean)


def _flat_d6(rng: np.random.Generator) -> Tile:
    """Return a d6's upper face alone: from straight above, in a blurred picture, hardly more of a die is visible."""
    side = _SIDE - 8
    body, ink = random_color(rng), random_color(rng)
    if rng.random() < _COMMON_COLORS_SHARE:
        bright, dark = _near_gray(float(rng.uniform(190, 250)), rng), _near_gray(float(rng.uniform(10, 65)), rng)
        body, ink = (bright, dark) if rng.random() < 0.65 else (dark if rng.random() < 0.4 else body, bright)
    if abs(sum(body) - sum(ink)) < _MIN_CONTRAST:
        ink = (255.0 - body[0], 255.0 - body[1], 255.0 - body[2])
    corner = round(side * float(rng.uniform(0, 0.22)))
    inked = np.zeros((_SIDE, _SIDE), np.uint8)
    cv2.rectangle(inked, (4 + corner, 4 + corner), (3 + side - corner, 3 + side - corner), 255, -1)
    if corner:
        inked = np.asarray(cv2.dilate(inked, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * corner + 1,) * 2)))
    image = np.empty((_SIDE, _SIDE, 3), np.float32)
    image[:] = body
    far, wide = side * float(rng.uniform(0.22, 0.32)), max(2, round(side * float(rng.uniform(0.06, 0.13))))
    for right, down in _PIPS[int(rng.integers(6))]:
        at = (round(_SIDE / 2 + far * right), round(_SIDE / 2 + far * down))
        cv2.circle(image, at, wide, [float(v) for v in ink], -1, cv2.LINE_AA)
    light, shade = (float(v) for v in rng.uniform(0.85, 1.15, 2))
    slope = np.linspace(light, shade, _SIDE, dtype=np.float32)
    image *= slope[:, None, None] if rng.random() < 0.5 else 1.0
    image += rng.normal(0, rng.uniform(0, 8), image.shape).astype(np.float32)
    alpha = np.asarray(cv2.GaussianBlur(inked, (0, 0), float(rng.uniform(0.3, 2))) / 255, np.float32)
    return Tile(np.clip(image, 0, 255).astype(np.uint8), alpha, 0.0)


def _near_gray(gray: float, rng: np.random.Generator) -> tuple[float, float, float]:
    blue, green, red = (gray + float(off) for off in rng.uniform(-9, 9, 3))
    return blue, green, red


def _random_die(rng: np.random.Generator, fonts: Fonts, split: Split) -> Die:
    kind = _KINDS[int(rng.choice(len(_KINDS), p=_KIND_PROBABILITIES))]
    if kind == "d20":
        return random_d20(rng, fonts, split)[0]
    if kind == "d6":
        return random_d6(rng, fonts, split)[0]
    if kind == "rugen":
        return random_rugen(rng, fonts, split)[0]
    return random_other_die(rng, fonts, split)
