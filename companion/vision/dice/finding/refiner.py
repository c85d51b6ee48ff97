"""The refinement network: scores one candidate from a close-up crop and regresses its box.

The finder sees the whole picture at low resolution; this network sees one die, 44 px large, and its surroundings. It
can therefore separate a die from a busy print under it, and from its shadow.
"""

from collections.abc import Sequence
from math import exp
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.vision.dice.boxes import CROP_SIDE, DieBox, crop_of
from companion.vision.frame import Image
from companion.vision.networks import Network, color_planes, packaged_model

REFINER_PX: Final = 96
"""Side of the network's input."""
DIE_PX: Final = 44.0
"""A die's size in the input."""
_SCALE: Final = REFINER_PX / DIE_PX / CROP_SIDE
_FARTHEST: Final = 3.0  # limit of the log size ratios; beyond it the output is meaningless
_AT_ONCE: Final = 4


class BoxRefiner:
    """The network, loaded on first use. Thread-safe.

    Args:
        model: the ONNX file, or its bytes; the packaged file if not given.
    """

    def __init__(self, model: Path | bytes | None = None) -> None:
        given = packaged_model("companion.vision.dice", "refiner.onnx") if model is None else model
        self._network = Network(given, "refines the boxes of dice", ("said",), batch_size=_AT_ONCE)

    def refined(self, picture: Image, dice: Sequence[DieBox]) -> list[DieBox]:
        """Return each candidate with refined box and score.

        Args:
            picture: uint8 (H, W, 3) BGR.

        Raises:
            NoNetwork: its file is missing or broken.
        """
        if not dice:
            return []
        crops = np.stack([refiner_crop(picture, die) for die in dice])
        return [_refined(die, row) for die, row in zip(dice, self.outputs(crops), strict=True)]

    def outputs(self, crops: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Return float32 (n, 5) of crops, uint8 (n, REFINER_PX, REFINER_PX, 3) BGR.

        Log-odds of a die, offset of its center from the crop's (x, y) in candidate sizes, and the logarithms of its
        width and height in candidate sizes.
        """
        return self._network.run(color_planes(crops))[0]


def refiner_crop(picture: Image, die: DieBox) -> Image:
    """Return the network's input for a box, uint8 (REFINER_PX, REFINER_PX, 3) BGR."""
    return crop_of(picture, die, scale=_SCALE, side_px=REFINER_PX)


def _refined(die: DieBox, output: NDArray[np.float32]) -> DieBox:
    odds, right, down, width, height = (float(v) for v in output)
    w, h = (die.size_px * exp(max(-_FARTHEST, min(_FARTHEST, v))) for v in (width, height))
    x, y = die.center[0] + right * die.size_px - w / 2, die.center[1] + down * die.size_px - h / 2
    box = (round(x), round(y), max(1, round(w)), max(1, round(h)))
    return DieBox(box, 1 / (1 + exp(-max(-30.0, min(30.0, odds)))))
