"""``hold`` and ``release`` from the broker: the very commands of the dealer's page, journaled with source ``mqtt``."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable
from typing import Final, Protocol, Self

from companion.kernel.commands import Record
from companion.kernel.errors import CompanionError, WrongPhase
from companion.kernel.messages import message
from companion.kernel.table import is_disputed
from companion.service.snapshot import RoomView

SOURCE: Final = "mqtt"
TAKEN: Final = ("hold", "release")
"""Whoever may write to the command topic may do this and nothing else: neither moves a coin."""
MOST_WAITING: Final = 4

log = logging.getLogger("companion.mqtt")

OnRefused = Callable[[str, str], None]
"""Takes the command, and why it was refused."""


class Service(Protocol):
    """The part of the table's service that commands need."""

    def glance(self) -> RoomView: ...
    def submit(self, record: Record, *, source: str) -> object: ...


class Commands:
    """Gives the table what the broker asks for, in a thread of its own. A context manager."""

    def __init__(self, service: Service, on_refused: OnRefused) -> None:
        self._service, self._on_refused = service, on_refused
        self._waiting: queue.Queue[str | None] = queue.Queue(MOST_WAITING)
        self._thread = threading.Thread(target=self._run, name="mqtt-commands", daemon=True)

    def take(self, payload: bytes) -> None:
        """Queue a command. What is none is dropped, and so is what comes faster than the table can answer."""
        text = payload[:40].decode(errors="replace")
        if text not in TAKEN:
            log.warning("The broker asks for %r; only %s are carried out", text, " and ".join(TAKEN))
            return
        try:
            self._waiting.put_nowait(text)
        except queue.Full:
            log.warning("The broker asks for %s faster than the table can answer", text)

    def start(self) -> Self:
        self._thread.start()
        return self

    def close(self) -> None:
        """Stop. May be called twice."""
        try:
            self._waiting.put_nowait(None)
        except queue.Full:
            return

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self) -> None:
        while (command := self._waiting.get()) is not None:
            try:
                self._do(command)
            except CompanionError as error:
                log.info("%s from the broker was refused: %s", command, error.message)
                self._on_refused(command, error.message)

    def _do(self, command: str) -> None:
        """Give a command; but to release a disputed payout is to make it, and somebody has to look at that.

        Raises:
            TableError: it was refused.
        """
        if command == "release" and is_disputed(self._service.glance()["hold"]):
            raise WrongPhase(message("A payout is disputed. Look at it, and release it on the dealer's page."))
        self._service.submit({"do": command}, source=SOURCE)
