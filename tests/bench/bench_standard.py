"""Compares standard cards with Roche's: time per 1080p frame and frames until all cards are read; prints a table.

    python tests/bench/bench_standard.py [--frames 90] [--seeds 3]

The films are read alternately, frame by frame, so that other load on the machine affects all of them alike. Times are
CPU times of one thread.
"""

import argparse
import statistics
import sys
import time
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "companion" / "vision"))

import printed
from table_scene import Face, Look, compose, expose, grid

from companion.objects.decks import Deck
from companion.testing import DECKS
from companion.vision import Frame, Reader

LOOK = Look(px_per_module=2.5, tilt_deg=6.0, azimuth_deg=30.0, falloff=0.35, noise=4.0, jpeg=None)
SECOND = replace(printed.STANDARD, id="QX4K", key=b"two" * 10, tag_set=1)
KEYS = {**printed.KEYS, SECOND.id: SECOND.key}
FPS = 30
Named = dict[tuple[str, str], Face]


class Film:
    """A video of cards at rest from the first frame on, and a Reader's results."""

    def __init__(self, faces: Named, seed: int) -> None:
        rng = np.random.default_rng(seed)
        names = list(faces)
        loose = grid([("/".join(name), faces[name]) for name in names], LOOK, rng)
        placed = [replace(card, turn_deg=float(rng.choice((0, 180)) + rng.uniform(-10, 10))) for card in loose]
        self.scene, truth = compose(placed, LOOK, seed)
        self.there = {name for name, true in zip(names, truth, strict=True) if true.hidden <= 0.05}
        self.all = set(names)
        self.reader, self.noise = Reader(KEYS, DECKS), np.random.default_rng(seed + 1)
        self.spent_ms: list[float] = []
        self.read_at: dict[tuple[str | None, str | None], int] = {}
        self.wrong = 0

    def show(self, number: int) -> None:
        image = expose(self.scene.copy(), LOOK, self.noise)
        start = time.thread_time()
        reading = self.reader.read(Frame(image, number / FPS, number))
        self.spent_ms.append((time.thread_time() - start) * 1000)
        for card in reading.cards:
            if card.status == "ok":
                self.read_at.setdefault((card.deck, card.id), number)
                self.wrong += (card.deck, card.id) not in self.all


def named(deck: Deck, count: int | None = None) -> Named:
    """Return (deck, card) -> printed face, for all cards or the first ``count``."""
    return {(deck.id, card): face for card, face in printed.faces(deck, deck.cards[:count]).items()}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--frames", type=int, default=90)
    options.add_argument("--seeds", type=int, default=3)
    chosen = options.parse_args()
    cv2.setNumThreads(1)
    roche, one = named(printed.DECK, 52), named(printed.STANDARD)
    tables = {"52 Roche cards": roche, "52 standard cards": one, "60 of two standard decks": one | named(SECOND, 8)}
    print(f"{'1080p':26} {'median ms':>9} {'first 10':>9} {'p99 ms':>7} {'read':>9} {'frames to all':>14} {'wrong':>6}")
    films: dict[str, list[Film]] = {name: [] for name in tables}
    for seed in range(chosen.seeds):
        now = {name: Film(faces, 70 + seed) for name, faces in tables.items()}
        for number in range(chosen.frames):
            for film in now.values():
                film.show(number)
        for name, film in now.items():
            films[name].append(film)
    for name, of in films.items():
        _line(name, of)


def _line(name: str, films: list[Film]) -> None:
    spent = [ms for film in films for ms in film.spent_ms[10:]]
    start = statistics.median(sum(film.spent_ms[:10]) / 10 for film in films)
    read = sum(len(film.there & film.read_at.keys()) for film in films)
    until = max((film.read_at.get(card, 10**6) for film in films for card in film.there), default=0) + 1
    shown = str(until) if until < 10**6 else "never"
    want, wrong = sum(len(film.there) for film in films), sum(film.wrong for film in films)
    p99 = float(np.percentile([ms for film in films for ms in film.spent_ms], 99))
    print(
        f"{name:26} {statistics.median(spent):9.2f} {start:9.2f} {p99:7.1f} {read:4}/{want:4} {shown:>14} {wrong:6}",
        flush=True,
    )


if __name__ == "__main__":
    main()
