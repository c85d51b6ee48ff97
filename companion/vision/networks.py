"""Small ONNX networks, run by ONNX Runtime on one core. Nothing else imports it."""

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
        does: what it does, for the error's words.
        outputs: the names of what it says; all, in the file's order, if not given.
        at_once: so many inputs are looked at together. Small ones take up to a quarter less time so, large ones
            only more memory.
    """

    def __init__(
        self, model: Path | bytes, does: str, outputs: Sequence[str] | None = None, *, at_once: int = 1
    ) -> None:  # fmt: skip
        self._model, self._does, self._outputs, self._at_once = model, does, outputs, at_once
        self._lock = threading.Lock()
        self._run: Run | None = None

    def run(self, inputs: Floats) -> list[Floats]:
        """Return each output, (n, ...), for what the network's only input takes, (n, ...), at least one.

        Raises:
            NoNetwork: its file is missing or broken.
        """
        with self._lock:  # two runs at once would take twice the memory
            run = self._run = self._run or self._loaded()
            parts = [run(inputs[i : i + self._at_once]) for i in range(0, len(inputs), self._at_once)]
        return parts[0] if len(parts) == 1 else [np.concatenate(each) for each in zip(*parts, strict=True)]

    def _loaded(self) -> Run:
        if isinstance(self._model, Path) and not self._model.is_file():
            name = self._model.name
            raise NoNetwork(f"The network that {self._does} ({name}) is missing. Install the program again.")
        return _session(self._model, self._does, self._outputs)


def packaged_model(package: str, name: str) -> Path:
    """Return where a network lies that comes with the program: in its package's folder `models`."""
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
    # Neither memory of its own for each network nor a block for a whole run: it is shared with the pictures, and a
    # service that finds and reads dice stays 13 MB smaller.
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
    """Return ONNX Runtime, imported on first use: a table that reads no dice goes without its 25 MB."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # from 1.29 on it reports to its makers, unless told not to by now
    with _IMPORTING, _without_device_warnings():
        import onnxruntime
    return onnxruntime


@contextmanager
def _without_device_warnings() -> Iterator[None]:
    """Hold stderr back, and leave out that a graphics card is not on a PCI bus, which a Raspberry Pi's is not.

    ONNX Runtime looks for cards while it is imported, before it can be told what to keep to itself.
    """
    kept = os.dup(_STDERR)
    with os.fdopen(os.memfd_create("stderr"), "rb+") as said:
        os.dup2(said.fileno(), _STDERR)
        try:
            yield
        finally:
            os.dup2(kept, _STDERR)
            os.close(kept)
            said.seek(0)
            os.write(_STDERR, b"".join(line for line in said if b"device_discovery.cc" not in line))
