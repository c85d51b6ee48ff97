"""Measures how many flat d6, drawn from straight above without edges, the refiner accepts as dice in their own boxes.

python tests/bench/flat_dice.py

White dice with black pips, and dice with random looks by `plain_dice.py`, on paper, felt, wood and in trays.
"""

import sys
from pathlib import Path

import cv2
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parents[1] / "companion" / "vision" / "dice"))

import plain_dice

from companion.vision.dice.boxes import CONFIDENT_SCORE, DieBox
from companion.vision.dice.finding.refiner import BoxRefiner

SIZES = ((420, 640), (500, 640), (300, 480), (120, 300), (90, 300), (120, 480), (70, 480))
"""Sizes of die and picture, px."""
WHITE = plain_dice.Look(body=(205, 210, 215), ink=(20, 20, 20))


def score(refiner: BoxRefiner, value: int, size: int, side: int, seed: int, *, is_white: bool) -> float:
    """Return the refiner's probability that this is a die."""
    rng = np.random.default_rng([seed, value, size])
    ground = plain_dice.GROUNDS[(value + seed) % len(plain_dice.GROUNDS)]
    scene = plain_dice.Scene(plain_dice.ground(ground, (side, side), rng))
    look = WHITE if is_white else plain_dice.random_look(rng)
    drawn = plain_dice.put(scene, "d6", value, (side // 2, side // 2), size, look, rng)
    picture = plain_dice.finish(scene.image, rng)
    return refiner.refined(picture, [DieBox(drawn.box, 0.5)])[0].score


def main() -> None:
    cv2.setNumThreads(1)
    refiner = BoxRefiner()
    for is_white in (True, False):
        found = [score(refiner, value, size, side, seed, is_white=is_white) >= CONFIDENT_SCORE
                 for size, side in SIZES for value in range(1, 7) for seed in (1, 2, 3)]  # fmt: skip
        print(f"{'white' if is_white else 'of chance looks'}: {sum(found)} of {len(found)} are dice")


if __name__ == "__main__":
    main()
