"""Measures the reading of enrolled decks in unfamiliar designs: ``python tests/bench/accuracy_own_deck.py DESIGNS``.

DESIGNS is a folder with a folder for each design, each with the 52 faces as ``AS.png`` and so on (63 x 88 mm, any
size). No design is part of this project; free ones are in the Debian packages aisleriot, gnome-cards-data and
kdegames-card-data-kf5 and in svg-cards of npm, and must be rendered first (crop each KDE card to its opaque part: some
come out small, in a corner). The reader was developed with *anglo*, *anglo_bitmap*, *anglo_modern*,
*anglo_modern_4_color*, *anglo_poker*, *bonded*, *dondorf*, *gnomangelo*, *guyenne-classic*, *ornamental*, *paris*,
*plastic* and *simplistic*, and checked with *jolly-royal*, notpeter/Vector-Playing-Cards and saulspatz/SVGCards, so
these no longer give an independent measurement.

A card is *shown* if all ink of one of its indices is in the picture and uncovered. It is *read* if a card with its name
is reported at its position; any other reported card is *wrong*.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "companion" / "vision"))

from table_scene import MM_PER_MODULE, Face, Look, Placed, _placement, camera, compose, film, random_look

from companion.objects.cards import STANDARD_CARDS
from companion.vision.own_deck.enrollment import MIN_DISTANCE_MM2, DeckEnrollment
from companion.vision.own_deck.faces import DeckFaces
from companion.vision.own_deck.reader import CardRead, DeckReader

_SIZE = (1280, 960)
_STEP_MM = 17.0
_FAN_DEG, _FAN_MM = 11.0, 130.0
_PLACE_MM = 14.0
_PROGRESS = 25  # scenes


def faces_of(folder: Path) -> dict[str, Face]:
    """Return the faces of a design, 8 px per mm, with the reflectance of printed paper."""
    box = np.float32([[0, 0], [63, 0], [63, 88], [0, 88]])
    found = {}
    for card in STANDARD_CARDS:
        art = cv2.resize(cv2.imread(str(folder / f"{card}.png")), (504, 704), interpolation=cv2.INTER_AREA)
        found[card] = Face(
            (without_outline(art).astype(np.float32) * (228 / 255) + 16).astype(np.uint8), 63.0, 88.0, box
        )
    return found


def without_outline(art: np.ndarray) -> np.ndarray:
    """Return a face without its outline, which is drawn for screens; printed cards have none."""
    rim, radius = round(1.4 * 8), 5 * 8
    inner = art[rim:-rim, rim:-rim]
    paper = np.median(np.concatenate([inner[:6].reshape(-1, 3), inner[:, :6].reshape(-1, 3)]), axis=0)
    out = np.full_like(art, 0) + paper.astype(np.uint8)
    h, w = art.shape[:2]
    y, x = np.mgrid[:h, :w]
    past = [np.maximum(rim + radius - np.minimum(at, size - 1 - at), 0) for at, size in ((x, w), (y, h))]
    shown = np.hypot(past[0], past[1]) < radius
    out[shown] = art[shown]
    return out


def taken(placed: Sequence[Placed], look: Look, rng: np.random.Generator) -> np.ndarray:
    """Take a picture; its noise is a crop of one noise field that is generated once."""
    return next(film(compose(placed, look, int(rng.integers(2**31)))[0], look, rng, 1))


def enrolled(faces: dict[str, Face], rng: np.random.Generator) -> DeckFaces | str:
    """Enroll a design from one picture per card; return the reason as text if that fails."""
    enrollment = DeckEnrollment("bench")
    look = Look(size=(640, 640), px_per_module=4.8 * MM_PER_MODULE, tilt_deg=4, noise=2, gain=0.9, falloff=0.1)
    for card, face in faces.items():
        image = taken([Placed(card, face, 0, 0, float(rng.uniform(-20, 20)))], look, rng)
        why = enrollment.take(image, card)
        if why:
            return f"{card}: {why}"
    pictures = {card: enrollment.picture(card) for card in STANDARD_CARDS}
    found = DeckFaces.of({card: picture for card, picture in pictures.items() if picture is not None})
    apart = found.min_distance(found.window_mm)
    return found if apart >= MIN_DISTANCE_MM2 else f"{found.most_similar()} are too much alike"


def laid(faces: dict[str, Face], rng: np.random.Generator) -> list[Placed]:
    """Lay two groups of cards of two decks: each a row, a staircase or a fan of two to four cards, or a single card."""
    cards = [str(card) for card in rng.permutation(STANDARD_CARDS * 2)[:8]]
    out = []
    for middle in (-75.0, 75.0):
        kind = str(rng.choice(["row", "stair", "fan", "single"]))
        base = float(rng.uniform(0, 360))
        c, s = np.cos(np.radians(base)), np.sin(np.radians(base))
        count = 1 if kind == "single" else int(rng.integers(2, 5))
        for k in range(count):
            x, card = k - (count - 1) / 2, cards.pop()
            dx, dy, turn = x * _STEP_MM, 0.0, float(rng.uniform(-3, 3))
            if kind == "stair":
                dy = -16 * x
            elif kind == "fan":
                turn += _FAN_DEG * x
                along = np.radians(_FAN_DEG * x)
                dx, dy = _FAN_MM * np.sin(along), _FAN_MM * (1 - np.cos(along))
            at = float(middle + dx * c - dy * s), float(dx * s + dy * c)
            out.append(Placed(card, faces[card], *at, base + turn))
    return out


def index_box(art: np.ndarray) -> np.ndarray | None:
    """Return the bounding box of the upper left index (rank and suit), (left, top, right, bottom) in mm."""
    px = 8
    part, paper = art[: 36 * px, : 18 * px].astype(np.float32), np.percentile(art.reshape(-1, 3), 88, axis=0)
    ink = ((1 - part / paper).max(axis=2) > 0.35).astype(np.uint8)
    ink[:6], ink[:, :6] = 0, 0
    stats = cv2.connectedComponentsWithStats(ink)[2][1:]
    spots = sorted(([x, y, x + w, y + h] for x, y, w, h, area in stats.tolist() if area >= 40), key=lambda one: one[1])
    if not spots:
        return None
    box, rest = np.array(spots[0]), spots[1:]
    height = box[3] - box[1]
    for x0, y0, x1, y1 in rest:  # the two digits of a ten
        if y0 < box[1] + height / 2 and x0 < box[2] + 16 and x1 > box[0] - 16 and y1 - y0 < 1.6 * height:
            box = np.array([*np.minimum(box[:2], [x0, y0]), *np.maximum(box[2:], [x1, y1])])
    for x0, y0, x1, y1 in rest:
        if box[3] - 8 <= y0 < box[3] + 40 and x0 < box[2] + 8 and x1 > box[0] - 8:
            return np.array([*np.minimum(box[:2], [x0, y0]), *np.maximum(box[2:], [x1, y1])]) / px
    return box / px


def index_boxes(faces: dict[str, Face]) -> dict[str, np.ndarray]:
    """Return each card's index box; the design's typical one if a card's index touches its picture."""
    found = {card: index_box(face.image) for card, face in faces.items()}
    usual = np.median([box for box in found.values() if box is not None], axis=0)
    spare = usual + np.array([0, 0, 0.5, 0.5])
    most = usual[2:] + np.array([4, 3])
    return {card: box if box is not None and (box[2:] < most).all() else spare for card, box in found.items()}


