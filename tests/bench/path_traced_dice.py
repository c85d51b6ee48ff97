"""Measures the reading of path-traced dice that are in no training data: answered, wrong and why not, by kind, size and
tilt.

    pip install mitsuba
    python tests/bench/path_traced_dice.py render FOLDER [--seed 1] [--count 240] [--kinds d20] [--as-sold]
    python tests/bench/path_traced_dice.py read FOLDER [--axis known|unknown] [--network FOLDER]

Mitsuba renders bevelled dice of plastic, metal, resin and glass with printed or cut numerals on tables of wood, cloth,
paper and print, under area lights and a room, by a camera whose axis is 0 to 35 degrees off the table's; it shares no
code with `companion.rendering` or `tools.training`. The pictures are stored in FOLDER with their labels, so that they
are rendered once and read often.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np

if TYPE_CHECKING:
    from companion.vision.dice.axis import Axis

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parents[1] / "companion" / "vision" / "dice"))
sys.path.insert(0, str(Path(__file__).parent))

SIZES = ((45, 60), (60, 90), (90, 130), (130, 220))
TILTS = (0.0, 10.0, 20.0, 30.0, 35.0)
KINDS = ("d20", "d20", "rugen", "d6", "d20", "other", "rugen", "d6")
"""In turn."""


# ---- reading


def read(folder: Path, axis: str, network: Path | None, seeds: set[int] | None) -> None:
    """Print the tables for the pictures of a folder."""
    from companion.vision.dice.faces.classifier import Classifier, shared_classifier
    from companion.vision.dice.reader import DiceReader

    cv2.setNumThreads(1)
    classifier = shared_classifier()
    if network:
        card = json.loads((network / "dice.json").read_text())
        classifier = Classifier(*((network / name).read_bytes() for name in ("dice.onnx", "number.onnx")), card)
    rows: dict[str, Counter[str]] = defaultdict(Counter)
    reasons: dict[str, Counter[str]] = defaultdict(Counter)
    wrong: list[str] = []
    for path in sorted(folder.glob("*.json")):
        truth = json.loads(path.read_text())
        if seeds and truth["seed"] not in seeds:
            continue
        image = cv2.imread(str(path.with_suffix(".png")))
        reader = DiceReader(classifier=classifier, axis=axis_of(truth) if axis == "known" else None)
        said, why = _said(reader.read(image), truth)
        kind, band = truth["kind"], _band(truth["size"])
        for name in (kind, f"{kind} {band}", f"{kind} tilt {truth['tilt']:.0f}", f"{kind} {truth['material']}",
                     f"{kind} on {truth['ground']}"):  # fmt: skip
            rows[name]["asked"] += 1
            rows[name]["answered"] += said is not None
            rows[name]["wrong"] += said not in (None, truth["shown"])
        if said is None:
            reasons[f"{kind} {band}"][why] += 1
            reasons[f"{kind} tilt {truth['tilt']:.0f}"][why] += 1
        elif said != truth["shown"]:
            wrong.append(f"{path.stem}: {kind} {truth['shown']} tilt {truth['tilt']:.0f} read as {said}")
    for name, row in sorted(rows.items()):
        share = row["answered"] / row["asked"]
        print(f"{name:28} {row['asked']:5} {row['answered']:5} {share:6.1%} wrong {row['wrong']}"
              f"   {dict(reasons[name].most_common(6))}")  # fmt: skip
    print("\n".join(wrong))


def axis_of(truth: dict[str, Any]) -> Axis:
    """Return the axis of a picture's camera."""
    from companion.vision.dice.axis import Axis

    t, w = np.radians(truth["tilt"]), np.radians(truth["towards"])
    way = np.array([np.sin(t) * np.cos(w), np.sin(t) * np.sin(w), np.cos(t)])
    right = np.cross([0.0, 1.0, 0.0], way)  # the camera's up direction points up the table
    right /= np.linalg.norm(right)
    up = np.cross(way, right)
    axis = Axis(truth["tilt"], float(np.degrees(np.arctan2(-up[2], -right[2]))) % 360)
    return axis.within(truth["part"]) if "part" in truth else axis


def _said(seen: Any, truth: dict[str, Any]) -> tuple[str | None, str]:
    x, y, w, h = truth["box"]
    middles = {id(d): (d.box[0] + d.box[2] / 2, d.box[1] + d.box[3] / 2) for d in seen.dice}
    near = [d for d in seen.dice if np.hypot(*np.subtract(middles[id(d)], (x + w / 2, y + h / 2))) < 0.5 * max(w, h)]
    far = [d for d in seen.dice if d not in near and d.value is not None]
    if far:
        return f"{far[0].kind} {far[0].value} elsewhere", ""
    if not near:
        return None, "not found"
    die = near[0]
    if die.value is None:
        return None, die.reason.split(":")[0]
    if die.kind != truth["kind"]:
        return f"{die.kind} {die.value}", ""
    return str(die.face if die.kind == "rugen" else die.value), ""


def _band(size: float) -> str:
    return next((f"{low}-{high} px" for low, high in SIZES if size < high), "220 px and more")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("render", "read"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seeds", help="read only these seeds, separated by commas")
    parser.add_argument("--count", type=int, default=240)
    parser.add_argument(
        "--kinds", default=",".join(sorted(set(KINDS))), help="render only these kinds, separated by commas"
    )
    parser.add_argument(
        "--as-sold", action="store_true", help="number d20s in the usual order or its mirror image, not at random"
    )
    parser.add_argument(
        "--wide", action="store_true", help="dice anywhere in the picture of a wide lens, cropped around them"
    )
    parser.add_argument("--fonts", type=Path, default=Path("/usr/share/fonts"))
    parser.add_argument("--axis", choices=("known", "unknown"), default="unknown")
    parser.add_argument("--network", type=Path)
    asked = parser.parse_args()
    if asked.what == "read":
        seeds = {int(seed) for seed in asked.seeds.split(",")} if asked.seeds else None
        read(asked.folder, asked.axis, asked.network, seeds)
        return
    from path_traced.scene import render_all

    kinds = asked.kinds.split(",")
    render_all(asked.folder, asked.seed, asked.count, asked.fonts, as_sold=asked.as_sold, wide=asked.wide, kinds=kinds)


if __name__ == "__main__":
    main()
