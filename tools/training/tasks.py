"""What each network learns from the stored samples: its crops, and what its outputs should be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from companion.vision.dice.faces.upright import AT_SCALE, NUMBER_CLASSES, UP_BINS
from tools.training.augment import batch_input, number_input, varied, varied_number
from tools.training.network import HEADS, NUMBER_HEADS, DiceNet, NumberNet
from tools.training.samples.dataset import Samples
from tools.training.samples.scenes import KINDS, SIX_OR_NINE, UNREADABLE

_SMOOTHING: Final = 0.02
_HEAD_OF_KIND: Final = ("d20", "d6", "rugen")
_UP_SPREAD: Final = 0.7  # bins
_LEAN_WEIGHT: Final = 0.5
_LESS_OF: Final = {"none": 0.45, "pips": 0.25, "rugen": 0.7}
"""Shares of samples that the number reader learns from: most of these it need not see often."""

Batch = tuple[NDArray[np.float32], NDArray[np.float32]]


class Task(Protocol):
    """One network's way of learning."""

    def network(self) -> nn.Module:
        """Return a fresh network."""

    def batches(self, shards: tuple[Samples, ...], size: int, rng: np.random.Generator) -> Iterator[Batch]:
        """Yield inputs and labels for ever."""

    def loss(self, model: nn.Module, outputs: tuple[Tensor, ...], labels: Tensor) -> tuple[Tensor, float]:
        """Return what to make smaller, and the share of right values."""


class DiceTask:
    """Labels: kind, value, note, up (-1 without), x, y."""

    def network(self) -> DiceNet:
        return DiceNet()

    def batches(self, shards: tuple[Samples, ...], size: int, rng: np.random.Generator) -> Iterator[Batch]:
        everyone = np.array([(number, i) for number, samples in enumerate(shards) for i in range(len(samples))])
        while True:
            order = rng.permutation(everyone)
            for begin in range(0, len(order) - size + 1, size):
                made = [self._one(shards[number], i, rng) for number, i in order[begin : begin + size]]
                yield batch_input([crop for crop, _ in made]), np.stack([label for _, label in made])

    def _one(self, samples: Samples, i: int, rng: np.random.Generator) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        kind, value, note, _, up, x, y = (float(each) for each in samples.labels[i])
        crop, turn_deg = varied(samples.images[i], rng)
        turn = np.radians(turn_deg)
        at = np.array([x * np.cos(turn) + y * np.sin(turn), y * np.cos(turn) - x * np.sin(turn)]) / 1000
        return crop, np.array([kind, value, note, (up - turn_deg) % 360 if up >= 0 else -1, *at], np.float32)

    def loss(self, model: nn.Module, outputs: tuple[Tensor, ...], labels: Tensor) -> tuple[Tensor, float]:
        """The kind's cross-entropy, plus the value's for the samples of each kind, plus the number's place."""
        named = dict(zip(HEADS, outputs, strict=False))
        kinds, values, notes = labels[:, 0].long(), labels[:, 1].long(), labels[:, 2].long()
        loss = functional.cross_entropy(named["kind"], kinds, label_smoothing=_SMOOTHING)
        good, all_sure = 0, 0
        for name in _HEAD_OF_KIND:
            mine = (kinds == KINDS.index(name)).nonzero()[:, 0]
            if not len(mine):
                continue
            wanted = targets(values[mine], notes[mine], HEADS[name])
            share = len(mine) / len(labels)
            loss = loss + share * functional.cross_entropy(named[name][mine], wanted)
            sure = notes[mine] == 0
            good += int((named[name][mine].argmax(dim=1) == values[mine])[sure].sum())
            all_sure += int(sure.sum())
            if name == "d20":
                loss = loss + 0.2 * share * functional.cross_entropy(_likeness(model, outputs[-1][mine]), wanted)
        return loss + _place_loss(named, labels) + _lean_loss(named["lean"], kinds, notes), good / max(1, all_sure)


