"""Jobs of the rendering processes. Does not import PyTorch, which would take seconds to load in each of them."""

from functools import cache
from pathlib import Path

import cv2

from tools.training.rays.arts import Family, arts_path, make_arts, make_tables, tables_path
from tools.training.samples.dataset import make_shard, shard_path
from tools.training.samples.fonts import Fonts, find_fonts


@cache
def _fonts() -> Fonts:
    cv2.setNumThreads(1)
    return find_fonts()


def tables(folder: Path, number: int) -> Path:
    """Make one file of table textures for the ray caster unless it exists."""
    path = tables_path(folder, number)
    return path if path.exists() else make_tables(folder, number, _fonts())


def arts(folder: Path, family: Family, number: int) -> Path:
    """Make one file of dice for the ray caster unless it exists."""
    path = arts_path(folder, "train", family, number)
    return path if path.exists() else make_arts(folder, "train", family, number, _fonts())


def shard(folder: Path, seed: int, number: int) -> Path:
    """Render one shard of samples unless it exists."""
    path = shard_path(folder, "train", seed, number)
    return path if path.exists() else make_shard(path, "train", seed, number, _fonts())
