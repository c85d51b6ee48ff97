"""Composites the finder's training scenes: dice of many sizes on random tables, among other objects."""

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
_SIZES_PX: Final = (11.0, 72.0)  # slightly beyond the detectable range, so that the network learns its limits
_LARGE_SIZES_PX: Final = (60.0, 330.0)  # dice too large for this scale, which are found in a smaller copy
_DICE_COUNTS: Final = (1, 1, 1, 2, 3, 4, 6)
_MIN_DISTANCE: Final = 0.42  # between centers, in the sum of two dice's sizes: nearer dice would overlap
_CAMOUFLAGE_SHARE: Final = 0.12
_MIN_EDGE_PX, _MAX_EDGE_PX = 4, 56  # width of the part beyond the camera's picture
_OUTLINE_ALPHA: Final = 0.45

Canvas = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """A picture with its dice.

    Attributes:
        picture: uint8 (SIDE, SIDE, 3) BGR.
        boxes: float32 (n, 5): left, top, right, bottom in pixels, and lean in degrees; may exceed the picture for
            dice that are cut off.
    """

    picture: Image
    boxes: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _PlacedDie:
    """A die placed in the scene; ``box`` is a row of `Scene.boxes`."""

    x: float
    y: float
    size: float
    box: tuple[float, float, float, float, float]


def random_scene(
    rng: np.random.Generator, tiles: Sequence[Tile], fonts: Fonts, *, sizes: tuple[float, float] = _SIZES_PX,
    prints: float = 0.0, pairs: bool = True,
) -> Scene:  # fmt: skip
    """Return a random scene; one in eight has no die.

    Args:
        sizes: range of the dice's sizes, pixels.
        prints: share of busy prints among the tables.
        pairs: whether the unlabeled objects may include pairs of touching dice.
    """
    picture = _background(rng, fonts, prints)
    if rng.random() < 0.35:
        _paint_tray(picture, rng)
    if rng.random() < 0.6:
        for _ in range(int(rng.integers(1, 4))):
            _paint_object(picture, rng, fonts, pairs)
    canvas = picture.astype(np.float32)
    dice = _place_dice(canvas, rng, tiles, sizes)
    canvas = _with_uneven_light(canvas, rng)
    boxes = np.array([die.box for die in dice], np.float32).reshape(-1, 5)
    return Scene(photographed(canvas, rng), boxes)


def near_picture_edge(scene: Scene, rng: np.random.Generator) -> Scene:
    """Return a scene as at the edge of the camera's picture, beyond which the border pixels are repeated.

    On one or two sides, at most up to the nearest die, so that no die is cut off.
    """
    picture, boxes = scene.picture.copy(), scene.boxes
    beside = np.stack([boxes[:, 1], SIDE - boxes[:, 2], SIDE - boxes[:, 3], boxes[:, 0]])  # top, right, bottom, left
    free = np.minimum(beside.min(axis=1, initial=_MAX_EDGE_PX) - 1, _MAX_EDGE_PX)
    for side in rng.permutation(4)[: int(rng.integers(1, 3))]:
        if free[side] >= _MIN_EDGE_PX:
            n = int(rng.integers(_MIN_EDGE_PX, int(free[side]) + 1))
            rotated = np.rot90(picture, side)  # a view, so that the assignment changes the picture
            rotated[:n] = rotated[n]
    return Scene(picture, boxes)


def _background(rng: np.random.Generator, fonts: Fonts, prints: float) -> Image:
    """Return a table texture, at full scale or scaled down as from farther away."""
    size = SIDE * int(rng.choice([1, 2, 3], p=[0.6, 0.25, 0.15]))
    table = random_ground(rng, size, fonts, prints)
    return (
        table if size == SIDE else np.asarray(cv2.resize(table, (SIDE, SIDE), interpolation=cv2.INTER_AREA), np.uint8)
    )


# ---- other objects


def _paint_tray(picture: Image, rng: np.random.Generator) -> None:
    """Paint a tray, a mat or a dish whose edge crosses the picture, sometimes with a rim."""
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


def _paint_object(picture: Image, rng: np.random.Generator, fonts: Fonts, pairs: bool) -> None:
    """Paint a card, a coin, a token, a meeple or fingers into a part of the picture."""
    size = int(rng.uniform(40, SIDE))
    x, y = (int(v) for v in rng.integers(0, SIDE - size + 1, 2))
    part = np.ascontiguousarray(picture[y : y + size, x : x + size])
    paint_thing(part, rng, fonts, "train", random_lighting(rng), pairs=pairs)
    picture[y : y + size, x : x + size] = part


# ---- the dice


def _place_dice(
    canvas: Canvas, rng: np.random.Generator, tiles: Sequence[Tile], sizes: tuple[float, float]
) -> list[_PlacedDie]:  # fmt: skip
    if rng.random() < 0.12:
        return []
    count = int(rng.choice(_DICE_COUNTS))
    is_large = rng.random() < 0.15
    typical_size = _log_uniform(rng, _LARGE_SIZES_PX if is_large else sizes)
    touching = rng.random() < 0.4
    placed_dice: list[_PlacedDie] = []
    for _ in range(min(count, 2) if is_large else count):
        size = typical_size * rng.uniform(0.8, 1.25) if is_large or rng.random() < 0.8 else _log_uniform(rng, sizes)
        x, y = (
            _touching_position(rng, placed_dice[-1], size)
            if touching and placed_dice
            else rng.uniform(-0.05, 1.05, 2) * SIDE
        )
        if any(np.hypot(x - die.x, y - die.y) < _MIN_DISTANCE * (size + die.size) for die in placed_dice):
            continue
        placed = _place_die(canvas, rng, tiles[int(rng.integers(len(tiles)))], float(x), float(y), float(size))
        if placed is not None:
            placed_dice.append(placed)
    return placed_dice


