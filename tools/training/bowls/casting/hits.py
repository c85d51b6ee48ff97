"""First intersections of camera rays with the table, the bowl and the dice."""

from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor
from torch.nn import functional

from tools.training.bowls.casting.faces import surface_of_dice
from tools.training.bowls.casting.scenes import Bank, Scenes, constant

TABLE, BOWL = -1, 0
HALF: Final = 3**-0.5
"""Half the edge of a die with circumscribed radius 1."""
TO_EDGES: Final = 3**0.5 / 2
"""A die's circumscribed radius in edges."""
_MARCHING_STEPS: Final = 9
_BISECTIONS: Final = 14


@dataclass(slots=True)
class Hits:
    """The first hit of each ray, (b, n, ...)."""

    t: Tensor  # distance along the ray
    what: Tensor  # `TABLE`, `BOWL` or a die's number from 1
    normal: Tensor
    colour: Tensor
    polish: Tensor  # gloss, metal, rough
    inside: Tensor  # whether the ray passes through the rim's circle
    alone: Tensor  # (b, d): number of rays that would hit the die if nothing occluded it

    def set(self, on: Tensor, t: Tensor, what: int, normal: Tensor, colour: Tensor, polish: Tensor) -> None:
        """Replace the hits of the rays in the mask ``on``."""
        self.t = torch.where(on, t, self.t)
        self.what = torch.where(on, what, self.what)
        self.normal = torch.where(on[..., None], normal, self.normal)
        self.colour = torch.where(on[..., None], colour, self.colour)
        self.polish = torch.where(on[..., None], polish[:, None], self.polish)


def rays_of(scenes: Scenes) -> Tensor:
    """Return the ray directions of all pixels, (b, side², 3), unit length."""
    n = scenes.side
    place = torch.arange(n, device=scenes.eye.device) + 0.5 - n / 2
    y, x = torch.meshgrid(-place, place, indexing="ij")
    flat = torch.stack([x.ravel(), y.ravel()], dim=1)
    directions = flat @ scenes.axes[:, :2] - scenes.focal[:, None, None] * scenes.axes[:, 2:]
    return functional.normalize(directions, dim=2)


def first_hits(scenes: Scenes, bank: Bank, directions: Tensor) -> Hits:
    """Return the first hits of all camera rays."""
    hits = _ground(scenes, bank, directions)
    _add_dice(hits, scenes, bank, directions)
    return hits


def albedo(scenes: Scenes, bank: Bank, name: str, at: Tensor) -> Tensor:
    """Return the linear albedo (b, n, 3) of a surface's texture, mirrored beyond its border, at points (b, n, ...)."""
    art = bank["surfaces"]["art"][scenes.art[name]].permute(0, 3, 1, 2).float() / 255
    where = at[..., :2] / scenes.span[name][:, None, None] * constant((2.0, -2.0), at.device)
    seen = functional.grid_sample(art, where[:, None], padding_mode="reflection", align_corners=False)[:, :, 0]
    return seen.mT.clamp(0, 1) ** 2.2


def height_of(bowl: Tensor, far: Tensor) -> Tensor:
    """Return the height (b, n) of the bowls' inner surface at distances (b, n) from the axis."""
    radius, height, depth, power, flat = (bowl[:, k, None] for k in range(5))
    along = ((far / radius - flat) / (1 - flat)).clamp(0, 1)
    return height - depth + depth * along**power


def slope_of(bowl: Tensor, far: Tensor) -> Tensor:
    """Return the slope (b, n) of the bowls' inner surface at distances (b, n) from the axis."""
    radius, depth, power, flat = (bowl[:, k, None] for k in (0, 2, 3, 4))
    along = ((far / radius - flat) / (1 - flat)).clamp(1e-6, 1)
    return depth * power * along ** (power - 1) / (radius * (1 - flat)) * (far / radius > flat)


