"""Scenes that the finder learns from: dice of many sizes on chance tables, among what else lies on a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.rendering.painter import Image
from tools.training.finder.bank import Tile
from tools.training.samples.appearance import random_color, random_lighting
from tools.training.samples.distractors import paint_thing
from tools.training.samples.fonts import Fonts
from tools.training.samples.prints import random_ground

SIDE: Final = 160
_SIZES: Final = (11.0, 72.0)  # a little beyond what the network shall find, so that it learns where that ends
_LARGE: Final = (60.0, 330.0)  # dice too large for it, which are found in a smaller copy
_COUNTS: Final = (1, 1, 1, 2, 3, 4, 6)
_APART: Final = 0.42  # of two dice's sizes together: nearer is one upon the other
_CAMOUFLAGE: Final = 0.12
_LEAST_EDGE, _WIDEST_EDGE = 4, 56  # pixels that may lie beyond the camera's picture
_EDGE: Final = 0.45  # of full cover, where a die's outline is taken to be

Canvas = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """A picture and its dice.

    Attributes:
        picture: uint8 (SIDE, SIDE, 3) BGR.
        boxes: float32 (n, 5): left, top, right, bottom in pixels, and lean in degrees; beyond the picture's edge
            where a die is cut off.
    """

    picture: Image
    boxes: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Put:
    """A die in the scene."""

    x: float
    y: float
    size: float
    box: tuple[float, float, float, float, float]


def random_scene(
    rng: np.random.Generator, tiles: Sequence[Tile], fonts: Fonts, *, sizes: tuple[float, float] = _SIZES,
    prints: float = 0.0, pairs: bool = True,
) -> Scene:  # fmt: skip
    """Return a chance scene; one in eight has no die at all.

    Args:
        sizes: of dice, from and to, px.
        prints: the share of lively prints among the tables.
        pairs: that touching dice lie among the things that are to be no dice.
    """
    picture = _ground(rng, fonts, prints)
    if rng.random() < 0.35:
        _tray(picture, rng)
    if rng.random() < 0.6:
        for _ in range(int(rng.integers(1, 4))):
            _thing(picture, rng, fonts, pairs)
    canvas = picture.astype(np.float32)
    dice = _dice(canvas, rng, tiles, sizes)
    canvas = _lit(canvas, rng)
    boxes = np.array([die.box for die in dice], np.float32).reshape(-1, 5)
    return Scene(photographed(canvas, rng), boxes)


def near_picture_edge(scene: Scene, rng: np.random.Generator) -> Scene:
    """Return a scene as it is seen near the edge of the camera's picture, beyond which that is repeated.

    On one or two sides; as far as the next die at most, so that none is cut off by it.
    """
    picture, boxes = scene.picture.copy(), scene.boxes
    beside = np.stack([boxes[:, 1], SIDE - boxes[:, 2], SIDE - boxes[:, 3], boxes[:, 0]])  # above, right, below, left
    free = np.minimum(beside.min(axis=1, initial=_WIDEST_EDGE) - 1, _WIDEST_EDGE)
    for side in rng.permutation(4)[: int(rng.integers(1, 3))]:
        if free[side] >= _LEAST_EDGE:
            n = int(rng.integers(_LEAST_EDGE, int(free[side]) + 1))
            turned = np.rot90(picture, side)  # the same pixels
            turned[:n] = turned[n]
    return Scene(picture, boxes)


def _ground(rng: np.random.Generator, fonts: Fonts, prints: float) -> Image:
    """A part of a table, or a whole busy one from afar."""
    size = SIDE * int(rng.choice([1, 2, 3], p=[0.6, 0.25, 0.15]))
    table = random_ground(rng, size, fonts, prints)
    return (
        table if size == SIDE else np.asarray(cv2.resize(table, (SIDE, SIDE), interpolation=cv2.INTER_AREA), np.uint8)
    )


# ---- what lies there besides


def _tray(picture: Image, rng: np.random.Generator) -> None:
    """A tray, a mat or a dish: its edge crosses the picture, and sometimes it has a rim."""
    inside, rim = random_color(rng), random_color(rng)
    over = picture.copy()
    if rng.random() < 0.5:
        middle = tuple(float(v) for v in rng.uniform(-0.2, 1.2, 2) * SIDE)
        size = tuple(float(v) for v in rng.uniform(0.5, 2, 2) * SIDE)
        corners = cv2.boxPoints((middle, size, float(rng.uniform(0, 180)))).astype(np.int32)
        cv2.fillPoly(over, [corners], inside)
        cv2.polylines(over, [corners], True, rim, int(rng.integers(1, 14)), cv2.LINE_AA)
    else:
        centre = (int(rng.uniform(0, SIDE)), int(rng.uniform(0, SIDE)))
        radius = int(rng.uniform(0.3, 1.1) * SIDE)
        cv2.circle(over, centre, radius, inside, -1, cv2.LINE_AA)
        for _ in range(int(rng.integers(0, 4))):
            radius = max(3, radius - int(rng.integers(2, 12)))
            cv2.circle(over, centre, radius, random_color(rng), int(rng.integers(1, 6)), cv2.LINE_AA)
    keep = float(rng.uniform(0.4, 1))
    cv2.addWeighted(over, keep, picture, 1 - keep, 0, picture)


def _thing(picture: Image, rng: np.random.Generator, fonts: Fonts, pairs: bool) -> None:
    """A card, a coin, a token, a meeple or fingers, painted into a part of the picture."""
    size = int(rng.uniform(40, SIDE))
    x, y = (int(v) for v in rng.integers(0, SIDE - size + 1, 2))
    part = np.ascontiguousarray(picture[y : y + size, x : x + size])
    paint_thing(part, rng, fonts, "train", random_lighting(rng), pairs=pairs)
    picture[y : y + size, x : x + size] = part


# ---- the dice


def _dice(
    canvas: Canvas, rng: np.random.Generator, tiles: Sequence[Tile], sizes: tuple[float, float]
) -> list[_Put]:  # fmt: skip
    if rng.random() < 0.12:
        return []
    count = int(rng.choice(_COUNTS))
    is_large = rng.random() < 0.15
    usual = _between(rng, _LARGE if is_large else sizes)
    touching = rng.random() < 0.4
    done: list[_Put] = []
    for _ in range(min(count, 2) if is_large else count):
        size = usual * rng.uniform(0.8, 1.25) if is_large or rng.random() < 0.8 else _between(rng, sizes)
        x, y = _beside(rng, done[-1], size) if touching and done else rng.uniform(-0.05, 1.05, 2) * SIDE
        if any(np.hypot(x - die.x, y - die.y) < _APART * (size + die.size) for die in done):
            continue
        put = _put(canvas, rng, tiles[int(rng.integers(len(tiles)))], float(x), float(y), float(size))
        if put is not None:
            done.append(put)
    return done


def _between(rng: np.random.Generator, span: tuple[float, float]) -> float:
    return float(np.exp(rng.uniform(np.log(span[0]), np.log(span[1]))))


def _beside(rng: np.random.Generator, other: _Put, size: float) -> tuple[float, float]:
    """A place where a die touches another."""
    far, turn = (other.size + size) * rng.uniform(0.47, 0.6), rng.uniform(0, 2 * np.pi)
    return other.x + far * float(np.cos(turn)), other.y + far * float(np.sin(turn))


def _put(canvas: Canvas, rng: np.random.Generator, tile: Tile, x: float, y: float, size: float) -> _Put | None:
    """Lay a die and its shadow there; None where nothing of it is in the picture."""
    scale = size / max(tile.alpha.shape)
    height, width = tile.alpha.shape
    where = cv2.getRotationMatrix2D((width / 2, height / 2), float(rng.uniform(0, 360)), scale)
    where[:, 2] += (x - width / 2, y - height / 2)
    cover = np.asarray(cv2.warpAffine(tile.alpha, where, (SIDE, SIDE), flags=cv2.INTER_LINEAR), np.float32)
    image = cv2.warpAffine(tile.image, where, (SIDE, SIDE), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    rows, columns = np.nonzero(cover > _EDGE)
    if not len(rows):
        return None
    shade = 1 - float(rng.uniform(0, 0.75)) * _shadow(cover, rng, size)[..., None]
    canvas *= shade
    colours = _tinted(image.astype(np.float32), canvas, cover, rng)
    clear = cover[..., None] * (float(rng.uniform(0.55, 0.9)) if rng.random() < 0.15 else 1.0)
    canvas[:] = canvas * (1 - clear) + colours * clear
    box = (float(columns.min()), float(rows.min()), float(columns.max() + 1), float(rows.max() + 1), tile.lean_deg)
    return _Put(x, y, size, box)


def _shadow(cover: NDArray[np.float32], rng: np.random.Generator, size: float) -> NDArray[np.float32]:
    """Its cast shadow: mostly close, now and then long and joined to the die."""
    way = rng.normal(0, 0.12 if rng.random() < 0.7 else 0.5, 2) * size
    soft = max(0.4, size * float(rng.uniform(0.01, 0.12)))
    dark = np.zeros_like(cover)
    for share in (0.33, 0.66, 1.0) if np.hypot(*way) > 0.35 * size else (1.0,):
        moved = np.array([[1, 0, way[0] * share], [0, 1, way[1] * share]])
        dark = np.maximum(dark, cv2.GaussianBlur(cv2.warpAffine(cover, moved, (SIDE, SIDE)), (0, 0), soft))
    return np.asarray(dark, np.float32)


def _tinted(image: Canvas, ground: Canvas, cover: NDArray[np.float32], rng: np.random.Generator) -> Canvas:
    """The die in another light, and now and then nearly of the ground's colour."""
    tinted = image * rng.uniform(0.7, 1.25) + rng.uniform(-12, 12, 3)
    if rng.random() < _CAMOUFLAGE:
        inside = cover > _EDGE
        tinted += (ground[inside].mean(axis=0) - tinted[inside].mean(axis=0)) * rng.uniform(0.7, 1)
    return np.asarray(np.clip(tinted, 0, 255), np.float32)


