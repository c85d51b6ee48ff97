"""Renders rings, trains and exports the two networks that find the ball in a wheel."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import torch

from tools.training.wheels.fit import FitPlan, State, fit_ball
from tools.training.wheels.net import export_ball
from tools.training.wheels.samples import Kind

KINDS: Final[tuple[Kind, ...]] = ("rest", "still")
_SHARES: Final[dict[Kind, float]] = {"rest": 0.55, "still": 0.45}


@dataclass(frozen=True, slots=True)
class WheelPlan:
    """Settings of one training run.

    Attributes:
        minutes: training time of all networks together.
        renderers: number of rendering processes.
        start: folder with exported networks to start from.
        learn: the networks to train.
    """

    out: Path
    minutes: float = 60.0
    seed: int = 1
    renderers: int = 1
    start: Path | None = None
    learn: tuple[Kind, ...] = KINDS


def train_wheel(plan: WheelPlan, log: Callable[[str], None]) -> None:
    """Train, and write ball_rest.onnx and ball_still.onnx to the plan's folder, with regular checkpoints (``.pt``)."""
    plan.out.mkdir(parents=True, exist_ok=True)
    for kind in plan.learn:

        def save(state: State, path: Path = plan.out / f"ball-{kind}.pt") -> None:
            beside = path.with_suffix(".part")
            torch.save(state, beside)
            beside.replace(path)

        start = None if plan.start is None else plan.start / f"ball_{kind}.onnx"
        seconds = 60 * plan.minutes * _SHARES[kind] / sum(_SHARES[each] for each in plan.learn)
        model = fit_ball(FitPlan(kind, seconds, plan.seed, plan.renderers, start), log, save)
        export_ball(model, kind, plan.out / f"ball_{kind}.onnx")
