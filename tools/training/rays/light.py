"""The room around the dice: incoming light by direction; also table textures and material patterns."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

_LAMPS = 5


@dataclass(frozen=True, slots=True, eq=False)
class Room:
    """The rooms of n scenes.

    Attributes:
        directions: (n, lamps, 3), unit vectors to lamps and windows.
        tops: (n, lamps), cosines of their half angular widths.
        glows: (n, lamps, 3), their radiance.
        low, high: (n, 3), ambient light from below and from above.
    """

    directions: Tensor
    tops: Tensor
    glows: Tensor
    low: Tensor
    high: Tensor

    def seen(self, directions: Tensor, rough: Tensor) -> Tensor:
        """Return the light (n, ..., 3) from directions (n, ..., 3), blurred by a surface's roughness (n,)."""
        n = directions.shape[0]
        shape = (n,) + (1,) * (directions.dim() - 2)
        up = (directions[..., 2:] * 0.5 + 0.5).clamp(0, 1)
        total = self.low.view(*shape, 3) * (1 - up) + self.high.view(*shape, 3) * up
        for k in range(_LAMPS):
            near = (directions * self.directions[:, k].view(*shape, 3)).sum(-1, keepdim=True)
            wide, soft = (1 - self.tops[:, k]).view(*shape, 1), (0.004 + 0.35 * rough**2).view(*shape, 1)
            spread = wide + soft
            share = torch.sigmoid((near - 1 + wide) / (0.25 * soft + 0.02 * wide)) * wide / spread
            total = total + share * self.glows[:, k].view(*shape, 3)
        return total

    def falling(self, normals: Tensor) -> Tensor:
        """Return the diffuse illumination (n, ..., 3) of surfaces with these normals (n, ..., 3)."""
        shape = (normals.shape[0],) + (1,) * (normals.dim() - 2)
        up = (normals[..., 2:] * 0.5 + 0.5).clamp(0, 1)
        total = self.low.view(*shape, 3) * (1 - up) + self.high.view(*shape, 3) * up
        for k in range(_LAMPS):
            facing = (normals * self.directions[:, k].view(*shape, 3)).sum(-1, keepdim=True)
            wide = (1 - self.tops[:, k]).view(*shape, 1)
            total = total + functional.relu(facing + 0.3 * wide) / (1 + 0.3 * wide) * (2 * wide) * self.glows[
                :, k
            ].view(*shape, 3)
        return total


def random_room(n: int, generator: torch.Generator, device: torch.device) -> Room:
    """Return random rooms; their lamps together give about as much light as the walls."""

    def uniform(*shape: int) -> Tensor:
        return torch.rand(*shape, generator=generator, device=device)

    azimuth, height = 2 * torch.pi * uniform(n, _LAMPS), (0.15 + 0.85 * uniform(n, _LAMPS) ** 0.7) * torch.pi / 2
    directions = torch.stack([azimuth.cos() * height.cos(), azimuth.sin() * height.cos(), height.sin()], -1)
    wide = 0.002 * (150 ** uniform(n, _LAMPS))
    ambient = 0.15 + 0.6 * uniform(n, 1, 1)
    on = (uniform(n, _LAMPS) < torch.tensor([1.0, 0.7, 0.5, 0.4, 0.3], device=device)).float()
    warm = torch.stack([1 + 0.25 * (uniform(n, _LAMPS) - 0.3), torch.ones(n, _LAMPS, device=device),
                        1 - 0.35 * (uniform(n, _LAMPS) - 0.3)], -1)  # fmt: skip
    share = on * (0.2 + uniform(n, _LAMPS))
    share = share / share.sum(1, keepdim=True)
    power = (1 - ambient) * share[..., None] * warm / (2 * wide[..., None])
    tint = 1 + 0.12 * (uniform(n, 3) - 0.5)
    low = ambient[:, 0] * tint * (0.2 + 0.9 * uniform(n, 1))
    return Room(directions, 1 - wide, power, low, ambient[:, 0] * (1 + 0.12 * (uniform(n, 3) - 0.5)))


def texture_at(textures: Tensor, where: Tensor) -> Tensor:
    """Sample textures (n, 3, t, t), mirrored beyond -1 to 1, at coordinates (n, h, w, 2): (n, h, w, 3)."""
    folded = (where + 1).remainder(4) - 1
    folded = torch.where(folded > 1, 2 - folded, folded)
    return functional.grid_sample(
        textures, folded, mode="bilinear", padding_mode="border", align_corners=False
    ).permute(0, 2, 3, 1)


def fields(points: Tensor, seeds: Tensor, grain: Tensor, kind: Tensor) -> Tensor:
    """Return the share of a die's second color at points (n, h, w).

    Args:
        points: (n, h, w, 3), on or in the die, in radii.
        seeds: (n, 24), random numbers from -1 to 1.
        grain: (n,), scale of the pattern.
        kind: (n,), clouds (0), swirls, veins, layers, grains or wood (5).
    """
    shape = (-1, 1, 1)
    p = points * (1.2 / grain).view(-1, 1, 1, 1) + 5 * seeds[:, None, None, :3]

    def wave(x: Tensor, k: int, frequency: float) -> Tensor:
        direction = functional.normalize(seeds[:, k : k + 3], dim=1)[:, None, None]
        return ((x * direction).sum(-1) * frequency + 6.3 * seeds[:, k].view(shape)).sin()

    push = torch.stack([wave(p, 3, 2.3), wave(p, 6, 2.9), wave(p, 9, 3.4)], -1)
    q = p + 0.55 * push
    r = q + 0.35 * torch.stack([wave(q, 12, 5.1), wave(q, 15, 6.2), wave(q, 18, 5.6)], -1)
    cloud = 0.5 + 0.25 * (wave(q, 3, 3.1) + wave(r, 9, 4.7))
    swirl = torch.sigmoid(6 * wave(r, 6, 4.0))
    vein = (1 - wave(r, 12, 5.0).abs()) ** 3
    layer = torch.sigmoid(5 * wave(p + 0.1 * push, 15, 4.5))
    fine = wave(r, 3, 31.0) * wave(r, 6, 37.0) * wave(r, 9, 43.0)
    grains = torch.sigmoid(25 * (fine - 0.25))
    rings = ((p[..., :2] + 0.15 * push[..., :2]).norm(dim=-1) * 16 + 1.5 * push[..., 2]).sin() * 0.5 + 0.5
    each = torch.stack([cloud, swirl, vein, layer, grains, rings], 1)
    return each.gather(1, kind.view(-1, 1, 1, 1).expand(-1, 1, *cloud.shape[1:]))[:, 0]
