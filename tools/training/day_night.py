"""Trains the small network that says whether a day-and-night die shows a night face, whatever lamp is mirrored in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from tools.training.augment import Chance, whole_batch
from tools.training.fit import Progress, fit
from tools.training.network import Residual
from tools.training.pool import Pool
from tools.training.samples.dataset import Samples, load_shards
from tools.training.samples.scenes import KINDS, SURE
from tools.training.traced.bank import load_parts
from tools.training.traced.cuts import close_crops

NAME: Final = "daynight"
_WIDTHS: Final = (24, 40, 64, 96)
_SMOOTHING: Final = 0.01
_EACH: Final = 3
"""Close crops of a path-traced die."""


class DayNightNet(nn.Module):
    """Takes crops (n, 3, 96, 96) RGB, 0 to 1, of a day-and-night die turned anyhow; gives log-odds (n, 1) of night.

    96 x 96 → 48 → 24 → 12 → 6: the upper face in the midst of its neighbours, by whose colors it is told.
    """

    def __init__(self) -> None:
        super().__init__()
        stem, early, middle, late = _WIDTHS
        self.body = nn.Sequential(
            nn.Conv2d(3, stem, 3, 2, 1, bias=False),
            nn.BatchNorm2d(stem),
            nn.ReLU(inplace=True),
            Residual(stem, early, 2),
            Residual(early, middle, 2),
            Residual(middle, middle, 1),
            Residual(middle, late, 2),
        )
        self.pool = nn.Conv2d(late, late, 6, groups=late, bias=False)
        self.mix = nn.Sequential(nn.Linear(2 * late, 64), nn.ReLU(inplace=True), nn.Dropout(0.1), nn.Linear(64, 1))

    def forward(self, x: Tensor) -> tuple[Tensor]:
        seen = self.body(2 * x - 1)
        return (self.mix(torch.cat([self.pool(seen).flatten(1), seen.mean(dim=(2, 3))], dim=1)),)


class DayNightTask:
    """Labels: 1 by night, else 0."""

    def network(self) -> DayNightNet:
        return DayNightNet()

    def batch(self, pool: Pool, size: int, chance: Chance) -> tuple[Tensor, Tensor]:
        rows = chance.rows(pool.count, size)
        crops, labels = whole_batch(pool.images[rows], pool.labels[rows], chance)
        return crops, labels[:, 1] % 2

    def loss(self, model: nn.Module, outputs: tuple[Tensor, ...], labels: Tensor) -> tuple[Tensor, Tensor]:
        del model
        wanted = labels * (1 - 2 * _SMOOTHING) + _SMOOTHING
        right = ((outputs[0][:, 0] > 0) == (labels > 0.5)).float().mean()
        return functional.binary_cross_entropy_with_logits(outputs[0][:, 0], wanted), right


@dataclass(frozen=True, slots=True)
class DayNightPlan:
    """What to learn from, and for how long.

    Attributes:
        painted: shards of painted dice.
        traced: parts of path-traced pictures.
        start: weights to continue from.
    """

    weights: Path
    minutes: float
    seed: int
    painted: Sequence[Path]
    traced: Sequence[Path]
    threads: int = 1
    start: Path | None = None


def train_day_night(plan: DayNightPlan, tell: Callable[[str, Progress], None]) -> nn.Module:
    """Train the network and return it."""
    pool = pool_of(plan.painted, plan.traced, plan.seed)
    learnt = fit({NAME: DayNightTask()}, pool, minutes=plan.minutes, seed=plan.seed, threads=plan.threads,
                 start={NAME: plan.start}, keep={NAME: plan.weights}, tell=tell)  # fmt: skip
    return learnt[NAME]


def pool_of(painted: Sequence[Path], traced: Sequence[Path], seed: int) -> Pool:
    """Return all day-and-night dice that lie flat and whole in some shards and parts."""
    rng = np.random.default_rng([seed, 4713])
    found = [_legible(samples) for path in painted for samples in load_shards((path,))]
    found += [_legible(close_crops(load_parts((path,)), rng, _EACH)) for path in traced]
    return Pool.of([samples for samples in found if len(samples)])


def _legible(samples: Samples) -> Samples:
    mine = (samples.labels[:, 0] == KINDS.index("rugen")) & (samples.labels[:, 2] == SURE)
    return Samples(np.ascontiguousarray(samples.images[mine]), np.ascontiguousarray(samples.labels[mine]))


def chances(model: nn.Module, pool: Pool, seed: int, rounds: int = 1) -> Iterable[tuple[float, int]]:
    """Yield log-odds of night and what is true, for samples as they are learnt from."""
    model.eval()
    chance = Chance(seed, pool.device)
    with torch.no_grad():
        for _ in range(rounds):
            for first in range(0, pool.count, 256):
                rows = slice(first, min(pool.count, first + 256))
                crops, labels = whole_batch(pool.images[rows], pool.labels[rows], chance)
                yield from zip(model(crops)[0][:, 0].tolist(), (labels[:, 1] % 2).int().tolist(), strict=True)
