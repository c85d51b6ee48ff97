"""Trains the face networks on a sample pool, and fits the number network's embedding afterwards."""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from companion.vision.dice.faces.upright import number_crop
from tools.training.augment import BatchRng, number_input
from tools.training.enrolled_dice import DiePictures, Shot, discriminants
from tools.training.export import example_input, fuse_batch_norms, load_onnx_weights
from tools.training.network import EMBEDDING, NumberNet, mixed_precision
from tools.training.pool import Pool
from tools.training.tasks import Task

_BATCH_SIZES: Final = {"cpu": 96, "cuda": 768}
_PEAK_LEARNING_RATE: Final = 2.5e-3
_FUSED_LEARNING_RATE_FACTOR: Final = 0.3
"""Factor on the learning rate if batch norms are folded into the convolutions."""
_WARM_UP_SHARE: Final = 0.03
_SAVE_INTERVAL_S: Final = 45.0


@dataclass(frozen=True, slots=True)
class Progress:
    """Elapsed share of the time (0 to 1), number of samples seen, smoothed loss and smoothed accuracy."""

    done: float
    seen: int
    loss: float
    right: float


class NetworkTrainer:
    """Trains one network.

    Args:
        start: initial weights (see `load_weights`); those of an exported network get a lower learning rate.
        batch: batch size; 0 for the device's default.
    """

    def __init__(
        self,
        task: Task,
        device: torch.device,
        *,
        peak: float = _PEAK_LEARNING_RATE,
        start: Path | None = None,
        batch: int = 0,
    ) -> None:
        self.task, self.device, self.peak, self.batch = task, device, peak, batch or _BATCH_SIZES[device.type]
        self.model = task.network().to(device, memory_format=torch.channels_last)
        if start is not None:
            load_weights(self.model, start)
        if not any(isinstance(module, nn.BatchNorm2d) for module in self.model.modules()):
            self.peak *= _FUSED_LEARNING_RATE_FACTOR
        # exponential moving average of the weights: it reads better than the last weights
        self.average = torch.optim.swa_utils.AveragedModel(self.model, multi_avg_fn=_ema(), use_buffers=True)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=self.peak, weight_decay=0.02)
        self.steps = self.seen = 0
        self._smoothed = torch.zeros(2, device=device)

    def step(self, pool: Pool, rng: BatchRng, done: float) -> None:
        """Train on one batch; ``done`` is the elapsed share of the time."""
        for group in self.optimizer.param_groups:
            fade = 0.5 + 0.5 * float(np.cos(np.pi * done))
            group["lr"] = self.peak * min(done / _WARM_UP_SHARE + 0.02, 1.0) * fade + 1e-6
        self.model.train()
        inputs, labels = self.task.batch(pool, self.batch, rng)
        with mixed_precision(self.device):
            outputs = self.model(inputs.contiguous(memory_format=torch.channels_last))
        loss, right = self.task.loss(self.model, tuple(output.float() for output in outputs), labels)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 5.0)
        self.optimizer.step()
        self.average.update_parameters(self.model)
        old = 0.98 if self.steps else 0.0
        self._smoothed = old * self._smoothed + (1 - old) * torch.stack([loss.detach(), right.detach()])
        self.steps, self.seen = self.steps + 1, self.seen + len(labels)

    def progress(self, done: float) -> Progress:
        """Return the progress; the smoothed metrics are copied from the device only here."""
        loss, right = self._smoothed.tolist()
        return Progress(done, self.seen, loss, right)

    def keep(self, path: Path) -> None:
        """Save the averaged weights atomically."""
        part = path.with_suffix(".part")
        torch.save({name: value.cpu() for name, value in self.average.module.state_dict().items()}, part)
        part.replace(path)

    def trained(self) -> nn.Module:
        """Return the network with its averaged weights, on the CPU and in evaluation mode."""
        module: nn.Module = self.average.module
        return module.eval().cpu()


def _ema() -> Callable[..., None]:
    averaged: Callable[..., None] = torch.optim.swa_utils.get_ema_multi_avg_fn(0.998)
    return averaged


