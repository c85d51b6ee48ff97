"""Trains a network that finds the ball: other processes paint rings, which it learns from again and again."""

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

Tell = Callable[[str], None]
State = dict[str, Tensor]
Chunk = tuple[NDArray[np.uint8], NDArray[np.float32]]
_CHUNK: Final = 64
_POOL: Final = 60_000
_LEAST: Final = 2_000
_HELD_OUT: Final = 1_500
_BATCH: Final = 128
_PEAK, _PEAK_ON = 4e-3, 1e-3  # the steps' length at most: of new networks, and of those that go on
_WARM_UP: Final = 0.03
_SPREAD: Final = 1.0  # cells of two columns
_SAVE_S: Final = 60.0
_DEVICE_S: Final = 0.25
"""Seconds until the strips that came in are moved to the device."""


@dataclass(frozen=True, slots=True)
class FitPlan:
    """How to train one network; ``start`` is an exported one to go on from."""

    kind: Kind
    seconds: float
    seed: int
    painters: int
    start: Path | None = None
    batch: int = _BATCH


def fit_ball(plan: FitPlan, tell: Tell, save: Callable[[State], None]) -> BallNet:
    """Train a network; ``save`` gets its weights again and again."""
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(plan.seed)
    model: BallNet = _begun(plan).to(device)
    with _Painters(plan) as painters:
        pool = Pool(plan.kind, device)
        held = _held_out(plan, device)
        while pool.size < min(_LEAST, 20 * plan.seconds):
            pool.add(painters.take(wait=True))
        _learn(model, pool, painters, held, plan, tell, save)
    return model


def _begun(plan: FitPlan) -> BallNet:
    model = BallNet(plan.kind)
    if plan.start is not None:
        from tools.training.export import fuse_batch_norms, load_onnx_weights

        fuse_batch_norms(model)
        load_onnx_weights(model, plan.start, example_input(plan.kind))
    return model


def _learn(
    model: BallNet, pool: Pool, painters: _Painters, held: tuple[Tensor, Tensor], plan: FitPlan, tell: Tell,
    save: Callable[[State], None],
) -> None:  # fmt: skip
    peak = _PEAK if plan.start is None else _PEAK_ON
    steps = torch.optim.AdamW(model.parameters(), lr=peak, weight_decay=1e-3)
    begun = saved = taken = time.monotonic()
    step, costs = 0, 0.0
    while (gone := (time.monotonic() - begun) / plan.seconds) < 1:
        rate = min(1.0, gone / _WARM_UP) * 0.5 * (1 + np.cos(np.pi * gone))
        for group in steps.param_groups:
            group["lr"] = peak * max(rate, 0.004)
        if time.monotonic() - taken > _DEVICE_S:
            taken = time.monotonic()
            pool.add(painters.take())
        model.train()
        strips, places = pool.batch(plan.batch)
        loss = heat_loss(model(inputs_of(strips)), places)
        steps.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        steps.step()
        step += 1
        if step % 20 == 0:
            cost = float(loss.detach())
            costs = 0.9 * costs + 0.1 * cost if costs else cost
        if time.monotonic() - saved > min(_SAVE_S, plan.seconds / 5):
            saved = time.monotonic()
            save({name: value.cpu() for name, value in model.state_dict().items()})
            tell(f"{gone:.0%} step {step} painted {pool.painted} cost {costs:.4f} {_scores(model, held)}")
    tell(f"step {step} painted {pool.painted} cost {costs:.4f} {_scores(model, held)}")
    save({name: value.cpu() for name, value in model.state_dict().items()})


def heat_loss(heat: Tensor, places: Tensor) -> Tensor:
    """Return the cost of a heat map: near one where balls are, near nothing elsewhere, hard places counting more.

    Args:
        heat: float32 (n, 1, h, w), log-odds.
        places: float32 (n, 2), columns and rows of balls; negative where none is.
    """
    found = heat[:, 0]
    n, high, wide = found.shape
    at = (places - 0.5) / 2
    xs, ys = torch.arange(wide, device=heat.device), torch.arange(high, device=heat.device)
    dx, dy = xs[None, None] - at[:, 0, None, None], ys[None, :, None] - at[:, 1, None, None]
    wanted = torch.exp(-(dx**2 + dy**2) / (2 * _SPREAD**2)) * (places[:, 1] >= 0)[:, None, None]
    chance = torch.sigmoid(found)
    cost = functional.binary_cross_entropy_with_logits(found, wanted, reduction="none")
    weight = (chance - wanted).abs() ** 1.5 + 0.02 * wanted
    return (weight.detach() * cost).sum() / n


