"""Shading of ray hits: lamps, shadows, ambient light and reflections."""

from typing import Final

import torch
from torch import Tensor
from torch.nn import functional

from tools.training.bowls.casting.hits import BOWL, Hits, first_hits, rays_of, slab, to_die_axes
from tools.training.bowls.casting.scenes import Bank, Scenes, TensorRng, constant

_SURFACE_OFFSET: Final = 2e-3  # keeps shadow rays from hitting their own surface
_METERED_RAYS: Final = 4096  # for the automatic exposure
_EXPOSED_LEVEL: Final = 0.85


def rendered(scenes: Scenes, bank: Bank, rng: TensorRng, samples: int = 2) -> tuple[Tensor, Hits]:
    """Render scenes.

    Args:
        samples: shadow rays per lamp and pixel.

    Returns:
        Pictures, float (b, 3, side, side) BGR 0 to 1, and the hit of each pixel.
    """
    directions = rays_of(scenes)
    hits = first_hits(scenes, bank, directions)
    linear = _shaded(scenes, bank, hits, directions, rng, samples)
    few = linear[:, rng.integers(linear.shape[1], _METERED_RAYS)].amax(dim=2)
    white = torch.quantile(few, 0.97, dim=1).clamp(min=1e-3)
    linear = linear * (_EXPOSED_LEVEL * scenes.exposure / white)[:, None, None]
    shown = linear.clamp(0, 1) ** (1 / 2.2)
    return shown.mT.reshape(len(scenes), 3, scenes.side, scenes.side), hits


def _shaded(scenes: Scenes, bank: Bank, hits: Hits, directions: Tensor, rng: TensorRng, samples: int) -> Tensor:
    at = scenes.eye[:, None] + hits.t[..., None] * directions + _SURFACE_OFFSET * hits.normal
    mean = (bank["surfaces"]["art"][scenes.art["inner"]].float().mean(dim=(1, 2)) / 255) ** 2.2
    sky, back = _ambient(scenes, hits, at, mean)
    light = sky * scenes.ambient[:, None] + back
    for lamp in range(scenes.lamp.shape[1]):
        each = scenes.lamp[:, lamp]
        toward, wide, power = each[:, None, :3], each[:, 3, None, None], each[:, 4:]
        for _ in range(samples):
            direction = functional.normalize(toward + rng.uniform(-1, 1, *at.shape) * wide, dim=2)
            facing = (hits.normal * direction).sum(dim=2).clamp(min=0) / samples
            facing = torch.where(_shadowed(scenes, hits, at, direction), 0.0, facing)
            light = light + facing[..., None] * power[:, None]
    diffuse = hits.colour * light * (1 - 0.9 * hits.polish[..., 1:2])
    return diffuse + _reflections(scenes, bank, hits, at, directions, mean)


def _ambient(scenes: Scenes, hits: Hits, at: Tensor, mean: Tensor) -> tuple[Tensor, Tensor]:
    """Return the visible share of the sky (b, n, 1) and the light reflected by the bowl (b, n, 3) at each hit."""
    radius, height, lip = (scenes.bowl[:, k, None] for k in (0, 1, 5))
    far = at[..., :2].norm(dim=2)
    inside = (far < radius) & (at[..., 2] < height)
    deep = ((height - at[..., 2]) / radius).clamp(0, 2)
    sky = torch.where(inside, 1 / (1 + 0.9 * deep**2), 1.0)
    upward = 0.5 + 0.5 * hits.normal[..., 2]
    back = (1 - sky) * 0.75 + 0.25 * (1 - upward) * inside
    level = scenes.ambient + 0.35 * scenes.lamp[:, :, 4:].sum(dim=1)
    near = ((far - radius - lip) / height.clamp(min=0.1)).clamp(0, 1)
    sky = torch.where(inside, sky, sky * (0.55 + 0.45 * near))
    for die in range(scenes.is_present.shape[1]):
        to = scenes.middle[:, die, None] - at
        gap = to.norm(dim=2) + 1e-3
        facing = ((to * hits.normal).sum(dim=2) / gap).clamp(min=0)
        covered = (1.25 * facing * (0.58 / gap.clamp(min=0.5)) ** 2).clamp(0, 0.85)
        counts = scenes.is_present[:, die, None] & (hits.what != die + 1)
        sky = sky * torch.where(counts, 1 - covered, 1.0)
    reflected = back[..., None] * (level * (0.25 + 0.75 * mean) * mean)[:, None]
    return (sky * (0.5 + 0.5 * upward))[..., None], reflected


def _shadowed(scenes: Scenes, hits: Hits, at: Tensor, direction: Tensor) -> Tensor:
    radius, height, lip, foot = (scenes.bowl[:, k, None] for k in (0, 1, 5, 6))
    flat = direction[..., :2] / direction[..., 2:].clamp(min=0.02)
    rise, reach = height - at[..., 2], at[..., :2].norm(dim=2)
    over = (at[..., :2] + rise[..., None] * flat).norm(dim=2)
    dark = (rise > 0.01) & (reach < radius) & (over > radius)
    for share in (0.25, 0.6, 1.0):
        level = (at[..., :2] + (share * height - at[..., 2])[..., None] * flat).norm(dim=2)
        wide = (radius + lip) * (foot + (1 - foot) * share)
        dark |= (rise > 0.01) & (reach >= radius) & (level < wide) & (share * height > at[..., 2])
    for die in range(scenes.is_present.shape[1]):
        enter, leave = slab(to_die_axes(scenes, at, die), to_die_axes(scenes, direction, die, directions=True))
        dark |= (enter < leave) & (leave > 0.02) & scenes.is_present[:, die, None] & (hits.what != die + 1)
    return dark


def _reflections(scenes: Scenes, bank: Bank, hits: Hits, at: Tensor, directions: Tensor, mean: Tensor) -> Tensor:
    """Return the light that polished surfaces reflect: of the sky, the other dice or the bowl's inside."""
    gloss, metal, rough = hits.polish.unbind(dim=2)
    cosine = (-(hits.normal * directions).sum(dim=2)).clamp(0, 1)
    back = directions + 2 * cosine[..., None] * hits.normal
    where = (back[..., :2] * constant((1.0, -1.0), back.device))[:, None]
    sharp, haze = (
        functional.grid_sample(bank["lights"][name][scenes.sky].permute(0, 3, 1, 2).float(), where,
                               padding_mode="border", align_corners=True)[:, :, 0].mT
        for name in ("sky", "haze")
    )  # fmt: skip
    seen = sharp + rough[..., None] * (haze - sharp)
    low = ((0.5 - 4 * back[..., 2]).clamp(0, 1) * (hits.what >= BOWL))[..., None]
    seen = seen * (1 - low) + low * (mean * scenes.ambient)[:, None]
    for die in range(scenes.is_present.shape[1]):
        near = (at - scenes.middle[:, die, None]).norm(dim=2) < 3
        enter, leave = slab(to_die_axes(scenes, at, die), to_die_axes(scenes, back, die, directions=True))
        on = near & (enter < leave) & (leave > 0.02) & scenes.is_present[:, die, None] & (hits.what != die + 1)
        own_light = (scenes.appearance["base"][:, die] * scenes.ambient * 0.8)[:, None]
        seen = torch.where(on[..., None], own_light, seen)
    fresnel = 0.04 + 0.96 * (1 - cosine) ** 5
    strength = (gloss * fresnel * (1 - metal))[..., None] + metal[..., None] * hits.colour
    return torch.where(((gloss > 0.02) | (metal > 0.02))[..., None], strength * seen, 0.0)
