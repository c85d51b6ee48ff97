"""What dice look like at places on their faces: ink, patterns, and the walls of what is cut into them."""

from collections.abc import Mapping
from functools import cache

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from companion.rendering.faces import SIDE
from companion.rendering.materials import FIELD, PATTERNS, pattern_field
from companion.rendering.solids import solid
from tools.training.bowls.casting.scenes import Bank, Scenes
from tools.training.bowls.parts import FIELDS

_RELIEF = 0.9
_HALF = 3**-0.5
_SLOPE = 4.0  # of a Sobel filter by that of the difference of two neighbours


@cache
def normals(device: torch.device) -> Tensor:
    """Return a die's face normals (6, 3) in its own axes."""
    return torch.tensor(solid("d6").normals, dtype=torch.float32, device=device)


@cache
def _heads(device: torch.device) -> Tensor:
    return torch.tensor(solid("d6").heads, dtype=torch.float32, device=device)


@cache
def patterns(device: torch.device) -> Tensor:
    """Return the fields of all patterns, (patterns * FIELDS, FIELD, FIELD), 0 to 1."""
    fields = [pattern_field(name, k) for name in PATTERNS for k in range(FIELDS)]
    return torch.tensor(np.stack(fields), dtype=torch.float32, device=device)


def face_of(scenes: Scenes, bank: Bank, scene: Tensor, die: Tensor, point: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return normals and colours of places (n, 3) on dice, in the dice's axes, and how much of them is ink."""
    look, cube = scenes.look, normals(point.device)
    flat = _HALF - look["rounding"][scene, die].clamp(min=0.004)
    out = (point.abs() - flat[:, None]).clamp(min=0) * point.sign()
    is_ball = point.norm(dim=1) > look["ball"][scene, die] - 0.015
    normal = functional.normalize(torch.where(is_ball[:, None], point, out), dim=1)
    face = (point @ cube.T).argmax(dim=1)
    right, down = _art_axes(face, look["turned"][scene, die, face])
    away = (point - _HALF * cube[face]) / (2**0.5 * _HALF)
    x, y = (((away * axis).sum(dim=1) + 1) * (SIDE / 2) - 0.5 for axis in (right, down))
    which = look["number"][scene, die] * 6 + face
    ink = _looked_up(bank["dice"]["mask"].view(-1, SIDE, SIDE), which, x, y) / 255
    colour = _body(look, scene, die, point)
    colour = colour + ink[:, None] * (look["ink"][scene, die, face] - colour)
    soft, depth = bank["dice"]["soft"].view(-1, SIDE, SIDE), look["depth"][scene, die, face] * _RELIEF / 255
    for axis, dx, dy in ((right, 1, 0), (down, 0, 1)):
        steep = _looked_up(soft, which, x + dx, y + dy) - _looked_up(soft, which, x - dx, y - dy)
        normal = normal + (_SLOPE * depth * steep)[:, None] * axis
    return functional.normalize(normal, dim=1), colour, ink


def _art_axes(face: Tensor, turned: Tensor) -> tuple[Tensor, Tensor]:
    up = _heads(face.device)[face]
    normal = normals(face.device)[face]
    head = turned.cos()[:, None] * up + turned.sin()[:, None] * torch.linalg.cross(up, normal)
    return torch.linalg.cross(head, normal), -head


def _body(look: Mapping[str, Tensor], scene: Tensor, die: Tensor, point: Tensor) -> Tensor:
    base, second = look["base"][scene, die], look["second"][scene, die]
    step = FIELD / (4 * look["grain"][scene, die])
    x, y = ((step * (point[:, k] + 0.37 * point[:, 2])) % (FIELD - 1) for k in (0, 1))
    share = _looked_up(patterns(point.device), look["field"][scene, die], x, y) * look["amount"][scene, die]
    return base + share[:, None] * (second - base)


def _looked_up(pictures: Tensor, which: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """Return values of some pictures (m, h, w) between their pixels; the border goes on beyond it."""
    h, w = pictures.shape[1:]
    x, y = x.clamp(0, w - 1), y.clamp(0, h - 1)
    left, top = x.floor().long().clamp(max=w - 2), y.floor().long().clamp(max=h - 2)
    a, b = x - left, y - top
    at = (which * h + top) * w + left
    flat = pictures.reshape(-1)
    upper = flat[at].float() * (1 - a) + flat[at + 1].float() * a
    lower = flat[at + w].float() * (1 - a) + flat[at + w + 1].float() * a
    return upper * (1 - b) + lower * b
