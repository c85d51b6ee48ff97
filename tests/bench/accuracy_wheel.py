"""Measures the reading of rendered roulette wheels: read and wrong in stills, filmed spins and rests.

    PYTHONPATH=. python tests/bench/accuracy_wheel.py --looks built --stills 500 --spins 50 --notes counted.jsonl

The reader was tuned on ``turned`` wheels. ``built`` wheels are rendered by other code, ``foreign`` ones have colors,
shapes and lights of neither, and ``layered`` ones are quick to render, with other proportions and reflected windows.
One in five stills shows no ball, and one a ball on its track. One in twenty films shows a ball put into its pocket by
hand, and one a ball that leaves the wheel; none of these may be answered. Rests are the cheapest: a turning wheel
without a ball in its pockets, then with a ball in each of four pockets in turn.
"""

import argparse
import importlib
import json
import math
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "toys"))

from spins import Spin, spin

from companion.games.roulette.camera.heat import BallHeat, at_once, shared_nets
from companion.games.roulette.camera.memory import Memory, Unroller
from companion.games.roulette.camera.reader import find_wheel, read_wheel, surely_seen
from companion.games.roulette.camera.rest import even, pocket_of, weigh
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


def plan_of(looks: Any, seed: int, fps: float) -> Spin:
    """Return a film's plan with random hops of the ball, which rests for less than a revolution."""
    kind = {7: "placed", 3: "lost"}.get(seed % 20, "spun")
    plan = spin(looks.wheel(looks.look(seed, film=True)), np.random.default_rng([seed, 5]), kind)
    rng = np.random.default_rng([seed, 6])
    run_s, hop_s = float(rng.uniform(2.0, 2.4)), float(rng.uniform(0.15, 0.35))
    return replace(plan, fps=fps, run_s=run_s, hop_s=hop_s, rest_s=min(plan.turn_s, 1.7))


def film(plan: Spin, times: list[float]) -> tuple[str | None, set[str], bool]:
    """Return a film's pocket, all answers, and whether the first answer came within one revolution after rest."""
    watch, answers, soon = WheelWatch(), set(), False
    for shot in plan.shots():
        start = time.thread_time()
        reading = watch.see(shot.picture, shot.t)
        if shot.t > 0:  # the initial search for the wheel is not part of tracking
            times.append(time.thread_time() - start)
        if reading.answer is not None:
            soon = soon or (not answers and shot.t - plan.rests_at <= plan.turn_s)
            answers.add(reading.answer["pocket"])
    return plan.pocket if plan.kind == "spun" else None, answers, soon


Pictures = list[tuple[float, np.ndarray]]


def rests_of(looks: Any, seed: int) -> tuple[Pictures, list[tuple[str, Pictures]]]:
    """Return pictures of a turning wheel while the ball runs, then with the ball in several pockets in turn."""
    wheel, rng = looks.wheel(looks.look(seed, film=True)), np.random.default_rng([seed, 7])
    speed, turn = rng.choice([-1.0, 1.0]) * rng.uniform(0.9, 3.2), rng.uniform(0, 2 * np.pi)

    def picture(t: float, ball: Any) -> np.ndarray:
        return wheel.picture(turn + speed * t, ball, turning=speed, running=speed)

    before = [(t, picture(t, wheel.on_track(-7.0 * t))) for t in np.arange(9) * 0.13]
    after = []
    for _ in range(4):
        pocket, off = str(rng.choice(wheel.pockets)), rng.uniform(-0.15, 0.15)
        times = rng.uniform(2, 6) + np.arange(10) * 0.1
        after.append((pocket, [(t, picture(t, wheel.resting(pocket, turn + speed * t, off))) for t in times]))
    return before, after


def read_rests(
    before: Pictures, after: list[tuple[str, Pictures]], heat: BallHeat | None
) -> list[tuple[str, str | None]]:
    """Return the pocket and the answer of each rest, with the network or by the pixel differences alone."""
    wheel = find_wheel(before[0][1])
    strip = wheel.unroll(before[0][1]) if wheel is not None else None
    if wheel is None or strip is None or not surely_seen(strip):
        return [(pocket, None) for pocket, _ in after]
    unroller, memory = Unroller(wheel, strip.rows), Memory()
    for t, picture in before:
        view = unroller.view(picture, t)
        if view is not None:
            memory.learn(view)
    answers = []
    for pocket, pictures in after:
        views = [unroller.view(picture, t) for t, picture in pictures]
        seen = even([memory.unlit(view) for view in views if view is not None and memory], len(wheel.rim))
        rest = pocket_of(at_once(weigh(wheel, memory, seen, heat)), wheel.rim) if len(seen) > 6 else None
        answers.append((pocket, rest))
    return answers


