"""The ray caster's bank of random dice: faces, colors and materials as arrays on disk, made on the CPU."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from companion.rendering.faces import Colour
from companion.rendering.painter import Die
from tools.training.samples.appearance import brightness
from tools.training.samples.fonts import Fonts, Split
from tools.training.samples.random_dice import random_d6, random_d20, random_other_die, random_rugen
from tools.training.samples.scenes import KINDS
from tools.training.samples.tables import busy_table

Family = Literal["d20", "d6", "rugen", "printed", "d4", "d8", "d10", "d12", "blank20", "blank6"]
FAMILIES: Final[tuple[Family, ...]] = (
    "d20", "d6", "rugen", "printed", "d4", "d8", "d10", "d12", "blank20", "blank6",
)  # fmt: skip
FAMILY_WEIGHTS: Final = (0.52, 0.12, 0.09, 0.08, 0.03, 0.04, 0.045, 0.045, 0.015, 0.015)
EACH: Final = 32
"""Number of dice in one file of the bank."""
TABLE_PX: Final = 512
_PATTERNS: Final = {"solid": 0, "pearl": 0, "swirled": 1, "marbled": 2, "layered": 3, "speckled": 4, "glitter": 4}
_WOODEN_SHARE: Final = 0.08


@dataclass(frozen=True, slots=True, eq=False)
class Arts:
    """The faces and materials of m dice of one family with f faces each. Field names are array names in the files.

    Attributes:
        marks: uint8 (m, f, SIDE, SIDE), ink masks.
        pictures: uint8 (m, f, SIDE, SIDE, 3) BGR, for printed faces; otherwise empty.
        turns: (m, f), rotations of the faces' art, degrees.
        inks, grounds: (m, f, 3) BGR.
        toned: (m,), 1 if each face has its own ground color.
        base, second: (m, 3) BGR.
        numbers: (m, 8): amount, grain, pattern, clear, metal, gloss, rounding, depth.
        values: int16 (m, f), -1 without a value.
        notes: int16 (m, 2): unmarked 6 and 9; has numerals.
    """

    marks: NDArray[np.uint8]
    pictures: NDArray[np.uint8]
    turns: NDArray[np.float32]
    inks: NDArray[np.float32]
    grounds: NDArray[np.float32]
    toned: NDArray[np.float32]
    base: NDArray[np.float32]
    second: NDArray[np.float32]
    numbers: NDArray[np.float32]
    values: NDArray[np.int16]
    notes: NDArray[np.int16]

    def save(self, path: Path) -> None:
        part = path.with_suffix(".part.npz")
        np.savez(part, **{each.name: getattr(self, each.name) for each in fields(self)})
        os.replace(part, path)

    @classmethod
    def load(cls, path: Path) -> Arts:
        with np.load(path) as arrays:
            return cls(**{each.name: arrays[each.name] for each in fields(cls)})


def arts_path(folder: Path, split: Split, family: Family, number: int) -> Path:
    """Return a file of the bank."""
    return folder / f"arts-{split}-{family}-{number:04d}.npz"


def make_arts(folder: Path, split: Split, family: Family, number: int, fonts: Fonts) -> Path:
    """Make one file of the bank unless it exists."""
    path = arts_path(folder, split, family, number)
    if not path.exists():
        rng = np.random.default_rng([811, FAMILIES.index(family), number, 0 if split == "train" else 1])
        _stacked([random_die(rng, fonts, split, family) for _ in range(EACH)]).save(path)
    return path


def tables_path(folder: Path, number: int) -> Path:
    """Return a file of table textures."""
    return folder / f"tables-{number:04d}.npy"


def make_tables(folder: Path, number: int, fonts: Fonts) -> Path:
    """Make a file of table textures, uint8 (8, TABLE_PX, TABLE_PX, 3) BGR, unless it exists."""
    path = tables_path(folder, number)
    if not path.exists():
        rng = np.random.default_rng([823, number])
        part = path.with_suffix(".part.npy")
        np.save(part, np.stack([busy_table(rng, TABLE_PX, fonts) for _ in range(8)]))
        os.replace(part, path)
    return path


@dataclass(frozen=True, slots=True, eq=False)
class MadeDie:
    """A random die.

    Attributes:
        values: each face's value index within its kind's output; -1 without a value.
        is_plain: its 6 and 9 are unmarked.
        has_numbers: it has numerals, not pips.
    """

    die: Die
    values: tuple[int, ...]
    is_plain: bool = False
    has_numbers: bool = True


def random_die(rng: np.random.Generator, fonts: Fonts, split: Split, family: Family) -> MadeDie:
    """Return a random die of a family."""
    if family == "d20":
        die, layout, writing = random_d20(rng, fonts, split)
        return MadeDie(_wooden(die, rng), tuple(value - 1 for value in layout), writing.mark == "none")
    if family == "d6":
        die, layout, has_numbers = random_d6(rng, fonts, split)
        return MadeDie(_wooden(die, rng), tuple(value - 1 for value in layout), has_numbers=has_numbers)
    if family in ("rugen", "printed"):
        while True:
            die, kinds = random_rugen(rng, fonts, split)
            if isinstance(die.art[0].ink, tuple) == (family == "rugen"):
                return MadeDie(die, kinds)
    wanted = {"blank20": "d20", "blank6": "d6"}.get(family, family)
    while True:
        die = random_other_die(rng, fonts, split)
        if die.solid.name == wanted:
            return MadeDie(die, (-1,) * len(die.art), has_numbers=False)


def _wooden(die: Die, rng: np.random.Generator) -> Die:
    """Return the die made of wood in some cases, if its ink has enough contrast to it; otherwise unchanged."""
    ink = die.art[0].ink
    if rng.random() > _WOODEN_SHARE or not isinstance(ink, tuple):
        return die
    value = float(rng.uniform(50, 215))
    base: Colour = (value * float(rng.uniform(0.3, 0.6)), value * float(rng.uniform(0.6, 0.8)), value)
    if abs(brightness(base) - brightness(ink)) < 55:
        return die
    dark = float(rng.uniform(0.6, 0.9))
    second: Colour = (base[0] * dark, base[1] * dark, base[2] * dark)
    return replace(die, material=replace(die.material, base=base, second=second, amount=1.0, clear=0.0, metal=0.0))


def _stacked(made: list[MadeDie]) -> Arts:
    def colour(face: object) -> Colour:
        return face if isinstance(face, tuple) else (0.0, 0.0, 0.0)

    arts = [each.die.art for each in made]
    has_pictures = not isinstance(arts[0][0].ink, tuple)
    pictures = (
        np.array([[face.ink for face in art] for art in arts], np.uint8) if has_pictures else np.zeros(0, np.uint8)
    )
    wooden = [each.die.material.amount == 1.0 and each.die.material.clear == 0 for each in made]
    numbers = [
        (m.amount if m.pattern != "solid" or is_wood else 0.0, m.grain, 5 if is_wood else _PATTERNS[m.pattern], m.clear,
         m.metal, m.gloss, m.rounding, each.die.art[0].depth)
        for each, is_wood in zip(made, wooden, strict=True) for m in (each.die.material,)
    ]  # fmt: skip
    return Arts(
        np.array([[face.mask for face in art] for art in arts], np.uint8),
        pictures,
        np.array([[face.turn_deg for face in art] for art in arts], np.float32),
        np.array([[colour(face.ink) for face in art] for art in arts], np.float32),
        np.array([[colour(face.ground) for face in art] for art in arts], np.float32),
        np.array([art[0].ground is not None for art in arts], np.float32),
        np.array([each.die.material.base for each in made], np.float32),
        np.array([each.die.material.second for each in made], np.float32),
        np.array(numbers, np.float32),
        np.array([each.values for each in made], np.int16),
        np.array([(each.is_plain, each.has_numbers) for each in made], np.int16),
    )


def kind_of(family: Family) -> int:
    """Return the index of a family's kind in `KINDS`.

    >>> kind_of("printed"), kind_of("d12")
    (2, 3)
    """
    kinds = {"d20": "d20", "d6": "d6", "rugen": "rugen", "printed": "rugen"}
    return [str(kind) for kind in KINDS].index(kinds.get(family, "none"))
