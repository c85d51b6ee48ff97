"""How many cards of strange designs are read, how many wrongly: ``python tests/bench/accuracy_own_deck.py DESIGNS``.

DESIGNS is a folder with a folder for each design, each with the 52 faces as ``AS.png`` and so on (63 x 88 mm, any
size). No design is part of this project; free ones come with the Debian packages aisleriot, gnome-cards-data and
kdegames-card-data-kf5 and with svg-cards of npm, to be rendered first. Thresholds were chosen on *anglo*; faults
seen on *anglo_poker*, *guyenne-classic*, *paris* and *dondorf* were mended, so these five measure nothing any more.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import cv2
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "companion" / "vision"))

from table_scene import MM_PER_MODULE, Face, Look, Placed, photograph, random_look

from companion.objects.cards import STANDARD_CARDS
from companion.vision.own_deck.enrollment import DeckEnrollment
from companion.vision.own_deck.faces import DeckFaces
from companion.vision.own_deck.reader import DeckReader

_SIZE = (1280, 960)
_STEP_MM = 17.0


def faces_of(folder: Path) -> dict[str, Face]:
    """Return the faces of a design, 8 px a mm, as printed paper reflects light."""
    box = np.float32([[0, 0], [63, 0], [63, 88], [0, 88]])
    found = {}
    for card in STANDARD_CARDS:
        art = cv2.resize(cv2.imread(str(folder / f"{card}.png")), (504, 704), interpolation=cv2.INTER_AREA)
        found[card] = Face(
            (without_outline(art).astype(np.float32) * (228 / 255) + 16).astype(np.uint8), 63.0, 88.0, box
        )
    return found


def without_outline(art: np.ndarray) -> np.ndarray:
    """Return a face without the line round it that is drawn for screens: printed cards have none."""
    rim, radius = round(1.4 * 8), round(5 * 8)
    inner = art[rim:-rim, rim:-rim]
    paper = np.median(np.concatenate([inner[:6].reshape(-1, 3), inner[:, :6].reshape(-1, 3)]), axis=0)
    out = np.full_like(art, 0) + paper.astype(np.uint8)
    h, w = art.shape[:2]
    y, x = np.mgrid[:h, :w]
    past = [np.maximum(rim + radius - np.minimum(at, size - 1 - at), 0) for at, size in ((x, w), (y, h))]
    shown = np.hypot(past[0], past[1]) < radius
    out[shown] = art[shown]
    return out


def enrolled(faces: dict[str, Face], rng: np.random.Generator) -> DeckFaces | str:
    """Enroll a design from one picture of each card; return why not, if it cannot be."""
    enrollment = DeckEnrollment("bench")
    look = Look(size=(640, 640), px_per_module=4.8 * MM_PER_MODULE, tilt_deg=4, noise=2, gain=0.9, falloff=0.1)
    for card, face in faces.items():
        image, _ = photograph([Placed(card, face, 0, 0, float(rng.uniform(-20, 20)))], look, rng)
        why = enrollment.take(image, card)
        if why:
            return f"{card}: {why}"
    pictures = {card: enrollment.picture(card) for card in STANDARD_CARDS}
    return DeckFaces.of({card: picture for card, picture in pictures.items() if picture is not None})


def laid(faces: dict[str, Face], rng: np.random.Generator) -> list[Placed]:
    """Lay a stair, a row or single cards, so that an index of each shows."""
    cards = [str(card) for card in rng.permutation(STANDARD_CARDS)[:4]]
    base = float(rng.uniform(0, 360))
    turn, up = np.radians(base), float(rng.choice([0.0, -16.0]))
    out = []
    for k, card in enumerate(cards):
        dx, dy = (k - 1.5) * _STEP_MM, (k - 1.5) * up
        x, y = dx * np.cos(turn) - dy * np.sin(turn), dx * np.sin(turn) + dy * np.cos(turn)
        out.append(Placed(card, faces[card], float(x), float(y), base + float(rng.uniform(-3, 3))))
    return out


def measure(folder: Path, scenes: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    faces = faces_of(folder)
    deck = enrolled(faces, rng)
    if isinstance(deck, str):
        print(f"{folder.name}: not enrolled, {deck}")
        return
    reader, right, wrong, shown = DeckReader(deck), 0, 0, 0
    for _ in range(scenes):
        tilt, soft = float(rng.uniform(0, 12)), float(rng.uniform(0, 0.9))
        px = float(rng.uniform(4, 5)) * MM_PER_MODULE
        look = random_look(rng, size=_SIZE, px_per_module=px, tilt_deg=tilt, defocus=soft)
        placed = laid(faces, rng)
        read = {card.card for card in reader.read(photograph(placed, look, rng)[0])} - {None}
        names = {item.name for item in placed}
        right, wrong, shown = right + len(read & names), wrong + len(read - names), shown + len(names)
    print(f"{folder.name}: {right} of {shown} read ({right / max(1, shown):.1%}), {wrong} wrong", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("designs", type=Path)
    parser.add_argument("--scenes", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    for folder in sorted(path for path in given.designs.iterdir() if path.is_dir()):
        measure(folder, given.scenes, given.seed)


if __name__ == "__main__":
    main()
