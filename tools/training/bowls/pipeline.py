"""Renders bowls, trains the three bowl networks and exports them; resumes an interrupted training."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import torch

from tools.training.bowls.casting.scenes import TensorRng
from tools.training.bowls.net import example_input, untrained
from tools.training.bowls.part_loader import PartLoader
from tools.training.bowls.survey import save_survey, survey
from tools.training.bowls.trainer import (
    CPU_BATCH_SIZES,
    BatchSizes,
    NetworkName,
    Trainer,
    TrainingState,
    empty_buffers,
    export_ema,
)
from tools.training.export import load_onnx_weights

MODELS: Final = Path(__file__).parents[3] / "companion/games/chinchirorin/camera/models"
"""The networks shipped with the program."""
ALL: Final[tuple[NetworkName, ...]] = ("die", "dice", "view")
_STATE: Final = "bowl.pt"
_MAX_SURVEYED_BOWLS: Final = 5000


@dataclass(frozen=True, slots=True)
class BowlPlan:
    """Settings of one training run.

    Attributes:
        out: folder for the networks.
        data: folder for the parts that bowls are assembled from, and for the training state.
        start: folder with the networks to start from; the shipped ones by default.
        learn: the networks to train.
        fonts: folders of fonts; the installed ones if empty.
        device: the PyTorch device; chosen automatically if empty.
        sizes: batch sizes; chosen by device if None.
        survey_s: seconds spent on `bowl_survey.npz` after the training; 0 for no survey.
    """

    out: Path
    data: Path
    minutes: float = 60.0
    seed: int = 1
    workers: int = 1
    start: Path = MODELS
    learn: tuple[NetworkName, ...] = ALL
    fonts: tuple[Path, ...] = ()
    device: str = ""
    sizes: BatchSizes | None = None
    survey_s: float = 0.0


def train_bowl(plan: BowlPlan, log: Callable[[str], None]) -> None:
    """Train, and write ``bowl_NAME.onnx`` for each trained network to the plan's ``out`` folder.

    The files are also written every two minutes, so an interrupted run leaves usable networks.
    """
    device = torch.device(plan.device or ("cuda" if torch.cuda.is_available() else "cpu"))
    plan.out.mkdir(parents=True, exist_ok=True)
    loader = PartLoader(plan.data, device)
    loader.start(plan.workers, plan.fonts)
    torch.manual_seed(plan.seed)
    torch.backends.cudnn.benchmark = True
    networks = {name: TrainingState.create(name, model.to(device, memory_format=torch.channels_last).train())
              for name, model in _started_models(plan).items()}  # fmt: skip
    done_s = _restore(plan.data / _STATE, networks, device)
    sizes = plan.sizes or (BatchSizes() if device.type == "cuda" else CPU_BATCH_SIZES)
    rng = TensorRng(torch.Generator(device).manual_seed(plan.seed + round(done_s)))
    trainer = Trainer(networks, loader, rng, sizes, empty_buffers(sizes, plan.learn))

    def save(seconds: float) -> None:
        for network in networks.values():
            export_ema(network, plan.out)
        state = {name: (network.model.state_dict(), network.optimizer.state_dict(), network.ema_weights, network.steps)
                 for name, network in networks.items()}  # fmt: skip
        unfinished = plan.data / f"{_STATE}.part"
        torch.save({"seconds": seconds, "pupils": state}, unfinished)
        os.replace(unfinished, plan.data / _STATE)

    try:
        trainer.run(60 * plan.minutes, done_s, save, log)
        if plan.survey_s:
            found = survey(trainer.ema_model("die"), loader.bank, rng, sizes.scenes, plan.survey_s, _MAX_SURVEYED_BOWLS)
            save_survey(found, plan.out / "bowl_survey.npz")
            log(f"{len(found.get('bowl', ()))} dice surveyed")
    finally:
        loader.stop()


def _restore(path: Path, networks: dict[NetworkName, TrainingState], device: torch.device) -> float:
    """Restore the state of an interrupted training, if any; return the seconds that it had trained."""
    if not path.exists():
        return 0.0
    checkpoint = torch.load(path, map_location=device, weights_only=True)
    for name, (weights, optimizer, ema_weights, steps) in checkpoint["pupils"].items():
        network = networks[name]
        network.model.load_state_dict(weights)
        network.optimizer.load_state_dict(optimizer)
        network.ema_weights, network.steps = ema_weights, steps
    return float(checkpoint["seconds"])


def _started_models(plan: BowlPlan) -> dict[NetworkName, torch.nn.Module]:
    models = {name: untrained(name) for name in plan.learn}
    for name, model in models.items():
        load_onnx_weights(model, plan.start / f"bowl_{name}.onnx", example_input(name))
    return models
