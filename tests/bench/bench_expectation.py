"""Measures the floor's evaluation of a table's evening: entries per second of CPU time, without the database.

python tests/bench/bench_expectation.py [--rounds 300]
"""

import argparse
import tempfile
import time
from pathlib import Path

from companion.floor.overview.takings import TakingsCounter
from companion.floor.reports.evaluation import Evaluation
from companion.journal.hash_chain import Entry
from companion.journal.store import FILE_NAME, JournalReader
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header

PLAYERS = [(f"Player {number}", 100_000) for number in range(1, 7)]
SPOTS = ("red", "straight/17", "dozen/1")


def main(rounds: int) -> None:
    entries = evening(rounds)
    print(f"{len(entries)} entries, {rounds} rounds of {len(PLAYERS)} players with a bet each")
    for name, add in (
        ("coins alone (the board)", TakingsCounter().add),
        ("with expectation", Evaluation(INSTALLED).add),
    ):
        begun = time.process_time()
        for entry in entries:
            add(entry)
        used = time.process_time() - begun
        print(f"{name}: {len(entries) / used:,.0f} entries/s, {1000 * used / rounds:.2f} ms a round")


def evening(rounds: int) -> list[Entry]:
    """Play some rounds of roulette."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / FILE_NAME
        with TableService.open(path, new_header("roulette", PLAYERS), INSTALLED) as service:
            for number in range(rounds):
                for place, (player, _) in enumerate(PLAYERS):
                    bet = {"do": "bet", "player": player, "on": SPOTS[place % len(SPOTS)], "amount": 10}
                    service.submit(bet, source="dealer")
                service.submit({"do": "no-more-bets"}, source="dealer")
                service.submit({"do": "spin", "pocket": str(number * 7 % 37)}, source="dealer")
        with JournalReader.open(path) as reader:
            return list(reader.entries(0, 100_000))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=300)
    main(parser.parse_args().rounds)
