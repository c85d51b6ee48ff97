"""Renders one labeled sample: a random die on a random table, seen by a random camera, cropped as the program does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.rendering.lights import Lighting
from companion.rendering.painter import Die, Image, Painted, View, art_corners, outline_of, paint
from companion.rendering.poses import leaning, resting, top_face
from companion.rendering.solids import Points, Solid
from companion.vision.dice.faces.upright import CLOSE_CROP_PX, DIE_PX
from tools.training.samples.appearance import random_lighting
from tools.training.samples.camera import photographed
from tools.training.samples.distractors import paint_thing
from tools.training.samples.fonts import Fonts, Split
from tools.training.samples.random_dice import random_d6, random_d20, random_other_die, random_rugen
from tools.training.samples.tables import busy_table

Kind = Literal["d20", "d6", "rugen", "none"]
KINDS: Final[tuple[Kind, ...]] = ("d20", "d6", "rugen", "none")
STORED: Final = CLOSE_CROP_PX
"""Side of a stored sample in pixels: a close crop, from which all others are cut."""
SURE, SIX_OR_NINE, UNREADABLE = 0, 1, 2
"""Notes: the value is unambiguous; an unmarked 6 or 9; a leaning die or a face without a value."""

CANVAS: Final = 256
"""Side of the picture that a sample is painted on."""
_KIND_PROBABILITIES: Final[tuple[float, ...]] = (0.54, 0.13, 0.15, 0.18)
_LEANING_SHARE: Final = 0.06
_LEAN_DEG: Final[dict[str, tuple[float, float]]] = {"d20": (18.0, 37.0), "rugen": (18.0, 37.0), "d6": (28.0, 54.0)}
WIDEST_TILT_DEG: Final = 38.0
"""Maximum angle between the camera's axis and the vertical; four in ten samples are seen nearly from above."""
UPRIGHT_DEG: Final = 22.0
"""Maximum rotation of a number that counts as upright; `companion.vision.dice.faces` tries several rotations."""
OFF_DEG: Final = 18.0
"""Minimum angle of every face of a leaning die: with less it may be a flat die in the picture's corner."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """A rendered crop and what it shows.

    Attributes:
        image: uint8 (STORED, STORED, 3), BGR.
        kind: index into `KINDS`.
        value: index of the top face's value within its kind's output; -1 without one.
        note: `SURE`, `SIX_OR_NINE` or `UNREADABLE`.
        size_px: the larger side of the die's box in the camera picture.
        number: position of the top face's number; None for pips, other objects and leaning dice.
        seen_from: the camera's angle off the vertical and that tilt's direction, degrees, as in `painter.View`.
    """

    image: Image
    kind: int
    value: int
    note: int
    size_px: int
    number: Upright | None = None
    seen_from: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Upright:
    """Position and direction of a number in a stored sample.

    Attributes:
        up_deg: direction of the top of the number, clockwise from the picture's upper side, 0 to 360.
        x, y: its face's center relative to the sample's center, in sizes of the die.
    """

    up_deg: float
    x: float
    y: float


def sample(rng: np.random.Generator, fonts: Fonts, split: Split, kind: Kind | None = None) -> Sample:
    """Return a random sample with the fonts and appearances of one split."""
    kind = kind or KINDS[int(rng.choice(len(KINDS), p=_KIND_PROBABILITIES))]
    table = busy_table(rng, CANVAS, fonts)
    light = random_lighting(rng)
    if kind == "none" and rng.random() < 0.4:
        paint_thing(table, rng, fonts, split, light)
        value, note, number, seen = -1, SURE, None, (0.0, 0.0)
    else:
        value, note, number, seen = _paint_die(table, rng, fonts, split, light, kind)
    size_px = int(np.exp(rng.uniform(np.log(40), np.log(400))))
    image = photographed(table, rng, size_px, STORED, STORED / DIE_PX)
    return Sample(image, KINDS.index(kind), value, note, size_px, number, seen)


def _paint_die(
    table: Image, rng: np.random.Generator, fonts: Fonts, split: Split, light: Lighting, kind: Kind
) -> tuple[int, int, Upright | None, tuple[float, float]]:
    """Paint a die of a kind, sometimes with another die beside it.

    Returns:
        Value index, note, position of the number, and camera tilt with its direction, as in `Sample`.
    """
    made = _random_die(rng, fonts, split, kind)
    die, values = made.die, made.values
    face = _top(rng, values) if values else int(rng.integers(len(die.art)))
    pose = resting(die.solid, face, float(rng.uniform(0, 360)))
    tilt = 15.0 * float(rng.random()) ** 1.5 if rng.random() < 0.4 else WIDEST_TILT_DEG * float(rng.random())
    view = View((0, 0), 1, float(np.exp(rng.uniform(np.log(6), np.log(40)))), tilt, float(rng.uniform(0, 360)))
    note = SURE
    if kind == "none":
        pose = leaning(pose, float(rng.uniform(0, 8)), float(rng.uniform(0, 360)))
    elif rng.random() < _LEANING_SHARE:
        pose, note = leant(rng, die.solid, pose, _LEAN_DEG[kind]), UNREADABLE
    view = framed(die, pose, view, CANVAS)
    if rng.random() < 0.15:
        _paint_neighbour(table, rng, fonts, split, light, view)
    paint(table, die, pose, view, light)
    seen = (view.tilt_deg, view.tilt_towards_deg)
    if not values:
        return -1, note, None, seen
    value = values[face]
    if made.is_plain and note == SURE and value in (5, 8):
        note = SIX_OR_NINE
    has_number = note != UNREADABLE and made.has_numbers
    return value, note, upright_of(art_corners(die, face, pose, view)) if has_number else None, seen


def upright_of(corners: NDArray[np.float32]) -> Upright:
    """Return the position of a number from its art's corners on the canvas, (4, 2), clockwise from the top left."""
    head = corners[:2].mean(axis=0) - corners[2:].mean(axis=0)
    x, y = (corners.mean(axis=0) - CANVAS / 2) * (STORED / CANVAS / DIE_PX)
    return Upright(float(np.degrees(np.arctan2(head[0], -head[1]))) % 360, float(x), float(y))


