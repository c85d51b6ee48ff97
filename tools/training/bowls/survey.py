"""Records a trained die network's outputs on fresh bowls with the ground truth, to fit decision limits to."""

import time
from pathlib import Path
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn

from tools.training.bowls.casting.scenes import Bank, TensorRng, random_scenes
from tools.training.bowls.crops import crops_at
from tools.training.bowls.render_buffer import Renders, render_scenes

SIDE: Final = 320
UNKNOWN_TILT_SHARES: Final = (1.0, 1.0, 0.0, 0.0, 0.0)
"""One entry per crop of each die: the probability that the crop's input omits the camera's tilt."""
_CENTER_JITTER, _SIZE_JITTER = 0.03, 0.05  # standard deviations: in die sizes; of the size's logarithm
_MIN_DIE_PX: Final = 33.0
_MIN_VISIBLE_SHARE: Final = 0.12
_TRUTH_FIELDS: Final = ("box", "seen", "value", "flat", "lies", "margin", "gap", "faces", "up")


def survey(
    model: nn.Module, bank: Bank, rng: TensorRng, scenes: int, seconds: float, max_bowls: int
) -> dict[str, np.ndarray]:
    """Return a network's outputs ("said": float16 (dice, crops, 41)), each die's bowl number, and the ground truth.

    An output row is the network's 38 outputs, the crop's rotation (radians) and the two tilt inputs.

    Args:
        scenes: bowls rendered at once.
        seconds: time limit.
        most: maximum number of bowls.
    """
    started, batches, bowls = time.monotonic(), [], 0
    while time.monotonic() - started < seconds and bowls < max_bowls:
        with torch.no_grad():
            renders = render_scenes(random_scenes(bank, rng, scenes, "bowl", SIDE), bank, rng)
            batches.append(_survey_scenes(model, renders, rng, bowls))
        bowls += scenes
    return {name: torch.cat([each[name] for each in batches]).cpu().numpy() for name in batches[0]} if batches else {}


def _survey_scenes(model: nn.Module, renders: Renders, rng: TensorRng, first: int) -> dict[str, Tensor]:
    is_usable = (renders.seen > _MIN_VISIBLE_SHARE) & (renders.box[..., 2] > _MIN_DIE_PX)
    is_usable &= ((renders.box[..., :2] > 0) & (renders.box[..., :2] < SIDE)).all(dim=2)
    which, die = is_usable.nonzero(as_tuple=True)
    box = renders.box[which, die]
    outputs = []
    for unknown_tilt_share in UNKNOWN_TILT_SHARES:
        middle = box[:, :2] + rng.normal(_CENTER_JITTER, len(which), 2) * box[:, 2:]
        size = box[:, 2] * torch.exp(rng.normal(_SIZE_JITTER, len(which)))
        crops = crops_at(renders, which, middle, size, rng, unknown_tilt_share)
        output = model(crops.inputs.contiguous(memory_format=torch.channels_last)).float()
        outputs.append(_with_inputs(output, crops.inputs, crops.rotation))
    truth = {name: getattr(renders, name)[which, die] for name in _TRUTH_FIELDS}
    per_bowl = {name: getattr(renders, name)[which] for name in ("rim", "tilt", "away")}
    return truth | per_bowl | {"bowl": which + first, "said": torch.stack(outputs, dim=1).half()}


def _with_inputs(output: Tensor, inputs: Tensor, rotation: Tensor) -> Tensor:
    """Append the crop's rotation and its two tilt inputs to the outputs."""
    return torch.cat([output, rotation[:, None], inputs[:, 5:, 0, 0]], dim=1)


def save_survey(batches: dict[str, np.ndarray], path: Path) -> None:
    """Write a survey as a compressed ``.npz``, most floats as float16."""
    small = {name: values.astype(np.float16) if values.dtype == np.float32 and name not in ("box", "rim") else values
             for name, values in batches.items()}  # fmt: skip
    with path.with_suffix(".part").open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **small)
    path.with_suffix(".part").rename(path)