def _ground(scenes: Scenes, bank: Bank, directions: Tensor) -> Hits:
    """Intersect the rays with the table and with the bowl's outside, rim and inside."""
    bowl, eye = scenes.bowl, scenes.eye[:, None]
    radius, height, lip = (bowl[:, k, None] for k in (0, 1, 5))
    t = -eye[..., 2] / directions[..., 2].clamp(max=-1e-3)
    up = torch.zeros_like(directions)
    up[..., 2] = 1
    paint = albedo(scenes, bank, "table", eye + t[..., None] * directions)
    polish = scenes.polish["table"][:, None].expand(-1, directions.shape[1], -1)
    rim = (height - eye[..., 2]) / directions[..., 2].clamp(max=-1e-3)
    over = eye[..., :2] + rim[..., None] * directions[..., :2]
    far = over.norm(dim=2)
    none = torch.zeros_like(t, dtype=torch.int64)
    alone = torch.zeros(scenes.is_present.shape, device=t.device)
    hits = Hits(t, none + TABLE, up, paint, polish, far < radius, alone)
    _add_outside(hits, scenes, bank, directions)
    on = (far >= radius) & (far < radius + lip) & (rim < hits.t)
    bend = ((far - radius) / lip * 2 - 1).clamp(-1, 1) * 0.9  # the lip is round
    normal = torch.cat([over / far[..., None] * bend[..., None], (1 - bend**2).sqrt()[..., None]], dim=2)
    hits.set(on, rim, BOWL, normal, albedo(scenes, bank, "outer", over), scenes.polish["outer"])
    _add_inside(hits, scenes, bank, directions, rim)
    return hits


def _add_outside(hits: Hits, scenes: Scenes, bank: Bank, directions: Tensor) -> None:
    """Intersect with the bowl's outside, a cone from the foot to the rim."""
    radius, height, lip, foot = (scenes.bowl[:, k, None] for k in (0, 1, 5, 6))
    eye, top = scenes.eye[:, None], radius + lip
    grow = top * (1 - foot) / height
    base = top * foot + grow * eye[..., 2]
    a = directions[..., 0] ** 2 + directions[..., 1] ** 2 - (grow * directions[..., 2]) ** 2
    b = eye[..., 0] * directions[..., 0] + eye[..., 1] * directions[..., 1] - base * grow * directions[..., 2]
    c = eye[..., 0] ** 2 + eye[..., 1] ** 2 - base**2
    root = b * b - a * c
    a = torch.where(a.abs() < 1e-6, 1e-6, a)
    for sign in (-1, 1):
        t = (-b + sign * root.clamp(min=0).sqrt()) / a
        at = eye + t[..., None] * directions
        on = (root > 0) & (at[..., 2] > 0) & (at[..., 2] < height) & (t > 0) & (t < hits.t)
        out = functional.normalize(at[..., :2], dim=2)
        normal = functional.normalize(torch.cat([out, -grow[..., None].expand_as(out[..., :1])], dim=2), dim=2)
        on &= (normal * directions).sum(dim=2) < 0
        hits.set(on, t, BOWL, normal, albedo(scenes, bank, "outer", at), scenes.polish["outer"])


def _add_inside(hits: Hits, scenes: Scenes, bank: Bank, directions: Tensor, rim: Tensor) -> None:
    bowl, eye = scenes.bowl, scenes.eye[:, None]
    low, high = rim, (bowl[:, 1, None] - bowl[:, 2, None] - eye[..., 2]) / directions[..., 2].clamp(max=-1e-3)
    for _ in range(_BISECTIONS):  # the inside is convex: each ray leaves it once
        t = (low + high) / 2
        at = eye + t[..., None] * directions
        far = at[..., :2].norm(dim=2)
        above = (at[..., 2] > height_of(bowl, far)) & (far < bowl[:, :1])
        low, high = torch.where(above, t, low), torch.where(above, high, t)
    at = eye + high[..., None] * directions
    far = at[..., :2].norm(dim=2).clamp(min=1e-6)
    out = -at[..., :2] / far[..., None] * slope_of(bowl, far)[..., None]
    normal = functional.normalize(torch.cat([out, torch.ones_like(far)[..., None]], dim=2), dim=2)
    hits.set(hits.inside, high, BOWL, normal, albedo(scenes, bank, "inner", at), scenes.polish["inner"])


