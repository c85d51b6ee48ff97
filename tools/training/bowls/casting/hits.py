"""Where the rays of many scenes end: on the table, on the bowl, or on a die."""

from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor
from torch.nn import functional

from tools.training.bowls.casting.faces import face_of
from tools.training.bowls.casting.scenes import Bank, Scenes, constant

TABLE, BOWL = -1, 0
HALF: Final = 3**-0.5
"""Half an edge of a die of circumscribed radius 1."""
TO_EDGES: Final = 3**0.5 / 2
"""A die's radius in edges."""
_STEPS: Final = 9
_HALVINGS: Final = 14


@dataclass(slots=True)
class Hits:
    """Depth, what is there (`TABLE`, `BOWL` or a die's number from 1), normal, colour, polish: (b, n, ...) each.

    `alone` (b, d) is how many rays would meet a die if no other thing were in the way.
    """

    t: Tensor
    what: Tensor
    normal: Tensor
    colour: Tensor
    polish: Tensor  # gloss, metal, rough
    inside: Tensor  # whether a ray passes the rim's circle
    alone: Tensor

    def set(self, on: Tensor, t: Tensor, what: int, normal: Tensor, colour: Tensor, polish: Tensor) -> None:
        """Put something where ``on`` says so."""
        self.t = torch.where(on, t, self.t)
        self.what = torch.where(on, what, self.what)
        self.normal = torch.where(on[..., None], normal, self.normal)
        self.colour = torch.where(on[..., None], colour, self.colour)
        self.polish = torch.where(on[..., None], polish[:, None], self.polish)


def rays_of(scenes: Scenes) -> Tensor:
    """Return each pixel's direction, (b, side², 3), unit length."""
    n = scenes.side
    place = torch.arange(n, device=scenes.eye.device) + 0.5 - n / 2
    y, x = torch.meshgrid(-place, place, indexing="ij")
    flat = torch.stack([x.ravel(), y.ravel()], dim=1)
    ways = flat @ scenes.axes[:, :2] - scenes.focal[:, None, None] * scenes.axes[:, 2:]
    return functional.normalize(ways, dim=2)


def met(scenes: Scenes, bank: Bank, ways: Tensor) -> Hits:
    """Return what all rays meet."""
    hits = _ground(scenes, bank, ways)
    _add_dice(hits, scenes, bank, ways)
    return hits


def surface(scenes: Scenes, bank: Bank, name: str, at: Tensor) -> Tensor:
    """Return the light (b, n, 3) that a surface's paint throws back at places; beyond its border it is mirrored."""
    art = bank["surfaces"]["art"][scenes.art[name]].permute(0, 3, 1, 2).float() / 255
    where = at[..., :2] / scenes.span[name][:, None, None] * constant((2.0, -2.0), at.device)
    seen = functional.grid_sample(art, where[:, None], padding_mode="reflection", align_corners=False)[:, :, 0]
    return seen.mT.clamp(0, 1) ** 2.2


def height_of(bowl: Tensor, far: Tensor) -> Tensor:
    """Return the height of bowls' insides at some distances from their middles, (b, n)."""
    radius, height, depth, power, flat = (bowl[:, k, None] for k in range(5))
    along = ((far / radius - flat) / (1 - flat)).clamp(0, 1)
    return height - depth + depth * along**power


def slope_of(bowl: Tensor, far: Tensor) -> Tensor:
    """Return the slope of bowls' insides at some distances from their middles, (b, n)."""
    radius, depth, power, flat = (bowl[:, k, None] for k in (0, 2, 3, 4))
    along = ((far / radius - flat) / (1 - flat)).clamp(1e-6, 1)
    return depth * power * along ** (power - 1) / (radius * (1 - flat)) * (far / radius > flat)


