"""What the painting processes do; without PyTorch, which each of them would take seconds to load."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import cv2

from tools.training.rays.arts import Family, make_arts, make_tables
from tools.training.samples.dataset import make_shard, shard_path
from tools.training.samples.fonts import Fonts, find_fonts


@cache
def _fonts() -> Fonts:
    cv2.setNumThreads(1)
    return find_fonts()


def tables(folder: Path, number: int) -> Path:
    """Make a part of the bank's table tops."""
    return make_tables(folder, number, _fonts())


def arts(folder: Path, family: Family, number: int) -> Path:
    """Make a part of the bank's dice."""
    return make_arts(folder, "train", family, number, _fonts())


def shard(folder: Path, seed: int, number: int) -> Path:
    """Paint a shard of samples."""
    return make_shard(shard_path(folder, "train", seed, number), "train", seed, number, _fonts())
