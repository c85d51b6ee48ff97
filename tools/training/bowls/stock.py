"""Rendered bowls in the device's memory, with what is known of them; new ones take the places of the oldest."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Final

import torch
from torch import Tensor
from torch.nn import functional

from tools.training.bowls.casting.develop import developed
from tools.training.bowls.casting.faces import normals
from tools.training.bowls.casting.light import rendered
from tools.training.bowls.casting.scenes import Bank, Chance, Kind, Scenes, chance_scenes, constant

SIDES: Final[Mapping[Kind, int]] = {"close": 192, "bowl": 272, "view": 160}
_SURE, _COCKED = 0.28, 0.21  # of the way up from an edge to a face on which a die lies flat
_LIES, _TIPPED = 0.1, 0.22
_WHOLE, _COVERED = 0.66, 0.5  # of a die that is seen: from here on, up to here
_FULL, _FEW = 3, 4  # of ten batches those with any number of dice; the others' most
_OF_DICE: Final = ("box", "seen", "up", "faces", "value", "flat", "lies", "margin", "gap")
_CORNERS: Final = tuple((x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5))


@dataclass(slots=True)
class Shots:
    """Pictures and what they show, (n, ...) each; of dice (n, d, ...), -1 where something is not said."""

    picture: Tensor  # uint8 (n, 3, side, side) BGR
    inside: Tensor  # whether places lie within the rim, 0 to 1 (n, side / 4, side / 4)
    rim: Tensor  # x, y of its middle, its longer axis
    tilt: Tensor
    away: Tensor  # clockwise from the picture's upper side, radians
    box: Tensor  # x, y of the middle, size
    seen: Tensor  # 0 where there is no die
    up: Tensor  # of the upper face's normal: right, down
    faces: Tensor  # normals of faces 1, 2 and 3: right, down, towards the camera
    value: Tensor
    flat: Tensor
    lies: Tensor
    margin: Tensor  # of the heights of the upper two faces' normals: 0 on an edge
    gap: Tensor  # edges that a die's base is off the bowl

    def __len__(self) -> int:
        return len(self.picture)

    def rows(self, which: Tensor, *names: str) -> tuple[Tensor, ...]:
        return tuple(getattr(self, name)[which] for name in names)


@dataclass(slots=True)
class Stock:
    """The newest pictures of a kind; ``count`` is how many were ever put in."""

    kind: Kind
    most: int
    shots: Shots | None = None
    count: int = field(default=0)

    def __len__(self) -> int:
        return min(self.count, self.most)

    def add(self, bank: Bank, chance: Chance, scenes: int) -> None:
        """Render some scenes more: mostly of few dice, which takes half the time; some with softer shadows."""
        batch = self.count // scenes
        is_full, samples = batch % 10 < _FULL, 1 + batch % 2
        with torch.no_grad():
            drawn = chance_scenes(bank, chance, scenes, self.kind, SIDES[self.kind], few=None if is_full else _FEW)
            new = whole(shots_of(drawn, bank, chance, samples), bank["throws"]["middle"].shape[1])
        if self.shots is None:
            empty = {each.name: getattr(new, each.name).new_zeros((self.most, *getattr(new, each.name).shape[1:]))
                     for each in fields(Shots)}  # fmt: skip
            self.shots = Shots(**empty)
        at = (torch.arange(scenes, device=new.tilt.device) + self.count) % self.most
        for each in fields(Shots):
            getattr(self.shots, each.name)[at] = getattr(new, each.name)
        self.count += scenes


def whole(shots: Shots, dice: int) -> Shots:
    """Return shots with room for more dice, of which none is there."""
    done, more = {each.name: getattr(shots, each.name) for each in fields(Shots)}, dice - shots.seen.shape[1]
    for name in _OF_DICE if more else ():
        none = done[name].new_zeros((len(shots), more, *done[name].shape[2:]))
        done[name] = torch.cat([done[name], none], dim=1)
    return Shots(**done)


def shots_of(scenes: Scenes, bank: Bank, chance: Chance, samples: int = 2) -> Shots:
    """Return the pictures of scenes, and what is known of them."""
    picture, hits = rendered(scenes, bank, chance, samples)
    b, d = scenes.there.shape
    visible = torch.stack([(hits.what == die + 1).sum(dim=1) for die in range(d)], dim=1).float()
    box, hull = _boxes(scenes)
    seen = (visible / hull.clamp(min=1)).clamp(max=1) * scenes.there
    inside = functional.avg_pool2d(hits.inside.float().view(b, 1, scenes.side, scenes.side), 4)[:, 0]
    cube = normals(box.device)
    world = scenes.turn @ cube.T  # columns: faces
    value, flat, lies, top, margin = _said(scenes, world[:, :, 2], seen)
    shown = torch.einsum("bij,bdjk->bdik", scenes.axes, world)
    up = shown.gather(3, top[..., None, None].expand(-1, -1, 3, 1))[..., 0]
    up = torch.stack([up[..., 0], -up[..., 1]], dim=2)
    return Shots(developed(picture, chance), inside, _rims(scenes), scenes.tilt, _away(scenes), box, seen, up,
                 _faces(scenes, world), value, flat, lies, margin, scenes.gap)  # fmt: skip


def _said(scenes: Scenes, heights: Tensor, seen: Tensor) -> tuple[Tensor, ...]:
    """Return the dice's values, whether they have one, whether they lie on a face, which is the upper, by how much."""
    top = heights.argmax(dim=2)
    first, second = heights.topk(2, dim=2).values.unbind(dim=2)
    margin = first - second
    out = scenes.middle[..., :2].norm(dim=2) > scenes.bowl[:, :1] + 0.3
    sure, cocked = out | (margin > _SURE), ~out & (margin < _COCKED)
    unsaid = torch.full_like(top, -1)
    flat = torch.where(sure, 1, torch.where(cocked, 0, unsaid))
    flat = torch.where(seen < _COVERED, 0, torch.where(seen < _WHOLE, -1, flat))
    value = scenes.look["layout"].gather(2, top[..., None])[..., 0] - 1
    value = torch.where(flat == 1, value, unsaid)
    lies = torch.where(scenes.gap < _LIES, 1, torch.where(scenes.gap > _TIPPED, 0, unsaid))
    lies = torch.where(seen < _COVERED, 0, torch.where(seen < _WHOLE, -1, lies))
    return value, flat, lies, top, margin


