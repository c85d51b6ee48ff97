"""One labelled sample: a chance die on a chance table, seen by a chance camera, cropped as the reader crops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import cv2
import numpy as np

from companion.rendering.lights import Lighting
from companion.rendering.painter import Die, Image, Painted, View, outline_of, paint
from companion.rendering.poses import leaning, resting, top_face
from companion.rendering.solids import Points, Solid
from companion.training.camera import photographed
from companion.training.chance_dice import chance_d6, chance_d20, chance_other, chance_rugen
from companion.training.fonts import Fonts, Split
from companion.training.looks import chance_lighting, chance_table
from companion.training.things import paint_thing

Kind = Literal["d20", "d6", "rugen", "none"]
KINDS: Final[tuple[Kind, ...]] = ("d20", "d6", "rugen", "none")
STORED: Final = 128
"""Side of a stored sample in pixels, at the scale of the network's 96-pixel crops: room to turn and shift."""
CROP: Final = 96
AROUND: Final = 1.25
"""The crop's side by the die's larger box side."""
SURE, SIX_OR_NINE, UNREADABLE = 0, 1, 2
"""Notes on a sample: the value holds; a 6 or 9 without a mark; a leaning die or a face without a value."""

_CANVAS: Final = 192
_CHANCES: Final[tuple[float, ...]] = (0.54, 0.13, 0.15, 0.18)
_LEANING: Final = 0.06
_LEAN_DEG: Final[dict[str, tuple[float, float]]] = {"d20": (18.0, 37.0), "rugen": (18.0, 37.0), "d6": (28.0, 54.0)}
_TILT_DEG: Final = 15.0
OFF_DEG: Final = 18.0
"""What lies flatter than this may be a die in the picture's corner, seen a little from the side."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """A rendered crop and what it shows.

    Attributes:
        image: uint8 (STORED, STORED, 3), BGR.
        kind: index into `KINDS`.
        value: index of the top face's value within its kind's output; -1 where there is none.
        note: `SURE`, `SIX_OR_NINE` or `UNREADABLE`.
        size_px: the die's larger box side as the camera saw it.
    """

    image: Image
    kind: int
    value: int
    note: int
    size_px: int


def sample(rng: np.random.Generator, fonts: Fonts, split: Split, kind: Kind | None = None) -> Sample:
    """Return a chance sample of one half of all fonts and looks."""
    kind = kind or KINDS[int(rng.choice(len(KINDS), p=_CHANCES))]
    table = chance_table(rng, _CANVAS)
    light = chance_lighting(rng)
    if kind == "none" and rng.random() < 0.4:
        paint_thing(table, rng, fonts, split, light)
        value, note = -1, SURE
    else:
        value, note = _paint_die(table, rng, fonts, split, light, kind)
    size_px = int(np.exp(rng.uniform(np.log(40), np.log(400))))
    return Sample(photographed(table, rng, size_px, STORED, AROUND), KINDS.index(kind), value, note, size_px)


def _paint_die(
    table: Image, rng: np.random.Generator, fonts: Fonts, split: Split, light: Lighting, kind: Kind
) -> tuple[int, int]:
    """Paint a die of a kind, now and then among others; return its value's index and note."""
    die, values, plain = _die_of(rng, fonts, split, kind)
    face = _top(rng, values) if values else int(rng.integers(len(die.art)))
    pose = resting(die.solid, face, float(rng.uniform(0, 360)))
    tilt = _TILT_DEG * float(rng.random()) ** 1.5
    view = View((0, 0), 1, float(np.exp(rng.uniform(np.log(6), np.log(40)))), tilt, float(rng.uniform(0, 360)))
    note = SURE
    if kind == "none":
        pose = leaning(pose, float(rng.uniform(0, 8)), float(rng.uniform(0, 360)))
    elif rng.random() < _LEANING:
        pose, note = leant(rng, die.solid, pose, _LEAN_DEG[kind]), UNREADABLE
        view = replace(view, tilt_deg=0.0)
    view = framed(die, pose, view, _CANVAS)
    if rng.random() < 0.15:
        _paint_neighbour(table, rng, fonts, split, light, view)
    paint(table, die, pose, view, light)
    if not values:
        return -1, note
    value = values[face]
    if plain and note == SURE and kind == "d20" and value in (5, 8):
        note = SIX_OR_NINE
    return value, note


def leant(rng: np.random.Generator, die: Solid, pose: Points, between_deg: tuple[float, float]) -> Points:
    """Return the pose tipped over so that no face can be said to be on top: each is `OFF_DEG` or more away."""
    while True:
        tipped = leaning(pose, float(rng.uniform(*between_deg)), float(rng.uniform(0, 360)))
        if top_face(die, tipped)[1] >= OFF_DEG:
            return tipped


def _top(rng: np.random.Generator, values: Sequence[int]) -> int:
    """A face, every value equally often (a Rugen die has many fours and one one)."""
    wanted = int(rng.choice(sorted(set(values))))
    return int(rng.choice([face for face, value in enumerate(values) if value == wanted]))


def _die_of(rng: np.random.Generator, fonts: Fonts, split: Split, kind: Kind) -> tuple[Die, tuple[int, ...], bool]:
    """A die, the output index of each face, and whether its 6 and 9 look the same."""
    if kind == "d20":
        die, layout, writing = chance_d20(rng, fonts, split)
        return die, tuple(value - 1 for value in layout), writing.mark == "none"
    if kind == "d6":
        die, layout = chance_d6(rng, fonts, split)
        return die, tuple(value - 1 for value in layout), False
    if kind == "rugen":
        return *chance_rugen(rng, fonts, split), False
    return chance_other(rng, fonts, split), (), False


def framed(die: Die, pose: Points, view: View, canvas: int) -> View:
    """Return the view moved and zoomed as in a stored sample: the die's circle in the middle of the canvas."""
    outline = outline_of(die.solid, pose, replace(view, centre_px=(0.0, 0.0), radius_px=100.0))
    sides = outline.max(axis=0) - outline.min(axis=0)
    zoom = canvas * CROP / STORED / AROUND / float(sides.max())
    (x, y), _ = cv2.minEnclosingCircle(outline)
    return replace(view, centre_px=(canvas / 2 - zoom * x, canvas / 2 - zoom * y), radius_px=100 * zoom)


def _paint_neighbour(
    table: Image, rng: np.random.Generator, fonts: Fonts, split: Split, light: Lighting, view: View
) -> Painted:
    """Paint another die close by, its middle about two radii away."""
    kinds: tuple[Kind, ...] = ("d20", "d6", "d6", "none")
    die, _, _ = _die_of(rng, fonts, split, kinds[int(rng.integers(4))])
    pose = resting(die.solid, int(rng.integers(len(die.art))), float(rng.uniform(0, 360)))
    way, far = float(rng.uniform(0, 2 * np.pi)), float(rng.uniform(1.95, 2.6)) * view.radius_px
    centre = (view.centre_px[0] + far * float(np.cos(way)), view.centre_px[1] + far * float(np.sin(way)))
    return paint(table, die, pose, replace(view, centre_px=centre, radius_px=0.98 * view.radius_px), light)
