"""Finds the dice in and around a bowl in one picture, and what each seems to show."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cache
from importlib import resources
from math import hypot
from typing import Final, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.chinchirorin.camera.canvas import SIZE_UNIT, STRIDE, Frame, blob, drawn, framed
from companion.games.chinchirorin.camera.rim import Rim, rim_in
from companion.vision.dice.boxes import DieBox
from companion.vision.dice.faces.nets import Chances, NoNetwork, softmax
from companion.vision.dice.finding.heat import HeatNet
from companion.vision.frame import Image, check_image

Place = Literal["in", "rim", "out"]
View = tuple[float, float]
"""Zoom and turn (degrees) of a look: each one is a little different."""
VIEWS: Final[tuple[View, ...]] = ((1.0, 0.0), (1.1, 9.0), (0.92, -9.0), (1.05, -18.0), (1.0, 18.0))
_LEAST: Final = 0.05  # of the chance of a die
_SAME: Final = 0.5  # of two dice's sizes between their middles: nearer they are the same
_ON_RIM: Final = (0.97, 1.06)
_LEAST_SIDE: Final = 32
_MOST: Final = 8  # things that are looked at


@dataclass(frozen=True, slots=True, eq=False)
class SeenDie:
    """What may be a die, as one picture shows it.

    Attributes:
        box: where it is, and how much it looks like a die (0 to 1).
        values: chances (6,) of its value, if it has one.
        flat: the chance that it has one, and is neither cocked nor mostly covered.
        place: in the bowl, over its rim, or outside.
    """

    box: DieBox
    values: Chances
    flat: float
    place: Place


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """The bowl in one picture, and what may be dice."""

    rim: Rim
    dice: tuple[SeenDie, ...]


class Eyes:
    """Looks at bowls with two networks: where the bowl is, and all dice in it with what they show. Thread-safe."""

    def __init__(self) -> None:
        self._view = HeatNet(_packaged("bowl_view.onnx"))
        self._lock = threading.Lock()
        self._dice: cv2.dnn.Net | None = None

    def rim(self, picture: Image) -> Rim | None:
        """Return the rim of the bowl in a picture, uint8 (H, W, 3) BGR; None where no whole bowl is seen."""
        if min(check_image(picture).shape[:2]) < _LEAST_SIDE:
            return None
        return rim_in(picture, self._view)

    def look(self, picture: Image, rim: Rim, view: View = VIEWS[0]) -> Sight:
        """Return what may be dice in a bowl and around it."""
        zoom, turn = view
        frame = framed(rim.center, rim.longer, rim.away_deg + turn, rim.tilt_deg, zoom=zoom)
        return Sight(rim, dice_in(self.maps(blob(drawn(picture, frame), frame)), frame, rim))

    def maps(self, canvas: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the maps (16, h / 8, w / 8) of a canvas, float32 (1, 6, h, w)."""
        with self._lock:
            if self._dice is None:
                self._dice = cv2.dnn.readNetFromONNX(np.frombuffer(_packaged("bowl_dice.onnx"), np.uint8))
            self._dice.setInput(canvas, "canvas")
            return np.array(self._dice.forward("maps")[0], np.float32)


@cache
def shared_eyes() -> Eyes:
    """Return the eyes of this process: the networks are loaded once."""
    return Eyes()


def _packaged(name: str) -> bytes:
    try:
        return resources.files("companion.games.chinchirorin.camera").joinpath(f"models/{name}").read_bytes()
    except OSError as error:
        raise NoNetwork(f"The network that reads a bowl ({name}) is missing. Install the program again.") from error


def dice_in(maps: NDArray[np.float32], frame: Frame, rim: Rim) -> tuple[SeenDie, ...]:
    """Return what may be dice, the likeliest first."""
    kept: list[tuple[float, float, float]] = []
    found = []
    for chance, row, column in _peaks(maps[:4]):
        dx, dy, size = maps[4:7, row, column]
        x, y = STRIDE * (column + 0.5 + float(dx)), STRIDE * (row + 0.5 + float(dy))
        px = SIZE_UNIT * float(np.exp(np.clip(size, -2, 2)))
        if any(hypot(x - x2, y - y2) < _SAME * (px + px2) / 2 for x2, y2, px2 in kept) or len(kept) == _MOST:
            continue
        kept.append((x, y, px))
        found.append(_die(_said(maps[7:14], row, column), chance, (x, y, px), frame, rim))
    return tuple(found)


def _peaks(heat: NDArray[np.float32]) -> list[tuple[float, int, int]]:
    """Return the local maxima of the four parts of each place's heat: their chances and places, likeliest first."""
    _, h, w = heat.shape
    fine = np.ascontiguousarray(heat.reshape(2, 2, h, w).transpose(2, 0, 3, 1).reshape(2 * h, 2 * w))
    chances = 1 / (1 + np.exp(-fine))
    rows, columns = np.nonzero((fine >= cv2.dilate(fine, np.ones((3, 3), np.uint8))) & (chances > _LEAST))
    found = [(float(chances[r, c]), int(r) // 2, int(c) // 2) for r, c in zip(rows, columns, strict=True)]
    return sorted(found, reverse=True)


def _said(maps: NDArray[np.float32], row: int, column: int) -> NDArray[np.float32]:
    """Return what a place and the four next to it say on average."""
    _, h, w = maps.shape
    rows = np.clip([row, row - 1, row + 1, row, row], 0, h - 1)
    columns = np.clip([column, column, column, column - 1, column + 1], 0, w - 1)
    return np.asarray(maps[:, rows, columns].mean(axis=1))


def _die(
    said: NDArray[np.float32], chance: float, at: tuple[float, float, float], frame: Frame, rim: Rim
) -> SeenDie:  # fmt: skip
    (x, y), size = frame.back(np.array([at[:2]]))[0], at[2] / frame.scale
    box = DieBox((round(x - size / 2), round(y - size / 2), max(1, round(size)), max(1, round(size))), chance)
    flat = float(1 / (1 + np.exp(-said[0])))
    return SeenDie(box, softmax(said[None, 1:])[0], flat, place_of(box, rim))


def place_of(die: DieBox, rim: Rim) -> Place:
    """Return where a die lies: over the rim is too near it to tell."""
    off = rim.off(die.center)
    return "in" if off < _ON_RIM[0] else "rim" if off < _ON_RIM[1] else "out"
