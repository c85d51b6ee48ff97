"""Periodic jobs: scheduled backups, lifetime meters, clock monitoring, verification of the installed files."""

import logging
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final

from companion.app.operations.backups import Backups, Refused
from companion.app.operations.meters import Meters
from companion.app.operations.self_check import SelfCheck, self_check
from companion.closing import Worker
from companion.journal.sessions import undecided_words
from companion.journal.store import JournalError
from companion.kernel.errors import CompanionError
from companion.kernel.messages import message
from companion.service.clocks.table_clock import CLOCK, CLOCK_SET, OFF_AFTER, SET_S, ClockWatch
from companion.service.table_service import TableService

EVERY_S: Final = 5.0

log = logging.getLogger("companion.house")


def passed_s() -> float:
    """Return monotonic seconds that include suspend."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Housekeeper(Worker):
    """Runs the periodic jobs every few seconds.

    Args:
        check: verifies the installed files.
    """

    def __init__(
        self,
        service: TableService,
        backups: Backups,
        meters: Meters,
        *,
        clock: ClockWatch | None = None,
        check: Callable[[], SelfCheck] = self_check,
    ) -> None:
        self.backups, self.meters = backups, meters
        self.checked: SelfCheck | None = None
        "Result of the self-check; None until it is done."
        self._service, self._clock, self._check = service, clock or ClockWatch(time.time, passed_s), check
        self._off_after = service.clock.off_after
        "Last entry before the machine was off; None once its clock has been set."
        super().__init__("housekeeper", end_s=1.0)

    @property
    def undecided(self) -> str:
        """What is undecided at the table now; empty between rounds."""
        table = self._service
        return str(undecided_words(table.header.rules, table.state, table.ledger))

    def _run(self) -> None:
        self.verify_files()
        self.meters.count("starts")
        while not self._stop.is_set():
            try:
                self.run_due_jobs()
            except Exception:  # keep running after any error
                log.exception("Internal error in the housekeeping; the table continues")
            self._stop.wait(EVERY_S)
        with suppress(JournalError):
            self.meters.catch_up()  # the next start may use another journal

    def verify_files(self) -> None:
        """Verify the installed files and log differences."""
        self.checked = self._check()
        if self.checked.state == "other-key":
            key = self.checked.key or "-"
            log.warning("This release is signed with another key than the earlier releases on this table: %s", key)
            self._notice(message("The program is signed by somebody else than before: {key}.", key=key))
        elif self.checked.is_wrong:
            names = ", ".join(self.checked.wrong)
            log.warning("Installed files were changed: %s. Install the companion again.", names)
            self._notice(
                message("Files of the program are not as they were installed: {names}. Install it again.", names=names)
            )
        elif self.checked.state != "unlisted":  # a source folder has no manifest
            log.info(
                "Installed files: %s, %d compared, key %s", self.checked.state, self.checked.count, self.checked.key
            )

    def run_due_jobs(self) -> None:
        """Run the jobs that are due."""
        moved = self._clock.step()
        if moved is not None:
            self.meters.count("clock_steps")
            seconds = f"{abs(moved):.0f}"
            log.warning("The clock was set by %+.0f s", moved)
            self._notice(
                message("The clock was set {seconds} s ahead.", seconds=seconds)
                if moved > 0
                else message("The clock was set {seconds} s back.", seconds=seconds),
                {CLOCK_SET: round(moved)} | self._ended_off(moved),
            )
        with suppress(JournalError):  # reported elsewhere
            self.meters.catch_up()
        with suppress(Refused):
            self.backups.start_if_due()

    def _ended_off(self, moved: float) -> dict[str, object]:
        """Return notice data with the last entry before the machine was off, at the first clock setting after that."""
        if self._off_after is None or abs(moved) < SET_S:
            return {}
        after, self._off_after = self._off_after, None
        return {OFF_AFTER: after}

    def _notice(self, text: str, data: Mapping[str, object] | None = None) -> None:
        with suppress(CompanionError):  # the table is closing
            self._service.notice(text, source=CLOCK, data=data)
