"""The installed fonts with readable digits, split by family into training and held-out fonts.

Numbers on dice are rarely plain, so the more fonts the better; but a font whose 3 looks like a 5, or with pictures for
digits, would train the wrong labels. Each font's digits are compared with the median of all fonts' digits, and fonts
that differ too much are left out.
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
"""Minimum number of families."""
_SPLITS: Final = 5  # one family in five is held out
_CELL_PX: Final = (20, 28)
_MIN_MEAN_SIMILARITY: Final = 0.52
_SUFFIXES: Final = {".ttf", ".otf"}


class TooFewFonts(CompanionError):
    """Too few fonts are installed to render dice."""


@dataclass(frozen=True, slots=True, order=True)
class Font:
    """A font file with readable digits."""

    family: str
    path: str

    @property
    def split(self) -> Split:
        """The split of the whole family, determined by its name alone."""
        return "held" if bucket_of(self.family, _SPLITS) == 0 else "train"


@dataclass(frozen=True, slots=True, eq=False)
class Fonts:
    """The readable fonts by split: families, each with the paths of its styles."""

    train: tuple[tuple[str, ...], ...]
    held: tuple[tuple[str, ...], ...]

    def random(self, rng: np.random.Generator, split: Split) -> str:
        """Return a random font file of one split; all families are equally likely."""
        families = self.held if split == "held" else self.train
        styles = families[int(rng.integers(len(families)))]
        return styles[int(rng.integers(len(styles)))]


def bucket_of(name: str, shares: int) -> int:
    """Hash a name to one of ``shares`` buckets, equally on every machine."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big") % shares


def find_fonts(folders: Sequence[Path] = SYSTEM_FONTS) -> Fonts:
    """Return the readable fonts below some folders.

    Raises:
        TooFewFonts: fewer than `FEWEST` families; the networks would overfit to these.
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
    """Return all fonts below some folders that have a family name, readable or not."""
    files = {path for folder in folders for path in folder.rglob("*") if path.suffix.lower() in _SUFFIXES}
    found = []
    for path in sorted(files):
        try:
            family = ImageFont.truetype(str(path), 16).getname()[0]
        except OSError:  # bitmap fonts with an outline font's suffix, broken files
            continue
        if family:
            found.append(Font(family, str(path)))
    return found


def _families(fonts: Sequence[Font], split: Split) -> tuple[tuple[str, ...], ...]:
    names = sorted({font.family for font in fonts if font.split == split})
    return tuple(tuple(font.path for font in fonts if font.family == name) for name in names)


def _readable(fonts: Sequence[Font]) -> list[Font]:
    """Return the fonts without missing, ambiguous or unusual digits."""
    cells = {font: cell for font in fonts if (cell := _digit_cells(font.path)) is not None}
    if not cells:
        return []
    average = _normalized(np.median(np.stack(list(cells.values())), axis=0))
    return [font for font, cell in cells.items() if _is_similar(_normalized(cell), average)]


def _is_similar(cell: NDArray[np.float32], average: NDArray[np.float32]) -> bool:
    similarity = cell @ average.T
    own_similarity = np.diag(similarity)
    matches = int((similarity.argmax(axis=1) == np.arange(10)).sum())
    return matches >= 9 and float(own_similarity.mean()) > _MIN_MEAN_SIMILARITY and float(own_similarity.min()) > 0.2


def _digit_cells(path: str) -> NDArray[np.float32] | None:
    """Return the ten digits stretched to one size, float32 (10, pixels); None if one is missing."""
    try:
        drawn = [numeral(str(digit), path) for digit in range(10)]
    except (OSError, ValueError):
        return None
    if min(min(mask.shape) for mask in drawn) < 3:
        return None
    return np.stack([cv2.resize(mask, _CELL_PX, interpolation=cv2.INTER_AREA).ravel() for mask in drawn]).astype(
        np.float32
    )


def _normalized(cell: NDArray[np.floating]) -> NDArray[np.float32]:
    centred = cell - cell.mean(axis=1, keepdims=True)
    return np.asarray(centred / (np.linalg.norm(centred, axis=1, keepdims=True) + 1e-6), np.float32)
