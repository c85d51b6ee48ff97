"""Makes the throws of dice that fall into bowls, by a simulation of rigid bodies; needs MuJoCo (the extra `train`).

    PYTHONPATH=. python tests/bench/drop_dice.py [--throws 1800] [--dice 3] [--out FILE]

`accuracy_bowl.py --look dropped` shows them in looks that nothing is trained on.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import astuple
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "companion/games/chinchirorin/camera"))

import held_bowls

from tools.training.bowls.drops import dropped


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--throws", type=int, default=1800)
    parser.add_argument("--dice", type=int, default=3)
    parser.add_argument("--out", type=Path, default=held_bowls.DROPS)
    asked = parser.parse_args()
    bowls, middles, turns = [], [], []
    seed = 0
    while len(bowls) < asked.throws:
        rng, seed = np.random.default_rng([2027, seed]), seed + 1
        bowl = held_bowls.chance_bowl(rng)
        poses = dropped(rng, bowl, asked.dice)
        if poses is not None:
            bowls.append(astuple(bowl))
            middles.append([pose.middle for pose in poses])
            turns.append([pose.turn for pose in poses])
    arrays = {"bowl": bowls, "middle": middles, "turn": turns}
    np.savez_compressed(asked.out, **{name: np.array(rows, np.float32) for name, rows in arrays.items()})
    print(f"{asked.out}: {len(bowls)} throws of {seed}")


if __name__ == "__main__":
    main()
