"""Training: samples in, networks out; and the number reader's fingerprint, fitted after that."""

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

_BATCHES: Final = {"cpu": 96, "cuda": 768}
_PEAK: Final = 2.5e-3
_WITHOUT_NORMS: Final = 0.3
"""By what steps are smaller where batch norms are folded into the convolutions."""
_WARM_UP: Final = 0.03  # share of the steps
_KEPT_S: Final = 45.0


@dataclass(frozen=True, slots=True)
class Progress:
    """How far training is: share of the time (0 to 1), samples seen, smoothed loss and share of right values."""

    done: float
    seen: int
    loss: float
    right: float


class Learner:
    """One network on its way.

    Args:
        start: weights to continue from (see `take_up`); those of a finished network learn in smaller steps.
        batch: samples of one step; 0 for what suits the device.
    """

    def __init__(
        self, task: Task, device: torch.device, *, peak: float = _PEAK, start: Path | None = None, batch: int = 0
    ) -> None:
        self.task, self.device, self.peak, self.batch = task, device, peak, batch or _BATCHES[device.type]
        self.model = task.network().to(device, memory_format=torch.channels_last)
        if start is not None:
            load_weights(self.model, start)
        if not any(isinstance(module, nn.BatchNorm2d) for module in self.model.modules()):
            self.peak *= _WITHOUT_NORMS
        # the mean of the last weights reads better than the last
        self.average = torch.optim.swa_utils.AveragedModel(self.model, multi_avg_fn=_ema(), use_buffers=True)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=self.peak, weight_decay=0.02)
        self.steps = self.seen = 0
        self._smooth = torch.zeros(2, device=device)

    def step(self, pool: Pool, rng: BatchRng, done: float) -> None:
        """Learn from one batch; `done` is the share of the time that is over."""
        for group in self.optimizer.param_groups:
            fade = 0.5 + 0.5 * float(np.cos(np.pi * done))
            group["lr"] = self.peak * min(done / _WARM_UP + 0.02, 1.0) * fade + 1e-6
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
        self._smooth = old * self._smooth + (1 - old) * torch.stack([loss.detach(), right.detach()])
        self.steps, self.seen = self.steps + 1, self.seen + len(labels)

    def progress(self, done: float) -> Progress:
        """Return how far it is."""
        loss, right = self._smooth.tolist()
        return Progress(done, self.seen, loss, right)

    def keep(self, path: Path) -> None:
        """Save the weights, all or nothing."""
        part = path.with_suffix(".part")
        torch.save({name: value.cpu() for name, value in self.average.module.state_dict().items()}, part)
        part.replace(path)

    def trained(self) -> nn.Module:
        """Return the network."""
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
    peak: float = _PEAK,
    batch: int = 0,
    start: Mapping[str, Path | None] | None = None,
    keep: Mapping[str, Path] | None = None,
    feed: Callable[[float], None] = lambda done: None,
    report: Callable[[str, Progress], None] = lambda name, progress: None,
) -> dict[str, nn.Module]:
    """Train some networks in turn, for some minutes together, where the pool lies.

    The same seed, samples and number of steps give the same network up to the order of additions; how
    many steps fit into the minutes depends on the machine.

    Args:
        peak: the highest learning rate.
        batch: samples of one step; 0 for what suits the device.
        start: weights to continue from, by network.
        keep: where to save the weights now and then, and at the end.
        feed: called before each step with the share of the time that is over; may add to the pool.
    """
    torch.manual_seed(seed)
    torch.set_num_threads(threads)
    torch.backends.cudnn.benchmark = True  # all batches have one shape
    rng, starts = BatchRng(seed, pool.device), start or {}
    learners = {name: Learner(task, pool.device, peak=peak, start=starts.get(name), batch=batch)
                for name, task in tasks.items()}  # fmt: skip
    begun = kept = time.monotonic()
    done = 0.0
    while done < 1:
        done = min(1.0, (time.monotonic() - begun) / (60 * minutes))
        feed(done)
        for learner in learners.values():
            learner.step(pool, rng, done)
        if next(iter(learners.values())).steps % 50 == 1 or done >= 1:
            for name, learner in learners.items():
                report(name, learner.progress(done))
        if keep and (done >= 1 or time.monotonic() - kept > _KEPT_S):
            kept = time.monotonic()
            for name, path in keep.items():
                learners[name].keep(path)
    return {name: learner.trained() for name, learner in learners.items()}


def load_weights(model: nn.Module, weights: Path) -> tuple[str, ...]:
    """Load the weights of an earlier network, all that fit; return the names of those that stay as they were.

    Args:
        weights: a ``.pt`` of a training, or the ``.onnx`` of a finished network: then, and if that is what the training
            went on from, the model's batch norms are folded into its convolutions (`export.fused`).
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
    """Move each weight towards that of the network that this one's training went on from: less is forgotten.

    Args:
        share: how far, 0 (not at all) to 1.
    """
    old = earlier.state_dict()
    mean = {name: torch.lerp(value, old[name], share) if value.is_floating_point() else value
            for name, value in model.state_dict().items()}  # fmt: skip
    model.load_state_dict(mean)


def fit_embedding(
    model: NumberNet, dice: Iterable[DiePictures], report: Callable[[int], None] = lambda done: None
) -> None:
    """Replace the last layer of the fingerprint by the linear map that tells the faces of a die apart best.

    Then pictures of one face lie close, and others far.
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
