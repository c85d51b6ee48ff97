"""From nothing to the two networks that find the ball in a wheel: paint, train, export."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import torch

from tools.training.wheels.fit import FitPlan, State, fit_ball
from tools.training.wheels.net import BallNet, export_ball
from tools.training.wheels.samples import Kind

KINDS: Final[tuple[Kind, ...]] = ("rest", "still")
_REST_SHARE: Final = 0.55


@dataclass(frozen=True, slots=True)
class WheelPlan:
    """What to train.

    Attributes:
        minutes: of training proper, for both networks together.
        painters: processes that paint rings.
    """

    out: Path
    minutes: float = 60.0
    seed: int = 1
    painters: int = 1


def train_wheel(plan: WheelPlan, tell: Callable[[str], None]) -> None:
    """Carry out the plan: ball-rest.pt and ball-still.pt in its folder."""
    plan.out.mkdir(parents=True, exist_ok=True)
    for kind in KINDS:

        def save(state: State, path: Path = plan.out / f"ball-{kind}.pt") -> None:
            beside = path.with_suffix(".part")
            torch.save(state, beside)
            beside.replace(path)

        share = _REST_SHARE if kind == "rest" else 1 - _REST_SHARE
        fit_ball(FitPlan(kind, 60 * plan.minutes * share, plan.seed, plan.painters), tell, save)


def export_wheel(out: Path) -> None:
    """Write ball_rest.onnx and ball_still.onnx from the weights in a folder."""
    for kind in KINDS:
        model = BallNet(kind)
        model.load_state_dict(torch.load(out / f"ball-{kind}.pt", map_location="cpu"))
        export_ball(model, kind, out / f"ball_{kind}.onnx")
