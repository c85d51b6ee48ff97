"""Measures the reading of dice in a bowl: throws answered and answers wrong, by the dice's size; prints a table.

    python tests/bench/accuracy_bowl.py [--first-seed 0] [--throws 100] [--size 60] [--look held|dropped|odd|dish|mixed]

A throw is answered if exactly three dice have values. ``held`` bowls (`held_bowls`) have appearances that nothing is
tuned or trained on. Every fifth throw is invalid (two or four dice, a cocked one, or one outside), and any answer to it
is wrong; ``odd`` shows only these. ``dropped`` dice lie where a rigid-body simulation dropped them (`drop_dice.py`,
1,800 throws), leaning on each other and on the wall; those balanced near an edge may be left unanswered, or get the
value of their upper face. ``--drops FILE`` shows other throws, such as four dice. ``dish`` is three flat dice of 90 to
150 px by another renderer, ``mixed`` the same with one die of another kind. ``--keep`` stores the pictures for reuse.
"""

import argparse
import pickle
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path

import cv2
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "companion/games/chinchirorin/camera"))

import held_bowls
from held_bowls import Throw

SIZES = (30, 45, 60, 80, 400)
ODD: tuple[dict[str, object], ...] = ({"count": 2}, {"count": 4}, {"cocked": True}, {"count": 2, "out": 1})
Read = Callable[[np.ndarray], tuple[int | None, ...]]
Make = Callable[[int, float | None], Throw]


def held(seed: int, size_px: float | None) -> Throw:
    odd = ODD[seed // 5 % len(ODD)] if seed % 5 == 4 else {}
    return held_bowls.throw(seed, size_px=size_px, **odd)  # type: ignore[arg-type]


def odd(seed: int, size_px: float | None) -> Throw:
    """An invalid throw, which must not be answered."""
    return held_bowls.throw(seed, size_px=size_px, **ODD[seed % len(ODD)])  # type: ignore[arg-type]


def dropped(seed: int, size_px: float | None, drops: Path = held_bowls.DROPS) -> Throw:
    laid = held_bowls.dropped(seed, drops)
    return held_bowls.throw(seed, size_px=size_px, count=len(laid[1]), laid=laid)


def dish(seed: int, size_px: float | None) -> Throw:
    """Three dice in a dish, drawn by code that is not shared with the training."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "companion/vision/dice"))
    from robust_dice import dishes

    picture, truth = next(dishes(1, np.random.default_rng([2028, seed])))
    return Throw(picture, tuple(map(int, truth)), 0, 120.0, ())


def mixed(seed: int, size_px: float | None) -> Throw:
    """Two d6 and a die of another kind in a dish."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "companion/vision/dice"))
    from robust_dice import dishes

    other = ("d8", "d12", "d20", "rugen")[seed % 4]
    picture, truth = next(dishes(1, np.random.default_rng([2029, seed]), other))
    return Throw(picture, (*map(int, truth), None), 0, 120.0, ())


def kept(make: Make, look: str, seed: int, size: float | None, folder: Path | None) -> Throw:
    if folder is None:
        return make(seed, size)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{look}-{seed}-{size or 0:.0f}.pickle"
    if not path.exists():
        path.write_bytes(pickle.dumps(make(seed, size)))
    return pickle.loads(path.read_bytes())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--throws", type=int, default=100)
    parser.add_argument("--size", type=float, help="size of the dice, px; by default at random from 40 to 110")
    parser.add_argument("--look", choices=("held", "dropped", "odd", "dish", "mixed"), default="held")
    parser.add_argument("--drops", type=Path, default=held_bowls.DROPS, help="throws from drop_dice.py")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--generic", action="store_true", help="use only the dice reader, not the bowl's own")
    parser.add_argument("--wrong", type=Path, help="folder for pictures of throws that were not read right")
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    read = generic() if asked.generic else of_bowl()
    looks = {"held": held, "odd": odd, "dish": dish, "dropped": partial(dropped, drops=asked.drops), "mixed": mixed}
    make = looks[asked.look]
    rows: dict[str, Counter[str]] = defaultdict(Counter)
    spent = []
    for seed in range(asked.first_seed, asked.first_seed + asked.throws):
        throw = kept(make, f"{asked.look}-{asked.drops.stem}", seed, asked.size, asked.keep)
        begun = time.process_time()
        values = read(throw.picture)
        spent.append(time.process_time() - begun)
        row, outcome = row_of(throw), outcome_of(throw, values)
        rows[row][outcome] += 1
        rows[row]["dice"] += len(throw.values)
        rows[row]["dice answered"] += sum(value is not None for value in values)
        if asked.wrong and outcome in ("wrong", "question") and "not" not in row:
            asked.wrong.mkdir(parents=True, exist_ok=True)
            cv2.imwrite(
                str(asked.wrong / f"{outcome}-{seed}-{throw.values}-{values}.png".replace(" ", "")), throw.picture
            )
    print(f"{'':24} throws  as wanted  wrong  questions  near an edge, its upper face read")
    for row in sorted(rows):
        count = rows[row]
        total = sum(count[outcome] for outcome in ("right", "upper", "wrong", "question"))
        right, rest = count["right"] / total, f"{count['wrong']:5}  {count['question']:9}  {count['upper']:8}"
        print(f"{row:24} {total:6}  {right:9.1%}  {rest}")
    print(f"CPU, median: {1000 * float(np.median(spent)):.0f} ms a picture")


def row_of(throw: Throw) -> str:
    if not throw.is_plain:
        return "none to be answered"
    low, high = next((a, b) for a, b in zip((0, *SIZES), SIZES, strict=False) if throw.size_px < b)
    return f"dice of {low:3} to {high:3} px"


def outcome_of(throw: Throw, values: tuple[int | None, ...]) -> str:
    if len(values) != 3 or None in values:
        return "question" if throw.is_plain else "right"
    if throw.is_plain:
        return "right" if sorted(values) == sorted(throw.values) else "wrong"  # type: ignore[type-var]
    is_upper = not throw.out and sorted(values) == sorted(value or 0 for value in throw.upper)  # type: ignore[type-var]
    return "upper" if is_upper else "wrong"


def generic() -> Read:
    from companion.vision.dice.reader import DiceReader

    reader = DiceReader()
    return lambda picture: tuple(die.value if die.kind == "d6" else None for die in reader.read(picture).dice)


def of_bowl() -> Read:
    from companion.games.chinchirorin.camera.reader import BowlReader

    reader = BowlReader()

    def read(picture: np.ndarray) -> tuple[int | None, ...]:
        seen = reader.read(picture)
        return () if seen is None else tuple(die.value for die in seen.dice)

    return read


if __name__ == "__main__":
    main()
