"""The networks for bowls: one finds the rim, one all dice on a canvas, the third reads one die from close by."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import onnx
import torch
from torch import Tensor, nn
from torch.nn import functional

from companion.games.chinchirorin.camera.canvas import CHANNELS, CROP_CHANNELS, CROP_SIDE
from tools.training.export import fused, halved
from tools.training.finder.net import FinderNet
from tools.training.network import Residual, Widths, body

MAPS: Final = 7
SAYS: Final = 13
TURNS: Final = 25
_WIDTHS: Final[Widths] = (20, 32, 64, 96)
_STEM, _, _NEAR, _FAR = _WIDTHS
_MIXED: Final = 128
_TOGETHER: Final = 192
_VIEWED: Final = 32


class BowlNet(nn.Module):
    """Where the dice of a bowl are.

    Input ``canvas`` float32 (n, 6, h, w): see `companion.games.chinchirorin.camera.canvas`. Output ``maps`` (n, 7,
    h / 8, w / 8): how much like a die's middle each quarter of the place is (4 log-odds, by rows); offset of the middle
    from the place's (x, y, in places), logarithm of the size.
    """

    def __init__(self) -> None:
        super().__init__()
        self.begin = nn.Conv2d(CHANNELS - 3, _STEM, 3, 2, 1, bias=False)
        self.body = fused(body(_WIDTHS))
        self.back = nn.Conv2d(_FAR, _NEAR, 1)
        self.head = nn.Sequential(fused(Residual(_NEAR, _NEAR, 1)), nn.Conv2d(_NEAR, MAPS, 1))
        nn.init.zeros_(self.begin.weight)
        nn.init.constant_(self.head[1].bias[:4], -4.0)  # most places are no die

    def forward(self, canvas: Tensor) -> Tensor:
        first, rest = self.body[0], self.body[1:5]
        seen = functional.relu(first[0](2 * canvas[:, :3] - 1) + self.begin(canvas[:, 3:]))
        near = rest(seen)
        far = functional.interpolate(self.back(self.body[5](near)), scale_factor=2.0, mode="nearest")
        maps: Tensor = self.head(near + far)
        return maps


class DieNet(nn.Module):
    """One die of a bowl, from close by.

    Input ``die`` float32 (n, 7, 80, 80): see `companion.games.chinchirorin.camera.canvas`. Output ``says`` (n, 38):
    log-odds that a die's middle is here; offset of its middle (x, y, in sizes of a die), logarithm of its size by the
    usual one; log-odds that it has a value; the six values; x and y of its upper face's normal; then, from a branch of
    its own: the normals of its faces 1, 2 and 3 (right, down, towards the camera); how it is turned whatever its values
    are (15, see `companion.games.chinchirorin.camera.orientation`); log-odds that it lies on a face. 80 x 80 → 40 → 20
    → 10 → 5. Which face is the upper one is a matter of the turn, the tilt and the place together: `both` weighs them.
    """

    def __init__(self) -> None:
        super().__init__()
        near, far = _NEAR, _FAR
        self.begin = nn.Conv2d(CROP_CHANNELS - 3, _STEM, 3, 2, 1, bias=False)
        self.body = fused(body(_WIDTHS))
        self.late = fused(Residual(far, far, 1))
        self.near = nn.Conv2d(near, near, CROP_SIDE // 8, groups=near)
        self.far = nn.Conv2d(far, 2 * far, CROP_SIDE // 16, groups=far)
        self.mix = nn.Linear(near + 3 * far, _MIXED)
        self.head = nn.Linear(_MIXED, SAYS)
        self.turns = Turns(near, far)
        last = nn.Linear(_TOGETHER, SAYS + TURNS)
        self.both = nn.Sequential(nn.Linear(2 * _MIXED + CROP_CHANNELS - 3, _TOGETHER), nn.ReLU(), last)
        nn.init.zeros_(self.begin.weight)
        nn.init.zeros_(last.weight)  # an earlier network without it says the same at first
        nn.init.zeros_(last.bias)

    def forward(self, die: Tensor) -> Tensor:
        near, far = self.features(die)
        mixed, turned = self.mixed(near, far), self.turns.mixed(near, far)
        says = torch.cat([self.head(mixed), self.turns.head(turned)], dim=1)
        told = die[:, 3:].mean(dim=(2, 3))
        all_says: Tensor = says + self.both(torch.cat([mixed, turned, told], dim=1))
        return all_says

    def features(self, die: Tensor) -> tuple[Tensor, Tensor]:
        """Return what the body sees, 10 x 10 and 5 x 5."""
        first, rest = self.body[0], self.body[1:5]
        near = rest(functional.relu(first[0](2 * die[:, :3] - 1) + self.begin(die[:, 3:])))
        return near, self.late(self.body[5](near))

    def mixed(self, near: Tensor, far: Tensor) -> Tensor:
        seen = [functional.relu(_weighed(self.near, near)), functional.relu(_weighed(self.far, far))]
        return functional.relu(self.mix(torch.cat([*seen, far.mean(dim=(2, 3))], dim=1)))


def _weighed(layer: nn.Conv2d, seen: Tensor) -> Tensor:
    """Return what a layer whose kernels are as large as what is seen makes of it, (n, outputs)."""
    if not layer.training or layer.bias is None:
        weighed: Tensor = layer(seen)
        return weighed.flatten(1)
    # while training as one product for each channel: the gradient of so large kernels is slow
    n, groups = len(seen), layer.groups
    weights = layer.weight.view(groups, layer.out_channels // groups, -1)
    each = seen.permute(1, 0, 2, 3).reshape(groups, n, -1) @ weights.mT
    return each.permute(1, 0, 2).reshape(n, -1) + layer.bias


class Turns(nn.Module):
    """How a die is turned, from what the body of `DieNet` sees."""

    def __init__(self, near: int, far: int) -> None:
        super().__init__()
        self.own = nn.Sequential(fused(Residual(near, far, 2)), fused(Residual(far, far, 1)))
        self.mix = nn.Linear(25 * 2 * far, _MIXED)
        self.drop = nn.Dropout(0.2)
        self.head = nn.Linear(_MIXED, TURNS)

    def mixed(self, near: Tensor, far: Tensor) -> Tensor:
        seen = torch.cat([self.own(near), far], dim=1).flatten(1)
        mixed: Tensor = self.drop(functional.relu(self.mix(seen)))
        return mixed


def export_die(model: DieNet, path: Path) -> None:
    """Write the network that reads one die as ONNX, its weights as half floats."""
    torch.onnx.export(
        model.eval().to(memory_format=torch.contiguous_format),
        (torch.zeros(1, CROP_CHANNELS, CROP_SIDE, CROP_SIDE),), str(path), input_names=["die"],
        output_names=["says"], dynamic_axes={"die": {0: "n"}, "says": {0: "n"}}, opset_version=13, dynamo=False,
    )  # fmt: skip
    onnx.save(halved(onnx.load(str(path))), str(path))


def export_bowl(model: BowlNet, path: Path) -> None:
    """Write the network as ONNX for canvases of any size, its weights as half floats."""
    _export(model, CHANNELS, ("canvas", "maps"), path)


def _export(model: nn.Module, channels: int, names: tuple[str, str], path: Path) -> None:
    free = {0: "n", 2: "h", 3: "w"}
    torch.onnx.export(
        model.eval().to(memory_format=torch.contiguous_format), (torch.zeros(1, channels, 256, 256),), str(path),
        input_names=names[:1], output_names=names[1:], dynamic_axes=dict.fromkeys(names, free), opset_version=13,
        dynamo=False,
    )  # fmt: skip
    onnx.save(halved(onnx.load(str(path))), str(path))


def view_net() -> FinderNet:
    """Return the network that finds the bowl: the finder's for trays, with one map of its own."""
    model = FinderNet()
    fused(model)
    model.head[-1] = nn.Conv2d(_VIEWED, 1, 1)
    return model


def export_view(model: FinderNet, path: Path) -> None:
    """Write the network that finds the bowl as ONNX for pictures of any size, its weights as half floats."""
    _export(model, 3, ("picture", "maps"), path)


_FRESH: Final[dict[str, Callable[[], nn.Module]]] = {"die": DieNet, "dice": BowlNet, "view": view_net}


def fresh(name: str) -> nn.Module:
    """Return an untrained network: die, dice or view."""
    return _FRESH[name]()


def example(name: str) -> Tensor:
    """Return what that network takes, all nought."""
    channels, side = {"die": (CROP_CHANNELS, CROP_SIDE), "dice": (CHANNELS, 64), "view": (3, 64)}[name]
    return torch.zeros(1, channels, side, side)