class Notes:
    """Counts per seed, kept as JSON lines in a file, so that an interrupted measurement can be resumed."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        lines = path.read_text().splitlines() if path is not None and path.exists() else []
        self._known: dict[str, dict[str, int]] = dict(json.loads(line) for line in lines)

    def counted(self, name: str, count: Callable[[], dict[str, int]]) -> dict[str, int]:
        """Return the counts recorded under a name; compute and record them if missing."""
        if name not in self._known:
            self._known[name] = count()
            if self._path is not None:
                with self._path.open("a") as file:
                    file.write(json.dumps([name, self._known[name]]) + "\n")
        return self._known[name]


def still_counts(name: str, looks: Any, seed: int) -> dict[str, int]:
    kind, pocket, answer = still(looks, seed)
    outcome = outcome_of(f"{name} still {seed} ({kind})", pocket, set() if answer is None else {answer})
    return {f"still {kind}: {outcome}": 1}


def film_counts(name: str, looks: Any, seed: int, fps: float, times: list[float]) -> dict[str, int]:
    plan = plan_of(looks, seed, fps)
    pocket, answers, soon = film(plan, times)
    outcome = outcome_of(f"{name} film {seed} ({plan.kind})", pocket, answers)
    counts = {f"film {plan.kind}: {outcome}": 1}
    return counts | {"film spun: within one revolution": 1} if soon and outcome == "answered" else counts


def rest_counts(name: str, looks: Any, seed: int, heat: BallHeat | None) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for pocket, answer in read_rests(*rests_of(looks, seed), heat):
        outcome = outcome_of(f"{name} rest {seed}", pocket, set() if answer is None else {answer})
        counts[f"rest: {outcome}"] += 1
    return dict(counts)


def outcome_of(what: str, pocket: str | None, answers: set[str]) -> str:
    if answers - {pocket}:
        print(f"wrong: {what} shows {pocket}, read {sorted(answers)}", flush=True)
        return "wrong"
    return "answered" if answers else "none"


def main() -> None:
    """Run the measurement and print the figures."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--looks", choices=("turned", "built", "foreign", "layered"), default="built")
    options.add_argument("--stills", type=int, default=0)
    options.add_argument("--spins", type=int, default=0)
    options.add_argument("--rests", type=int, default=0, help="number of wheels, with four rests each")
    options.add_argument("--fps", type=float, default=15.0, help="frame rate of the films")
    options.add_argument("--first-seed", type=int, default=0)
    options.add_argument(
        "--notes", type=Path, help="file for the counts, with which an interrupted measurement continues"
    )
    options.add_argument(
        "--no-network", action="store_true", help="read rests only by their difference from the empty wheel"
    )
    asked = options.parse_args()
    heat = None if asked.no_network else shared_nets()
    cv2.setNumThreads(1)
    name, looks, notes = asked.looks, importlib.import_module(f"{asked.looks}_wheels"), Notes(asked.notes)
    counts: Counter[str] = Counter()
    times: list[float] = []
    plans: tuple[tuple[str, int, Callable[[int], dict[str, int]]], ...] = (
        ("still", asked.stills, lambda seed: still_counts(name, looks, seed)),
        ("film", asked.spins, lambda seed: film_counts(name, looks, seed, asked.fps, times)),
        ("rest", asked.rests, lambda seed: rest_counts(name, looks, seed, heat)),
    )
    for what, number, count in plans:
        for seed in range(asked.first_seed, asked.first_seed + number):
            counts.update(notes.counted(f"{name} {what} {seed}", partial(count, seed)))
            if what == "film" or seed % 25 == 24:
                print(dict(sorted(counts.items())), flush=True)
    print(dict(sorted(counts.items())))
    if times:
        mean, most = 1000 * float(np.mean(times)), 1000 * float(np.percentile(times, 99))
        print(f"{mean:.1f} ms a picture, 99 %: {most:.1f} ms")
    for what in ("still", "film", "rest"):
        shown = sum(count for name, count in counts.items() if name.startswith(what) and "within" not in name)
        wrong = sum(count for name, count in counts.items() if name.startswith(what) and name.endswith("wrong"))
        if shown:
            limit = max_error_rate(wrong, shown)
            print(f"{what}: {wrong} of {shown} wrong; at most {100 * limit:.2g} % with 95 % certainty")


def max_error_rate(wrong: int, shown: int) -> float:
    """Return the upper 95 % confidence limit of the error rate (Clopper-Pearson).

    >>> round(max_error_rate(0, 300), 4)
    0.0099
    """
    low, high = 0.0, 1.0
    for _ in range(40):
        rate = (low + high) / 2
        chance = sum(math.comb(shown, k) * rate**k * (1 - rate) ** (shown - k) for k in range(wrong + 1))
        low, high = (rate, high) if chance > 0.05 else (low, rate)
    return high


if __name__ == "__main__":
    main()
