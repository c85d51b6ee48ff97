"""The training tasks of the face networks: their input crops, labels and losses."""

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
_UP_SIGMA_BINS: Final = 0.7
_LEAN_WEIGHT: Final = 0.5
_NUMBER_SAMPLING_WEIGHTS: Final = {"none": 0.45, "pips": 0.25, "rugen": 0.7}
"""Sampling weights of the number network's samples, 1 for all others."""
_EASY_SAMPLING_WEIGHT: Final = 0.5
"""Sampling weight of the whole-die network's samples, 1 for d6 with numerals or a one, which it doubts most."""

Batch = tuple[Tensor, Tensor]


class Task(Protocol):
    """How to train one network."""

    def network(self) -> nn.Module:
        """Return an untrained network."""

    def batch(self, pool: Pool, size: int, rng: BatchRng) -> Batch:
        """Return the inputs and labels of a random batch."""

    def loss(self, model: nn.Module, outputs: tuple[Tensor, ...], labels: Tensor) -> tuple[Tensor, Tensor]:
        """Return the loss and the accuracy."""


class DiceTask:
    """Trains `DiceNet`. Labels float (n, 6): kind, value, note, up (-1 without a number), x, y."""

    def network(self) -> DiceNet:
        return DiceNet()

    def batch(self, pool: Pool, size: int, rng: BatchRng) -> Batch:
        rows = _draw_rows(pool, size, rng, _dice_sampling_weights)
        return whole_batch(pool.images[rows], pool.labels[rows], rng)

    def loss(self, model: nn.Module, outputs: tuple[Tensor, ...], labels: Tensor) -> tuple[Tensor, Tensor]:
        """Cross-entropy of kind and of value given the kind, plus losses of the number's position and of leaning."""
        by_head = dict(zip(HEADS, outputs, strict=False))
        kinds, values, notes = labels[:, 0].long(), labels[:, 1].long(), labels[:, 2].long()
        loss = functional.cross_entropy(by_head["kind"], kinds, label_smoothing=_SMOOTHING)
        right, all_sure = labels.new_zeros(()), labels.new_zeros(())
        for name in _HEAD_OF_KIND:
            mask = ((kinds == KINDS.index(name)) & (notes != UNKNOWN)).float()
            expected = targets(values.clamp(0, HEADS[name] - 1), notes, HEADS[name])
            cost = functional.cross_entropy(by_head[name], expected, reduction="none")
            loss = loss + (cost * mask).mean()
            sure = mask * (notes == 0)
            right = right + ((by_head[name].argmax(dim=1) == values) * sure).sum()
            all_sure = all_sure + sure.sum()
            if name == "d20":
                embedding_loss = functional.cross_entropy(
                    _class_similarity(model, outputs[-1]), expected, reduction="none"
                )
                loss = loss + 0.2 * (embedding_loss * mask).mean()
        loss = loss + _number_position_loss(by_head, labels) + _lean_loss(by_head["lean"], kinds, notes)
        return loss, right / all_sure.clamp(min=1)


