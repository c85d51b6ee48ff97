"""Measures memory and CPU of the whole service over time, for each game; prints a table.

    python tests/bench/bench_memory.py [--minutes 3] [--every 30] [--games roche,rochi,rugen-house]

`companion run` is started as its user would start it, with the demo table (whose drawing is part of what is measured:
with a real camera the service takes less) and one open dashboard. Memory is resident memory, child processes included.
"""

import argparse
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from bench_idle import PIN, children, cpu_s, look_on, pictures_seen, status
from served import served

GAMES = ("roche", "rochi", "captains", "rugen-house", "rugen-street", "rugen-capital")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--minutes", type=float, default=3)
    options.add_argument("--every", type=float, default=30, help="seconds between rows of the table")
    options.add_argument("--games", default=",".join(GAMES))
    chosen = options.parse_args()
    print(f"{'game':15}{'minute':>8}{'resident':>10}{'at most':>10}{'of a core':>11}{'pictures/s':>12}", flush=True)
    for game in chosen.games.split(","):
        with tempfile.TemporaryDirectory(prefix="bench-") as folder, table(Path(folder) / "data", game) as (pid, url):
            threading.Thread(target=look_on, args=(url,), daemon=True).start()
            for row in rows(pid, url, 60 * chosen.minutes, chosen.every):
                print(f"{game:15}{row}", flush=True)


def table(data: Path, game: str) -> AbstractContextManager[tuple[int, str]]:
    """Run a game's demo table; yield its process ID and the dashboard's address."""
    data.mkdir(mode=0o700)
    return served(["--game", game, "--data", str(data), "--camera", "demo"], PIN)


def rows(pid: int, url: str, seconds: float, every: float) -> Iterator[str]:
    """Yield a row of the service's memory and CPU figures per interval."""
    began = then = time.monotonic()
    spent, seen = cpu_s(pid), pictures_seen(url)
    while then - began < seconds:
        time.sleep(min(every, seconds))
        now, used, frames = time.monotonic(), cpu_s(pid), pictures_seen(url)
        resident, most = memory_mb(pid)
        took = now - then
        yield (
            f"{(now - began) / 60:8.1f}{resident:7.0f} MB{most:7.0f} MB"
            f"{100 * (used - spent) / took:9.0f} %{(frames - seen) / took:12.1f}"
        )
        then, spent, seen = now, used, frames


def memory_mb(pid: int) -> tuple[float, float]:
    """Return the current and the peak resident memory of a process and its children, MB."""
    found = [status(each) for each in (pid, *children(pid))]
    return sum(each["VmRSS"] for each in found) / 1000, sum(each["VmHWM"] for each in found) / 1000


if __name__ == "__main__":
    main()
