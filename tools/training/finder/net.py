"""The finder's network, a small U-Net of separable convolutions, with its target maps, loss and export.

Its six output maps have a quarter of the picture's size; see `companion.vision.dice.finding.heat` for their meaning.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from companion.vision.dice.finding.heat import DETECTABLE_PX, STRIDE
from tools.training.finder.scenes import SIDE

CELLS: Final = SIDE // STRIDE
_WIDTHS: Final = (12, 24, 48, 72, 96)
_HEAD: Final = 32
_MAPS: Final = 6
_SIZE_UNIT_PX: Final = 28.0
_LEAN_UNIT_DEG: Final = 20.0
_BACKGROUND_PX: Final = 84.0  # dice larger than this count as background
_MIN_BOX_HEAT: Final = 0.45  # target heat above which box and lean are trained


class Separable(nn.Module):
    """A depthwise separable convolution, residual if input and output shapes are equal."""

    def __init__(self, inner: int, outer: int, stride: int = 1) -> None:
        super().__init__()
        self.deep = step(inner, inner, stride=stride, groups=inner)
        self.across = nn.Sequential(nn.Conv2d(inner, outer, 1, bias=False), nn.BatchNorm2d(outer))
        self.is_residual = stride == 1 and inner == outer

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.across(self.deep(x))
        return functional.relu(y + x if self.is_residual else y)


def step(inner: int, outer: int, *, stride: int = 1, groups: int = 1) -> nn.Sequential:
    """Return a 3 x 3 convolution with batch norm and ReLU."""
    convolution = nn.Conv2d(inner, outer, 3, stride, 1, groups=groups, bias=False)
    return nn.Sequential(convolution, nn.BatchNorm2d(outer), nn.ReLU(inplace=True))


def _stage(inner: int, outer: int) -> nn.Sequential:
    return nn.Sequential(Separable(inner, outer, 2), Separable(outer, outer), Separable(outer, outer))


class FinderNet(nn.Module):
    """Maps pictures (n, 3, h, w), RGB / 255, to (n, 6, h / 4, w / 4); 78,000 parameters."""

    def __init__(self) -> None:
        super().__init__()
        a, b, c, d, e = _WIDTHS
        self.begin = step(3, a, stride=2)
        self.stages = nn.ModuleList([_stage(a, b), _stage(b, c), _stage(c, d), _stage(d, e)])
        self.up = nn.ModuleList([nn.Conv2d(e, d, 1), nn.Conv2d(d, c, 1), nn.Conv2d(c, b, 1)])
        self.mix = nn.ModuleList([Separable(d, d), Separable(c, c)])
        last = nn.Conv2d(_HEAD, _MAPS, 1)
        nn.init.constant_(last.bias[:1], -4.0)  # most cells have no die
        self.head = nn.Sequential(Separable(b, b), Separable(b, _HEAD), last)

    def forward(self, pictures: Tensor) -> Tensor:
        levels = [self.begin(pictures - 0.5)]
        for stage in self.stages:
            levels.append(stage(levels[-1]))
        _, b, c, d, e = levels
        d = self.mix[0](d + _doubled(self.up[0](e)))
        c = self.mix[1](c + _doubled(self.up[1](d)))
        maps: Tensor = self.head(b + _doubled(self.up[2](c)))
        return maps


def _doubled(x: Tensor) -> Tensor:
    return functional.interpolate(x, scale_factor=2.0, mode="nearest")


# ---- target maps and loss


@dataclass(frozen=True, slots=True, eq=False)
class TargetMaps:
    """The target maps of scenes.

    Attributes:
        heat: float32 (n, h, w), a Gaussian peak of 1 at each die's center.
        box: float32 (n, 5, h, w): offset (x, y), logarithm of the sides, lean.
        weight: float32 (n, h, w), weight of the box loss.
        seen: float32 (n, h, w), weight of the heat loss: 0 over dice that are cut off or outside the detectable sizes.
    """

    heat: Tensor
    box: Tensor
    weight: Tensor
    seen: Tensor

    def to(self, device: torch.device) -> TargetMaps:
        """Return the maps on another device."""
        return TargetMaps(*(part.to(device) for part in (self.heat, self.box, self.weight, self.seen)))

    def of(self, which: NDArray[np.int64]) -> TargetMaps:
        """Return the maps of some scenes, by index."""
        rows = torch.from_numpy(which).to(self.heat.device)
        return TargetMaps(self.heat[rows], self.box[rows], self.weight[rows], self.seen[rows])


def target_maps(scenes: list[NDArray[np.float32]]) -> TargetMaps:
    """Return the target maps of scenes with these boxes (see `scenes.Scene.boxes`)."""
    parts = [_maps_of(boxes) for boxes in scenes]
    stacked = [torch.from_numpy(np.stack([part[k] for part in parts])) for k in range(4)]
    return TargetMaps(stacked[0], stacked[1], stacked[2], stacked[3])


def _maps_of(boxes: NDArray[np.float32]) -> tuple[NDArray[np.float32], ...]:
    heat = np.zeros((CELLS, CELLS), np.float32)
    box = np.zeros((5, CELLS, CELLS), np.float32)
    weight, seen = np.zeros_like(heat), np.ones_like(heat)
    for die_box in boxes:
        _add(die_box, heat, box, weight, seen)
    return heat, box, weight, seen


def _add(
    die_box: NDArray[np.float32], heat: NDArray[np.float32], box: NDArray[np.float32], weight: NDArray[np.float32],
    seen: NDArray[np.float32],
) -> None:  # fmt: skip
    x0, y0, x1, y1, lean = (float(v) for v in die_box)
    larger = max(x1 - x0, y1 - y0)
    if larger > _BACKGROUND_PX:
        return
    if x0 <= 0 or y0 <= 0 or x1 >= SIDE or y1 >= SIDE or not DETECTABLE_PX[0] <= larger <= DETECTABLE_PX[1]:
        seen[max(0, int(y0 / STRIDE)) : int(y1 / STRIDE) + 1, max(0, int(x0 / STRIDE)) : int(x1 / STRIDE) + 1] = 0
        return
    x, y = (x0 + x1) / 2 / STRIDE, (y0 + y1) / 2 / STRIDE
    rows, columns = np.mgrid[0:CELLS, 0:CELLS].astype(np.float32) + 0.5
    spread = max(0.7, larger / STRIDE / 7)
    bump = np.exp(-((columns - x) ** 2 + (rows - y) ** 2) / (2 * spread**2)).astype(np.float32)
    bump[int(y), int(x)] = 1
    mask = (bump > _MIN_BOX_HEAT) & (bump > heat)
    np.maximum(heat, bump, out=heat)
    weight[mask] = bump[mask]
    for k, value in enumerate((x - columns, y - rows)):
        box[k][mask] = value[mask]
    sides = (np.log((x1 - x0) / _SIZE_UNIT_PX), np.log((y1 - y0) / _SIZE_UNIT_PX), lean / _LEAN_UNIT_DEG)
    for k, number in enumerate(sides, start=2):
        box[k][mask] = number


def loss_of(maps: Tensor, targets: TargetMaps) -> tuple[Tensor, Tensor]:
    """Return the heat-map loss (CenterNet's focal loss) and the loss of box and lean."""
    probability = torch.sigmoid(maps[:, 0]).clamp(1e-4, 1 - 1e-4)
    is_center = (targets.heat == 1).float()
    positive = is_center * (1 - probability) ** 2 * probability.log()
    negative = (1 - is_center) * (1 - targets.heat) ** 4 * probability**2 * (1 - probability).log()
    heat = -((positive + negative) * targets.seen).sum() / is_center.sum().clamp(min=1)
    off = functional.smooth_l1_loss(maps[:, 1:], targets.box, reduction="none", beta=0.1)
    share = off[:, :4].mean(dim=1) + 0.15 * off[:, 4]
    return heat, (share * targets.weight).sum() / targets.weight.sum().clamp(min=1)


def export_finder(model: FinderNet, path: Path) -> None:
    """Write the network as ONNX for pictures of any size; batch norms are folded into the convolutions."""
    free = {0: "n", 2: "h", 3: "w"}
    torch.onnx.export(
        model.eval().to(memory_format=torch.contiguous_format),
        (torch.zeros(1, 3, 256, 256),),
        str(path),
        input_names=["picture"],
        output_names=["maps"],
        dynamic_axes={"picture": free, "maps": free},
        opset_version=13,
        dynamo=False,
    )
