"""The detection network: a heat map of dice centres, with a box and a lean for each.

It detects dice of `SEEN_PX` in the picture it is given; `finder` scales the pictures accordingly.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from importlib import resources
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.frame import Image

SEEN_PX: Final = (12.0, 66.0)
"""Sizes of dice that the network finds, px of its own picture."""
STRIDE: Final = 4
_MULTIPLE: Final = 32
_UNIT_PX: Final = 28.0
_UNIT_LEAN_DEG: Final = 20.0
_NETS: Final = 6

Maps = NDArray[np.float32]
"""float32 (6, h, w), one place for every 4 × 4 pixels: how much like a die's middle (log-odds), offset of the middle
(x, y, in places), logarithm of width and height, and lean."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A detected centre, in pixels of the network's picture."""

    x: float
    y: float
    width: float
    height: float
    odds: float
    lean_deg: float


class HeatNet:
    """The network, loaded on first use. Thread-safe."""

    def __init__(self, model: bytes | None = None) -> None:
        self._model = model
        self._lock = threading.Lock()
        self._nets: dict[tuple[int, ...], cv2.dnn.Net] = {}

    def maps(self, pictures: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Return the maps (n, 6, h / 4, w / 4) of pictures, uint8 (n, h, w, 3) BGR; sides are multiples of 32."""
        blob = np.ascontiguousarray(pictures[..., ::-1].transpose(0, 3, 1, 2), np.float32)
        blob *= np.float32(1 / 255)
        with self._lock:
            # one by one: as fast as together, and a plan for each number of pictures would cost tens of megabytes
            return np.concatenate([self._forward(blob[i : i + 1]) for i in range(len(blob))])

    def _forward(self, blob: NDArray[np.float32]) -> NDArray[np.float32]:
        net = self._net(blob.shape)
        net.setInput(blob, "picture")
        return np.array(net.forward("maps"), np.float32)

    def _net(self, shape: tuple[int, ...]) -> cv2.dnn.Net:
        """A net for each shape: another one makes OpenCV plan everything again, which takes longer than the work."""
        if shape not in self._nets:
            if self._model is None:
                self._model = resources.files("companion.vision.dice").joinpath("models/finder.onnx").read_bytes()
            while len(self._nets) >= _NETS:
                self._nets.pop(next(iter(self._nets)))
            self._nets[shape] = cv2.dnn.readNetFromONNX(np.frombuffer(self._model, np.uint8))
        return self._nets[shape]


def padded(picture: Image) -> Image:
    """Return the picture with its right and lower border repeated up to the next multiple of 32."""
    h, w = picture.shape[:2]
    below, right = -h % _MULTIPLE, -w % _MULTIPLE
    return np.asarray(cv2.copyMakeBorder(picture, 0, below, 0, right, cv2.BORDER_REPLICATE), np.uint8)


def spots(maps: Maps, least_odds: float, most: int = 40) -> list[Spot]:
    """Return the local maxima of one picture's maps, likeliest first."""
    heat = np.ascontiguousarray(maps[0])
    peak = (heat >= cv2.dilate(heat, np.ones((3, 3), np.uint8))) & (heat > least_odds)
    rows, columns = np.nonzero(peak)
    order = np.argsort(-heat[rows, columns])[:most]
    return [_spot(maps, int(rows[i]), int(columns[i])) for i in order]


def _spot(maps: Maps, row: int, column: int) -> Spot:
    odds, dx, dy, width, height, lean = (float(v) for v in maps[:, row, column])
    return Spot(
        STRIDE * (column + 0.5 + dx),
        STRIDE * (row + 0.5 + dy),
        _UNIT_PX * float(np.exp(np.clip(width, -3, 3))),
        _UNIT_PX * float(np.exp(np.clip(height, -3, 3))),
        odds,
        _UNIT_LEAN_DEG * lean,
    )
