"""What each network learns from the stored samples: its crops, and what its outputs should be."""

from collections.abc import Callable, Mapping
from typing import Final, Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional

from companion.vision.dice.faces.upright import AT_SCALE, NUMBER_CLASSES, UP_BINS
from tools.training.augment import UNKNOWN, BatchRng, number_batch, whole_batch
from tools.training.network import HEADS, NUMBER_HEADS, DiceNet, NumberNet
from tools.training.pool import KIND, NOTE, UP, VALUE, Pool
from tools.training.samples.scenes import KINDS, SIX_OR_NINE, UNREADABLE

_SMOOTHING: Final = 0.02
_HEAD_OF_KIND: Final = ("d20", "d6", "rugen")
_UP_SPREAD: Final = 0.7  # bins
_LEAN_WEIGHT: Final = 0.5
_LESS_OF: Final = {"none": 0.45, "pips": 0.25, "rugen": 0.7}
"""Shares of samples that the number reader learns from: most of these it need not see often."""
_PLAINER: Final = 0.5
"""How often the reader of whole dice learns from others than d6 with numerals or a one, which it doubts most."""

Batch = tuple[Tensor, Tensor]


class Task(Protocol):
    """One network's way of learning."""

    def network(self) -> nn.Module:
        """Return a fresh network."""

    def batch(self, pool: Pool, size: int, rng: BatchRng) -> Batch:
        """Return inputs and labels."""

    def loss(self, model: nn.Module, outputs: tuple[Tensor, ...], labels: Tensor) -> tuple[Tensor, Tensor]:
        """Return what to make smaller, and the share of right values."""


class DiceTask:
    """Labels: kind, value, note, up (-1 without), x, y."""

    def network(self) -> DiceNet:
        return DiceNet()

    def batch(self, pool: Pool, size: int, rng: BatchRng) -> Batch:
        rows = _rows_of(pool, size, rng, _share_of_whole)
        return whole_batch(pool.images[rows], pool.labels[rows], rng)

    def loss(self, model: nn.Module, outputs: tuple[Tensor, ...], labels: Tensor) -> tuple[Tensor, Tensor]:
        """The kind's cross-entropy, plus the value's for the samples of each kind, plus the number's place."""
        named = dict(zip(HEADS, outputs, strict=False))
        kinds, values, notes = labels[:, 0].long(), labels[:, 1].long(), labels[:, 2].long()
        loss = functional.cross_entropy(named["kind"], kinds, label_smoothing=_SMOOTHING)
        right, all_sure = labels.new_zeros(()), labels.new_zeros(())
        for name in _HEAD_OF_KIND:
            mine = ((kinds == KINDS.index(name)) & (notes != UNKNOWN)).float()
            wanted = targets(values.clamp(0, HEADS[name] - 1), notes, HEADS[name])
            cost = functional.cross_entropy(named[name], wanted, reduction="none")
            loss = loss + (cost * mine).mean()
            sure = mine * (notes == 0)
            right = right + ((named[name].argmax(dim=1) == values) * sure).sum()
            all_sure = all_sure + sure.sum()
            if name == "d20":
                alike = functional.cross_entropy(_likeness(model, outputs[-1]), wanted, reduction="none")
                loss = loss + 0.2 * (alike * mine).mean()
        loss = loss + _place_loss(named, labels) + _lean_loss(named["lean"], kinds, notes)
        return loss, right / all_sure.clamp(min=1)


