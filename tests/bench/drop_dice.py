"""Simulates throws of dice into bowls as rigid bodies; needs MuJoCo (the extra `train`).

    PYTHONPATH=. python tests/bench/drop_dice.py [--throws 1800] [--dice 3] [--out FILE]

`accuracy_bowl.py --look dropped` renders them with appearances that are in no training data. ``--tell`` prints the
distribution of the leans of the dice in a file. It is the source of the constants in `tilt.py`, from bowls like the
training's (``--bowls training --throws 1173``).
"""

import argparse
import sys
from dataclasses import astuple
from itertools import pairwise
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "companion/games/chinchirorin/camera"))

import held_bowls

from companion.rendering.solids import solid
from tools.training.bowls.drops import simulate_throw
from tools.training.bowls.throws import random_bowl

PLACES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--throws", type=int, default=1800)
    parser.add_argument("--dice", type=int, default=3)
    parser.add_argument("--out", type=Path, default=held_bowls.DROPS)
    parser.add_argument("--bowls", choices=("held", "training"), default="held")
    parser.add_argument("--tell", action="store_true", help="make no throws; print how the dice in the file lean")
    asked = parser.parse_args()
    if asked.tell:
        tell(asked.out)
        return
    make = random_bowl if asked.bowls == "training" else held_bowls.chance_bowl
    bowls, middles, turns = [], [], []
    seed = 0
    while len(bowls) < asked.throws:
        rng, seed = np.random.default_rng([2027, seed]), seed + 1
        bowl = make(rng)
        poses = simulate_throw(rng, bowl, asked.dice)
        if poses is not None:
            bowls.append(astuple(bowl))
            middles.append([pose.middle for pose in poses])
            turns.append([pose.turn for pose in poses])
    arrays = {"bowl": bowls, "middle": middles, "turn": turns}
    np.savez_compressed(asked.out, **{name: np.array(rows, np.float32) for name, rows in arrays.items()})
    print(f"{asked.out}: {len(bowls)} throws of {seed}")


def tell(path: Path) -> None:
    """Print how far dice lean inwards and sideways, by position: quantiles of the upper face's normal components."""
    with np.load(path) as kept:
        bowls, middles, turns = kept["bowl"], kept["middle"], kept["turn"]
    normals = np.einsum("fk,bdik->bdfi", solid("d6").normals, turns)
    upper = np.take_along_axis(normals, normals[..., 2].argmax(axis=2)[..., None, None], axis=2)[:, :, 0]
    far = np.hypot(middles[..., 0], middles[..., 1])
    out = middles[..., :2] / np.maximum(far, 1e-6)[..., None]
    inward = -(upper[..., :2] * out).sum(axis=-1)
    across = np.abs(upper[..., 1] * out[..., 0] - upper[..., 0] * out[..., 1])
    place = far / bowls[:, :1]
    for low, high in pairwise(PLACES):
        here = (place >= low) & (place < high)
        cuts = np.percentile(inward[here], [5, 25, 50, 75, 90, 98]).round(2)
        print(f"{low} to {high} of the rim: {here.sum()} dice, inwards {cuts}, "
              f"across {np.percentile(across[here], [50, 75, 90, 98]).round(2)}")  # fmt: skip
    print(f"leaning by more than 35 degrees: {(upper[..., 2] < np.cos(np.radians(35))).mean():.1%}")


if __name__ == "__main__":
    main()
