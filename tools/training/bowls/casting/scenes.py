"""Random scenes as tensors, one scene per row: a bowl, its dice, lamps, table and camera."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

import torch
from torch import Tensor

Framing = Literal["close", "bowl", "view"]
"""What a render shows: "close" the dice in close-up; "bowl" the whole bowl, or a part if its dice would be too small;
"view" the bowl on its table from farther away."""
MIN_EDGE_PX: Final = 15.0
_CLOSE_EDGES_PX: Final = (26.0, 60.0)
_MAX_TILT_RAD: Final = 0.63  # of the camera
_WHITE_SHARE, _BOWL_COLOR_SHARE, _MIXED_SHARE = 0.25, 0.15, 0.2
"""Shares of scenes with white or ivory dice and with dice of the bowl's color; of dice of another design than usual."""

_BARE_TABLE_SHARE: Final = 0.08
_CANDIDATES_PER_SCENE: Final = 3

Bank = Mapping[str, Mapping[str, Tensor]]
"""The arrays of each part (see `parts.PARTS`); their first axis runs over the individual dice, surfaces ..."""


@cache
def constant(values: tuple[object, ...], device: torch.device) -> Tensor:
    """Return a cached tensor on a device; copying it there in every call would wait for all queued GPU work."""
    return torch.tensor(values, device=device)


@dataclass(slots=True)
class TensorRng:
    """Random tensors from one generator, on its device."""

    generator: torch.Generator

    @property
    def device(self) -> torch.device:
        return self.generator.device

    def uniform(self, low: float, high: float, *shape: int) -> Tensor:
        return low + (high - low) * torch.rand(shape, generator=self.generator, device=self.device)

    def log_uniform(self, low: float, high: float, *shape: int) -> Tensor:
        return torch.exp(self.uniform(float(torch.tensor(low).log()), float(torch.tensor(high).log()), *shape))

    def normal(self, spread: float, *shape: int) -> Tensor:
        return spread * torch.randn(shape, generator=self.generator, device=self.device)

    def integers(self, high: int, *shape: int) -> Tensor:
        return torch.randint(high, shape, generator=self.generator, device=self.device)

    def bernoulli(self, share: float, *shape: int) -> Tensor:
        return self.uniform(0, 1, *shape) < share


@dataclass(slots=True)
class Scenes:
    """A batch of scenes: fields are (b, ...), those of dice (b, d, ...) with `is_present` false in unused places.

    Lengths are in die edges; colors are linear BGR. A rotation matrix takes a die's axes to the world's.
    """

    bowl: Tensor  # radius, height, depth, power, flat, lip, foot
    middle: Tensor
    turn: Tensor
    gap: Tensor
    is_present: Tensor
    appearance: Mapping[str, Tensor]  # the dice's appearance, (b, d, ...); `number` is the die's index in the bank
    art: Mapping[str, Tensor]  # inner, outer, table: index of the surface in the bank
    span: Mapping[str, Tensor]  # side of the square that each surface's texture covers
    polish: Mapping[str, Tensor]  # gloss, metal, rough
    lamp: Tensor  # direction, angular size, color
    ambient: Tensor
    sky: Tensor  # index of the environment map in the bank
    exposure: Tensor
    eye: Tensor  # the camera's position
    axes: Tensor  # rows: right, up, towards the camera
    focal: Tensor
    tilt: Tensor
    side: int

    def __len__(self) -> int:
        return len(self.bowl)

    def project(self, points: Tensor) -> Tensor:
        """Project world points (b, n, 3) to pixels (b, n, 2)."""
        seen = (points - self.eye[:, None]) @ self.axes.mT
        flat = seen[..., :2] * (self.focal[:, None] / -seen[..., 2])[..., None]
        return flat * constant((1.0, -1.0), flat.device) + self.side / 2


