"""Measures the reading of dice on published photographs by other people: answered, wrong and why not.

    python tests/bench/photographed_dice.py FOLDER [--labels yolo|name] [--sheet FILE] [--px 60,75,90] [--tell 3]
                                            [--axis 35,270]

FOLDER holds the photographs, which are not part of this project: docs/figures.md names their sources. Labels are text
files beside the pictures, one line per die with class and box in YOLO format (the class is the value minus one), or the
number at the beginning of a file's name (`14.jpg`, `3_7.jpg`). Without labels nothing is counted as right or wrong, and
the sheet shows all answers for inspection. The camera's axis is unknown unless given with ``--axis``, as in `companion
read`: the tilt from the vertical, and its direction in the picture. With ``--tell N``, the axis is estimated from N d6
of each picture that shows more, as by `companion calibrate --die`, and the other dice are read with it.
"""

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from companion.vision.dice.axis import Axis
from companion.vision.dice.axis_fit import AxisEstimate, AxisFit
from companion.vision.dice.boxes import Box
from companion.vision.dice.decision_policy import DieReading
from companion.vision.dice.reader import DiceReader
from companion.vision.frame import Image

SUFFIXES = {".jpg", ".jpeg", ".png", ".bmp"}
_TILE = 140
_TURNS = 6
_MAX_SIDE = 2200

Label = tuple[int, tuple[float, float] | None]
"""A die's value, and its position in shares of the picture; None for a single die."""


def labels_of(path: Path, how: str) -> list[Label]:
    """Return a photograph's labels; [] without any."""
    if how == "name":
        number = re.match(r"\d+", path.stem)
        return [(int(number.group()), None)] if number else []
    beside = path.with_suffix(".txt")
    if how != "yolo" or not beside.exists():
        return []
    rows = [line.split() for line in beside.read_text().splitlines()]
    return [(int(row[0]) + 1, (float(row[1]), float(row[2]))) for row in rows if len(row) == 5]


def at(dice: tuple[DieReading, ...], place: tuple[float, float] | None, image: Image) -> DieReading | None:
    """Return the die whose box contains a position; without a position, the largest die."""
    if place is None:
        return max(dice, key=lambda die: die.size_px, default=None)
    x, y = place[0] * image.shape[1], place[1] * image.shape[0]
    around = [die for die in dice if _is_at(die.box, place, image)]
    return min(around, key=lambda d: abs(d.box[0] + d.box[2] / 2 - x) + abs(d.box[1] + d.box[3] / 2 - y), default=None)


def _is_at(box: Box, place: tuple[float, float] | None, image: Image) -> bool:
    if place is None:
        return False
    x, y = place[0] * image.shape[1], place[1] * image.shape[0]
    return box[0] < x < box[0] + box[2] and box[1] < y < box[1] + box[3]


def told_axis(image: Image, labels: list[Label], fit: AxisFit, most: int) -> tuple[AxisEstimate, list[Label]]:
    """Return the axis estimated from some of a picture's dice, and the other dice."""
    dice = DiceReader().find(image)
    left = []
    for value, place in labels:
        box = next((die for die in dice if _is_at(die.box, place, image)), None)
        if len(fit.shown) == most or box is None or fit.learn(image, box, str(value)):
            left.append((value, place))
    return fit.found(), left


