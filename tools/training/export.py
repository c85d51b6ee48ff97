"""Exports networks as ONNX for OpenCV, with float16 weights that are cast to float32 on load; and loads them back."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from companion.vision.dice.boxes import CROP_PX
from companion.vision.dice.faces.upright import NUMBER_PX
from tools.training.network import NUMBER_OUTPUTS, OUTPUTS, NumberNet

_ONLY_TRAINED: Final = ("known.", "mix.0.num_batches_tracked")
_MIN_HALVED_SIZE: Final = 200  # values; smaller tensors are not worth a conversion


def export(model: nn.Module, path: Path, outputs: Sequence[str] = ()) -> None:
    """Write a network as ONNX for any batch size; batch norms are folded into the convolutions.

    Args:
        outputs: output names; those of the face networks by default.
    """
    outputs = outputs or (NUMBER_OUTPUTS if isinstance(model, NumberNet) else OUTPUTS)
    model = model.eval().to(memory_format=torch.contiguous_format)
    torch.onnx.export(
        model,
        (example_input(model),),
        str(path),
        input_names=["crop"],
        output_names=list(outputs),
        dynamic_axes={name: {0: "n"} for name in ("crop", *outputs)},
        opset_version=13,
        dynamo=False,
    )
    onnx.save(with_float16_weights(onnx.load(str(path))), str(path))


def example_input(model: nn.Module) -> torch.Tensor:
    """Return an all-zero input of a dice network."""
    side = NUMBER_PX if isinstance(model, NumberNet) else CROP_PX
    return torch.zeros(1, 3, side, side)


def with_float16_weights(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return the network with float16 weights, each followed by a cast to float32: half the size, same arithmetic."""
    graph = model.graph
    casts, tensors = [], []
    for tensor in graph.initializer:
        values = numpy_helper.to_array(tensor)
        if tensor.data_type != TensorProto.FLOAT or values.size < _MIN_HALVED_SIZE:
            tensors.append(tensor)
            continue
        tensors.append(numpy_helper.from_array(values.astype("float16"), f"{tensor.name}.half"))
        casts.append(helper.make_node("Cast", [f"{tensor.name}.half"], [tensor.name], to=TensorProto.FLOAT))
    nodes = list(graph.node)
    del graph.initializer[:], graph.node[:]
    graph.initializer.extend(tensors)
    graph.node.extend([*casts, *nodes])
    return model


def fuse_batch_norms(model: nn.Module) -> nn.Module:
    """Fold a network's batch norms into the convolutions before them, as in the exported file; return the network."""
    model.eval()
    for module in list(model.modules()):
        if isinstance(module, nn.Sequential):
            for k in range(len(module) - 1):
                if isinstance(module[k], nn.Conv2d) and isinstance(module[k + 1], nn.BatchNorm2d):
                    module[k] = torch.nn.utils.fuse_conv_bn_eval(module[k], module[k + 1])
                    module[k].bias.requires_grad_(True)  # else a bias that fusing has added would not be trained
                    module[k + 1] = nn.Identity()
    return model


def load_onnx_weights(model: nn.Module, path: Path, like: torch.Tensor) -> None:
    """Load an exported network's weights into a model whose batch norms are folded (see `fuse_batch_norms`).

    Exporting with folded batch norms loses the convolutions' names, so these are matched by order of execution, all
    other weights by name. Training-only weights, which are not in the file, stay unchanged.

    Args:
        like: any input of the model.
    """
    graph = onnx.load(str(path)).graph
    stored = {tensor.name: torch.from_numpy(numpy_helper.to_array(tensor).astype("float32"))
              for tensor in graph.initializer}  # fmt: skip
    for node in graph.node:
        if node.op_type in ("Cast", "Identity") and node.input[0] in stored:
            stored[node.output[0]] = stored[node.input[0]]  # Identity: equal weights are stored once
    executed: list[nn.Conv2d] = []
    hooks = [module.register_forward_hook(lambda module, *_: executed.append(module))
               for module in model.modules() if isinstance(module, nn.Conv2d)]  # fmt: skip
    with torch.no_grad():
        model.eval()(like)
    for each in hooks:
        each.remove()
    state = {name: stored[name] for name in model.state_dict() if name in stored}
    names = {module: name for name, module in model.named_modules()}
    for module, node in zip(executed, (n for n in graph.node if n.op_type == "Conv"), strict=True):
        for kind, given in zip(("weight", "bias"), node.input[1:], strict=False):
            state[f"{names[module]}.{kind}"] = stored[given]
    missing, _ = model.load_state_dict(state, strict=False)
    assert all(name.startswith(_ONLY_TRAINED) for name in missing), missing
