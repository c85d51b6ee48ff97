"""The detection network: a heat map of dice centers, with a box and a lean angle for each.

It detects dice of `DETECTABLE_PX` in its input; `finder` scales the picture accordingly.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.frame import Image
from companion.vision.networks import Network, color_planes, packaged_model

DETECTABLE_PX: Final = (12.0, 66.0)
"""Range of die sizes that the network detects, px of its input."""
STRIDE: Final = 4
_MULTIPLE: Final = 32
_MOST_PEAKS: Final = 64
_UNIT_PX: Final = 28.0
_UNIT_LEAN_DEG: Final = 20.0

Maps = NDArray[np.float32]
"""float32 (6, h, w), one cell per 4 × 4 pixels: log-odds of a die's center, offset of the center (x, y, in cells),
logarithm of width and height, and lean."""


@dataclass(frozen=True, slots=True)
class Peak:
    """A local maximum of the heat map, in pixels of the network's input."""

    x: float
    y: float
    width: float
    height: float
    odds: float
    lean_deg: float


class HeatNet:
    """The network, loaded on first use. Thread-safe.

    Args:
        model: the ONNX file, or its bytes; the packaged file if not given.
        does: what it does, for error messages.
    """

    def __init__(self, model: Path | bytes | None = None, does: str = "finds dice") -> None:
        given = packaged_model("companion.vision.dice", "finder.onnx") if model is None else model
        self._network = Network(given, does, ("maps",))

    def maps(self, pictures: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Return the maps (n, 6, h / 4, w / 4) of pictures, uint8 (n, h, w, 3) BGR; sides are multiples of 32.

        Raises:
            NoNetwork: its file is missing or broken.
        """
        return self._network.run(color_planes(pictures))[0]


def padded(picture: Image) -> Image:
    """Return the picture, right and lower borders replicated to the next multiple of 32."""
    h, w = picture.shape[:2]
    below, right = -h % _MULTIPLE, -w % _MULTIPLE
    return np.asarray(cv2.copyMakeBorder(picture, 0, below, 0, right, cv2.BORDER_REPLICATE), np.uint8)


def peaks(maps: Maps, least_odds: float) -> list[Peak]:
    """Return the local maxima of one picture's heat map, most likely first."""
    heat = np.ascontiguousarray(maps[0])
    peak = (heat >= cv2.dilate(heat, np.ones((3, 3), np.uint8))) & (heat > least_odds)
    rows, columns = np.nonzero(peak)
    order = np.argsort(-heat[rows, columns])[:_MOST_PEAKS]
    return [_peak(maps, int(rows[i]), int(columns[i])) for i in order]


def _peak(maps: Maps, row: int, column: int) -> Peak:
    odds, dx, dy, width, height, lean = (float(v) for v in maps[:, row, column])
    return Peak(
        STRIDE * (column + 0.5 + dx),
        STRIDE * (row + 0.5 + dy),
        _UNIT_PX * float(np.exp(np.clip(width, -3, 3))),
        _UNIT_PX * float(np.exp(np.clip(height, -3, 3))),
        odds,
        _UNIT_LEAN_DEG * lean,
    )
