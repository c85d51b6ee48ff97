"""How often the wheel is read wrong, and how often at all: stills and filmed spins of rendered wheels.

    PYTHONPATH=. python tests/bench/accuracy_wheel.py --looks built --stills 500 --spins 50 --first-seed 1000

``turned`` wheels are those that the reader was tuned on, ``built`` ones are painted by other code. Of five stills one
shows no ball and one a ball on its track; of ten films one shows a ball that was put into its pocket by hand. None of
them may be answered.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "toys"))

from spins import spin

from companion.games.roulette.camera.reader import read_wheel
from companion.games.roulette.camera.watch import WheelWatch

STILLS = ("rests", "rests", "rests", "empty", "runs")


def still(looks: Any, seed: int) -> tuple[str, str | None, str | None]:
    """Return what a still shows, its pocket, and the answer."""
    look = looks.look(seed)
    wheel, rng = looks.wheel(look), np.random.default_rng([seed, 3])
    turn, kind = rng.uniform(0, 2 * np.pi), STILLS[seed % len(STILLS)]
    pocket = str(wheel.pockets[rng.integers(len(wheel.pockets))])
    ball = None
    if kind == "rests":
        ball = wheel.resting(pocket, turn, rng.uniform(-0.12, 0.12))
    elif kind == "runs":
        ball = wheel.on_track(turn)
    answer = read_wheel(wheel.picture(turn, ball)).answer
    return kind, pocket if kind == "rests" else None, None if answer is None else answer["pocket"]


def film(looks: Any, seed: int, times: list[float], fps: float | None) -> tuple[str, str | None, set[str], bool]:
    """Return a film's kind, its pocket, all answers, and whether the first came within one revolution of rest."""
    kind = "placed" if seed % 10 == 7 else "spun"
    plan = spin(looks.wheel(looks.look(seed, film=True)), np.random.default_rng([seed, 5]), kind)
    if fps is not None:
        plan = replace(plan, fps=fps)
    watch, answers, soon = WheelWatch(), set(), False
    for shot in plan.shots():
        start = time.thread_time()
        reading = watch.see(shot.picture, shot.t)
        times.append(time.thread_time() - start)
        if reading.answer is not None:
            soon = soon or (not answers and shot.t - plan.rests_at <= plan.turn_s)
            answers.add(reading.answer["pocket"])
    return kind, plan.pocket if kind == "spun" else None, answers, soon


def main() -> None:
    """Measure, and print the figures."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--looks", choices=("turned", "built"), default="built")
    options.add_argument("--stills", type=int, default=0)
    options.add_argument("--spins", type=int, default=0)
    options.add_argument("--fps", type=float, help="of the films; else 15, 25 or 30")
    options.add_argument("--first-seed", type=int, default=0)
    asked = options.parse_args()
    cv2.setNumThreads(1)
    looks = importlib.import_module(f"{asked.looks}_wheels")
    seeds = range(asked.first_seed, asked.first_seed + max(asked.stills, asked.spins))
    counts: Counter[str] = Counter()
    times: list[float] = []
    for seed in seeds[: asked.stills]:
        kind, pocket, answer = still(looks, seed)
        is_wrong = answer is not None and answer != pocket
        counts[f"still {kind}: {'wrong' if is_wrong else 'answered' if answer else 'none'}"] += 1
        if is_wrong:
            print(f"wrong: {asked.looks} still {seed} ({kind}) shows {pocket}, read {answer}", flush=True)
        if seed % 25 == 24:
            print(dict(sorted(counts.items())), flush=True)
    for seed in seeds[: asked.spins]:
        kind, pocket, answers, soon = film(looks, seed, times, asked.fps)
        is_wrong = bool(answers - {pocket})
        counts[f"film {kind}: {'wrong' if is_wrong else 'answered' if answers else 'none'}"] += 1
        counts["film spun: within one revolution"] += kind == "spun" and soon and not is_wrong
        if is_wrong:
            print(f"wrong: {asked.looks} film {seed} ({kind}) shows {pocket}, read {answers}", flush=True)
        mean, most = 1000 * float(np.mean(times)), 1000 * float(np.percentile(times, 99))
        print(dict(sorted(counts.items())), f"{mean:.1f} ms a picture, 99 %: {most:.1f} ms", flush=True)
    print(dict(sorted(counts.items())))


if __name__ == "__main__":
    main()
