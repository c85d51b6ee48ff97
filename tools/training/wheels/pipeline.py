"""From nothing to the two networks that find the ball in a wheel: paint, train, export."""

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
    """What to train.

    Attributes:
        minutes: of training proper, for the networks together.
        painters: processes that paint rings.
        start: a folder with earlier networks to go on from.
        learn: which of the networks.
    """

    out: Path
    minutes: float = 60.0
    seed: int = 1
    painters: int = 1
    start: Path | None = None
    learn: tuple[Kind, ...] = KINDS


def train_wheel(plan: WheelPlan, tell: Callable[[str], None]) -> None:
    """Carry out the plan: ball_rest.onnx and ball_still.onnx in its folder; what is stopped leaves some weights."""
    plan.out.mkdir(parents=True, exist_ok=True)
    for kind in plan.learn:

        def save(state: State, path: Path = plan.out / f"ball-{kind}.pt") -> None:
            beside = path.with_suffix(".part")
            torch.save(state, beside)
            beside.replace(path)

        start = None if plan.start is None else plan.start / f"ball_{kind}.onnx"
        seconds = 60 * plan.minutes * _SHARES[kind] / sum(_SHARES[each] for each in plan.learn)
        model = fit_ball(FitPlan(kind, seconds, plan.seed, plan.painters, start), tell, save)
        export_ball(model, kind, plan.out / f"ball_{kind}.onnx")
