"""Measures the axis found by `companion calibrate --die`: its error, and the dice read with it.

    python tests/bench/fitted_axis.py [--cameras 20] [--seed 31]

For each camera, 0 to 34 degrees off the vertical, a die of each kind is shown with five known faces, and ten more
throws of it are read with the axis found, with the true one, and without any. Each die's box is given. The dice are
drawn by `tests/companion/vision/dice/plain_dice.py`, which shares no code with the training.
"""

import argparse
import sys
from collections import Counter, defaultdict
from pathlib import Path

import cv2
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parents[1] / "companion" / "vision" / "dice"))

import plain_dice

from companion.objects.dice import DAY_NIGHT, DIE_KINDS, DieKind
from companion.vision.dice.axis import Axis
from companion.vision.dice.axis_fit import FACES_ASKED, AxisFit
from companion.vision.dice.boxes import DieBox
from companion.vision.dice.decision_policy import gather, judge
from companion.vision.dice.faces.classifier import shared_classifier
from companion.vision.frame import Image

_THROWS = 10


class Camera:
    """A camera over a tray with one die."""

    def __init__(self, kind: DieKind, rng: np.random.Generator) -> None:
        self.kind, self.rng = kind, rng
        self.axis = Axis(float(rng.uniform(0, 34)), float(rng.uniform(0, 360)))
        self._look, self._order = plain_dice.random_look(rng), int(rng.integers(1 << 30))
        self._ground = plain_dice.GROUNDS[int(rng.integers(len(plain_dice.GROUNDS)))]
        self._size = int(rng.uniform(75, 180))

    def throw(self) -> tuple[Image, DieBox, str]:
        """Return a picture, the die's box in it, and its face."""
        size, value = self._size, int(self.rng.integers(1, 7 if self.kind == "d6" else 21))
        scene = plain_dice.Scene(plain_dice.ground(self._ground, (3 * size, int(2.6 * size)), self.rng))
        at = (int(1.5 * size), int(1.3 * size))
        drawn = plain_dice.put(
            scene,
            self.kind,
            value,
            at,
            size,
            self._look,
            self.rng,
            tilt_deg=self.axis.tilt_deg,
            towards_deg=self.axis.towards_deg,
            order=self._order,
        )
        return plain_dice.finish(scene.image, self.rng), DieBox(drawn.box, 1.0), drawn.face or str(drawn.value)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cameras", type=int, default=20)
    parser.add_argument("--seed", type=int, default=31)
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    networks = shared_classifier()
    for kind in DIE_KINDS:
        off: list[float] = []
        said: Counter[str] = Counter()
        rows: dict[str, Counter[str]] = defaultdict(Counter)
        for number in range(asked.cameras):
            camera = Camera(kind, np.random.default_rng([asked.seed, DIE_KINDS.index(kind), number]))
            fit = AxisFit(kind)
            for _ in range(3 * FACES_ASKED):
                if len(fit.shown) < FACES_ASKED:
                    said["picture refused" if fit.learn(*camera.throw()) else "picture taken"] += 1
            found = fit.found()
            said["axis found" if found.axis else "misfits" if found.misfits else "no axis"] += 1
            if found.axis is None:
                continue
            off.append(plain_dice.apart_deg(found.axis, camera.axis))
            for _ in range(_THROWS):
                picture, box, shown = camera.throw()
                for name, axis in (("found", found.axis), ("true", camera.axis), ("none", None)):
                    seen = gather(picture, box, networks, axis=axis)
                    reading = judge([seen], DIE_KINDS, networks.calibration)
                    value = None if reading is None or reading.value is None else reading
                    read = "" if value is None else str(value.face if value.kind == DAY_NIGHT else value.value)
                    rows[name].update(throws=1, answered=bool(read), wrong=read not in ("", shown))
        print(f"{kind}: {dict(said)}; off by {np.mean(off):.1f} degrees, at most {max(off):.1f}")
        for name, row in rows.items():
            print(f"  axis {name:6} {row['answered']:4} of {row['throws']} answered, {row['wrong']} wrong")


if __name__ == "__main__":
    main()
