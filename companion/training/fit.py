"""Training: samples in, a network out. The only place besides `network` and `export` that needs PyTorch."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from queue import Queue
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from companion.training.augment import batch_input, varied
from companion.training.network import HEADS, DiceNet
from companion.training.scenes import KINDS, SIX_OR_NINE, UNREADABLE
from companion.training.shards import Samples

_BATCH: Final = 96
_PEAK: Final = 2.5e-3
_WARM_UP: Final = 0.03  # share of the steps
_SMOOTHING: Final = 0.02
_HEAD_OF_KIND: Final = ("d20", "d6", "rugen")


@dataclass(frozen=True, slots=True)
class Progress:
    """How far training is: share of the time (0 to 1), samples seen, smoothed loss and share of right values."""

    done: float
    seen: int
    loss: float
    right: float


def fit(
    shards: tuple[Samples, ...],
    *,
    minutes: float,
    seed: int,
    threads: int = 1,
    start: Path | None = None,
    keep: Path | None = None,
    tell: Callable[[Progress], None] = lambda progress: None,
) -> DiceNet:
    """Train for some minutes.

    The same seed, samples and number of steps give the same network up to the order of additions; how
    many steps fit into the minutes depends on the machine.

    Args:
        start: weights to go on from.
        keep: where to save the weights now and then, and at the end.
    """
    torch.manual_seed(seed)
    torch.set_num_threads(threads)
    model = DiceNet().to(memory_format=torch.channels_last)
    if start is not None:
        model.load_state_dict(torch.load(start, weights_only=True))
    average = torch.optim.swa_utils.AveragedModel(  # the mean of the last weights reads better than the last
        model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.998), use_buffers=True
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=_PEAK, weight_decay=0.02)
    begun, seen, loss, right = time.monotonic(), 0, 3.0, 0.0
    for step, (pictures, labels) in enumerate(_batches(shards, seed)):
        done = min(1.0, (time.monotonic() - begun) / (60 * minutes))
        for group in optimizer.param_groups:
            group["lr"] = _PEAK * min(done / _WARM_UP + 0.02, 1.0) * (0.5 + 0.5 * float(np.cos(np.pi * done))) + 1e-6
        cost, good = _learn(model, optimizer, pictures, labels)
        average.update_parameters(model)
        seen, loss, right = seen + len(labels), 0.98 * loss + 0.02 * cost, 0.98 * right + 0.02 * good
        if step % 50 == 0:
            tell(Progress(done, seen, loss, right))
        if keep is not None and (step % 1000 == 999 or done >= 1):
            torch.save(average.module.state_dict(), keep)
        if done >= 1:
            break
    trained: DiceNet = average.module
    trained.eval()
    return trained


def _learn(
    model: DiceNet, optimizer: torch.optim.Optimizer, pictures: NDArray[np.float32], labels: NDArray[np.int16]
) -> tuple[float, float]:
    """Take one step; return the loss and the share of right values among the sure ones."""
    model.train()
    inputs = torch.from_numpy(pictures).to(memory_format=torch.channels_last)
    with torch.autocast("cpu", torch.bfloat16):
        outputs = model(inputs)
    loss, right = _loss(model, tuple(output.float() for output in outputs), torch.from_numpy(labels.astype(np.int64)))
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
    optimizer.step()
    return float(loss.detach()), right


def _loss(model: DiceNet, outputs: tuple[Tensor, ...], labels: Tensor) -> tuple[Tensor, float]:
    """The kind's cross-entropy, plus the value's for the samples of each kind."""
    named = dict(zip(HEADS, outputs, strict=False))
    kinds, values, notes = labels[:, 0], labels[:, 1], labels[:, 2]
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
            likeness = 12 * functional.linear(outputs[-1][mine], functional.normalize(model.known.weight, dim=1))
            loss = loss + 0.2 * share * functional.cross_entropy(likeness, wanted)
    return loss, good / max(1, all_sure)


def targets(values: Tensor, notes: Tensor, size: int) -> Tensor:
    """Return what the values' output should be: one-hot, half a 6 and half a 9, or nothing in particular.

    >>> targets(torch.tensor([0, 5, 3]), torch.tensor([0, 1, 2]), 20)[1].nonzero().flatten().tolist()
    [5, 8]
    """
    wanted = functional.one_hot(values.clamp(min=0), size).float()
    wanted = (1 - _SMOOTHING) * wanted + _SMOOTHING / size
    if size == HEADS["d20"]:
        either = torch.zeros(size)
        either[[5, 8]] = 0.5
        wanted[notes == SIX_OR_NINE] = either
    wanted[notes == UNREADABLE] = 1 / size
    return wanted


def _batches(
    shards: tuple[Samples, ...], seed: int
) -> Iterator[tuple[NDArray[np.float32], NDArray[np.int16]]]:  # fmt: skip
    """Yield augmented batches for ever; a thread prepares the next ones meanwhile."""
    ready: Queue[tuple[NDArray[np.float32], NDArray[np.int16]]] = Queue(maxsize=6)
    stop = threading.Event()

    def prepare() -> None:
        for batch in _prepared(shards, np.random.default_rng(seed)):
            ready.put(batch)
            if stop.is_set():
                return

    threading.Thread(target=prepare, name="augment", daemon=True).start()
    try:
        while True:
            yield ready.get()
    finally:
        stop.set()
        while not ready.empty():
            ready.get_nowait()


def _prepared(
    shards: tuple[Samples, ...], rng: np.random.Generator
) -> Iterator[tuple[NDArray[np.float32], NDArray[np.int16]]]:
    everyone = np.array([(number, i) for number, samples in enumerate(shards) for i in range(len(samples))])
    while True:
        order = rng.permutation(everyone)
        for begin in range(0, len(order) - _BATCH + 1, _BATCH):
            some = order[begin : begin + _BATCH]
            crops = [varied(shards[number].images[i], rng) for number, i in some]
            yield batch_input(crops), np.stack([shards[number].labels[i] for number, i in some])
