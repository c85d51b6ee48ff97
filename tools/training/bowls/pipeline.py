"""From nothing to the three networks that read a bowl: render, train, export; a stopped training goes on."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import torch

from tools.training.bowls.casting.scenes import Chance
from tools.training.bowls.course import SMALL, Course, Load, Name, Pupil, exported, stocks_of
from tools.training.bowls.net import example, fresh
from tools.training.bowls.supply import Supply
from tools.training.bowls.survey import store, surveyed
from tools.training.export import take_up_file

MODELS: Final = Path(__file__).parents[3] / "companion/games/chinchirorin/camera/models"
"""The networks that the table reads with."""
ALL: Final[tuple[Name, ...]] = ("die", "dice", "view")
_STATE: Final = "bowl.pt"
_SURVEYED: Final = 5000
"""Bowls at most."""


@dataclass(frozen=True, slots=True)
class BowlPlan:
    """What to train.

    Attributes:
        out: gets the networks, and what is needed to go on with a stopped training.
        data: gets the parts that bowls are put together from.
        start: a folder with earlier networks to go on from; the table's if not given.
        learn: which of the networks; the others stay as they are.
        fonts: folders of fonts; the machine's if empty.
        survey_s: seconds after the training in which `survey.npz` is made.
    """

    out: Path
    data: Path
    minutes: float = 60.0
    seed: int = 1
    workers: int = 1
    start: Path = MODELS
    learn: tuple[Name, ...] = ALL
    fonts: tuple[Path, ...] = ()
    device: str = ""
    load: Load | None = None
    survey_s: float = 0.0


def train_bowl(plan: BowlPlan, tell: Callable[[str], None]) -> None:
    """Carry out the plan: bowl_view.onnx, bowl_dice.onnx and bowl_die.onnx in its folder, those that it is about.

    They are written every two minutes, too: what is stopped leaves those.
    """
    device = torch.device(plan.device or ("cuda" if torch.cuda.is_available() else "cpu"))
    plan.out.mkdir(parents=True, exist_ok=True)
    supply = Supply(plan.data, device)
    supply.start(plan.workers, plan.fonts)
    torch.manual_seed(plan.seed)
    torch.backends.cudnn.benchmark = True
    pupils = {name: Pupil.of(name, model.to(device, memory_format=torch.channels_last).train())
              for name, model in _models(plan).items()}  # fmt: skip
    done_s = _taken_up(plan.data / _STATE, pupils, device)
    load = plan.load or (Load() if device.type == "cuda" else SMALL)
    chance = Chance(torch.Generator(device).manual_seed(plan.seed + round(done_s)))
    course = Course(pupils, supply, chance, load, stocks_of(load, plan.learn))

    def save(seconds: float) -> None:
        for pupil in pupils.values():
            exported(pupil, plan.out)
        state = {name: (pupil.model.state_dict(), pupil.optimizer.state_dict(), pupil.mean, pupil.steps)
                 for name, pupil in pupils.items()}  # fmt: skip
        unfinished = plan.data / f"{_STATE}.part"
        torch.save({"seconds": seconds, "pupils": state}, unfinished)
        os.replace(unfinished, plan.data / _STATE)

    try:
        course.run(60 * plan.minutes, done_s, save, tell)
        if plan.survey_s:
            found = surveyed(course.graduate("die"), supply.bank, chance, load.scenes, plan.survey_s, _SURVEYED)
            store(found, plan.out / "bowl_survey.npz")
            tell(f"{len(found.get('bowl', ()))} dice surveyed")
    finally:
        supply.stop()


def _taken_up(path: Path, pupils: dict[Name, Pupil], device: torch.device) -> float:
    """Go on from what a stopped training left; return how many seconds it had trained."""
    if not path.exists():
        return 0.0
    kept = torch.load(path, map_location=device, weights_only=True)
    for name, (weights, optimizer, mean, steps) in kept["pupils"].items():
        pupil = pupils[name]
        pupil.model.load_state_dict(weights)
        pupil.optimizer.load_state_dict(optimizer)
        pupil.mean, pupil.steps = mean, steps
    return float(kept["seconds"])


def _models(plan: BowlPlan) -> dict[Name, torch.nn.Module]:
    models = {name: fresh(name) for name in plan.learn}
    for name, model in models.items():
        take_up_file(model, plan.start / f"bowl_{name}.onnx", example(name))
    return models
