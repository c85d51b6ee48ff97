"""Evaluates the tables' journals in a low-priority process, so that play and the pit never wait for it.

    python -m companion.floor.reports.results_process DSN

is started by the floor, and exits when its standard input closes: with the floor, however that ends.
"""

import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, Final, Self

import psycopg
from psycopg import Connection

from companion.floor.overview.day_close import evaluated_at_close, last_number
from companion.floor.reports.evaluator import Evaluator
from companion.floor.runtime.interpreter import prepare
from companion.plugins.registry import installed_games

log = logging.getLogger(__name__)

NICE: Final = 19
"""Lowest scheduling priority: it runs on otherwise idle CPU time."""
END_S: Final = 10.0


class ResultsProcess:
    """The results process; restarted if it has exited.

    Args:
        dsn: connection string, with the floor's own role.
    """

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._process: subprocess.Popen[bytes] | None = None

    def look(self) -> bool:
        """Restart the process if it has exited; return whether it was running."""
        if self._process is not None and self._process.poll() is None:
            return True
        if self._process is not None:
            log.warning("The results process has exited. Restarting it.")
        command = [sys.executable, "-m", "companion.floor.reports.results_process", self._dsn]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE)
        return False

    def __enter__(self) -> Self:
        self.look()
        return self

    def __exit__(self, *_: object) -> None:
        process, self._process = self._process, None
        if process is not None:
            assert process.stdin is not None, "it was started with one"
            process.stdin.close()
            try:
                process.wait(END_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _stop_with(parent: IO[bytes], stop: threading.Event) -> None:
    parent.read()  # until our parent closes it or exits
    stop.set()


def main() -> None:
    """Serve a floor until it exits."""
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    prepare()
    os.nice(NICE)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the floor handles Ctrl-C, and closes our input
    stop = threading.Event()
    threading.Thread(target=_stop_with, args=(sys.stdin.buffer, stop), daemon=True).start()
    dsn = f"{sys.argv[1]} options='-c synchronous_commit=off'"  # results lost in a power cut are recomputed

    @contextmanager
    def connect() -> Iterator[Connection[Any]]:
        with psycopg.connect(dsn, autocommit=True, connect_timeout=5) as connection:
            yield connection

    Evaluator(connect, installed_games, evaluated_at_close, last_number).run(stop)


if __name__ == "__main__":
    main()
