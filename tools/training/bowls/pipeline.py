"""From nothing to the two networks that read a bowl: render, train, export."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import torch

from tools.training.bowls.dataset import CHUNK, Tell, shots
from tools.training.bowls.fit import fit_dice, fit_view
from tools.training.bowls.looks import chance_view
from tools.training.bowls.net import export_bowl, export_view, new_bowl, new_view
from tools.training.samples.fonts import Fonts

MODELS: Final = Path(__file__).parents[3] / "companion/vision/dice/models"
"""The networks for dice on trays, which these go on from."""
_VIEW_SHARE: Final = 0.15  # of the minutes


@dataclass(frozen=True, slots=True)
class BowlPlan:
    """What to train.

    Attributes:
        pictures: of bowls with dice; half as many of bowls from farther away.
        minutes: of training proper, of one core.
    """

    out: Path
    data: Path
    minutes: float = 60.0
    seed: int = 1
    pictures: int = 5000


def train_bowl(plan: BowlPlan, fonts: Fonts, tell: Tell) -> None:
    """Carry out the plan: bowl_view.onnx and bowl_dice.onnx in its folder, and their weights."""
    chunks = range(-(-plan.pictures // CHUNK))
    near = shots(plan.data / "dice", fonts, "train", chunks, tell=tell)
    far = shots(plan.data / "bowls", fonts, "train", range(max(1, len(chunks) // 2)), chance_view, tell)
    plan.out.mkdir(parents=True, exist_ok=True)

    def said(step: str) -> None:
        tell(step, 0, 1)

    view = fit_view(new_view(MODELS), far, _VIEW_SHARE * plan.minutes, plan.seed, said)
    export_view(view, plan.out / "bowl_view.onnx")
    torch.save(view.state_dict(), plan.out / "bowl-view.pt")
    weights = plan.out / "bowl-dice.pt"
    dice = fit_dice(
        new_bowl(MODELS), near, (1 - _VIEW_SHARE) * plan.minutes, plan.seed, said,
        lambda state: torch.save(state, weights),
    )  # fmt: skip
    torch.save(dice.state_dict(), weights)
    export_bowl(dice, plan.out / "bowl_dice.onnx")
