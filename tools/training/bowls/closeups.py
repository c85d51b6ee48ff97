"""From rendered bowls to close-ups of their dice, and of what is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.chinchirorin.camera.canvas import CLOSE_PX, close_blob, close_up, drawn
from companion.games.chinchirorin.camera.rim import SIGNED_DEG
from tools.training.bowls.looks import Shot
from tools.training.bowls.pieces import spoilt
from tools.training.bowls.throws import Lying

NO_VALUE: Final = -1
_DICE: Final = 0.7  # of close-ups that show one
_NEARBY: Final = 0.5  # of the others that lie next to a die
_JITTER, _SIZED = 0.08, 0.13
_IS, _IS_NOT, _TOLD = 0.3, 0.5, 0.6  # of a die's size that its middle is off: a die, none, still worth telling where
_RATIO_OFF: Final = 0.012  # how well the proportions of the bowl's rim are known
_DIRECTION_OFF: Final = 0.8  # degrees, by the tilt in radians
_UPSIDE_DOWN: Final = 0.08
_CENTER_OFF, _AXIS_OFF = 0.02, 0.02
_HARDLY, _PARTLY = 0.12, 0.3  # of a die that is seen: too little to be found, or to be missed
_LEAST_PX: Final = 22.0


@dataclass(frozen=True, slots=True)
class Told:
    """What a close-up shows: a die (1, 0, -1 not said), where and how large, whether it has a value, and which."""

    is_die: int
    off: tuple[float, float, float]
    flat: int
    value: int
    up: tuple[float, float]


def closeups(
    shot: Shot, rng: np.random.Generator, count: int, ghosts: Sequence[tuple[float, float, float]] = ()
) -> list[tuple[NDArray[np.float32], Told]]:
    """Return chance close-ups, float32 (7, 80, 80), of a shot, and what they show.

    Args:
        ghosts: x, y and size of what was taken for a die and may be none.
    """
    center, (_, longer), _ = cv2.fitEllipse(shot.rim)
    ratio = float(np.clip(np.cos(shot.tilt) + rng.normal(0, _RATIO_OFF), 0.5, 1))
    tilt_deg = float(np.degrees(np.arccos(ratio)))
    away = shot.away_deg + float(rng.normal(0, _DIRECTION_OFF / max(0.05, shot.tilt)))
    away += 180.0 * (rng.random() < _UPSIDE_DOWN)
    x, y = np.array(center) + rng.normal(0, _CENTER_OFF, 2) * longer / 2
    across = longer * float(np.exp(rng.normal(0, _AXIS_OFF)))
    done = []
    for _ in range(count):
        middle, size = _place(shot, (center, longer), ghosts, rng)
        turn = float(rng.uniform(0, 360))
        frame = close_up(middle, size, across, turn, tilt_deg)
        canvas = spoilt(drawn(shot.picture, frame), rng)
        told = away - turn if tilt_deg >= SIGNED_DEG else None
        done.append((close_blob(canvas, frame, (float(x), float(y)), told), _told(shot.dice, frame.where, frame.scale)))
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
        is_off = rng.random() > _DICE
        off = rng.uniform(0.3, 1.0) * np.array([np.cos(way), np.sin(way)]) if is_off else rng.normal(0, _JITTER, 2)
        return (float(left + w / 2 + off[0] * size), float(top + h / 2 + off[1] * size)), size * sized
    if ghosts and rng.random() < 0.7:
        left, top, size = ghosts[int(rng.integers(len(ghosts)))]
        return (left, top), size * sized
    far, way = rim[1] / 2 * np.sqrt(rng.random()), rng.uniform(0, 2 * np.pi)
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
        return Told(0, (np.nan,) * 3, -1, NO_VALUE, (np.nan, np.nan))
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
    return Told(1, told, flat, value, (float(turned[0]), float(turned[1])))
