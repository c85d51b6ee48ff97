"""Recolors a picture so that ink stands out from the grain, swirls and shading of dice.

The colors of dice's bodies lie near one line in L*a*b*, from grain to grain and from light to shade; pips and numerals
lie off it. Distances from the line are therefore enlarged, and distances along it reduced.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.dice.boxes import DieBox
from companion.vision.frame import Image

Lab = NDArray[np.floating]
_BODY_SHARE: Final = 0.8
"""Share of a die's box, in the middle, from which its colors are taken."""
_SAMPLES_PER_DIE: Final = 400
_LINES: Final = 64
_BODY_PERCENTILE: Final = 70.0
"""Percentile of the pixels' distances from a line by which lines are compared: the others may be ink."""
_ITERATIONS: Final = 6
_MIN_SPREAD: Final = 1.5
"""Distance from the line that noise reaches."""
_INK_DISTANCE: Final = 50.0
"""Distance from the line to which ink is moved, if that takes a factor of at most `_MAX_FACTOR`."""
_INK_PERCENTILE: Final = 95.0
"""Percentile of the pixels' distances from the line that counts as the ink's: a few pips cover a twentieth of a die."""
_MIN_INK_DISTANCE: Final = 4.0
_MAX_FACTOR: Final = 4.0


@dataclass(frozen=True, slots=True, eq=False)
class BodyColors:
    """The line in L*a*b*, 0 to 255 each, near which the colors of dice's bodies lie.

    Attributes:
        center: (3,), a point of the line.
        direction: (3,), of length 1.
        ink_distance: distance of the ink from the line.
    """

    center: Lab
    direction: Lab
    ink_distance: float


def body_colors(picture: Image, dice: Sequence[DieBox]) -> BodyColors:
    """Return the colors of the bodies of dice, at least one, in a picture, uint8 (H, W, 3) BGR.

    Of lines through two pixels, the one nearest to most pixels is refined by iteratively reweighted least squares, in
    which ink, far off the line, hardly counts.
    """
    pixels = np.concatenate([_middle(picture, die) for die in dice])
    distances = _nearest_line(pixels)
    for _ in range(_ITERATIONS):
        weights = (1 + (distances / max(_MIN_SPREAD, float(np.median(distances)))) ** 2) ** -2
        center = weights @ pixels / weights.sum()
        offsets = pixels - center
        direction = np.linalg.eigh((weights[:, None] * offsets).T @ offsets)[1][:, -1]
        distances = np.linalg.norm(offsets - np.outer(offsets @ direction, direction), axis=1)
    return BodyColors(center, direction, max(_MIN_INK_DISTANCE, float(np.percentile(distances, _INK_PERCENTILE))))


def _nearest_line(pixels: Lab) -> Lab:
    """Return the distance (n,) of each pixel from the line, through two of them, that is nearest to most."""
    starts, ends = pixels[np.random.default_rng(0).integers(len(pixels), size=(2, _LINES))]
    directions = (ends - starts) / np.maximum(1e-6, np.linalg.norm(ends - starts, axis=1, keepdims=True))
    along = pixels @ directions.T - (starts * directions).sum(axis=1)
    squares = (pixels**2).sum(axis=1)[:, None] - 2 * pixels @ starts.T + (starts**2).sum(axis=1) - along**2
    best = np.percentile(squares, _BODY_PERCENTILE, axis=0).argmin()
    return np.asarray(np.sqrt(np.maximum(squares[:, best], 0.0)))


def _middle(picture: Image, die: DieBox) -> Lab:
    """Return pixels, L*a*b* (n, 3), from the middle of a die."""
    side = max(1, round(_BODY_SHARE * die.size_px))
    patch = cv2.getRectSubPix(picture, (side, side), die.center)
    step = max(1, round(side / _SAMPLES_PER_DIE**0.5))
    lab = cv2.cvtColor(np.ascontiguousarray(patch[::step, ::step]), cv2.COLOR_BGR2LAB)
    return lab.reshape(-1, 3).astype(np.float64)


def with_clear_ink(picture: Image, body: BodyColors, *, kept: float) -> Image:
    """Return a picture, uint8 (H, W, 3) BGR, with distances from the bodies' colors enlarged.

    Args:
        kept: factor of distances along the line of the bodies' colors.

    >>> wood = np.full((40, 40, 3), (60, 90, 130), np.uint8)
    >>> wood[::8] = wood[1::8] = wood[2::8] = 75, 110, 160
    >>> wood[15:25, 15:25] = 40, 40, 190  # a red pip
    >>> recolored = with_clear_ink(wood, body_colors(wood, [DieBox((0, 0, 40, 40), 1.0)]), kept=0.25)
    >>> [color.tolist() for color in recolored[[0, 5, 20], [0, 0, 20]]]
    [[68, 100, 147], [64, 95, 139], [38, 32, 193]]
    """
    factor = min(_MAX_FACTOR, max(1.0, _INK_DISTANCE / body.ink_distance))
    matrix = factor * np.eye(3) + (kept - factor) * np.outer(body.direction, body.direction)
    lab = cv2.cvtColor(picture, cv2.COLOR_BGR2LAB)
    moved = cv2.transform(lab, np.column_stack([matrix, body.center - matrix @ body.center]))
    return np.asarray(cv2.cvtColor(moved, cv2.COLOR_LAB2BGR), np.uint8)
