"""Renders samples, trains and exports the off-axis network; every step can be resumed."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import onnx
import torch

from companion.vision.dice.faces.off_axis import OFF_AXIS_OUTPUTS
from tools.training.export import with_float16_weights
from tools.training.samples.fonts import find_fonts
from tools.training.tilt.fit import Shards, fit
from tools.training.tilt.net import SIDE, TiltNet, Verdict
from tools.training.tilt.samples import make_shard, shard_path

_HELD_OUT_SHARDS: Final = 2


@dataclass(frozen=True, slots=True)
class TiltPlan:
    """Settings of one training run.

    Attributes:
        out: folder for the network and its checkpoint; training continues from an existing checkpoint.
        data_dir: folder for the rendered shards.
        minutes: training time without rendering.
        thousands: number of shards of 1,024 pictures to render, 12 seconds each on a slow core.
    """

    out: Path
    data_dir: Path
    minutes: float = 20.0
    seed: int = 1
    thousands: int = 40
    threads: int = 1


def train_tilt(plan: TiltPlan, log: Callable[[str], None]) -> None:
    """Train, and write aside.pt and aside.onnx to the plan's ``out`` folder."""
    torch.set_num_threads(plan.threads)
    cv2.setNumThreads(1)
    for folder in (plan.out, plan.data_dir):
        folder.mkdir(parents=True, exist_ok=True)
    fonts, paths = find_fonts(), {}
    for split, count in (("held", _HELD_OUT_SHARDS), ("train", plan.thousands)):
        paths[split] = [
            make_shard(shard_path(plan.data_dir, split, plan.seed, number), split, plan.seed, number, fonts)  # type: ignore[arg-type]
            for number in range(count)
        ]
        log(f"{count} thousand pictures painted: {split}")
    train, held = Shards.load(paths["train"]), Shards.load(paths["held"])
    export_tilt(fit(train, held, plan.out / "aside.pt", 60 * plan.minutes, plan.seed, log), plan.out / "aside.onnx")


def export_tilt(model: TiltNet, path: Path) -> None:
    """Write the network as ONNX with float16 weights."""
    torch.onnx.export(
        Verdict(model).eval(), (torch.zeros(1, 3, SIDE, SIDE),), str(path),
        input_names=["crop"], output_names=list(OFF_AXIS_OUTPUTS),
        dynamic_axes={name: {0: "n"} for name in ("crop", *OFF_AXIS_OUTPUTS)}, opset_version=13, dynamo=False,
    )  # fmt: skip
    onnx.save(with_float16_weights(onnx.load(str(path))), str(path))
