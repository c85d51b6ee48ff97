"""From rendered bowls to what the networks take: close-ups of dice, and canvases on which dice are found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor
from torch.nn import functional

from companion.games.chinchirorin.camera.canvas import CROP_DIE_PX, CROP_SIDE, RIM_PX, SIZE_UNIT, STRIDE, TILT_UNIT
from companion.games.chinchirorin.camera.rim import DIRECTED_FROM_DEG
from tools.training.bowls.casting.develop import spoilt
from tools.training.bowls.casting.scenes import Bank, Chance, constant
from tools.training.bowls.stock import Shots

PIECE: Final = 144
PLACES: Final = PIECE // STRIDE
_DICE, _NEARBY, _PATTERNS = 0.6, 0.3, 0.12  # of close-ups: of a die; of the others: next to one; showing only a pattern
_SCALES: Final = (0.5, 2.5)  # of the size of what is none, by the usual die's
_LEANING, _OFTENER = 0.65, 3.0  # dice whose upper two faces are about as high are shown oftener: they are hard to read
_JITTER, _SIZED = 0.08, 0.13
_IS, _IS_NOT, _TOLD = 0.3, 0.5, 0.6  # of a die's size that its middle is off: a die, none, still worth telling where
_OFTEN_ROUGH, _ROUGH = 0.4, 4.5  # how often the rim is known only roughly, and how much worse
_RATIO_OFF, _CENTER_OFF, _AXIS_OFF = 0.01, 0.015, 0.02
_TILT_OFF_DEG, _FAR_OFF_DEG = 2.2, 6.5  # how far the told tilt is off, both ways: usually, if only roughly known
_UPSIDE_DOWN, _UNTOLD = 0.03, 0.2
_HARDLY, _PARTLY, _MOSTLY = 0.12, 0.3, 0.4
_LEAST_PX: Final = 22.0
_WITHIN: Final = 0.45  # of a die's size that its middle lies within the picture
_ZOOM: Final = (0.44, 0.66)
_EDGES_PX: Final = (13.0, 46.0)  # sizes of dice on a piece
_SPREAD, _NEAR = 0.09, 0.36
_ROLL: Final = 0.87


@dataclass(slots=True)
class CloseUps:
    """What the network that reads a die takes, (n, 7, s, s), and what it should say: -1 or NaN where it is not said."""

    inputs: Tensor
    is_die: Tensor
    off: Tensor
    flat: Tensor
    value: Tensor
    up: Tensor
    lies: Tensor
    faces: Tensor
    turn: Tensor  # of the close-up, radians

    def __getitem__(self, rows: Tensor) -> CloseUps:
        return CloseUps(*(getattr(self, name)[rows] for name in self.__slots__))


def joined(parts: list[CloseUps]) -> CloseUps:
    return CloseUps(*(torch.cat([getattr(part, name) for part in parts]) for name in CloseUps.__slots__))


@dataclass(slots=True)
class Frames:
    """How pictures are laid onto canvases: see `companion.games.chinchirorin.camera.canvas.Frame`."""

    matrix: Tensor  # (n, 2, 2)
    middle: Tensor  # of the canvas, in the picture
    side: int

    @property
    def scale(self) -> Tensor:
        """Canvas pixels by picture pixel."""
        return self.matrix[:, 0].norm(dim=1)

    def to(self, points: Tensor) -> Tensor:
        """Return picture points (n, m, 2) on the canvas."""
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


def closeups(shots: Shots, count: int, chance: Chance, n: int, dice: float = _DICE) -> CloseUps:
    """Return chance close-ups of the first ``count`` shots, and what they show.

    Args:
        dice: the share that shows a die.
    """
    which = chance.integers(count, n)
    rim, box, seen, margin = shots.rows(which, "rim", "box", "seen", "margin")
    middle, size = _places(box, seen, rim, margin, shots.picture.shape[-1], chance, dice)
    ups = closeups_at(shots, which, middle, size, chance)
    ups.inputs[:, :3] = spoilt(ups.inputs[:, :3], chance)
    return ups


def closeups_at(
    shots: Shots, which: Tensor, middle: Tensor, size: Tensor, chance: Chance, untold: float = _UNTOLD
) -> CloseUps:
    """Return close-ups (n) of places of shots, with the rim as a camera's picture tells it.

    Args:
        untold: the share that does not tell how the camera is tilted.
    """
    n = len(which)
    picture, rim, tilt, away = shots.rows(which, "picture", "rim", "tilt", "away")
    is_rough = chance.often(_OFTEN_ROUGH, n)
    rough = torch.where(is_rough, _ROUGH, 1.0)
    center = rim[:, :2] + chance.normal(1, n, 2) * (rough * _CENTER_OFF * rim[:, 2] / 2)[:, None]
    across = rim[:, 2] * torch.exp(chance.normal(1, n) * rough * _AXIS_OFF)
    turn = chance.uniform(0, 2 * torch.pi, n)
    scale = CROP_DIE_PX / size
    frames = Frames(_matrix(scale, turn), middle, CROP_SIDE)
    away = away - turn + torch.pi * chance.often(_UPSIDE_DOWN, n)
    tilted = tilt.rad2deg()[:, None] * torch.stack([away.sin(), -away.cos()], dim=1)
    tilted = tilted + torch.where(is_rough, _FAR_OFF_DEG, _TILT_OFF_DEG)[:, None] * chance.normal(1, n, 2)
    tilted = torch.where(chance.often(untold, n, 1), 0.0, tilted / TILT_UNIT)
    inputs = torch.cat([frames.drawn(picture), _where(frames, center, scale * across),
                        tilted[..., None, None].expand(-1, -1, CROP_SIDE, CROP_SIDE)], dim=1)  # fmt: skip
    return _told(shots, which, frames, turn, inputs)


def _where(frames: Frames, center: Tensor, across: Tensor) -> Tensor:
    """Return where in the bowl each pixel lies, by the rim's longer half axis, (n, 2, side, side)."""
    line = torch.arange(frames.side, device=center.device) + 0.5 - frames.side / 2
    y, x = torch.meshgrid(line, line, indexing="ij")
    off = frames.side / 2 - frames.to(center[:, None])[:, 0]
    return (torch.stack([x, y])[None] + off[:, :, None, None]) * (2 / across)[:, None, None, None]


