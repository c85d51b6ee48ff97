"""Trains a ball network on a ring buffer of strips that worker processes render meanwhile."""

from __future__ import annotations

import multiprocessing as mp
import queue
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.queues import Queue
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from tools.training.wheels.net import CHANNELS, BallNet, example_input, inputs_of
from tools.training.wheels.samples import COLUMNS, HEIGHT, Kind, sample

Log = Callable[[str], None]
State = dict[str, Tensor]
Chunk = tuple[NDArray[np.uint8], NDArray[np.float32]]
_CHUNK_SIZE: Final = 64
_POOL_CAPACITY: Final = 60_000
_MIN_STRIPS: Final = 2_000
_MAX_HELD_OUT: Final = 1_500
_BATCH_SIZE: Final = 128
_PEAK_LEARNING_RATE, _CONTINUED_PEAK_LEARNING_RATE = 4e-3, 1e-3  # of new networks; from earlier weights
_WARM_UP_SHARE: Final = 0.03
_HEAT_SIGMA: Final = 1.0  # cells of two columns
_SAVE_INTERVAL_S: Final = 60.0
_TRANSFER_INTERVAL_S: Final = 0.25
"""Interval at which newly rendered strips are moved to the device."""


@dataclass(frozen=True, slots=True)
class FitPlan:
    """Settings for training one network; ``start`` is an exported network with the initial weights."""

    kind: Kind
    seconds: float
    seed: int
    renderers: int
    start: Path | None = None
    batch: int = _BATCH_SIZE


def fit_ball(plan: FitPlan, log: Log, save: Callable[[State], None]) -> BallNet:
    """Train a network; ``save`` is called with its weights at intervals and at the end."""
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(plan.seed)
    model: BallNet = _initial_model(plan).to(device)
    with _Renderers(plan) as renderers:
        pool = Pool(plan.kind, device)
        held = _held_out(plan, device)
        while pool.size < min(_MIN_STRIPS, 20 * plan.seconds):
            pool.add(renderers.take(wait=True))
        _train(model, pool, renderers, held, plan, log, save)
    return model


def _initial_model(plan: FitPlan) -> BallNet:
    model = BallNet(plan.kind)
    if plan.start is not None:
        from tools.training.export import fuse_batch_norms, load_onnx_weights

        fuse_batch_norms(model)
        load_onnx_weights(model, plan.start, example_input(plan.kind))
    return model


def _train(
    model: BallNet, pool: Pool, renderers: _Renderers, held: tuple[Tensor, Tensor], plan: FitPlan, log: Log,
    save: Callable[[State], None],
) -> None:  # fmt: skip
    peak = _PEAK_LEARNING_RATE if plan.start is None else _CONTINUED_PEAK_LEARNING_RATE
    optimizer = torch.optim.AdamW(model.parameters(), lr=peak, weight_decay=1e-3)
    started = saved = transferred = time.monotonic()
    step, smoothed_loss = 0, 0.0
    while (progress := (time.monotonic() - started) / plan.seconds) < 1:
        rate = min(1.0, progress / _WARM_UP_SHARE) * 0.5 * (1 + np.cos(np.pi * progress))
        for group in optimizer.param_groups:
            group["lr"] = peak * max(rate, 0.004)
        if time.monotonic() - transferred > _TRANSFER_INTERVAL_S:
            transferred = time.monotonic()
            pool.add(renderers.take())
        model.train()
        strips, places = pool.batch(plan.batch)
        loss = heat_loss(model(inputs_of(strips)), places)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        step += 1
        if step % 20 == 0:
            cost = float(loss.detach())
            smoothed_loss = 0.9 * smoothed_loss + 0.1 * cost if smoothed_loss else cost
        if time.monotonic() - saved > min(_SAVE_INTERVAL_S, plan.seconds / 5):
            saved = time.monotonic()
            save({name: value.cpu() for name, value in model.state_dict().items()})
            log(f"{progress:.0%} step {step} painted {pool.painted} cost {smoothed_loss:.4f} {_scores(model, held)}")
    log(f"step {step} painted {pool.painted} cost {smoothed_loss:.4f} {_scores(model, held)}")
    save({name: value.cpu() for name, value in model.state_dict().items()})


def heat_loss(heat: Tensor, places: Tensor) -> Tensor:
    """Return a focal cross-entropy loss of heat maps with a Gaussian target at each ball.

    Args:
        heat: float32 (n, 1, h, w), log-odds.
        places: float32 (n, 2), columns and rows of the balls; negative without a ball.
    """
    logits = heat[:, 0]
    n, high, wide = logits.shape
    at = (places - 0.5) / 2
    xs, ys = torch.arange(wide, device=heat.device), torch.arange(high, device=heat.device)
    dx, dy = xs[None, None] - at[:, 0, None, None], ys[None, :, None] - at[:, 1, None, None]
    target = torch.exp(-(dx**2 + dy**2) / (2 * _HEAT_SIGMA**2)) * (places[:, 1] >= 0)[:, None, None]
    probability = torch.sigmoid(logits)
    cost = functional.binary_cross_entropy_with_logits(logits, target, reduction="none")
    weight = (probability - target).abs() ** 1.5 + 0.02 * target
    return (weight.detach() * cost).sum() / n


