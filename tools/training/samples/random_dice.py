"""Random dice of every kind, built face by face: those to be read, and those that must never be answered."""

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import cv2
import numpy as np

from companion.objects.dice import D20_FACES, DAY_NIGHT_FACES, half_of, number_of
from companion.rendering.faces import (
    Colour,
    FaceArt,
    Mark,
    Mask,
    blank,
    numeral,
    pip_faces,
    place,
    printed_day_night_faces,
    room_for,
)
from companion.rendering.layouts import D20Layout, Layout, d6_layout, d20_layout, day_night_layout
from companion.rendering.materials import Material
from companion.rendering.painter import Die
from companion.rendering.solids import Solid, SolidName, solid
from tools.training.samples.appearance import brightness, random_appearance, random_color
from tools.training.samples.fonts import Fonts, Split
from tools.training.samples.pips import random_pips

RUGEN_NAMES: Final = tuple(DAY_NIGHT_FACES)
"""The order of the network's eight Rugen outputs: 1d, 1n, 2d, ... 4n."""
_INK_LEVEL, _MAX_LOST_SHARE = 128, 0.02
_FANCY_PIPS_SHARE: Final = 0.3  # of dice with pips: not plain discs
_CORNER_STEP_DEG: Final[dict[str, float]] = {
    "d4": 120.0,
    "d6": 90.0,
    "d8": 120.0,
    "d10": 360.0,
    "d12": 72.0,
    "d20": 120.0,
}


class Lettering:
    """One die's lettering: font, weight, width, size, mark of the 6 and 9, engraving depth."""

    def __init__(self, rng: np.random.Generator, fonts: Fonts, split: Split) -> None:
        self.font = fonts.random(rng, split)
        self.width = float(rng.uniform(0.75, 1.2))
        self.fill = float(rng.uniform(0.55, 0.98))
        self.weight = int(rng.choice([-1, 0, 0, 0, 1, 2, 3]))
        self.mark: Mark = ("bar", "dot", "none")[int(rng.choice(3, p=(0.5, 0.36, 0.14)))]
        self.depth = float(rng.choice([0.0, rng.uniform(0.1, 1.2), rng.uniform(0.3, 1.5), -rng.uniform(0.2, 0.8)]))
        self.low = float(rng.uniform(-0.06, 0.12))

    def drawn(self, text: str) -> Mask:
        """Return the mask of a text in this lettering, tightly cropped."""
        mask = numeral(text, self.font, mark=self.mark)
        if self.weight:
            kernel = np.ones((abs(self.weight) + 1,) * 2, np.uint8)
            padded = np.asarray(cv2.copyMakeBorder(mask, 2, 2, 2, 2, cv2.BORDER_CONSTANT), np.uint8)
            mask = np.asarray((cv2.dilate if self.weight > 0 else cv2.erode)(padded, kernel), np.uint8)
            if _is_worn_away(padded, mask):
                mask = padded
        if self.width == 1:
            return mask
        return np.asarray(cv2.resize(mask, None, fx=self.width, fy=1, interpolation=cv2.INTER_LINEAR), np.uint8)

    def art(self, die: Solid, face: int, text: str, turn_deg: float, ink: Colour) -> FaceArt:
        """Return a face with a text in this lettering."""
        mask = self.drawn(text)
        room = room_for(die, face, turn_deg, mask.shape[1] / mask.shape[0], self.low)
        height = self.fill * min(room, 1.1)
        return FaceArt(place(mask, height, centre_y=self.low), ink, turn_deg=turn_deg, depth=self.depth)


def _is_worn_away(mask: Mask, worn: Mask) -> bool:
    """Whether erosion lost thin strokes: a 14 without the 4's hairlines would be an 11."""
    near = cv2.dilate(worn, np.ones((5, 5), np.uint8)) >= _INK_LEVEL
    ink = mask >= _INK_LEVEL
    return bool((ink & ~near).sum() > _MAX_LOST_SHARE * ink.sum())


def numbered(
    rng: np.random.Generator, name: SolidName, texts: Sequence[str], writing: Lettering, material: Material, ink: Colour
) -> Die:
    """Return a die with a text on each face, with its top towards a random corner (or away from it, on all faces)."""
    die = solid(name)
    inwards = 180.0 if rng.random() < 0.08 else 0.0
    if name == "d6":
        inwards = 45.0
    art = []
    for face, text in enumerate(texts):
        turn_deg = inwards + _CORNER_STEP_DEG[name] * int(rng.integers(12))
        art.append(writing.art(die, face, text, turn_deg % 360, ink) if text else blank())
    return Die(die, tuple(art), material)


def random_d20(rng: np.random.Generator, fonts: Fonts, split: Split) -> tuple[Die, Layout, Lettering]:
    """Return a d20, the value of each face, and its lettering."""
    names: tuple[D20Layout, ...] = ("standard", "mirrored", "spindown", "random")
    name = names[int(rng.choice(4, p=(0.4, 0.3, 0.1, 0.2)))]
    layout = d20_layout(name, random.Random(int(rng.integers(1 << 30))))
    writing = Lettering(rng, fonts, split)
    bare = writing.depth > 0.6 and rng.random() < 0.12
    material, ink = random_appearance(rng, split, bare=bare)
    return numbered(rng, "d20", [str(value) for value in layout], writing, material, ink), layout, writing


