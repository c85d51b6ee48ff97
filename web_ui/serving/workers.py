"""The worker threads that handle complete requests: general ones, and some reserved for the dealer."""

import logging
import queue
import threading
from collections.abc import Callable
from typing import Final

from web_ui.serving.framing import WholeRequest
from web_ui.serving.front import Connection

GENERAL: Final = 10
RESERVED: Final = 3
QUEUED_LIMIT: Final = 500
"Maximum queue length; further requests are refused immediately."

Job = tuple[Connection, WholeRequest]
"""A complete request, and the connection for its response."""

_log = logging.getLogger(__name__)


class Workers:
    """Two independent queues, each with its own threads.

    Args:
        do: handles one request; exceptions are logged.
    """

    def __init__(self, do: Callable[[Connection, WholeRequest], None]) -> None:
        self._do = do
        self._queues: tuple[queue.Queue[Job | None], queue.Queue[Job | None]] = (
            queue.Queue(QUEUED_LIMIT),
            queue.Queue(QUEUED_LIMIT),
        )
        counts = zip(self._queues, (GENERAL, RESERVED), strict=True)
        self._threads = [
            threading.Thread(target=self._run, args=(jobs,), name=f"web-{number}", daemon=True)
            for jobs, count in counts
            for number in range(count)
        ]

    def start(self) -> None:
        """Start the threads."""
        for thread in self._threads:
            thread.start()

    def put(self, job: Job, *, is_reserved: bool) -> bool:
        """Queue a request; return False if the queue is full."""
        try:
            self._queues[is_reserved].put_nowait(job)
        except queue.Full:
            return False
        return True

    def close(self, timeout_s: float) -> None:
        """Drop queued requests and stop the threads; requests in progress beyond the timeout are abandoned."""
        for jobs, count in zip(self._queues, (GENERAL, RESERVED), strict=True):
            while not jobs.empty():
                jobs.get_nowait()
            for _ in range(count):
                jobs.put(None)
        for thread in self._threads:
            if thread.is_alive():
                thread.join(timeout=timeout_s)

    def _run(self, jobs: queue.Queue[Job | None]) -> None:
        while (job := jobs.get()) is not None:
            try:
                self._do(*job)
            except Exception:
                _log.exception("A request could not be answered")
