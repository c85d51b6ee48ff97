"""``hold`` and ``release`` from the broker: the same commands as on the dealer's page, with source ``mqtt``."""

import logging
import queue
import threading
from collections.abc import Callable
from typing import Final, Self

from companion.app.integrations.remote_commands import TAKEN, execute
from companion.closing import Closing
from companion.kernel.errors import CompanionError
from companion.service.table_service import TableService

SOURCE: Final = "mqtt"
MAX_WAITING: Final = 4

log = logging.getLogger("companion.mqtt")

OnRefused = Callable[[str, str], None]
"""Called with the command, and why it was refused."""


class Commands(Closing):
    """Submits the broker's commands to the table in a separate thread. A context manager."""

    def __init__(self, service: TableService, on_refused: OnRefused) -> None:
        self._service, self._on_refused = service, on_refused
        self._waiting: queue.Queue[str | None] = queue.Queue(MAX_WAITING)
        self._thread = threading.Thread(target=self._run, name="mqtt-commands", daemon=True)

    def take(self, payload: bytes) -> None:
        """Queue a command. Unknown commands are dropped, and so are commands while the queue is full."""
        text = payload[:40].decode(errors="replace")
        if text not in TAKEN:
            log.warning("Ignored the MQTT command %r; only %s are allowed", text, " and ".join(TAKEN))
            return
        try:
            self._waiting.put_nowait(text)
        except queue.Full:
            log.warning("Ignored the MQTT command %s: commands arrive faster than the table can handle them", text)

    def start(self) -> Self:
        self._thread.start()
        return self

    def close(self) -> None:
        """Stop. May be called twice."""
        try:
            self._waiting.put_nowait(None)
        except queue.Full:
            return

    def _run(self) -> None:
        while (command := self._waiting.get()) is not None:
            try:
                execute(self._service, command, SOURCE)
            except CompanionError as error:
                log.info("The MQTT command %s was refused: %s", command, error.message)
                self._on_refused(command, error.message)
