"""A ring buffer of labeled bowl renders in device memory."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Final

import torch
from torch import Tensor
from torch.nn import functional

from tools.training.bowls.casting.develop import developed
from tools.training.bowls.casting.faces import normals
from tools.training.bowls.casting.light import rendered
from tools.training.bowls.casting.scenes import Bank, Framing, Scenes, TensorRng, constant, random_scenes

SIDES: Final[Mapping[Framing, int]] = {"close": 192, "bowl": 272, "view": 160}
_CLEAR_MARGIN, _COCKED_MARGIN = 0.28, 0.21  # of `Renders.margin`: a clear upper face above, cocked below
_RESTING_GAP, _TIPPED_GAP = 0.1, 0.22  # of `Renders.gap`: lies on a face below, does not above
_VISIBLE_SHARE, _OCCLUDED_SHARE = 0.66, 0.5  # a die's visible share: labeled normally above, as unreadable below
_FULL_BATCHES, _FEW_DICE = 3, 4  # batches of ten with any number of dice; the maximum number in the others
_DICE_FIELDS: Final = ("box", "seen", "up", "faces", "value", "flat", "lies", "margin", "gap")
_CORNERS: Final = tuple((x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5))


@dataclass(slots=True)
class Renders:
    """Pictures with labels, (n, ...) each; labels of dice (n, d, ...), -1 for unknown."""

    picture: Tensor  # uint8 (n, 3, side, side) BGR
    inside: Tensor  # share of each cell that lies within the rim, (n, side / 4, side / 4)
    rim: Tensor  # x, y of the ellipse's center, its longer axis; pixels
    tilt: Tensor  # of the camera, radians
    away: Tensor  # direction away from the camera, clockwise from the picture's upper side, radians
    box: Tensor  # x, y of the center, size; pixels
    seen: Tensor  # visible share of the die, 0 without a die
    up: Tensor  # the upper face's normal: right, down
    faces: Tensor  # normals of faces 1, 2 and 3: right, down, towards the camera
    value: Tensor  # 0 to 5
    flat: Tensor  # 1 if the die has a clear upper face that is visible, else 0
    lies: Tensor  # 1 if the die lies on a face, else 0
    margin: Tensor  # difference in height of the two upper faces' normals: 0 on an edge
    gap: Tensor  # distance of the die's base from the bowl, in edges

    def __len__(self) -> int:
        return len(self.picture)

    def rows(self, which: Tensor, *names: str) -> tuple[Tensor, ...]:
        return tuple(getattr(self, name)[which] for name in names)


@dataclass(slots=True)
class RenderBuffer:
    """The newest renders of one framing; ``count`` is the number ever added."""

    framing: Framing
    capacity: int
    renders: Renders | None = None
    count: int = field(default=0)

    def __len__(self) -> int:
        return min(self.count, self.capacity)

    def add(self, bank: Bank, rng: TensorRng, scenes: int) -> None:
        """Render and add some scenes.

        Most batches have few dice, which halves the rendering time; every second has softer shadows.
        """
        batch = self.count // scenes
        is_full, samples = batch % 10 < _FULL_BATCHES, 1 + batch % 2
        with torch.no_grad():
            scenes_drawn = random_scenes(
                bank, rng, scenes, self.framing, SIDES[self.framing], max_dice=None if is_full else _FEW_DICE
            )
            new = padded(render_scenes(scenes_drawn, bank, rng, samples), bank["throws"]["middle"].shape[1])
        if self.renders is None:
            empty = {each.name: getattr(new, each.name).new_zeros((self.capacity, *getattr(new, each.name).shape[1:]))
                     for each in fields(Renders)}  # fmt: skip
            self.renders = Renders(**empty)
        at = (torch.arange(scenes, device=new.tilt.device) + self.count) % self.capacity
        for each in fields(Renders):
            getattr(self.renders, each.name)[at] = getattr(new, each.name)
        self.count += scenes


def padded(renders: Renders, dice: int) -> Renders:
    """Return renders padded with absent dice to the given number of dice."""
    done, more = {each.name: getattr(renders, each.name) for each in fields(Renders)}, dice - renders.seen.shape[1]
    for name in _DICE_FIELDS if more else ():
        none = done[name].new_zeros((len(renders), more, *done[name].shape[2:]))
        done[name] = torch.cat([done[name], none], dim=1)
    return Renders(**done)


def render_scenes(scenes: Scenes, bank: Bank, rng: TensorRng, samples: int = 2) -> Renders:
    """Return the pictures of scenes with their labels."""
    picture, hits = rendered(scenes, bank, rng, samples)
    b, d = scenes.is_present.shape
    visible = torch.stack([(hits.what == die + 1).sum(dim=1) for die in range(d)], dim=1).float()
    box, hull = _boxes(scenes)
    seen = (visible / hull.clamp(min=1)).clamp(max=1) * scenes.is_present
    inside = functional.avg_pool2d(hits.inside.float().view(b, 1, scenes.side, scenes.side), 4)[:, 0]
    cube = normals(box.device)
    world = scenes.turn @ cube.T  # columns: faces
    value, flat, lies, top, margin = _labels(scenes, world[:, :, 2], seen)
    shown = torch.einsum("bij,bdjk->bdik", scenes.axes, world)
    up = shown.gather(3, top[..., None, None].expand(-1, -1, 3, 1))[..., 0]
    up = torch.stack([up[..., 0], -up[..., 1]], dim=2)
    return Renders(developed(picture, rng), inside, _rims(scenes), scenes.tilt, _away(scenes), box, seen, up,
                 _faces(scenes, world), value, flat, lies, margin, scenes.gap)  # fmt: skip


def _labels(scenes: Scenes, heights: Tensor, seen: Tensor) -> tuple[Tensor, ...]:
    """Return the labels value, flat and lies, the upper face's index and the margin to the next, (b, d) each."""
    top = heights.argmax(dim=2)
    first, second = heights.topk(2, dim=2).values.unbind(dim=2)
    margin = first - second
    out = scenes.middle[..., :2].norm(dim=2) > scenes.bowl[:, :1] + 0.3
    sure, cocked = out | (margin > _CLEAR_MARGIN), ~out & (margin < _COCKED_MARGIN)
    unknown = torch.full_like(top, -1)
    flat = torch.where(sure, 1, torch.where(cocked, 0, unknown))
    flat = torch.where(seen < _OCCLUDED_SHARE, 0, torch.where(seen < _VISIBLE_SHARE, -1, flat))
    value = scenes.appearance["layout"].gather(2, top[..., None])[..., 0] - 1
    value = torch.where(flat == 1, value, unknown)
    lies = torch.where(scenes.gap < _RESTING_GAP, 1, torch.where(scenes.gap > _TIPPED_GAP, 0, unknown))
    lies = torch.where(seen < _OCCLUDED_SHARE, 0, torch.where(seen < _VISIBLE_SHARE, -1, lies))
    return value, flat, lies, top, margin


