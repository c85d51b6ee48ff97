"""A small network in a file, run by OpenCV."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from importlib import resources

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import CompanionError
from companion.vision.frame import Image

Chances = NDArray[np.float32]


class NoNetwork(CompanionError):
    """The network's file is missing or broken."""


class Net:
    """One network; may be used from several threads.

    Args:
        model: the ONNX file's bytes.
        outputs: the names of what it says.
    """

    def __init__(self, model: bytes, outputs: Sequence[str]) -> None:
        self.model, self.outputs = model, tuple(outputs)
        self._lock = threading.Lock()
        self._nets: dict[int, cv2.dnn.Net] = {}

    def run(self, crops: Sequence[Image]) -> dict[str, NDArray[np.float32]]:
        """Return each output, float32 (n, ...), for square crops, uint8 (side, side, 3) BGR.

        Raises:
            NoNetwork: its file is broken.
        """
        blob = np.ascontiguousarray(np.stack(crops)[..., ::-1].transpose(0, 3, 1, 2), np.float32)
        blob *= np.float32(1 / 255)
        with self._lock:
            net = self._nets.get(len(blob))
            if net is None:  # planned anew for every number of crops, so one is kept for each
                net = self._nets[len(blob)] = _load(self.model)
            net.setInput(blob)
            found = [np.array(out, np.float32) for out in net.forward(self.outputs)]
        return dict(zip(self.outputs, found, strict=True))


def packaged(name: str) -> bytes:
    """Return a file that comes with the program.

    Raises:
        NoNetwork: it is missing.
    """
    try:
        return resources.files(__package__).joinpath(f"models/{name}").read_bytes()
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
