"""Renders the off-axis network's samples: a d20 or Rugen die with surroundings and shadows, from above or off-axis."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.rendering.lights import Lighting
from companion.rendering.painter import Die, Image, View, camera_matrix, outline_of, paint, project
from companion.rendering.poses import matrix, resting
from companion.rendering.solids import Points
from companion.vision.dice.faces.off_axis import CONTEXT_PX, CONTEXT_SIDE
from tools.training.samples.appearance import random_lighting
from tools.training.samples.camera import photographed
from tools.training.samples.fonts import Fonts, Split
from tools.training.samples.random_dice import random_d20, random_rugen
from tools.training.samples.tables import busy_table

CANVAS: Final = 256
SHARD: Final = 1024
VERSION: Final = 1
"""The samples' recipe. Raise it when the rendering changes."""
LABELS: Final = ("hazard", "tilt x", "tilt y", "face x", "face y", "tilt_deg", "face_deg", "size_px")
_MAX_FACE_DEG: Final = 20.0  # of most samples; faces turned farther away are seldom answered anyway
_ANY_FACE_SHARE: Final = 0.3
_TILT_RANGES: Final = ((0.0, 12.5, 0.45), (12.5, 21.0, 0.12), (21.0, 38.0, 0.43))
"""Ranges of the tilt, degrees, and their probabilities."""
_DICE, _TABLES, _PICTURES = 160, 48, 2  # dice and tables of a shard; pictures of each throw
_SKY_DIRECTIONS: Final = 12  # that the sky's shadow is made of


@dataclass(frozen=True, slots=True, eq=False)
class LabeledPicture:
    """One labeled picture of a die.

    Attributes:
        image: uint8 (112, 112, 3), BGR.
        labels: float32 (8,), see `LABELS`: 1 if the most frontal face is not the upper one; the sine of the camera's
            tilt as a vector in the tilt's direction, and the most frontal face's direction, x right and y down the
            picture.
    """

    image: Image
    labels: NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """Dice and table textures that the samples of a shard share, as making them takes longer than painting them."""

    dice: tuple[Die, ...]
    tables: tuple[Image, ...]


def random_parts(rng: np.random.Generator, fonts: Fonts, split: Split) -> Parts:
    """Return the dice and tables for a shard, with the fonts and appearances of one split."""
    makers = (random_d20, random_rugen)
    dice = [makers[int(rng.random() < 0.4)](rng, fonts, split)[0] for _ in range(_DICE)]
    return Parts(tuple(dice), tuple(busy_table(rng, CANVAS, fonts) for _ in range(_TABLES)))


def samples(rng: np.random.Generator, parts: Parts) -> list[LabeledPicture]:
    """Return the pictures of one throw of a die."""
    die = parts.dice[int(rng.integers(len(parts.dice)))]
    pose, view, face, upper = _random_frontal_view(rng, die)
    table = np.rot90(parts.tables[int(rng.integers(len(parts.tables)))], int(rng.integers(4)))
    table = _foreshortened(np.ascontiguousarray(table), view)
    light = random_lighting(rng)
    view = framed(rng, die, pose, view)
    sky = float(rng.uniform(0, 0.8)) if rng.random() < 0.9 else 0.0
    _shade_by_sky(table, die, pose, view, sky, rng)
    for lamp in light.lamps[1:]:
        if rng.random() < 0.7:
            _shade_by(table, die, pose, view, lamp.way, light.shadow * float(rng.uniform(0.2, 0.8)), light.softness)
    paint(table, die, pose, view, _sometimes_without_shadow(light, rng))
    t, w = np.radians([view.tilt_deg, view.tilt_towards_deg])
    off = np.sin(t) * np.array([np.cos(w), -np.sin(w)])
    angle = float(np.degrees(np.arccos(min(1.0, face[2]))))
    labels = [float(not upper), *off, face[0], -face[1], view.tilt_deg, angle]
    return [_photographed(table, rng, labels) for _ in range(_PICTURES)]


def _photographed(table: Image, rng: np.random.Generator, labels: Sequence[float]) -> LabeledPicture:
    size_px = int(np.exp(rng.uniform(np.log(55), np.log(260))))
    image = photographed(table, rng, size_px, CONTEXT_PX, CONTEXT_SIDE)
    return LabeledPicture(image, np.array([*labels, size_px], np.float32))


def _random_frontal_view(rng: np.random.Generator, die: Die) -> tuple[Points, View, Points, bool]:
    """Return a pose, a view, the most frontal face's direction (mostly near frontal), whether it is the upper."""
    low, high, _ = _TILT_RANGES[int(rng.choice(3, p=[share for *_, share in _TILT_RANGES]))]
    max_deg = 90.0 if rng.random() < _ANY_FACE_SHARE else _MAX_FACE_DEG
    while True:
        tilt, towards = float(rng.uniform(low, high)), float(rng.uniform(0, 360))
        view = View((0, 0), 1, float(np.exp(rng.uniform(np.log(7), np.log(40)))), tilt, towards)
        top = int(rng.integers(len(die.art)))
        pose = resting(die.solid, top, float(rng.uniform(0, 360)))
        normals = die.solid.normals @ matrix(pose).T @ camera_matrix(view).T
        best = int(normals[:, 2].argmax())
        if np.degrees(np.arccos(min(1.0, normals[best, 2]))) < max_deg:
            return pose, view, normals[best], best == top


