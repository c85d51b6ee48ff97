"""From trained weights to the file that OpenCV reads: weights stored as half floats, widened when it is loaded."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from companion.vision.dice.boxes import CROP_PX
from companion.vision.dice.faces.upright import NUMBER_PX
from tools.training.network import NUMBER_OUTPUTS, OUTPUTS, NumberNet

_SMALL: Final = 200  # numbers; less are not worth a conversion


def export(model: nn.Module, path: Path) -> None:
    """Write a network as ONNX with a batch of any size; batch norms are folded into the convolutions."""
    is_number = isinstance(model, NumberNet)
    side, outputs = (NUMBER_PX, NUMBER_OUTPUTS) if is_number else (CROP_PX, OUTPUTS)
    model = model.eval().to(memory_format=torch.contiguous_format)
    torch.onnx.export(
        model,
        (torch.zeros(1, 3, side, side),),
        str(path),
        input_names=["crop"],
        output_names=list(outputs),
        dynamic_axes={name: {0: "n"} for name in ("crop", *outputs)},
        opset_version=13,
        dynamo=False,
    )
    onnx.save(halved(onnx.load(str(path))), str(path))


def halved(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return the network with its weights as float16, each followed by a cast to float32: half the size, same sums."""
    graph = model.graph
    casts, tensors = [], []
    for tensor in graph.initializer:
        values = numpy_helper.to_array(tensor)
        if tensor.data_type != TensorProto.FLOAT or values.size < _SMALL:
            tensors.append(tensor)
            continue
        tensors.append(numpy_helper.from_array(values.astype("float16"), f"{tensor.name}.half"))
        casts.append(helper.make_node("Cast", [f"{tensor.name}.half"], [tensor.name], to=TensorProto.FLOAT))
    nodes = list(graph.node)
    del graph.initializer[:], graph.node[:]
    graph.initializer.extend(tensors)
    graph.node.extend([*casts, *nodes])
    return model
