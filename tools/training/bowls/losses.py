"""Loss functions of the three bowl networks, with the metrics for the log."""

from functools import cache
from itertools import product
from typing import Final

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from companion.games.chinchirorin.camera.orientation import quartic
from companion.games.chinchirorin.camera.tilt import ORIENTATION_SHARPNESS
from tools.training.bowls.crops import CanvasTiles, DieCrops

_DIRECTIONS: Final = 3000
Metrics = dict[str, Tensor]


def die_loss(outputs: Tensor, crops: DieCrops, generator: torch.Generator) -> tuple[Tensor, Metrics]:
    """Return the loss of `DieNet`, and its terms and accuracies."""
    has_offset, has_up, has_faces = (each.flatten(1)[:, 0].isfinite() for each in (crops.off, crops.up, crops.faces))
    off, up, faces = (torch.nan_to_num(each) for each in (crops.off, crops.up, crops.faces))
    has_value, is_flat = crops.value >= 0, crops.flat.float()
    value_losses = functional.cross_entropy(outputs[:, 5:11], crops.value.clamp(min=0), reduction="none")
    parts = {
        "there": _binary(outputs[:, 0], crops.is_die),
        "place": 2 * _mean(_smooth(outputs[:, 1:4], off), has_offset),
        "flat": 1.5 * _binary(outputs[:, 4], crops.flat, 2 - is_flat),
        "value": 1.5 * _mean(value_losses, has_value),
        "up": 2 * _mean(_smooth(outputs[:, 11:13], up), has_up),
        "faces": 4 * _mean(_smooth(outputs[:, 13:22], faces.flatten(1)), has_faces),
        "turn": 0.5 * _mean(orientation_loss(outputs[:, 22:37], faces, generator), has_faces),
        "lies": 2 * _binary(outputs[:, 37], crops.lies),
    }
    total = torch.stack(list(parts.values())).sum()
    with torch.no_grad():
        value_accuracy = _mean((outputs[:, 5:11].argmax(dim=1) == crops.value).float(), has_value)
        predicted = functional.normalize(outputs[:, 13:22].view(-1, 3, 3), dim=2)
        angles_deg = (predicted * faces).sum(dim=2).clamp(-1, 1).acos().rad2deg()
        lies_accuracy = _mean(((outputs[:, 37] > 0) == (crops.lies == 1)).float(), crops.lies >= 0)
    metrics = {
        "right": value_accuracy,
        "off deg": torch.where(has_faces[:, None], angles_deg, torch.nan).nanmedian(),
        "lies right": lies_accuracy,
    }
    return total, {name: part.detach() for name, part in (parts | metrics).items()}


def _mean(values: Tensor, which: Tensor) -> Tensor:
    return (values * which).sum() / which.sum().clamp(min=1)


def _binary(odds: Tensor, targets: Tensor, weight: Tensor | None = None) -> Tensor:
    """Binary cross-entropy of log-odds; labels of -1 are ignored."""
    each = functional.binary_cross_entropy_with_logits(odds, targets.clamp(min=0).float(), weight, reduction="none")
    return _mean(each, targets >= 0)


def _smooth(outputs: Tensor, targets: Tensor) -> Tensor:
    return functional.smooth_l1_loss(outputs, targets, beta=0.1, reduction="none").mean(dim=1)


def orientation_loss(orientations: Tensor, faces: Tensor, generator: torch.Generator) -> Tensor:
    """Return the negative log-likelihood (n,) of the true face normals under the predicted orientations.

    An orientation's agreement with a direction, times `ORIENTATION_SHARPNESS`, is the log-odds that a face points
    there, so its length expresses certainty; `companion.games.chinchirorin.camera.tilt` uses it the same way.
    """
    log_odds = ORIENTATION_SHARPNESS * orientations
    with torch.no_grad():
        directions = _quartic(_hemisphere(orientations.device) @ _random_rotation(generator))
    total = torch.logsumexp(log_odds @ directions.T, dim=1) - np.log(_DIRECTIONS)
    true = (_quartic(faces) * log_odds[:, None]).sum(dim=2).mean(dim=1)
    return total - true


def _random_rotation(generator: torch.Generator) -> Tensor:
    """Return a random rotation matrix (3, 3)."""
    w, x, y, z = functional.normalize(torch.randn(4, generator=generator, device=generator.device), dim=0)
    rows = [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
            2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
            2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]  # fmt: skip
    return torch.stack(rows).view(3, 3)


def _quartic(directions: Tensor) -> Tensor:
    """`companion.games.chinchirorin.camera.orientation.quartic` for tensors."""
    powers = [p for p in product(range(5), repeat=3) if sum(p) == 4]
    square = directions * directions
    steps = torch.stack([torch.ones_like(directions), directions, square, square * directions, square * square])
    return torch.stack([steps[a, ..., 0] * steps[b, ..., 1] * steps[c, ..., 2] for a, b, c in powers], dim=-1) * (
        _coefficients(directions.device)
    )


@cache
def _coefficients(device: torch.device) -> Tensor:
    return torch.tensor(quartic(np.ones((1, 3)))[0], device=device)


@cache
def _hemisphere(device: torch.device) -> Tensor:
    """Return directions spread evenly over half a sphere, (_DIRECTIONS, 3); an orientation is the same on the other."""
    k = np.arange(_DIRECTIONS)
    z, around = (k + 0.5) / _DIRECTIONS, k * np.pi * (3 - np.sqrt(5))
    flat = np.sqrt(1 - z * z)
    return torch.tensor(np.column_stack([flat * np.cos(around), flat * np.sin(around), z]), dtype=torch.float32,
                        device=device)  # fmt: skip


def dice_loss(maps: Tensor, targets: CanvasTiles) -> tuple[Tensor, Metrics]:
    """Return the loss of `BowlNet` (a focal heat-map loss and an offset loss), and its terms."""
    heat_logits = functional.pixel_shuffle(maps[:, :4], 2)[:, 0]
    probability = torch.sigmoid(heat_logits)
    is_center = (targets.heat == 1).float()
    positive = -functional.logsigmoid(heat_logits) * (1 - probability) ** 2 * is_center
    negative = -functional.logsigmoid(-heat_logits) * probability**2 * (1 - targets.heat) ** 4 * (1 - is_center)
    heat = ((positive + negative) * targets.seen).sum() / is_center.sum().clamp(min=1)
    off = functional.smooth_l1_loss(maps[:, 4:7], targets.off, beta=0.2, reduction="none").mean(dim=1)
    place = 2 * _mean(off, targets.near)
    return heat + place, {"heat": heat.detach(), "place": place.detach()}


def view_loss(maps: Tensor, inside: Tensor) -> tuple[Tensor, Metrics]:
    """Return the loss of the network that finds the bowl, binary cross-entropy per cell."""
    loss = functional.binary_cross_entropy_with_logits(maps[:, 0], inside)
    return loss, {"inside": loss.detach()}
