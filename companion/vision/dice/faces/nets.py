"""Inference of the networks that read crops of dice."""

from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.vision.frame import Image
from companion.vision.networks import Network, NoNetwork, color_planes

Probabilities = NDArray[np.float32]
_AT_ONCE: Final = 9  # crops of a d20's neighboring faces


class Net:
    """One network on crops; thread-safe.

    Args:
        model: the ONNX file, or its bytes.
        outputs: names of its outputs.
    """

    def __init__(self, model: Path | bytes, outputs: Sequence[str]) -> None:
        self.outputs = tuple(outputs)
        self._network = Network(model, "reads dice", self.outputs, batch_size=_AT_ONCE)

    def run(self, crops: Sequence[Image]) -> dict[str, NDArray[np.float32]]:
        """Return each output, float32 (n, ...), for square crops, uint8 (side, side, 3) BGR, at least one.

        Raises:
            NoNetwork: its file is missing or broken.
        """
        return dict(zip(self.outputs, self._network.run(color_planes(np.stack(crops))), strict=True))


def packaged(name: str) -> bytes:
    """Return a packaged model file.

    Raises:
        NoNetwork: it is missing.
    """
    try:
        return resources.files("companion.vision.dice").joinpath(f"models/{name}").read_bytes()
    except OSError as error:
        raise NoNetwork(f"The network that reads dice ({name}) is missing. Install the program again.") from error


def softmax(logits: NDArray[np.float32]) -> Probabilities:
    """Return probabilities along the last axis.

    >>> softmax(np.float32([[0.0, 0.0]])).tolist()
    [[0.5, 0.5]]
    """
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True), np.float32)
