"""From rendered bowls to what the network that finds dice learns from: canvases, and the maps of their dice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.chinchirorin.camera.canvas import ACROSS_PX, SIZE_UNIT, STRIDE, Frame, blob, drawn, framed
from companion.games.chinchirorin.camera.rim import SIGNED_DEG
from tools.training.bowls.looks import Shot
from tools.training.bowls.throws import Lying
from tools.training.recolour import recoloured

SIDE: Final = 144
PLACES: Final = SIDE // STRIDE
_ZOOM: Final = (0.44, 0.66)
_EDGES_PX: Final = (13.0, 46.0)  # sizes of dice on a piece
_RATIO_OFF: Final = 0.01  # how well the proportions of the bowl's rim are known
_DIRECTION_OFF: Final = 0.8  # degrees, by the tilt in radians
_UPSIDE_DOWN: Final = 0.05
_CENTER_OFF, _AXIS_OFF = 0.015, 0.02
_ROLL_DEG: Final = 50.0
_HARDLY, _PARTLY = 0.12, 0.3  # of a die that is seen: too little to be found, or to be missed
_NEAR: Final = 0.36  # of a die's size around its middle, where the maps say what it shows
_SPREAD: Final = 0.09


@dataclass(frozen=True, slots=True, eq=False)
class Wanted:
    """The maps of a piece.

    Attributes:
        heat: float32 (2 h, 2 w), 1 at a die's middle; seen: the same, 0 where it does not count.
        off: float32 (3, h, w): offset and logarithm of the size.
        near: float32 (h, w), 1 around a die's middle.
    """

    heat: NDArray[np.float32]
    seen: NDArray[np.float32]
    off: NDArray[np.float32]
    near: NDArray[np.float32]


def piece(shot: Shot, rng: np.random.Generator) -> tuple[NDArray[np.float32], Wanted]:
    """Return a chance piece of a shot's canvas, float32 (6, SIDE, SIDE), and its maps."""
    frame = _moved(_chance_frame(shot, rng), shot, rng)
    canvas = spoilt(drawn(shot.picture, frame), rng)
    inputs = blob(canvas, frame)[0]
    inputs[3:5] += _middle(shot, frame)[:, None, None]
    return inputs, _wanted(shot.dice, frame)


def _chance_frame(shot: Shot, rng: np.random.Generator) -> Frame:
    """Return the frame as the rim tells it, which is not exactly."""
    center, (_, longer), _ = cv2.fitEllipse(shot.rim)
    ratio = float(np.clip(np.cos(shot.tilt) + rng.normal(0, _RATIO_OFF), 0.5, 1))
    tilt_deg = float(np.degrees(np.arccos(ratio)))
    if tilt_deg >= SIGNED_DEG:
        turn = shot.away_deg + float(rng.normal(0, _DIRECTION_OFF / max(0.05, shot.tilt)))
        turn += 180.0 * (rng.random() < _UPSIDE_DOWN)
    else:
        turn = shot.away_deg + float(rng.uniform(-_ROLL_DEG, _ROLL_DEG) if rng.random() < 0.5 else rng.uniform(0, 360))
    zoom = float(np.exp(rng.uniform(*np.log(_ZOOM))))
    usual = float(np.median([max(die.box[2:]) for die in shot.dice])) if shot.dice else 40.0
    zoom = float(np.clip(usual * zoom * ACROSS_PX / longer, *_EDGES_PX)) / usual * longer / ACROSS_PX
    middle = np.array(center) + rng.normal(0, _CENTER_OFF, 2) * longer / 2
    seen = longer * float(np.exp(rng.normal(0, _AXIS_OFF)))
    return framed((float(middle[0]), float(middle[1])), seen, turn, tilt_deg, zoom=zoom, side=SIDE)


