"""Counts the instructions per camera frame, and estimates a Raspberry Pi's load; prints one table.

    python tests/bench/bench_instructions.py [--cards 40]

Counts with `perf stat` if the processor permits it, else with valgrind's callgrind, which emulates every instruction,
so that a busy machine does not matter. Start-up and the first reading are subtracted by running once with few frames
and once with more. Takes some minutes under valgrind.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

FEW, MORE = 12, 32  # at 10 per second: one full scan of the frame between them, and the beginning of the next


@dataclass(frozen=True, slots=True)
class Board:
    """A computer's figures for the estimate.

    Attributes:
        ghz: clock frequency.
        ipc: instructions per cycle for this code: image filters and scans that mostly fit into the caches.
        widen: instructions of its vector unit (128 bits) for one of this machine's (256 bits), over the whole mix.
    """

    name: str
    ghz: float
    ipc: float
    widen: float = 1.7


BOARDS = (Board("Pi 4 (Cortex-A72)", 1.8, 1.0), Board("Pi 5 (Cortex-A76)", 2.4, 1.7))
ASSUMED = """Assumed: instructions on arm64 = 1.7 x those here (NEON is 128 bits wide, this build's AVX2 256, and about
two thirds of the work is vectors); 1.0 instruction a cycle on the A72 and 1.7 on the A76, which is what these cores
reach on image filters out of the second-level cache; no throttling; one core. Memory is no limit: a frame of 6 MB is
read about three times, 180 MB/s at 10 fps, of some 4 GB/s (Pi 4) and 10 GB/s (Pi 5)."""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--cards", type=int, default=40)
    options.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    options.add_argument("--frames", type=int, help=argparse.SUPPRESS)
    options.add_argument("--kind", default="still", help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.work is not None:
        work(chosen.work, chosen.frames, chosen.kind)
        return
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        film = Path(folder) / "film.npy"
        np.save(film, make_film(chosen.cards))
        report(film, chosen.cards)


def make_film(cards: int) -> np.ndarray[Any, Any]:
    """Return 1080p frames (N, H, W, 3) of a table at rest, each with its own sensor noise."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "companion" / "vision"))
    sys.path.insert(0, str(Path(__file__).parent))
    import printed
    from bench_vision import LOOK
    from table_scene import compose, expose, grid

    rng, noise = np.random.default_rng(77), np.random.default_rng(78)
    faces = printed.faces(printed.DECK)
    names = [str(n) for n in rng.permutation(list(faces))[:cards]]
    scene, _ = compose(grid([(n, faces[n]) for n in names], LOOK, rng), LOOK, 5)
    return np.stack([expose(scene.copy(), LOOK, noise) for _ in range(4)])


def work(film: Path, frames: int, kind: str) -> None:
    """Read frames as the table does. ``still``: nothing moves; ``fresh``: each is read by a new reader."""
    import cv2

    sys.path.insert(0, str(Path(__file__).parents[1] / "companion" / "vision"))
    import printed

    from companion.testing import DECKS
    from companion.vision import Frame, Reader

    cv2.setNumThreads(1)
    pictures = np.load(film, mmap_mode="r")
    reader = Reader(printed.KEYS, DECKS)
    began = time.thread_time()
    for number in range(frames):
        if kind == "fresh":
            reader = Reader(printed.KEYS, DECKS)
        reader.read(Frame(np.ascontiguousarray(pictures[number % len(pictures)]), number / 10, number))
    print(f"seconds {time.thread_time() - began}")


def report(film: Path, cards: int) -> None:
    count = perf if has_perf() else callgrind
    print(f"Counted with {count.__name__}; 1080p, {cards} cards, one core\n")
    print(f"{'a frame':34} {'instructions':>14} {'here':>9}" + "".join(f" {board.name:>18}" for board in BOARDS))
    for kind, words in (("still", "nothing moves"), ("fresh", "everything read anew")):
        few, more = (FEW, MORE) if kind == "still" else (1, 3)
        each = (count(film, more, kind) - count(film, few, kind)) / (more - few)
        here = (timed(film, more * 4, kind) - timed(film, few * 4, kind)) / (4 * (more - few))
        told = "".join(f" {each * board.widen / board.ipc / board.ghz / 1e6:15.1f} ms" for board in BOARDS)
        print(f"{words:34} {each / 1e6:12.1f} M {here * 1e3:6.1f} ms{told}")
    print(f"\n{ASSUMED}")


def _argv(film: Path, frames: int, kind: str) -> list[str]:
    return [sys.executable, __file__, "--work", str(film), "--frames", str(frames), "--kind", kind]


def timed(film: Path, frames: int, kind: str) -> float:
    """Return the thread's CPU seconds."""
    done = subprocess.run(_argv(film, frames, kind), check=True, capture_output=True, text=True)
    return float(done.stdout.split()[-1])


def has_perf() -> bool:
    if shutil.which("perf") is None:
        return False
    done = subprocess.run(["perf", "stat", "-e", "instructions:u", "-x,", "true"], capture_output=True, text=True)
    return done.returncode == 0 and "not supported" not in done.stderr


def perf(film: Path, frames: int, kind: str) -> int:
    """Return the process's instruction count from the hardware counter."""
    argv = ["perf", "stat", "-e", "instructions:u", "-x,", *_argv(film, frames, kind)]
    done = subprocess.run(argv, check=True, capture_output=True, text=True)
    return int(done.stderr.split(",")[0])


def callgrind(film: Path, frames: int, kind: str) -> int:
    """Return the process's instruction count under emulation."""
    if shutil.which("valgrind") is None:
        sys.exit("Neither perf's counters nor valgrind are here. Install it: sudo apt install valgrind.")
    argv = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *_argv(film, frames, kind)]
    done = subprocess.run(argv, check=True, capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    assert found is not None, done.stderr[-2000:]
    return int(found[1])


if __name__ == "__main__":
    main()