def _place_loss(named: dict[str, Tensor], labels: Tensor) -> Tensor:
    """How far off the number's direction and place are, of the samples that have a number."""
    mine = (labels[:, 3] >= 0).nonzero()[:, 0]
    if not len(mine):
        return labels.new_zeros(())
    wanted = directions(labels[mine, 3])
    plain = labels[mine, 2] == SIX_OR_NINE  # stands both ways
    wanted = torch.where(plain[:, None], (wanted + wanted.roll(UP_BINS // 2, dims=1)) / 2, wanted)
    off = functional.smooth_l1_loss(named["at"][mine], AT_SCALE * labels[mine, 4:6])
    return 0.5 * functional.cross_entropy(named["up"][mine], wanted) + 0.5 * off


def _lean_loss(lean: Tensor, kinds: Tensor, notes: Tensor) -> Tensor:
    """Loss of telling leaning dice from flat ones; other objects are ignored."""
    mine = (kinds != KINDS.index("none")).nonzero()[:, 0]
    if not len(mine):
        return lean.new_zeros(())
    return _LEAN_WEIGHT * functional.cross_entropy(lean[mine], (notes[mine] == UNREADABLE).long())


def directions(up_deg: Tensor) -> Tensor:
    """Return chances (N, 36) that are highest at the directions (N,), in degrees.

    >>> int(directions(torch.tensor([91.0]))[0].argmax())
    9
    """
    away = (up_deg[:, None] / (360 / UP_BINS) - torch.arange(UP_BINS)[None] + UP_BINS / 2) % UP_BINS - UP_BINS / 2
    return functional.softmax(-((away / _UP_SPREAD) ** 2) / 2, dim=1)


class NumberTask:
    """Labels: number (0 to 20), Rugen face (-1 elsewhere), note."""

    def network(self) -> NumberNet:
        return NumberNet()

    def batches(self, shards: tuple[Samples, ...], size: int, rng: np.random.Generator) -> Iterator[Batch]:
        share = np.concatenate([_share_of(samples.labels) for samples in shards])
        everyone = np.array([(number, i) for number, samples in enumerate(shards) for i in range(len(samples))])
        while True:
            order = rng.permutation(everyone[rng.random(len(everyone)) < share])
            for begin in range(0, len(order) - size + 1, size):
                made = [self._one(shards[number], i, rng) for number, i in order[begin : begin + size]]
                yield number_input([crop for crop, _ in made]), np.stack([label for _, label in made])

    def _one(self, samples: Samples, i: int, rng: np.random.Generator) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        kind, value, note, _, up, x, y = (int(each) for each in samples.labels[i])
        if up < 0:  # pips, things, leaning dice
            crop, _ = varied_number(samples.images[i], None, (0.0, 0.0), rng)
            return crop, np.array([NUMBER_CLASSES - 1, -1, 0], np.float32)
        turned = up + 180.0 if note == SIX_OR_NINE and rng.random() < 0.5 else float(up)
        crop, is_upright = varied_number(samples.images[i], turned, (x / 1000, y / 1000), rng)
        if not is_upright:
            return crop, np.array([NUMBER_CLASSES - 1, -1, 0], np.float32)
        is_rugen = KINDS[kind] == "rugen"
        return crop, np.array([value // 2 if is_rugen else value, value if is_rugen else -1, note], np.float32)

    def loss(self, model: nn.Module, outputs: tuple[Tensor, ...], labels: Tensor) -> tuple[Tensor, float]:
        """The number's cross-entropy, and the Rugen face's where there is one."""
        numbers, faces, notes = labels[:, 0].long(), labels[:, 1].long(), labels[:, 2].long()
        wanted = targets(numbers, notes, NUMBER_HEADS["number"])
        loss = functional.cross_entropy(outputs[0], wanted)
        loss = loss + 0.2 * functional.cross_entropy(_likeness(model, outputs[-1]), wanted)
        mine = (faces >= 0).nonzero()[:, 0]
        if len(mine):
            share = len(mine) / len(labels)
            loss = loss + share * functional.cross_entropy(outputs[1][mine], faces[mine], label_smoothing=_SMOOTHING)
        there = (numbers < NUMBER_CLASSES - 1) & (notes == 0)
        right = (outputs[0].argmax(dim=1) == numbers)[there]
        return loss, float(right.float().mean()) if len(right) else 0.0


def _share_of(labels: NDArray[np.int16]) -> NDArray[np.float64]:
    """How likely each sample is to be learnt from in one round."""
    share = np.ones(len(labels))
    kinds = labels[:, 0]
    share[kinds == KINDS.index("rugen")] = _LESS_OF["rugen"]
    share[(kinds == KINDS.index("d6")) & (labels[:, 4] < 0)] = _LESS_OF["pips"]
    share[kinds == KINDS.index("none")] = _LESS_OF["none"]
    return share


def _likeness(model: nn.Module, embedding: Tensor) -> Tensor:
    known = model.get_submodule("known").get_parameter("weight")
    return 12 * functional.linear(embedding, functional.normalize(known, dim=1))


def targets(values: Tensor, notes: Tensor, size: int) -> Tensor:
    """Return what the values' output should be: one-hot, half a 6 and half a 9, or nothing in particular.

    >>> targets(torch.tensor([0, 5, 3]), torch.tensor([0, 1, 2]), 20)[1].nonzero().flatten().tolist()
    [5, 8]
    """
    wanted = functional.one_hot(values.clamp(min=0), size).float()
    wanted = (1 - _SMOOTHING) * wanted + _SMOOTHING / size
    if size >= HEADS["d20"]:
        either = torch.zeros(size)
        either[[5, 8]] = 0.5
        wanted[notes == SIX_OR_NINE] = either
    wanted[notes == UNREADABLE] = 1 / size
    return wanted
