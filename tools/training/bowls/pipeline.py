"""From nothing to the three networks that read a bowl: render, train, export."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import torch

from tools.training.bowls.dataset import CHUNK, Tell, shots
from tools.training.bowls.fit import Save, State, fit_dice, fit_die, fit_turns, fit_view
from tools.training.bowls.ghosts import ghosts_of
from tools.training.bowls.looks import chance_close, chance_view
from tools.training.bowls.net import export_bowl, export_die, export_view, new_bowl, new_die, new_turns, new_view
from tools.training.samples.fonts import Fonts

MODELS: Final = Path(__file__).parents[3] / "companion/vision/dice/models"
"""The networks for dice on trays, which these go on from."""
_VIEW_SHARE, _FIND_SHARE = 0.12, 0.2  # of the minutes; the rest is for reading a die
_TURNS_SHARE: Final = 0.18  # and how it is turned


@dataclass(frozen=True, slots=True)
class BowlPlan:
    """What to train.

    Attributes:
        pictures: of bowls with dice; half as many of dice close by, and of bowls from farther away.
        minutes: of training proper, of one core.
    """

    out: Path
    data: Path
    minutes: float = 60.0
    seed: int = 1
    pictures: int = 5000


def train_bowl(plan: BowlPlan, fonts: Fonts, tell: Tell) -> None:
    """Carry out the plan: bowl_view.onnx, bowl_dice.onnx and bowl_die.onnx in its folder, and their weights."""
    chunks, half = (range(max(1, -(-count // CHUNK))) for count in (plan.pictures, plan.pictures // 2))
    near = shots(plan.data / "dice", fonts, "train", chunks, tell=tell)
    near += shots(plan.data / "close", fonts, "train", range(1000, 1000 + len(half)), chance_close, tell)
    far = shots(plan.data / "bowls", fonts, "train", half, chance_view, tell)
    plan.out.mkdir(parents=True, exist_ok=True)

    def said(step: str) -> None:
        tell(step, 0, 1)

    def kept(name: str) -> Save:
        def save(state: State) -> None:
            torch.save(state, plan.out / f"bowl-{name}.pt")

        return save

    view = fit_view(new_view(MODELS), far, _VIEW_SHARE * plan.minutes, plan.seed, said)
    kept("view")(view.state_dict())
    export_view(view, plan.out / "bowl_view.onnx")
    dice = fit_dice(new_bowl(MODELS), near, _FIND_SHARE * plan.minutes, plan.seed, said, kept("dice"))
    kept("dice")(dice.state_dict())
    export_bowl(dice, plan.out / "bowl_dice.onnx")
    ghosts = ghosts_of(near, plan.out / "bowl_dice.onnx")
    minutes = (1 - _VIEW_SHARE - _FIND_SHARE - _TURNS_SHARE) * plan.minutes
    die = fit_die(new_die(dice), near, minutes, plan.seed, said, kept("die"), ghosts)
    die = fit_turns(new_turns(die), near, _TURNS_SHARE * plan.minutes, plan.seed, said, kept("die"))
    kept("die")(die.state_dict())
    export_die(die, plan.out / "bowl_die.onnx")
