"""Runs the table as a separate process, for benchmarks of its resource use."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager


@contextmanager
def served(argv: Sequence[str], pin: str) -> Iterator[tuple[int, str]]:
    """Run the table without panel pins on a free port; yield its process ID and the dashboard's address."""
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
