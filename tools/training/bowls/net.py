"""The bowl networks: one finds the rim, one the dice on a canvas, and one reads a crop of a single die."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import onnx
import torch
from torch import Tensor, nn
from torch.nn import functional

from companion.games.chinchirorin.camera.canvas import CHANNELS, CROP_CHANNELS, CROP_SIDE
from tools.training.export import fuse_batch_norms, with_float16_weights
from tools.training.finder.net import FinderNet
from tools.training.network import Residual, Widths, body

MAPS: Final = 7
HEAD_OUTPUTS: Final = 13
ORIENTATION_OUTPUTS: Final = 25
_WIDTHS: Final[Widths] = (20, 32, 64, 96)
_STEM, _, _NEAR, _FAR = _WIDTHS
_MIXED: Final = 128
_COMBINED: Final = 192
_VIEW_CHANNELS: Final = 32


class BowlNet(nn.Module):
    """Finds the dice of a bowl.

    Input ``canvas`` float32 (n, 6, h, w): see `companion.games.chinchirorin.camera.canvas`. Output ``maps`` (n, 7,
    h / 8, w / 8) per cell: log-odds of a die's center in each quarter of the cell (4, in row order); offset of the
    center from the cell's (x, y, in cells); logarithm of the size.
    """

    def __init__(self) -> None:
        super().__init__()
        self.begin = nn.Conv2d(CHANNELS - 3, _STEM, 3, 2, 1, bias=False)
        self.body = fuse_batch_norms(body(_WIDTHS))
        self.back = nn.Conv2d(_FAR, _NEAR, 1)
        self.head = nn.Sequential(fuse_batch_norms(Residual(_NEAR, _NEAR, 1)), nn.Conv2d(_NEAR, MAPS, 1))
        nn.init.zeros_(self.begin.weight)
        nn.init.constant_(self.head[1].bias[:4], -4.0)  # most cells have no die

    def forward(self, canvas: Tensor) -> Tensor:
        first, rest = self.body[0], self.body[1:5]
        features = functional.relu(first[0](2 * canvas[:, :3] - 1) + self.begin(canvas[:, 3:]))
        near = rest(features)
        far = functional.interpolate(self.back(self.body[5](near)), scale_factor=2.0, mode="nearest")
        maps: Tensor = self.head(near + far)
        return maps


class DieNet(nn.Module):
    """Reads a crop of one die in a bowl.

    Input ``die`` float32 (n, 7, 80, 80): see `companion.games.chinchirorin.camera.canvas`. Output ``says`` (n, 38):
    log-odds that the crop is centered on a die; offset of the die's center (x, y, in die sizes); logarithm of its size
    relative to the usual one; log-odds that it has a value; logits of the six values; x and y of its upper face's
    normal; then, from a separate branch: the normals of its faces 1, 2 and 3 (right, down, towards the camera); its
    orientation independently of which face is which (15, see `companion.games.chinchirorin.camera.orientation`);
    log-odds that it lies on a face. Feature maps: 80 x 80 → 40 → 20 → 10 → 5. Which face is the upper one depends on
    orientation, camera tilt and position in the bowl together, so the layer `both` combines them.
    """

    def __init__(self) -> None:
        super().__init__()
        near, far = _NEAR, _FAR
        self.begin = nn.Conv2d(CROP_CHANNELS - 3, _STEM, 3, 2, 1, bias=False)
        self.body = fuse_batch_norms(body(_WIDTHS))
        self.late = fuse_batch_norms(Residual(far, far, 1))
        self.near = nn.Conv2d(near, near, CROP_SIDE // 8, groups=near)
        self.far = nn.Conv2d(far, 2 * far, CROP_SIDE // 16, groups=far)
        self.mix = nn.Linear(near + 3 * far, _MIXED)
        self.head = nn.Linear(_MIXED, HEAD_OUTPUTS)
        self.turns = OrientationBranch(near, far)
        last = nn.Linear(_COMBINED, HEAD_OUTPUTS + ORIENTATION_OUTPUTS)
        self.both = nn.Sequential(nn.Linear(2 * _MIXED + CROP_CHANNELS - 3, _COMBINED), nn.ReLU(), last)
        nn.init.zeros_(self.begin.weight)
        nn.init.zeros_(last.weight)  # so weights from before this layer existed start with unchanged outputs
        nn.init.zeros_(last.bias)

    def forward(self, die: Tensor) -> Tensor:
        near, far = self.features(die)
        mixed, orientation = self.mixed(near, far), self.turns.mixed(near, far)
        outputs = torch.cat([self.head(mixed), self.turns.head(orientation)], dim=1)
        context = die[:, 3:].mean(dim=(2, 3))
        combined: Tensor = outputs + self.both(torch.cat([mixed, orientation, context], dim=1))
        return combined

    def features(self, die: Tensor) -> tuple[Tensor, Tensor]:
        """Return the backbone's feature maps, 10 x 10 and 5 x 5."""
        first, rest = self.body[0], self.body[1:5]
        near = rest(functional.relu(first[0](2 * die[:, :3] - 1) + self.begin(die[:, 3:])))
        return near, self.late(self.body[5](near))

    def mixed(self, near: Tensor, far: Tensor) -> Tensor:
        features = [functional.relu(_full_kernel(self.near, near)), functional.relu(_full_kernel(self.far, far))]
        return functional.relu(self.mix(torch.cat([*features, far.mean(dim=(2, 3))], dim=1)))


