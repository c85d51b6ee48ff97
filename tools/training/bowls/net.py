"""The network that reads a die in a bowl: the dice network's body, and what it cannot know from straight above.

Both networks for bowls go on from the ones for trays, whose weights are taken from the files that the program reads.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn
from torch.nn import functional

from tools.training.export import halved
from tools.training.finder.net import FinderNet
from tools.training.network import DiceNet

OUTPUTS: Final = ("value", "state", "normal")
_EDGE: Final = 16
_ONCE: Final = {"l4": "up.0", "l3": "up.1", "l2": "up.2", "o": "head.2"}


class BowlNet(nn.Module):
    """One die from above, anyhow tilted, in a crop of which up leads away from the camera.

    Input ``crop`` float32 (N, 3, 96, 96), RGB, 0 to 1, and ``tilt`` (N, 1): of the camera in 30 degrees, -1 if unknown.
    Outputs, not yet softmaxed: ``value`` (N, 6), ``state`` (N, 3): a die with a value, one without (cocked, covered),
    none; ``normal`` (N, 2): x and y of its upper face's normal, seen by the camera.
    """

    def __init__(self) -> None:
        super().__init__()
        self.base = fused(DiceNet())
        self.mix = nn.Sequential(nn.Linear(128 + 96 + 1, 96), nn.ReLU())
        self.drop = nn.Dropout(0.15)
        self.value, self.state, self.normal = nn.Linear(96, 6), nn.Linear(96, 3), nn.Linear(96, 2)
        nn.init.zeros_(self.value.weight)

    def forward(self, crop: Tensor, tilt: Tensor) -> tuple[Tensor, ...]:
        base, x = self.base, 2 * crop - 1
        seen = base.body(x[:, :, _EDGE:-_EDGE, _EDGE:-_EDGE])
        whole = base.coarse(functional.avg_pool2d(x, 2))
        parts = [base.pool(seen).flatten(1), seen.mean(dim=(2, 3))]
        parts += [base.coarse_pool(whole).flatten(1), whole.mean(dim=(2, 3))]
        mixed = self.drop(base.mix(torch.cat(parts, dim=1)))
        both = self.mix(torch.cat([mixed, base.turn(seen), tilt], dim=1))
        return self.value(both) + base.heads["d6"](mixed), self.state(both), self.normal(both)


def fused(model: nn.Module) -> nn.Module:
    """Return a network with its batch norms folded into the convolutions before them, as in the exported file."""
    model.eval()
    for module in list(model.modules()):
        if isinstance(module, nn.Sequential):
            for k in range(len(module) - 1):
                if isinstance(module[k], nn.Conv2d) and isinstance(module[k + 1], nn.BatchNorm2d):
                    module[k] = torch.nn.utils.fuse_conv_bn_eval(module[k], module[k + 1])
                    module[k + 1] = nn.Identity()
    return model


def take_up_file(model: nn.Module, path: Path) -> None:
    """Load the weights of an exported network: by name where it has kept them, else in order."""
    stored = {t.name.removesuffix(".half"): torch.from_numpy(numpy_helper.to_array(t).astype("float32"))
              for t in onnx.load(str(path)).graph.initializer}  # fmt: skip
    named = {_renamed(name): value for name, value in stored.items() if not name.startswith("onnx::")}
    in_order = sorted((name for name in stored if name.startswith("onnx::")), key=lambda name: int(name.split("_")[1]))
    numbered = [stored[name] for name in in_order]
    own = model.state_dict()
    for name in own:
        if name in named and named[name].shape == own[name].shape:
            own[name] = named[name]
    convolutions = [n for n, m in model.named_modules() if isinstance(m, nn.Conv2d) and f"{n}.weight" not in named]
    for name, weight, bias in zip(convolutions, numbered[::2], numbered[1::2], strict=True):
        assert own[f"{name}.weight"].shape == weight.shape, name
        own[f"{name}.weight"], own[f"{name}.bias"] = weight, bias
    model.load_state_dict(own)


def _renamed(name: str) -> str:
    """Return a weight's name today: the finder's parts were once called otherwise."""
    part, _, kind = name.rpartition(".")
    return f"{_ONCE.get(part, part)}.{kind}"


def new_reader(models: Path) -> BowlNet:
    model = BowlNet()
    take_up_file(model.base, models / "dice.onnx")
    return model


def new_finder(models: Path) -> FinderNet:
    model = FinderNet()
    fused(model)
    take_up_file(model, models / "finder.onnx")
    return model


def export_reader(model: BowlNet, path: Path) -> None:
    """Write the network as ONNX with a batch of any size, its weights as half floats."""
    torch.onnx.export(
        model.eval(), (torch.zeros(1, 3, 96, 96), torch.zeros(1, 1)), str(path), input_names=["crop", "tilt"],
        output_names=list(OUTPUTS), dynamic_axes={name: {0: "n"} for name in ("crop", "tilt", *OUTPUTS)},
        opset_version=13, dynamo=False,
    )  # fmt: skip
    onnx.save(halved(onnx.load(str(path))), str(path))


def new_view(models: Path) -> FinderNet:
    """Return the network that finds the bowl: the finder's, with one map of its own."""
    model = new_finder(models)
    model.head[-1] = nn.Conv2d(32, 1, 1)
    return model


def export_maps(model: FinderNet, path: Path) -> None:
    """Write a network of maps as ONNX for pictures of any size, its weights as half floats."""
    free = {0: "n", 2: "h", 3: "w"}
    torch.onnx.export(
        model.eval().to(memory_format=torch.contiguous_format), (torch.zeros(1, 3, 256, 256),), str(path),
        input_names=["picture"], output_names=["maps"], dynamic_axes={"picture": free, "maps": free},
        opset_version=13, dynamo=False,
    )  # fmt: skip
    onnx.save(halved(onnx.load(str(path))), str(path))
