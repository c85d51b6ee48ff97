"""Casts rays at dice on tables and shades their hits, for batches of close crops."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from tools.training.rays.light import Room, fields, texture_at
from tools.training.rays.shapes import Planes

_FAR = 1e4
_REFRACTIVE_INDEX = 1.5


@dataclass(frozen=True, slots=True, eq=False)
class Surfaces:
    """The surfaces of n dice; colors are linear RGB, 0 to 1.

    Attributes:
        marks: float (n, 1, f * s, s), ink masks of all faces, one below another.
        pictures: (n, 3, f * s, s) for printed faces, or None.
        right, down: (n, f, 3), directions of each face's art.
        inks, grounds: (n, f, 3).
        two_toned: (n,), 1 if each face has its own ground color.
        base, second: (n, 3), colors of the body.
        amount, grain, pattern, seeds: the body's pattern, see `light.fields`.
        depth: (n,), of engraved numerals.
        clear, metal, rough, gloss, ink_metal: (n,).
        round: (n,), rounding of the edges.
        ball: (n,), radius of the sphere that cuts the corners.
    """

    marks: Tensor
    pictures: Tensor | None
    right: Tensor
    down: Tensor
    inks: Tensor
    grounds: Tensor
    two_toned: Tensor
    base: Tensor
    second: Tensor
    amount: Tensor
    grain: Tensor
    pattern: Tensor
    seeds: Tensor
    depth: Tensor
    clear: Tensor
    metal: Tensor
    rough: Tensor
    gloss: Tensor
    ink_metal: Tensor
    round: Tensor
    ball: Tensor


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """The tables of n scenes.

    Attributes:
        pictures: (n, 3, t, t), textures.
        turns: (n, 2, 2), maps from table to texture coordinates.
        shifts: (n, 2), their offsets.
        height, gloss, rough: (n,).
    """

    pictures: Tensor
    turns: Tensor
    shifts: Tensor
    height: Tensor
    gloss: Tensor
    rough: Tensor


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """Complete scenes. ``pose`` (n, 3, 3) rotates the solid's axes to the world's."""

    planes: Planes
    pose: Tensor
    surfaces: Surfaces
    table: Table
    room: Room


def _per(x: Tensor, like: Tensor) -> Tensor:
    """Reshape (n,) or (n, 3) to broadcast with (n, h, w, 3)."""
    return x.view(x.shape[0], *(1,) * (like.dim() - 2), -1)


def render_light(stage: Stage, eyes: Tensor, directions: Tensor, generator: torch.Generator) -> Tensor:
    """Return the light (n, h, w, 3) that reaches eyes (n, 3) from unit directions (n, h, w, 3)."""
    back = stage.pose.transpose(1, 2)  # to the die's axes
    eye = (back @ eyes[..., None])[..., 0]
    direction = torch.einsum("nij,nhwj->nhwi", back, directions)
    origin = eye[:, None, None].expand_as(direction)
    enter, leave, face = _intersect(stage, origin, direction)
    hits = (enter < leave) & (enter > 0)
    ground = _shade_table(stage, eyes[:, None, None].expand_as(directions), directions, generator, is_far=True)
    die = _shade_die(stage, origin + enter.clamp(0, 99)[..., None] * direction, direction, face, generator)
    return torch.where(hits[..., None], die, ground)


def _intersect(stage: Stage, origin: Tensor, direction: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the distances at which rays enter and leave the dice, and the face that they enter (f: the sphere)."""
    planes = stage.planes
    towards = (origin * direction).sum(-1)
    inside = towards**2 - (origin * origin).sum(-1) + _per(stage.surfaces.ball, origin)[..., 0] ** 2
    root = inside.clamp(min=0).sqrt()
    enter = torch.where(inside > 0, -towards - root, torch.full_like(root, _FAR))
    leave = torch.where(inside > 0, -towards + root, torch.full_like(root, -_FAR))
    face = torch.full(enter.shape, len(planes.normals), device=enter.device)
    for k in range(len(planes.normals)):
        along = direction @ planes.normals[k]
        at = (planes.offsets[k] - origin @ planes.normals[k]) / torch.where(along.abs() < 1e-7, 1e-7, along)
        is_in, later = along < 0, at > enter
        face = torch.where(is_in & later, k, face)
        enter = torch.where(is_in & later, at, enter)
        leave = torch.where(is_in, leave, torch.minimum(leave, at))
    return enter, leave, face


