"""The network that finds a ball in an unrolled ring."""

from pathlib import Path
from typing import Final

import torch
from torch import Tensor, nn

from tools.training.wheels.samples import COLUMNS, HEIGHT, Kind

CHANNELS: Final[dict[Kind, int]] = {"rest": 6, "still": 3}
_WIDTHS: Final[dict[Kind, tuple[int, int]]] = {"rest": (16, 24), "still": (20, 32)}


class BallNet(nn.Module):
    """Detects the ball's center in an unrolled ring.

    Input ``ring`` float32 (n, 3 or 6, 54, w): colors from -1 to 1; with six channels the first three are the change
    against the usual ring, in units of 32 gray levels. Output ``heat`` (n, 1, 27, w / 2): log-odds for each 2 x 2 cell.
    The receptive field reaches about two pockets to both sides.
    """

    def __init__(self, kind: Kind) -> None:
        super().__init__()
        first, wide = _WIDTHS[kind]
        self.begin = nn.Sequential(_conv(CHANNELS[kind], first, 5, stride=2), _conv(first, wide, 3))
        self.near = nn.Sequential(
            DilatedBlock(wide, (1, 1)),
            DilatedBlock(wide, (1, 3)),
            DilatedBlock(wide, (2, 6)),
            DilatedBlock(wide, (4, 6)),
        )
        self.late = _conv(wide, wide, 3)
        self.head = nn.Conv2d(wide, 1, 1)
        nn.init.constant_(self.head.bias, -5.0)  # most cells have no ball

    def forward(self, ring: Tensor) -> Tensor:
        seen = self.begin(ring)
        heat: Tensor = self.head(self.late(self.near(seen)))
        return heat


class DilatedBlock(nn.Module):
    """A residual block with a wide receptive field: a dilated depthwise convolution, then a 1 x 1 convolution."""

    def __init__(self, wide: int, dilation: tuple[int, int]) -> None:
        super().__init__()
        self.far = nn.Sequential(
            nn.Conv2d(wide, wide, 3, padding=dilation, dilation=dilation, groups=wide, bias=False),
            nn.BatchNorm2d(wide),
        )
        self.mix = _conv(wide, wide, 1)

    def forward(self, seen: Tensor) -> Tensor:
        mixed: Tensor = seen + self.mix(self.far(seen))
        return mixed


def _conv(inputs: int, outputs: int, size: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, size, stride, size // 2, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()
    )


def inputs_of(strips: Tensor) -> Tensor:
    """Convert strips uint8 (n, h, w, 3 or 6) to network input, as `companion.games.roulette.camera.heat` does."""
    seen = strips.permute(0, 3, 1, 2).float()
    if seen.shape[1] == CHANNELS["still"]:
        return seen / 128 - 1
    now, usual = seen[:, :3], seen[:, 3:]
    return torch.cat([((now - usual) / 32).clamp(-4, 4), usual / 128 - 1], 1)


def example_input(kind: Kind) -> Tensor:
    """Return an all-zero input."""
    return torch.zeros(1, CHANNELS[kind], HEIGHT, COLUMNS)


def export_ball(model: BallNet, kind: Kind, path: Path) -> None:
    """Write a network as ONNX for rings of any length, with float16 weights."""
    import onnx

    from tools.training.export import with_float16_weights

    model = model.cpu().eval()
    free = {0: "n", 3: "w"}
    torch.onnx.export(
        model, (example_input(kind),), str(path), input_names=["ring"],
        output_names=["heat"], dynamic_axes={"ring": free, "heat": free}, opset_version=13, dynamo=False,
    )  # fmt: skip
    onnx.save(with_float16_weights(onnx.load(str(path))), str(path))
