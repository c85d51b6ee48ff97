"""Measures the reading of enrolled dice: throws answered and answers wrong, by kind.

    python tests/bench/accuracy_own_dice.py [--kind d20] [--dice 20] [--seed 41]

The dice have appearances and fonts that are not in the training data, rendered by the training's renderer as at an
owner's table: 90 to 250 px in size, seven in ten on one table under one light. One picture of each face is enrolled,
and all others are read. A die whose faces could not be told apart is refused, as on the dealer's page.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path

import cv2
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from companion.objects.dice import DIE_KINDS, DieKind
from companion.rendering.painter import Die
from companion.vision.dice.enrolled import EnrolledDie
from companion.vision.dice.enrollment import reread_enrolled, unrecognized_faces
from companion.vision.dice.faces.classifier import shared_classifier
from companion.vision.dice.faces.predictions import FACE_ORDER
from companion.vision.frame import Image
from tools.training.enrolled_dice import render_faces
from tools.training.samples.fonts import Fonts, find_fonts
from tools.training.samples.random_dice import random_d6, random_d20, random_rugen


def random_die(kind: DieKind, rng: np.random.Generator, fonts: Fonts) -> tuple[Die, list[str]]:
    """Return a held-out die, and what each of its faces shows."""
    if kind == "d20":
        die, values, _ = random_d20(rng, fonts, "held")
    elif kind == "d6":
        die, values, _ = random_d6(rng, fonts, "held")
    else:
        die, faces = random_rugen(rng, fonts, "held")
        return die, [FACE_ORDER[face] for face in faces]
    return die, [str(value) for value in values]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", choices=DIE_KINDS, default="d20")
    parser.add_argument("--dice", type=int, default=20)
    parser.add_argument("--seed", type=int, default=41)
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    net, rng, fonts = shared_classifier(), np.random.default_rng([asked.seed, 7]), find_fonts()
    all_of_them: Counter[str] = Counter()
    for number in range(asked.dice):
        drawn, faces = random_die(asked.kind, rng, fonts)
        first: dict[str, list[Image]] = {}
        thrown: list[tuple[str, Image]] = []
        for face, shots in zip(faces, render_faces(drawn, rng), strict=True):
            thrown += [(face, shot.near) for shot in shots[face not in first :]]
            first.setdefault(face, [shots[0].near])
        die = EnrolledDie.learn("held", asked.kind, first, net)
        if strangers := unrecognized_faces(die, first, net):
            print(f"die {number} is refused, for {', '.join(strangers)}")
            all_of_them["refused"] += 1
            continue
        count: Counter[str] = Counter()
        for face, near in thrown:
            read = reread_enrolled(die, near, net)
            count["right" if read == face else "wrong" if read else "asked"] += 1
        if count["right"] < len(thrown):
            print(f"die {number}: {dict(count)}")
        all_of_them += count
    print(f"{asked.kind}: {asked.dice} dice, {dict(all_of_them)}")


if __name__ == "__main__":
    main()
