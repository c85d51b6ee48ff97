"""The number reader's fingerprint: fitted after training, so that pictures of one face lie close and others far."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from companion.vision.dice.faces.upright import number_crop
from tools.training.augment import number_input
from tools.training.network import EMBEDDING, NumberNet
from tools.training.own_dice import OwnDie, Shot, telling_apart


def fit_embedding(model: NumberNet, dice: Iterable[OwnDie], tell: Callable[[int], None] = lambda done: None) -> None:
    """Replace the last layer of the fingerprint by the linear map that tells the faces of a die apart best."""
    features, faces, owners = [], [], []
    for number, die in enumerate(dice):
        for value, shots in enumerate(die.pictures):
            features.append(_features(model, shots))
            faces += [value] * len(shots)
            owners += [number] * len(shots)
        tell(number + 1)
    matrix, offset = telling_apart(np.concatenate(features), np.array(faces), np.array(owners), EMBEDDING)
    embed = cast(nn.Linear, model.embed)
    with torch.no_grad():
        embed.weight.copy_(torch.from_numpy(matrix))
        embed.bias.copy_(torch.from_numpy(offset))


def _features(model: NumberNet, shots: Iterable[Shot]) -> NDArray[np.float32]:
    crops = [number_crop(shot.near, shot.number.up_deg, (shot.number.x, shot.number.y)) for shot in shots]
    with torch.no_grad():
        mixed: torch.Tensor = model.mixed(torch.from_numpy(number_input(crops)))
    return np.asarray(mixed.numpy(), np.float32)
