"""A small ONNX network, run by OpenCV."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from importlib import resources

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.kernel.errors import CompanionError
from companion.vision.frame import Image

Chances = NDArray[np.float32]


class NoNetwork(CompanionError):
    """The network's file is missing or broken."""


class Net:
    """One network; thread-safe.

    Args:
        model: the ONNX file's bytes.
        outputs: the names of what it says.
    """

    def __init__(self, model: bytes, outputs: Sequence[str]) -> None:
        self.model, self.outputs = model, tuple(outputs)
        self._lock = threading.Lock()
        self._net: cv2.dnn.Net | None = None

    def run(self, crops: Sequence[Image]) -> dict[str, NDArray[np.float32]]:
        """Return each output, float32 (n, ...), for square crops, uint8 (side, side, 3) BGR, at least one.

        Raises:
            NoNetwork: its file is broken.
        """
        blob = np.ascontiguousarray(np.stack(crops)[..., ::-1].transpose(0, 3, 1, 2), np.float32)
        blob *= np.float32(1 / 255)
        with self._lock:
            # one by one: as fast as together, and a plan for each number of crops would cost tens of megabytes
            found = [self._forward(blob[i : i + 1]) for i in range(len(blob))]
        return {name: np.concatenate([each[k] for each in found]) for k, name in enumerate(self.outputs)}

    def _forward(self, blob: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        if self._net is None:
            self._net = _load(self.model)
        self._net.setInput(blob)
        return [np.array(out, np.float32) for out in self._net.forward(self.outputs)]


def packaged(name: str) -> bytes:
    """Return a file that comes with the program.

    Raises:
        NoNetwork: it is missing.
    """
    try:
        return resources.files("companion.vision.dice").joinpath(f"models/{name}").read_bytes()
    except OSError as error:
        raise NoNetwork(f"The network that reads dice ({name}) is missing. Install the program again.") from error


def softmax(logits: NDArray[np.float32]) -> Chances:
    """Return chances along the last axis.

    >>> softmax(np.float32([[0.0, 0.0]])).tolist()
    [[0.5, 0.5]]
    """
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True), np.float32)


def _load(model: bytes) -> cv2.dnn.Net:
    try:
        return cv2.dnn.readNetFromONNX(np.frombuffer(model, np.uint8))
    except cv2.error as error:
        raise NoNetwork("The network that reads dice is broken. Install the program again.") from error
