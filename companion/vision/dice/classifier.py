"""What the network says about one crop: which kind of die, which face is up, and how the die looks."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import CompanionError
from companion.vision.dice.boxes import CROP_PX, DieKind
from companion.vision.frame import Image

KIND_ORDER: Final[tuple[DieKind | None, ...]] = ("d20", "d6", "rugen", None)
"""The network's order of kinds; None is another die, or no die."""
RUGEN_ORDER: Final = ("1d", "1n", "2d", "2n", "3d", "3n", "4d", "4n")
_HEADS: Final = ("kind", "d20", "d6", "rugen", "embedding")

Chances = NDArray[np.float32]


class NoNetwork(CompanionError):
    """The network's file is missing or broken."""


@dataclass(frozen=True, eq=False)
class DieLook:
    """What one crop, or several of one die, seem to show.

    Attributes:
        kinds: chances (4,) in `KIND_ORDER`.
        d20, d6, rugen: chances of the faces, if it is that kind, (20,), (6,), (8,) in `RUGEN_ORDER`.
        embedding: (64,), length 1: dice that look alike lie close.
    """

    kinds: Chances
    d20: Chances
    d6: Chances
    rugen: Chances
    embedding: NDArray[np.float32]

    @cached_property
    def kind(self) -> DieKind | None:
        return KIND_ORDER[int(self.kinds.argmax())]

    @property
    def kind_p(self) -> float:
        return float(self.kinds.max())

    def faces(self, kind: DieKind) -> Chances:
        return {"d20": self.d20, "d6": self.d6, "rugen": self.rugen}[kind]

    def top(self, kind: DieKind) -> int:
        """Return the index of the likeliest face."""
        return int(self.faces(kind).argmax())

    def margin(self, kind: DieKind) -> float:
        """Return by how much the likeliest face is likelier than the next."""
        second, first = np.partition(self.faces(kind), -2)[-2:]
        return float(first - second)


@dataclass(frozen=True, slots=True)
class Calibration:
    """Temperatures that make the network's chances honest, and what an answer must reach, by kind.

    Attributes:
        temperature: of each head.
        least_p: of the face.
        least_kind: of the kind.
    """

    temperature: Mapping[str, float]
    least_p: Mapping[str, float]
    least_kind: Mapping[str, float]


class Classifier:
    """The network, loaded once when it is first asked. May be used from several threads.

    Args:
        model: the ONNX file's bytes; the one that comes with the program if not given.
        card: what `dice.json` says about it.
    """

    def __init__(self, model: bytes | None = None, card: Mapping[str, Any] | None = None) -> None:
        self._model, self._card = model, card
        self._lock = threading.Lock()
        self._nets: dict[int, cv2.dnn.Net] = {}

    @cached_property
    def model(self) -> bytes:
        return self._model if self._model is not None else _packaged("dice.onnx")

    @cached_property
    def calibration(self) -> Calibration:
        return calibration_of(self._card if self._card is not None else json.loads(_packaged("dice.json")))

    @cached_property
    def fingerprint(self) -> str:
        """Names the network: what was learnt with another one does not fit this one."""
        return hashlib.sha256(self.model).hexdigest()[:16]

    def look(self, crops: Sequence[Image]) -> list[DieLook]:
        """Return what each crop shows.

        Args:
            crops: uint8 (96, 96, 3) BGR, cut as `boxes.crop_of` does.

        Raises:
            NoNetwork: its file is missing or broken.
        """
        if not crops:
            return []
        blob = np.ascontiguousarray(np.stack(crops)[..., ::-1].transpose(0, 3, 1, 2), np.float32)
        blob *= np.float32(1 / 255)
        assert blob.shape[1:] == (3, CROP_PX, CROP_PX)
        with self._lock:
            out = dict(zip(_HEADS, self._forward(blob), strict=True))
        warmth = self.calibration.temperature
        heads = {name: softmax(out[name] / warmth.get(name, 1.0)) for name in _HEADS[:4]}
        rows = range(len(crops))
        return [_look(heads, out["embedding"], i) for i in rows]

    def _forward(self, blob: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        net = self._nets.get(len(blob))
        if net is None:  # planned anew for every number of crops, so one is kept for each
            net = self._nets[len(blob)] = _load(self.model)
        net.setInput(blob)
        return [np.array(out, np.float32) for out in net.forward(_HEADS)]


@cache
def shared_classifier() -> Classifier:
    """Return the one classifier of this process."""
    return Classifier()


def softmax(logits: NDArray[np.float32]) -> Chances:
    """Return chances along the last axis.

    >>> softmax(np.float32([[0.0, 0.0]])).tolist()
    [[0.5, 0.5]]
    """
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True), np.float32)


def mean_look(looks: Sequence[DieLook]) -> DieLook:
    """Return what several looks at one die say together: the mean of their chances."""
    embedding = np.mean([look.embedding for look in looks], axis=0)
    kinds, d20, d6, rugen = (
        np.asarray(np.mean([getattr(look, name) for look in looks], axis=0), np.float32)
        for name in ("kinds", "d20", "d6", "rugen")
    )
    length = max(1e-6, float(np.linalg.norm(embedding)))
    return DieLook(kinds, d20, d6, rugen, np.asarray(embedding / length, np.float32))


def _look(heads: Mapping[str, Chances], embedding: NDArray[np.float32], row: int) -> DieLook:
    kinds, d20, d6, rugen = (heads[name][row] for name in _HEADS[:4])
    return DieLook(kinds, d20, d6, rugen, embedding[row])


def calibration_of(card: Mapping[str, Any]) -> Calibration:
    """Return the calibration that `dice.json` holds."""
    temperature = card.get("temperature", {})
    if not isinstance(temperature, Mapping):
        temperature = dict.fromkeys(_HEADS[:4], float(temperature))
    thresholds = card.get("thresholds", {})
    return Calibration(
        {name: float(value) for name, value in temperature.items()},
        {kind: float(thresholds.get(kind, {}).get("face", 0.9)) for kind in ("d20", "rugen", "d6")},
        {kind: float(thresholds.get(kind, {}).get("kind", 0.8)) for kind in ("d20", "rugen", "d6")},
    )


def has_network() -> bool:
    """Return whether this installation has the network that reads dice, and the one that finds them."""
    models = resources.files(__package__).joinpath("models")
    return all(models.joinpath(name).is_file() for name in ("dice.onnx", "dice.json", "finder.onnx"))


def _packaged(name: str) -> bytes:
    try:
        return resources.files(__package__).joinpath(f"models/{name}").read_bytes()
    except OSError as error:
        raise NoNetwork(f"The network that reads dice ({name}) is missing. Install the program again.") from error


def _load(model: bytes) -> cv2.dnn.Net:
    try:
        return cv2.dnn.readNetFromONNX(np.frombuffer(model, np.uint8))
    except cv2.error as error:
        raise NoNetwork("The network that reads dice is broken. Install the program again.") from error