def _scores(model: BallNet, held: tuple[Tensor, Tensor]) -> str:
    """Return the number of held-out balls found without a false peak, and with false peaks in 0.5 %, as text."""
    model.eval()
    with torch.no_grad():
        heat = torch.cat([model(inputs_of(part)) for part in held[0].split(250)])[:, 0]
    places = held[1]
    n, _, wide = heat.shape
    peak, where = heat.flatten(1).max(1)
    x = (where % wide) * 2 + 0.5
    has_ball = places[:, 0] >= 0
    right = has_ball & ((x - places[:, 0]).abs() <= 4)
    false_peaks = peak[~right].sort(descending=True).values
    thresholds = [float(false_peaks[min(len(false_peaks) - 1, k)]) for k in (0, max(1, n // 200))]
    logits = [int((right & (peak > cut)).sum()) for cut in thresholds]
    return f"found {logits[0]}/{logits[1]} of {int(has_ball.sum())} above {thresholds[0]:.2f}/{thresholds[1]:.2f}"


def _held_out(plan: FitPlan, device: torch.device) -> tuple[Tensor, Tensor]:
    count = min(_MAX_HELD_OUT, max(64, round(plan.seconds * 4)))
    strips, places = chunk_of(plan.kind, np.random.default_rng([plan.seed, 999]), count)
    return torch.from_numpy(strips).to(device), torch.from_numpy(places).to(device)


class Pool:
    """A ring buffer of the latest strips, on the training device."""

    def __init__(self, kind: Kind, device: torch.device) -> None:
        self._strips = torch.empty((_POOL_CAPACITY, HEIGHT, COLUMNS, CHANNELS[kind]), dtype=torch.uint8, device=device)
        self._places = torch.empty((_POOL_CAPACITY, 2), device=device)
        self._device = device
        self.painted = 0

    @property
    def size(self) -> int:
        """Number of strips held."""
        return min(self.painted, _POOL_CAPACITY)

    def add(self, chunks: list[Chunk]) -> None:
        """Add strips, overwriting the oldest if full."""
        for strips, places in chunks:
            rows = (torch.arange(len(strips), device=self._device) + self.painted) % _POOL_CAPACITY
            self._strips[rows] = torch.from_numpy(strips).to(self._device)
            self._places[rows] = torch.from_numpy(places).to(self._device)
            self.painted += len(strips)

    def batch(self, size: int) -> tuple[Tensor, Tensor]:
        """Return random strips, half of them mirrored, and the positions of their balls."""
        rows = torch.randint(self.size, (size,), device=self._device)
        strips, places = self._strips[rows], self._places[rows].clone()
        half = size // 2
        strips[:half] = strips[:half].flip(2)
        has_ball = places[:half, 0] >= -0.5
        places[:half, 0] = torch.where(has_ball, COLUMNS - 1 - places[:half, 0], places[:half, 0])
        return strips, places


class _Renderers:
    """Processes that render strips until the context is left."""

    def __init__(self, plan: FitPlan) -> None:
        context: Any = mp.get_context("spawn")
        self._queue: Queue[Chunk] = context.Queue(maxsize=64)
        self._processes = [
            context.Process(target=_render, args=(self._queue, plan.kind, plan.seed, k), daemon=True)
            for k in range(plan.renderers)
        ]

    def __enter__(self) -> _Renderers:
        for process in self._processes:
            process.start()
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.join()

    def take(self, *, wait: bool = False) -> list[Chunk]:
        """Return the chunks rendered since the last call.

        Args:
            wait: block until there is at least one.
        """
        chunks = [self._queue.get()] if wait else []
        while True:
            try:
                chunks.append(self._queue.get_nowait())
            except queue.Empty:
                return chunks


def _render(out: Queue[Chunk], kind: Kind, seed: int, number: int) -> None:
    import cv2

    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    rng = np.random.default_rng([seed, number, 17])
    while True:
        out.put(chunk_of(kind, rng, _CHUNK_SIZE))


def chunk_of(kind: Kind, rng: np.random.Generator, count: int) -> Chunk:
    """Render samples: strips uint8 (n, h, w, 3 or 6) and ball positions float32 (n, 2)."""
    made = [sample(kind, rng) for _ in range(count)]
    return np.stack([strip for strip, _ in made]), np.array([at for _, at in made], np.float32)
