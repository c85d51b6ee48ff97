"""When may the network's word be taken? Temperatures and thresholds from held-out samples: other fonts, other looks.

The rule is the reader's: the chances of a crop and of its turned copies are averaged, then kind and face must
each be likely enough. A face without a value and a thing that is no die, answered, are wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.rendering.painter import Image
from companion.training.augment import batch_input, plain
from companion.training.scenes import CROP, KINDS, SIX_OR_NINE, SURE, UNREADABLE
from companion.training.shards import Samples

HEADS: Final = ("kind", "d20", "d6", "rugen")
READ: Final = ("d20", "d6", "rugen")
TURNS_DEG: Final = (0.0, 90.0, 180.0, 270.0)
WRONG_ALLOWED: Final = 0.004
"""Share of the answered."""
_BATCH: Final = 32
_WARMTHS: Final = np.geomspace(0.4, 4.0, 40)
_LEAST_FACE: Final = 0.8
_KIND_STEPS: Final = (0.9, 0.95, 0.98, 0.99)

Logits = dict[str, NDArray[np.float32]]


class Network:
    """The exported file, run by OpenCV as the table does."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._nets: dict[int, cv2.dnn.Net] = {}

    def run(self, crops: Sequence[Image]) -> Logits:
        """Return each output for crops, uint8 (96, 96, 3) BGR, with the embedding under its own name."""
        names = (*HEADS, "embedding")
        net = self._nets.get(len(crops))
        if net is None:  # OpenCV plans for one size of batch
            net = self._nets[len(crops)] = cv2.dnn.readNetFromONNX(str(self._path))
        net.setInput(batch_input(list(crops)))
        return {name: np.array(out, np.float32) for name, out in zip(names, net.forward(names), strict=True)}


@dataclass(frozen=True, slots=True)
class Rule:
    """What an answer of one kind must reach."""

    face: float
    kind: float


@dataclass(frozen=True, slots=True, eq=False)
class Chances:
    """Averaged chances of many samples, float (n, outputs) by head, and their labels, int16 (n, 4)."""

    by_head: Mapping[str, NDArray[np.float32]]
    labels: NDArray[np.int16]

    def answers(self, kind: str, rule: Rule) -> NDArray[np.bool_]:
        """Say which samples are answered as this kind."""
        kinds, faces = self.by_head["kind"], self.by_head[kind]
        at = KINDS.index(kind)
        return np.asarray((kinds.argmax(axis=1) == at) & (kinds[:, at] >= rule.kind) & (faces.max(axis=1) >= rule.face))

    def is_right(self, kind: str) -> NDArray[np.bool_]:
        """Say which samples would be right if answered as this kind."""
        right_kind = self.labels[:, 0] == KINDS.index(kind)
        readable = (self.labels[:, 2] == SURE) | (self.labels[:, 2] == SIX_OR_NINE)
        return np.asarray(right_kind & readable & (self.by_head[kind].argmax(axis=1) == self.labels[:, 1]))

    def wanted(self, kind: str) -> NDArray[np.bool_]:
        """Say which samples should be answered as this kind."""
        return np.asarray((self.labels[:, 0] == KINDS.index(kind)) & (self.labels[:, 2] == SURE))


def look_at(
    network: Network,
    shards: Sequence[Samples],
    *,
    turns_deg: Sequence[float] = TURNS_DEG,
    tell: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[list[Logits], NDArray[np.int16]]:
    """Return the outputs for every sample, one set for each turn, and all labels."""
    total = sum(len(samples) for samples in shards)
    seen: list[list[Logits]] = [[] for _ in turns_deg]
    done = 0
    for samples in shards:
        for begin in range(0, len(samples), _BATCH):
            images = samples.images[begin : begin + _BATCH]
            for row, turn_deg in zip(seen, turns_deg, strict=True):
                row.append(network.run([plain(image, turn_deg) for image in images]))
            done += len(images)
            tell(done, total)
    joined = [{name: np.concatenate([part[name] for part in row]) for name in HEADS} for row in seen]
    return joined, np.concatenate([samples.labels for samples in shards])


def temperatures(looks: Sequence[Logits], labels: NDArray[np.int16]) -> dict[str, float]:
    """Return the temperature of each head that makes the sure labels of the samples likeliest."""
    found = {"kind": _warmth([look["kind"] for look in looks], labels[:, 0])}
    for name in READ:
        mine = (labels[:, 0] == KINDS.index(name)) & (labels[:, 2] == SURE)
        found[name] = _warmth([look[name][mine] for look in looks], labels[mine, 1])
    return found


def _warmth(logits: Sequence[NDArray[np.float32]], wanted: NDArray[np.int16]) -> float:
    if not len(wanted):
        return 1.0
    costs = [
        sum(float(-np.log(softmax(part / warmth)[np.arange(len(wanted)), wanted] + 1e-9).mean()) for part in logits)
        for warmth in _WARMTHS
    ]
    return round(float(_WARMTHS[int(np.argmin(costs))]), 3)


def softmax(logits: NDArray[Any]) -> NDArray[np.float32]:
    """Return chances along the last axis.

    >>> softmax(np.array([[0.0, 0.0]])).tolist()
    [[0.5, 0.5]]
    """
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True), np.float32)


def averaged(looks: Sequence[Logits], labels: NDArray[np.int16], warmth: Mapping[str, float]) -> Chances:
    """Return the mean chances over the turned copies."""
    means = {name: np.mean([softmax(look[name] / warmth[name]) for look in looks], axis=0) for name in HEADS}
    return Chances({name: np.asarray(mean, np.float32) for name, mean in means.items()}, labels)


def best_rule(chances: Chances, kind: str, *, allowed: float = WRONG_ALLOWED) -> Rule:
    """Return the rule that answers most with at most that share of wrong ones among its answers.

    Leaning dice are left out: they are far rarer on tables than among samples, and the reader knows them by more
    than the network. The model card tells how many would be answered.
    """
    best, most = Rule(1.0, 1.0), -1
    lies_flat = chances.labels[:, 2] != UNREADABLE
    right, faces = chances.is_right(kind), chances.by_head[kind].max(axis=1)
    for least_kind in _KIND_STEPS:
        mine = np.flatnonzero(lies_flat & chances.answers(kind, Rule(0.0, least_kind)))
        order = mine[np.argsort(-faces[mine], kind="stable")]
        answered = np.arange(1, len(order) + 1)
        fine = np.flatnonzero(np.cumsum(~right[order]) <= allowed * answered)
        if len(fine) and int(answered[fine[-1]]) > most:
            most = int(answered[fine[-1]])
            face = float(np.floor(faces[order[fine[-1]]] * 1e6) / 1e6)
            best = Rule(round(max(face, _LEAST_FACE), 6), least_kind)
    return best


def check_crops() -> list[Image]:
    """Return three crops made by arithmetic alone, to check that a network gives the recorded numbers anywhere."""
    y, x = np.mgrid[0:CROP, 0:CROP]
    return [np.stack([(x * a + y * b) % 256, (x * b) % 256, (y * a) % 256], axis=2).astype(np.uint8)
            for a, b in ((2, 1), (1, 3), (5, 2))]  # fmt: skip


def checksums(network: Network) -> dict[str, list[float]]:
    """Return a few numbers of each output for `check_crops`."""
    outputs = network.run(check_crops())
    return {name: [round(float(value), 4) for value in out[:, :3].ravel()] for name, out in outputs.items()}
