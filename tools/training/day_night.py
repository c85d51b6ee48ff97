"""Trains the day/night network: whether a Rugen die's upper face is a night face, despite a lamp's reflection."""

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
_CROPS_PER_DIE: Final = 3
"""Close crops of each path-traced die."""
_HELD_OUT_FILES: Final = 2
_EVALUATION_BATCH_SIZE: Final = 256


class NoSamples(CompanionError):
    """There are no samples to train on."""


class DayNightNet(nn.Module):
    """Maps crops (n, 3, 96, 96) RGB, 0 to 1, of a day-and-night die in any rotation to log-odds (n, 1) of night.

    Feature maps: 96 x 96 → 48 → 24 → 12 → 6. The crop includes the neighboring faces, for comparison of their colors.
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
    """Trains `DayNightNet`. Labels float (n,): 1 for night, 0 for day."""

    def network(self) -> DayNightNet:
        return DayNightNet()

    def batch(self, pool: Pool, size: int, rng: BatchRng) -> tuple[Tensor, Tensor]:
        rows = rng.rows(pool.count, size)
        crops, labels = whole_batch(pool.images[rows], pool.labels[rows], rng)
        return crops, labels[:, 1] % 2

    def loss(self, model: nn.Module, outputs: tuple[Tensor, ...], labels: Tensor) -> tuple[Tensor, Tensor]:
        del model
        targets = labels * (1 - 2 * _SMOOTHING) + _SMOOTHING
        accuracy = ((outputs[0][:, 0] > 0) == (labels > 0.5)).float().mean()
        return functional.binary_cross_entropy_with_logits(outputs[0][:, 0], targets), accuracy


@dataclass(frozen=True, slots=True)
class DayNightPlan:
    """Settings of one training run.

    Attributes:
        painted: shards of rendered dice.
        traced: files of path-traced pictures, of which the first two are held out.
        start: initial weights.
    """

    out: Path
    minutes: float
    seed: int
    painted: Sequence[Path]
    traced: Sequence[Path]
    threads: int = 1
    start: Path | None = None


def train_day_night(plan: DayNightPlan, report: Report) -> tuple[int, int]:
    """Train, and write daynight.onnx and daynight.pt to the plan's folder.

    Returns:
        Number of correctly classified held-out crops, and number of all.

    Raises:
        NoSamples: there is nothing to train on.
    """
    held, training = plan.traced[:_HELD_OUT_FILES], plan.traced[_HELD_OUT_FILES:]
    pool = pool_of(plan.painted, training, plan.seed)
    plan.out.mkdir(parents=True, exist_ok=True)

    def report_progress(_: str, now: Progress) -> None:
        report(f"Training, loss {now.loss:.3f}", round(1000 * now.done), 1000)

    model = fit({NAME: DayNightTask()}, pool, minutes=plan.minutes, seed=plan.seed, threads=plan.threads,
                start={NAME: plan.start}, keep={NAME: plan.out / "daynight.pt"},
                report=report_progress)[NAME]  # fmt: skip
    export(model, plan.out / "daynight.onnx", DAY_NIGHT_OUTPUTS)
    results = list(predictions_of(model, pool_of((), held, plan.seed), plan.seed))
    return sum((odds > 0) == is_night for odds, is_night in results), len(results)


def pool_of(painted: Sequence[Path], traced: Sequence[Path], seed: int) -> Pool:
    """Return all fully visible day-and-night dice that lie flat, from shards and path-traced files.

    Raises:
        NoSamples: there are none.
    """
    rng = np.random.default_rng([seed, 4713])
    samples_found = [_legible(samples) for path in painted for samples in load_shards((path,))]
    samples_found += [_legible(close_crops(load_parts((path,)), rng, _CROPS_PER_DIE)) for path in traced]
    if not sum(map(len, samples_found)):
        raise NoSamples("There are no Rugen dice yet: `python -m tools.training traced --day-night` makes some.")
    return Pool.of([samples for samples in samples_found if len(samples)])


def _legible(samples: Samples) -> Samples:
    mask = (samples.labels[:, KIND] == KINDS.index("rugen")) & (samples.labels[:, NOTE] == SURE)
    return Samples(np.ascontiguousarray(samples.images[mask]), np.ascontiguousarray(samples.labels[mask]))


def predictions_of(model: nn.Module, pool: Pool, seed: int) -> Iterator[tuple[float, bool]]:
    """Yield the log-odds of night and the truth for one augmented crop of each sample."""
    model.eval()
    rng = BatchRng(seed, pool.device)
    with torch.no_grad():
        for first in range(0, pool.count, _EVALUATION_BATCH_SIZE):
            rows = slice(first, min(pool.count, first + _EVALUATION_BATCH_SIZE))
            crops, labels = whole_batch(pool.images[rows], pool.labels[rows], rng)
            yield from zip(model(crops)[0][:, 0].tolist(), (labels[:, 1] % 2 > 0).tolist(), strict=True)
