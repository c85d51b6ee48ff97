"""Many chance scenes as tensors: a bowl, its dice, lamps, table and camera, one scene a row."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

import torch
from torch import Tensor

Kind = Literal["close", "bowl", "view"]
"""The dice from close by; the whole bowl if its dice are large enough; the bowl on its table from farther away."""
LEAST_EDGE_PX: Final = 15.0
_CLOSE_EDGES_PX: Final = (26.0, 60.0)
_STEEPEST: Final = 0.63  # of the camera's tilt, radians
_WHITE, _OF_BOWL, _OTHER = 0.25, 0.15, 0.2
"""How often dice are white with dark pips, of the bowl's colour, of two sorts."""

_BARE: Final = 0.08
_TRIES: Final = 3

Bank = Mapping[str, Mapping[str, Tensor]]
"""The parts (`parts.PARTS`) by their names, each array with its things along the first axis."""


@cache
def constant(values: tuple[object, ...], device: torch.device) -> Tensor:
    """Return numbers on a device, put there once: to put them there again each time would wait for all its work."""
    return torch.tensor(values, device=device)


@dataclass(slots=True)
class Chance:
    """Draws of one generator, on its device."""

    generator: torch.Generator

    @property
    def device(self) -> torch.device:
        return self.generator.device

    def uniform(self, low: float, high: float, *shape: int) -> Tensor:
        return low + (high - low) * torch.rand(shape, generator=self.generator, device=self.device)

    def log(self, low: float, high: float, *shape: int) -> Tensor:
        return torch.exp(self.uniform(float(torch.tensor(low).log()), float(torch.tensor(high).log()), *shape))

    def normal(self, spread: float, *shape: int) -> Tensor:
        return spread * torch.randn(shape, generator=self.generator, device=self.device)

    def integers(self, high: int, *shape: int) -> Tensor:
        return torch.randint(high, shape, generator=self.generator, device=self.device)

    def often(self, share: float, *shape: int) -> Tensor:
        return self.uniform(0, 1, *shape) < share


@dataclass(slots=True)
class Scenes:
    """Some scenes: (b, ...) each; dice (b, d, ...), of which only those `there` are."""

    bowl: Tensor  # radius, height, depth, power, flat, lip, foot
    middle: Tensor
    turn: Tensor
    gap: Tensor
    there: Tensor
    look: Mapping[str, Tensor]  # what dice look like, (b, d, ...); `number` is which of the bank's
    art: Mapping[str, Tensor]  # inner, outer, table: which of the bank's surfaces
    span: Mapping[str, Tensor]
    polish: Mapping[str, Tensor]  # gloss, metal, rough
    lamp: Tensor
    ambient: Tensor
    sky: Tensor
    exposure: Tensor
    eye: Tensor
    axes: Tensor  # rows: right, up, towards the camera
    focal: Tensor
    tilt: Tensor
    side: int

    def __len__(self) -> int:
        return len(self.bowl)

    def project(self, points: Tensor) -> Tensor:
        """Return where points (b, n, 3) appear, pixels (b, n, 2)."""
        seen = (points - self.eye[:, None]) @ self.axes.mT
        flat = seen[..., :2] * (self.focal[:, None] / -seen[..., 2])[..., None]
        return flat * constant((1.0, -1.0), flat.device) + self.side / 2


def chance_scenes(bank: Bank, chance: Chance, count: int, kind: Kind, side: int, few: int | None = None) -> Scenes:
    """Return some scenes whose parts meet by chance.

    Args:
        few: of dice in each at most.
    """
    throws, surfaces, lights = bank["throws"], bank["surfaces"], bank["lights"]
    rows = chance.integers(len(throws["bowl"]), count)
    if few is not None:
        some = chance.integers(len(throws["bowl"]), _TRIES * count)
        rows = some[(throws["count"][some] > few).to(torch.uint8).argsort(stable=True)[:count]]
    most = few or throws["middle"].shape[1]
    bowl, there = throws["bowl"][rows], _there(throws["count"][rows], most)
    middle, turn = _spun(throws["middle"][rows, :most], throws["turn"][rows, :most], chance)
    inner = chance.integers(len(surfaces["polish"]), count)
    outer = torch.where(chance.often(0.4, count), inner, chance.integers(len(surfaces["polish"]), count))
    table = chance.integers(len(surfaces["polish"]), count)
    art = {"inner": inner, "outer": outer, "table": table}
    span = {"inner": 2 * bowl[:, 0], "outer": 2.6 * bowl[:, 0], "table": chance.uniform(3, 7, count) * bowl[:, 0]}
    polish = {name: surfaces["polish"][which] for name, which in art.items()}
    polish["table"] = polish["table"] * constant((0.5, 0.0, 1.0), chance.device)
    light = chance.integers(len(lights["ambient"]), count)
    mean = _mean_of(surfaces, inner)
    look = _looks(bank["dice"], chance, count, there.shape[1], mean)
    eye, axes, focal, tilt = _cameras(chance, bowl, middle, there, kind, side)
    return Scenes(bowl, middle, turn, throws["gap"][rows, :most], there, look, art, span, polish, lights["lamp"][light],
                  lights["ambient"][light], light, chance.log(0.6, 1.3, count), eye, axes, focal, tilt,
                  side)  # fmt: skip


def _there(count: Tensor, most: int) -> Tensor:
    return torch.arange(most, device=count.device)[None] < count[:, None]


def _spun(middle: Tensor, turn: Tensor, chance: Chance) -> tuple[Tensor, Tensor]:
    """Return throws turned round the bowl's middle, so that one is seen from all sides."""
    angle = chance.uniform(0, 6.2832, len(middle))
    c, s, o, e = angle.cos(), angle.sin(), torch.zeros_like(angle), torch.ones_like(angle)
    spin = torch.stack([c, -s, o, s, c, o, o, o, e], dim=1).reshape(-1, 3, 3)
    return middle @ spin.mT, spin[:, None] @ turn


