"""A die's shape as tensors: face planes, corners, and the axes of each face's art."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from companion.rendering.faces import art_axes
from companion.rendering.solids import SolidName, solid


@dataclass(frozen=True, slots=True, eq=False)
class Planes:
    """A solid with f faces.

    Attributes:
        normals: float32 (f, 3), outward.
        offsets: (f,), distances of the planes from the center.
        centres: (f, 3), of the art.
        reach: (f,), half the side of the art's square.
        corners: (c, 3).
    """

    normals: Tensor
    offsets: Tensor
    centres: Tensor
    reach: Tensor
    corners: Tensor


def planes(name: SolidName, device: torch.device) -> Planes:
    """Return a solid's planes as tensors."""
    die = solid(name)
    offsets = (die.centres * die.normals).sum(axis=1)
    made = [die.normals, offsets, die.centres, np.array(die.reach), die.vertices]
    return Planes(*(torch.tensor(each, dtype=torch.float32, device=device) for each in made))


def art_frames(name: SolidName, turns_deg: list[tuple[float, ...]], device: torch.device) -> tuple[Tensor, Tensor]:
    """Return the directions of the art's rows (right) and columns (down) on each face of each die, (n, f, 3) each."""
    die = solid(name)
    axes = [[art_axes(die, face, turn) for face, turn in enumerate(turns)] for turns in turns_deg]
    frames = torch.tensor(np.array(axes), dtype=torch.float32, device=device)
    return frames[:, :, 0], frames[:, :, 1]


def rotations(axis: Tensor, angle: Tensor) -> Tensor:
    """Return rotation matrices (n, 3, 3) about unit axes (n, 3) by angles (n,), radians."""
    x, y, z = axis.unbind(1)
    zero = torch.zeros_like(x)
    cross = torch.stack([zero, -z, y, z, zero, -x, -y, x, zero], 1).view(-1, 3, 3)
    s, c = angle.sin()[:, None, None], angle.cos()[:, None, None]
    return torch.eye(3, device=axis.device) + s * cross + (1 - c) * cross @ cross
