"""The face networks: `DiceNet` reads a whole die from above, `NumberNet` the number on its upper face.

`DiceNet` outputs the die's kind and value, and the position and direction of the upper face's number; `NumberNet` reads
that number from a sharper crop that is rotated upright accordingly. Reading an upright number is far easier than
reading one at any angle, so both networks stay small.
"""

from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional

from companion.vision.dice.faces.upright import NUMBER_CLASSES, UP_BINS

HEADS: Final[dict[str, int]] = {"kind": 4, "d20": 20, "d6": 6, "rugen": 8, "up": UP_BINS, "at": 2, "lean": 2}
_HEADS_WITH_DIRECTION: Final = ("up", "at", "lean")
OUTPUTS: Final = (*HEADS, "embedding")
NUMBER_HEADS: Final[dict[str, int]] = {"number": NUMBER_CLASSES, "rugen": 8}
NUMBER_OUTPUTS: Final = (*NUMBER_HEADS, "embedding")
EMBEDDING: Final = 64
Widths = tuple[int, int, int, int]
_WIDTHS: Final = (32, 64, 112, 160)
_COARSE_CHANNELS: Final = 64
_MARGIN_PX: Final = 16


def mixed_precision(device: torch.device) -> torch.autocast:
    """Return an autocast context for bfloat16 training, disabled on CPUs without bfloat16 instructions.

    Those emulate it, which takes eleven times as long as float32.
    """
    has = device.type != "cpu" or torch.backends.cpu.get_cpu_capability().startswith("AVX512")
    return torch.autocast(device.type, torch.bfloat16, enabled=has)


def _step(before: int, after: int, size: int, stride: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(before, after, size, stride, size // 2, bias=False), nn.BatchNorm2d(after), nn.ReLU(inplace=True)
    )


class Residual(nn.Module):
    """A residual block of two convolutions."""

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
    """Return a residual backbone that reduces the side of a crop to a sixteenth."""
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
    """Two branches: the center of the crop, with the upper face's number, at full resolution; the whole crop at half.

    Input float32 (N, 3, 96, 96), RGB, 0 to 1. Outputs, float32 logits: ``kind`` (N, 4), ``d20`` (N, 20), ``d6`` (N, 6),
    ``rugen`` (N, 8), ``up`` (N, 36): direction of the top of the number, ``at`` (N, 2): position of its face's center,
    in tenths of the die, ``lean`` (N, 2): flat or leaning, and ``embedding`` (N, 64) of unit length. Feature maps: the
    center 64 x 64 → 32 → 16 → 8 → 4; the whole 48 x 48 → 24 → 12 → 6.
    """

    def __init__(self) -> None:
        super().__init__()
        stem, early, _, late = _WIDTHS
        self.body = body(_WIDTHS)
        self.coarse = nn.Sequential(
            _step(3, stem, 3, 2), Residual(stem, early, 2), Residual(early, _COARSE_CHANNELS, 2)
        )
        # depthwise convolutions as large as their input: one weight per channel and position
        self.pool = nn.Conv2d(late, late, 4, groups=late, bias=False)
        self.coarse_pool = nn.Conv2d(_COARSE_CHANNELS, _COARSE_CHANNELS, 6, groups=_COARSE_CHANNELS, bias=False)
        pooled = 2 * (late + _COARSE_CHANNELS)
        self.mix = nn.Sequential(nn.BatchNorm1d(pooled), nn.Linear(pooled, 128), nn.ReLU())
        # the number's direction depends on positions, which the pools above average away
        self.turn = nn.Sequential(nn.Conv2d(late, 32, 1), nn.Flatten(), nn.ReLU(), nn.Linear(32 * 16, 96), nn.ReLU())
        self.drop = nn.Dropout(0.1)
        sizes = {name: 96 + 128 if name in _HEADS_WITH_DIRECTION else 128 for name in HEADS}
        self.heads = nn.ModuleDict({name: nn.Linear(sizes[name], size) for name, size in HEADS.items()})
        self.embed = nn.Linear(128, EMBEDDING)
        self.known = nn.Linear(EMBEDDING, HEADS["d20"], bias=False)  # only while training

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        x = 2 * x - 1
        seen = self.body(x[:, :, _MARGIN_PX:-_MARGIN_PX, _MARGIN_PX:-_MARGIN_PX])
        whole = self.coarse(functional.avg_pool2d(x, 2))
        parts = [self.pool(seen).flatten(1), seen.mean(dim=(2, 3))]
        parts += [self.coarse_pool(whole).flatten(1), whole.mean(dim=(2, 3))]
        mixed = self.drop(self.mix(torch.cat(parts, dim=1)))
        placed = torch.cat([mixed, self.turn(seen)], dim=1)
        outputs = (head(placed if name in _HEADS_WITH_DIRECTION else mixed) for name, head in self.heads.items())
        return (*outputs, functional.normalize(self.embed(mixed), dim=1))


class NumberNet(nn.Module):
    """Reads one upright number.

    Input float32 (N, 3, 64, 64), RGB, 0 to 1. Outputs, float32 logits: ``number`` (N, 21): 1 to 20, then "no upright
    number"; ``rugen`` (N, 8); ``embedding`` (N, 64) of unit length. Feature maps: 64 x 64 → 32 → 16 → 8 → 4.
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
        """Return the features (N, 128) that all heads share."""
        seen = self.body(2 * x - 1)
        features: Tensor = self.mix(torch.cat([self.pool(seen).flatten(1), seen.mean(dim=(2, 3))], dim=1))
        return features

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        mixed = self.drop(self.mixed(x))
        outputs = (head(mixed) for head in self.heads.values())
        return (*outputs, functional.normalize(self.embed(mixed), dim=1))