def random_d6(rng: np.random.Generator, fonts: Fonts, split: Split) -> tuple[Die, Layout, bool]:
    """Return a d6, the value of each face, and whether it has numerals (pips usually)."""
    material, ink = random_appearance(rng, split)
    material = replace(material, rounding=float(rng.uniform(0.01, 0.16)))
    layout = d6_layout("western" if rng.random() < 0.6 else "asian")
    if rng.random() < 0.22:
        writing = Lettering(rng, fonts, split)
        return numbered(rng, "d6", [str(value) for value in layout], writing, material, ink), layout, True
    asian = rng.random() < 0.3 and brightness(material.base) > 140
    art = pip_faces(
        layout,
        "asian" if asian else "western",
        ink,
        [90.0 * int(turn) for turn in rng.integers(0, 4, 6)],
        radius=float(rng.uniform(0.11, 0.21)),
        spread=float(rng.uniform(0.44, 0.6)),
        depth=float(rng.choice([0, rng.uniform(0.2, 1.2)])),
        one=float(rng.choice([1.0, rng.uniform(1, 1.6)])),
        column=float(rng.choice([1.0, rng.uniform(0.75, 1)])),
    )
    if rng.random() < _FANCY_PIPS_SHARE:
        art = random_pips(rng, layout, art)
    return Die(solid("d6"), art, material), layout, False


def random_rugen(rng: np.random.Generator, fonts: Fonts, split: Split) -> tuple[Die, tuple[int, ...]]:
    """Return a Rugen die, with our printed faces or another design, and each face's index in `RUGEN_NAMES`."""
    order = day_night_layout(None if rng.random() < 0.4 else random.Random(int(rng.integers(1 << 30))))
    kinds = tuple(RUGEN_NAMES.index(D20_FACES[index]) for index in order)
    if rng.random() < 0.45:
        return _printed_rugen(rng, order), kinds
    writing = Lettering(rng, fonts, split)
    material, _ = random_appearance(rng, split)
    material = replace(material, pattern="solid", clear=0.0, metal=0.0)
    day, night = _two_tones(rng)
    die = numbered(rng, "d20", [str(number_of(RUGEN_NAMES[kind])) for kind in kinds], writing, material, night)
    art = tuple(
        replace(face, ground=day if half_of(RUGEN_NAMES[kind]) == "day" else night,
                ink=night if half_of(RUGEN_NAMES[kind]) == "day" else day)
        for face, kind in zip(die.art, kinds, strict=True)
    )  # fmt: skip
    return replace(die, art=art), kinds


def _two_tones(rng: np.random.Generator) -> tuple[Colour, Colour]:
    """Return a light and a dark color, each the ink on the other."""
    while True:
        light, dark = sorted((random_color(rng), random_color(rng)), key=brightness, reverse=True)
        if brightness(light) > 135 and brightness(dark) < 95 and brightness(light) - brightness(dark) > 90:
            return light, dark


def _printed_rugen(rng: np.random.Generator, order: Sequence[int]) -> Die:
    """Return a die with our printed faces: stickers on a die, or a paper icosahedron."""
    faces = printed_day_night_faces()
    paper = rng.random() < 0.5
    base: Colour = (238, 240, 240) if paper else random_color(rng)
    rounding = float(rng.uniform(0.004, 0.02) if paper else rng.uniform(0.01, 0.05))
    material = Material(base, gloss=float(rng.uniform(0, 0.5)), rounding=rounding)
    art = tuple(replace(faces[index], turn_deg=120.0 * int(rng.integers(3))) for index in order)
    return Die(solid("d20"), art, material)


def random_other_die(rng: np.random.Generator, fonts: Fonts, split: Split) -> Die:
    """Return a die that must never be answered: d4, d8, d10, d00, d12, or a d20 or d6 without numbers."""
    material, ink = random_appearance(rng, split)
    writing = Lettering(rng, fonts, split)
    names: tuple[SolidName, ...] = ("d4", "d8", "d10", "d10", "d12", "d12", "d20", "d6")
    name = names[int(rng.choice(8, p=(0.1, 0.15, 0.12, 0.11, 0.12, 0.12, 0.14, 0.14)))]
    sides = len(solid(name).faces)
    if name in ("d20", "d6"):
        return _without_numbers(rng, name, material, ink, writing)
    texts = [str(value) for value in rng.permutation(np.arange(1, sides + 1))]
    if name == "d10":
        tens = rng.random() < 0.5
        texts = [f"{int(text) % 10}0" if tens else str(int(text) % 10) for text in texts]
    return numbered(rng, name, texts, writing, material, ink)


def _without_numbers(
    rng: np.random.Generator, name: SolidName, material: Material, ink: Colour, writing: Lettering
) -> Die:
    """Return a blank die, or one with letters and symbols."""
    signs = "ABCDEFGHKLMNPRTUVWXYZ?!*+#&"
    sides = len(solid(name).faces)
    if rng.random() < 0.25:
        return Die(solid(name), tuple(blank() for _ in range(sides)), material)
    texts = [signs[int(rng.integers(len(signs)))] for _ in range(sides)]
    return numbered(rng, name, texts, writing, material, ink)