def random_scenes(
    bank: Bank, rng: TensorRng, count: int, framing: Framing, side: int, max_dice: int | None = None
) -> Scenes:
    """Return scenes assembled from randomly chosen parts.

    Args:
        side: of the render, pixels.
        max_dice: in each scene.
    """
    throws, surfaces, lights = bank["throws"], bank["surfaces"], bank["lights"]
    rows = rng.integers(len(throws["bowl"]), count)
    if max_dice is not None:
        candidates = rng.integers(len(throws["bowl"]), _CANDIDATES_PER_SCENE * count)
        rows = candidates[(throws["count"][candidates] > max_dice).to(torch.uint8).argsort(stable=True)[:count]]
    most = max_dice or throws["middle"].shape[1]
    bowl, is_present = throws["bowl"][rows], _present_dice(throws["count"][rows], most)
    middle, turn = _rotated(throws["middle"][rows, :most], throws["turn"][rows, :most], rng)
    inner = rng.integers(len(surfaces["polish"]), count)
    outer = torch.where(rng.bernoulli(0.4, count), inner, rng.integers(len(surfaces["polish"]), count))
    table = rng.integers(len(surfaces["polish"]), count)
    art = {"inner": inner, "outer": outer, "table": table}
    span = {"inner": 2 * bowl[:, 0], "outer": 2.6 * bowl[:, 0], "table": rng.uniform(3, 7, count) * bowl[:, 0]}
    polish = {name: surfaces["polish"][which] for name, which in art.items()}
    polish["table"] = polish["table"] * constant((0.5, 0.0, 1.0), rng.device)
    light = rng.integers(len(lights["ambient"]), count)
    mean = _mean_colors(surfaces, inner)
    appearance = _random_appearance(bank["dice"], rng, count, is_present.shape[1], mean)
    eye, axes, focal, tilt = _cameras(rng, bowl, middle, is_present, framing, side)
    return Scenes(bowl, middle, turn, throws["gap"][rows, :most], is_present, appearance, art, span, polish,
                  lights["lamp"][light], lights["ambient"][light], light, rng.log_uniform(0.6, 1.3, count), eye, axes,
                  focal, tilt, side)  # fmt: skip


def _present_dice(count: Tensor, most: int) -> Tensor:
    return torch.arange(most, device=count.device)[None] < count[:, None]


def _rotated(middle: Tensor, turn: Tensor, rng: TensorRng) -> tuple[Tensor, Tensor]:
    """Return throws rotated randomly about the bowl's axis, so that one throw is seen from all sides."""
    angle = rng.uniform(0, 6.2832, len(middle))
    c, s, o, e = angle.cos(), angle.sin(), torch.zeros_like(angle), torch.ones_like(angle)
    spin = torch.stack([c, -s, o, s, c, o, o, o, e], dim=1).reshape(-1, 3, 3)
    return middle @ spin.mT, spin[:, None] @ turn


def _mean_colors(surfaces: Mapping[str, Tensor], which: Tensor) -> Tensor:
    """Return the mean colors of surfaces, BGR 0 to 1, gamma-encoded."""
    return surfaces["art"][which].float().mean(dim=(1, 2)) / 255


def _random_appearance(dice: Mapping[str, Tensor], rng: TensorRng, b: int, d: int, mean: Tensor) -> dict[str, Tensor]:
    """Return the appearance of the dice of scenes; most dice of a scene share one design."""
    main_design = rng.integers(len(dice["base"]), b)[:, None].expand(b, d)
    other_design = rng.integers(len(dice["base"]), b, d)
    number = torch.where(rng.bernoulli(_MIXED_SHARE, b, d), other_design, main_design)
    small = ("turned", "depth", "layout", "second", "amount", "grain", "field", "metal", "gloss", "rounding", "ball")
    appearance = {name: dice[name][number] for name in small} | {"number": number}
    base, ink = dice["base"][number], dice["ink"][number]
    draw = rng.uniform(0, 1, b)[:, None].expand(b, d)
    white = (draw < _WHITE_SHARE)[..., None]
    light = rng.uniform(0.55, 0.98, b, 1, 1) * torch.cat(
        [rng.uniform(0.7, 1, b, 1, 1), torch.ones(b, 1, 2, device=base.device)], dim=2
    )
    of_bowl = ((draw >= _WHITE_SHARE) & (draw < _WHITE_SHARE + _BOWL_COLOR_SHARE))[..., None]
    near = (mean[:, None] + rng.uniform(-0.08, 0.08, b, 1, 3)).clamp(0.01, 0.99) ** 2.2
    base = torch.where(white, light, torch.where(of_bowl, near, base)).expand(b, d, 3)
    plain = (white | of_bowl)[..., 0]
    appearance["amount"] = torch.where(plain, 0.0, appearance["amount"])
    appearance["metal"] = torch.where(plain, 0.0, appearance["metal"])
    appearance["base"], appearance["ink"] = base, _with_contrast(ink, base, rng)
    return appearance


