"""Trains the three bowl networks side by side while new bowls are rendered; saves its state every two minutes."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from math import cos, pi
from pathlib import Path
from typing import Final, Literal

import torch
from torch import Tensor, nn
from torch.optim.swa_utils import get_ema_multi_avg_fn

from tools.training.bowls.casting.develop import augmented
from tools.training.bowls.casting.scenes import Framing, TensorRng
from tools.training.bowls.crops import DieCrops, canvas_tiles, concatenated, random_crops, with_patterns
from tools.training.bowls.losses import Metrics, dice_loss, die_loss, view_loss
from tools.training.bowls.net import export_bowl, export_die, export_view
from tools.training.bowls.part_loader import PartLoader
from tools.training.bowls.render_buffer import RenderBuffer
from tools.training.network import mixed_precision

NetworkName = Literal["die", "dice", "view"]
Log = Callable[[str], None]
_PEAK_LEARNING_RATES: Final[Mapping[NetworkName, float]] = {"die": 1.2e-3, "dice": 1e-3, "view": 2e-3}
_STEP_INTERVALS: Final[Mapping[NetworkName, int]] = {"die": 1, "dice": 4, "view": 8}
"""Each network is trained in every n-th round."""
_WARM_UP_SHARE: Final = 0.04
_MIN_LEARNING_RATE: Final = 1e-6
_FRAMING_SHARES: Final[Mapping[Framing, float]] = {"close": 0.75, "bowl": 0.25}
"""Share of the die crops that are cut from renders of each framing."""
_RENDERING_SHARE: Final = 0.3
"""Share of the training time that is spent on rendering, once the buffers are filled."""
_FILLING_SHARE: Final = 0.1
"""Upper limit for the share of the time that is spent on filling the buffers before the first step."""
_HARD_NEGATIVE_SHARE: Final = 0.3
"""Share of the die crops that are hard negatives: the highest-scoring half of twice as many crops without a die."""
_SAVE_INTERVAL_S: Final = 120.0
_EXPORTERS: Final = {"die": export_die, "dice": export_bowl, "view": export_view}


@dataclass(frozen=True, slots=True)
class BatchSizes:
    """Sizes of the buffers and of one batch.

    Attributes:
        buffer: renders kept of each framing; fewer of whole bowls, see `empty_buffers`.
        first: renders of each framing before the first step.
        scenes: scenes rendered at once.
        crops: die crops for one step.
        tiles: canvas tiles for one step.
        views: whole pictures for one step.
        learning_rate_factor: factor on the learning rates; below 1 for small batches, whose gradients are noisier.
    """

    buffer: int = 30_000
    first: int = 1000
    scenes: int = 64
    crops: int = 2048
    tiles: int = 256
    views: int = 256
    learning_rate_factor: float = 1.0


CPU_BATCH_SIZES: Final = BatchSizes(2000, 150, 6, 128, 24, 24, 0.5)


@dataclass(slots=True)
class TrainingState:
    """One network in training.

    Attributes:
        ema_weights: exponential moving average of the weights; these are exported.
        metrics: losses and accuracies, smoothed for the log.
    """

    name: NetworkName
    model: nn.Module
    optimizer: torch.optim.Optimizer
    ema_weights: dict[str, Tensor]
    steps: int = 0
    metrics: dict[str, float] = field(default_factory=dict)

    @classmethod
    def create(cls, name: NetworkName, model: nn.Module) -> TrainingState:
        optimizer = torch.optim.AdamW(model.parameters(), lr=_PEAK_LEARNING_RATES[name], weight_decay=0.01)
        ema_weights = {key: value.detach().clone() for key, value in model.state_dict().items()}
        return cls(name, model, optimizer, ema_weights)

    def step(self, loss: Tensor, progress: float, learning_rate_factor: float) -> None:
        """Update the weights; ``progress`` is the share of the whole training that is over."""
        schedule = min(1.0, progress / _WARM_UP_SHARE + 0.02) * (0.5 + 0.5 * cos(pi * progress))
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate_factor * _PEAK_LEARNING_RATES[self.name] * schedule + _MIN_LEARNING_RATE
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        for parameter in self.model.parameters():
            if parameter.grad is not None:
                parameter.grad.nan_to_num_(0.0, 0.0, 0.0)
        nn.utils.clip_grad_norm_(self.model.parameters(), 5.0)
        self.optimizer.step()
        self.steps += 1
        decay = min(0.998, (1 + self.steps) / (10 + self.steps))
        weights = self.model.state_dict()
        get_ema_multi_avg_fn(decay)(
            list(self.ema_weights.values()), [weights[key] for key in self.ema_weights], self.steps
        )

    def record(self, metrics: Metrics) -> None:
        """Update the smoothed metrics."""
        for name, metric in metrics.items():
            value = float(metric)
            self.metrics[name] = value if name not in self.metrics else 0.8 * self.metrics[name] + 0.2 * value

    def summary(self) -> str:
        return f"{self.name} {self.steps}: " + " ".join(f"{name} {value:.4f}" for name, value in self.metrics.items())


@dataclass(slots=True)
class Trainer:
    """The networks in training, the renders they learn from, and the time spent on rendering."""

    networks: Mapping[NetworkName, TrainingState]
    loader: PartLoader
    rng: TensorRng
    sizes: BatchSizes
    buffers: dict[Framing, RenderBuffer]
    rendering_s: float = 0.0
    batches_rendered: int = 0

    def run(self, seconds: float, done_s: float, save: Callable[[float], None], log: Log) -> None:
        """Train for ``seconds``, including the ``done_s`` of an earlier, interrupted run."""
        run_start, logged, saved, step = time.monotonic() - done_s, 0.0, done_s, 0
        self._fill_buffers(run_start + done_s + _FILLING_SHARE * seconds, log)
        training_start = time.monotonic()
        while (now := time.monotonic()) - run_start < seconds:
            progress = (now - run_start) / seconds
            if self.rendering_s < _RENDERING_SHARE * (now - training_start):
                framings = list(self.buffers)
                self._render(framings[self.batches_rendered % len(framings)])
            for name, network in self.networks.items():
                if step % _STEP_INTERVALS[name] == 0:
                    self._train_step(network, progress, with_metrics=step % (32 * _STEP_INTERVALS[name]) == 0)
            step += 1
            if now - logged > 10:
                logged = now
                rendered = ", ".join(f"{buffer.count} {framing}" for framing, buffer in self.buffers.items())
                log(f"{progress:.1%} {rendered}; " + "; ".join(each.summary() for each in self.networks.values()))
            if now - run_start - saved > _SAVE_INTERVAL_S:
                saved = now - run_start
                save(saved)
        save(seconds)

    def ema_model(self, name: NetworkName) -> nn.Module:
        """Return a network with its averaged weights, in evaluation mode."""
        network = self.networks[name]
        network.model.load_state_dict(network.ema_weights)
        return network.model.eval()

    def _fill_buffers(self, until: float, log: Log) -> None:
        """Render until every buffer has enough renders for the first step, or until a monotonic time."""
        self.loader.wait(log)
        for framing in self.buffers:
            self._render(framing)
        while time.monotonic() < until and (few := [k for k, s in self.buffers.items() if len(s) < self.sizes.first]):
            for framing in few:
                self._render(framing)
        rendered = ", ".join(f"{len(buffer)} {framing}" for framing, buffer in self.buffers.items())
        log(f"{rendered} pictures after {self.rendering_s:.0f} s")
        self.rendering_s = 0.0

    def _render(self, framing: Framing) -> None:
        self._synchronize()  # queued training steps must not count as rendering time
        run_start = time.monotonic()
        self.loader.refresh()
        self.buffers[framing].add(self.loader.bank, self.rng, self.sizes.scenes)
        self._synchronize()
        self.rendering_s += time.monotonic() - run_start
        self.batches_rendered += 1

    def _synchronize(self) -> None:
        if self.rng.device.type == "cuda":
            torch.cuda.synchronize()

    def _train_step(self, network: TrainingState, progress: float, *, with_metrics: bool) -> None:
        loss_of = {"die": self._die_loss, "dice": self._dice_loss, "view": self._view_loss}[network.name]
        loss, metrics = loss_of(network.model)
        network.step(loss, progress, self.sizes.learning_rate_factor)
        if with_metrics:
            network.record(metrics)

    def _outputs(self, model: nn.Module, inputs: Tensor) -> Tensor:
        with mixed_precision(inputs.device):
            outputs: Tensor = model(inputs.contiguous(memory_format=torch.channels_last))
        return outputs.float()

    def _die_loss(self, model: nn.Module) -> tuple[Tensor, Metrics]:
        with torch.no_grad():
            parts = [
                self._die_crops(model, framing, round(share * self.sizes.crops))
                for framing, share in _FRAMING_SHARES.items()
            ]
            crops = concatenated(parts)
        return die_loss(self._outputs(model, crops.inputs), crops, self.rng.generator)

    def _die_crops(self, model: nn.Module, framing: Framing, count: int) -> DieCrops:
        """Return crops, most of them of dice, the others hard negatives: the harder half of crops without a die."""
        buffer = self.buffers[framing]
        assert buffer.renders is not None
        positives = random_crops(
            buffer.renders, len(buffer), self.rng, count - round(_HARD_NEGATIVE_SHARE * count), 0.9
        )
        negatives = random_crops(buffer.renders, len(buffer), self.rng, 2 * round(_HARD_NEGATIVE_SHARE * count), 0.0)
        negatives = with_patterns(negatives, self.loader.bank, self.rng)
        scores = self._outputs(model, negatives.inputs)[:, 0].masked_fill(negatives.is_die != 0, -torch.inf)
        hardest = scores.topk(round(_HARD_NEGATIVE_SHARE * count)).indices
        return concatenated([positives, negatives[hardest]])

    def _dice_loss(self, model: nn.Module) -> tuple[Tensor, Metrics]:
        with torch.no_grad():
            parts = [
                canvas_tiles(buffer.renders, len(buffer), self.rng, self.sizes.tiles // 2)
                for framing in _FRAMING_SHARES
                if (buffer := self.buffers[framing]).renders is not None
            ]
            tiles = type(parts[0])(*(torch.cat([getattr(part, name) for part in parts]) for name in parts[0].__slots__))
        return dice_loss(self._outputs(model, tiles.inputs), tiles)

    def _view_loss(self, model: nn.Module) -> tuple[Tensor, Metrics]:
        buffer = self.buffers["view"]
        assert buffer.renders is not None
        with torch.no_grad():
            which = self.rng.integers(len(buffer), self.sizes.views)
            picture, inside = buffer.renders.rows(which, "picture", "inside")
            picture = augmented(picture.flip(1).float() / 255, self.rng)
            for axis in (-1, -2):
                if bool(self.rng.bernoulli(0.5)):
                    picture, inside = picture.flip(axis), inside.flip(axis)
            if bool(self.rng.bernoulli(0.5)):
                picture, inside = picture.mT, inside.mT
        return view_loss(self._outputs(model, picture), inside)


def empty_buffers(sizes: BatchSizes, learn: Collection[NetworkName]) -> dict[Framing, RenderBuffer]:
    """Return empty buffers for the framings that the chosen networks learn from."""
    capacities: dict[Framing, int] = {}
    if "die" in learn or "dice" in learn:
        capacities |= {"close": sizes.buffer, "bowl": sizes.buffer * 2 // 3}
    if "view" in learn:
        capacities["view"] = sizes.buffer * 4 if len(learn) == 1 else sizes.buffer // 2  # small pictures
    return {framing: RenderBuffer(framing, capacity) for framing, capacity in capacities.items()}


def export_ema(network: TrainingState, folder: Path) -> None:
    """Write a network's averaged weights as the ONNX file that the table reads."""
    from copy import deepcopy

    model = deepcopy(network.model).cpu().float()
    model.load_state_dict({key: value.cpu() for key, value in network.ema_weights.items()})
    path = folder / f"bowl_{network.name}.onnx"
    _EXPORTERS[network.name](model, path.with_suffix(".part"))
    path.with_suffix(".part").rename(path)