def shown(placed: list[Placed], look: Look, boxes: dict[str, np.ndarray]) -> list[bool]:
    """Return which cards have a fully visible index."""
    view, (w, h) = camera(look), look.size
    owner = np.full((h, w), -1, np.int16)
    for k, item in enumerate(placed):
        _fill(owner, _on_card(item, view, np.array([0, 0, 63, 88])), k)
    return [
        any(_is_shown(owner, _on_card(item, view, box), k) for box in (boxes[item.name], _turned(boxes[item.name])))
        for k, item in enumerate(placed)
    ]


def _turned(box: np.ndarray) -> np.ndarray:
    return np.array([63, 88, 63, 88]) - box[[2, 3, 0, 1]]


def _on_card(item: Placed, view: np.ndarray, box: np.ndarray) -> np.ndarray:
    x0, y0, x1, y1 = box
    corners = np.float32([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])
    return cv2.perspectiveTransform(corners[None], _placement(item, view))[0]


def _fill(owner: np.ndarray, quad: np.ndarray, value: int) -> None:
    cv2.fillConvexPoly(owner, np.round(quad * 16).astype(np.int32), value, shift=4)


def _is_shown(owner: np.ndarray, quad: np.ndarray, k: int) -> bool:
    h, w = owner.shape
    there = np.zeros(owner.shape, np.int16)
    _fill(there, quad, 1)
    return bool((quad > 1).all() and (quad < [w - 1, h - 1]).all() and (owner[there > 0] == k).all())


def compared(reads: Sequence[CardRead], placed: list[Placed], look: Look) -> tuple[list[bool], list[str]]:
    """Return which cards were read, and the reported names that match no card at their position."""
    view = camera(look)
    middles = [_on_card(item, view, np.array([31.5, 44, 31.5, 44]))[0] for item in placed]
    reach = _PLACE_MM * look.px_per_module / MM_PER_MODULE
    read, wrong = [False] * len(placed), []
    for one in reads:
        if one.card is None:
            continue
        far = np.linalg.norm(np.array(middles) - one.outline.mean(axis=0), axis=1)
        likely = [k for k in np.argsort(far) if placed[k].name == one.card and not read[k] and far[k] < reach]
        if likely:
            read[likely[0]] = True
        else:
            wrong.append(one.card)
    return read, wrong


