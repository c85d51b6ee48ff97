"""What the three networks for bowls are to learn, as one number each to be made small, and what to tell of it."""

from functools import cache
from itertools import product
from typing import Final

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from companion.games.chinchirorin.camera.orientation import quartic
from companion.games.chinchirorin.camera.tilt import ORIENTATION_SHARPNESS
from tools.training.bowls.cuts import CloseUps, Pieces

_GRID: Final = 3000
Parts = dict[str, Tensor]


def die_loss(said: Tensor, ups: CloseUps, chance: torch.Generator) -> tuple[Tensor, Parts]:
    """Return what is to be made small for `DieNet`, and its parts."""
    is_off, is_up, turned = (each.flatten(1)[:, 0].isfinite() for each in (ups.off, ups.up, ups.faces))
    off, up, faces = (torch.nan_to_num(each) for each in (ups.off, ups.up, ups.faces))
    has, stands = ups.value >= 0, ups.flat.float()
    reads = functional.cross_entropy(said[:, 5:11], ups.value.clamp(min=0), reduction="none")
    parts = {
        "there": _binary(said[:, 0], ups.is_die),
        "place": 2 * _mean(_smooth(said[:, 1:4], off), is_off),
        "flat": 1.5 * _binary(said[:, 4], ups.flat, 2 - stands),
        "value": 1.5 * _mean(reads, has),
        "up": 2 * _mean(_smooth(said[:, 11:13], up), is_up),
        "faces": 4 * _mean(_smooth(said[:, 13:22], faces.flatten(1)), turned),
        "turn": 0.5 * _mean(turn_loss(said[:, 22:37], faces, chance), turned),
        "lies": 2 * _binary(said[:, 37], ups.lies),
    }
    total = torch.stack(list(parts.values())).sum()
    with torch.no_grad():
        right = _mean((said[:, 5:11].argmax(dim=1) == ups.value).float(), has)
        met = functional.normalize(said[:, 13:22].view(-1, 3, 3), dim=2)
        away = (met * faces).sum(dim=2).clamp(-1, 1).acos().rad2deg()
        settles = _mean(((said[:, 37] > 0) == (ups.lies == 1)).float(), ups.lies >= 0)
    told = {"right": right, "off deg": torch.where(turned[:, None], away, torch.nan).nanmedian(), "lies right": settles}
    return total, {name: part.detach() for name, part in (parts | told).items()}


def _mean(values: Tensor, which: Tensor) -> Tensor:
    return (values * which).sum() / which.sum().clamp(min=1)


def _binary(odds: Tensor, wanted: Tensor, weight: Tensor | None = None) -> Tensor:
    """Of a yes (1) or no (0); -1 does not count."""
    each = functional.binary_cross_entropy_with_logits(odds, wanted.clamp(min=0).float(), weight, reduction="none")
    return _mean(each, wanted >= 0)


def _smooth(said: Tensor, wanted: Tensor) -> Tensor:
    return functional.smooth_l1_loss(said, wanted, beta=0.1, reduction="none").mean(dim=1)


def turn_loss(turn: Tensor, faces: Tensor, chance: torch.Generator) -> Tensor:
    """Return how unlikely (n,) the true faces' directions are, if a turn's agreement with a direction is its log-odds.

    `tilt` reads turns so: a turn that is long where the network is sure, and short where it is not, says what it knows.
    """
    log_odds = ORIENTATION_SHARPNESS * turn
    with torch.no_grad():
        ways = _fourth(_ways(turn.device) @ _spin(chance))
    total = torch.logsumexp(log_odds @ ways.T, dim=1) - np.log(_GRID)
    true = (_fourth(faces) * log_odds[:, None]).sum(dim=2).mean(dim=1)
    return total - true


def _spin(chance: torch.Generator) -> Tensor:
    """Return a chance rotation (3, 3)."""
    w, x, y, z = functional.normalize(torch.randn(4, generator=chance, device=chance.device), dim=0)
    rows = [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
            2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
            2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]  # fmt: skip
    return torch.stack(rows).view(3, 3)


def _fourth(ways: Tensor) -> Tensor:
    """As `companion.games.chinchirorin.camera.orientation.quartic`, of tensors."""
    powers = [p for p in product(range(5), repeat=3) if sum(p) == 4]
    square = ways * ways
    steps = torch.stack([torch.ones_like(ways), ways, square, square * ways, square * square])
    return torch.stack([steps[a, ..., 0] * steps[b, ..., 1] * steps[c, ..., 2] for a, b, c in powers], dim=-1) * (
        _weights(ways.device)
    )


@cache
def _weights(device: torch.device) -> Tensor:
    return torch.tensor(quartic(np.ones((1, 3)))[0], device=device)


@cache
def _ways(device: torch.device) -> Tensor:
    """Directions evenly over half a sphere, (_GRID, 3): of a turn, the other half is the same."""
    k = np.arange(_GRID)
    z, around = (k + 0.5) / _GRID, k * np.pi * (3 - np.sqrt(5))
    flat = np.sqrt(1 - z * z)
    return torch.tensor(np.column_stack([flat * np.cos(around), flat * np.sin(around), z]), dtype=torch.float32,
                        device=device)  # fmt: skip


def dice_loss(maps: Tensor, wanted: Pieces) -> tuple[Tensor, Parts]:
    """Return what is to be made small for `BowlNet`, and its parts."""
    found = functional.pixel_shuffle(maps[:, :4], 2)[:, 0]
    chance = torch.sigmoid(found)
    at = (wanted.heat == 1).float()
    hit = -functional.logsigmoid(found) * (1 - chance) ** 2 * at
    miss = -functional.logsigmoid(-found) * chance**2 * (1 - wanted.heat) ** 4 * (1 - at)
    heat = ((hit + miss) * wanted.seen).sum() / at.sum().clamp(min=1)
    off = functional.smooth_l1_loss(maps[:, 4:7], wanted.off, beta=0.2, reduction="none").mean(dim=1)
    place = 2 * _mean(off, wanted.near)
    return heat + place, {"heat": heat.detach(), "place": place.detach()}


def view_loss(maps: Tensor, inside: Tensor) -> tuple[Tensor, Parts]:
    """Return what is to be made small for the network that finds the bowl."""
    loss = functional.binary_cross_entropy_with_logits(maps[:, 0], inside)
    return loss, {"inside": loss.detach()}
