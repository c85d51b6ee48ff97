"""Random scenes for the ray caster, with labels: dice of one family in any light, seen from above or off-axis."""

from dataclasses import dataclass
from typing import Final, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from companion.rendering.solids import SolidName
from companion.vision.dice.faces.upright import CLOSE_CROP_PX, DIE_PX
from tools.training.rays.arts import Arts, Family, kind_of
from tools.training.rays.lens import photographed
from tools.training.rays.light import random_room
from tools.training.rays.shapes import Planes, art_frames, planes, rotations
from tools.training.rays.trace import Stage, Surfaces, Table, render_light
from tools.training.samples.scenes import SIX_OR_NINE, SURE, UNREADABLE, WIDEST_TILT_DEG

_LEANING_SHARE: Final = 0.07
_LEAN_DEG: Final = {"d6": (20.0, 54.0)}
_SIDE_PX: Final = 320
_SIZES: Final = 4
"""Number of different die sizes within one batch."""
_MIN_SIZE_PX, _MAX_SIZE_PX = 36.0, 380.0


@dataclass(frozen=True, slots=True, eq=False)
class CastDice:
    """Pictures uint8 (n, 3, CLOSE_CROP_PX, CLOSE_CROP_PX) BGR on the device, labels int16 (n, 9): `dataset.Samples`."""

    images: Tensor
    labels: NDArray[np.int16]


def cast_dice(
    arts: Arts, family: Family, tables: Tensor, rng: np.random.Generator, generator: torch.Generator, count: int,
    *, side: int = _SIDE_PX,
) -> CastDice:  # fmt: skip
    """Render ``count`` pictures of random dice from one file of the bank.

    Args:
        tables: table textures, uint8 (m, 3, t, t) RGB, on the device to render on.
        side: side of the ray-cast picture, pixels, before the camera's effects.
    """
    device = tables.device
    name = cast(SolidName, {"rugen": "d20", "printed": "d20", "blank20": "d20", "blank6": "d6"}.get(family, family))
    shape = planes(name, device)
    which = rng.integers(0, len(arts.turns), count)
    values = arts.values[which]
    top, lean = _poses(rng, family, values, shape)
    pose = _resting(shape, torch.tensor(top, device=device), rng, device)
    tip = _tensor(np.stack([np.cos(lean[:, 1]), np.sin(lean[:, 1]), np.zeros(count)], 1), device)
    pose = rotations(tip, _tensor(np.radians(lean[:, 0]), device)) @ pose
    height = (pose @ shape.corners.T)[:, 2].amin(1)
    tilt = np.where(rng.random(count) < 0.4, 15 * rng.random(count) ** 1.5, WIDEST_TILT_DEG * rng.random(count))
    towards = rng.uniform(0, 360, count)
    camera = _camera(tilt, towards, device)
    distance = _tensor(np.exp(rng.uniform(np.log(6), np.log(40), count)), device)
    eyes = camera[:, 2] * distance[:, None]  # along the camera's z axis, in world coordinates
    middle, half = _framed(shape, pose, camera, distance)
    directions = _ray_directions(middle, half, camera, side)
    stage = Stage(shape, pose, _surfaces(arts, which, name, rng, device), _table(tables, height, rng, device),
                  random_room(count, generator, device))  # fmt: skip
    light = render_light(stage, eyes, directions, generator).permute(0, 3, 1, 2)
    light = light * _tensor(rng.uniform(0.8, 1.5, count), device).view(-1, 1, 1, 1)
    sizes = np.exp(rng.uniform(np.log(_MIN_SIZE_PX), np.log(_MAX_SIZE_PX), _SIZES))
    groups = np.array_split(np.arange(count), _SIZES)
    images = torch.cat([
        photographed(light[group[0] : group[-1] + 1], float(size), CLOSE_CROP_PX, CLOSE_CROP_PX / DIE_PX, generator)
        for group, size in zip(groups, sizes, strict=True) if len(group)
    ])  # fmt: skip
    size_of = np.concatenate([np.full(len(group), size) for group, size in zip(groups, sizes, strict=True)])
    frames = stage.surfaces.right, stage.surfaces.down
    where = _number_positions(shape, frames, top, pose, camera, distance, middle, half)
    labels = _labels(family, values, top, arts.notes[which], lean[:, 0] > 0, size_of, where, tilt, towards)
    return CastDice(images, labels)


