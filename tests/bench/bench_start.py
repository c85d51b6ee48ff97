"""Measures the restart of a killed table: from the start of its process until ``/readyz`` reports that it is ready.

Run: ``python tests/bench/bench_start.py [--starts 5] [--entries 3000] [--camera 97]``. The journal has a long evening's
entries; the process is killed each time, never stopped. The first start compiles modules and reads them from the disk,
so it is printed separately. ``--imports`` prints the cost of imports instead. Nothing is asserted.
"""

import argparse
import http.client
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from bench_service import fill

from companion.journal.store import FILE_NAME

PIN: Final = "4711"
_LIMIT_S: Final = 120.0
_SHOWN: Final = 15
_LINE: Final = re.compile(r"import time:\s+(\d+) \|\s+(\d+) \|(\s+)(\S+)")


def command(data_dir: Path, camera: str, port: int) -> list[str]:
    words = ["-m", "companion", "run", "--data", str(data_dir), "--camera", camera, "--panel", "none"]
    return [*words, "--host", "127.0.0.1", "--port", str(port)]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def is_ready(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    with suppress(OSError, http.client.HTTPException):
        connection.request("GET", "/readyz")
        return connection.getresponse().status == 200
    connection.close()
    return False


def start(data_dir: Path, camera: str, options: tuple[str, ...] = ()) -> tuple[float, float, str]:
    """Start the table, wait until it is ready, kill it; return the seconds, the CPU seconds, and its output.

    Args:
        options: command-line options of Python.
    """
    port = free_port()
    with tempfile.TemporaryFile("w+") as told:
        began = time.perf_counter()
        words = [sys.executable, *options, *command(data_dir, camera, port)]
        process = subprocess.Popen(words, stdout=told, stderr=told)
        try:
            while not is_ready(port):
                if process.poll() is not None or time.perf_counter() - began > _LIMIT_S:
                    told.seek(0)
                    raise SystemExit(f"It does not start: {told.read()[-2000:]}")
                time.sleep(0.005)
            took = time.perf_counter() - began
        finally:
            process.kill()
            _, _, used = os.wait4(process.pid, 0)
        told.seek(0)
        return took, used.ru_utime + used.ru_stime, told.read()


def imports(told: str) -> list[str]:
    """Return a line for each of the most expensive imports in an ``-X importtime`` log: cumulative milliseconds."""
    found = [(int(whole), len(indent), name) for _, whole, indent, name in _LINE.findall(told)]
    top = sorted(found, reverse=True)[:_SHOWN]
    own = sum(int(alone) for alone, *_ in _LINE.findall(told))
    return [f"all imports {own / 1000:7.0f} ms", *(f"{name:<60} {whole / 1000:6.0f} ms" for whole, _, name in top)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--starts", type=int, default=5)
    parser.add_argument("--entries", type=int, default=3000)
    parser.add_argument("--camera", default="97", help="97: a device that does not exist; demo: the demo table")
    parser.add_argument("--imports", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        data_dir = Path(name)
        fill(data_dir / FILE_NAME, asked.entries, "grand")
        (data_dir / "companion.toml").write_text('[table]\nlayout = "grand"\n[web]\nhttps = true\n')
        first, _, told = start(data_dir, asked.camera, ("-X", "importtime") if asked.imports else ())
        if asked.imports:
            print(*imports(told), sep="\n")
            return
        walls, cpus, _ = zip(*(start(data_dir, asked.camera) for _ in range(asked.starts)), strict=True)
        print(f"first start, {asked.entries} entries: {first:.2f} s")
        print(
            f"start after a kill: median {statistics.median(walls):.2f} s, slowest of {len(walls)} {max(walls):.2f} s; "
            f"of a processor median {statistics.median(cpus):.2f} s"
        )


if __name__ == "__main__":
    main()
