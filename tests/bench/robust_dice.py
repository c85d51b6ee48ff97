"""Measures difficult pictures that must get no value, or must get one nevertheless: the share of right ones; prints a
table.

    python tests/bench/robust_dice.py [--count 10] [--seed 5] [--wrong wrong.png]

The pictures are the demo's tray (leaning dice, hands, two dice, dice off the tray, a d12) and dice drawn by
`tests/companion/vision/dice/plain_dice.py` and `tools.training.samples.random_dice` with appearances held out of the
training, on backgrounds made for the tests. `wrong.png` shows every wrong value.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np
from rich.console import Console
from rich.progress import track

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parents[1] / "companion" / "vision" / "dice"))
sys.path.insert(0, str(Path(__file__).parent))

import containers
import plain_dice

from companion.games.rugen.demo.agent import new_tray
from companion.objects.dice import DIE_KINDS, DieKind
from companion.rendering.painter import Die, View, paint
from companion.rendering.poses import resting
from companion.rendering.solids import SolidName, solid
from companion.vision.dice.reader import DiceReader
from hardware.demo.dice.table import TrayTable
from tools.training.samples.appearance import random_appearance, random_lighting
from tools.training.samples.fonts import find_fonts
from tools.training.samples.random_dice import Lettering, numbered

FPS = 10
MAX_FRAMES = 150
Shown = tuple[np.ndarray, tuple[str, ...]]
"""A picture and its correct values; empty if nothing may be answered."""
Scenes = Callable[[int, np.random.Generator], Iterator[Shown]]


# ---- the demo's tray


def after(tray: TrayTable, least_s: float = 0.5) -> np.ndarray:
    """Run the tray until everything is at rest, and return the picture."""
    for frame in range(MAX_FRAMES):
        picture = tray.picture(tray.now + 1 / FPS)
        if frame > least_s * FPS and not tray.busy:
            break
    return _in_zone(picture, tray)


def _in_zone(picture: np.ndarray, tray: TrayTable) -> np.ndarray:
    """Crop the picture to the tray with part of its rim."""
    height, width = picture.shape[:2]
    x, y, w, h = tray.zone
    more = 0.06
    top, left = max(0, int((y - more) * height)), max(0, int((x - more) * width))
    return picture[top : int((y + h + more) * height), left : int((x + w + more) * width)]


def trayed(act: Callable[[TrayTable], None], *, counts: bool = False) -> Scenes:
    def scenes(count: int, rng: np.random.Generator) -> Iterator[Shown]:
        tray = new_tray(seed=int(rng.integers(1 << 20)))
        for _ in range(count):
            act(tray)
            picture = after(tray)
            yield picture, tray.lying if counts else ()
            tray.clear()
            tray.picture(tray.now + 1 / FPS)

    return scenes


def with_hand(count: int, rng: np.random.Generator) -> Iterator[Shown]:
    """A hand resting in the tray beside the die."""
    tray = new_tray(seed=int(rng.integers(1 << 20)))
    for number in range(count):
        tray.lay(str(int(rng.integers(1, 21))), float(rng.uniform(-90, 10)), float(rng.uniform(-40, 30)))
        tray.rest_hand(3.0)
        for _ in range(15 + number % 8):
            picture = tray.picture(tray.now + 1 / FPS)
        yield _in_zone(picture, tray), ()
        after(tray)
        tray.clear()
        tray.picture(tray.now + 1 / FPS)


def thrown_twice(tray: TrayTable) -> None:
    tray.throw()
    tray.throw_second()


# ---- other dice, and pictures of another kind


def others(name: SolidName) -> Scenes:
    """Dice that must never be answered, with looks held out of the training."""

    def scenes(count: int, rng: np.random.Generator) -> Iterator[Shown]:
        fonts = find_fonts()
        for number in range(count):
            table = plain_dice.ground(plain_dice.GROUNDS[number % len(plain_dice.GROUNDS)], (480, 480), rng)
            material, ink = random_appearance(rng, "held")
            sides = len(solid(name).faces)
            texts = [str(value % 10 if name == "d10" else value) for value in rng.permutation(np.arange(1, sides + 1))]
            die = numbered(rng, name, texts, Lettering(rng, fonts, "held"), material, ink)
            _lay(table, die, rng, float(rng.uniform(90, 220)))
            yield plain_dice.finish(table, rng), ()

    return scenes


def _lay(table: np.ndarray, die: Die, rng: np.random.Generator, size_px: float) -> None:
    pose = resting(die.solid, int(rng.integers(len(die.art))), float(rng.uniform(0, 360)))
    at = tuple(float(v) for v in rng.uniform(0.4, 0.6, 2) * table.shape[0])
    paint(table, die, pose, View(at, size_px / 2, float(rng.uniform(8, 30))), random_lighting(rng))  # type: ignore[arg-type]


def bare(count: int, rng: np.random.Generator) -> Iterator[Shown]:
    for number in range(count):
        size = ((640, 480), (1280, 720), (1920, 1080))[number % 3]
        table = plain_dice.ground(plain_dice.GROUNDS[number % len(plain_dice.GROUNDS)], size, rng)
        yield plain_dice.finish(table, rng), ()


def large_stills(count: int, rng: np.random.Generator) -> Iterator[Shown]:
    """One d20 in twelve megapixels."""
    for number in range(count):
        table = plain_dice.ground(plain_dice.GROUNDS[number % len(plain_dice.GROUNDS)], (4000, 3000), rng)
        scene = plain_dice.Scene(table)
        size, value = int(rng.uniform(200, 500)), int(rng.integers(1, 21))
        at = (int(rng.uniform(800, 3200)), int(rng.uniform(700, 2300)))
        plain_dice.put(scene, "d20", value, at, size, plain_dice.random_look(rng), rng)
        yield plain_dice.finish(scene.image, rng), (str(value),)


def dishes(count: int, rng: np.random.Generator, third: str = "d6") -> Iterator[Shown]:
    """Three d6 in a round dish, from above; ``third``: the kind of the last one."""
    from bench_dice import _dish

    for _ in range(count):
        scene = plain_dice.Scene(plain_dice.ground("wood", (900, 900), rng))
        _dish(scene.image, rng)
        size, turn = int(rng.uniform(90, 150)), rng.uniform(0, 2 * np.pi)
        for k in range(3):
            far = size * rng.uniform(0.85, 1.5)
            at = (int(450 + far * np.cos(turn + 2.1 * k)), int(450 + far * np.sin(turn + 2.1 * k)))
            kind = third if k == 2 else "d6"
            if kind in DIE_KINDS:
                value = int(rng.integers(1, 7 if kind == "d6" else 21))
                plain_dice.put(scene, kind, value, at, size, plain_dice.random_look(rng), rng)
            else:
                plain_dice.put_other(scene, kind, at, size, rng)
        yield plain_dice.finish(scene.image, rng), tuple(str(die.value) for die in scene.dice if die.kind == "d6")


def beside(thing: str) -> Scenes:
    """One die of any kind in, on or beside an object that may itself look like a die."""

    def scenes(count: int, rng: np.random.Generator) -> Iterator[Shown]:
        for _ in range(count):
            picture, die = containers.scene(thing, rng)
            yield picture, (str(die.value),)

    return scenes


SCENES: dict[str, tuple[DieKind | None, Scenes]] = {
    "thrown, flat": ("d20", trayed(lambda tray: tray.throw(), counts=True)),
    "leaning on the wall": ("d20", trayed(lambda tray: tray.lean())),
    "over the rim": ("d20", trayed(lambda tray: tray.overshoot())),
    "two dice": ("d20", trayed(thrown_twice)),
    "a d12 in the tray": ("d20", trayed(lambda tray: tray.throw(None, "d12"))),
    "a hand in the tray": ("d20", with_hand),
    "empty tray": ("d20", trayed(lambda tray: None)),
    "bare ground": ("d20", bare),
    "a d4": ("d20", others("d4")),
    "a d8": ("d20", others("d8")),
    "a d10": ("d20", others("d10")),
    "a d12": ("d20", others("d12")),
    "12-megapixel still": ("d20", large_stills),
    "three d6 in a dish": ("d6", dishes),
    **{thing: (None, beside(thing)) for thing in containers.THINGS},
}
"""Name -> the only kind of die that may be answered (None: any), and the pictures."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--wrong", type=Path)
    parser.add_argument("--only", help="only cases whose names contain this")
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    bad: list[np.ndarray] = []
    print(f"{'':22} pictures  dice  right  wrong  unanswered   CPU ms  reasons")
    for name, (kind, scenes) in SCENES.items():
        if asked.only and asked.only not in name:
            continue
        rng = np.random.default_rng([asked.seed, len(name)])
        shown = scenes(asked.count, rng)
        bar = track(shown, name, asked.count, console=Console(stderr=True), disable=not sys.stderr.isatty())
        print(_row(name, DiceReader([kind] if kind else DIE_KINDS, alone=True), bar, bad), flush=True)
    if asked.wrong and bad:
        cv2.imwrite(str(asked.wrong), np.hstack([cv2.resize(picture, (360, 360)) for picture in bad[:12]]))


def _row(name: str, reader: DiceReader, shown: Iterator[Shown], bad: list[np.ndarray]) -> str:
    pictures = dice = right = wrong = 0
    spent: list[float] = []
    reasons: Counter[str] = Counter()
    for picture, truth in shown:
        begun = time.process_time()
        seen = reader.read(picture)
        spent.append(time.process_time() - begun)
        said, wanted = Counter(str(die.value) for die in seen.dice if die.value is not None), Counter(truth)
        pictures, dice = pictures + 1, dice + len(truth)
        good = sum((said & wanted).values())
        right, wrong = right + good, wrong + sum(said.values()) - good
        reasons.update(die.reason.split(":")[0] for die in seen.dice if die.reason)
        reasons["nothing found"] += not seen.dice
        if sum(said.values()) > good:
            bad.append(picture)
    why = ", ".join(f"{reason} {count}" for reason, count in reasons.most_common() if count)
    return (f"{name:22} {pictures:8} {dice:5} {right:6} {wrong:6} {max(0, dice - right - wrong):11} "
            f"{1000 * float(np.median(spent)):8.0f}  {why}")  # fmt: skip


if __name__ == "__main__":
    main()
