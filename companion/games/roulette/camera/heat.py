"""Runs a small network that locates the ball in an unrolled ring.

Trained on rendered rings by `tools.training.wheels`, it recognizes the ball's shading. `rest` combines it with the
pixel differences.
"""

from collections.abc import Generator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Final, Literal, Protocol, TypeVar, cast, get_args

import numpy as np
from numpy.typing import NDArray

from companion.games.roulette.camera.finding import Floats
from companion.games.roulette.camera.rotor import INNERMOST, OUTERMOST, ROWS, STEPS, Strip
from companion.vision.networks import Network, packaged_model

Kind = Literal["rest", "still"]
Result = TypeVar("Result")
COLUMNS: Final = 12
"""Columns of a view for each pocket."""
FIRST: Final = 6
LAST: Final = 60
"""Rows of the unrolled ring that the network sees."""
_ROW: Final = (OUTERMOST - INNERMOST) / (ROWS - 1)
_CELL: Final = 2
_AROUND: Final = 3 * COLUMNS  # columns of wrap-around context at each end
_CUTS: Final[dict[Kind, tuple[float, ...]]] = {"rest": (0, 1 / 3, 1), "still": (0, 1 / 3, 2 / 3, 1)}
"""Boundaries of the parts of a ring that are evaluated in one step each; the first of "rest" shares its step."""
_AWAY: Final = COLUMNS // _CELL  # cells: a pocket
_NEW: Final = 32.0  # gray levels
_MAX_NEW: Final = 4.0


@dataclass(frozen=True, slots=True)
class Peak:
    """The most likely position of the ball's center.

    Attributes:
        place: angle, in pockets clockwise from the start of the zero's pocket.
        radius: in radii of the ring.
        odds: log-odds that a ball's center is there.
        rival: highest log-odds a pocket or more away.
    """

    place: float
    radius: float
    odds: float
    rival: float


class BallHeat(Protocol):
    """Heat map of the ball's center over unrolled rings."""

    def heat(self, kind: Kind, rings: Floats) -> Floats:
        """Return log-odds (n, h / 2, w / 2) for rings float32 (n, channels, h, w)."""


class BallNets:
    """The packaged networks. Thread-safe."""

    def __init__(self) -> None:
        self._networks = {kind: _network(kind) for kind in get_args(Kind)}

    def heat(self, kind: Kind, rings: Floats) -> Floats:
        return self._networks[kind].run(rings)[0][:, 0]


def _network(kind: str) -> Network:
    return Network(packaged_model("companion.games.roulette.camera", f"ball_{kind}.onnx"), "finds a wheel's ball")


@cache
def shared_nets() -> BallNets:
    """Return this process's networks, loaded once."""
    return BallNets()


def new_ring(now: Floats, usual: Floats) -> Floats:
    """Return the network's input, float32 (6, h, w), from the rotor now and without a ball, each (h, w, 3)."""
    now = np.clip(now, 0, 255)
    new = np.clip((now - usual) / _NEW, -_MAX_NEW, _MAX_NEW)
    return np.asarray(np.concatenate([new, usual / 128 - 1], 2).transpose(2, 0, 1), np.float32)


def still_ring(strip: Strip) -> Floats:
    """Return the network's input, float32 (3, h, w), from the ring of a single picture."""
    colors = strip.colors[FIRST:LAST].reshape(LAST - FIRST, -1, STEPS // COLUMNS, 3).astype(np.float32).mean(2)
    return np.asarray((colors / 128 - 1).transpose(2, 0, 1), np.float32)


def ring_odds(heat: BallHeat, kind: Kind, ring: Floats) -> Generator[None, None, Floats]:
    """Return the log-odds of a whole ring, float32 (h / 2, w / 2), evaluating one part per step."""
    wide = np.concatenate([ring[..., -_AROUND:], ring, ring[..., :_AROUND]], 2)
    cuts = [round(ring.shape[-1] * cut / _CELL) * _CELL for cut in _CUTS[kind]]
    odds: list[Floats] = []
    for begin, end in pairwise(cuts):
        if odds:
            yield
        part = np.ascontiguousarray(wide[..., begin : end + 2 * _AROUND])
        odds.append(heat.heat(kind, part[None])[0][:, _AROUND // _CELL : -_AROUND // _CELL])
    return np.concatenate(odds, 1)


def at_once(steps: Generator[None, None, Result]) -> Result:
    """Run all steps at once and return their result."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return cast("Result", end.value)


def highest(odds: Floats) -> Peak:
    """Return the peak of a whole ring's log-odds."""
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


def columns_near(place: float, pockets: int) -> NDArray[np.int64]:
    """Return the ring's columns in the network's receptive field around a place."""
    middle = round(place * COLUMNS / _CELL) * _CELL
    return np.arange(middle - _AROUND, middle + _AROUND) % (pockets * COLUMNS)


def middle_odds(heat: BallHeat, kind: Kind, parts: Floats, reach: float) -> Floats:
    """Return the highest log-odds within ``reach`` pockets of the center of each part of a ring."""
    odds = heat.heat(kind, np.ascontiguousarray(parts))
    cells, mid = round(reach * COLUMNS / _CELL), odds.shape[-1] // 2
    return np.asarray(odds[:, :, mid - cells : mid + cells].max((1, 2)), np.float32)