def _places(
    box: Tensor, seen: Tensor, rim: Tensor, margin: Tensor, side: int, chance: Chance, share: float
) -> tuple[Tensor, Tensor]:
    """Return the middles and sizes of what close-ups show: a die, something next to one, or any place of any size."""
    n = len(box)
    spare = _WITHIN * box[..., 2:]
    in_picture = ((box[..., :2] > spare) & (box[..., :2] < side - spare)).all(dim=2)
    may = (box[..., 2] > _LEAST_PX) & (seen > _HARDLY) & in_picture
    has = may.any(dim=1)
    often = torch.where(margin < _LEANING, 1 / _OFTENER, 1.0)
    chosen = (chance.uniform(0, 1, *may.shape) ** often * may).argmax(dim=1)
    die = box[torch.arange(n, device=box.device), chosen]
    usual = torch.where(has, die[:, 2], (rim[:, 2] / 6).clamp(min=_LEAST_PX))
    draw = chance.uniform(0, 1, n)
    is_die, is_near = has & (draw < share), has & (draw >= share) & (draw < share + (1 - share) * _NEARBY)
    way = chance.uniform(0, 2 * torch.pi, n)
    off = torch.stack([way.cos(), way.sin()], dim=1) * chance.uniform(0.3, 1.0, n, 1)
    off = torch.where(is_die[:, None], chance.normal(_JITTER, n, 2), off)
    far = 1.15 * rim[:, 2] / 2 * chance.uniform(0, 1, n).sqrt()
    other = (rim[:, :2] + torch.stack([way.cos(), way.sin()], dim=1) * far[:, None]).clamp(0, side)
    at_die = is_die | is_near
    middle = torch.where(at_die[:, None], die[:, :2] + off * die[:, 2:], other)
    sized = torch.exp(chance.normal(_SIZED, n))
    free = torch.where(chance.often(0.6, n), chance.log(*_SCALES, n), sized)
    return middle, usual * torch.where(at_die, sized, free)


