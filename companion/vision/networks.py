"""Small ONNX networks, run by ONNX Runtime on one core. No other module imports ONNX Runtime."""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from companion.kernel.errors import CompanionError

Floats = NDArray[np.float32]
Run = Callable[[Floats], list[Floats]]
_STDERR: Final = 2
_IMPORTING: Final = threading.Lock()


class NoNetwork(CompanionError):
    """A network's file is missing or broken."""


class Network:
    """One network, loaded on first use. Thread-safe.

    Args:
        model: the ONNX file, which takes less memory, or its bytes.
        does: what it does, for the error message.
        outputs: names of the outputs; by default all, in the file's order.
        batch_size: inputs per run. More small ones at once take up to a quarter less time, large ones only more memory.
    """

    def __init__(
        self, model: Path | bytes, does: str, outputs: Sequence[str] | None = None, *, batch_size: int = 1
    ) -> None:  # fmt: skip
        self._model, self._does, self._outputs, self._batch_size = model, does, outputs, batch_size
        self._lock = threading.Lock()
        self._run: Run | None = None

    def run(self, inputs: Floats) -> list[Floats]:
        """Return the outputs, each (n, ...), for the network's only input, (n, ...) with n of at least 1.

        Raises:
            NoNetwork: the file is missing or broken.
        """
        with self._lock:  # concurrent runs would take twice the memory
            run = self._run = self._run or self._loaded()
            parts = [run(inputs[i : i + self._batch_size]) for i in range(0, len(inputs), self._batch_size)]
        return parts[0] if len(parts) == 1 else [np.concatenate(each) for each in zip(*parts, strict=True)]

    def _loaded(self) -> Run:
        if isinstance(self._model, Path) and not self._model.is_file():
            name = self._model.name
            raise NoNetwork(f"The network that {self._does} ({name}) is missing. Install the program again.")
        return _session(self._model, self._does, self._outputs)


def packaged_model(package: str, name: str) -> Path:
    """Return the path of a network in a package's folder `models`."""
    return Path(str(resources.files(package))) / "models" / name


def color_planes(pictures: NDArray[np.uint8]) -> Floats:
    """Return float32 (n, 3, h, w), red, green and blue from 0 to 1, of pictures uint8 (n, h, w, 3) BGR."""
    planes = np.ascontiguousarray(pictures[..., ::-1].transpose(0, 3, 1, 2), np.float32)
    planes *= np.float32(1 / 255)
    return planes


def _session(model: Path | bytes, does: str, outputs: Sequence[str] | None) -> Run:
    runtime = _runtime()
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    # No memory arena per network and no preallocated block per run: the service that detects and reads dice takes 13 MB
    # less.
    options.enable_cpu_mem_arena = options.enable_mem_pattern = False
    options.log_severity_level = 4
    state = runtime.capi.onnxruntime_pybind11_state
    broken = (state.Fail, state.InvalidArgument, state.InvalidGraph, state.InvalidProtobuf, state.NotImplemented)
    try:
        given = str(model) if isinstance(model, Path) else model
        session = runtime.InferenceSession(given, options, providers=["CPUExecutionProvider"])
    except broken as error:
        raise NoNetwork(f"The network that {does} is broken. Install the program again.") from error
    name = session.get_inputs()[0].name
    return lambda inputs: list(session.run(outputs, {name: inputs}))


@cache
def _runtime() -> Any:
    """Return ONNX Runtime, imported on first use: a table without dice saves its 25 MB."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # from 1.29 on telemetry is on unless this is set before the import
    with _IMPORTING, _without_device_warnings():
        import onnxruntime
    return onnxruntime


@contextmanager
def _without_device_warnings() -> Iterator[None]:
    """Buffer stderr and drop the warning that the graphics device is not on a PCI bus, as on a Raspberry Pi.

    ONNX Runtime searches for devices while it is imported, before its log level can be set.
    """
    original = os.dup(_STDERR)
    with os.fdopen(os.memfd_create("stderr"), "rb+") as output:
        os.dup2(output.fileno(), _STDERR)
        try:
            yield
        finally:
            os.dup2(original, _STDERR)
            os.close(original)
            output.seek(0)
            os.write(_STDERR, b"".join(line for line in output if b"device_discovery.cc" not in line))