def _scores(model: BallNet, held: tuple[Tensor, Tensor]) -> str:
    """Return how many held-out balls are found at a threshold that hardly any place without one reaches."""
    model.eval()
    with torch.no_grad():
        heat = torch.cat([model(inputs_of(part)) for part in held[0].split(250)])[:, 0]
    places = held[1]
    n, _, wide = heat.shape
    peak, where = heat.flatten(1).max(1)
    x = (where % wide) * 2 + 0.5
    there = places[:, 0] >= 0
    right = there & ((x - places[:, 0]).abs() <= 4)
    bad = peak[~right].sort(descending=True).values
    cuts = [float(bad[min(len(bad) - 1, k)]) for k in (0, max(1, n // 200))]
    found = [int((right & (peak > cut)).sum()) for cut in cuts]
    return f"found {found[0]}/{found[1]} of {int(there.sum())} above {cuts[0]:.2f}/{cuts[1]:.2f}"


def _held_out(plan: FitPlan, device: torch.device) -> tuple[Tensor, Tensor]:
    count = min(_HELD_OUT, max(64, round(plan.seconds * 4)))
    strips, places = chunk_of(plan.kind, np.random.default_rng([plan.seed, 999]), count)
    return torch.from_numpy(strips).to(device), torch.from_numpy(places).to(device)


class Pool:
    """The last strips that were painted, on the device that learns from them."""

    def __init__(self, kind: Kind, device: torch.device) -> None:
        self._strips = torch.empty((_POOL, HEIGHT, COLUMNS, CHANNELS[kind]), dtype=torch.uint8, device=device)
        self._places = torch.empty((_POOL, 2), device=device)
        self._device = device
        self.painted = 0

    @property
    def size(self) -> int:
        """How many strips it holds."""
        return min(self.painted, _POOL)

    def add(self, chunks: list[Chunk]) -> None:
        """Take strips in, over the oldest ones when it is full."""
        for strips, places in chunks:
            rows = (torch.arange(len(strips), device=self._device) + self.painted) % _POOL
            self._strips[rows] = torch.from_numpy(strips).to(self._device)
            self._places[rows] = torch.from_numpy(places).to(self._device)
            self.painted += len(strips)

    def batch(self, size: int) -> tuple[Tensor, Tensor]:
        """Return some strips by chance, half of them mirrored, and where their balls are."""
        rows = torch.randint(self.size, (size,), device=self._device)
        strips, places = self._strips[rows], self._places[rows].clone()
        half = size // 2
        strips[:half] = strips[:half].flip(2)
        there = places[:half, 0] >= -0.5
        places[:half, 0] = torch.where(there, COLUMNS - 1 - places[:half, 0], places[:half, 0])
        return strips, places


class _Painters:
    """Processes that paint strips until they are stopped."""

    def __init__(self, plan: FitPlan) -> None:
        context: Any = mp.get_context("spawn")
        self._queue: Queue[Chunk] = context.Queue(maxsize=64)
        self._processes = [
            context.Process(target=_paint, args=(self._queue, plan.kind, plan.seed, k), daemon=True)
            for k in range(plan.painters)
        ]

    def __enter__(self) -> _Painters:
        for process in self._processes:
            process.start()
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.join()

    def take(self, *, wait: bool = False) -> list[Chunk]:
        """Return what was painted since the last time."""
        chunks = [self._queue.get()] if wait else []
        while True:
            try:
                chunks.append(self._queue.get_nowait())
            except queue.Empty:
                return chunks


def _paint(out: Queue[Chunk], kind: Kind, seed: int, number: int) -> None:
    import cv2

    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    rng = np.random.default_rng([seed, number, 17])
    while True:
        out.put(chunk_of(kind, rng, _CHUNK))


def chunk_of(kind: Kind, rng: np.random.Generator, count: int) -> Chunk:
    """Return some samples: strips uint8 (n, h, w, 3 or 6) and places float32 (n, 2)."""
    made = [sample(kind, rng) for _ in range(count)]
    return np.stack([strip for strip, _ in made]), np.array([at for _, at in made], np.float32)
