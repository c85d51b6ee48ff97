"""Measures the speed of the rules: hand scripts replayed on one core, including JSON, ledger and second settlement.

Run: ``python tests/bench/bench_rules.py [--scripts 300] [--only GAME…] [--profile]``. The scripts are random legal
evenings without undo, which would be cheap; garbage collection is off, as in ``companion replay``. For hold'em the time
to rank seven random cards is printed, too. Nothing is asserted.
"""

import argparse
import cProfile
import json
import pstats
import random
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "companion" / "games"))

from blackjack_referee import rich_evening as blackjack_evening
from captains_referee import random_duel
from chinchirorin_referee import rich_evening
from holdem_referee import random_evening as random_hands
from king_referee import Referee as KingReferee
from king_referee import sensible as sensible_king
from rochi_referee import random_evening
from roulette_referee import random_play

from companion.games.holdem.hands import strength
from companion.games.standard_cards import CARDS
from companion.journal.replay import without_gc
from companion.kernel.script import replay
from companion.kernel.table import Header, Table
from companion.testing import INSTALLED

Script = Sequence[str]


def rochi(seed: int) -> Script:
    return without_undo(random_evening(random.Random(seed), hands=8)[0])


def captains(seed: int) -> Script:
    return without_undo(random_duel(random.Random(seed), commands=500)[0])


def chinchirorin(seed: int) -> Script:
    return without_undo(rich_evening(random.Random(seed), commands=800))


def blackjack(seed: int) -> Script:
    return without_undo(blackjack_evening(random.Random(seed), commands=400))


def roulette(seed: int) -> Script:
    return without_undo(random_play(random.Random(seed), commands=400))


def king(seed: int) -> Script:
    rng, names = random.Random(seed), list("ABCDEFG")
    coins = dict.fromkeys(names, 9)
    referee, records = KingReferee(names, coins), []
    for _ in range(400):
        record = {"do": "new-game"} if referee.b["phase"] == "over" else sensible_king(referee, rng)
        if referee.do(record) is None:
            records.append(record)
    players = [{"name": name, "coins": 9} for name in names]
    return without_undo([{"game": "king-of-roulette", "players": players}, *records])


def holdem(seed: int) -> Script:
    return without_undo(random_hands(random.Random(seed), commands=600))


def without_undo(script: Sequence[dict[str, Any]]) -> Script:
    """Return the script without undo and redo, with the same final state."""
    table = Table(Header.parse(script[0], INSTALLED))
    for record in script[1:]:
        table.do(record)
    return [json.dumps(line) for line in (script[0], *table.records)]


def measure(scripts: Sequence[Script], rounds: int = 5) -> tuple[int, float]:
    """Return the number of commands and the CPU seconds to replay them all, with the best of ``rounds`` per script."""
    seconds = 0.0
    with without_gc():
        for script in scripts:
            times = []
            for _ in range(rounds):
                start = time.process_time()
                assert replay(script, INSTALLED).is_complete
                times.append(time.process_time() - start)
            seconds += min(times)
    return sum(len(script) - 1 for script in scripts), seconds


def seven_cards_us(hands: int = 100_000) -> float:
    """Return the CPU microseconds to rank a hand of seven cards."""
    rng = random.Random(7)
    dealt = [rng.sample(CARDS, 7) for _ in range(hands)]
    start = time.process_time()
    for hand in dealt:
        strength(hand)
    return (time.process_time() - start) / hands * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scripts", type=int, default=300)
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--only", nargs="*", help="only these games")
    wanted = parser.parse_args()
    games: dict[str, Callable[[int], Script]] = {
        "rochi": rochi, "captains": captains, "chinchirorin": chinchirorin, "roulette": roulette, "king": king,
        "blackjack": blackjack, "holdem": holdem,
    }  # fmt: skip
    print(f"{'game':<14}{'commands':>10}{'seconds':>10}{'commands/s':>12}")
    for name, make in games.items():
        if wanted.only and name not in wanted.only:
            continue
        scripts = [make(seed) for seed in range(wanted.scripts)]
        if wanted.profile:
            profile = cProfile.Profile()
            profile.runcall(measure, scripts, 1)
            pstats.Stats(profile).sort_stats("tottime").print_stats(25)
        commands, seconds = measure(scripts)
        print(f"{name:<14}{commands:>10}{seconds:>10.2f}{commands / seconds:>12,.0f}")
        if name == "holdem":
            print(f"the best of seven cards: {seven_cards_us():.1f} us a hand")


if __name__ == "__main__":
    main()
