"""Child process with a live table that plays by itself and logs its requests and responses, until it is killed.

It ends by kill -9: at a random moment from outside, or by itself before a given write, sync or rename.
"""

import json
import logging
import os
import random
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from companion.app.torture.command_fuzzer import draw_command
from companion.app.torture.disk import SimulatedDisk
from companion.kernel.commands import Record
from companion.kernel.errors import CompanionError, TableError
from companion.kernel.header import Header
from companion.plugins.registry import installed_games
from companion.service.committing.jobs import command_text
from companion.service.table_service import TableService

THREADS: Final = 4
GAMES: Final = installed_games()
"""Loaded at import: child processes are forked from one that has everything loaded, so that hundreds take minutes."""


class DeadlyDisk(SimulatedDisk):
    """The real disk, on which the process kills itself before a given operation."""

    def _stop(self, what: str) -> int:
        self.operations += 1
        if self.crash_after is not None and self.operations >= self.crash_after:
            os.kill(os.getpid(), signal.SIGKILL)
        return 0

    def _bring(self, handle: int, name: str) -> None:
        self._stop(name)
        self._call(name, handle)


@dataclass(frozen=True, slots=True)
class ChildParameters:
    """Parameters of a child process.

    Attributes:
        header: the game with players and options, as JSON.
        crash_after: number of file operations before it kills itself; None: it is killed from outside.
        most: number of commands, after which it waits to be killed.
        unanswered: keys and commands of earlier processes without a response, to be resent.
    """

    journal: Path
    header: dict[str, Any]
    seed: int
    crash_after: int | None
    most: int
    unanswered: tuple[tuple[str, str], ...] = ()


def run_child(parameters: ChildParameters, pipe: Path) -> None:
    """Play until killed. Logs to a pipe, one line per event; writes are atomic, so no line is cut by the kill."""
    tell, began = os.open(pipe, os.O_WRONLY), time.monotonic()
    logging.disable(logging.CRITICAL)
    games = GAMES
    disk = DeadlyDisk(parameters.journal.parent, random.Random(parameters.seed), crash_after=parameters.crash_after)
    with disk.mounted():
        try:
            service = TableService.open(parameters.journal, Header.parse(parameters.header, games), games)
        except CompanionError as error:
            _tell(tell, {"failed": str(error)})
            return
        _tell(tell, {"ready": time.monotonic() - began, "view": service._table.view(), "shown": service.view()})
        for key, text in parameters.unanswered:
            _ask(service, json.loads(text), key, tell)
        with ThreadPoolExecutor(THREADS) as pool:
            for thread in range(THREADS):
                pool.submit(_play, service, parameters, thread, tell)
    signal.pause()


def _play(service: TableService, parameters: ChildParameters, thread: int, tell: int) -> None:
    rng = random.Random(f"{parameters.seed}/{thread}")
    for number in range(parameters.most // THREADS):
        plugin = service.games.named(service.header.game)
        record = draw_command(plugin, service.moment(), rng)
        key = f"{parameters.seed}-{thread}-{number}"
        with suppress(TableError):  # malformed commands are not sent
            _tell(tell, {"ask": key, "text": command_text(record)})
            _ask(service, record, key, tell, is_again=rng.random() < 0.1)


def _ask(service: TableService, record: Record, key: str, tell: int, *, is_again: bool = False) -> None:
    try:
        accepted = service.submit(record, source="dealer", key=key)
        if is_again:  # simulates a lost response
            again = service.submit(record, source="dealer", key=key)
            _tell(tell, {"twice": [accepted.seq, again.seq]})
        _tell(tell, {"ok": key, "seq": accepted.seq})
    except TableError as error:
        _tell(tell, {"refused": key, "code": error.code})


def _tell(pipe: int, what: dict[str, Any]) -> None:
    os.write(pipe, f"{json.dumps(what)}\n".encode())
