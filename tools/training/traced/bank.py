"""Files of path-traced pictures, made once and reused."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from tools.training.samples.fonts import Fonts, Split
from tools.training.traced.scene import Shot, random_shot

PART: Final = 20
"""Number of pictures in one file."""
_VERSION: Final = 1


def part_path(
    folder: Path, split: Split, seed: int, number: int, prints: float = 0.0, *, day_night: bool = False
) -> Path:  # fmt: skip
    """Return the path of one file; see `random_shot` for the arguments."""
    tables = (f"-prints{100 * prints:.0f}" if prints else "") + ("-daynight" if day_night else "")
    return folder / f"traced{_VERSION}-{split}{tables}-{seed}-{number:04d}.npz"


def make_part(
    path: Path, split: Split, seed: int, number: int, fonts: Fonts, prints: float = 0.0, *, day_night: bool = False
) -> Path:  # fmt: skip
    """Render one file of pictures unless it exists; equal arguments give equal pictures."""
    if not path.exists():
        seeds = ([_VERSION, seed, number, k, 0 if split == "train" else 1] for k in range(PART))
        shots = [random_shot(np.random.default_rng(each), fonts, split, prints, day_night=day_night) for each in seeds]
        part = path.with_suffix(".part.npz")
        np.savez(part, pictures=np.stack([shot.picture for shot in shots]),
                 boxes=np.concatenate([shot.boxes for shot in shots]),
                 labels=np.concatenate([shot.labels for shot in shots]),
                 counts=[len(shot.boxes) for shot in shots])  # fmt: skip
        os.replace(part, path)
    return path


def load_parts(paths: Sequence[Path]) -> Iterator[Shot]:
    """Yield the pictures of some files."""
    for path in paths:
        with np.load(path) as arrays:
            ends = np.cumsum(arrays["counts"])[:-1]
            each = zip(
                arrays["pictures"], np.split(arrays["boxes"], ends), np.split(arrays["labels"], ends), strict=True
            )
            yield from (Shot(*parts) for parts in each)