def _number_position_loss(by_head: dict[str, Tensor], labels: Tensor) -> Tensor:
    """Loss of the number's direction and position, over the samples with a number."""
    mask = (labels[:, 3] >= 0).float()
    expected = directions(labels[:, 3])
    plain = labels[:, 2] == SIX_OR_NINE  # may be read either way up
    expected = torch.where(plain[:, None], (expected + expected.roll(UP_BINS // 2, dims=1)) / 2, expected)
    off = functional.smooth_l1_loss(by_head["at"], AT_SCALE * labels[:, 4:6], reduction="none").mean(dim=1)
    cost = functional.cross_entropy(by_head["up"], expected, reduction="none") + off
    return 0.5 * (cost * mask).sum() / mask.sum().clamp(min=1)


def _lean_loss(lean: Tensor, kinds: Tensor, notes: Tensor) -> Tensor:
    """Cross-entropy of leaning against flat dice; other objects are ignored."""
    mask = ((kinds != KINDS.index("none")) & (notes != UNKNOWN)).float()
    cost = functional.cross_entropy(lean, (notes == UNREADABLE).long(), reduction="none")
    return _LEAN_WEIGHT * (cost * mask).sum() / mask.sum().clamp(min=1)


def directions(up_deg: Tensor) -> Tensor:
    """Return soft direction labels (N, 36), probabilities that peak at the directions (N,), in degrees.

    >>> int(directions(torch.tensor([91.0]))[0].argmax())
    9
    """
    bins = torch.arange(UP_BINS, device=up_deg.device)
    away = (up_deg[:, None] / (360 / UP_BINS) - bins + UP_BINS / 2) % UP_BINS - UP_BINS / 2
    return functional.softmax(-((away / _UP_SIGMA_BINS) ** 2) / 2, dim=1)


class NumberTask:
    """Trains `NumberNet`. Labels float (n, 3): number (0 to 20), Rugen face (-1 for others), note."""

    def network(self) -> NumberNet:
        return NumberNet()

    def batch(self, pool: Pool, size: int, rng: BatchRng) -> Batch:
        rows = _draw_rows(pool, size, rng, _number_sampling_weights)
        crops, labels, upright = number_batch(pool.images[rows], pool.labels[rows], rng)
        value = labels[:, VALUE]
        is_rugen = labels[:, KIND] == KINDS.index("rugen")
        number = torch.where(is_rugen, (value / 2).floor(), value)
        number = torch.where(upright, number, float(NUMBER_CLASSES - 1))
        face = torch.where(upright & is_rugen, value, -1.0)
        is_plain = upright & (pool.labels[rows, NOTE] == SIX_OR_NINE)
        return crops, torch.stack([number, face, is_plain.float()], 1)

    def loss(self, model: nn.Module, outputs: tuple[Tensor, ...], labels: Tensor) -> tuple[Tensor, Tensor]:
        """Cross-entropy of the number, and of the Rugen face where there is one."""
        numbers, faces, notes = labels[:, 0].long(), labels[:, 1].long(), labels[:, 2].long()
        expected = targets(numbers, notes, NUMBER_HEADS["number"])
        loss = functional.cross_entropy(outputs[0], expected)
        loss = loss + 0.2 * functional.cross_entropy(_class_similarity(model, outputs[-1]), expected)
        mask = (faces >= 0).float()
        cost = functional.cross_entropy(outputs[1], faces.clamp(min=0), label_smoothing=_SMOOTHING, reduction="none")
        loss = loss + (cost * mask).mean()
        has_number = ((numbers < NUMBER_CLASSES - 1) & (notes == 0)).float()
        return loss, ((outputs[0].argmax(dim=1) == numbers) * has_number).sum() / has_number.sum().clamp(min=1)


def _draw_rows(pool: Pool, size: int, rng: BatchRng, weights_of: Callable[[Tensor], Tensor]) -> Tensor:
    """Return rows of the pool, drawn by weight from twice as many uniformly drawn ones."""
    candidates = rng.rows(pool.count, 2 * size)
    return candidates[torch.multinomial(weights_of(pool.labels[candidates]), size, generator=rng.generator)]


def _dice_sampling_weights(labels: Tensor) -> Tensor:
    is_hard = (labels[:, UP] >= 0) | (labels[:, VALUE] == 0)  # with a numeral, or a one
    return torch.where(is_hard & (labels[:, KIND] == KINDS.index("d6")), 1.0, _EASY_SAMPLING_WEIGHT)


def _number_sampling_weights(labels: Tensor) -> Tensor:
    kinds = labels[:, KIND]
    weights = torch.ones(len(labels), device=labels.device)
    weights[kinds == KINDS.index("rugen")] = _NUMBER_SAMPLING_WEIGHTS["rugen"]
    weights[(kinds == KINDS.index("d6")) & (labels[:, UP] < 0)] = _NUMBER_SAMPLING_WEIGHTS["pips"]
    weights[kinds == KINDS.index("none")] = _NUMBER_SAMPLING_WEIGHTS["none"]
    return weights


def _class_similarity(model: nn.Module, embedding: Tensor) -> Tensor:
    known = model.get_submodule("known").get_parameter("weight")
    return 12 * functional.linear(embedding, functional.normalize(known, dim=1))


def targets(values: Tensor, notes: Tensor, size: int) -> Tensor:
    """Return target probabilities of the values (N, size): smoothed one-hot; half 6 and half 9; uniform if unreadable.

    >>> targets(torch.tensor([0, 5, 3]), torch.tensor([0, 1, 2]), 20)[1].nonzero().flatten().tolist()
    [5, 8]
    """
    expected = functional.one_hot(values.clamp(min=0), size).float()
    expected = (1 - _SMOOTHING) * expected + _SMOOTHING / size
    if size >= HEADS["d20"]:
        either = torch.zeros(size, device=values.device)
        either[[5, 8]] = 0.5
        expected[notes == SIX_OR_NINE] = either
    expected[notes == UNREADABLE] = 1 / size
    return expected


TASKS: Final[Mapping[str, type[DiceTask] | type[NumberTask]]] = {"dice": DiceTask, "number": NumberTask}
"""The face networks' tasks by network name."""
