"""Measures the exact odds and the simulation of Roche on one core. Run: python tests/bench/bench_odds.py"""

import json
import random
import statistics
from time import perf_counter_ns, process_time

import numpy as np

from companion.games.roche.odds.exact import deal_so_far, live_odds
from companion.games.roche.odds.simulation import simulate
from companion.games.roche.paytable import RocheDeck, load_paytable
from companion.games.roche_deck.design import FULL_DECK, RED_DECK

DECKS: dict[RocheDeck, tuple[str, ...]] = {"full": FULL_DECK, "red": RED_DECK}
ROUNDS = 5_000_000


def time_table(deck: RocheDeck, seen: tuple[str, ...]) -> tuple[float, float]:
    """Return the milliseconds for the odds of the grand layout without cached results, and for their JSON form."""
    paytable = load_paytable(deck)
    live_odds.cache_clear()
    start = perf_counter_ns()
    odds = live_odds("grand", deck, seen, paytable)
    middle = perf_counter_ns()
    json.dumps([bet.as_json() for bet in odds])
    return (middle - start) / 1e6, (perf_counter_ns() - middle) / 1e6


def random_rounds(deck: RocheDeck, rounds: int) -> list[tuple[str, ...]]:
    """Return every prefix of some random rounds, from the first card to the cut."""
    luck = random.Random(1)
    positions = []
    for _ in range(rounds):
        order = tuple(luck.sample(DECKS[deck], len(DECKS[deck])))
        length = 1
        while deal_so_far(deck, order[: length - 1]).cut is None:
            positions.append(order[:length])
            length += 1
    return positions


def show_exact(deck: RocheDeck) -> None:
    starts = [time_table(deck, ()) for _ in range(100)]
    positions = random_rounds(deck, 50)
    times = [time_table(deck, seen) for seen in positions]
    for name, sample in (("start", starts), ("after each card", times)):
        odds, text = zip(*sample, strict=True)
        print(f"{deck:<6}{name:<17}{len(sample):>6}{statistics.median(odds):>9.2f}{max(odds):>9.2f}", end="")
        print(f"{statistics.median(text):>9.2f}{max(text):>9.2f}")


def show_simulation(deck: RocheDeck) -> None:
    for name, bits in (("SFC64", np.random.SFC64(1)), ("PCG64", np.random.PCG64(1))):
        start = process_time()
        simulate(ROUNDS, np.random.Generator(bits), deck)
        print(f"{deck:<6}{name:<8}{ROUNDS / (process_time() - start) / 1e6:>8.2f}")


def main() -> None:
    print("Exact odds, grand layout, ms            odds            JSON text")
    print("deck  when               times   median      max   median      max")
    for deck in DECKS:
        show_exact(deck)
    print(f"\nSimulation, every bet settled, {ROUNDS:,} rounds\ndeck  luck    M rounds/s")
    for deck in DECKS:
        show_simulation(deck)


if __name__ == "__main__":
    main()
