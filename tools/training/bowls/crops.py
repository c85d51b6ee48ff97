"""Cuts the networks' labeled inputs from bowl renders: crops of single dice, and tiles of the canvas for the finder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor
from torch.nn import functional

from companion.games.chinchirorin.camera.canvas import CROP_DIE_PX, CROP_SIDE, RIM_PX, SIZE_UNIT, STRIDE, TILT_UNIT
from companion.games.chinchirorin.camera.rim import DIRECTED_FROM_DEG
from tools.training.bowls.casting.develop import augmented
from tools.training.bowls.casting.scenes import Bank, TensorRng, constant
from tools.training.bowls.render_buffer import Renders

TILE_SIDE: Final = 144
CELLS: Final = TILE_SIDE // STRIDE
_DIE_SHARE, _NEARBY_SHARE, _PATTERN_SHARE = 0.6, 0.3, 0.12
"""Share of the crops with a die; share of the others next to a die; share of all crops that show only a pattern."""
_NEGATIVE_SCALES: Final = (0.5, 2.5)  # sizes of crops without a die, relative to the usual die
_HARD_MARGIN, _HARD_WEIGHT = 0.65, 3.0  # dice with a smaller margin between the upper two faces are drawn more often
_CENTER_JITTER, _SIZE_JITTER = 0.08, 0.13
_IS_DIE, _IS_NO_DIE, _HAS_OFFSET = 0.3, 0.5, 0.6
"""Distance between the centers of die and crop, in die sizes: positive below, negative above, no offset label above."""
_ROUGH_RIM_SHARE, _ROUGH_RIM_FACTOR = 0.4, 4.5  # crops with a roughly known rim, and the factor on its errors
_RATIO_ERROR, _CENTER_ERROR, _AXIS_ERROR = 0.01, 0.015, 0.02
_TILT_ERROR_DEG, _ROUGH_TILT_ERROR_DEG = 2.2, 6.5  # of each tilt input: usually, with a roughly known rim
_UPSIDE_DOWN_SHARE, _UNKNOWN_TILT_SHARE = 0.03, 0.2
_MIN_VISIBLE, _PARTLY_VISIBLE, _MOSTLY_VISIBLE = 0.12, 0.3, 0.4
"""Visible shares of a die: at least, to count as present; as a positive; for the labels "lies" and "faces"."""
_MIN_DIE_PX: Final = 22.0
_BORDER_MARGIN: Final = 0.45  # minimum distance of a die's center from the picture's border, in die sizes
_ZOOM: Final = (0.44, 0.66)
_EDGES_PX: Final = (13.0, 46.0)  # sizes of dice on a tile
_HEAT_SIGMA, _OFFSET_RADIUS = 0.09, 0.36  # in die sizes
_MAX_ROLL_RAD: Final = 0.87


@dataclass(slots=True)
class DieCrops:
    """Inputs of the die network, (n, 7, s, s), and its labels, -1 or NaN for unknown."""

    inputs: Tensor
    is_die: Tensor  # 1 or 0
    off: Tensor  # (n, 3): offset of the die's center (x, y, in sizes of the crop's die), log size
    flat: Tensor
    value: Tensor
    up: Tensor
    lies: Tensor
    faces: Tensor  # this and flat, value, up, lies: as in `Renders`, of the nearest die, rotated with the crop
    rotation: Tensor  # of the crop, radians

    def __getitem__(self, rows: Tensor) -> DieCrops:
        return DieCrops(*(getattr(self, name)[rows] for name in self.__slots__))


def concatenated(parts: list[DieCrops]) -> DieCrops:
    return DieCrops(*(torch.cat([getattr(part, name) for part in parts]) for name in DieCrops.__slots__))


@dataclass(slots=True)
class Frames:
    """Maps from pictures to canvases, see `companion.games.chinchirorin.camera.canvas.Frame`."""

    matrix: Tensor  # (n, 2, 2)
    middle: Tensor  # (n, 2) the canvas's center in the picture, pixels
    side: int

    @property
    def scale(self) -> Tensor:
        """Canvas pixels per picture pixel, (n,)."""
        return self.matrix[:, 0].norm(dim=1)

    def to(self, points: Tensor) -> Tensor:
        """Transform picture points (n, m, 2) to canvas pixels."""
        return (points - self.middle[:, None]) @ self.matrix.mT + self.side / 2

    def drawn(self, picture: Tensor) -> Tensor:
        """Return the canvases, float (n, 3, side, side) RGB 0 to 1."""
        n, _, h, w = picture.shape
        line = torch.arange(self.side, device=picture.device, dtype=torch.float32) - self.side / 2
        y, x = torch.meshgrid(line, line, indexing="ij")
        flat = torch.stack([x, y], dim=2).view(1, -1, 2)
        where = flat @ (self.matrix / self.scale[:, None, None] ** 2) + self.middle[:, None]
        where = where.view(n, self.side, self.side, 2) * 2 / constant((w - 1, h - 1), picture.device) - 1
        seen = functional.grid_sample(picture.float(), where, padding_mode="border", align_corners=True)
        return seen.flip(1) / 255


def _matrix(scale: Tensor, turn: Tensor) -> Tensor:
    c, s = scale * turn.cos(), scale * turn.sin()
    return torch.stack([c, s, -s, c], dim=1).view(-1, 2, 2)


def random_crops(renders: Renders, count: int, rng: TensorRng, n: int, dice: float = _DIE_SHARE) -> DieCrops:
    """Return ``n`` random crops of the first ``count`` renders, with their labels.

    Args:
        dice: share of the crops that show a die.
    """
    which = rng.integers(count, n)
    rim, box, seen, margin = renders.rows(which, "rim", "box", "seen", "margin")
    middle, size = _places(box, seen, rim, margin, renders.picture.shape[-1], rng, dice)
    crops = crops_at(renders, which, middle, size, rng)
    crops.inputs[:, :3] = augmented(crops.inputs[:, :3], rng)
    return crops


def crops_at(
    renders: Renders,
    which: Tensor,
    middle: Tensor,
    size: Tensor,
    rng: TensorRng,
    unknown_tilt_share: float = _UNKNOWN_TILT_SHARE,
) -> DieCrops:
    """Return crops of given places, randomly rotated, with the errors of a rim detected in a camera picture.

    Args:
        which: (n,) rows of the renders.
        middle: (n, 2) centers, pixels.
        size: (n,) size of the die for which the crop is scaled, pixels.
        untold: share of the crops whose tilt inputs are zero (unknown).
    """
    n = len(which)
    picture, rim, tilt, away = renders.rows(which, "picture", "rim", "tilt", "away")
    is_rough = rng.bernoulli(_ROUGH_RIM_SHARE, n)
    rough = torch.where(is_rough, _ROUGH_RIM_FACTOR, 1.0)
    center = rim[:, :2] + rng.normal(1, n, 2) * (rough * _CENTER_ERROR * rim[:, 2] / 2)[:, None]
    across = rim[:, 2] * torch.exp(rng.normal(1, n) * rough * _AXIS_ERROR)
    turn = rng.uniform(0, 2 * torch.pi, n)
    scale = CROP_DIE_PX / size
    frames = Frames(_matrix(scale, turn), middle, CROP_SIDE)
    away = away - turn + torch.pi * rng.bernoulli(_UPSIDE_DOWN_SHARE, n)
    tilted = tilt.rad2deg()[:, None] * torch.stack([away.sin(), -away.cos()], dim=1)
    tilted = tilted + torch.where(is_rough, _ROUGH_TILT_ERROR_DEG, _TILT_ERROR_DEG)[:, None] * rng.normal(1, n, 2)
    tilted = torch.where(rng.bernoulli(unknown_tilt_share, n, 1), 0.0, tilted / TILT_UNIT)
    inputs = torch.cat([frames.drawn(picture), _bowl_positions(frames, center, scale * across),
                        tilted[..., None, None].expand(-1, -1, CROP_SIDE, CROP_SIDE)], dim=1)  # fmt: skip
    return _labeled(renders, which, frames, turn, inputs)


def _bowl_positions(frames: Frames, center: Tensor, across: Tensor) -> Tensor:
    """Return each pixel's position in the bowl in units of the rim's longer half axis, (n, 2, side, side)."""
    line = torch.arange(frames.side, device=center.device) + 0.5 - frames.side / 2
    y, x = torch.meshgrid(line, line, indexing="ij")
    off = frames.side / 2 - frames.to(center[:, None])[:, 0]
    return (torch.stack([x, y])[None] + off[:, :, None, None]) * (2 / across)[:, None, None, None]


def _places(
    box: Tensor, seen: Tensor, rim: Tensor, margin: Tensor, side: int, rng: TensorRng, share: float
) -> tuple[Tensor, Tensor]:
    """Return the centers and sizes of crops: of a die, of a place next to one, or of any place at any size."""
    n = len(box)
    spare = _BORDER_MARGIN * box[..., 2:]
    in_picture = ((box[..., :2] > spare) & (box[..., :2] < side - spare)).all(dim=2)
    is_usable = (box[..., 2] > _MIN_DIE_PX) & (seen > _MIN_VISIBLE) & in_picture
    has = is_usable.any(dim=1)
    exponent = torch.where(margin < _HARD_MARGIN, 1 / _HARD_WEIGHT, 1.0)
    chosen = (rng.uniform(0, 1, *is_usable.shape) ** exponent * is_usable).argmax(dim=1)
    die = box[torch.arange(n, device=box.device), chosen]
    usual = torch.where(has, die[:, 2], (rim[:, 2] / 6).clamp(min=_MIN_DIE_PX))
    draw = rng.uniform(0, 1, n)
    is_die, is_near = has & (draw < share), has & (draw >= share) & (draw < share + (1 - share) * _NEARBY_SHARE)
    way = rng.uniform(0, 2 * torch.pi, n)
    off = torch.stack([way.cos(), way.sin()], dim=1) * rng.uniform(0.3, 1.0, n, 1)
    off = torch.where(is_die[:, None], rng.normal(_CENTER_JITTER, n, 2), off)
    far = 1.15 * rim[:, 2] / 2 * rng.uniform(0, 1, n).sqrt()
    other = (rim[:, :2] + torch.stack([way.cos(), way.sin()], dim=1) * far[:, None]).clamp(0, side)
    at_die = is_die | is_near
    middle = torch.where(at_die[:, None], die[:, :2] + off * die[:, 2:], other)
    sized = torch.exp(rng.normal(_SIZE_JITTER, n))
    free = torch.where(rng.bernoulli(0.6, n), rng.log_uniform(*_NEGATIVE_SCALES, n), sized)
    return middle, usual * torch.where(at_die, sized, free)


def _labeled(renders: Renders, which: Tensor, frames: Frames, turn: Tensor, inputs: Tensor) -> DieCrops:
    """Label crops by the die whose center is nearest."""
    box, seen, up, faces, value, flat, lies = renders.rows(which, "box", "seen", "up", "faces", "value", "flat", "lies")
    n = len(box)
    there = (frames.to(box[..., :2]) - CROP_SIDE / 2) / CROP_DIE_PX
    far = there.norm(dim=2).masked_fill(seen < _MIN_VISIBLE, torch.inf)
    nearest = far.argmin(dim=1)
    row = torch.arange(n, device=box.device)
    size = box[row, nearest, 2] * frames.scale / CROP_DIE_PX
    off, away, seen = there[row, nearest], far[row, nearest] / size, seen[row, nearest]
    is_die = torch.where((away < _IS_DIE) & (size.log().abs() < 0.5), 1, torch.where(away > _IS_NO_DIE, 0, -1))
    is_die = torch.where((is_die == 1) & (seen < _PARTLY_VISIBLE), -1, is_die)
    place = torch.cat([off, size.log()[:, None]], dim=1)
    place = torch.where((away < _HAS_OFFSET)[:, None], place, torch.nan)
    yes = is_die == 1
    unit = _matrix(torch.ones_like(turn), turn)
    normal = (unit @ up[row, nearest][:, :, None])[..., 0]
    turned = faces[row, nearest].clone()
    turned[..., :2] = turned[..., :2] @ unit.mT
    clear = yes & (seen >= _MOSTLY_VISIBLE)
    return DieCrops(
        inputs, is_die, place, torch.where(yes, flat[row, nearest], -1), torch.where(yes, value[row, nearest], -1),
        torch.where(yes[:, None], normal, torch.nan), torch.where(clear, lies[row, nearest], -1),
        torch.where(clear[:, None, None], turned, torch.nan), turn,
    )  # fmt: skip


def with_patterns(crops: DieCrops, bank: Bank, rng: TensorRng) -> DieCrops:
    """Replace the first of the crops by crops of surface patterns, which are negatives; the crops' order is random."""
    art = bank["surfaces"]["art"]
    side = art.shape[1]
    m = round(_PATTERN_SHARE / (1 - _DIE_SHARE) * len(crops.is_die))
    turned = _matrix(rng.log_uniform(0.37, 2.0, m), rng.uniform(0, 6.2832, m))
    frames = Frames(turned, rng.uniform(0.2, 0.8, m, 2) * side, CROP_SIDE)
    canvas = frames.drawn(art[rng.integers(len(art), m)].permute(0, 3, 1, 2))
    crops.inputs[:m, :3] = augmented(canvas, rng)
    crops.is_die[:m] = 0
    for targets in (crops.off, crops.up, crops.faces):
        targets[:m] = torch.nan
    for labels in (crops.flat, crops.value, crops.lies):
        labels[:m] = -1
    return crops