def _log_uniform(rng: np.random.Generator, span: tuple[float, float]) -> float:
    return float(np.exp(rng.uniform(np.log(span[0]), np.log(span[1]))))


def _touching_position(rng: np.random.Generator, other: _PlacedDie, size: float) -> tuple[float, float]:
    """Return a position where a die touches another."""
    distance, angle = (other.size + size) * rng.uniform(0.47, 0.6), rng.uniform(0, 2 * np.pi)
    return other.x + distance * float(np.cos(angle)), other.y + distance * float(np.sin(angle))


def _place_die(
    canvas: Canvas, rng: np.random.Generator, tile: Tile, x: float, y: float, size: float
) -> _PlacedDie | None:
    """Composite a die and its shadow onto the canvas; return None if it is outside the picture."""
    scale = size / max(tile.alpha.shape)
    height, width = tile.alpha.shape
    where = cv2.getRotationMatrix2D((width / 2, height / 2), float(rng.uniform(0, 360)), scale)
    where[:, 2] += (x - width / 2, y - height / 2)
    cover = np.asarray(cv2.warpAffine(tile.alpha, where, (SIDE, SIDE), flags=cv2.INTER_LINEAR), np.float32)
    image = cv2.warpAffine(tile.image, where, (SIDE, SIDE), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    rows, columns = np.nonzero(cover > _OUTLINE_ALPHA)
    if not len(rows):
        return None
    shade = 1 - float(rng.uniform(0, 0.75)) * _shadow(cover, rng, size)[..., None]
    canvas *= shade
    colours = _recolored(image.astype(np.float32), canvas, cover, rng)
    clear = cover[..., None] * (float(rng.uniform(0.55, 0.9)) if rng.random() < 0.15 else 1.0)
    canvas[:] = canvas * (1 - clear) + colours * clear
    box = (float(columns.min()), float(rows.min()), float(columns.max() + 1), float(rows.max() + 1), tile.lean_deg)
    return _PlacedDie(x, y, size, box)


def _shadow(cover: NDArray[np.float32], rng: np.random.Generator, size: float) -> NDArray[np.float32]:
    """Return the die's cast shadow: mostly close to the die, sometimes long and connected to it."""
    direction = rng.normal(0, 0.12 if rng.random() < 0.7 else 0.5, 2) * size
    soft = max(0.4, size * float(rng.uniform(0.01, 0.12)))
    dark = np.zeros_like(cover)
    for share in (0.33, 0.66, 1.0) if np.hypot(*direction) > 0.35 * size else (1.0,):
        moved = np.array([[1, 0, direction[0] * share], [0, 1, direction[1] * share]])
        dark = np.maximum(dark, cv2.GaussianBlur(cv2.warpAffine(cover, moved, (SIDE, SIDE)), (0, 0), soft))
    return np.asarray(dark, np.float32)


def _recolored(image: Canvas, ground: Canvas, cover: NDArray[np.float32], rng: np.random.Generator) -> Canvas:
    """Return the die's picture in another light, sometimes nearly in the background's color."""
    tinted = image * rng.uniform(0.7, 1.25) + rng.uniform(-12, 12, 3)
    if rng.random() < _CAMOUFLAGE_SHARE:
        inside = cover > _OUTLINE_ALPHA
        tinted += (ground[inside].mean(axis=0) - tinted[inside].mean(axis=0)) * rng.uniform(0.7, 1)
    return np.asarray(np.clip(tinted, 0, 255), np.float32)


# ---- light and camera


def _with_uneven_light(canvas: Canvas, rng: np.random.Generator) -> Canvas:
    if rng.random() < 0.5:  # a lamp on one side
        rows, columns = np.mgrid[0:SIDE, 0:SIDE].astype(np.float32) / SIDE
        x, y = rng.uniform(-0.5, 1.5, 2)
        canvas = canvas * (1.15 - rng.uniform(0.1, 0.8) * np.hypot(columns - x, rows - y)).clip(0.15, 1.4)[..., None]
    if rng.random() < 0.2:  # a person's shadow
        mask = np.zeros((SIDE, SIDE), np.float32)
        angles = np.sort(rng.uniform(0, 2 * np.pi, 6))
        offsets = np.stack([np.cos(angles), np.sin(angles)], axis=1) * rng.uniform(30, 160)
        cv2.fillPoly(mask, [(rng.uniform(0, SIDE, 2) + offsets).astype(np.int32)], 1.0)
        blurred = cv2.GaussianBlur(mask, (0, 0), float(rng.uniform(1, 15)))
        canvas = canvas * (1 - rng.uniform(0.2, 0.6) * blurred[..., None])
    if rng.random() < 0.15:
        canvas = canvas * rng.uniform(0.35, 0.8)
    return np.asarray(canvas * rng.uniform(0.85, 1.15, 3), np.float32)


def photographed(canvas: Canvas, rng: np.random.Generator, noise: float = 7.0) -> Image:
    """Return a canvas as a camera records it: blurred or sharpened, with noise, in half of the cases as JPEG.

    Args:
        noise: maximum standard deviation of the noise, in gray levels.
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
