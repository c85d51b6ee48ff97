"""From trained weights to the file that OpenCV reads."""

from __future__ import annotations

from pathlib import Path

import torch

from companion.training.network import OUTPUTS, DiceNet
from companion.training.scenes import CROP


def export(model: DiceNet, path: Path) -> None:
    """Write the network as ONNX with a batch of any size; batch norms are folded into the convolutions."""
    model = model.eval().to(memory_format=torch.contiguous_format)
    torch.onnx.export(
        model,
        (torch.zeros(1, 3, CROP, CROP),),
        str(path),
        input_names=["crop"],
        output_names=list(OUTPUTS),
        dynamic_axes={name: {0: "n"} for name in ("crop", *OUTPUTS)},
        opset_version=13,
        dynamo=False,
    )