@dataclass(slots=True)
class CanvasTiles:
    """Inputs of the finder, (n, 6, s, s), and its target maps."""

    inputs: Tensor
    heat: Tensor  # (n, 2 h, 2 w), 1 at a die's center
    seen: Tensor  # (n, 2 h, 2 w), 0 where the heat map is not trained
    off: Tensor  # (n, 3, h, w) offset of the center (x, y, cells), log size
    near: Tensor  # (n, h, w), 1 where the offset is trained


def canvas_tiles(renders: Renders, count: int, rng: TensorRng, n: int) -> CanvasTiles:
    """Return ``n`` random canvas tiles of the first ``count`` renders, with their target maps."""
    which = rng.integers(count, n)
    picture, rim, tilt, away, box, seen = renders.rows(which, "picture", "rim", "tilt", "away", "box", "seen")
    tilt_deg = (tilt.cos() + rng.normal(_RATIO_ERROR, n)).clamp(0.5, 1).acos().rad2deg()
    signed = away + rng.normal(1, n) * 0.014 / tilt.clamp(min=0.05) + torch.pi * rng.bernoulli(0.05, n)
    loose = away + torch.where(
        rng.bernoulli(0.5, n), rng.uniform(-_MAX_ROLL_RAD, _MAX_ROLL_RAD, n), rng.uniform(0, 6.2832, n)
    )
    turn = torch.where(tilt_deg >= DIRECTED_FROM_DEG, signed, loose)
    there = seen > _MIN_VISIBLE
    usual = (box[..., 2] * there).sum(dim=1) / there.sum(dim=1).clamp(min=1)
    usual = torch.where(there.any(dim=1), usual, 40.0)
    longer = rim[:, 2]
    size = (usual * rng.log_uniform(*_ZOOM, n) * RIM_PX / longer).clamp(*_EDGES_PX)
    scale = size / usual
    off = rng.normal(_CENTER_ERROR, n, 2) * longer[:, None] / 2
    chosen = (rng.uniform(0, 1, *there.shape) * there).argmax(dim=1)
    shown = box[torch.arange(n, device=box.device), chosen, :2]
    other = rim[:, :2] + rng.uniform(-0.35, 0.35, n, 2) * longer[:, None]
    at = torch.where((there.any(dim=1) & rng.bernoulli(0.9, n))[:, None], shown, other)
    at = at + rng.uniform(-0.25, 0.25, n, 2) * TILE_SIDE / scale[:, None]
    frames = Frames(_matrix(scale, turn), at, TILE_SIDE)
    canvas = augmented(frames.drawn(picture), rng)
    across = scale * longer * torch.exp(rng.normal(_AXIS_ERROR, n))
    tilted = (tilt_deg / TILT_UNIT)[:, None, None, None].expand(-1, 1, TILE_SIDE, TILE_SIDE)
    inputs = torch.cat([canvas, _bowl_positions(frames, rim[:, :2] + off, across), tilted], dim=1)
    return CanvasTiles(inputs, *_maps(frames.to(box[..., :2]) / STRIDE, box[..., 2] * scale[:, None] / STRIDE, seen))