_LUMA: Final = (0.114, 0.587, 0.299)


def _with_contrast(ink: Tensor, base: Tensor, rng: TensorRng) -> Tensor:
    """Return the inks, with those of too little contrast to the die's color made dark or light."""
    luma = constant(_LUMA, ink.device)
    shown, body = (ink.clamp(0, 1) ** (1 / 2.2)) @ luma, ((base.clamp(0, 1) ** (1 / 2.2)) @ luma)[..., None]
    faint = ((shown - body).abs() < 0.14)[..., None]
    dark = rng.uniform(0.0, 0.03, *ink.shape[:2], 1, 3)
    bright = rng.uniform(0.75, 1.0, *ink.shape[:2], 1, 3)
    return torch.where(faint, torch.where((body > 0.45)[..., None], dark, bright), ink)


def _cameras(
    rng: TensorRng, bowl: Tensor, middle: Tensor, is_present: Tensor, framing: Framing, side: int
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return the positions, axes, focal lengths and tilts of cameras that frame the bowls or their dice."""
    b, radius, height = len(bowl), bowl[:, 0], bowl[:, 1]
    tilt = _MAX_TILT_RAD * rng.uniform(0, 1, b) ** 0.9
    towards, roll = rng.uniform(0, 6.2832, b), rng.uniform(0, 6.2832, b)
    distance = rng.log_uniform(4.5, 16.0, b) * radius
    at = torch.zeros(b, 3, device=bowl.device)
    if framing == "close":
        focal = rng.log_uniform(*_CLOSE_EDGES_PX, b) * distance
        which = (rng.uniform(0, 1, b, is_present.shape[1]) * is_present).argmax(dim=1)
        die = middle[torch.arange(b, device=at.device), which, :2]
        at[:, :2] = die * rng.uniform(0.5, 1, b, 1) + rng.uniform(-0.8, 0.8, b, 2)
        at[:, 2] = 0.3 * height
    else:
        share = rng.uniform(0.68, 1.05, b) if framing == "bowl" else rng.uniform(0.35, 1.02, b)
        focal = share * side / (2 * radius) * (distance - height)
        spare = (0.12 * radius if framing == "bowl" else (1.05 - share) * radius / share)[:, None]
        at[:, :2] = rng.uniform(-1, 1, b, 2) * spare
        at[:, 2] = 0.5 * height
        if framing == "view":  # some show only the table
            away = (1.2 + 1.6 / share) * radius * rng.bernoulli(_BARE_TABLE_SHARE, b)
            at[:, :2] += torch.nn.functional.normalize(at[:, :2], dim=1) * away[:, None]
        if framing == "bowl":
            small = focal / distance < MIN_EDGE_PX
            focal = torch.where(small, rng.uniform(1, 1.6, b) * MIN_EDGE_PX * distance, focal)
            seen = (middle * is_present[..., None]).sum(1) / is_present.sum(1, keepdim=True).clamp(min=1)
            at[:, :2] = torch.where(small[:, None], seen[:, :2] + rng.uniform(-1, 1, b, 2), at[:, :2])
    axes = _axes(tilt, towards, roll)
    return at + distance[:, None] * axes[:, 2], axes, focal, tilt


def _axes(tilt: Tensor, towards: Tensor, roll: Tensor) -> Tensor:
    back = torch.stack([tilt.sin() * towards.cos(), tilt.sin() * towards.sin(), tilt.cos()], dim=1)
    up = torch.stack([roll.cos(), roll.sin(), torch.zeros_like(roll)], dim=1)
    up = torch.nn.functional.normalize(up - back * (up * back).sum(dim=1, keepdim=True), dim=1)
    return torch.stack([torch.linalg.cross(up, back), up, back], dim=1)
