"""Runs the benchmarks and compares their figures with a stored baseline: ``make bench``.

Run: ``python tests/bench/baselines.py [--keep] [NAME...]``. Each benchmark prints its usual table, followed by every
figure that differs by more than 5 % from the baseline in ``tests/bench/baselines/``. ``--keep`` stores this run as the
new baseline. Figures are comparable only on the same machine and while nothing else runs, so a baseline names its
machine, and is not compared on another. Nothing is asserted.
"""

import argparse
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
KEPT: Final = HERE / "baselines"
MOVED: Final = 0.05
_NUMBER: Final = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")


def machine() -> str:
    """Return a description of this machine: processor, cores, Python."""
    cpu = Path("/proc/cpuinfo")
    named = re.search(r"model name\s*:\s*(.+)", cpu.read_text()) if cpu.exists() else None
    what = named[1].strip() if named else platform.machine()
    return f"{what}, {os.cpu_count()} cores, Python {platform.python_version()}"


def figures(text: str) -> dict[str, list[float]]:
    """Return the numbers of each line; the key is the line without its numbers, and the count of such lines before it.

    >>> figures("p50 1.5 ms, 1,000 runs\\n")
    {'p# # ms, # runs (1)': [50.0, 1.5, 1000.0]}
    """
    found: dict[str, list[float]] = {}
    for line in text.splitlines():
        words, times = " ".join(_NUMBER.sub("#", line).split()), 1
        while f"{words} ({times})" in found:
            times += 1
        found[f"{words} ({times})"] = [float(number.replace(",", "")) for number in _NUMBER.findall(line)]
    return found


def moved(before: str, now: str) -> Iterator[str]:
    """Yield the lines in which a figure differs by more than 5 %, with the old figures."""
    old = figures(before)
    for words, numbers in figures(now).items():
        pairs = list(zip(old.get(words, ()), numbers, strict=False))
        if any(abs(is_ - was) > MOVED * max(abs(was), 1e-9) for was, is_ in pairs):
            shown = iter(f"{was:g} → {is_:g}" if was != is_ else f"{is_:g}" for was, is_ in pairs)
            yield re.sub("#", lambda _: next(shown, "?"), words.rpartition(" (")[0])  # noqa: B023 (used at once)


def run(script: Path) -> str:
    """Run a benchmark, show its output and return it.

    Raises:
        SystemExit: it failed.
    """
    lines = []
    with subprocess.Popen([sys.executable, "-u", script], stdout=subprocess.PIPE, text=True) as job:
        for line in job.stdout or ():
            print(line, end="", flush=True)
            lines.append(line)
    if job.returncode:
        raise SystemExit(job.returncode)
    return "".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="benchmarks to run, such as odds; all if none is given")
    parser.add_argument("--keep", action="store_true", help="store these figures as the new baseline")
    asked = parser.parse_args()
    for script in sorted(HERE.glob("bench_*.py")):
        name = script.stem.removeprefix("bench_")
        if asked.names and name not in asked.names:
            continue
        print(f"\n== {name}", flush=True)
        told, kept = run(script), KEPT / f"{name}.txt"
        before = kept.read_text(encoding="utf-8") if kept.exists() else ""
        where, _, figured = before.partition("\n")
        if asked.keep:
            KEPT.mkdir(exist_ok=True)
            kept.write_text(f"{machine()}\n{told}", encoding="utf-8")
        elif where != machine():
            print("-- no baseline of this machine" + (f": it is of {where}" if where else ""))
        else:
            print("-- moved by more than 5 %:" if (lines := list(moved(figured, told))) else "-- as the baseline")
            print(*(f"   {line}" for line in lines), sep="\n")


if __name__ == "__main__":
    main()
