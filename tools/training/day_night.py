"""Trains the small network that says whether a Rugen die shows a night face, whatever lamp is mirrored in it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from companion.kernel.errors import CompanionError
from companion.vision.dice.faces.day_night import DAY_NIGHT_OUTPUTS
from tools.training.augment import BatchRng, whole_batch
from tools.training.export import export
from tools.training.fit import Progress, fit
from tools.training.network import Residual
from tools.training.pipeline import Report
from tools.training.pool import KIND, NOTE, Pool
from tools.training.samples.dataset import Samples, load_shards
from tools.training.samples.scenes import KINDS, SURE
from tools.training.traced.bank import load_parts
from tools.training.traced.cuts import close_crops

NAME: Final = "daynight"
_WIDTHS: Final = (24, 40, 64, 96)
_SMOOTHING: Final = 0.004
_EACH: Final = 3
"""Close crops of a path-traced die."""
_HELD: Final = 2
_AT_ONCE: Final = 256


class NoSamples(CompanionError):
    """There is nothing to learn from; the message says what to do."""


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

    def batch(self, pool: Pool, size: int, rng: BatchRng) -> tuple[Tensor, Tensor]:
        rows = rng.rows(pool.count, size)
        crops, labels = whole_batch(pool.images[rows], pool.labels[rows], rng)
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
        traced: parts of path-traced pictures, of which the first two are held out.
        start: weights to continue from.
    """

    out: Path
    minutes: float
    seed: int
    painted: Sequence[Path]
    traced: Sequence[Path]
    threads: int = 1
    start: Path | None = None


def train_day_night(plan: DayNightPlan, report: Report) -> tuple[int, int]:
    """Carry out the plan: daynight.onnx and daynight.pt in its folder; return how many held-out looks are told right.

    Raises:
        NoSamples: there is nothing to learn from.
    """
    held, learnt = plan.traced[:_HELD], plan.traced[_HELD:]
    pool = pool_of(plan.painted, learnt, plan.seed)
    plan.out.mkdir(parents=True, exist_ok=True)

    def told_on(_: str, now: Progress) -> None:
        report(f"Training, loss {now.loss:.3f}", round(1000 * now.done), 1000)

    model = fit({NAME: DayNightTask()}, pool, minutes=plan.minutes, seed=plan.seed, threads=plan.threads,
                start={NAME: plan.start}, keep={NAME: plan.out / "daynight.pt"}, report=told_on)[NAME]  # fmt: skip
    export(model, plan.out / "daynight.onnx", DAY_NIGHT_OUTPUTS)
    told = list(odds_of(model, pool_of((), held, plan.seed), plan.seed))
    return sum((odds > 0) == is_night for odds, is_night in told), len(told)


def pool_of(painted: Sequence[Path], traced: Sequence[Path], seed: int) -> Pool:
    """Return all day-and-night dice that lie flat and whole in some shards and parts.

    Raises:
        NoSamples: there are none.
    """
    rng = np.random.default_rng([seed, 4713])
    found = [_legible(samples) for path in painted for samples in load_shards((path,))]
    found += [_legible(close_crops(load_parts((path,)), rng, _EACH)) for path in traced]
    if not sum(map(len, found)):
        raise NoSamples("There are no Rugen dice yet: `python -m tools.training traced --day-night` makes some.")
    return Pool.of([samples for samples in found if len(samples)])


def _legible(samples: Samples) -> Samples:
    mine = (samples.labels[:, KIND] == KINDS.index("rugen")) & (samples.labels[:, NOTE] == SURE)
    return Samples(np.ascontiguousarray(samples.images[mine]), np.ascontiguousarray(samples.labels[mine]))


def odds_of(model: nn.Module, pool: Pool, seed: int) -> Iterator[tuple[float, bool]]:
    """Yield log-odds of night, and whether it is, for a look at each sample."""
    model.eval()
    rng = BatchRng(seed, pool.device)
    with torch.no_grad():
        for first in range(0, pool.count, _AT_ONCE):
            rows = slice(first, min(pool.count, first + _AT_ONCE))
            crops, labels = whole_batch(pool.images[rows], pool.labels[rows], rng)
            yield from zip(model(crops)[0][:, 0].tolist(), (labels[:, 1] % 2 > 0).tolist(), strict=True)
