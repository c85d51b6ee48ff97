"""Random decoration of bowls."""

from collections.abc import Callable, Sequence
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.rendering.bowls.rays import Picture
from tools.training.samples.appearance import random_color
from tools.training.samples.pips import PIPS, PLACES, draw, random_outline

_CHARACTERS: Final = "ABGKOSX8&53"


def paint(art: Picture, rng: np.random.Generator) -> None:
    """Paint one to four random motifs, as on glazed, lacquered or printed bowls, onto a bowl's texture.

    Args:
        art: uint8 (n, n, 3) BGR, the bowl seen from above; modified.
    """
    kinds: tuple[Callable[[Picture, np.random.Generator], None], ...] = (
        _ring, _wreath, _character, _tiles, _strokes, _spots, _glow, _center,
    )  # fmt: skip
    for _ in range(int(rng.integers(1, 5))):
        kinds[int(rng.integers(len(kinds)))](art, rng)


def _ring(art: Picture, rng: np.random.Generator) -> None:
    half = art.shape[0] / 2
    middle, far = (int(half), int(half)), int(half * rng.uniform(0.1, 1))
    cv2.circle(art, middle, far, random_color(rng), int(rng.integers(1, 16)), cv2.LINE_AA)


def _wreath(art: Picture, rng: np.random.Generator) -> None:
    """Paint equal shapes in a circle."""
    half, colour, shape = art.shape[0] / 2, random_color(rng), random_outline(rng)
    far, turn, count = half * rng.uniform(0.2, 0.95), rng.uniform(0, 6), int(rng.integers(3, 40))
    size, long = half * rng.uniform(0.02, 0.15), float(rng.choice([1.0, rng.uniform(1, 3)]))
    for k in range(count):
        way = turn + 2 * np.pi * k / count
        at = half + far * np.array([np.cos(way), np.sin(way)])
        draw(art, shape, at, (size * long, size), way, colour, -1)


def _character(art: Picture, rng: np.random.Generator) -> None:
    at = (int(rng.uniform(0.2, 0.6) * art.shape[0]), int(rng.uniform(0.4, 0.8) * art.shape[0]))
    cv2.putText(art, str(rng.choice(list(_CHARACTERS))), at, cv2.FONT_HERSHEY_COMPLEX, float(rng.uniform(1, 6)),
                random_color(rng), int(rng.integers(1, 12)), cv2.LINE_AA)  # fmt: skip


def _tiles(art: Picture, rng: np.random.Generator) -> None:
    """Paint a random motif, repeated in a grid."""
    n, cell = art.shape[0], int(rng.integers(12, 90))
    tile = np.zeros((cell, cell), np.uint8)
    for _ in range(int(rng.integers(1, 4))):
        size = (cell * float(rng.uniform(0.1, 0.6)), cell * float(rng.uniform(0.1, 0.6)))
        thick = -1 if rng.random() < 0.4 else max(1, int(cell * rng.uniform(0.02, 0.1)))
        draw(tile, random_outline(rng), rng.uniform(0, cell, 2), size, rng.uniform(0, 6), 255.0, thick)
    layer = np.tile(tile, (2 * n // cell + 2, 2 * n // cell + 2))
    where = cv2.getRotationMatrix2D((float(n), float(n)), float(rng.choice([0, rng.uniform(0, 360)])), 1.0)
    where[:, 2] -= n / 2
    share = cv2.warpAffine(layer, np.asarray(where, np.float64), (n, n)).astype(np.float32)
    art[:] = _blended(art, share * np.float32(rng.uniform(0.3, 1) / 255), random_color(rng))


def _strokes(art: Picture, rng: np.random.Generator) -> None:
    """Paint curved brush strokes."""
    n, colour, along = art.shape[0], random_color(rng), np.linspace(0, 1, 20)[:, None]
    for _ in range(int(rng.integers(1, 16))):
        a, b, c = rng.uniform(0, n, (3, 2))
        a, c = (b + (end - b) * rng.uniform(0.1, 0.6) for end in (a, c))
        curve = (1 - along) ** 2 * a + 2 * along * (1 - along) * b + along**2 * c
        cv2.polylines(art, [curve.round().astype(np.int32)], False, colour, int(rng.integers(1, 12)), cv2.LINE_AA)


def _spots(art: Picture, rng: np.random.Generator) -> None:
    """Paint the specks of a glaze, or groups of dots that look like pips but are no dice."""
    n, colour = art.shape[0], random_color(rng)
    if rng.random() < 0.5:
        for x, y, r in zip(*rng.uniform(0, n, (2, 60)), rng.uniform(0.5, 4, 60), strict=True):
            cv2.circle(art, (int(x), int(y)), int(r), colour, -1, cv2.LINE_AA)
        return
    for _ in range(int(rng.integers(1, 6))):
        middle, step, turn = rng.uniform(0.2, 0.8, 2) * n, rng.uniform(4, 20), rng.uniform(0, 6)
        c, s = np.cos(turn), np.sin(turn)
        for k in PIPS[int(rng.integers(6))]:
            x, y = middle + step * (np.array([[c, -s], [s, c]]) @ PLACES[k])
            cv2.circle(art, (int(x), int(y)), max(1, int(0.35 * step)), colour, -1, cv2.LINE_AA)


def _glow(art: Picture, rng: np.random.Generator) -> None:
    """Paint a ring of thicker or worn glaze."""
    far, wide = rng.uniform(0, 1), rng.uniform(0.05, 0.5)
    share = np.exp(-(((_radii(art.shape[0]) - far) / wide) ** 2))
    art[:] = _blended(art, share * np.float32(rng.uniform(0.2, 0.9)), random_color(rng))


def _center(art: Picture, rng: np.random.Generator) -> None:
    """Paint the middle in another color."""
    share = np.clip((rng.uniform(0.2, 0.9) - _radii(art.shape[0])) * 60, 0, 1)
    art[:] = _blended(art, share, random_color(rng))


def _radii(n: int) -> NDArray[np.float32]:
    y, x = np.mgrid[-1 : 1 : n * 1j, -1 : 1 : n * 1j].astype(np.float32)
    return np.asarray(np.hypot(x, y), np.float32)


def _blended(art: Picture, share: NDArray[np.float32], colour: Sequence[float]) -> Picture:
    mixed = art + share[..., None] * (np.array(colour, np.float32) - art)
    return np.clip(mixed, 0, 255).astype(np.uint8)
