"""Plays demo evenings of Roche with some cards dealt face down: false questions and missed backs; prints a table.

    python tests/bench/face_down.py [--evenings 3] [--rounds 6] [--first-seed 1] [--slips 0.1]

Each evening has its own felt, pace and frame rate. The dealer deals, passes a hand over the table, sweeps, shuffles. A
face-down card is handled right if the deal stops before another card counts, and continues correctly once the card was
turned over, taken away or declared burnt.
"""

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import cv2

sys.path.insert(0, str(Path(__file__).parents[2]))

from hardware.demo.faces import Faces
from hardware.demo.printer import DeckPrinter
from tests.playthrough_camera.conftest import DECK, LiveTable

SIZES = ((1920, 1080), (1280, 720))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--evenings", type=int, default=3)
    options.add_argument("--rounds", type=int, default=6)
    options.add_argument("--first-seed", type=int, default=1)
    options.add_argument("--slips", type=float, default=0.1, help="share of the cards that are first dealt face down")
    chosen = options.parse_args()
    cv2.setNumThreads(1)
    faces = Faces(DeckPrinter(DECK))
    total: Counter[str] = Counter()
    for seed in range(chosen.first_seed, chosen.first_seed + chosen.evenings):
        counts = evening(faces, seed, chosen.rounds, chosen.slips)
        print(seed, dict(counts), flush=True)
        total += counts
    print("all", dict(total))


def evening(faces: Faces, seed: int, rounds: int, slips: float) -> Counter[str]:
    """Play some rounds; return the counts of dealt cards, face-down cards, missed ones and false questions."""
    rng, counts = random.Random(seed), Counter[str]()
    size, fps, pace = rng.choice(SIZES), rng.choice((10, 15, 30)), rng.uniform(0.8, 1.8)
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        table = LiveTable(faces, Path(folder), seed=seed, fps=fps, pace=pace, size=size)
        for _ in range(rounds):
            play(table, rng, slips, counts)
        table.close()
    counts["minutes of table"] = round(table.demo.now / 60)
    counts["seconds"] = round(time.monotonic() - start)
    return counts


def play(table: LiveTable, rng: random.Random, slips: float, counts: Counter[str]) -> None:
    """Deal until a suit is cut, then clear the table."""
    table.open_deal()
    alike = sorted if slips else list  # a turned-over card counts before the cards under it
    while table.view["phase"] == "dealing" and table.demo.deck_left:
        if rng.random() < slips:
            slip(table, rng, counts)
        else:
            table.deal()
        if rng.random() < 0.15:
            table.demo.wave_hand()
            table.rest()
        counts["cards"] = counts["cards"] + 1
        for kind in table.kinds_seen:
            counts[f"false {kind}"] += 1
            print("   false", kind, table.dealt, table.lying, f"{table.demo.now:.1f}", table.questions)
        table.kinds_seen.clear()
        if table.view["phase"] == "dealing" and alike(table.dealt) != alike(table.lying):
            counts["stuck"] += 1
            print("   stuck", table.dealt, table.lying, table.questions)
            break
    table.demo.gather()
    table.rest()
    if table.view["phase"] == "dealing":
        for _ in [*table.dealt, ""]:
            table.do("undo")
    else:
        table.do("new-round")
    table.until_calm(3.0)
    table.kinds_seen.clear()


def slip(table: LiveTable, rng: random.Random, counts: Counter[str]) -> None:
    """Lay a card face down, perhaps continue dealing, then resolve it."""
    counts["slipped in"] += 1
    before = list(table.dealt)
    card = rng.choice(table.demo.deck_left)
    table.deal(card, face_up=False)
    if rng.random() < 0.5:
        table.deal()
    table.run(1.0)
    is_held = table.dealt == before and "unreadable" in table.kinds
    counts["missed"] += not is_held
    if not is_held:
        print("   missed", card, before, table.dealt, table.kinds, f"{table.demo.now:.1f}")
    table.demo.remove(card, face_up=False)
    if rng.random() < 0.5:
        table.rest(after=0.2)
        table.deal(card)
        if "turned" in table.kinds:  # it was laid elsewhere, since another card covers its place
            counts["asked if it is that card"] += 1
            table.answer("turned", "turned")
        expected = [*before, card]
    else:
        table.rest(after=1.8)
        expected = before
    table.run(0.5)
    if table.dealt[: len(expected)] != expected:
        counts["wrong order"] += 1
        print("   wrong order", expected, table.dealt, table.kinds)
    if table.dealt != table.lying and table.view["phase"] == "dealing" and "late" not in table.kinds:
        settled = [c for c in table.demo.lying if not c.face_up]
        counts["left over"] += bool(settled)
    table.kinds_seen.clear()


if __name__ == "__main__":
    main()