# ---- light and camera


def _lit(canvas: Canvas, rng: np.random.Generator) -> Canvas:
    if rng.random() < 0.5:  # a lamp at one side
        rows, columns = np.mgrid[0:SIDE, 0:SIDE].astype(np.float32) / SIDE
        x, y = rng.uniform(-0.5, 1.5, 2)
        canvas = canvas * (1.15 - rng.uniform(0.1, 0.8) * np.hypot(columns - x, rows - y)).clip(0.15, 1.4)[..., None]
    if rng.random() < 0.2:  # somebody's shadow
        mask = np.zeros((SIDE, SIDE), np.float32)
        turns = np.sort(rng.uniform(0, 2 * np.pi, 6))
        round_it = np.stack([np.cos(turns), np.sin(turns)], axis=1) * rng.uniform(30, 160)
        cv2.fillPoly(mask, [(rng.uniform(0, SIDE, 2) + round_it).astype(np.int32)], 1.0)
        blurred = cv2.GaussianBlur(mask, (0, 0), float(rng.uniform(1, 15)))
        canvas = canvas * (1 - rng.uniform(0.2, 0.6) * blurred[..., None])
    if rng.random() < 0.15:
        canvas = canvas * rng.uniform(0.35, 0.8)
    return np.asarray(canvas * rng.uniform(0.85, 1.15, 3), np.float32)


def photographed(canvas: Canvas, rng: np.random.Generator, noise: float = 7.0) -> Image:
    """Return a canvas as a camera gives it: soft or sharpened, half of the time as JPEG leaves it.

    Args:
        noise: its standard deviation at most, in levels.
    """
    blur = float(rng.uniform(0, 1.3))
    if blur > 0.35:
        canvas = np.asarray(cv2.GaussianBlur(canvas, (0, 0), blur), np.float32)
    if rng.random() < 0.1:  # sharpened by the camera
        canvas = np.asarray(2 * canvas - cv2.GaussianBlur(canvas, (0, 0), 1.0), np.float32)
    noisy = canvas + rng.normal(0, rng.uniform(0, noise), canvas.shape)
    picture = np.clip(noisy, 0, 255).astype(np.uint8)
    if rng.random() < 0.5:
        packed = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(35, 95))])[1]
        picture = np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)
    return picture