def _tensor(x: NDArray[np.floating], device: torch.device) -> Tensor:
    return torch.tensor(np.asarray(x), dtype=torch.float32, device=device)


def _poses(
    rng: np.random.Generator, family: Family, values: NDArray[np.int16], shape: Planes
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return each die's upper face, with equal probabilities of values, and its lean (degrees, direction in rad)."""
    top = []
    for row in values:
        wanted = int(rng.choice(np.unique(row)))
        top.append(int(rng.choice(np.flatnonzero(row == wanted))))
    low, high = _LEAN_DEG.get(family, (18.0, 37.0))
    leans = rng.random(len(values)) < _LEANING_SHARE
    degrees = np.where(leans, rng.uniform(low, high, len(values)), 0.0)
    return np.array(top), np.stack([degrees, rng.uniform(0, 2 * np.pi, len(values))], 1)


def _resting(shape: Planes, top: Tensor, rng: np.random.Generator, device: torch.device) -> Tensor:
    normals = shape.normals[top]
    if len(shape.normals) == 4:
        normals = -normals
    up = torch.tensor([0.0, 0.0, 1.0], device=device).expand_as(normals)
    axis = torch.linalg.cross(normals, up)
    sine, cosine = axis.norm(dim=1), (normals * up).sum(1)
    aside = torch.tensor([1.0, 0.0, 0.0], device=device).expand_as(axis)
    axis = torch.where((sine < 1e-6)[:, None], aside, axis / sine.clamp(min=1e-6)[:, None])
    turn = rotations(axis, torch.atan2(sine, cosine))
    yaw = _tensor(rng.uniform(0, 2 * np.pi, len(top)), device)
    return rotations(up, yaw) @ turn


def _camera(tilt: NDArray[np.float64], towards: NDArray[np.float64], device: torch.device) -> Tensor:
    """Return rotations (n, 3, 3) from the world to the camera's axes, as `painter.camera_matrix`."""
    around = np.radians(towards)
    axis = np.stack([-np.sin(around), np.cos(around), np.zeros(len(tilt))], 1)
    return rotations(_tensor(axis, device), _tensor(np.radians(-tilt), device))


def _projected(points: Tensor, camera: Tensor, distance: Tensor) -> Tensor:
    """Project world points (n, k, 3) to the image plane at distance 1, (n, k, 2), x right, y up."""
    seen = points @ camera.transpose(1, 2)
    return seen[..., :2] / (distance[:, None] - seen[..., 2])[..., None]


def _framed(shape: Planes, pose: Tensor, camera: Tensor, distance: Tensor) -> tuple[Tensor, Tensor]:
    """Return the center (n, 2) of each die's box in the image plane, and half its larger side (n,)."""
    flat = _projected(shape.corners @ pose.transpose(1, 2), camera, distance)
    low, high = flat.amin(1), flat.amax(1)
    return (low + high) / 2, (high - low).amax(1) / 2


def _ray_directions(middle: Tensor, half: Tensor, camera: Tensor, side: int) -> Tensor:
    """Return the ray directions of all pixels (n, side, side, 3) in world coordinates."""
    steps = ((torch.arange(side, device=middle.device) + 0.5) / side * 2 - 1) * CLOSE_CROP_PX / DIE_PX
    x = middle[:, 0, None, None] + half[:, None, None] * steps[None, None, :]
    y = middle[:, 1, None, None] - half[:, None, None] * steps[None, :, None]
    x, y = x.expand(-1, side, side), y.expand(-1, side, side)
    directions = functional.normalize(torch.stack([x, y, -torch.ones_like(x)], -1), dim=-1)
    return torch.einsum("nij,nhwi->nhwj", camera, directions)


def _number_positions(
    shape: Planes, frames: tuple[Tensor, Tensor], top: NDArray[np.int64], pose: Tensor, camera: Tensor,
    distance: Tensor, middle: Tensor, half: Tensor,
) -> NDArray[np.float64]:  # fmt: skip
    """Return the upper numbers' directions (degrees clockwise from up) and centers (x, y in die sizes), (n, 3)."""
    faces = torch.tensor(top, device=pose.device)
    rows = torch.arange(len(top), device=pose.device)
    centre, down = shape.centres[faces], frames[1][rows, faces] * shape.reach[faces][:, None]
    points = torch.stack([centre, centre - down, centre + down], 1) @ pose.transpose(1, 2)
    flat = (_projected(points, camera, distance) - middle[:, None]) / (2 * half[:, None, None])
    x, y = flat[:, 1:].mean(1).unbind(1)
    head = flat[:, 1] - flat[:, 2]
    up = torch.rad2deg(torch.atan2(head[:, 0], head[:, 1])) % 360
    return np.asarray(torch.stack([up, x, -y], 1).cpu().double().numpy())


def _labels(
    family: Family, values: NDArray[np.int16], top: NDArray[np.int64], notes: NDArray[np.int16],
    leans: NDArray[np.bool_], sizes: NDArray[np.float64], where: NDArray[np.float64], tilt: NDArray[np.float64],
    towards: NDArray[np.float64],
) -> NDArray[np.int16]:  # fmt: skip
    count = len(top)
    kind = kind_of(family)
    value = values[np.arange(count), top]
    note = np.where(leans & (value >= 0), UNREADABLE, SURE)
    plain = (notes[:, 0] == 1) & np.isin(value, (5, 8)) & (note == SURE) & (family == "d20")
    note = np.where(plain, SIX_OR_NINE, note)
    has_number = (notes[:, 1] == 1) & (note != UNREADABLE) & (value >= 0)
    up = np.where(has_number, np.round(where[:, 0]) % 360, -1)
    x, y = (np.where(has_number, np.round(1000 * where[:, k]), 0) for k in (1, 2))
    labels = [np.full(count, kind), value, note, np.round(sizes), up, x, y, np.round(10 * tilt), np.round(towards)]
    return np.stack(labels, 1).astype(np.int16)


def _surfaces(
    arts: Arts, which: NDArray[np.int64], name: SolidName, rng: np.random.Generator, device: torch.device
) -> Surfaces:
    count = len(which)

    def bgr(x: NDArray[np.float32]) -> Tensor:
        return _tensor(np.clip(x[..., ::-1] / 255, 0.004, 1) ** 2.2, device)

    def uniform(low: float, high: float) -> Tensor:
        return _tensor(rng.uniform(low, high, count), device)

    marks = torch.from_numpy(np.ascontiguousarray(arts.marks[which])).to(device)
    n, f, s, _ = marks.shape
    pictures = None
    if arts.pictures.size:
        rgb = torch.from_numpy(np.ascontiguousarray(arts.pictures[which][..., ::-1])).to(device)
        pictures = (rgb.permute(0, 4, 1, 2, 3).reshape(n, 3, f * s, s).float() / 255) ** 2.2
    right, down = art_frames(name, [tuple(arts.turns[i].tolist()) for i in which], device)
    amount, grain, pattern, clear, metal, gloss, rounding, depth = _tensor(arts.numbers[which].T, device)
    shiny_ink = _tensor((rng.random(count) < 0.3) * rng.uniform(0.3, 1, count), device)
    ball = rng.uniform(0.84, 1.02, count) if name == "d6" else rng.uniform(0.95, 1.1, count)
    return Surfaces(
        marks.reshape(n, 1, f * s, s).float() / 255, pictures, right, down, bgr(arts.inks[which]),
        bgr(arts.grounds[which]), _tensor(arts.toned[which], device), bgr(arts.base[which]), bgr(arts.second[which]),
        amount, grain * uniform(0.3, 1.0), pattern.long(), _tensor(rng.uniform(-1, 1, (count, 24)), device),
        depth * uniform(0.3, 1.0), (clear * 1.15).clamp(max=0.95), metal, uniform(0.03, 0.6), gloss * 1.4 + 0.1,
        shiny_ink, rounding.clamp(min=0.004) * uniform(0.4, 1.0), _tensor(ball, device),
    )  # fmt: skip


def _table(tables: Tensor, height: Tensor, rng: np.random.Generator, device: torch.device) -> Table:
    count = len(height)
    which = torch.tensor(rng.integers(0, len(tables), count), device=device)
    angle, zoom = rng.uniform(0, 2 * np.pi, count), np.exp(rng.uniform(np.log(0.08), np.log(0.5), count))
    turns = np.stack([np.cos(angle), -np.sin(angle), np.sin(angle), np.cos(angle)], 1).reshape(-1, 2, 2)
    return Table(
        (tables[which].float() / 255) ** 2.2, _tensor(turns * zoom[:, None, None], device),
        _tensor(rng.uniform(-1, 1, (count, 2)), device), height,
        _tensor(np.where(rng.random(count) < 0.5, rng.uniform(0, 1, count), 0), device),
        _tensor(rng.uniform(0.1, 1, count), device),
    )  # fmt: skip
