"""In-process restart: closes the table cleanly and starts again with the current settings."""

import logging
import os
import sys
import threading
from collections.abc import Sequence
from typing import Final, NoReturn

log = logging.getLogger("companion.run")

ANSWER_S: Final = 0.4
"""Delay, so that the page still receives its response."""
CLOSE_S: Final = 4.0
"""Time for closing; then the restart is forced. A hung camera driver must not block it, and acknowledged commands are
already on disk."""


SAFE: Final = "--safe"
SET_ONCE: Final = ("--pin", "--pin-file")
"""Options dropped at a restart: the first start stored the PIN, and it should not stay visible in the process list."""


class Restart:
    """A pending restart of the process, carried out once the table has closed.

    Args:
        stop: set to close the table.
    """

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop
        self._argv: list[str] | None = None

    def request(self, overridden: Sequence[str], *, safe: bool = False) -> None:
        """Schedule a clean close and a restart.

        Args:
            overridden: command-line options to drop, because newer settings replace them.
            safe: restart without camera and panel.
        """
        argv = [arg for arg in sys.argv[1:] if arg != SAFE]
        self._argv = [*without(argv, [*overridden, *SET_ONCE]), *([SAFE] if safe else [])]
        for delay, act in ((ANSWER_S, self._stop.set), (ANSWER_S + CLOSE_S, self._begin)):
            timer = threading.Timer(delay, act)
            timer.daemon = True
            timer.start()

    def run_if_requested(self) -> None:
        """Restart if requested; else return."""
        if self._argv is not None:
            self._begin()

    def _begin(self) -> NoReturn:
        assert self._argv is not None
        log.info("Restarting: companion %s", " ".join(self._argv))
        sys.stdout.flush()
        os.execv(sys.executable, [sys.executable, "-m", "companion", *self._argv])


def without(argv: Sequence[str], overridden: Sequence[str]) -> list[str]:
    """Return a command line without the given options and their values.

    >>> without(["run", "--game", "bridge", "--port", "80", "--camera=0"], ["--camera", "--game"])
    ['run', '--port', '80']
    """
    kept: list[str] = []
    args = iter(argv)
    for arg in args:
        if arg in overridden:
            next(args, None)
        elif arg.partition("=")[0] not in overridden:
            kept.append(arg)
    return kept