def _told(shots: Shots, which: Tensor, frames: Frames, turn: Tensor, inputs: Tensor) -> CloseUps:
    """Return what close-ups show, by the die whose middle is nearest."""
    box, seen, up, faces, value, flat, lies = shots.rows(which, "box", "seen", "up", "faces", "value", "flat", "lies")
    n = len(box)
    there = (frames.to(box[..., :2]) - CROP_SIDE / 2) / CROP_DIE_PX
    far = there.norm(dim=2).masked_fill(seen < _HARDLY, torch.inf)
    nearest = far.argmin(dim=1)
    row = torch.arange(n, device=box.device)
    size = box[row, nearest, 2] * frames.scale / CROP_DIE_PX
    off, away, seen = there[row, nearest], far[row, nearest] / size, seen[row, nearest]
    is_die = torch.where((away < _IS) & (size.log().abs() < 0.5), 1, torch.where(away > _IS_NOT, 0, -1))
    is_die = torch.where((is_die == 1) & (seen < _PARTLY), -1, is_die)
    place = torch.cat([off, size.log()[:, None]], dim=1)
    place = torch.where((away < _TOLD)[:, None], place, torch.nan)
    yes = is_die == 1
    unit = _matrix(torch.ones_like(turn), turn)
    normal = (unit @ up[row, nearest][:, :, None])[..., 0]
    turned = faces[row, nearest].clone()
    turned[..., :2] = turned[..., :2] @ unit.mT
    clear = yes & (seen >= _MOSTLY)
    return CloseUps(
        inputs, is_die, place, torch.where(yes, flat[row, nearest], -1), torch.where(yes, value[row, nearest], -1),
        torch.where(yes[:, None], normal, torch.nan), torch.where(clear, lies[row, nearest], -1),
        torch.where(clear[:, None, None], turned, torch.nan), turn,
    )  # fmt: skip


def patterned(ups: CloseUps, bank: Bank, chance: Chance) -> CloseUps:
    """Return close-ups without a die, the first of them showing a pattern instead: they are in no order."""
    art = bank["surfaces"]["art"]
    side = art.shape[1]
    m = round(_PATTERNS / (1 - _DICE) * len(ups.is_die))
    turned = _matrix(chance.log(0.37, 2.0, m), chance.uniform(0, 6.2832, m))
    frames = Frames(turned, chance.uniform(0.2, 0.8, m, 2) * side, CROP_SIDE)
    canvas = frames.drawn(art[chance.integers(len(art), m)].permute(0, 3, 1, 2))
    ups.inputs[:m, :3] = spoilt(canvas, chance)
    ups.is_die[:m] = 0
    for told in (ups.off, ups.up, ups.faces):
        told[:m] = torch.nan
    for said in (ups.flat, ups.value, ups.lies):
        said[:m] = -1
    return ups


@dataclass(slots=True)
class Pieces:
    """What the network that finds dice takes, (n, 6, s, s), and its maps."""

    inputs: Tensor
    heat: Tensor  # (n, 2 h, 2 w), 1 at a die's middle
    seen: Tensor  # the same, 0 where it does not count
    off: Tensor  # (n, 3, h, w)
    near: Tensor  # (n, h, w)