def _faces(scenes: Scenes, world: Tensor) -> Tensor:
    """Return where faces 1, 2 and 3 look, as seen along the way from the camera to each die, (b, d, 3, 3)."""
    back = functional.normalize(scenes.eye[:, None] - scenes.middle, dim=2)
    right = functional.normalize(torch.linalg.cross(scenes.axes[:, None, 1].expand_as(back), back), dim=2)
    seen = torch.stack([right, torch.linalg.cross(right, back), back], dim=2) @ world  # (b, d, 3, faces)
    which = torch.stack([(scenes.look["layout"] == value).int().argmax(dim=2) for value in (1, 2, 3)], dim=2)
    return seen.gather(3, which[:, :, None].expand(-1, -1, 3, -1)).mT


def _boxes(scenes: Scenes) -> tuple[Tensor, Tensor]:
    """Return the middles and sizes of the dice's outlines (b, d, 3), and how many pixels each fills (b, d)."""
    b, d = scenes.there.shape
    corners = 0.96 * constant(_CORNERS, scenes.eye.device) @ scenes.turn.mT + scenes.middle[:, :, None]
    flat = scenes.project(corners.view(b, -1, 3)).view(b, d, 8, 2)
    low, high = flat.amin(dim=2), flat.amax(dim=2)
    box = torch.cat([(low + high) / 2, (high - low).amax(dim=2, keepdim=True)], dim=2)
    rings = ((0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5))
    hull = torch.zeros(b, d, device=flat.device)
    for ring in rings:
        corner = flat[:, :, list(ring)]
        after = corner.roll(-1, dims=2)
        hull += (corner[..., 0] * after[..., 1] - corner[..., 1] * after[..., 0]).sum(dim=2).abs() / 4
    return box, hull


def _rims(scenes: Scenes) -> Tensor:
    """Return the middles and longer axes of the ellipses that the rims are, (b, 3)."""
    turn = torch.linspace(0, 6.2832, 49, device=scenes.eye.device)[:-1]
    ring = torch.stack([turn.cos(), turn.sin(), torch.zeros_like(turn)], dim=1) * scenes.bowl[:, None, :1]
    ring[..., 2] = scenes.bowl[:, 1, None]
    flat = scenes.project(ring)
    about = flat.mean(dim=1, keepdim=True)
    unit = (flat - about).abs().amax(dim=(1, 2), keepdim=True)
    x, y = ((flat - about) / unit).double().unbind(dim=2)
    rows = torch.stack([x * x, x * y, y * y, x, y], dim=2)
    a, b, c, d, e = torch.linalg.solve(rows.mT @ rows, rows.sum(dim=1)).unbind(dim=1)
    form = torch.stack([2 * a, b, b, 2 * c], dim=1).view(-1, 2, 2)
    middle = torch.linalg.solve(form, -torch.stack([d, e], dim=1))
    level = 1 - (torch.stack([d, e], dim=1) * middle).sum(dim=1) / 2
    least = (a + c - torch.hypot(a - c, b)) / 2
    longer = 2 * (level / least).sqrt()
    found = torch.cat([middle * unit[:, 0] + about[:, 0], (longer * unit[:, 0, 0])[:, None]], dim=1)
    return found.float()


def _away(scenes: Scenes) -> Tensor:
    """Return which way leads away from the cameras."""
    back = scenes.axes[:, 2]
    far = torch.zeros_like(back)
    far[:, :2] = -functional.normalize(back[:, :2], dim=1)
    start, end = scenes.project(torch.stack([torch.zeros_like(far), far], dim=1)).unbind(dim=1)
    return torch.atan2((end - start)[:, 0], -(end - start)[:, 1])
