"""Measures the dice reader: answered, wrong and abstained by kind, size and value, compared with other methods.

    python tests/bench/bench_dice.py [--dice 300] [--seed 7] [--wrong wrong.png] [--network FOLDER]

The dice are drawn by `tests/companion/vision/dice/plain_dice.py`, which shares no code with the renderer of the
training data; the seed chooses backgrounds and sizes. `--wrong` names a picture file for all wrong answers. `--network`
uses dice.onnx, number.onnx and dice.json from another folder.

The other methods (`dice_rivals.py`) read the same crops as the network in the same run. "forced" is the most likely
value, without the rule for abstaining. The intended abstention for an unmarked 6 or 9 counts as abstained.
"""

import argparse
import json
import re
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import cv2
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "companion" / "vision" / "dice"))
sys.path.insert(0, str(Path(__file__).parent))

import plain_dice
from dice_rivals import Rivals, fitted
from rich.console import Console
from rich.progress import track

from companion.vision.dice.boxes import CROP_SIDE, DieBox, crop_of
from companion.vision.dice.decision_policy import gather, judge
from companion.vision.dice.enrolled import EnrolledDie
from companion.vision.dice.faces.classifier import Classifier, shared_classifier
from companion.vision.dice.faces.predictions import mean_prediction
from companion.vision.dice.faces.upright import close_crop
from companion.vision.dice.reader import DiceReader, DiceSeen

CONSOLE = Console(stderr=True)
Thing = TypeVar("Thing")
SIZES = ((60, 90), (90, 130), (130, 220), (220, 400))
KINDS = ("d20", "rugen", "d6")
SIDES = {"d20": 20, "rugen": 20, "d6": 6}


@dataclass
class Tally:
    """Counts for one table row."""

    asked: int = 0
    right: int = 0
    wrong: int = 0

    def row(self, name: str) -> str:
        answered = self.right + self.wrong
        share = f"{answered / self.asked:7.1%}" if self.asked else "      -"
        wrong = f"{self.wrong / answered:7.2%}" if answered else "      -"
        return f"{name:40} {self.asked:6} {answered:9} {share} {self.wrong:6} {wrong} {self.asked - answered:10}"


TITLE = f"{'':40} {'dice':>6} {'answered':>9} {'share':>7} {'wrong':>6} {'of them':>7} {'abstained':>10}"


@dataclass
class Bench:
    """One run: its tables, and pictures of wrong answers."""

    reader: DiceReader
    rows: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    wrong: list[np.ndarray] = field(default_factory=list)
    reasons: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def note(self, names: list[str], right: str, said: str | None, picture: np.ndarray) -> None:
        for name in names:
            tally = self.rows[name]
            tally.asked += 1
            tally.right += said == right
            tally.wrong += said not in (None, right)
        if said not in (None, right):
            self.wrong.append(_labelled(picture, f"{right} read as {said}"))


def steps(name: str, things: Iterable[Thing], count: int) -> Iterable[Thing]:
    """Show progress on a terminal."""
    return track(things, name, total=count, transient=True, disable=not sys.stderr.isatty(), console=CONSOLE)


def _labelled(picture: np.ndarray, text: str) -> np.ndarray:
    shown = cv2.resize(picture, (220, 220), interpolation=cv2.INTER_AREA)
    cv2.putText(shown, text, (4, 14), cv2.FONT_HERSHEY_SIMPLEX, 0.4, (0, 0, 255), 1, cv2.LINE_AA)
    return shown


def shown_by(drawn: plain_dice.Drawn) -> str:
    return str(drawn.face if drawn.kind == "rugen" else drawn.value)


def said_of(seen: DiceSeen, drawn: plain_dice.Drawn) -> str | None:
    """Return the answer for a drawn die, including its kind if wrong; a single answer elsewhere counts, too."""
    valued = [d for d in seen.dice if d.value is not None]
    near = [d for d in valued if _near(d.box, drawn.box)]
    if not near:
        return f"{valued[0].kind} elsewhere" if valued and len(seen.dice) == 1 else None
    if near[0].kind != drawn.kind:
        return f"{near[0].kind} {near[0].value}"
    return str(near[0].face if near[0].kind == "rugen" else near[0].value)


