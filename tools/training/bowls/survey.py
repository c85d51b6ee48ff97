"""What a trained network says of the dice of fresh bowls, beside the truth: what decisions are fitted to."""

import time
from pathlib import Path
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn

from tools.training.bowls.casting.scenes import Bank, Chance, chance_scenes
from tools.training.bowls.cuts import closeups_at
from tools.training.bowls.stock import Shots, shots_of

SIDE: Final = 320
LOOKS: Final = (1.0, 1.0, 0.0, 0.0, 0.0)
"""Of each die: whether the camera's tilt is untold."""
_JITTER, _SIZED = 0.03, 0.05
_LEAST_PX: Final = 33.0
_HARDLY: Final = 0.12
_TRUTH: Final = ("box", "seen", "value", "flat", "lies", "margin", "gap", "faces", "up")


def surveyed(
    model: nn.Module, bank: Bank, chance: Chance, scenes: int, seconds: float, most: int
) -> dict[str, np.ndarray]:
    """Return what a network says (dice, looks, 38) of the dice of whole bowls, which bowl's each is, and the truth."""
    begun, found, bowls = time.monotonic(), [], 0
    while time.monotonic() - begun < seconds and bowls < most:
        with torch.no_grad():
            shots = shots_of(chance_scenes(bank, chance, scenes, "bowl", SIDE), bank, chance)
            found.append(_said(model, shots, chance, bowls))
        bowls += scenes
    return {name: torch.cat([each[name] for each in found]).cpu().numpy() for name in found[0]} if found else {}


def _said(model: nn.Module, shots: Shots, chance: Chance, first: int) -> dict[str, Tensor]:
    may = (shots.seen > _HARDLY) & (shots.box[..., 2] > _LEAST_PX)
    may &= ((shots.box[..., :2] > 0) & (shots.box[..., :2] < SIDE)).all(dim=2)
    which, die = may.nonzero(as_tuple=True)
    box = shots.box[which, die]
    said = []
    for untold in LOOKS:
        middle = box[:, :2] + chance.normal(_JITTER, len(which), 2) * box[:, 2:]
        size = box[:, 2] * torch.exp(chance.normal(_SIZED, len(which)))
        ups = closeups_at(shots, which, middle, size, chance, untold)
        says = model(ups.inputs.contiguous(memory_format=torch.channels_last)).float()
        said.append(_upright(says, ups.inputs, ups.turn))
    truth = {name: getattr(shots, name)[which, die] for name in _TRUTH}
    whole = {name: getattr(shots, name)[which] for name in ("rim", "tilt", "away")}
    return truth | whole | {"bowl": which + first, "said": torch.stack(said, dim=1).half()}


def _upright(says: Tensor, inputs: Tensor, turn: Tensor) -> Tensor:
    """Return what is said, with the turn of the close-up and what it told of the tilt after it."""
    return torch.cat([says, turn[:, None], inputs[:, 5:, 0, 0]], dim=1)


def store(found: dict[str, np.ndarray], path: Path) -> None:
    """Write a survey."""
    small = {name: values.astype(np.float16) if values.dtype == np.float32 and name not in ("box", "rim") else values
             for name, values in found.items()}  # fmt: skip
    with path.with_suffix(".part").open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **small)
    path.with_suffix(".part").rename(path)
