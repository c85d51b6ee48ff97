"""From nothing to the three networks that read a bowl: render, train, export, and write the page about them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import torch

from tools.training.bowls.crops import crops, scenes
from tools.training.bowls.dataset import CHUNK, Tell, shots
from tools.training.bowls.fit import fit_finder, fit_reader, fit_view
from tools.training.bowls.looks import chance_view
from tools.training.bowls.net import export_maps, export_reader, new_finder, new_reader, new_view
from tools.training.samples.fonts import Fonts

MODELS: Final = Path(__file__).parents[3] / "companion/vision/dice/models"
"""The networks for dice on trays, which these go on from."""
_SHARES: Final = (0.25, 0.3, 0.45)  # of the minutes: view, finder, reader


@dataclass(frozen=True, slots=True)
class BowlPlan:
    """What to train.

    Attributes:
        pictures: of dice close by; two thirds as many show a whole bowl.
        minutes: of training proper, of one core.
    """

    out: Path
    data: Path
    minutes: float = 15.0
    seed: int = 1
    pictures: int = 1800


def train_bowl(plan: BowlPlan, fonts: Fonts, tell: Tell) -> None:
    """Carry out the plan: bowl_view.onnx, bowl_finder.onnx and bowl_dice.onnx in its folder, and their weights."""
    chunks = range(-(-plan.pictures // CHUNK))
    near = shots(plan.data / "dice", fonts, "train", chunks, tell=tell)
    far = shots(plan.data / "bowls", fonts, "train", range(max(1, 2 * len(chunks) // 3)), chance_view, tell)
    rng = np.random.default_rng(plan.seed)
    plan.out.mkdir(parents=True, exist_ok=True)
    view, finder, reader = (plan.minutes * share for share in _SHARES)

    def said(step: str) -> None:
        tell(step, 0, 1)

    seen = fit_view(new_view(MODELS), far, view, plan.seed, said)
    export_maps(seen, plan.out / "bowl_view.onnx")
    found = fit_finder(new_finder(MODELS), [s for _ in range(2) for s in scenes(near, rng)], finder, plan.seed, said)
    export_maps(found, plan.out / "bowl_finder.onnx")
    read = fit_reader(new_reader(MODELS), crops(near, rng), reader, plan.seed, said)
    export_reader(read, plan.out / "bowl_dice.onnx")
    for name, model in (("view", seen), ("finder", found), ("dice", read)):
        torch.save(model.state_dict(), plan.out / f"bowl-{name}.pt")
