"""Rendered samples on disk, in shards of 1,024: made in parallel, and reused by later runs."""

import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from tools.training.samples.fonts import Fonts, Split, find_fonts
from tools.training.samples.scenes import Sample, sample

SHARD: Final = 1024
VERSION: Final = 6
"""The samples' recipe. Raise it when the rendering changes, or old shards are mixed with new ones."""


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """Many samples.

    Attributes:
        images: uint8 (n, 208, 208, 3) BGR, memory-mapped.
        labels: int16 (n, 9): kind, value, note, size in pixels; of the number its direction in degrees (-1 without
            one), x and y in thousandths of the die; of the camera its tilt in tenths of a degree and the tilt's
            direction in degrees, as in `Sample`.
    """

    images: NDArray[np.uint8]
    labels: NDArray[np.int16]

    def __len__(self) -> int:
        return len(self.labels)


def shard_path(folder: Path, split: Split, seed: int, number: int) -> Path:
    """Return the file of a shard's pictures; its labels are beside it."""
    return folder / f"dice{VERSION}-{split}-{seed}-{number:04d}.npy"


def make_shard(path: Path, split: Split, seed: int, number: int, fonts: Fonts | None = None) -> Path:
    """Render one shard unless it exists; equal arguments give equal pictures."""
    if path.exists():
        return path
    cv2.setNumThreads(1)
    fonts = fonts or find_fonts()
    rng = np.random.default_rng([VERSION, seed, number, 0 if split == "train" else 1])
    made = [sample(rng, fonts, split) for _ in range(SHARD)]
    labels = np.array([labels_of(each) for each in made], np.int16)
    np.save(path.with_suffix(".labels.npy"), labels)
    part = path.with_suffix(".part.npy")
    np.save(part, np.stack([each.image for each in made]))
    os.replace(part, path)
    return path


def labels_of(each: Sample) -> tuple[int, ...]:
    """Return a sample's row of labels."""
    number = each.number
    where = (round(number.up_deg) % 360, round(1000 * number.x), round(1000 * number.y)) if number else (-1, 0, 0)
    tilt, towards = each.seen_from
    return (each.kind, each.value, each.note, each.size_px, *where, round(10 * tilt), round(towards) % 360)


def make_shards(
    folder: Path,
    split: Split,
    seed: int,
    count: int,
    *,
    processes: int = 2,
    report: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[Path, ...]:
    """Render the missing shards in parallel; return the files of all shards in order."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [shard_path(folder, split, seed, number) for number in range(count)]
    missing = [(number, path) for number, path in enumerate(paths) if not path.exists()]
    report(count - len(missing), count)
    if missing:
        with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
            jobs = [pool.submit(make_shard, path, split, seed, number) for number, path in missing]
            for done, job in enumerate(as_completed(jobs), start=count - len(missing) + 1):
                job.result()
                report(done, count)
    return tuple(paths)


def load_shards(paths: tuple[Path, ...]) -> tuple[Samples, ...]:
    """Memory-map shards; pictures are read on access."""
    return tuple(_load(path) for path in paths)


def _load(path: Path) -> Samples:
    return Samples(np.load(path, mmap_mode="r"), np.load(path.with_suffix(".labels.npy")))
