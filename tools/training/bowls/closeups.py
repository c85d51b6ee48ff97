"""From rendered bowls to close-ups of their dice, and of what is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.chinchirorin.camera.canvas import CLOSE_PX, CLOSE_SIDE, close_blob, close_up, drawn
from companion.games.chinchirorin.camera.rim import SIGNED_DEG
from tools.training.bowls.looks import Shot
from tools.training.bowls.pieces import spoilt
from tools.training.bowls.textures import texture
from tools.training.bowls.throws import Faces, Lying

NO_VALUE: Final = -1
_DICE: Final = 0.6  # of close-ups that show one
_NEARBY: Final = 0.35  # of the others that lie next to a die
_PATTERNS: Final = 0.35  # of those without a die that show a pattern instead
_SCALES: Final = (-0.6, 0.9)  # logarithm of the size of what is none, by the usual die's
_JITTER, _SIZED = 0.08, 0.13
_IS, _IS_NOT, _TOLD = 0.3, 0.5, 0.6  # of a die's size that its middle is off: a die, none, still worth telling where
_RATIO_OFF: Final = 0.01  # how well the proportions of the bowl's rim are known
_DIRECTION_OFF: Final = 1.0  # degrees, by the tilt in radians
_CENTER_OFF, _AXIS_OFF = 0.015, 0.02
_OFTEN_ROUGH, _ROUGH = 0.4, 4.5  # how often the rim is known only roughly, and how much worse
_UPSIDE_DOWN: Final = 0.08
_UNTOLD: Final = 0.15  # of close-ups that do not tell the tilt
_HARDLY, _PARTLY = 0.12, 0.3  # of a die that is seen: too little to be found, or to be missed
_MOSTLY: Final = 0.4  # of a die that is seen to learn how it is turned
_LEAST_PX: Final = 22.0


_UNSAID: Final[Faces] = ((np.nan,) * 3,) * 3


@dataclass(frozen=True, slots=True)
class Told:
    """What a close-up shows: a die (1, 0, -1 not said), where and how large, whether it has a value, and which.

    `lies` is whether it lies on a face; `faces` the normals of its faces 1, 2 and 3: right, down the close-up, towards
    the camera (NaN: not said).
    """

    is_die: int
    off: tuple[float, float, float]
    flat: int
    value: int
    up: tuple[float, float]
    lies: int = -1
    faces: Faces = _UNSAID


_NONE: Final = Told(0, (np.nan, np.nan, np.nan), -1, NO_VALUE, (np.nan, np.nan))


def closeups(
    shot: Shot, rng: np.random.Generator, count: int, ghosts: Sequence[tuple[float, float, float]] = ()
) -> list[tuple[NDArray[np.float32], Told]]:
    """Return chance close-ups, float32 (7, 80, 80), of a shot, and what they show.

    Args:
        ghosts: x, y and size of what was taken for a die and may be none.
    """
    center, (_, longer), _ = cv2.fitEllipse(shot.rim)
    rough = _ROUGH if rng.random() < _OFTEN_ROUGH else 1.0
    ratio = float(np.clip(np.cos(shot.tilt) + rng.normal(0, rough * _RATIO_OFF), 0.75, 1))
    tilt_deg = float(np.degrees(np.arccos(ratio)))
    off_deg = min(60.0, rough * _DIRECTION_OFF / max(0.03, shot.tilt))
    away = shot.away_deg + float(rng.normal(0, off_deg)) + 180.0 * (rng.random() < _UPSIDE_DOWN)
    x, y = np.array(center) + rng.normal(0, rough * _CENTER_OFF, 2) * longer / 2
    across = longer * float(np.exp(rng.normal(0, rough * _AXIS_OFF)))
    is_told = tilt_deg >= SIGNED_DEG and rng.random() > _UNTOLD
    done = []
    for _ in range(count):
        middle, size = _place(shot, (center, longer), ghosts, rng)
        turn = float(rng.uniform(0, 360))
        frame = close_up(middle, size, across, turn, tilt_deg)
        told_of = _told(shot.dice, frame.where, frame.scale)
        canvas = drawn(shot.picture, frame)
        if told_of.is_die == 0 and rng.random() < _PATTERNS:
            canvas, told_of = texture(rng, CLOSE_SIDE), _NONE
        canvas = spoilt(canvas, rng)
        told = away - turn if is_told else None
        done.append((close_blob(canvas, frame, (float(x), float(y)), told), told_of))
    return done


def _place(
    shot: Shot, rim: tuple[Sequence[float], float], ghosts: Sequence[tuple[float, float, float]],
    rng: np.random.Generator,
) -> tuple[tuple[float, float], float]:  # fmt: skip
    """Return the middle and the size of what a close-up shows."""
    side = shot.picture.shape[0]
    dice = [die for die in shot.dice if max(die.box[2:]) > _LEAST_PX and die.seen > _HARDLY
            and 0 < die.box[0] + die.box[2] / 2 < side and 0 < die.box[1] + die.box[3] / 2 < side]  # fmt: skip
    usual = float(np.median([max(die.box[2:]) for die in dice])) if dice else max(_LEAST_PX, rim[1] / 6)
    sized = float(np.exp(rng.normal(0, _SIZED)))
    if dice and (rng.random() < _DICE or rng.random() < _NEARBY):
        left, top, w, h = dice[int(rng.integers(len(dice)))].box
        size, way = max(w, h), rng.uniform(0, 2 * np.pi)
        is_off = rng.random() > _DICE / (_DICE + (1 - _DICE) * _NEARBY)
        off = rng.uniform(0.3, 1.0) * np.array([np.cos(way), np.sin(way)]) if is_off else rng.normal(0, _JITTER, 2)
        return (float(left + w / 2 + off[0] * size), float(top + h / 2 + off[1] * size)), size * sized
    if ghosts and rng.random() < 0.7:
        left, top, size = ghosts[int(rng.integers(len(ghosts)))]
        return (left, top), size * sized
    if rng.random() < 0.6:
        sized = float(np.exp(rng.uniform(*_SCALES)))
    far, way = 1.15 * rim[1] / 2 * np.sqrt(rng.random()), rng.uniform(0, 2 * np.pi)
    at = np.clip(np.array(rim[0]) + far * np.array([np.cos(way), np.sin(way)]), 0, side)
    return (float(at[0]), float(at[1])), usual * sized


def _told(dice: Sequence[Lying], where: NDArray[np.float64], scale: float) -> Told:
    """Return what a close-up shows, by the die whose middle is nearest."""
    nearest, off = None, (np.inf, np.inf)
    for die in dice:
        if die.seen >= _HARDLY:
            left, top, w, h = die.box
            there = (where @ (left + w / 2, top + h / 2, 1) - 40.0) / CLOSE_PX
            if np.hypot(*there) < np.hypot(*off):
                nearest, off = die, (float(there[0]), float(there[1]))
    if nearest is None:
        return _NONE
    size = max(nearest.box[2:]) * scale / CLOSE_PX
    away = float(np.hypot(*off)) / size
    is_die = 1 if away < _IS and abs(np.log(size)) < 0.5 else 0 if away > _IS_NOT else -1
    if is_die == 1 and nearest.seen < _PARTLY:
        is_die = -1
    told = (off[0], off[1], float(np.log(size))) if away < _TOLD else (np.nan,) * 3
    if is_die != 1:
        return Told(is_die, told, -1, NO_VALUE, (np.nan, np.nan))
    turned = where[:, :2] / scale @ nearest.normal
    flat = {"sure": 1, "out": 1, "cocked": 0, "hidden": 0}.get(nearest.note, -1)
    value = NO_VALUE if nearest.value is None else nearest.value - 1
    up = float(turned[0]), float(turned[1])
    if nearest.faces is None or nearest.seen < _MOSTLY:
        return Told(1, told, flat, value, up)
    faces = np.array(nearest.faces)
    faces[:, :2] @= (where[:, :2] / scale).T
    lies = -1 if nearest.lies is None else int(nearest.lies)
    return Told(1, told, flat, value, up, lies, tuple(map(tuple, faces.tolist())))
