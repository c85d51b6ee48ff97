"""Rendered bowls on disk, so that a stopped training loses none: files of `CHUNK` pictures each."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from tools.training.bowls.looks import Shot, chance_shot
from tools.training.samples.fonts import Fonts, Split

CHUNK: Final = 50
Tell = Callable[[str, int, int], None]
Make = Callable[[np.random.Generator, Fonts, Split], Shot]


def shots(
    folder: Path, fonts: Fonts, split: Split, chunks: range, make: Make = chance_shot,
    tell: Tell = lambda step, done, total: None,
) -> list[Shot]:  # fmt: skip
    """Return some chunks' pictures; those that are not on disk yet are rendered."""
    folder.mkdir(parents=True, exist_ok=True)
    found: list[Shot] = []
    for done, chunk in enumerate(chunks, start=1):
        path = folder / f"{split}-{chunk:04}.pickle"
        if not path.exists():
            rendered = [_packed(make(_rng(split, chunk, k), fonts, split)) for k in range(CHUNK)]
            path.with_suffix(".part").write_bytes(pickle.dumps(rendered))
            path.with_suffix(".part").rename(path)
        found += [_unpacked(*each) for each in pickle.loads(path.read_bytes())]
        tell(f"Rendering bowls ({split})", done, len(chunks))
    return found


def _rng(split: Split, chunk: int, number: int) -> np.random.Generator:
    return np.random.default_rng([7 if split == "train" else 11, chunk, number])


def _packed(shot: Shot) -> tuple[bytes, Shot]:
    data = cv2.imencode(".png", shot.picture)[1].tobytes()
    return data, Shot(np.zeros((0, 0, 3), np.uint8), shot.dice, shot.rim, shot.tilt, shot.away_deg)


def _unpacked(data: bytes, shot: Shot) -> Shot:
    picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    return Shot(np.asarray(picture, np.uint8), shot.dice, shot.rim, shot.tilt, shot.away_deg)