def _maps(at: Tensor, size: Tensor, seen: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    n, m = CELLS, len(at)
    line, fine = torch.arange(n, device=at.device) + 0.5, torch.arange(2 * n, device=at.device) + 0.5
    heat, counts = torch.zeros(m, 2 * n, 2 * n, device=at.device), torch.ones(m, 2 * n, 2 * n, device=at.device)
    off, near = torch.zeros(m, 3, n, n, device=at.device), torch.zeros(m, n, n, device=at.device)
    best = torch.full((m, n, n), torch.inf, device=at.device)
    for die in range(at.shape[1]):
        x, y, long = at[:, die, 0], at[:, die, 1], size[:, die].clamp(min=0.5)
        inside = (x > -long) & (x < n + long) & (y > -long) & (y < n + long) & (seen[:, die] >= _MIN_VISIBLE)
        away = torch.hypot(fine[None, None] - 2 * x[:, None, None], fine[None, :, None] - 2 * y[:, None, None])
        away = away / (2 * long)[:, None, None]
        edge = torch.stack([x, y, n - x, n - y]).amin(dim=0)
        hidden = inside & ((edge < 0.4 * long) | (seen[:, die] < _PARTLY_VISIBLE))
        counts = torch.where(hidden[:, None, None] & (away < 0.55), 0.0, counts)
        good = (inside & ~hidden)[:, None, None]
        heat = torch.where(good, torch.maximum(heat, torch.exp(-(away**2) / (2 * _HEAT_SIGMA**2))), heat)
        cells = (fine[None, None] - 0.5 == (2 * x).floor()[:, None, None]) & (
            fine[None, :, None] - 0.5 == (2 * y).floor()[:, None, None]
        )
        heat = torch.where(good & cells, 1.0, heat)
        dx, dy = x[:, None, None] - line[None, None], y[:, None, None] - line[None, :, None]
        far = torch.hypot(dx, dy) / long[:, None, None]
        mask = good & (far < _OFFSET_RADIUS) & (far < best)
        best, near = torch.where(mask, far, best), torch.where(mask, 1.0, near)
        targets = torch.stack([dx.expand_as(far), dy.expand_as(far),
                            (long * STRIDE / SIZE_UNIT).log()[:, None, None].expand_as(far)], dim=1)  # fmt: skip
        off = torch.where(mask[:, None], targets, off)
    return heat, counts, off, near