def _mean_of(surfaces: Mapping[str, Tensor], which: Tensor) -> Tensor:
    """Return the mean colours of surfaces, 0 to 1, as a camera shows them: BGR."""
    return surfaces["art"][which].float().mean(dim=(1, 2)) / 255


def _looks(dice: Mapping[str, Tensor], chance: Chance, b: int, d: int, mean: Tensor) -> dict[str, Tensor]:
    """Return what the dice of scenes look like: mostly all of one sort."""
    usual = chance.integers(len(dice["base"]), b)[:, None].expand(b, d)
    other = chance.integers(len(dice["base"]), b, d)
    number = torch.where(chance.often(_OTHER, b, d), other, usual)
    small = ("turned", "depth", "layout", "second", "amount", "grain", "field", "metal", "gloss", "rounding", "ball")
    look = {name: dice[name][number] for name in small} | {"number": number}
    base, ink = dice["base"][number], dice["ink"][number]
    kind = chance.uniform(0, 1, b)[:, None].expand(b, d)
    white = (kind < _WHITE)[..., None]
    light = chance.uniform(0.55, 0.98, b, 1, 1) * torch.cat(
        [chance.uniform(0.7, 1, b, 1, 1), torch.ones(b, 1, 2, device=base.device)], dim=2
    )
    of_bowl = ((kind >= _WHITE) & (kind < _WHITE + _OF_BOWL))[..., None]
    near = (mean[:, None] + chance.uniform(-0.08, 0.08, b, 1, 3)).clamp(0.01, 0.99) ** 2.2
    base = torch.where(white, light, torch.where(of_bowl, near, base)).expand(b, d, 3)
    plain = (white | of_bowl)[..., 0]
    look["amount"] = torch.where(plain, 0.0, look["amount"])
    look["metal"] = torch.where(plain, 0.0, look["metal"])
    look["base"], look["ink"] = base, _clear(ink, base, chance)
    return look


_LUMA: Final = (0.114, 0.587, 0.299)


def _clear(ink: Tensor, base: Tensor, chance: Chance) -> Tensor:
    """Return inks that can be seen on the dice's colours: those that cannot become dark or light."""
    luma = constant(_LUMA, ink.device)
    shown, body = (ink.clamp(0, 1) ** (1 / 2.2)) @ luma, ((base.clamp(0, 1) ** (1 / 2.2)) @ luma)[..., None]
    faint = ((shown - body).abs() < 0.14)[..., None]
    dark = chance.uniform(0.0, 0.03, *ink.shape[:2], 1, 3)
    bright = chance.uniform(0.75, 1.0, *ink.shape[:2], 1, 3)
    return torch.where(faint, torch.where((body > 0.45)[..., None], dark, bright), ink)


def _cameras(
    chance: Chance, bowl: Tensor, middle: Tensor, there: Tensor, kind: Kind, side: int
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return eyes, axes, focal lengths and tilts of cameras that see the bowls, or their dice."""
    b, radius, height = len(bowl), bowl[:, 0], bowl[:, 1]
    tilt = _STEEPEST * chance.uniform(0, 1, b) ** 0.9
    towards, roll = chance.uniform(0, 6.2832, b), chance.uniform(0, 6.2832, b)
    distance = chance.log(4.5, 16.0, b) * radius
    at = torch.zeros(b, 3, device=bowl.device)
    if kind == "close":
        focal = chance.log(*_CLOSE_EDGES_PX, b) * distance
        which = (chance.uniform(0, 1, b, there.shape[1]) * there).argmax(dim=1)
        die = middle[torch.arange(b, device=at.device), which, :2]
        at[:, :2] = die * chance.uniform(0.5, 1, b, 1) + chance.uniform(-0.8, 0.8, b, 2)
        at[:, 2] = 0.3 * height
    else:
        share = chance.uniform(0.68, 1.05, b) if kind == "bowl" else chance.uniform(0.35, 1.02, b)
        focal = share * side / (2 * radius) * (distance - height)
        spare = (0.12 * radius if kind == "bowl" else (1.05 - share) * radius / share)[:, None]
        at[:, :2] = chance.uniform(-1, 1, b, 2) * spare
        at[:, 2] = 0.5 * height
        if kind == "view":  # now and then only the table
            away = (1.2 + 1.6 / share) * radius * chance.often(_BARE, b)
            at[:, :2] += torch.nn.functional.normalize(at[:, :2], dim=1) * away[:, None]
        if kind == "bowl":
            small = focal / distance < LEAST_EDGE_PX
            focal = torch.where(small, chance.uniform(1, 1.6, b) * LEAST_EDGE_PX * distance, focal)
            seen = (middle * there[..., None]).sum(1) / there.sum(1, keepdim=True).clamp(min=1)
            at[:, :2] = torch.where(small[:, None], seen[:, :2] + chance.uniform(-1, 1, b, 2), at[:, :2])
    axes = _axes(tilt, towards, roll)
    return at + distance[:, None] * axes[:, 2], axes, focal, tilt


def _axes(tilt: Tensor, towards: Tensor, roll: Tensor) -> Tensor:
    back = torch.stack([tilt.sin() * towards.cos(), tilt.sin() * towards.sin(), tilt.cos()], dim=1)
    up = torch.stack([roll.cos(), roll.sin(), torch.zeros_like(roll)], dim=1)
    up = torch.nn.functional.normalize(up - back * (up * back).sum(dim=1, keepdim=True), dim=1)
    return torch.stack([torch.linalg.cross(up, back), up, back], dim=1)