def _full_kernel(layer: nn.Conv2d, features: Tensor) -> Tensor:
    """Apply a convolution whose kernel is as large as its input; return (n, outputs)."""
    if not layer.training or layer.bias is None:
        convolved: Tensor = layer(features)
        return convolved.flatten(1)
    # in training, as one matrix product per channel: the gradient of a convolution with such a large kernel is slow
    n, groups = len(features), layer.groups
    weights = layer.weight.view(groups, layer.out_channels // groups, -1)
    each = features.permute(1, 0, 2, 3).reshape(groups, n, -1) @ weights.mT
    return each.permute(1, 0, 2).reshape(n, -1) + layer.bias


class OrientationBranch(nn.Module):
    """Predicts a die's orientation from the feature maps of `DieNet`."""

    def __init__(self, near: int, far: int) -> None:
        super().__init__()
        self.own = nn.Sequential(fuse_batch_norms(Residual(near, far, 2)), fuse_batch_norms(Residual(far, far, 1)))
        self.mix = nn.Linear(25 * 2 * far, _MIXED)
        self.drop = nn.Dropout(0.2)
        self.head = nn.Linear(_MIXED, ORIENTATION_OUTPUTS)

    def mixed(self, near: Tensor, far: Tensor) -> Tensor:
        features = torch.cat([self.own(near), far], dim=1).flatten(1)
        mixed: Tensor = self.drop(functional.relu(self.mix(features)))
        return mixed


def export_die(model: DieNet, path: Path) -> None:
    """Write the die network as ONNX with float16 weights."""
    torch.onnx.export(
        model.eval().to(memory_format=torch.contiguous_format),
        (torch.zeros(1, CROP_CHANNELS, CROP_SIDE, CROP_SIDE),), str(path), input_names=["die"],
        output_names=["says"], dynamic_axes={"die": {0: "n"}, "says": {0: "n"}}, opset_version=13, dynamo=False,
    )  # fmt: skip
    onnx.save(with_float16_weights(onnx.load(str(path))), str(path))


def export_bowl(model: BowlNet, path: Path) -> None:
    """Write the finder as ONNX for canvases of any size, with float16 weights."""
    _export(model, CHANNELS, ("canvas", "maps"), path)


def _export(model: nn.Module, channels: int, names: tuple[str, str], path: Path) -> None:
    free = {0: "n", 2: "h", 3: "w"}
    torch.onnx.export(
        model.eval().to(memory_format=torch.contiguous_format), (torch.zeros(1, channels, 256, 256),), str(path),
        input_names=names[:1], output_names=names[1:], dynamic_axes=dict.fromkeys(names, free), opset_version=13,
        dynamo=False,
    )  # fmt: skip
    onnx.save(with_float16_weights(onnx.load(str(path))), str(path))


def view_net() -> FinderNet:
    """Return an untrained network that finds the bowl: the tray finder's architecture with one output map."""
    model = FinderNet()
    fuse_batch_norms(model)
    model.head[-1] = nn.Conv2d(_VIEW_CHANNELS, 1, 1)
    return model


def export_view(model: FinderNet, path: Path) -> None:
    """Write the network that finds the bowl as ONNX for pictures of any size, with float16 weights."""
    _export(model, 3, ("picture", "maps"), path)


_ARCHITECTURES: Final[dict[str, Callable[[], nn.Module]]] = {"die": DieNet, "dice": BowlNet, "view": view_net}


def untrained(name: str) -> nn.Module:
    """Return an untrained network: die, dice or view."""
    return _ARCHITECTURES[name]()


def example_input(name: str) -> Tensor:
    """Return an input of that network, all zeros."""
    channels, side = {"die": (CROP_CHANNELS, CROP_SIDE), "dice": (CHANNELS, 64), "view": (3, 64)}[name]
    return torch.zeros(1, channels, side, side)
