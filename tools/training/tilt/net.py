"""The off-axis network: from a die and its surroundings, whether its most frontal face is another than the upper one.

Its first layers are copied from `dice.onnx` and frozen, as both networks need the same edge and corner features.
"""

from typing import Final

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from companion.vision.dice.faces.nets import packaged

SIDE: Final = 96
_WIDTHS: Final = (48, 80)
_COARSE: Final = 24


def _step(before: int, after: int, stride: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(before, after, 3, stride, 1, bias=False), nn.BatchNorm2d(after), nn.ReLU(inplace=True)
    )


class _FrozenStem(nn.Module):
    """The first four convolutions of `dice.onnx`, frozen: 96 x 96 x 3 to 24 x 24 x `width`."""

    def __init__(self) -> None:
        super().__init__()
        weights = _first_weights(4)
        stem, early = (len(bias) for _, bias in weights[:2])
        self.width = early
        self.stem = nn.Conv2d(3, stem, 3, 2, 1)
        self.first, self.second = nn.Conv2d(stem, early, 3, 2, 1), nn.Conv2d(early, early, 3, 1, 1)
        self.around = nn.Conv2d(stem, early, 1, 2)
        layers = (self.stem, self.first, self.second, self.around)
        for layer, (weight, bias) in zip(layers, weights, strict=True):
            layer.weight.data, layer.bias.data = torch.tensor(weight), torch.tensor(bias)
        self.requires_grad_(requires_grad=False)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.relu(self.stem(2 * x - 1))
        return torch.relu(self.second(torch.relu(self.first(x))) + self.around(x))


def _first_weights(count: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return weights and biases of the first convolutions of the packaged network."""
    graph = onnx.load_from_string(packaged("dice.onnx")).graph
    tensors = {t.name.removesuffix(".half"): numpy_helper.to_array(t).astype("float32") for t in graph.initializer}
    convolutions = [node.input for node in graph.node if node.op_type == "Conv"][:count]
    return [(tensors[weight].copy(), tensors[bias].copy()) for _, weight, bias in convolutions]


class _Residual(nn.Module):
    """A residual block of two convolutions."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.both = nn.Sequential(
            _step(width, width, 1), nn.Conv2d(width, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width)
        )

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x + self.both(x))


class TiltNet(nn.Module):
    """Input: crops (n, 3, 96, 96) RGB, 0 to 1, with the most frontal face's number upright.

    Outputs: log-odds (n, 1) that this face is not the upper one, and (n, 1) that the camera is more than 16 degrees off
    the vertical; the sine of the camera's tilt (n, 2), and that face's direction (n, 2), x right and y down.
    """

    def __init__(self) -> None:
        super().__init__()
        c, d = _WIDTHS
        self.given = _FrozenStem()
        self.seen = nn.Sequential(_step(self.given.width, c, 2), _Residual(c), _step(c, d, 2), _Residual(d))
        self.coarse = nn.Sequential(nn.Conv2d(d, _COARSE, 1), nn.ReLU(inplace=True), nn.Flatten())
        self.mix = nn.Sequential(nn.Linear(_COARSE * (SIDE // 16) ** 2 + d, 96), nn.ReLU(inplace=True), nn.Dropout(0.1))
        self.heads = nn.ModuleList([nn.Linear(96, size) for size in (1, 1, 2, 2)])

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        seen: Tensor = self.seen(self.given(x))
        mixed = self.mix(torch.cat([self.coarse(seen), seen.mean(dim=(2, 3))], dim=1))
        return tuple(head(mixed) for head in self.heads)


class Verdict(nn.Module):
    """The network without its auxiliary outputs, for export."""

    def __init__(self, model: TiltNet) -> None:
        super().__init__()
        self.model = model

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        hazard, aside, _, _ = self.model(x)
        return hazard, aside
