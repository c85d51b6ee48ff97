"""Supervises the floor's child processes and restarts PostgreSQL, the broker and the results worker if they exit."""

import logging
import threading
from collections.abc import Callable
from typing import Final, Self

from companion.floor.broker.service import BrokerService
from companion.floor.cluster import Cluster, ClusterUnusable
from companion.floor.reports.results_process import ResultsProcess

log = logging.getLogger(__name__)

LOOK_EVERY_S: Final = 1.0
LONGEST_WAIT_S: Final = 30.0


class Supervisor:
    """Watchdog threads for the database, the broker and the results worker. A context manager.

    Args:
        cluster: already started.
        broker: starts the broker in its watchdog thread, so that the process lives as long as that thread.
        results: the results process, already started.
    """

    def __init__(self, cluster: Cluster, broker: BrokerService, results: ResultsProcess) -> None:
        self._cluster, self._broker_service = cluster, broker
        self._stop = threading.Event()
        self._threads = [
            threading.Thread(target=self._look_after, args=what, name=f"keeper-{what[0]}", daemon=True)
            for what in (("database", self._database), ("broker", self._broker), ("reports", results.look))
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(timeout=70)  # may be starting PostgreSQL, which must not outlive us

    def _look_after(self, name: str, look: Callable[[], bool]) -> None:
        failures = 0
        while not self._stop.wait(min(LOOK_EVERY_S * 2**failures, LONGEST_WAIT_S)):
            try:
                failures = 0 if look() else min(failures + 1, 10)
            except Exception:
                failures = min(failures + 1, 10)
                log.exception("Internal error: the %s could not be checked", name)

    def _database(self) -> bool:
        """Restart PostgreSQL if it has exited; return whether it is running."""
        if self._cluster.is_alive:
            return True
        log.warning("PostgreSQL has exited. Restarting it.")
        try:
            self._cluster.start()
        except ClusterUnusable as error:
            log.warning("%s", error.message)
            return False
        log.warning("PostgreSQL is running again.")
        return True

    def _broker(self) -> bool:
        self._broker_service.look()
        return not self._broker_service.trouble or self._broker_service.port is None
