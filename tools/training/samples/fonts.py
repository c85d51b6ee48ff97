"""The fonts of this machine whose digits can be read, in two halves that never mix: for training, and held out.

The numbers of a die are rarely plain, so the more fonts the better; but a font whose 3 looks like a 5, or
that has pictures for digits, would teach nonsense. Each candidate's digits are compared with the average of
all fonts' digits, and a font that strays too far is left out.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import ImageFont

from companion.kernel.errors import CompanionError
from companion.rendering.faces import numeral

Split = Literal["train", "held"]
SYSTEM_FONTS: Final = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), Path.home() / ".local/share/fonts")
FEWEST: Final = 20
_HELD_SHARE: Final = 5  # one family in five
_CELL: Final = (20, 28)
_ENOUGH_ALIKE: Final = 0.52
_SUFFIXES: Final = {".ttf", ".otf"}


class TooFewFonts(CompanionError):
    """This machine has not enough fonts to make dice from."""


@dataclass(frozen=True, slots=True, order=True)
class Font:
    """A font file with readable digits."""

    family: str
    path: str

    @property
    def split(self) -> Split:
        """Which half the whole family belongs to, decided by its name alone."""
        return "held" if share_of(self.family, _HELD_SHARE) == 0 else "train"


@dataclass(frozen=True, slots=True, eq=False)
class Fonts:
    """The readable fonts by half: families, each with the paths of its styles."""

    train: tuple[tuple[str, ...], ...]
    held: tuple[tuple[str, ...], ...]

    def chance(self, rng: np.random.Generator, split: Split) -> str:
        """Return a font file of one half; every family is as likely as any other."""
        families = self.held if split == "held" else self.train
        styles = families[int(rng.integers(len(families)))]
        return styles[int(rng.integers(len(styles)))]


def share_of(name: str, shares: int) -> int:
    """Return which of some equal shares a name falls into, the same on every machine."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big") % shares


def find_fonts(folders: Sequence[Path] = SYSTEM_FONTS) -> Fonts:
    """Return the readable fonts below some folders.

    Raises:
        TooFewFonts: fewer than `FEWEST` families; training would learn these by heart.
    """
    fonts = tuple(sorted(_readable(fonts_below(folders))))
    families = {font.family for font in fonts}
    if len(families) < FEWEST:
        raise TooFewFonts(
            f"Only {len(families)} font families with plain digits are below {', '.join(map(str, folders))}. "
            "Install more, for example with `apt install fonts-adf-* fonts-aenigma fonts-urw-base35 fonts-lato`."
        )
    return Fonts(_families(fonts, "train"), _families(fonts, "held"))


def fonts_below(folders: Sequence[Path]) -> list[Font]:
    """Return all fonts below some folders that say their family, readable or not."""
    files = {path for folder in folders for path in folder.rglob("*") if path.suffix.lower() in _SUFFIXES}
    found = []
    for path in sorted(files):
        try:
            family = ImageFont.truetype(str(path), 16).getname()[0]
        except OSError:  # bitmap fonts with an outline font's name, broken files
            continue
        if family:
            found.append(Font(family, str(path)))
    return found


def _families(fonts: Sequence[Font], split: Split) -> tuple[tuple[str, ...], ...]:
    names = sorted({font.family for font in fonts if font.split == split})
    return tuple(tuple(font.path for font in fonts if font.family == name) for name in names)


def _readable(fonts: Sequence[Font]) -> list[Font]:
    """Leave out fonts whose digits are missing, alike, or far from everybody else's."""
    cells = {font: cell for font in fonts if (cell := _digit_cells(font.path)) is not None}
    if not cells:
        return []
    average = _normed(np.median(np.stack(list(cells.values())), axis=0))
    return [font for font, cell in cells.items() if _is_like(_normed(cell), average)]


def _is_like(cell: NDArray[np.float32], average: NDArray[np.float32]) -> bool:
    alike = cell @ average.T
    own = np.diag(alike)
    best = int((alike.argmax(axis=1) == np.arange(10)).sum())
    return best >= 9 and float(own.mean()) > _ENOUGH_ALIKE and float(own.min()) > 0.2


def _digit_cells(path: str) -> NDArray[np.float32] | None:
    """Ten digits stretched to one size, float32 (10, pixels); None where one is missing."""
    try:
        drawn = [numeral(str(digit), path) for digit in range(10)]
    except (OSError, ValueError):
        return None
    if min(min(mask.shape) for mask in drawn) < 3:
        return None
    return np.stack([cv2.resize(mask, _CELL, interpolation=cv2.INTER_AREA).ravel() for mask in drawn]).astype(
        np.float32
    )


def _normed(cell: NDArray[np.floating]) -> NDArray[np.float32]:
    centred = cell - cell.mean(axis=1, keepdims=True)
    return np.asarray(centred / (np.linalg.norm(centred, axis=1, keepdims=True) + 1e-6), np.float32)
