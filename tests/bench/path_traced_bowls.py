"""Measures the reading of path-traced bowls that are in no training data: answered, wrong, and why not, by the dice's
size.

    pip install mitsuba scipy
    python tests/bench/path_traced_bowls.py render FOLDER [--first 1200] [--count 80] [--drops FILE]
    python tests/bench/path_traced_bowls.py read FOLDER

Mitsuba renders three bevelled d6 with pips or numerals, which lie where a rigid-body simulation dropped them
(`drop_dice.py`), in bowls of china, wood, metal, lacquer and print on tables like those of `path_traced_dice.py`; the
camera is 0 to 30 degrees off the vertical. Only the bowls' shapes and the dice's poses are shared with
`companion.rendering` and `tools.training`. The pictures are stored in FOLDER with their labels.
"""

import argparse
import json
import sys
from collections import Counter, defaultdict
from pathlib import Path

import cv2

for place in ("", "tests/bench", "tests/companion/vision/dice", "tests/companion/games/chinchirorin/camera"):
    sys.path.insert(0, str(Path(__file__).parents[2] / place))


def read(folder: Path) -> None:
    """Print the table for the pictures of a folder."""
    from accuracy_bowl import outcome_of, row_of
    from held_bowls import Throw

    from companion.games.chinchirorin.camera.reader import BowlReader

    cv2.setNumThreads(1)
    reader = BowlReader()
    rows: dict[str, Counter[str]] = defaultdict(Counter)
    for path in sorted(folder.glob("*.json")):
        truth = json.loads(path.read_text())
        picture = cv2.imread(str(path.with_suffix(".png")))
        throw = Throw(picture, tuple(truth["values"]), 0, truth["size"], (), tuple(truth["upper"]))
        seen = reader.read(picture)
        values = () if seen is None else tuple(die.value for die in seen.dice)
        outcome = outcome_of(throw, values)
        why = sorted({die.reason for die in seen.dice if die.reason}) if seen else ["no bowl"]
        rows[row_of(throw)][outcome] += 1
        rows[f"of {truth['crockery']}"][outcome] += 1
        if outcome != "right":
            print(f"{path.stem}: {truth['values']}, read {list(values)} {', '.join(why)}")
    for name, row in sorted(rows.items()):
        print(f"{name:24} {sum(row.values()):4} throws   {dict(row)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("render", "read"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--first", type=int, default=1200, help="number of the first simulated throw to render")
    parser.add_argument("--count", type=int, default=80)
    parser.add_argument("--drops", type=Path, help="throws from drop_dice.py; by default the 1,800 of the tests")
    parser.add_argument("--fonts", type=Path, default=Path("/usr/share/fonts"))
    asked = parser.parse_args()
    if asked.what == "read":
        read(asked.folder)
        return
    from held_bowls import DROPS
    from path_traced.bowls import render_all

    render_all(asked.folder, asked.first, asked.count, asked.fonts, asked.drops or DROPS)


if __name__ == "__main__":
    main()
