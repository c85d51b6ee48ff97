"""The refinement network: one close look at each thing that may be a die, how likely it is one and what its box is.

The finder sees a whole picture in small; this sees one die, 44 px large, and what lies around it. So it can tell a die
on a lively print from the print, and a die from its shadow.
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
"""Side of a close look."""
DIE_PX: Final = 44.0
"""A die's size in a close look."""
_SCALE: Final = REFINER_PX / DIE_PX / CROP_SIDE
_FARTHEST: Final = 3.0  # of a logarithm of sides; what is beyond is nonsense
_AT_ONCE: Final = 4


class BoxRefiner:
    """The network, loaded on first use. Thread-safe.

    Args:
        model: the ONNX file, or its bytes; the one that comes with the program if not given.
    """

    def __init__(self, model: Path | bytes | None = None) -> None:
        given = packaged_model("companion.vision.dice", "refiner.onnx") if model is None else model
        self._network = Network(given, "refines the boxes of dice", ("said",), at_once=_AT_ONCE)

    def refined(self, picture: Image, dice: Sequence[DieBox]) -> list[DieBox]:
        """Return each box, and score, as a close look at it gives them.

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
        """Return float32 (n, 5) of close crops, uint8 (n, REFINER_PX, REFINER_PX, 3) BGR.

        Log-odds of a die, how far its middle is off the look's (x, y) in sizes of the die looked for, and the
        logarithms of its width and height in those.
        """
        return self._network.run(color_planes(crops))[0]


def refiner_crop(picture: Image, die: DieBox) -> Image:
    """Return the close look at a box, uint8 (REFINER_PX, REFINER_PX, 3) BGR."""
    return crop_of(picture, die, scale=_SCALE, side_px=REFINER_PX)


def _refined(die: DieBox, output: NDArray[np.float32]) -> DieBox:
    odds, right, down, width, height = (float(v) for v in output)
    w, h = (die.size_px * exp(max(-_FARTHEST, min(_FARTHEST, v))) for v in (width, height))
    x, y = die.center[0] + right * die.size_px - w / 2, die.center[1] + down * die.size_px - h / 2
    box = (round(x), round(y), max(1, round(w)), max(1, round(h)))
    return DieBox(box, 1 / (1 + exp(-max(-30.0, min(30.0, odds)))))