def _smooth_normal(stage: Stage, points: Tensor) -> Tensor:
    """Return surface normals, smoothed at edges and corners."""
    total = torch.zeros_like(points)
    soft = _per(stage.surfaces.round, points)
    for k in range(len(stage.planes.normals)):
        normal = stage.planes.normals[k]
        total = total + ((points @ normal - stage.planes.offsets[k])[..., None] / soft).clamp(-30, 3).exp() * normal
    ball = (points.norm(dim=-1, keepdim=True) - _per(stage.surfaces.ball, points)) / (0.5 * soft)
    total = total + ball.clamp(-30, 2).exp() * points
    return functional.normalize(total, dim=-1)


@dataclass(frozen=True, slots=True, eq=False)
class _SurfacePoints:
    """Ink share (n, h, w, 1), color (n, h, w, 3) and slope of engravings (n, h, w, 3) at surface points."""

    ink: Tensor
    colour: Tensor
    slope: Tensor


def _surface_at(stage: Stage, points: Tensor, face: Tensor, *, is_flat: bool = False) -> _SurfacePoints:
    s = stage.surfaces
    count = len(stage.planes.normals)
    n = points.shape[0]
    flat = face.clamp(max=count - 1).view(n, -1, 1)
    right = s.right.gather(1, flat.expand(-1, -1, 3)).view_as(points)
    down = s.down.gather(1, flat.expand(-1, -1, 3)).view_as(points)
    index = face.clamp(max=count - 1)
    off = (points - stage.planes.centres[index]) / stage.planes.reach[index][..., None]
    x, y = (off * right).sum(-1), (off * down).sum(-1)
    mark = _on_atlas(s.marks, x, y, face, count)
    ink_colour = s.inks.gather(1, flat.expand(-1, -1, 3)).view_as(points)
    if s.pictures is not None:
        ink_colour = _on_atlas(s.pictures, x, y, face, count)
    share = fields(points, s.seeds, s.grain, s.pattern)[..., None] * _per(s.amount, points)
    body = _per(s.base, points) * (1 - share) + _per(s.second, points) * share
    own = s.grounds.gather(1, flat.expand(-1, -1, 3)).view_as(points)
    toned = _per(s.two_toned, points)
    body = body * (1 - toned) + own * toned
    slope = torch.zeros_like(points)
    if not is_flat:
        d = 0.05
        across = _on_atlas(s.marks, x + d, y, face, count) - _on_atlas(s.marks, x - d, y, face, count)
        along = _on_atlas(s.marks, x, y + d, face, count) - _on_atlas(s.marks, x, y - d, face, count)
        slope = (across * right + along * down) * _per(s.depth, points)
    return _SurfacePoints(mark, body * (1 - mark) + ink_colour * mark, slope)


def _on_atlas(sheets: Tensor, x: Tensor, y: Tensor, face: Tensor, count: int) -> Tensor:
    """Sample the faces' art (n, h, w, c) at x, y from -1 to 1 across a face's square; 0 outside it."""
    fine = (x.abs() < 0.97) & (y.abs() < 0.97) & (face < count)
    row = ((face + (y.clamp(-0.97, 0.97) + 1) / 2) / count) * 2 - 1
    where = torch.stack([x.clamp(-1, 1), row], -1)
    found = functional.grid_sample(sheets, where, mode="bilinear", align_corners=False)
    return found.permute(0, 2, 3, 1) * fine[..., None]


