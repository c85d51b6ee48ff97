"""Measures dice under a camera that is not straight above, read with and without its known axis: answered, and wrong.

    python tests/bench/tilted_dice.py [--dice 480] [--seed 101] [--traced FOLDER] [--least 60] [--network FOLDER]

"Not asked" gives the results with an unknown axis and without `aside.onnx`, the network that recognizes dice seen from
the side. "Of ten throws" treats ten dice of a kind and tilt as throws before one camera, so that earlier throws are
evidence of its axis, as at a table.
Each die's box is given, so that only the reading is measured. The dice are drawn by
`tests/companion/vision/dice/plain_dice.py`; `--traced` reads the pictures of `path_traced_dice.py render` instead. Both
share no code with the training.
"""

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parents[1] / "companion" / "vision" / "dice"))
sys.path.insert(0, str(Path(__file__).parent))

import plain_dice
from path_traced_dice import SIZES, TILTS, axis_of

from companion.objects.dice import DIE_KINDS
from companion.vision.dice.axis import Axis
from companion.vision.dice.boxes import DieBox
from companion.vision.dice.decision_policy import Evidence, gather, judge
from companion.vision.dice.faces.classifier import FILES, Classifier, shared_classifier
from companion.vision.dice.off_axis_tracker import OffAxisTracker

THROWS = 10
Shown = tuple[np.ndarray, DieBox, Axis, str, str, float]
"""Picture, box, axis, kind, face, size."""


def plain(count: int, seed: int) -> Iterator[Shown]:
    """Yield dice of every kind, tilt and size in turn."""
    rng = np.random.default_rng(seed)
    for number in range(count):
        kind, tilt = ("d20", "rugen", "d6")[number % 3], TILTS[number // 3 % len(TILTS)]
        size = int(rng.uniform(*SIZES[number // 15 % len(SIZES)]))
        ground = plain_dice.ground(plain_dice.GROUNDS[number % 5], (3 * size, int(2.6 * size)), rng)
        scene, order = plain_dice.Scene(ground), int(rng.integers(1 << 30))
        value, look = int(rng.integers(1, 7 if kind == "d6" else 21)), plain_dice.random_look(rng)
        towards, at = rng.uniform(0, 360), (int(1.5 * size), int(1.3 * size))
        drawn = plain_dice.put(
            scene,
            kind,
            value,
            at,
            size,
            look,
            rng,
            tilt_deg=tilt,
            towards_deg=towards,
            order=order,  # type: ignore[arg-type]
        )
        picture = plain_dice.finish(scene.image, rng)
        axis, shown = Axis(tilt, towards), drawn.face or str(drawn.value)
        yield picture, DieBox(drawn.box, 1.0), axis, kind, shown, size


def traced(folder: Path) -> Iterator[Shown]:
    """Yield the path-traced pictures of a folder."""
    for path in sorted(folder.glob("*.json")):
        truth = json.loads(path.read_text())
        picture, box = cv2.imread(str(path.with_suffix(".png"))), tuple(round(v) for v in truth["box"])
        if picture is not None:
            yield picture, DieBox(box, 1.0), axis_of(truth), truth["kind"], truth["shown"], truth["size"]  # type: ignore[arg-type]


class Camera:
    """A camera that is replaced after ten throws."""

    def __init__(self) -> None:
        self._throws, self._tracker = 0, OffAxisTracker()

    def take(self) -> OffAxisTracker:
        if self._throws == THROWS:
            self._throws, self._tracker = 0, OffAxisTracker()
        self._throws += 1
        return self._tracker


def said_of(seen: Evidence, networks: Classifier, camera_off_axis: float) -> tuple[tuple[str, str] | None, str]:
    """Return the answered kind and value, or None and the reason."""
    reading = judge([seen], DIE_KINDS, networks.calibration, camera_off_axis=camera_off_axis)
    if reading is None or reading.value is None:
        return None, "no die" if reading is None else reading.reason.partition(":")[0]
    return (reading.kind, str(reading.face if reading.kind == "rugen" else reading.value)), ""


def of_folder(folder: Path) -> Classifier:
    """Return the networks of a folder, completed by the packaged ones."""
    whole, number, around, half, card = (
        (folder / name).read_bytes() if (folder / name).exists() else None for name in FILES
    )
    return Classifier(whole, number, json.loads(card) if card else None, off_axis=around, day_night=half)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dice", type=int, default=480)
    parser.add_argument("--seed", type=int, default=101)
    parser.add_argument("--traced", type=Path)
    parser.add_argument("--least", type=int, default=60, help="smallest size of a die, px")
    parser.add_argument("--network", type=Path)
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    networks = shared_classifier() if asked.network is None else of_folder(asked.network)
    rows: dict[str, Counter[str]] = defaultdict(Counter)
    reasons: dict[str, Counter[str]] = defaultdict(Counter)
    cameras: dict[tuple[str, float], Camera] = defaultdict(Camera)
    dice = traced(asked.traced) if asked.traced else plain(asked.dice, asked.seed)
    for picture, box, axis, kind, shown, size in dice:
        if size < asked.least:
            continue
        far = "aslant" if axis.tilt_deg > 15 else "from above"
        known, unknown = (gather(picture, box, networks, axis=given) for given in (axis, None))
        tracker = cameras[kind, axis.tilt_deg].take()
        ways = (("axis known", known, 0.0), ("axis unknown", unknown, 0.0),
                ("of ten throws", unknown, tracker.log_odds),
                ("not asked", replace(unknown, off_axis=None), 0.0))  # fmt: skip
        for name, seen, camera_off_axis in ways:
            said, why = said_of(seen, networks, camera_off_axis)
            row = f"{name}, {far}, {kind}"
            rows[row].update(asked=1, answered=said is not None, wrong=said not in (None, (kind, shown)))
            reasons[row].update([why] if why else [])
        reading = judge([unknown], DIE_KINDS, networks.calibration, camera_off_axis=tracker.log_odds)
        if reading is not None:
            tracker.add([unknown], reading)
    for name, row in sorted(rows.items()):
        why = ", ".join(f"{text} {count}" for text, count in reasons[name].most_common(4))
        print(f"{name:34} {row['answered']:4} of {row['asked']:4} answered, {row['wrong']:3} wrong   {why}")


if __name__ == "__main__":
    main()
