"""The table as a process of its own, for benches that look at what it takes."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager


@contextmanager
def served(argv: Sequence[str], pin: str) -> Iterator[tuple[int, str]]:
    """Run the table without a panel's pins, on any free port; yield its process and the dashboard's address."""
    local = ("--panel", "mock", "--pin", pin, "--port", "0", "--host", "127.0.0.1")
    process = subprocess.Popen(
        [sys.executable, "-m", "companion", "run", *argv, *local],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        yield process.pid, process.stdout.readline().split()[-1]
    finally:
        process.terminate()
        process.wait(30)