def _shade_die(stage: Stage, points: Tensor, direction: Tensor, face: Tensor, generator: torch.Generator) -> Tensor:
    s = stage.surfaces
    surface = _surface_at(stage, points, face)
    smooth = _smooth_normal(stage, points)
    normal = functional.normalize(smooth + 0.9 * surface.slope, dim=-1)
    world = torch.einsum("nij,nhwj->nhwi", stage.pose, normal)
    ray = torch.einsum("nij,nhwj->nhwi", stage.pose, direction)
    place = torch.einsum("nij,nhwj->nhwi", stage.pose, points)
    height = ((place[..., 2] - _per(stage.table.height, place)[..., 0]) / 1.6).clamp(0, 1)[..., None]
    light = stage.room.falling(world)
    below = stage.table.pictures.mean(dim=(2, 3))
    low = (0.5 - 0.5 * world[..., 2:]).clamp(0, 1)
    light = light * (1 - low * (1 - 0.4 * height)) + low * height * 0.5 * _per(below, light) * _per(
        stage.room.high, light
    )
    light = light * (1 - 0.25 * surface.slope.norm(dim=-1, keepdim=True).clamp(max=1.2))
    matt = surface.colour * light
    mirrored = ray - 2 * (ray * world).sum(-1, keepdim=True) * world
    shine = stage.room.seen(mirrored, s.rough)
    shine = torch.where(mirrored[..., 2:] < 0, _per(below, shine) * _per(stage.room.high, shine) * 0.6, shine)
    facing = (-(ray * world).sum(-1, keepdim=True)).clamp(0, 1)
    fresnel = 0.04 + 0.96 * (1 - facing) ** 5
    clear = _per(s.clear, matt) * (1 - surface.ink)
    if bool((s.clear > 0).any()):
        through = _refracted(stage, points, direction, smooth, generator)
        matt = matt * (1 - clear) + through * clear
    metal = _per(s.metal, matt) * (1 - surface.ink) + _per(s.ink_metal, matt) * surface.ink
    matt = matt * (1 - 0.85 * metal) + metal * surface.colour * shine
    gloss = _per(s.gloss, matt) * (1 - 0.5 * surface.ink)
    return matt + gloss * fresnel * shine


def _refracted(stage: Stage, points: Tensor, direction: Tensor, normal: Tensor, generator: torch.Generator) -> Tensor:
    """Refract rays through transparent dice: to the ink of the far side, or out to the table and the room."""
    s = stage.surfaces
    cosine = -(direction * normal).sum(-1, keepdim=True).clamp(-1, 0)
    bent = (
        direction / _REFRACTIVE_INDEX
        + (cosine / _REFRACTIVE_INDEX - (1 - (1 - cosine**2) / _REFRACTIVE_INDEX**2).sqrt()) * normal
    )
    bent = functional.normalize(bent, dim=-1)
    _, leave, face = _exit(stage, points + 1e-3 * bent, bent)
    there = points + leave.clamp(0, 3)[..., None] * bent
    surface = _surface_at(stage, there, face, is_flat=True)
    wall = stage.planes.normals[face.clamp(max=len(stage.planes.normals) - 1)]
    out = functional.normalize(bent + 0.33 * (bent + wall), dim=-1)
    world = torch.einsum("nij,nhwj->nhwi", stage.pose, out)
    place = torch.einsum("nij,nhwj->nhwi", stage.pose, there)
    beyond = _shade_table(stage, place, world, generator, is_far=False)
    tint = _per(s.base, beyond).clamp(min=0.02) ** (0.6 * leave.clamp(0, 2)[..., None])
    behind = (
        surface.colour * stage.room.falling(-torch.einsum("nij,nhwj->nhwi", stage.pose, surface.slope * 0 + out)) * 0.7
    )
    return tint * (beyond * (1 - 0.8 * surface.ink) + behind * 0.8 * surface.ink)