@dataclass
class Measured:
    """Totals over scenes: cards, cards with a visible index, cards of these that were read, wrong reports, seconds."""

    cards: int = 0
    shown: int = 0
    read: int = 0
    wrong: int = 0
    seconds: float = 0.0

    def add(self, scene: Mapping[str, Any]) -> None:
        """Add a scene's entry in the log."""
        self.cards += scene["cards"]
        self.shown += scene["shown"]
        self.read += scene["read"]
        self.wrong += len(scene["wrong"])
        self.seconds += scene["seconds"]

    def __str__(self) -> str:
        share, each = self.read / max(1, self.shown), 1000 * self.seconds / max(1, self.cards)
        return f"{self.read} of {self.shown} shown cards read ({share:.1%}), {self.wrong} wrong; {each:.0f} ms a card"


def photographed(faces: dict[str, Face], rng: np.random.Generator) -> tuple[np.ndarray, list[Placed], Look]:
    """Lay cards and photograph them."""
    tilt, soft = float(rng.uniform(0, 12)), float(rng.uniform(0, 0.9))
    px = float(rng.uniform(4, 5)) * MM_PER_MODULE
    look = random_look(rng, size=_SIZE, px_per_module=px, tilt_deg=tilt, defocus=soft)
    placed = laid(faces, rng)
    return taken(placed, look, rng), placed, look


def measured(
    reader: DeckReader, faces: dict[str, Face], boxes: dict[str, np.ndarray], seed: list[int]
) -> dict[str, Any]:
    """Read a scene and return its log entry."""
    image, placed, look = photographed(faces, np.random.default_rng(seed))
    begun = time.process_time()
    reads = reader.read(image)
    took = time.process_time() - begun
    read, wrong = compared(reads, placed, look)
    there = shown(placed, look, boxes)
    missed = [item.name for item, is_read, is_shown in zip(placed, read, there, strict=True) if is_shown > is_read]
    counts = {"cards": len(placed), "shown": sum(there), "read": sum(there) - len(missed)}
    return {**counts, "wrong": wrong, "missed": missed, "seconds": round(took, 4)}


def measure(folder: Path, scenes: int, seed: int, log: Log) -> Measured:
    """Measure a design, skipping scenes that are in the log already."""
    name, total = folder.name, Measured()
    faces = faces_of(folder)
    deck = enrolled(faces, np.random.default_rng([seed, *name.encode()]))
    if isinstance(deck, str):
        print(f"{name}: not enrolled, {deck}", flush=True)
        return total
    reader, boxes = DeckReader(deck), index_boxes(faces)
    for number in range(scenes):
        scene = log.known.get((name, seed, number))
        if scene is None:
            scene = measured(reader, faces, boxes, [seed, number, *name.encode()])
            log.write({"design": name, "seed": seed, "scene": number, **scene})
        total.add(scene)
        if scene["wrong"]:
            print(f"  {name}, scene {number}: wrong are {scene['wrong']}", flush=True)
        if (number + 1) % _PROGRESS == 0:
            print(f"  {name}, {number + 1} scenes: {total}", flush=True)
    print(f"{name}: {total}", flush=True)
    return total


class Log:
    """Results as one line of JSON per scene, so that an interrupted run can be resumed."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        lines = path.read_text().splitlines() if path is not None and path.exists() else []
        scenes = [json.loads(line) for line in lines]
        self.known = {(one["design"], one["seed"], one["scene"]): one for one in scenes}

    def write(self, scene: Mapping[str, Any]) -> None:
        if self._path is not None:
            with self._path.open("a") as file:
                file.write(json.dumps(scene) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("designs", type=Path)
    parser.add_argument("--scenes", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", help="only the designs of these names")
    parser.add_argument(
        "--log", type=Path, help="file for each scene's counts, with which an interrupted run continues"
    )
    given = parser.parse_args()
    cv2.setNumThreads(1)
    folders = sorted(path for path in given.designs.iterdir() if path.is_dir())
    log, total = Log(given.log), Measured()
    for folder in folders:
        if not given.only or folder.name in given.only:
            counts = measure(folder, given.scenes, given.seed, log)
            total = Measured(*(a + b for a, b in zip(astuple(total), astuple(counts), strict=True)))
    print(f"all: {total}")


if __name__ == "__main__":
    main()