def _place_loss(named: dict[str, Tensor], labels: Tensor) -> Tensor:
    """How far off the number's direction and place are, of the samples that have a number."""
    mine = (labels[:, 3] >= 0).float()
    wanted = directions(labels[:, 3])
    plain = labels[:, 2] == SIX_OR_NINE  # stands both ways
    wanted = torch.where(plain[:, None], (wanted + wanted.roll(UP_BINS // 2, dims=1)) / 2, wanted)
    off = functional.smooth_l1_loss(named["at"], AT_SCALE * labels[:, 4:6], reduction="none").mean(dim=1)
    cost = functional.cross_entropy(named["up"], wanted, reduction="none") + off
    return 0.5 * (cost * mine).sum() / mine.sum().clamp(min=1)


def _lean_loss(lean: Tensor, kinds: Tensor, notes: Tensor) -> Tensor:
    """Loss of telling leaning dice from flat ones; other objects are ignored."""
    mine = ((kinds != KINDS.index("none")) & (notes != UNKNOWN)).float()
    cost = functional.cross_entropy(lean, (notes == UNREADABLE).long(), reduction="none")
    return _LEAN_WEIGHT * (cost * mine).sum() / mine.sum().clamp(min=1)


def directions(up_deg: Tensor) -> Tensor:
    """Return chances (N, 36) that are highest at the directions (N,), in degrees.

    >>> int(directions(torch.tensor([91.0]))[0].argmax())
    9
    """
    bins = torch.arange(UP_BINS, device=up_deg.device)
    away = (up_deg[:, None] / (360 / UP_BINS) - bins + UP_BINS / 2) % UP_BINS - UP_BINS / 2
    return functional.softmax(-((away / _UP_SPREAD) ** 2) / 2, dim=1)


class NumberTask:
    """Labels: number (0 to 20), Rugen face (-1 elsewhere), note."""

    def network(self) -> NumberNet:
        return NumberNet()

    def batch(self, pool: Pool, size: int, rng: BatchRng) -> Batch:
        rows = _rows_of(pool, size, rng, _share_of_numbers)
        crops, labels, upright = number_batch(pool.images[rows], pool.labels[rows], rng)
        value = labels[:, VALUE]
        is_rugen = labels[:, KIND] == KINDS.index("rugen")
        number = torch.where(is_rugen, (value / 2).floor(), value)
        number = torch.where(upright, number, float(NUMBER_CLASSES - 1))
        face = torch.where(upright & is_rugen, value, -1.0)
        is_plain = upright & (pool.labels[rows, NOTE] == SIX_OR_NINE)
        return crops, torch.stack([number, face, is_plain.float()], 1)

    def loss(self, model: nn.Module, outputs: tuple[Tensor, ...], labels: Tensor) -> tuple[Tensor, Tensor]:
        """The number's cross-entropy, and the Rugen face's where there is one."""
        numbers, faces, notes = labels[:, 0].long(), labels[:, 1].long(), labels[:, 2].long()
        wanted = targets(numbers, notes, NUMBER_HEADS["number"])
        loss = functional.cross_entropy(outputs[0], wanted)
        loss = loss + 0.2 * functional.cross_entropy(_likeness(model, outputs[-1]), wanted)
        mine = (faces >= 0).float()
        cost = functional.cross_entropy(outputs[1], faces.clamp(min=0), label_smoothing=_SMOOTHING, reduction="none")
        loss = loss + (cost * mine).mean()
        there = ((numbers < NUMBER_CLASSES - 1) & (notes == 0)).float()
        return loss, ((outputs[0].argmax(dim=1) == numbers) * there).sum() / there.sum().clamp(min=1)


def _rows_of(pool: Pool, size: int, rng: BatchRng, share_of: Callable[[Tensor], Tensor]) -> Tensor:
    """Choose samples of a pool: of twice as many those that are likelier to be learnt from."""
    some = rng.rows(pool.count, 2 * size)
    return some[torch.multinomial(share_of(pool.labels[some]), size, generator=rng.generator)]


def _share_of_whole(labels: Tensor) -> Tensor:
    is_doubted = (labels[:, UP] >= 0) | (labels[:, VALUE] == 0)  # with numerals, or showing a one
    return torch.where(is_doubted & (labels[:, KIND] == KINDS.index("d6")), 1.0, _PLAINER)


def _share_of_numbers(labels: Tensor) -> Tensor:
    kinds = labels[:, KIND]
    share = torch.ones(len(labels), device=labels.device)
    share[kinds == KINDS.index("rugen")] = _LESS_OF["rugen"]
    share[(kinds == KINDS.index("d6")) & (labels[:, UP] < 0)] = _LESS_OF["pips"]
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
        either = torch.zeros(size, device=values.device)
        either[[5, 8]] = 0.5
        wanted[notes == SIX_OR_NINE] = either
    wanted[notes == UNREADABLE] = 1 / size
    return wanted


TASKS: Final[Mapping[str, type[DiceTask] | type[NumberTask]]] = {"dice": DiceTask, "number": NumberTask}
"""What the networks that read a die learn, by the networks' names."""
