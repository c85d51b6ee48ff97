"""Chance throws: where dice lie in a bowl (or beside it), and what each shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import cv2
import numpy as np

from companion.rendering.bowls.rays import Camera, Die, Picture
from companion.rendering.bowls.shapes import Bowl, Pose, beside, lifted, overlap, rest, tipped, upright
from companion.rendering.solids import solid

Faces = tuple[tuple[float, float, float], ...]
Note = Literal["sure", "doubtful", "cocked", "hidden", "out"]
"""What may be said of a die: its value; nothing; that it is cocked, mostly covered, or outside the bowl."""
_TRIES: Final = 40
_STEEPEST: Final = 0.75
_SURE: Final = 0.28  # of the way up from an edge to a face on which a die lies flat
_COCKED: Final = 0.21
_LIES, _TIPPED = 0.1, 0.22
_WHOLE, _COVERED = 0.66, 0.5  # of a die that is seen: from here on, up to here


@dataclass(frozen=True, slots=True)
class Lying:
    """A die in a picture.

    Attributes:
        value: 1-6, None if it has none.
        box: x, y, w, h of its outline, also where it is covered. seen: the share of it that is not covered.
        normal: of its upper face as the camera sees it, x right, y down the picture.
        faces: the normals of its faces 1, 2 and 3 (opposite ones add to 7), as seen along the way from the camera to
            the die: right, down, towards the camera. None where they are not known.
        gap: edges that the highest corner of the face that it lies on best is off the bowl's inside.
    """

    value: int | None
    note: Note
    box: tuple[float, float, float, float]
    seen: float
    normal: tuple[float, float]
    faces: Faces | None = None
    gap: float = 0.0

    @property
    def lies(self) -> bool | None:
        """Whether it lies on a face, neither tipped nor covered; None where that is not said."""
        if self.seen < _WHOLE:
            return False if self.seen < _COVERED else None
        return True if self.gap < _LIES else False if self.gap > _TIPPED else None


def chance_bowl(rng: np.random.Generator) -> Bowl:
    radius = float(np.exp(rng.uniform(np.log(2.4), np.log(6.5))))
    depth = float(rng.uniform(0.3, 1.0)) * min(radius, 3.2)
    return Bowl(radius, depth + float(rng.uniform(0.05, 0.6)), depth, float(rng.uniform(1.7, 6.0)),
                float(rng.choice([0.0, rng.uniform(0.1, 0.7)])), float(rng.uniform(0.06, 0.6)),
                float(rng.uniform(0.4, 0.98)))  # fmt: skip


def chance_poses(rng: np.random.Generator, bowl: Bowl, count: int) -> list[Pose]:
    """Return dice in the bowl, near each other as dice end up; some touching, some leaning."""
    done: list[Pose] = []
    for _ in range(_TRIES * count):
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
    if bowl.slope(np.array([far]))[0] > _STEEPEST and rng.random() < 0.8:
        return None
    way = rng.uniform(0, 2 * np.pi)
    return rest(bowl, far * float(np.cos(way)), far * float(np.sin(way)), turn)


def _next_to(rng: np.random.Generator, bowl: Bowl, done: Sequence[Pose], turn: np.ndarray) -> Pose | None:
    other = done[int(rng.integers(len(done)))]
    gap = 0.0 if rng.random() < 0.5 else float(rng.uniform(0, 0.3))
    if rng.random() < 0.3:  # flush, side by side
        turn = other.turn.copy() if abs(other.turn[2]).max() > 0.999 else turn
    return beside(bowl, done, turn, float(rng.uniform(0, 2 * np.pi)), other.middle[:2], gap)


def on_table(rng: np.random.Generator, bowl: Bowl) -> Pose:
    """Return a die that lies beside the bowl, or very far away where there is no room."""
    turn = upright(int(rng.integers(3)), int(rng.choice([-1, 1])), float(rng.uniform(0, 2 * np.pi)))
    far, way = bowl.radius + bowl.lip + rng.uniform(0.8, 1.8), rng.uniform(0, 2 * np.pi)
    return Pose(np.array([far * np.cos(way), far * np.sin(way), 0.5]), turn)


def lying(
    dice: Sequence[Die], values: Sequence[Sequence[int]], owner: Picture, camera: Camera, bowl: Bowl
) -> list[Lying]:
    """Return what each die shows, seen in a picture of whose pixels each belongs to."""
    return [_one(die, layout, owner == number, camera, bowl)
            for number, (die, layout) in enumerate(zip(dice, values, strict=True), start=1)]  # fmt: skip


def _one(die: Die, layout: Sequence[int], mask: np.ndarray, camera: Camera, bowl: Bowl) -> Lying:
    flat = camera.project((die.pose.corners - die.pose.middle) * 0.96 * die.edge + die.pose.middle)
    hull = cv2.contourArea(cv2.convexHull(flat.astype(np.float32)))
    return told(die, layout, min(1.0, float(mask.sum()) / max(1.0, hull)), camera, bowl)


def told(die: Die, layout: Sequence[int], seen: float, camera: Camera, bowl: Bowl) -> Lying:
    """Return what a die shows of which so much is not covered."""
    heights = solid("d6").normals @ die.pose.turn.T[:, 2]
    top, second = np.sort(heights)[::-1][:2]
    value = int(layout[int(heights.argmax())])
    flat = camera.project((die.pose.corners - die.pose.middle) * 0.96 * die.edge + die.pose.middle)
    (x0, y0), (x1, y1) = flat.min(axis=0), flat.max(axis=0)
    box = (float(x0), float(y0), float(x1 - x0), float(y1 - y0))
    note: Note = "sure" if top - second > _SURE else "cocked" if top - second < _COCKED else "doubtful"
    is_out = bool(np.hypot(*die.pose.middle[:2]) > bowl.radius + 0.3)
    if is_out:
        note = "out"
    if seen < _WHOLE:
        note = "hidden" if seen < _COVERED else "doubtful"
    up = solid("d6").normals[int(heights.argmax())] @ die.pose.turn.T @ camera.axes().T
    return Lying(value if note in ("sure", "out") else None, note, box, seen, (float(up[0]), -float(up[1])),
                 _faces(die, layout, camera), _gap(die.pose, None if is_out else bowl))  # fmt: skip


def _gap(pose: Pose, bowl: Bowl | None) -> float:
    normals, corners = solid("d6").normals @ pose.turn.T, pose.corners
    low = np.zeros(len(corners)) if bowl is None else bowl.inside(corners[:, 0], corners[:, 1])
    above = corners[:, 2] - low
    return min(float(above[np.argsort((corners - pose.middle) @ normal)[:4]].max()) for normal in normals)


def _faces(die: Die, layout: Sequence[int], camera: Camera) -> Faces:
    axes = camera.axes()
    back = np.array(camera.middle) + camera.distance * axes[2] - die.pose.middle
    back /= np.linalg.norm(back)
    right = np.cross(axes[1], back)
    right /= np.linalg.norm(right)
    normals = solid("d6").normals @ die.pose.turn.T @ np.stack([right, np.cross(right, back), back]).T
    return tuple(tuple(map(float, normals[list(layout).index(value)])) for value in (1, 2, 3))  # type: ignore[misc]
