"""Measures the CPU time per frame of the demo table on one core: ``python tests/bench/bench_demo.py``."""

import statistics
import time

import cv2

from companion.games.roche.demo.felt import felt_of
from companion.testing import DECKS
from hardware.demo.card_table import CardTable, new_card_table
from hardware.demo.printer import standalone_deck

FPS = 30


def frames_ms(table: CardTable, *, least: int = 0, t: list[float]) -> list[float]:
    """Render until nothing moves, at least ``least`` frames; return the CPU milliseconds of each."""
    costs: list[float] = []
    while table.busy or len(costs) < least:
        t[0] += 1 / FPS
        start = time.thread_time()
        table.picture(t[0])
        costs.append(1000 * (time.thread_time() - start))
    return costs


def row(name: str, costs: list[float]) -> str:
    """Return a table row: median, 99th percentile, maximum."""
    ordered = sorted(costs)
    p99 = ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))]
    return f"{name:<28}{len(costs):>7}{statistics.median(costs):>9.1f}{p99:>9.1f}{ordered[-1]:>9.1f}"


def main() -> None:
    cv2.setNumThreads(1)
    start = time.perf_counter()
    deck = standalone_deck(DECKS["roche"])
    table = new_card_table(deck, felt_of(deck.cards), seed=4)
    print(f"scene drawn in {time.perf_counter() - start:.2f} s, faces in the background")
    time.sleep(6)  # until the card faces are drawn
    t = [0.0]
    print(f"\n{'1920 x 1080, ms a frame':<28}{'frames':>7}{'median':>9}{'p99':>9}{'worst':>9}")
    table.shuffle(1)
    print(row("a deck is brought", frames_ms(table, t=t)))
    print(row("at rest, empty", frames_ms(table, least=150, t=t)))
    for _ in range(20):
        table.deal()
    print(row("dealing 20 cards", frames_ms(table, t=t)))
    print(row("at rest, 20 cards", frames_ms(table, least=150, t=t)))
    table.wave_hand()
    print(row("a hand over the cards", frames_ms(table, t=t)))
    table.gather()
    print(row("gathering", frames_ms(table, t=t)))


if __name__ == "__main__":
    main()