def shrunk_to(image: Image, die: DieReading, size: int, rng: np.random.Generator) -> Iterator[Image]:
    """Yield the die randomly rotated and reduced to its size under a table camera, with noise and JPEG compression."""
    x, y, w, h = die.box
    middle, scale = (x + w / 2, y + h / 2), size / die.size_px
    soft = cv2.GaussianBlur(image, (0, 0), max(0.1, 0.35 / scale))
    for _ in range(_TURNS):
        turn = cv2.getRotationMatrix2D(middle, rng.uniform(0, 360), scale)
        turn[:, 2] += 2.5 * size - np.array(middle) + rng.uniform(-0.5, 0.5, 2) * size
        side = (5 * size, 5 * size)
        small = cv2.warpAffine(soft, turn, side, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        noisy = np.clip(small + rng.normal(0, 2.5, small.shape), 0, 255).astype(np.uint8)
        yield np.asarray(cv2.imdecode(cv2.imencode(".jpg", noisy, [cv2.IMWRITE_JPEG_QUALITY, 88])[1], 1), np.uint8)


def tile(image: Image, die: DieReading) -> Image:
    """Return an annotated picture of an answered die, for inspection."""
    x, y, w, h = die.box
    scale = _TILE / (1.5 * die.size_px)
    move = np.array([[scale, 0, _TILE / 2 - (x + w / 2) * scale], [0, scale, _TILE / 2 - (y + h / 2) * scale]])
    shown = cv2.warpAffine(image, move, (_TILE, _TILE), flags=cv2.INTER_AREA)
    cv2.putText(shown, f"{die.kind} {die.value}", (3, 14), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (0, 0, 255), 1, cv2.LINE_AA)
    return np.asarray(shown, np.uint8)


def sheet(tiles: list[Image], across: int = 12) -> Image:
    tiles = tiles + [np.zeros((_TILE, _TILE, 3), np.uint8)] * (-len(tiles) % across)
    return np.vstack([np.hstack(tiles[i : i + across]) for i in range(0, len(tiles), across)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--labels", choices=("none", "yolo", "name"), default="none")
    parser.add_argument("--sheet", type=Path, help="picture file for an overview of all answers")
    parser.add_argument(
        "--tell",
        type=int,
        default=0,
        metavar="N",
        help="number of d6 per picture with known values, from which the axis is estimated",
    )
    parser.add_argument("--px", default="", help="also read each photograph with its die scaled down to these sizes")
    parser.add_argument(
        "--axis", metavar="DEG,DEG", help="the camera's viewing direction in all pictures, as in `companion read`"
    )
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    axis = Axis(*map(float, asked.axis.split(","))) if asked.axis else None
    reader, rng = DiceReader(axis=axis), np.random.default_rng(5)
    sizes = [int(size) for size in asked.px.split(",") if size]
    count: dict[str, Counter[str]] = {}
    axes: Counter[str] = Counter()
    tiles: list[Image] = []

    def tell(name: str, value: int, die: DieReading | None, path: Path) -> None:
        said = "not found" if die is None else die.reason.split(":")[0] or ("right" if die.value == value else "WRONG")
        count.setdefault(name, Counter())[said] += 1
        if die is not None and said == "WRONG":
            print(f"{path}: a {value} read as {die.kind} {die.value} ({die.confidence})")

    for path in sorted(p for p in asked.folder.rglob("*") if p.suffix.lower() in SUFFIXES):
        image = cv2.imread(str(path))
        if image is None:
            print(f"{path}: cannot be read")
            continue
        scale = min(1.0, _MAX_SIDE / max(image.shape[:2]))
        image = np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
        labels = labels_of(path, asked.labels)
        if asked.tell:
            if len(labels) <= asked.tell:
                continue
            rng.shuffle(labels)
            found, labels = told_axis(image, labels, AxisFit("d6"), asked.tell)
            axes["misfits" if found.misfits else "found" if found.axis else "not found"] += 1
            reader.axis = found.axis
        dice = reader.read(image).dice
        tiles += [tile(image, die) for die in dice if die.value is not None]
        for value, place in labels:
            die = at(dice, place, image)
            tell("as it is", value, die, path)
            for size in sizes if die is not None else ():
                for small in shrunk_to(image, die, size, rng):
                    tell(f"{size} px", value, at(reader.read(small).dice, (0.5, 0.5), small), path)
    for name, said in count.items():
        print(f"{name}: {said.total()} dice, {dict(said.most_common())}")
    print(f"answered: {len(tiles)}{f'; axes: {dict(axes)}' if axes else ''}")
    if asked.sheet and tiles:
        cv2.imwrite(str(asked.sheet), sheet(tiles))


if __name__ == "__main__":
    main()
