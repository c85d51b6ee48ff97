"""What chance bowls are put together from: throws, dice, surfaces and lights, as plain arrays made by processes.

A few thousand of each give millions of different pictures: which of them meet is left to chance, as are camera,
colours and exposure (`casting.scenes`).
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.rendering.bowls.rays import linear_of
from companion.rendering.bowls.shapes import Pose
from companion.rendering.faces import SIDE, FaceArt
from companion.rendering.materials import PATTERNS
from tools.training.bowls.drops import dropped
from tools.training.bowls.looks import chance_die, chance_light, chance_surface
from tools.training.bowls.throws import chance_bowl, chance_poses, gap_of, on_table
from tools.training.samples.fonts import Fonts, find_fonts

Part = Literal["throws", "dice", "surfaces", "lights"]
Arrays = Mapping[str, NDArray[Any]]
PARTS: Final[Mapping[Part, int]] = {"dice": 100, "surfaces": 60, "lights": 60, "throws": 50}
"""Things in one file of each."""
MOST: Final = 9
"""Dice of a throw, those on the table among them."""
ART: Final = 256
LAMPS: Final = 3
FIELDS: Final = 12
_COUNTS: Final = (0, 1, 2, 3, 3, 3, 3, 4, 4, 5, 6, 7, 8)
_OFTEN_OUT: Final = 0.1
_OFTEN_DROPPED: Final = 0.6
_MOST_DROPPED: Final = 4


def make(part: Part, path: Path, seed: int, fonts: Fonts) -> None:
    """Write a file with some chance things of one sort; the same for the same seed."""
    rng = np.random.default_rng([31, list(PARTS).index(part), seed])
    one = {"dice": lambda r: _die(r, fonts), "surfaces": _one_surface, "lights": _light, "throws": _throw}[part]
    made = [one(rng) for _ in range(PARTS[part])]
    arrays = {name: np.stack([each[name] for each in made]) for name in made[0]}
    unfinished = path.with_suffix(".part")
    with unfinished.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)
    unfinished.rename(path)


def work(folder: Path, fonts_in: tuple[Path, ...], number: int, workers: int, most: Mapping[Part, int]) -> None:
    """Make parts until there are enough files of each sort; one of several processes, each with its own share."""
    os.nice(5)
    cv2.setNumThreads(1)
    fonts = find_fonts(fonts_in) if fonts_in else find_fonts()
    for seed in range(number, max(most.values()), workers):
        for part in PARTS:
            path = folder / f"{part}-{seed:05}.npz"
            if seed < most[part] and not path.exists():
                make(part, path, seed, fonts)


def _throw(rng: np.random.Generator) -> Arrays:
    bowl, count = chance_bowl(rng), int(rng.choice(_COUNTS))
    is_dropped = 0 < count <= _MOST_DROPPED and rng.random() < _OFTEN_DROPPED
    poses = (dropped(rng, bowl, count) if is_dropped else None) or chance_poses(rng, bowl, count)
    gaps = [gap_of(pose, bowl) for pose in poses]
    if rng.random() < _OFTEN_OUT:
        poses.append(on_table(rng, bowl))
        gaps.append(0.0)
    shape = bowl.radius, bowl.height, bowl.depth, bowl.power, bowl.flat, bowl.lip, bowl.foot
    return {"bowl": np.array(shape, np.float32), **_posed(poses[:MOST], gaps)}


def _posed(poses: list[Pose], gaps: list[float]) -> dict[str, NDArray[Any]]:
    middle, turn = np.zeros((MOST, 3), np.float32), np.tile(np.eye(3, dtype=np.float32), (MOST, 1, 1))
    gap = np.zeros(MOST, np.float32)
    for k, pose in enumerate(poses):
        middle[k], turn[k], gap[k] = pose.middle, pose.turn, gaps[k]
    return {"middle": middle, "turn": turn, "gap": gap, "count": np.array(len(poses), np.int64)}


def _die(rng: np.random.Generator, fonts: Fonts) -> Arrays:
    surface = _PLAIN
    art, material, layout, ball = chance_die(rng, fonts, "train", surface)
    body = linear_of(material.base)
    return {
        "mask": np.stack([face.mask for face in art]),
        "soft": np.stack([cv2.GaussianBlur(face.mask, (0, 0), SIDE / 40) for face in art]),
        "ink": np.stack([linear_of(np.asarray(_flat(face), np.float32)) for face in art]),
        "turned": np.radians(np.array([face.turn_deg for face in art], np.float32)),
        "depth": np.array([face.depth for face in art], np.float32),
        "layout": np.array(layout, np.int64),
        "base": body,
        "second": linear_of(material.second),
        "amount": np.array(material.amount if material.pattern != "solid" else 0.0, np.float32),
        "grain": np.array(material.grain, np.float32),
        "field": np.array(PATTERNS.index(material.pattern) * FIELDS + material.field, np.int64),
        "metal": np.array(material.metal, np.float32),
        "gloss": np.array(material.gloss, np.float32),
        "rounding": np.array(material.rounding, np.float32),
        "ball": np.array(ball, np.float32),
    }


def _flat(face: FaceArt) -> NDArray[np.floating] | tuple[float, ...]:
    return face.ink if isinstance(face.ink, tuple) else np.asarray(face.ink, np.float32).mean(axis=(0, 1))


def _one_surface(rng: np.random.Generator) -> Arrays:
    surface = chance_surface(rng)
    art = cv2.resize(surface.art, (ART, ART), interpolation=cv2.INTER_AREA)
    return {"art": art, "polish": np.array([surface.gloss, surface.metal, surface.rough], np.float32)}


def _light(rng: np.random.Generator) -> Arrays:
    lamps, ambient, sky = chance_light(rng)
    lamp = np.zeros((LAMPS, 7), np.float32)
    lamp[:, 2] = 1
    for k, each in enumerate(lamps[:LAMPS]):
        lamp[k] = *each.way, each.wide, *each.light
    haze = cv2.GaussianBlur(sky, (0, 0), sky.shape[0] / 9)
    return {"lamp": lamp, "ambient": np.array(ambient, np.float32), "sky": sky.astype(np.float16),
            "haze": haze.astype(np.float16)}  # fmt: skip


_PLAIN: Final = chance_surface(np.random.default_rng(0))
"""Only to choose a die: those of the bowl's colour are coloured once they are in one."""