def _moved(frame: Frame, shot: Shot, rng: np.random.Generator) -> Frame:
    """Return the frame with a chance die, or a chance place, somewhere on the piece."""
    if shot.dice and rng.random() < 0.9:
        x, y, w, h = shot.dice[int(rng.integers(len(shot.dice)))].box
        at = frame.where @ (x + w / 2, y + h / 2, 1)
    else:
        at = SIDE / 2 + rng.uniform(-0.35, 0.35, 2) * frame.across
    where = frame.where.copy()
    where[:, 2] += rng.uniform(0.25, 0.75, 2) * SIDE - at
    return Frame(where, frame.side, frame.scale, frame.across, frame.tilt_deg)


def _middle(shot: Shot, frame: Frame) -> NDArray[np.float32]:
    """Return what to add to places counted from the piece's middle, so that they count from the rim's."""
    center = cv2.fitEllipse(shot.rim)[0]
    return np.asarray((SIDE / 2 - frame.where @ (*center, 1)) * 2 / frame.across, np.float32)


def spoilt(canvas: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    if rng.random() < 0.3:
        canvas = np.asarray(cv2.GaussianBlur(canvas, (0, 0), float(rng.uniform(0.3, 1.1))), np.uint8)
    if rng.random() < 0.25:
        canvas = _lit(canvas, rng)
    return recoloured(canvas, rng)


def _lit(canvas: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    """Add light that falls on a part only: a ramp, or a lamp's reflection."""
    n = canvas.shape[0]
    y, x = np.mgrid[-1 : 1 : n * 1j, -1 : 1 : n * 1j].astype(np.float32)
    if rng.random() < 0.5:
        a, b = rng.uniform(-0.4, 0.4, 2)
        return np.asarray(np.clip(canvas * (1 + a * x + b * y)[..., None], 0, 255), np.uint8)
    (cx, cy), (rx, ry) = rng.uniform(-1, 1, 2), rng.uniform(0.03, 0.3, 2)
    glare = np.exp(-((((x - cx) / rx) ** 2 + ((y - cy) / ry) ** 2) ** float(rng.choice([1, 3]))))
    return np.asarray(np.clip(canvas + (rng.uniform(40, 220) * glare)[..., None], 0, 255), np.uint8)


def _wanted(dice: Sequence[Lying], frame: Frame) -> Wanted:
    n = PLACES
    heat, seen = np.zeros((2 * n, 2 * n), np.float32), np.ones((2 * n, 2 * n), np.float32)
    off, near = np.zeros((3, n, n), np.float32), np.zeros((n, n), np.float32)
    best = np.full((n, n), np.inf, np.float32)
    rows, columns = np.mgrid[0:n, 0:n].astype(np.float32) + 0.5
    fine_rows, fine_columns = np.mgrid[0 : 2 * n, 0 : 2 * n].astype(np.float32) + 0.5
    for die in dice:
        x0, y0, w, h = die.box
        x, y = frame.where @ (x0 + w / 2, y0 + h / 2, 1) / STRIDE
        size = max(w, h) * frame.scale / STRIDE
        if not (-size < x < n + size and -size < y < n + size) or die.seen < _HARDLY:
            continue
        away = np.hypot(fine_columns - 2 * x, fine_rows - 2 * y) / (2 * size)
        is_cut = min(x, y, n - x, n - y) < 0.4 * size
        if is_cut or die.seen < _PARTLY:
            seen[away < 0.55] = 0
            continue
        heat = np.maximum(heat, np.exp(-(away**2) / (2 * _SPREAD**2)))
        if 0 <= x < n and 0 <= y < n:
            heat[int(2 * y), int(2 * x)] = 1
        far = np.hypot(columns - x, rows - y) / size
        mine = (far < _NEAR) & (far < best)
        mine[int(y), int(x)] = True
        best[mine], near[mine] = far[mine], 1
        off[0][mine], off[1][mine] = (x - columns)[mine], (y - rows)[mine]
        off[2][mine] = np.log(size * STRIDE / SIZE_UNIT)
    return Wanted(heat, seen, off, near)