def framed(rng: np.random.Generator, die: Die, pose: Points, view: View) -> View:
    """Return the view moved and scaled so that the die's box is centered and, within a small error, of stored size."""
    outline = outline_of(die.solid, pose, replace(view, centre_px=(0.0, 0.0), radius_px=100.0))
    low, high = outline.min(axis=0), outline.max(axis=0)
    zoom = CANVAS / CONTEXT_SIDE / float((high - low).max()) * float(rng.uniform(0.95, 1.05))
    x, y = zoom * (low + high) / 2
    return replace(view, centre_px=(CANVAS / 2 - x, CANVAS / 2 - y), radius_px=100 * zoom)


def _foreshortened(table: Image, view: View) -> Image:
    """Return a table texture as seen off-axis: foreshortened along the tilt."""
    t, w = np.radians([view.tilt_deg, view.tilt_towards_deg])
    off = np.array([np.cos(w), -np.sin(w)])
    flat = np.eye(2) + (1 / np.cos(t) - 1) * np.outer(off, off)
    middle = np.full(2, CANVAS / 2)
    where = np.hstack([flat, (middle - flat @ middle)[:, None]])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(cv2.warpAffine(table, where, (CANVAS, CANVAS), flags=flags, borderMode=cv2.BORDER_REFLECT))


def _sometimes_without_shadow(light: Lighting, rng: np.random.Generator) -> Lighting:
    return replace(light, shadow=0.0) if rng.random() < 0.1 else light


def _shade_by_sky(canvas: Image, die: Die, pose: Points, view: View, depth: float, rng: np.random.Generator) -> None:
    """Paint the ambient shadow: the die hides a part of the sky, most where it touches the table."""
    if depth <= 0:
        return
    dark = np.zeros((CANVAS // 2, CANVAS // 2), np.float32)
    start = float(rng.random())
    for k in range(_SKY_DIRECTIONS):
        around, flat = 2 * np.pi * (k * 0.618 + start), np.sqrt((k + 0.5) / _SKY_DIRECTIONS)
        way = np.array([flat * np.cos(around), flat * np.sin(around), np.sqrt(1 - flat**2)])
        spots = _shadow_corners(die, pose, view, way)
        layer = np.zeros(dark.shape, np.uint8)
        cv2.fillConvexPoly(layer, spots, 1, shift=4)
        dark += layer * np.float32(depth / _SKY_DIRECTIONS)
    _darken(canvas, cv2.GaussianBlur(dark, (0, 0), 0.06 * view.radius_px))


def _shade_by(
    canvas: Image, die: Die, pose: Points, view: View, way: NDArray[np.float32], depth: float, softness: float
) -> None:
    """Paint the die's shadow from one lamp."""
    layer = np.zeros((CANVAS // 2, CANVAS // 2), np.float32)
    x, y, z = (float(v) for v in way)
    cv2.fillConvexPoly(layer, _shadow_corners(die, pose, view, np.array([x, -y, z])), depth, cv2.LINE_AA, 4)
    _darken(canvas, cv2.GaussianBlur(layer, (0, 0), max(0.5, softness * view.radius_px / 2)))


def _shadow_corners(die: Die, pose: Points, view: View, way: Points) -> NDArray[np.int32]:
    """Return the corners of a die's shadow at half size, in sixteenths of a pixel.

    Args:
        way: direction to the light, x right, y up the picture, z up from the table.
    """
    world = die.solid.vertices @ matrix(pose).T
    ground = world[:, 2].min()
    cast = world - (world[:, 2:] - ground) * way / max(float(way[2]), 0.2)
    cast[:, 2] = ground
    return np.round(cv2.convexHull(project(cast @ camera_matrix(view).T, view) / 2)[:, 0] * 16).astype(np.int32)


def _darken(canvas: Image, dark: cv2.typing.MatLike) -> None:
    large = cv2.resize(dark, (CANVAS, CANVAS), interpolation=cv2.INTER_LINEAR)
    canvas[:] = (canvas * (1 - np.minimum(large, 0.95))[..., None]).astype(np.uint8)


def shard_path(folder: Path, split: Split, seed: int, number: int) -> Path:
    """Return the file of a shard."""
    return folder / f"tilt{VERSION}-{split}-{seed}-{number:04d}.npz"


def make_shard(path: Path, split: Split, seed: int, number: int, fonts: Fonts) -> Path:
    """Render one shard unless it exists; equal arguments give equal pictures."""
    if not path.exists():
        rng = np.random.default_rng([VERSION, seed, number, 0 if split == "train" else 1])
        parts = random_parts(rng, fonts, split)
        made = [seen for _ in range(SHARD // _PICTURES) for seen in samples(rng, parts)]
        part = path.with_suffix(".part.npz")
        np.savez(part, images=np.stack([s.image for s in made]), labels=np.stack([s.labels for s in made]))
        part.replace(path)
    return path