def leant(rng: np.random.Generator, die: Solid, pose: Points, between_deg: tuple[float, float]) -> Points:
    """Return the pose tipped so that no face is on top: each is at least `OFF_DEG` off the vertical."""
    while True:
        tipped = leaning(pose, float(rng.uniform(*between_deg)), float(rng.uniform(0, 360)))
        if top_face(die, tipped)[1] >= OFF_DEG:
            return tipped


def _top(rng: np.random.Generator, values: Sequence[int]) -> int:
    """Return a random face, with equal probabilities of the values (a Rugen die has many fours and one one)."""
    wanted = int(rng.choice(sorted(set(values))))
    return int(rng.choice([face for face, value in enumerate(values) if value == wanted]))


@dataclass(frozen=True, slots=True, eq=False)
class _RandomDie:
    """A random die.

    Attributes:
        values: the output index of each face; empty for a die that must not be answered.
        is_plain: its 6 and 9 are unmarked.
        has_numbers: it has numerals, not pips.
    """

    die: Die
    values: tuple[int, ...] = ()
    is_plain: bool = False
    has_numbers: bool = True


def _random_die(rng: np.random.Generator, fonts: Fonts, split: Split, kind: Kind) -> _RandomDie:
    if kind == "d20":
        die, layout, writing = random_d20(rng, fonts, split)
        return _RandomDie(die, tuple(value - 1 for value in layout), writing.mark == "none")
    if kind == "d6":
        die, layout, has_numbers = random_d6(rng, fonts, split)
        return _RandomDie(die, tuple(value - 1 for value in layout), has_numbers=has_numbers)
    if kind == "rugen":
        return _RandomDie(*random_rugen(rng, fonts, split))
    return _RandomDie(random_other_die(rng, fonts, split))


def framed(die: Die, pose: Points, view: View, canvas: int) -> View:
    """Return the view moved and scaled as in a stored sample: the die's enclosing circle centered on the canvas."""
    outline = outline_of(die.solid, pose, replace(view, centre_px=(0.0, 0.0), radius_px=100.0))
    sides = outline.max(axis=0) - outline.min(axis=0)
    zoom = canvas * DIE_PX / STORED / float(sides.max())
    (x, y), _ = cv2.minEnclosingCircle(outline)
    return replace(view, centre_px=(canvas / 2 - zoom * x, canvas / 2 - zoom * y), radius_px=100 * zoom)


def _paint_neighbour(
    table: Image, rng: np.random.Generator, fonts: Fonts, split: Split, light: Lighting, view: View
) -> Painted:
    """Paint another die nearby, with its center about two radii away."""
    kinds: tuple[Kind, ...] = ("d20", "d6", "d6", "none")
    die = _random_die(rng, fonts, split, kinds[int(rng.integers(4))]).die
    pose = resting(die.solid, int(rng.integers(len(die.art))), float(rng.uniform(0, 360)))
    direction, distance = float(rng.uniform(0, 2 * np.pi)), float(rng.uniform(1.95, 2.6)) * view.radius_px
    centre = (
        view.centre_px[0] + distance * float(np.cos(direction)),
        view.centre_px[1] + distance * float(np.sin(direction)),
    )
    return paint(table, die, pose, replace(view, centre_px=centre, radius_px=0.98 * view.radius_px), light)
