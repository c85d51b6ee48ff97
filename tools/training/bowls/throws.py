"""Random bowls, and random poses of dice in or beside them, without physics."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from companion.rendering.bowls.shapes import Bowl, Pose, beside, lifted, overlap, rest, tipped, upright
from companion.rendering.solids import solid

_TRIES_PER_DIE: Final = 40
_MAX_SLOPE: Final = 1.1


def random_bowl(rng: np.random.Generator) -> Bowl:
    radius = float(np.exp(rng.uniform(np.log(2.4), np.log(6.5))))
    depth = float(rng.uniform(0.3, 1.0)) * min(radius, 3.2)
    power = float(np.exp(rng.uniform(np.log(1.7), np.log(6.0))))
    return Bowl(radius, depth + float(rng.uniform(0.05, 0.6)), depth, power,
                float(rng.choice([0.0, rng.uniform(0.1, 0.7)])), float(rng.uniform(0.06, 0.6)),
                float(rng.uniform(0.4, 0.98)))  # fmt: skip


def random_poses(rng: np.random.Generator, bowl: Bowl, count: int) -> list[Pose]:
    """Return the poses of up to ``count`` dice in the bowl, mostly close together; some touch, some lean."""
    done: list[Pose] = []
    for _ in range(_TRIES_PER_DIE * count):
        if len(done) == count:
            break
        turn = upright(int(rng.integers(3)), int(rng.choice([-1, 1])), float(rng.uniform(0, 2 * np.pi)))
        pose = _next_to(rng, bowl, done, turn) if done and rng.random() < 0.6 else _somewhere(rng, bowl, turn)
        if pose is None:
            continue
        if rng.random() < 0.18:
            pose = lifted(bowl, tipped(pose, float(rng.uniform(0.2, 0.79)), float(rng.uniform(0, 2 * np.pi))), done)
        if not any(overlap(pose, other) for other in done) and pose.middle[2] < bowl.height + 1.0:
            done.append(pose)
    return done


def _somewhere(rng: np.random.Generator, bowl: Bowl, turn: np.ndarray) -> Pose | None:
    far = bowl.radius * float(rng.uniform(0, 0.95)) ** float(rng.choice([0.6, 1.0, 1.6]))
    if bowl.slope(np.array([far]))[0] > _MAX_SLOPE and rng.random() < 0.8:
        return None
    way = rng.uniform(0, 2 * np.pi)
    return rest(bowl, far * float(np.cos(way)), far * float(np.sin(way)), turn)


def _next_to(rng: np.random.Generator, bowl: Bowl, done: Sequence[Pose], turn: np.ndarray) -> Pose | None:
    other = done[int(rng.integers(len(done)))]
    gap = 0.0 if rng.random() < 0.5 else float(rng.uniform(0, 0.3))
    if rng.random() < 0.3:  # flush, side by side
        turn = other.turn.copy() if abs(other.turn[2]).max() > 0.999 else turn
    return beside(bowl, done, turn, float(rng.uniform(0, 2 * np.pi)), other.middle[:2], gap)


def pose_on_table(rng: np.random.Generator, bowl: Bowl) -> Pose:
    """Return the pose of a die that lies on the table beside the bowl."""
    turn = upright(int(rng.integers(3)), int(rng.choice([-1, 1])), float(rng.uniform(0, 2 * np.pi)))
    far, way = bowl.radius + bowl.lip + rng.uniform(0.8, 1.8), rng.uniform(0, 2 * np.pi)
    return Pose(np.array([far * np.cos(way), far * np.sin(way), 0.5]), turn)


def gap_below(pose: Pose, bowl: Bowl) -> float:
    """Return the gap under a die in edges: 0 if all four corners of one face touch the bowl.

    It is the distance of a face's highest corner from the bowl's inside, for the face where that is smallest.
    """
    normals, corners = solid("d6").normals @ pose.turn.T, pose.corners
    above = corners[:, 2] - bowl.inside(corners[:, 0], corners[:, 1])
    return min(float(above[np.argsort((corners - pose.middle) @ normal)[:4]].max()) for normal in normals)