def fit(
    tasks: Mapping[str, Task],
    pool: Pool,
    *,
    minutes: float,
    seed: int,
    threads: int = 1,
    peak: float = _PEAK_LEARNING_RATE,
    batch: int = 0,
    start: Mapping[str, Path | None] | None = None,
    keep: Mapping[str, Path] | None = None,
    feed: Callable[[float], None] = lambda done: None,
    report: Callable[[str, Progress], None] = lambda name, progress: None,
) -> dict[str, nn.Module]:
    """Train some networks on the pool's device, alternating between them step by step.

    Equal seeds, samples and numbers of steps give equal networks up to rounding; the number of steps depends on the
    machine.

    Args:
        minutes: shared by all networks.
        peak: peak learning rate.
        batch: batch size; 0 for the device's default.
        start: initial weights by network.
        keep: files for regular checkpoints of the weights, by network.
        feed: called before each step with the elapsed share of the time; may add to the pool.
    """
    torch.manual_seed(seed)
    torch.set_num_threads(threads)
    torch.backends.cudnn.benchmark = True  # all batches have one shape
    rng, starts = BatchRng(seed, pool.device), start or {}
    trainers = {name: NetworkTrainer(task, pool.device, peak=peak, start=starts.get(name), batch=batch)
                for name, task in tasks.items()}  # fmt: skip
    started = saved = time.monotonic()
    done = 0.0
    while done < 1:
        done = min(1.0, (time.monotonic() - started) / (60 * minutes))
        feed(done)
        for trainer in trainers.values():
            trainer.step(pool, rng, done)
        if next(iter(trainers.values())).steps % 50 == 1 or done >= 1:
            for name, trainer in trainers.items():
                report(name, trainer.progress(done))
        if keep and (done >= 1 or time.monotonic() - saved > _SAVE_INTERVAL_S):
            saved = time.monotonic()
            for name, path in keep.items():
                trainers[name].keep(path)
    return {name: trainer.trained() for name, trainer in trainers.items()}


def load_weights(model: nn.Module, weights: Path) -> tuple[str, ...]:
    """Load all weights of an earlier network that fit; return the names of the parameters left unchanged.

    Args:
        weights: a checkpoint (``.pt``), or an exported network (``.onnx``). For an exported network, and for a
            checkpoint of a training that started from one, the model's batch norms are first folded into its
            convolutions (`export.fuse_batch_norms`).
    """
    if weights.suffix == ".onnx":
        load_onnx_weights(fuse_batch_norms(model), weights, example_input(model))
        return ()
    earlier = torch.load(weights, weights_only=True)
    if not any("running_mean" in name for name in earlier if name.startswith("body.")):
        fuse_batch_norms(model)
    own = model.state_dict()
    fitting = {name: value for name, value in earlier.items() if name in own and value.shape == own[name].shape}
    model.load_state_dict(own | fitting)
    return tuple(name for name in own if name not in fitting)


def average_weights(model: nn.Module, earlier: nn.Module, share: float) -> None:
    """Average the weights with those that the training started from, so that the network forgets less.

    Args:
        share: weight of the earlier network, 0 to 1.
    """
    old = earlier.state_dict()
    mean = {name: torch.lerp(value, old[name], share) if value.is_floating_point() else value
            for name, value in model.state_dict().items()}  # fmt: skip
    model.load_state_dict(mean)


def fit_embedding(
    model: NumberNet, dice: Iterable[DiePictures], report: Callable[[int], None] = lambda done: None
) -> None:
    """Replace the embedding's linear layer by the linear discriminants of the faces of a die.

    Embeddings of one face are then close together, and those of different faces far apart.
    """
    features, faces, owners = [], [], []
    for number, die in enumerate(dice):
        for value, shots in enumerate(die.pictures):
            features.append(_features(model, shots))
            faces += [value] * len(shots)
            owners += [number] * len(shots)
        report(number + 1)
    matrix, offset = discriminants(np.concatenate(features), np.array(faces), np.array(owners), EMBEDDING)
    embed = cast(nn.Linear, model.embed)
    with torch.no_grad():
        embed.weight.copy_(torch.from_numpy(matrix))
        embed.bias.copy_(torch.from_numpy(offset))


def _features(model: NumberNet, shots: Iterable[Shot]) -> NDArray[np.float32]:
    crops = [number_crop(shot.near, shot.number.up_deg, (shot.number.x, shot.number.y)) for shot in shots]
    with torch.no_grad():
        mixed: torch.Tensor = model.mixed(torch.from_numpy(number_input(crops)))
    return np.asarray(mixed.numpy(), np.float32)
