"""Networks are deterministic on any thread; a missing or broken file is named; ONNX Runtime stays silent."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from companion.vision.dice.faces.nets import Net
from companion.vision.dice.finding.heat import HeatNet
from companion.vision.networks import Network, NoNetwork, packaged_model

DICE = packaged_model("companion.vision.dice", "dice.onnx")


def crops(n: int, side: int = 96) -> np.ndarray:
    return np.random.default_rng(5).integers(0, 255, (n, side, side, 3), np.uint8)


def test_two_threads_at_once_get_what_one_gets() -> None:
    net, given = HeatNet(), [crops(1, side) for side in (64, 96, 128)]
    wanted = [net.maps(each) for each in given]
    same: list[bool] = []

    def ask() -> None:
        for _ in range(5):
            same.extend(np.array_equal(net.maps(each), want) for each, want in zip(given, wanted, strict=True))

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert same == [True] * 30
    assert all(np.array_equal(HeatNet().maps(each), want) for each, want in zip(given, wanted, strict=True))


def test_two_threads_may_load_networks_at_once() -> None:
    """In a new process, before ONNX Runtime is imported; their other output on stderr is not lost."""
    program = """
import os, threading
import numpy as np
from companion.vision.networks import Network, packaged_model
given, said = np.ones((1, 3, 96, 96), np.float32), []
def load():
    network = Network(packaged_model("companion.vision.dice", "dice.onnx"), "reads dice", ["d20"])
    said.append(network.run(given)[0].tobytes())
    os.write(2, b"heard ")
threads = [threading.Thread(target=load) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert len(set(said)) == 1 and len(said) == 4
"""
    assert run(program).stderr == "heard " * 4


def test_inputs_looked_at_together_or_one_by_one_are_the_same_in_order() -> None:
    given = np.random.default_rng(3).random((5, 3, 96, 96), np.float32)
    one, two = (Network(DICE, "reads dice", ("up", "kind"), batch_size=n).run(given) for n in (1, 2))
    assert [each.shape for each in one] == [(5, 36), (5, 4)]
    assert {each.dtype for each in one} == {np.dtype(np.float32)}
    for a, b in zip(one, two, strict=True):
        assert np.allclose(a, b, atol=1e-4)


def test_the_file_and_its_bytes_are_the_same_network() -> None:
    given = list(crops(2))
    file, read = (Net(model, ("kind",)).run(given)["kind"] for model in (DICE, DICE.read_bytes()))
    assert np.array_equal(file, read)


@pytest.mark.parametrize("model", [b"", b"no network", DICE.read_bytes()[:5000]], ids=["empty", "text", "cut off"])
def test_a_broken_file_is_named(model: bytes, tmp_path: Path, capfd) -> None:
    (tmp_path / "dice.onnx").write_bytes(model)
    for given in (model, tmp_path / "dice.onnx"):
        with pytest.raises(NoNetwork) as caught:
            Net(given, ("kind",)).run(list(crops(1)))
        assert str(caught.value) == "The network that reads dice is broken. Install the program again."
    assert capfd.readouterr() == ("", "")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(NoNetwork) as caught:
        HeatNet(tmp_path / "finder.onnx").maps(crops(1))
    assert str(caught.value) == "The network that finds dice (finder.onnx) is missing. Install the program again."


def test_nothing_is_written_or_sent_and_no_threads_begin(tmp_path: Path) -> None:
    """From 1.29 on ONNX Runtime would write a machine id to the cache folder, and send telemetry."""
    program = """
import os
import numpy as np
from companion.vision.networks import Network, packaged_model
before = len(os.listdir("/proc/self/task"))
Network(packaged_model("companion.vision.dice", "dice.onnx"), "reads dice").run(np.ones((1, 3, 96, 96), np.float32))
assert os.environ["ORT_DISABLE_TELEMETRY"] == "1"
print(len(os.listdir("/proc/self/task")) - before)
"""
    done = run(program, HOME=str(tmp_path), XDG_CACHE_HOME=str(tmp_path))
    assert (done.stdout, done.stderr, list(tmp_path.iterdir())) == ("0\n", "", [])


def test_only_the_device_warnings_are_kept_off_stderr() -> None:
    program = """
import os
from companion.vision.networks import _without_device_warnings
with _without_device_warnings():
    os.write(2, b"W device_discovery.cc:94 no vendor\\nThe camera is gone.\\n")
os.write(2, b"It is back.\\n")
"""
    assert run(program).stderr == "The camera is gone.\nIt is back.\n"


@pytest.mark.parametrize("module", ["companion.cli", "companion.vision.dice.reader", "companion.app.pipeline"])
def test_who_reads_no_dice_does_without_the_runtime(module: str) -> None:
    assert run(f"import sys, {module}; print('onnxruntime' in sys.modules)").stdout == "False\n"


def run(program: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a new process."""
    env = {**os.environ, **more}
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=env, check=True)
