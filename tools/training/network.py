"""The two networks: one reads a whole die from above, the other reads the number on its upper face, upright.

`DiceNet` says which kind of die a crop shows, what its value seems to be, and where and how the upper face's number
stands; `NumberNet` reads that number from a sharper crop that has been turned accordingly. Reading upright is far
easier than reading at any angle, and both nets stay small.
"""

from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional

from companion.vision.dice.faces.upright import NUMBER_CLASSES, UP_BINS

HEADS: Final[dict[str, int]] = {"kind": 4, "d20": 20, "d6": 6, "rugen": 8, "up": UP_BINS, "at": 2, "lean": 2}
_PLACED: Final = ("up", "at", "lean")
OUTPUTS: Final = (*HEADS, "embedding")
NUMBER_HEADS: Final[dict[str, int]] = {"number": NUMBER_CLASSES, "rugen": 8}
NUMBER_OUTPUTS: Final = (*NUMBER_HEADS, "embedding")
EMBEDDING: Final = 64
Widths = tuple[int, int, int, int]
_WIDTHS: Final = (32, 64, 112, 160)
_COARSE: Final = 64
_EDGE: Final = 16


def mixed_precision(device: torch.device) -> torch.autocast:
    """Return the context in which a network learns with numbers of 16 bits, where the device has such arithmetic.

    A processor without it imitates it, which takes eleven times as long as float32.
    """
    has = device.type != "cpu" or torch.backends.cpu.get_cpu_capability().startswith("AVX512")
    return torch.autocast(device.type, torch.bfloat16, enabled=has)


def _step(before: int, after: int, size: int, stride: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(before, after, size, stride, size // 2, bias=False), nn.BatchNorm2d(after), nn.ReLU(inplace=True)
    )


class Residual(nn.Module):
    """Two convolutions and a way around them."""

    def __init__(self, before: int, after: int, stride: int) -> None:
        super().__init__()
        self.first = _step(before, after, 3, stride)
        self.second = nn.Sequential(nn.Conv2d(after, after, 3, 1, 1, bias=False), nn.BatchNorm2d(after))
        self.around: nn.Module = nn.Identity()
        if stride != 1 or before != after:
            self.around = nn.Sequential(nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after))

    def forward(self, x: Tensor) -> Tensor:
        return functional.relu(self.second(self.first(x)) + self.around(x))


def body(widths: Widths) -> nn.Sequential:
    """Return what looks at the middle of a crop: its side becomes a sixteenth."""
    stem, early, middle, late = widths
    return nn.Sequential(
        _step(3, stem, 3, 2),
        Residual(stem, early, 2),
        Residual(early, early, 1),
        Residual(early, middle, 2),
        Residual(middle, middle, 1),
        Residual(middle, late, 2),
    )


class DiceNet(nn.Module):
    """Two views of a crop: the middle, where the top face's number stands, sharply; at the whole, coarsely.

    Input float32 (N, 3, 96, 96), RGB, 0 to 1. Outputs, float32 and not yet softmaxed: ``kind`` (N, 4), ``d20``
    (N, 20), ``d6`` (N, 6), ``rugen`` (N, 8), ``up`` (N, 36): the direction of the number's head, ``at`` (N, 2): its
    face's middle in tenths of the die, ``lean`` (N, 2): it lies flat, it leans, and ``embedding`` (N, 64) of length 1.
    The middle 64 x 64 → 32 → 16 → 8 → 4; the whole 48 x 48 → 24 → 12 → 6.
    """

    def __init__(self) -> None:
        super().__init__()
        stem, early, _, late = _WIDTHS
        self.body = body(_WIDTHS)
        self.coarse = nn.Sequential(_step(3, stem, 3, 2), Residual(stem, early, 2), Residual(early, _COARSE, 2))
        # one weight per channel and place: what stands where
        self.pool = nn.Conv2d(late, late, 4, groups=late, bias=False)
        self.coarse_pool = nn.Conv2d(_COARSE, _COARSE, 6, groups=_COARSE, bias=False)
        together = 2 * (late + _COARSE)
        self.mix = nn.Sequential(nn.BatchNorm1d(together), nn.Linear(together, 128), nn.ReLU())
        # which way the number stands is a matter of places, all of which the pools above throw away but one
        self.turn = nn.Sequential(nn.Conv2d(late, 32, 1), nn.Flatten(), nn.ReLU(), nn.Linear(32 * 16, 96), nn.ReLU())
        self.drop = nn.Dropout(0.1)
        sizes = {name: 96 + 128 if name in _PLACED else 128 for name in HEADS}
        self.heads = nn.ModuleDict({name: nn.Linear(sizes[name], size) for name, size in HEADS.items()})
        self.embed = nn.Linear(128, EMBEDDING)
        self.known = nn.Linear(EMBEDDING, HEADS["d20"], bias=False)  # only while training

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        x = 2 * x - 1
        seen = self.body(x[:, :, _EDGE:-_EDGE, _EDGE:-_EDGE])
        whole = self.coarse(functional.avg_pool2d(x, 2))
        parts = [self.pool(seen).flatten(1), seen.mean(dim=(2, 3))]
        parts += [self.coarse_pool(whole).flatten(1), whole.mean(dim=(2, 3))]
        mixed = self.drop(self.mix(torch.cat(parts, dim=1)))
        placed = torch.cat([mixed, self.turn(seen)], dim=1)
        outputs = (head(placed if name in _PLACED else mixed) for name, head in self.heads.items())
        return (*outputs, functional.normalize(self.embed(mixed), dim=1))


class NumberNet(nn.Module):
    """Reads one upright number.

    Input float32 (N, 3, 64, 64), RGB, 0 to 1. Outputs, float32 and not yet softmaxed: ``number`` (N, 21): 1 to 20, then
    "no number stands upright here"; ``rugen`` (N, 8); ``embedding`` (N, 64) of length 1.
    64 x 64 → 32 → 16 → 8 → 4.
    """

    def __init__(self) -> None:
        super().__init__()
        stem, early, middle, late = _WIDTHS
        self.body = nn.Sequential(
            _step(3, stem, 3, 2),
            Residual(stem, stem, 1),
            Residual(stem, early, 2),
            Residual(early, early, 1),
            Residual(early, middle, 2),
            Residual(middle, middle, 1),
            Residual(middle, late, 2),
        )
        self.pool = nn.Conv2d(late, 2 * late, 4, groups=late, bias=False)
        self.mix = nn.Sequential(nn.BatchNorm1d(3 * late), nn.Linear(3 * late, 128), nn.ReLU())
        self.drop = nn.Dropout(0.1)
        self.heads = nn.ModuleDict({name: nn.Linear(128, size) for name, size in NUMBER_HEADS.items()})
        self.embed = nn.Linear(128, EMBEDDING)
        self.known = nn.Linear(EMBEDDING, NUMBER_HEADS["number"], bias=False)  # only while training

    def mixed(self, x: Tensor) -> Tensor:
        """Return the features (N, 128) that all outputs are made of."""
        seen = self.body(2 * x - 1)
        features: Tensor = self.mix(torch.cat([self.pool(seen).flatten(1), seen.mean(dim=(2, 3))], dim=1))
        return features

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        mixed = self.drop(self.mixed(x))
        outputs = (head(mixed) for head in self.heads.values())
        return (*outputs, functional.normalize(self.embed(mixed), dim=1))
