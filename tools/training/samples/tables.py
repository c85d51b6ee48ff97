"""Table textures, plain or overlaid with weaves, planks, shapes, numbers and blotches."""

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.rendering.faces import numeral
from companion.rendering.painter import Image
from tools.training.samples.appearance import random_color, random_table
from tools.training.samples.fonts import Fonts

_BUSY_SHARE = 0.6


def busy_table(rng: np.random.Generator, size: int, fonts: Fonts) -> Image:
    """Return a random table texture, uint8 (size, size, 3), most of them busy."""
    table = random_table(rng, size)
    if rng.random() > _BUSY_SHARE:
        return table
    kinds = (_weave, _planks, _scraps, _numbers, _blotches)
    for kind in rng.permutation(len(kinds))[: int(rng.integers(1, 4))]:
        _over(table, kinds[int(kind)](rng, size, fonts), float(rng.uniform(0.25, 1)))
    return table


def _over(table: Image, layer: NDArray[np.float32], share: float) -> None:
    """Blend a layer (size, size, 4) over the table; its last channel is the opacity."""
    cover = share * layer[..., 3:]
    table[:] = np.clip(table * (1 - cover) + layer[..., :3] * cover, 0, 255).astype(np.uint8)


def _empty(size: int) -> NDArray[np.float32]:
    return np.zeros((size, size, 4), np.float32)


def _weave(rng: np.random.Generator, size: int, fonts: Fonts) -> NDArray[np.float32]:
    """Return crossed threads of one color: plain, twill or checks."""
    del fonts
    y, x = np.mgrid[0:size, 0:size].astype(np.float32)
    angle, often = rng.uniform(0, np.pi), 2 * np.pi / rng.uniform(3, 60, 2)
    a = np.sin((x * np.cos(angle) + y * np.sin(angle)) * often[0])
    b = np.sin((y * np.cos(angle) - x * np.sin(angle)) * often[1])
    shade = a * b if rng.random() < 0.5 else np.sign(a) * (0.5 + 0.5 * np.sign(b)) if rng.random() < 0.5 else a + b
    layer = _empty(size)
    layer[..., :3] = random_color(rng)
    layer[..., 3] = np.clip(0.5 + 0.5 * shade, 0, 1) * rng.uniform(0.2, 1)
    return layer


def _planks(rng: np.random.Generator, size: int, fonts: Fonts) -> NDArray[np.float32]:
    """Return wood grain with gaps between boards."""
    del fonts
    y, x = np.mgrid[0:size, 0:size].astype(np.float32)
    angle = rng.uniform(0, np.pi)
    along, across = x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)
    bend = cv2.resize(rng.normal(0, 1, (6, 6)).astype(np.float32), (size, size), interpolation=cv2.INTER_CUBIC)
    rings = np.sin(across * 2 * np.pi / rng.uniform(5, 40) + bend * rng.uniform(1, 8) + 0.01 * along)
    layer = _empty(size)
    layer[..., :3] = np.array([0.35, 0.6, 1.0]) * rng.uniform(15, 220)
    layer[..., 3] = np.clip(0.5 + 0.6 * rings, 0, 1) * rng.uniform(0.2, 0.8)
    gaps = np.abs((across / rng.uniform(70, 220)) % 1 - 0.5) > 0.49
    layer[gaps, :3], layer[gaps, 3] = rng.uniform(0, 40), 0.9
    return layer


def _scraps(rng: np.random.Generator, size: int, fonts: Fonts) -> NDArray[np.float32]:
    """Return rectangles, ellipses and lines of any color, like a print or scattered objects."""
    del fonts
    sheet, cover = np.zeros((size, size, 3), np.uint8), np.zeros((size, size), np.uint8)
    for _ in range(int(rng.integers(5, 50))):
        at = rng.integers(0, size, (2, 2)).tolist()
        small = rng.uniform(0.02, 0.3) * size
        colour = [float(np.clip(c, 0, 255)) for c in random_color(rng)]
        thick = -1 if rng.random() < 0.6 else int(rng.integers(1, 9))
        kind = rng.random()
        for target, ink in ((sheet, colour), (cover, [255.0])):
            if kind < 0.35:
                box = cv2.boxPoints((at[0], (small, small * (0.3 + kind)), 360 * kind)).astype(np.int32)
                if thick < 0:
                    cv2.fillPoly(target, [box], ink, cv2.LINE_AA)
                else:
                    cv2.polylines(target, [box], True, ink, thick, cv2.LINE_AA)
            elif kind < 0.65:
                cv2.ellipse(
                    target, at[0], (int(small), int(small * (kind + 0.3))), 500 * kind, 0, 360, ink, thick, cv2.LINE_AA
                )
            else:
                cv2.line(target, at[0], at[1], ink, max(1, abs(thick)), cv2.LINE_AA)
    return np.concatenate([sheet, cover[..., None] / 255], axis=2).astype(np.float32)


def _numbers(rng: np.random.Generator, size: int, fonts: Fonts) -> NDArray[np.float32]:
    """Return numbers in any font and rotation, which must not be read as a die's."""
    layer = _empty(size)
    for _ in range(int(rng.integers(3, 25))):
        mask = numeral(str(int(rng.integers(0, 100))), fonts.random(rng, "train"))
        scale = rng.uniform(0.04, 0.25) * size / max(mask.shape)
        where = cv2.getRotationMatrix2D((mask.shape[1] / 2, mask.shape[0] / 2), float(rng.uniform(0, 360)), scale)
        where[:, 2] += rng.uniform(0, size, 2) - np.array(mask.shape[::-1]) / 2  # type: ignore[arg-type]
        cover = cv2.warpAffine(mask, where, (size, size)).astype(np.float32)[..., None] / 255
        layer[..., :3] = layer[..., :3] * (1 - cover) + np.array(random_color(rng), np.float32) * cover
        layer[..., 3:] = np.maximum(layer[..., 3:], cover)
    return layer


def _blotches(rng: np.random.Generator, size: int, fonts: Fonts) -> NDArray[np.float32]:
    """Return blurred color fields on several scales, like a play mat's artwork."""
    del fonts
    layer = _empty(size)
    for cells in (3, 7, 17, 41):
        some = rng.uniform(0, 255, (cells, cells, 3)).astype(np.float32)
        layer[..., :3] += cv2.resize(some, (size, size), interpolation=cv2.INTER_CUBIC) / 4
    layer[..., :3] = np.clip((layer[..., :3] - 128) * rng.uniform(1, 2.5) + 128, 0, 255)
    layer[..., 3] = 1
    return layer