def _faces(scenes: Scenes, world: Tensor) -> Tensor:
    """Return the normals of faces 1, 2 and 3 in the axes of the line of sight to each die, (b, d, 3, 3)."""
    back = functional.normalize(scenes.eye[:, None] - scenes.middle, dim=2)
    right = functional.normalize(torch.linalg.cross(scenes.axes[:, None, 1].expand_as(back), back), dim=2)
    seen = torch.stack([right, torch.linalg.cross(right, back), back], dim=2) @ world  # (b, d, 3, faces)
    which = torch.stack([(scenes.appearance["layout"] == value).int().argmax(dim=2) for value in (1, 2, 3)], dim=2)
    return seen.gather(3, which[:, :, None].expand(-1, -1, 3, -1)).mT


def _boxes(scenes: Scenes) -> tuple[Tensor, Tensor]:
    """Return the centers and sizes of the dice's outlines (b, d, 3), and their areas in pixels (b, d)."""
    b, d = scenes.is_present.shape
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
    """Fit ellipses to the projected rims; return their centers and longer axes, (b, 3)."""
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
    """Return the direction in the picture that leads away from the camera, (b,)."""
    back = scenes.axes[:, 2]
    far = torch.zeros_like(back)
    far[:, :2] = -functional.normalize(back[:, :2], dim=1)
    start, end = scenes.project(torch.stack([torch.zeros_like(far), far], dim=1)).unbind(dim=1)
    return torch.atan2((end - start)[:, 0], -(end - start)[:, 1])