def _near(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    far = np.hypot(a[0] + a[2] / 2 - b[0] - b[2] / 2, a[1] + a[3] / 2 - b[1] - b[3] / 2)
    return bool(far < 0.4 * max(b[2:]))


def one_die(
    kind: str, rng: np.random.Generator, number: int, least_px: int = 0
) -> tuple[np.ndarray, plain_dice.Drawn, int, plain_dice.Look]:
    """Draw one die on a background; return the picture, the ground truth, its size and its look."""
    low, high = SIZES[number % len(SIZES)]
    size = max(least_px, int(rng.uniform(low, high)))
    ground = plain_dice.GROUNDS[number // len(SIZES) % len(plain_dice.GROUNDS)]
    scene = plain_dice.Scene(plain_dice.ground(ground, (int(3.2 * size), int(2.6 * size)), rng))
    at = (int(size * rng.uniform(1.1, 2.0)), int(size * rng.uniform(1.0, 1.5)))
    value = number % SIDES[kind] + 1 if kind == "d20" else int(rng.integers(1, SIDES[kind] + 1))
    look = plain_dice.random_look(rng)
    drawn = plain_dice.put(scene, kind, value, at, size, look, rng, tilt_deg=float(rng.uniform(0, 6)))  # type: ignore[arg-type]
    return plain_dice.finish(scene.image, rng), drawn, size, look


def read_singles(bench: Bench, kind: str, count: int, rng: np.random.Generator) -> None:
    for number in steps(f"{kind}, one at a time", range(count), count):
        picture, drawn, size, look = one_die(kind, rng, number)
        seen = bench.reader.read(picture)
        band = next(f"{low}-{high} px" for low, high in SIZES if low <= size < high)
        right = shown_by(drawn)
        names = [kind, f"{kind} {band}", f"{kind} shows {right}"] + ([f"{kind} >= 90 px"] if size >= 90 else [])
        names += [f"{kind} look: {trait}" for trait in traits(look)] if kind != "d6" else []
        bench.note(names, right, said_of(seen, drawn), picture)
        for die in seen.dice:
            bench.reasons[f"{kind}: {die.reason.split(':')[0]}"] += bool(die.reason)
        bench.reasons[f"{kind}: not found"] += not seen.dice


def traits(look: plain_dice.Look) -> tuple[str, ...]:
    """Return the die's traits, the rows of the table by die."""
    font = Path(plain_dice.font_files()[look.font % len(plain_dice.font_files())]).stem
    light, dark = max(sum(look.body), sum(look.ink)), min(sum(look.body), sum(look.ink))
    return (font, f"mark {look.mark}", "speckled" if look.speckle else "plain",
            "strong ink" if light - dark > 300 else "weak ink")  # fmt: skip


def read_bowls(bench: Bench, count: int, rng: np.random.Generator) -> None:
    """Three d6 in a round dish."""
    for _ in steps("three d6 in a dish", range(count), count):
        scene = plain_dice.Scene(plain_dice.ground("wood", (900, 900), rng))
        _dish(scene.image, rng)
        size = int(rng.uniform(90, 150))
        turn = rng.uniform(0, 2 * np.pi)
        for k in range(3):
            far = size * rng.uniform(0.85, 1.5)
            at = (int(450 + far * np.cos(turn + 2.1 * k)), int(450 + far * np.sin(turn + 2.1 * k)))
            plain_dice.put(scene, "d6", int(rng.integers(1, 7)), at, size, plain_dice.random_look(rng), rng)
        picture = plain_dice.finish(scene.image, rng)
        seen = bench.reader.read(picture)
        for drawn in scene.dice:
            bench.note(["three d6 in a dish"], shown_by(drawn), said_of(seen, drawn), picture)


def _dish(image: np.ndarray, rng: np.random.Generator) -> None:
    colour = rng.uniform(30, 220, 3)
    for radius, light in ((400, 0.8), (380, 1.1), (330, 1.0)):
        cv2.circle(image, (450, 450), radius, tuple(float(min(255, c * light)) for c in colour), -1, cv2.LINE_AA)


def read_others(bench: Bench, count: int, rng: np.random.Generator) -> None:
    """Objects that must never get a value: other dice, coins, cards, bare background."""
    for number in steps("what is no answer", range(count), count):
        name = ("d8", "d12", "coin", "card", "nothing")[number % 5]
        size = int(rng.uniform(70, 200))
        ground = plain_dice.GROUNDS[number // 5 % len(plain_dice.GROUNDS)]
        scene = plain_dice.Scene(plain_dice.ground(ground, (3 * size, 3 * size), rng))
        plain_dice.put_other(scene, name, (3 * size // 2, 3 * size // 2), size, rng)
        picture = plain_dice.finish(scene.image, rng)
        seen = bench.reader.read(picture)
        said = next((f"{d.kind} {d.value}" for d in seen.dice if d.value is not None), None)
        bench.note([f"{name}: never"], "none", said, picture)


def read_enrolled(bench: Bench, dice: int, throws: int, rng: np.random.Generator) -> None:
    """Dice that are enrolled with one picture per face, then thrown."""
    classifier = bench.reader.classifier
    for die_number in steps("enrolled", range(dice), dice):
        look, order = plain_dice.random_look(rng), int(rng.integers(1 << 30))
        pictures = {str(v): [close_crop(*_thrown(look, order, v, rng))] for v in range(1, 21)}
        die = EnrolledDie.learn("bench", "d20", pictures, classifier)
        for _ in range(throws):
            value = int(rng.integers(1, 21))
            picture, box = _thrown(look, order, value, rng)
            seen = [gather(picture, box, classifier, read_neighbors=True)]
            own = judge(seen, {"d20"}, classifier.calibration, [die])
            said = str(own.value) if own is not None and own.value is not None else None
            mine = f"d20 enrolled, die {die_number + 1}"
            bench.note(["d20 enrolled", mine], str(value), said, picture)
            plain = judge([gather(picture, box, classifier)], {"d20"}, classifier.calibration)
            said = str(plain.value) if plain is not None and plain.value is not None else None
            bench.note(["d20 the same, unknown"], str(value), said, picture)


def _thrown(look: plain_dice.Look, order: int, value: int, rng: np.random.Generator) -> tuple[np.ndarray, DieBox]:
    scene = plain_dice.Scene(plain_dice.ground("felt", (320, 320), rng))
    drawn = plain_dice.put(scene, "d20", value, (160, 160), int(rng.uniform(115, 125)), look, rng,
                           tilt_deg=float(rng.uniform(0, 5)), order=order)  # fmt: skip
    return plain_dice.finish(scene.image, rng), DieBox(drawn.box, 1.0)


def read_by_others(bench: Bench, count: int, rng: np.random.Generator) -> None:
    """The same d20 crops, from 90 px on, read by our network, by template matching, and by Tesseract."""
    crops, right = [], []
    for number in steps("for the rivals", range(2 * count), 2 * count):
        picture, drawn, _, _ = one_die("d20", rng, number, least_px=90)
        crops.append(crop_of(picture, DieBox(drawn.box, 1.0), side_px=192))
        right.append(int(drawn.value or 0))
    tune, asked = slice(0, count), slice(count, None)
    for name, way in Rivals(plain_dice.font_files()).ways.items():
        scores = np.concatenate([way(crops[at : at + 20]) for at in steps(name, range(0, 2 * count, 20), count // 10)])
        rule = fitted(scores[tune], right[tune])
        compare(bench, f"same crops: {name}", rule.answers(scores[asked]), right[asked])
        compare(bench, f"same crops: {name}, forced", [int(k) + 1 for k in scores[asked].argmax(axis=1)], right[asked])
    ours = [by_us(crop, bench.reader.classifier) for crop in steps("our network", crops[asked], count)]
    compare(bench, "same crops: ours", [said for said, _ in ours], right[asked])
    compare(bench, "same crops: ours, forced", [likeliest for _, likeliest in ours], right[asked])


def by_us(crop: np.ndarray, classifier: Classifier) -> tuple[int | None, int]:
    """Return our network's answer for a crop, and its most likely value."""
    side = crop.shape[0] / CROP_SIDE
    at = (crop.shape[0] - side) / 2
    seen = gather(crop, DieBox((round(at), round(at), round(side), round(side)), 1.0), classifier)
    reading = judge([seen], {"d20"}, classifier.calibration)
    return (None if reading is None else reading.value), mean_prediction(seen.predictions).top("d20") + 1


def compare(bench: Bench, name: str, said: list[int | None] | list[int], right: list[int]) -> None:
    for one, wanted in zip(said, right, strict=True):
        bench.rows[name].asked += 1
        bench.rows[name].right += one == wanted
        bench.rows[name].wrong += one not in (None, wanted)


def time_per_die(classifier: Classifier, rng: np.random.Generator) -> Iterator[str]:
    pictures = [one_die("d20", rng, number, least_px=90) for number in range(20)]
    for name, read_neighbors in (("a d20 in one picture", False), ("with the faces beside it", True)):
        taken = []
        for picture, drawn, _, _ in pictures * 4:
            begun = time.process_time()
            gather(picture, DieBox(drawn.box, 1.0), classifier, read_neighbors=read_neighbors)
            taken.append(1000 * (time.process_time() - begun))
        taken = taken[len(pictures) :]  # the first round warms up
        yield f"{name}: median {np.median(taken):.1f} ms, p95 {np.quantile(taken, 0.95):.1f} ms of one core"


def in_order(name: str) -> tuple[bool, list[str]]:
    """Sort key: natural order of numbers in names; the comparison comes last."""
    return name.startswith("same"), [part.zfill(3) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def montage(pictures: list[np.ndarray], path: Path) -> None:
    if not pictures:
        return
    blank = np.zeros_like(pictures[0])
    padded = pictures + [blank] * (-len(pictures) % 6)
    cv2.imwrite(str(path), np.vstack([np.hstack(padded[i : i + 6]) for i in range(0, len(padded), 6)]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dice", type=int, default=300)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--wrong", type=Path)
    parser.add_argument("--network", type=Path)
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    classifier = shared_classifier()
    if asked.network:
        card = json.loads((asked.network / "dice.json").read_text())
        whole, number = ((asked.network / name).read_bytes() for name in ("dice.onnx", "number.onnx"))
        classifier = Classifier(whole, number, card)
    bench = Bench(DiceReader(classifier=classifier))
    rng = np.random.default_rng(asked.seed)
    for kind in KINDS:
        read_singles(bench, kind, asked.dice, rng)
    read_bowls(bench, asked.dice // 4, rng)
    read_others(bench, asked.dice // 3, rng)
    read_enrolled(bench, max(1, asked.dice // 60), 40, rng)
    read_by_others(bench, asked.dice // 3, rng)
    print(TITLE)
    for name, tally in sorted(bench.rows.items(), key=lambda row: in_order(row[0])):
        print(tally.row(name))
    print("\nWhy there was no value: " + ", ".join(f"{k} {v}" for k, v in sorted(bench.reasons.items()) if v))
    for line in time_per_die(classifier, rng):
        print(line)
    if asked.wrong:
        montage(bench.wrong, asked.wrong)
    print(f"{len(bench.wrong)} wrong" + (f", drawn in {asked.wrong}" if asked.wrong and bench.wrong else ""))


if __name__ == "__main__":
    main()
