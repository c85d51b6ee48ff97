"""Makes the parts that random bowls are assembled from, as array files: throws, dice, surfaces and lights.

A few thousand of each give millions of different pictures: `casting.scenes` combines them at random and draws the
camera, colors and exposure.
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
from tools.training.bowls.appearance import random_die, random_light, random_surface
from tools.training.bowls.drops import simulate_throw
from tools.training.bowls.throws import gap_below, pose_on_table, random_bowl, random_poses
from tools.training.samples.fonts import Fonts, find_fonts

Part = Literal["throws", "dice", "surfaces", "lights"]
Arrays = Mapping[str, NDArray[Any]]
PARTS: Final[Mapping[Part, int]] = {"dice": 100, "surfaces": 60, "lights": 60, "throws": 50}
"""Number of items in one file of each part."""
MAX_DICE: Final = 9
"""Maximum number of dice of a throw, including those on the table."""
ART_SIDE: Final = 256
MAX_LAMPS: Final = 3
FIELDS: Final = 12
"""Random fields per material pattern."""
_DICE_COUNTS: Final = (0, 1, 2, 3, 3, 3, 3, 4, 4, 5, 6, 7, 8)
_OUTSIDE_SHARE: Final = 0.1
_SIMULATED_SHARE: Final = 0.6
_MAX_SIMULATED_DICE: Final = 4


def make(part: Part, path: Path, seed: int, fonts: Fonts) -> None:
    """Write a file of random items of one part; equal seeds give equal files."""
    rng = np.random.default_rng([31, list(PARTS).index(part), seed])
    make_one = {"dice": lambda r: _die(r, fonts), "surfaces": _one_surface, "lights": _light, "throws": _throw}[part]
    made = [make_one(rng) for _ in range(PARTS[part])]
    arrays = {name: np.stack([each[name] for each in made]) for name in made[0]}
    unfinished = path.with_suffix(".part")
    with unfinished.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)
    unfinished.rename(path)


def run_worker(
    folder: Path, fonts_in: tuple[Path, ...], number: int, workers: int, file_counts: Mapping[Part, int]
) -> None:
    """Make files of all parts; the main function of worker ``number``, which makes every ``workers``-th file.

    Args:
        most: number of files of each part that all workers make together.
    """
    os.nice(5)
    cv2.setNumThreads(1)
    fonts = find_fonts(fonts_in) if fonts_in else find_fonts()
    for seed in range(number, max(file_counts.values()), workers):
        for part in PARTS:
            path = folder / f"{part}-{seed:05}.npz"
            if seed < file_counts[part] and not path.exists():
                make(part, path, seed, fonts)


def _throw(rng: np.random.Generator) -> Arrays:
    bowl, count = random_bowl(rng), int(rng.choice(_DICE_COUNTS))
    is_simulated = 0 < count <= _MAX_SIMULATED_DICE and rng.random() < _SIMULATED_SHARE
    poses = (simulate_throw(rng, bowl, count) if is_simulated else None) or random_poses(rng, bowl, count)
    gaps = [gap_below(pose, bowl) for pose in poses]
    if rng.random() < _OUTSIDE_SHARE:
        poses.append(pose_on_table(rng, bowl))
        gaps.append(0.0)
    shape = bowl.radius, bowl.height, bowl.depth, bowl.power, bowl.flat, bowl.lip, bowl.foot
    return {"bowl": np.array(shape, np.float32), **_pose_arrays(poses[:MAX_DICE], gaps)}


def _pose_arrays(poses: list[Pose], gaps: list[float]) -> dict[str, NDArray[Any]]:
    middle, turn = np.zeros((MAX_DICE, 3), np.float32), np.tile(np.eye(3, dtype=np.float32), (MAX_DICE, 1, 1))
    gap = np.zeros(MAX_DICE, np.float32)
    for k, pose in enumerate(poses):
        middle[k], turn[k], gap[k] = pose.middle, pose.turn, gaps[k]
    return {"middle": middle, "turn": turn, "gap": gap, "count": np.array(len(poses), np.int64)}


def _die(rng: np.random.Generator, fonts: Fonts) -> Arrays:
    surface = _FIXED_SURFACE
    art, material, layout, ball = random_die(rng, fonts, "train", surface)
    body = linear_of(material.base)
    return {
        "mask": np.stack([face.mask for face in art]),
        "soft": np.stack([cv2.GaussianBlur(face.mask, (0, 0), SIDE / 40) for face in art]),
        "ink": np.stack([linear_of(np.asarray(_mean_ink(face), np.float32)) for face in art]),
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


def _mean_ink(face: FaceArt) -> NDArray[np.floating] | tuple[float, ...]:
    return face.ink if isinstance(face.ink, tuple) else np.asarray(face.ink, np.float32).mean(axis=(0, 1))


def _one_surface(rng: np.random.Generator) -> Arrays:
    surface = random_surface(rng)
    art = cv2.resize(surface.art, (ART_SIDE, ART_SIDE), interpolation=cv2.INTER_AREA)
    return {"art": art, "polish": np.array([surface.gloss, surface.metal, surface.rough], np.float32)}


def _light(rng: np.random.Generator) -> Arrays:
    lamps, ambient, sky = random_light(rng)
    lamp = np.zeros((MAX_LAMPS, 7), np.float32)
    lamp[:, 2] = 1
    for k, each in enumerate(lamps[:MAX_LAMPS]):
        lamp[k] = *each.way, each.wide, *each.light
    haze = cv2.GaussianBlur(sky, (0, 0), sky.shape[0] / 9)
    return {"lamp": lamp, "ambient": np.array(ambient, np.float32), "sky": sky.astype(np.float16),
            "haze": haze.astype(np.float16)}  # fmt: skip


_FIXED_SURFACE: Final = random_surface(np.random.default_rng(0))
"""A fixed surface for `random_die`: the dice of the bowl's color get it later, in `casting.scenes`."""
