"""Plays simulated evenings: ``python -m tools.simulate --evenings 10000``, or one: ``--seed 7``."""

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from functools import partial

from companion.app.torture.simulation import LENGTH, SimulationResult, simulate
from companion.plugins.registry import Games, installed_games


def main(arguments: list[str] | None = None) -> int:
    """Play them; exit code 1 if a promise was broken."""
    parser = argparse.ArgumentParser(prog="make simulate", description=__doc__)
    parser.add_argument("--evenings", type=int, default=200, help="number of evenings")
    parser.add_argument("--first", type=int, default=0, help="random seed of the first evening; the others follow")
    parser.add_argument("--seed", type=int, help="simulate only this evening, and print every step")
    parser.add_argument("--steps", type=int, default=LENGTH, help="steps per evening")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args(arguments)
    if options.seed is not None:
        return _one(options.seed, options.steps)
    seeds = range(options.first, options.first + options.evenings)
    return _many(seeds, options.steps, options.processes)


def _one(seed: int, steps: int) -> int:
    told = simulate(seed, installed_games(), range(steps))
    if told.fault is not None:
        told = shortened(told, installed_games())
    print("\n".join(told.happened))
    print(_verdict(told))
    return 0 if told.fault is None else 1


def _verdict(told: SimulationResult) -> str:
    if told.fault is None:
        return f"Evening {told.seed}: every promise was kept."
    return f"Evening {told.seed} broke a promise ({len(told.steps)} steps are enough for it): {told.fault}"


def shortened(told: SimulationResult, games: Games, tries: int = 80) -> SimulationResult:
    """Leave out steps as long as the evening still fails, and tell about the shortest one that was found."""
    size = len(told.steps) // 2
    while size >= 1 and tries > 0:
        for at in range(0, len(told.steps), size):
            left = (*told.steps[:at], *told.steps[at + size :])
            tries -= 1
            shorter = simulate(told.seed, games, left)
            if shorter.fault is not None:
                told = shorter
                break
            if tries <= 0:
                break
        else:
            size //= 2
    return told


def _many(seeds: range, steps: int, processes: int) -> int:
    began, counts, failed, number = time.monotonic(), Counter[str](), 0, 0
    with suppress(KeyboardInterrupt):  # then tell what has come so far
        for number, told in enumerate(_played(seeds, steps, processes), start=1):
            counts.update(told.counts)
            if told.fault is not None:
                failed += 1
                print(f"\rEvening {told.seed} broke a promise: {told.fault}")
                print(f'  Again, and shorter: make simulate ARGS="--seed {told.seed} --steps {steps}"', flush=True)
            if sys.stderr.isatty() and number % 10 == 0:
                print(f"\r{number} of {len(seeds)} evenings", end="", file=sys.stderr, flush=True)
    figures = ", ".join(f"{counts[name]} {name}" for name in sorted(counts))
    print(f"{number} evenings in {time.monotonic() - began:.0f} s: {figures}.")
    print("Every promise was kept." if not failed else f"In {failed} evenings a promise was broken.")
    return 1 if failed else 0


def _played(seeds: range, steps: int, processes: int) -> Iterator[SimulationResult]:
    if processes <= 1:
        yield from (_play(steps, seed) for seed in seeds)
        return
    with ProcessPoolExecutor(processes) as pool:
        found: Iterable[SimulationResult] = pool.map(partial(_play, steps), seeds, chunksize=8)
        yield from found


def _play(steps: int, seed: int) -> SimulationResult:
    return simulate(seed, installed_games(), range(steps))


if __name__ == "__main__":
    sys.exit(main())