def _exit(stage: Stage, origin: Tensor, direction: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the distances at which rays from inside leave, twice, and the face that they leave through."""
    leave = torch.full(direction.shape[:-1], _FAR, device=direction.device)
    face = torch.zeros(leave.shape, dtype=torch.long, device=direction.device)
    for k in range(len(stage.planes.normals)):
        along = direction @ stage.planes.normals[k]
        at = (stage.planes.offsets[k] - origin @ stage.planes.normals[k]) / along.clamp(min=1e-6)
        sooner = (along > 1e-5) & (at < leave)
        face, leave = torch.where(sooner, k, face), torch.where(sooner, at, leave)
    return leave, leave, face


def _shade_table(
    stage: Stage, origin: Tensor, direction: Tensor, generator: torch.Generator, *, is_far: bool
) -> Tensor:
    """Return the light of the table where rays hit it, otherwise of the room; in world coordinates."""
    table = stage.table
    down = direction[..., 2].clamp(max=-1e-3)
    length = (_per(table.height, direction)[..., 0] - origin[..., 2]) / down
    spot = origin[..., :2] + length.clamp(0, 60)[..., None] * direction[..., :2]
    where = torch.einsum("nij,nhwj->nhwi", table.turns, spot) + table.shifts[:, None, None]
    colour = texture_at(table.pictures, where)
    up = torch.zeros_like(direction)
    up[..., 2] = 1
    light = stage.room.falling(up[:, :1, :1])
    lit = colour * light * (_light_share(stage, spot, generator) if is_far else 0.65)
    if is_far:
        mirrored = direction * torch.tensor([1.0, 1.0, -1.0], device=direction.device)
        fresnel = 0.03 + 0.97 * (1 - mirrored[..., 2:].clamp(0, 1)) ** 5
        lit = lit + _per(table.gloss, lit) * fresnel * stage.room.seen(mirrored, table.rough)
    room = stage.room.seen(direction, torch.full_like(table.rough, 0.5))
    return torch.where((direction[..., 2:] < -1e-3), lit, room)


def _light_share(stage: Stage, spots: Tensor, generator: torch.Generator, rays: int = 6) -> Tensor:
    """Return the unshadowed share of the light of lamps and walls (n, h, w, 1) at points (n, h, w, 2) of the table."""
    few = spots[:, ::2, ::2]
    n, h, w, _ = few.shape
    floor = stage.table.height.view(n, 1, 1, 1).expand(n, h, w, 1)
    points = torch.cat([few, floor + 1e-3], -1)
    back = stage.pose.transpose(1, 2)
    origin = torch.einsum("nij,nhwj->nhwi", back, points)
    room, total, weight = stage.room, points.new_zeros(n, h, w), points.new_zeros(n, 1, 1)
    glow = (room.glows.mean(-1) * 2 * (1 - room.tops)) * room.directions[..., 2].clamp(min=0)  # (n, lamps)
    walls = 0.5 * (room.low + room.high).mean(-1)
    for k in range(rays):
        draw = torch.rand(n, h, w, 3, generator=generator, device=few.device)
        if k < rays // 2:  # a lamp, drawn by its strength
            which = torch.multinomial(glow + 1e-6, 1, generator=generator)
            centre = room.directions.gather(1, which[..., None].expand(-1, -1, 3))
            wide = (2 * (1 - room.tops)).clamp(max=1.0).sqrt().gather(1, which)
            directions = functional.normalize(centre[:, None] + wide[:, None, None] * (2 * draw - 1) * 0.8, dim=-1)
            share = glow.sum(1)
        else:  # the walls
            turn, z = 2 * torch.pi * draw[..., 0], draw[..., 1].sqrt()
            flat = (1 - z**2).clamp(min=0).sqrt()
            directions, share = torch.stack([turn.cos() * flat, turn.sin() * flat, z], -1), walls
        directions = torch.stack([directions[..., 0], directions[..., 1], directions[..., 2].clamp(min=0.05)], -1)
        enter, leave, _ = _intersect(stage, origin, torch.einsum("nij,nhwj->nhwi", back, directions))
        free = ((enter >= leave) | (leave < 0)).float()
        total, weight = total + free * share.view(n, 1, 1), weight + share.view(n, 1, 1)
    shadow = (total / weight)[:, None]
    shadow = functional.avg_pool2d(functional.pad(shadow, (2, 2, 2, 2), mode="replicate"), 5, 1)
    shadow = functional.interpolate(shadow, size=spots.shape[1:3], mode="bilinear", align_corners=False)
    return shadow.permute(0, 2, 3, 1)