def _ground(scenes: Scenes, bank: Bank, ways: Tensor) -> Hits:
    """Table, bowl outside, its rim and its inside."""
    bowl, eye = scenes.bowl, scenes.eye[:, None]
    radius, height, lip = (bowl[:, k, None] for k in (0, 1, 5))
    t = -eye[..., 2] / ways[..., 2].clamp(max=-1e-3)
    up = torch.zeros_like(ways)
    up[..., 2] = 1
    paint = surface(scenes, bank, "table", eye + t[..., None] * ways)
    polish = scenes.polish["table"][:, None].expand(-1, ways.shape[1], -1)
    rim = (height - eye[..., 2]) / ways[..., 2].clamp(max=-1e-3)
    over = eye[..., :2] + rim[..., None] * ways[..., :2]
    far = over.norm(dim=2)
    none = torch.zeros_like(t, dtype=torch.int64)
    alone = torch.zeros(scenes.there.shape, device=t.device)
    hits = Hits(t, none + TABLE, up, paint, polish, far < radius, alone)
    _add_outside(hits, scenes, bank, ways)
    on = (far >= radius) & (far < radius + lip) & (rim < hits.t)
    bend = ((far - radius) / lip * 2 - 1).clamp(-1, 1) * 0.9  # the lip is round
    normal = torch.cat([over / far[..., None] * bend[..., None], (1 - bend**2).sqrt()[..., None]], dim=2)
    hits.set(on, rim, BOWL, normal, surface(scenes, bank, "outer", over), scenes.polish["outer"])
    _add_inside(hits, scenes, bank, ways, rim)
    return hits


def _add_outside(hits: Hits, scenes: Scenes, bank: Bank, ways: Tensor) -> None:
    """The outside: a cone from the foot up to the rim."""
    radius, height, lip, foot = (scenes.bowl[:, k, None] for k in (0, 1, 5, 6))
    eye, top = scenes.eye[:, None], radius + lip
    grow = top * (1 - foot) / height
    base = top * foot + grow * eye[..., 2]
    a = ways[..., 0] ** 2 + ways[..., 1] ** 2 - (grow * ways[..., 2]) ** 2
    b = eye[..., 0] * ways[..., 0] + eye[..., 1] * ways[..., 1] - base * grow * ways[..., 2]
    c = eye[..., 0] ** 2 + eye[..., 1] ** 2 - base**2
    root = b * b - a * c
    a = torch.where(a.abs() < 1e-6, 1e-6, a)
    for sign in (-1, 1):
        t = (-b + sign * root.clamp(min=0).sqrt()) / a
        at = eye + t[..., None] * ways
        on = (root > 0) & (at[..., 2] > 0) & (at[..., 2] < height) & (t > 0) & (t < hits.t)
        out = functional.normalize(at[..., :2], dim=2)
        normal = functional.normalize(torch.cat([out, -grow[..., None].expand_as(out[..., :1])], dim=2), dim=2)
        on &= (normal * ways).sum(dim=2) < 0
        hits.set(on, t, BOWL, normal, surface(scenes, bank, "outer", at), scenes.polish["outer"])


def _add_inside(hits: Hits, scenes: Scenes, bank: Bank, ways: Tensor, rim: Tensor) -> None:
    bowl, eye = scenes.bowl, scenes.eye[:, None]
    low, high = rim, (bowl[:, 1, None] - bowl[:, 2, None] - eye[..., 2]) / ways[..., 2].clamp(max=-1e-3)
    for _ in range(_HALVINGS):  # the inside is convex: each ray leaves it once
        t = (low + high) / 2
        at = eye + t[..., None] * ways
        far = at[..., :2].norm(dim=2)
        above = (at[..., 2] > height_of(bowl, far)) & (far < bowl[:, :1])
        low, high = torch.where(above, t, low), torch.where(above, high, t)
    at = eye + high[..., None] * ways
    far = at[..., :2].norm(dim=2).clamp(min=1e-6)
    out = -at[..., :2] / far[..., None] * slope_of(bowl, far)[..., None]
    normal = functional.normalize(torch.cat([out, torch.ones_like(far)[..., None]], dim=2), dim=2)
    hits.set(hits.inside, high, BOWL, normal, surface(scenes, bank, "inner", at), scenes.polish["inner"])