def pieces(shots: Shots, count: int, chance: Chance, n: int) -> Pieces:
    """Return chance pieces of canvases of the first ``count`` shots, and their maps."""
    which = chance.integers(count, n)
    picture, rim, tilt, away, box, seen = shots.rows(which, "picture", "rim", "tilt", "away", "box", "seen")
    told_deg = (tilt.cos() + chance.normal(_RATIO_OFF, n)).clamp(0.5, 1).acos().rad2deg()
    signed = away + chance.normal(1, n) * 0.014 / tilt.clamp(min=0.05) + torch.pi * chance.often(0.05, n)
    loose = away + torch.where(chance.often(0.5, n), chance.uniform(-_ROLL, _ROLL, n), chance.uniform(0, 6.2832, n))
    turn = torch.where(told_deg >= DIRECTED_FROM_DEG, signed, loose)
    there = seen > _HARDLY
    usual = (box[..., 2] * there).sum(dim=1) / there.sum(dim=1).clamp(min=1)
    usual = torch.where(there.any(dim=1), usual, 40.0)
    longer = rim[:, 2]
    size = (usual * chance.log(*_ZOOM, n) * RIM_PX / longer).clamp(*_EDGES_PX)
    scale = size / usual
    off = chance.normal(_CENTER_OFF, n, 2) * longer[:, None] / 2
    chosen = (chance.uniform(0, 1, *there.shape) * there).argmax(dim=1)
    shown = box[torch.arange(n, device=box.device), chosen, :2]
    other = rim[:, :2] + chance.uniform(-0.35, 0.35, n, 2) * longer[:, None]
    at = torch.where((there.any(dim=1) & chance.often(0.9, n))[:, None], shown, other)
    at = at + chance.uniform(-0.25, 0.25, n, 2) * PIECE / scale[:, None]
    frames = Frames(_matrix(scale, turn), at, PIECE)
    canvas = spoilt(frames.drawn(picture), chance)
    across = scale * longer * torch.exp(chance.normal(_AXIS_OFF, n))
    tilted = (told_deg / TILT_UNIT)[:, None, None, None].expand(-1, 1, PIECE, PIECE)
    inputs = torch.cat([canvas, _where(frames, rim[:, :2] + off, across), tilted], dim=1)
    return Pieces(inputs, *_maps(frames.to(box[..., :2]) / STRIDE, box[..., 2] * scale[:, None] / STRIDE, seen))


def _maps(at: Tensor, size: Tensor, seen: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    n, m = PLACES, len(at)
    line, fine = torch.arange(n, device=at.device) + 0.5, torch.arange(2 * n, device=at.device) + 0.5
    heat, counts = torch.zeros(m, 2 * n, 2 * n, device=at.device), torch.ones(m, 2 * n, 2 * n, device=at.device)
    off, near = torch.zeros(m, 3, n, n, device=at.device), torch.zeros(m, n, n, device=at.device)
    best = torch.full((m, n, n), torch.inf, device=at.device)
    for die in range(at.shape[1]):
        x, y, long = at[:, die, 0], at[:, die, 1], size[:, die].clamp(min=0.5)
        inside = (x > -long) & (x < n + long) & (y > -long) & (y < n + long) & (seen[:, die] >= _HARDLY)
        away = torch.hypot(fine[None, None] - 2 * x[:, None, None], fine[None, :, None] - 2 * y[:, None, None])
        away = away / (2 * long)[:, None, None]
        edge = torch.stack([x, y, n - x, n - y]).amin(dim=0)
        hidden = inside & ((edge < 0.4 * long) | (seen[:, die] < _PARTLY))
        counts = torch.where(hidden[:, None, None] & (away < 0.55), 0.0, counts)
        good = (inside & ~hidden)[:, None, None]
        heat = torch.where(good, torch.maximum(heat, torch.exp(-(away**2) / (2 * _SPREAD**2))), heat)
        cells = (fine[None, None] - 0.5 == (2 * x).floor()[:, None, None]) & (
            fine[None, :, None] - 0.5 == (2 * y).floor()[:, None, None]
        )
        heat = torch.where(good & cells, 1.0, heat)
        dx, dy = x[:, None, None] - line[None, None], y[:, None, None] - line[None, :, None]
        far = torch.hypot(dx, dy) / long[:, None, None]
        mine = good & (far < _NEAR) & (far < best)
        best, near = torch.where(mine, far, best), torch.where(mine, 1.0, near)
        told = torch.stack([dx.expand_as(far), dy.expand_as(far),
                            (long * STRIDE / SIZE_UNIT).log()[:, None, None].expand_as(far)], dim=1)  # fmt: skip
        off = torch.where(mine[:, None], told, off)
    return heat, counts, off, near
