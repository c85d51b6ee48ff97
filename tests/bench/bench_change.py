"""Measures a change of game: the time until it is on the disk, and until its camera and perception are in use.

python tests/bench/bench_change.py [--changes 60]
"""

import argparse
import logging
import statistics
import tempfile
import time
from pathlib import Path

from companion.app.game_rig import GameRig
from companion.app.pipeline import choose_perception
from companion.config.file import parse_config
from companion.journal.store import FILE_NAME
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header

GAMES = ("rugen-house", "roche", "roulette")
PLAYERS = [(f"Player {number}", 1000) for number in range(1, 7)]


def main(changes: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        with TableService.open(data / FILE_NAME, new_header("roche", PLAYERS), INSTALLED) as service:
            told("on the disk", [changed(service, GAMES[n % 3]) for n in range(changes)])
            config = parse_config(data / "none.toml", '[camera]\nsource = "97"\n', INSTALLED)[0]
            with GameRig(data, config, service).start(choose_perception(data, config, INSTALLED)) as rig:
                told("camera and perception exchanged", [exchanged(service, rig, GAMES[n % 3]) for n in range(12)])


def changed(service: TableService, game: str) -> float:
    begun = time.perf_counter()
    service.change_game(new_header(game), source="dealer")
    return time.perf_counter() - begun


def exchanged(service: TableService, rig: GameRig, game: str) -> float:
    before, begun = rig.watch, time.perf_counter()
    service.change_game(new_header(game), source="dealer")
    while rig.watch is before or not rig.watch.is_alive:
        time.sleep(0.001)
    return time.perf_counter() - begun


def told(what: str, seconds: list[float]) -> None:
    print(f"{what}: median {statistics.median(seconds) * 1000:.1f} ms, slowest {max(seconds) * 1000:.1f} ms")


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    parser = argparse.ArgumentParser()
    parser.add_argument("--changes", type=int, default=60)
    main(parser.parse_args().changes)