def to_die_axes(scenes: Scenes, points: Tensor, die: int, *, directions: bool = False) -> Tensor:
    """Transform world points (or directions), (b, n, 3), to the axes of a die of each scene, in units of its radius."""
    moved = points if directions else points - scenes.middle[:, die, None]
    return moved @ scenes.turn[:, die] / TO_EDGES


def slab(origin: Tensor, direction: Tensor) -> tuple[Tensor, Tensor]:
    """Return the distances at which rays, in a die's axes, enter and leave its cube."""
    turned = 1 / torch.where(direction.abs() < 1e-9, 1e-9, direction)
    a, b = (-HALF - origin) * turned, (HALF - origin) * turned
    return torch.minimum(a, b).amax(dim=-1), torch.maximum(a, b).amin(dim=-1)


def _add_dice(hits: Hits, scenes: Scenes, bank: Bank, directions: Tensor) -> None:
    b, n = hits.t.shape
    boxes_hit = []
    for die in range(scenes.is_present.shape[1]):
        enter, leave = slab(
            to_die_axes(scenes, scenes.eye[:, None], die), to_die_axes(scenes, directions, die, directions=True)
        )
        boxes_hit.append((enter < leave) & (leave > 0) & scenes.is_present[:, die, None])
    scene, die, ray = torch.stack(boxes_hit, dim=1).nonzero(as_tuple=True)
    turn = scenes.turn[scene, die]
    origin = torch.einsum("ij,ijk->ik", scenes.eye[scene] - scenes.middle[scene, die], turn) / TO_EDGES
    direction = torch.einsum("ij,ijk->ik", directions[scene, ray], turn) / TO_EDGES
    t, gap, point = _march(
        origin, direction, scenes.appearance["rounding"][scene, die], scenes.appearance["ball"][scene, die]
    )
    on = gap < 0.012
    scene, die, ray, t, point = scene[on], die[on], ray[on], t[on], point[on]
    hits.alone.view(-1).index_add_(0, scene * scenes.is_present.shape[1] + die, torch.ones_like(t))
    place = scene * n + ray
    nearest = hits.t.reshape(-1).scatter_reduce(0, place, t, "amin")
    is_first = t <= nearest[place]
    scene, die, place, point, t = scene[is_first], die[is_first], place[is_first], point[is_first], t[is_first]
    normal, colour, marks = surface_of_dice(scenes, bank, scene, die, point)
    world = torch.einsum("ij,ikj->ik", normal, scenes.turn[scene, die])
    gloss = scenes.appearance["gloss"][scene, die] * (1 - 0.6 * marks)
    metal = scenes.appearance["metal"][scene, die] * (1 - marks)
    polish = torch.stack([gloss, metal, torch.full_like(gloss, 0.35)], dim=1)
    hits.t = hits.t.reshape(-1).index_put((place,), t).view(b, n)
    hits.what = hits.what.reshape(-1).index_put((place,), die + 1).view(b, n)
    hits.normal = hits.normal.reshape(-1, 3).index_put((place,), world).view(b, n, 3)
    hits.colour = hits.colour.reshape(-1, 3).index_put((place,), colour).view(b, n, 3)
    hits.polish = hits.polish.reshape(-1, 3).index_put((place,), polish).view(b, n, 3)


def _march(origin: Tensor, direction: Tensor, rounding: Tensor, ball: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """March rays to a rounded cube; return the distances, the remaining gaps and the end points."""
    t, _ = slab(origin, direction)
    unit = 1 / direction.norm(dim=1)
    rounding = rounding.clamp(min=0.004)
    for _ in range(_MARCHING_STEPS):
        point = origin + t[:, None] * direction
        out = point.abs() - (HALF - rounding)[:, None]
        box = out.clamp(min=0).norm(dim=1) + out.amax(dim=1).clamp(max=0) - rounding
        gap = torch.maximum(box, point.norm(dim=1) - ball)
        t = t + gap * unit
    return t, gap, point