def own(scenes: Scenes, points: Tensor, die: int, *, ways: bool = False) -> Tensor:
    """Return points (or ways) of the world, (b, n, 3), in the axes of each scene's die, in its radii."""
    moved = points if ways else points - scenes.middle[:, die, None]
    return moved @ scenes.turn[:, die] / TO_EDGES


def slab(origin: Tensor, way: Tensor) -> tuple[Tensor, Tensor]:
    """Return where rays enter and leave the cube, in a die's axes."""
    turned = 1 / torch.where(way.abs() < 1e-9, 1e-9, way)
    a, b = (-HALF - origin) * turned, (HALF - origin) * turned
    return torch.minimum(a, b).amax(dim=-1), torch.maximum(a, b).amin(dim=-1)


def _add_dice(hits: Hits, scenes: Scenes, bank: Bank, ways: Tensor) -> None:
    b, n = hits.t.shape
    found = []
    for die in range(scenes.there.shape[1]):
        enter, leave = slab(own(scenes, scenes.eye[:, None], die), own(scenes, ways, die, ways=True))
        found.append((enter < leave) & (leave > 0) & scenes.there[:, die, None])
    scene, die, ray = torch.stack(found, dim=1).nonzero(as_tuple=True)
    turn = scenes.turn[scene, die]
    origin = torch.einsum("ij,ijk->ik", scenes.eye[scene] - scenes.middle[scene, die], turn) / TO_EDGES
    way = torch.einsum("ij,ijk->ik", ways[scene, ray], turn) / TO_EDGES
    t, gap, point = _marched(origin, way, scenes.look["rounding"][scene, die], scenes.look["ball"][scene, die])
    on = gap < 0.012
    scene, die, ray, t, point = scene[on], die[on], ray[on], t[on], point[on]
    hits.alone.view(-1).index_add_(0, scene * scenes.there.shape[1] + die, torch.ones_like(t))
    place = scene * n + ray
    nearest = hits.t.reshape(-1).scatter_reduce(0, place, t, "amin")
    first = t <= nearest[place]
    scene, die, place, point, t = scene[first], die[first], place[first], point[first], t[first]
    normal, colour, marks = face_of(scenes, bank, scene, die, point)
    world = torch.einsum("ij,ikj->ik", normal, scenes.turn[scene, die])
    gloss = scenes.look["gloss"][scene, die] * (1 - 0.6 * marks)
    metal = scenes.look["metal"][scene, die] * (1 - marks)
    polish = torch.stack([gloss, metal, torch.full_like(gloss, 0.35)], dim=1)
    hits.t = hits.t.reshape(-1).index_put((place,), t).view(b, n)
    hits.what = hits.what.reshape(-1).index_put((place,), die + 1).view(b, n)
    hits.normal = hits.normal.reshape(-1, 3).index_put((place,), world).view(b, n, 3)
    hits.colour = hits.colour.reshape(-1, 3).index_put((place,), colour).view(b, n, 3)
    hits.polish = hits.polish.reshape(-1, 3).index_put((place,), polish).view(b, n, 3)


def _marched(origin: Tensor, way: Tensor, rounding: Tensor, ball: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return how far rays go to a rounded cube, how far they then are off it, and where they meet it."""
    t, _ = slab(origin, way)
    unit = 1 / way.norm(dim=1)
    rounding = rounding.clamp(min=0.004)
    for _ in range(_STEPS):
        point = origin + t[:, None] * way
        out = point.abs() - (HALF - rounding)[:, None]
        box = out.clamp(min=0).norm(dim=1) + out.amax(dim=1).clamp(max=0) - rounding
        gap = torch.maximum(box, point.norm(dim=1) - ball)
        t = t + gap * unit
    return t, gap, point
