"""Runs a long evening without faults on a simulated clock: memory, threads and open files must not grow.

``python -m tools.soak --hours 8``
"""

import argparse
import gc
import os
import random
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from companion.app.torture.command_fuzzer import new_header
from companion.app.torture.disk import scratch
from companion.app.torture.simulation import quiet, repeatable
from companion.app.torture.table import SimulatedService, SimulatedTable
from companion.config.panel import BUTTONS
from companion.journal.store import FILE_NAME
from companion.kernel.errors import TableError
from companion.plugins.registry import Games, installed_games

_BEGAN: Final = datetime(2026, 5, 1, 20, tzinfo=UTC)
_EVERY_S: Final = 4.0
"""Between two things that happen."""
_LOOKS_AN_HOUR: Final = 2
MAX_BYTES: Final = 5_000
"""Memory that a command may cost for as long as the evening lasts: what undo and the page's log keep of it."""


@dataclass(frozen=True, slots=True)
class Look:
    """The program at one moment."""

    hour: float
    commands: int
    memory: int
    threads: int
    handles: int


def soak(hours: float, game: str, games: Games, seed: int = 1) -> Iterator[Look]:
    """Play an evening of so many hours, and yield a look at the program every half hour."""
    rng, now = random.Random(seed), [0.0]
    with quiet(), repeatable(rng), scratch("soak") as folder:
        service = SimulatedService.open(
            Path(folder) / FILE_NAME, new_header(games[game], rng), games,
            clock=lambda: _BEGAN + timedelta(seconds=now[0]), elapsed=lambda: now[0],
        )  # fmt: skip
        table = SimulatedTable(service, lambda: now[0], rng)
        for step in range(round(hours * 3600 / _EVERY_S)):
            now[0] += _EVERY_S
            _do_something(table, rng)
            if step % round(3600 / _EVERY_S / _LOOKS_AN_HOUR) == 0:
                yield _looked(now[0], len(service._table.records))
        yield _looked(now[0], len(service._table.records))
        service.close()


def _do_something(table: SimulatedTable, rng: random.Random) -> None:
    match rng.randrange(8):
        case 0:
            table.sight.look()
            table.watch.turn(0.0)
        case 1:
            button = rng.choice(BUTTONS)
            for _ in range(2):
                table.buttons.move(button)
                table.panel.step()
        case 2:
            table.service.turn(0.0)
        case _:
            with suppress(TableError):
                table.service.submit(table.draw(rng), source="dealer")
    table.view()


def _looked(seconds: float, commands: int) -> Look:
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    handles = len(os.listdir("/proc/self/fd"))
    return Look(seconds / 3600, commands, pages * os.sysconf("SC_PAGE_SIZE"), threading.active_count(), handles)


def wrong_with(looks: list[Look]) -> str | None:
    """Return what has grown from the first quarter of an evening to its end; None if nothing has."""
    first, last = looks[len(looks) // 4], looks[-1]
    if last.threads > first.threads or last.handles > first.handles:
        return f"threads went from {first.threads} to {last.threads}, open files from {first.handles} to {last.handles}"
    grown, commands = last.memory - first.memory, max(1, last.commands - first.commands)
    return f"each command costs {grown // commands} bytes" if grown > MAX_BYTES * commands else None


def main(arguments: list[str] | None = None) -> int:
    """Soak a table of each game; exit code 1 if something has grown."""
    games = installed_games()
    parser = argparse.ArgumentParser(prog="make soak", description=__doc__)
    parser.add_argument("--hours", type=float, default=8.0, help="hours on the simulated clock")
    parser.add_argument("--game", choices=sorted(games), help="only this game")
    options = parser.parse_args(arguments)
    failed = False
    for game in [options.game] if options.game else sorted(games):
        looks = list(soak(options.hours, game, games))
        for look in (looks[len(looks) // 4], looks[-1]):
            print(
                f"{game:<18} {look.hour:4.1f} h {look.commands:6} commands {look.memory / 2**20:6.1f} MB "
                f"{look.threads} threads {look.handles} open files",
                flush=True,
            )
        if (wrong := wrong_with(looks)) is not None:
            failed = True
            print(f"{game}: {wrong}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
