"""Path-traced pictures on disk, in parts: made once, taken up again after a stop, and cut for the networks."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from tools.training.samples.fonts import Fonts, Split
from tools.training.traced.scene import Shot, random_shot

PART: Final = 20
"""Pictures in one file."""
_VERSION: Final = 1


def part_path(
    folder: Path, split: Split, seed: int, number: int, prints: float = 0.0, *, day_night: bool = False
) -> Path:  # fmt: skip
    """Return the file of a part of the bank, see `chance_shot`."""
    tables = (f"-prints{100 * prints:.0f}" if prints else "") + ("-daynight" if day_night else "")
    return folder / f"traced{_VERSION}-{split}{tables}-{seed}-{number:04d}.npz"


def make_part(
    path: Path, split: Split, seed: int, number: int, fonts: Fonts, prints: float = 0.0, *, day_night: bool = False
) -> Path:  # fmt: skip
    """Render a part of the bank unless it is there; the same numbers make the same pictures."""
    if not path.exists():
        chance = ([_VERSION, seed, number, k, 0 if split == "train" else 1] for k in range(PART))
        shots = [random_shot(np.random.default_rng(each), fonts, split, prints, day_night=day_night) for each in chance]
        part = path.with_suffix(".part.npz")
        np.savez(part, pictures=np.stack([shot.picture for shot in shots]),
                 boxes=np.concatenate([shot.boxes for shot in shots]),
                 labels=np.concatenate([shot.labels for shot in shots]),
                 counts=[len(shot.boxes) for shot in shots])  # fmt: skip
        os.replace(part, path)
    return path


def load_parts(paths: Sequence[Path]) -> Iterator[Shot]:
    """Return the pictures of some parts."""
    for path in paths:
        with np.load(path) as kept:
            ends = np.cumsum(kept["counts"])[:-1]
            each = zip(kept["pictures"], np.split(kept["boxes"], ends), np.split(kept["labels"], ends), strict=True)
            yield from (Shot(*parts) for parts in each)
