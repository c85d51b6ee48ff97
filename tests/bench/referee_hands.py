"""Compares ``companion replay`` with the independent referee on random hands of Rochi and cuts of Captain's Rochi.

Run: ``python tests/bench/referee_hands.py [--hands 10000] [--game rochi]``. Every evening is written as a hand script,
many scripts go through one ``companion replay --json`` (real processes, real files), and each result is compared in
every balance, pot, owner, lock, Shield and decided hand. Exit code 1 if any differs.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "companion" / "games"))

import test_captains_referee
import test_rochi_referee
from captains_referee import random_duel
from rochi_referee import random_evening

BATCH = 200
Made = tuple[list[dict[str, Any]], Any]

GAMES: dict[str, tuple[Callable[[random.Random], Made], Callable[[dict[str, Any], Any, str], None]]] = {
    "rochi": (lambda rng: random_evening(rng, hands=3), test_rochi_referee.assert_same),
    "captains": (lambda rng: random_duel(rng, commands=300), test_captains_referee.assert_same),
}


def replayed(scripts: list[list[dict[str, Any]]], folder: Path) -> list[dict[str, Any]]:
    """Return the results of ``companion replay --json``, one for each script."""
    paths = []
    for number, script in enumerate(scripts):
        paths.append(folder / f"{number}.jsonl")
        paths[-1].write_text("".join(json.dumps(line) + "\n" for line in script))
    command = [sys.executable, "-m", "companion", "replay", "--json", *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    if len(done.stdout.splitlines()) != len(scripts):
        raise SystemExit(f"companion replay did not get through:\n{done.stderr[-2000:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def compare(game: str, hands: int, seed: int) -> tuple[int, int, int, list[str]]:
    """Return the numbers of compared evenings, hands and commands, and the differences."""
    make, assert_same = GAMES[game]
    evenings = decided = commands = 0
    wrong: list[str] = []
    while decided < hands:
        made = [make(random.Random(seed + evenings + n)) for n in range(BATCH)]
        with tempfile.TemporaryDirectory() as folder:
            results = replayed([script for script, _ in made], Path(folder))
        for n, ((script, books), result) in enumerate(zip(made, results, strict=True)):
            decided += len(result["results"])
            commands += len(script) - 1
            try:
                assert result["error"] is None
                assert_same(result, books, f"seed {seed + evenings + n}")
            except AssertionError as difference:
                wrong.append(f"seed {seed + evenings + n}: {str(difference)[:200]}")
        evenings += BATCH
    return evenings, decided, commands, wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", type=int, default=10_000)
    parser.add_argument("--game", choices=GAMES)
    parser.add_argument("--seed", type=int, default=5_000_000)
    wanted = parser.parse_args()
    bad = 0
    print(f"{'game':<10}{'evenings':>10}{'hands':>10}{'commands':>10}{'differ':>8}{'seconds':>9}")
    for game in (wanted.game,) if wanted.game else GAMES:
        start = time.perf_counter()
        evenings, hands, commands, wrong = compare(game, wanted.hands, wanted.seed)
        seconds = time.perf_counter() - start
        print(f"{game:<10}{evenings:>10}{hands:>10}{commands:>10}{len(wrong):>8}{seconds:>9.0f}", flush=True)
        print(*wrong[:10], sep="\n", end="\n" if wrong else "")
        bad += len(wrong)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
