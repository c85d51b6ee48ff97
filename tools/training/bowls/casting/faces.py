"""Colors and normals of points on dice: ink, material patterns, and the relief of engraved marks."""

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

_RELIEF_FACTOR = 0.9
_HALF_EDGE = 3**-0.5
_SOBEL_RATIO = 4.0  # ratio of a Sobel filter's response to the difference of two neighbors


@cache
def normals(device: torch.device) -> Tensor:
    """Return a die's face normals (6, 3) in its own axes."""
    return torch.tensor(solid("d6").normals, dtype=torch.float32, device=device)


@cache
def _heads(device: torch.device) -> Tensor:
    return torch.tensor(solid("d6").heads, dtype=torch.float32, device=device)


@cache
def patterns(device: torch.device) -> Tensor:
    """Return the noise fields of all material patterns, (patterns * FIELDS, FIELD, FIELD), 0 to 1."""
    fields = [pattern_field(name, k) for name in PATTERNS for k in range(FIELDS)]
    return torch.tensor(np.stack(fields), dtype=torch.float32, device=device)


def surface_of_dice(
    scenes: Scenes, bank: Bank, scene: Tensor, die: Tensor, point: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Return normals (n, 3), colors (n, 3) and ink shares (n,) of points (n, 3) on dice, in the dice's axes.

    Args:
        scene: (n,) row of each point's scene.
        die: (n,) each point's die within its scene.
    """
    appearance, cube = scenes.appearance, normals(point.device)
    flat = _HALF_EDGE - appearance["rounding"][scene, die].clamp(min=0.004)
    out = (point.abs() - flat[:, None]).clamp(min=0) * point.sign()
    is_ball = point.norm(dim=1) > appearance["ball"][scene, die] - 0.015
    normal = functional.normalize(torch.where(is_ball[:, None], point, out), dim=1)
    face = (point @ cube.T).argmax(dim=1)
    right, down = _art_axes(face, appearance["turned"][scene, die, face])
    away = (point - _HALF_EDGE * cube[face]) / (2**0.5 * _HALF_EDGE)
    x, y = (((away * axis).sum(dim=1) + 1) * (SIDE / 2) - 0.5 for axis in (right, down))
    which = appearance["number"][scene, die] * 6 + face
    ink = _sampled(bank["dice"]["mask"].view(-1, SIDE, SIDE), which, x, y) / 255
    colour = _body(appearance, scene, die, point)
    colour = colour + ink[:, None] * (appearance["ink"][scene, die, face] - colour)
    soft, depth = (
        bank["dice"]["soft"].view(-1, SIDE, SIDE),
        appearance["depth"][scene, die, face] * _RELIEF_FACTOR / 255,
    )
    for axis, dx, dy in ((right, 1, 0), (down, 0, 1)):
        steep = _sampled(soft, which, x + dx, y + dy) - _sampled(soft, which, x - dx, y - dy)
        normal = normal + (_SOBEL_RATIO * depth * steep)[:, None] * axis
    return functional.normalize(normal, dim=1), colour, ink


def _art_axes(face: Tensor, turned: Tensor) -> tuple[Tensor, Tensor]:
    up = _heads(face.device)[face]
    normal = normals(face.device)[face]
    head = turned.cos()[:, None] * up + turned.sin()[:, None] * torch.linalg.cross(up, normal)
    return torch.linalg.cross(head, normal), -head


def _body(appearance: Mapping[str, Tensor], scene: Tensor, die: Tensor, point: Tensor) -> Tensor:
    base, second = appearance["base"][scene, die], appearance["second"][scene, die]
    step = FIELD / (4 * appearance["grain"][scene, die])
    x, y = ((step * (point[:, k] + 0.37 * point[:, 2])) % (FIELD - 1) for k in (0, 1))
    share = _sampled(patterns(point.device), appearance["field"][scene, die], x, y) * appearance["amount"][scene, die]
    return base + share[:, None] * (second - base)


def _sampled(pictures: Tensor, which: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """Sample pictures (m, h, w) bilinearly; the border is extended."""
    h, w = pictures.shape[1:]
    x, y = x.clamp(0, w - 1), y.clamp(0, h - 1)
    left, top = x.floor().long().clamp(max=w - 2), y.floor().long().clamp(max=h - 2)
    a, b = x - left, y - top
    at = (which * h + top) * w + left
    flat = pictures.reshape(-1)
    upper = flat[at].float() * (1 - a) + flat[at + 1].float() * a
    lower = flat[at + w].float() * (1 - a) + flat[at + w + 1].float() * a
    return upper * (1 - b) + lower * b
