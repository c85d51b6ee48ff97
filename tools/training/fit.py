"""Training: samples in, a network out; and the number reader's fingerprint, fitted after that."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from queue import Queue
from typing import Final, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from companion.vision.dice.faces.upright import number_crop
from tools.training.augment import number_input
from tools.training.network import EMBEDDING, NumberNet
from tools.training.own_dice import OwnDie, Shot, telling_apart
from tools.training.samples.dataset import Samples
from tools.training.tasks import Batch, Task

_BATCH: Final = 96
_PEAK: Final = 2.5e-3
_WARM_UP: Final = 0.03  # share of the steps


@dataclass(frozen=True, slots=True)
class Progress:
    """How far training is: share of the time (0 to 1), samples seen, smoothed loss and share of right values."""

    done: float
    seen: int
    loss: float
    right: float


def fit(
    task: Task,
    shards: tuple[Samples, ...],
    *,
    minutes: float,
    seed: int,
    threads: int = 1,
    peak: float = _PEAK,
    start: Path | None = None,
    keep: Path | None = None,
    tell: Callable[[Progress], None] = lambda progress: None,
) -> nn.Module:
    """Train for some minutes.

    The same seed, samples and number of steps give the same network up to the order of additions; how
    many steps fit into the minutes depends on the machine.

    Args:
        peak: the highest learning rate.
        start: weights to continue from; what does not fit this network's shape begins again.
        keep: where to save the weights now and then, and at the end.
    """
    torch.manual_seed(seed)
    torch.set_num_threads(threads)
    model = task.network().to(memory_format=torch.channels_last)
    if start is not None:
        take_up(model, start)
    average = torch.optim.swa_utils.AveragedModel(  # the mean of the last weights reads better than the last
        model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.998), use_buffers=True
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=peak, weight_decay=0.02)
    begun, seen, loss, right = time.monotonic(), 0, 0.0, 0.0
    for step, batch in enumerate(_ahead(task.batches(shards, _BATCH, np.random.default_rng(seed)))):
        done = min(1.0, (time.monotonic() - begun) / (60 * minutes))
        for group in optimizer.param_groups:
            group["lr"] = peak * min(done / _WARM_UP + 0.02, 1.0) * (0.5 + 0.5 * float(np.cos(np.pi * done))) + 1e-6
        cost, good = _learn(task, model, optimizer, batch)
        average.update_parameters(model)
        old = 0.98 if step else 0.0
        seen, loss, right = seen + len(batch[1]), old * loss + (1 - old) * cost, old * right + (1 - old) * good
        if step % 50 == 0 or done >= 1:
            tell(Progress(done, seen, loss, right))
        if keep is not None and (step % 1000 == 999 or done >= 1):
            torch.save(average.module.state_dict(), keep)
        if done >= 1:
            break
    trained: nn.Module = average.module
    trained.eval()
    return trained


def take_up(model: nn.Module, weights: Path) -> tuple[str, ...]:
    """Load the weights of an earlier network, all that fit; return the names of those that stay as they were."""
    earlier, own = torch.load(weights, weights_only=True), model.state_dict()
    fitting = {name: value for name, value in earlier.items() if name in own and value.shape == own[name].shape}
    model.load_state_dict(own | fitting)
    return tuple(name for name in own if name not in fitting)


def _learn(task: Task, model: nn.Module, optimizer: torch.optim.Optimizer, batch: Batch) -> tuple[float, float]:
    """Take one step; return the loss and the share of right values among the sure ones."""
    model.train()
    inputs = torch.from_numpy(batch[0]).to(memory_format=torch.channels_last)
    with torch.autocast("cpu", torch.bfloat16):
        outputs = model(inputs)
    loss, right = task.loss(model, tuple(output.float() for output in outputs), torch.from_numpy(batch[1]))
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
    optimizer.step()
    return float(loss.detach()), right


def _ahead(batches: Iterator[Batch]) -> Iterator[Batch]:
    """Yield the same batches; a thread prepares the next ones meanwhile."""
    ready: Queue[Batch] = Queue(maxsize=6)
    stop = threading.Event()

    def prepare() -> None:
        for batch in batches:
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


def fit_embedding(model: NumberNet, dice: Iterable[OwnDie], tell: Callable[[int], None] = lambda done: None) -> None:
    """Replace the last layer of the fingerprint by the linear map that tells the faces of a die apart best.

    Then pictures of one face lie close, and others far.
    """
    features, faces, owners = [], [], []
    for number, die in enumerate(dice):
        for value, shots in enumerate(die.pictures):
            features.append(_features(model, shots))
            faces += [value] * len(shots)
            owners += [number] * len(shots)
        tell(number + 1)
    matrix, offset = telling_apart(np.concatenate(features), np.array(faces), np.array(owners), EMBEDDING)
    embed = cast(nn.Linear, model.embed)
    with torch.no_grad():
        embed.weight.copy_(torch.from_numpy(matrix))
        embed.bias.copy_(torch.from_numpy(offset))


def _features(model: NumberNet, shots: Iterable[Shot]) -> NDArray[np.float32]:
    crops = [number_crop(shot.near, shot.number.up_deg, (shot.number.x, shot.number.y)) for shot in shots]
    with torch.no_grad():
        mixed: torch.Tensor = model.mixed(torch.from_numpy(number_input(crops)))
    return np.asarray(mixed.numpy(), np.float32)
