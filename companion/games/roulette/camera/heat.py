"""Asks a small network where in an unrolled ring a ball is.

Trained on painted rings by `tools.training.wheels`. It sees what people see: something round with a light and a dark
side, that no pocket has by itself. What the counted differences say is judged beside it; see `rest`.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final, Literal, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.roulette.camera.finding import Floats
from companion.games.roulette.camera.rotor import INNERMOST, OUTERMOST, ROWS, STEPS, Strip

Kind = Literal["rest", "still"]
COLUMNS: Final = 12
"""Columns of a view for each pocket."""
FIRST: Final = 6
LAST: Final = 60
"""Rows of the unrolled ring that the network sees."""
_ROW: Final = (OUTERMOST - INNERMOST) / (ROWS - 1)
_CELL: Final = 2
_AROUND: Final = 3 * COLUMNS  # columns of the ring's other end that are seen beside each end
_AWAY: Final = COLUMNS // _CELL  # cells: a pocket
_NEW: Final = 32.0  # gray levels
_MOST_NEW: Final = 4.0


@dataclass(frozen=True, slots=True)
class Peak:
    """The place that looks most like a ball's middle.

    Attributes:
        place: in pockets clockwise from where the zero's pocket begins.
        radius: in radii of the ring.
        odds: logarithm of the odds that a ball's middle is there.
        rival: the same of any place a pocket or more away.
    """

    place: float
    radius: float
    odds: float
    rival: float


class BallHeat(Protocol):
    """Says of each place of rings how likely a ball's middle is there."""

    def heat(self, kind: Kind, rings: Floats) -> Floats:
        """Return log-odds (n, h / 2, w / 2) for rings float32 (n, channels, h, w)."""


class BallNets:
    """The networks that come with the program. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._nets: dict[Kind, cv2.dnn.Net] = {}

    def heat(self, kind: Kind, rings: Floats) -> Floats:
        with self._lock:
            if kind not in self._nets:
                file = resources.files("companion.games.roulette.camera").joinpath(f"models/ball_{kind}.onnx")
                self._nets[kind] = cv2.dnn.readNetFromONNX(np.frombuffer(file.read_bytes(), np.uint8))
            self._nets[kind].setInput(rings, "ring")
            return np.array(self._nets[kind].forward(), np.float32)[:, 0]


@cache
def shared_nets() -> BallNets:
    """Return the networks of this process: they are loaded once."""
    return BallNets()


def new_ring(now: Floats, usual: Floats) -> Floats:
    """Return the network's input, float32 (6, h, w), for a rotor now and without a ball, each (h, w, 3)."""
    now = np.clip(now, 0, 255)
    new = np.clip((now - usual) / _NEW, -_MOST_NEW, _MOST_NEW)
    return np.asarray(np.concatenate([new, usual / 128 - 1], 2).transpose(2, 0, 1), np.float32)


def still_ring(strip: Strip) -> Floats:
    """Return the network's input, float32 (3, h, w), for a picture's ring."""
    colors = strip.colors[FIRST:LAST].reshape(LAST - FIRST, -1, STEPS // COLUMNS, 3).astype(np.float32).mean(2)
    return np.asarray((colors / 128 - 1).transpose(2, 0, 1), np.float32)


def ring_peak(heat: BallHeat, kind: Kind, ring: Floats) -> Peak:
    """Return the most likely place in a whole ring."""
    wide = np.concatenate([ring[..., -_AROUND:], ring, ring[..., :_AROUND]], 2)
    odds = heat.heat(kind, wide[None])[0][:, _AROUND // _CELL : -_AROUND // _CELL]
    columns = odds.max(0)
    at = int(columns.argmax())
    row = int(odds[:, at].argmax())
    cells = len(columns)
    away = np.abs((np.arange(cells) - at + cells // 2) % cells - cells // 2) > _AWAY
    near = np.arange(at - 2, at + 3)
    weight = np.exp(np.minimum(odds[row, near % cells] - odds[row, at], 0.0))
    middle = (float((weight * near).sum() / weight.sum()) + 0.5) * _CELL / COLUMNS
    radius = INNERMOST + (FIRST + row * _CELL + (_CELL - 1) / 2) * _ROW
    return Peak(middle % (cells / _AWAY), radius, float(columns[at]), float(columns[away].max()))


def odds_near(heat: BallHeat, kind: Kind, rings: NDArray[np.float32], place: float, reach: float) -> Floats:
    """Return the highest log-odds within some pockets of a place, in each of some rings."""
    columns = rings.shape[-1]
    middle, half = round(place * COLUMNS / _CELL) * _CELL, _AROUND
    near = np.arange(middle - half, middle + half) % columns
    odds = heat.heat(kind, np.ascontiguousarray(rings[..., near]))
    cells = round(reach * COLUMNS / _CELL)
    mid = half // _CELL
    return np.asarray(odds[:, :, mid - cells : mid + cells].max((1, 2)), np.float32)
