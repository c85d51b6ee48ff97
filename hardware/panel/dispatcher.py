"""Sends the buttons' actions to the table: commands, answers, notices, and ends of turns that wait for a card."""

import logging
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from companion.kernel.commands import Record
from companion.kernel.errors import CompanionError, NoAnswer, Outdated
from companion.plugins.panel import DoOnceCounted, Moment
from companion.service.questions import Intention
from companion.service.table_service import TableService

log = logging.getLogger(__name__)

SOURCE: Final = "panel"
SETTLE_TIMEOUT_S: Final = 2.5
"""Time limit for the camera to count the card on the table before the turn ends."""
_REPLY_TIMEOUT_S: Final = 2.0


class NotUnderstood(CompanionError):
    """The turn could not be ended, because the card on the table does not count yet."""


@dataclass(frozen=True, slots=True)
class _PendingEnd:
    """A turn that ends once the card counts."""

    record: Record
    progress: object
    revision: int
    "Table revision at the time of the request."
    deadline: float


class Dispatcher:
    """Sends the panel's requests to the table. Not thread-safe.

    Args:
        service: the table.
    """

    def __init__(self, service: TableService) -> None:
        self._service = service
        self._run_id = secrets.token_hex(4)
        self._count = 0
        self._pending: _PendingEnd | None = None

    def submit(self, record: Record, after: int | None = None) -> None:
        """Send a command with its own idempotency key, so that a retry after a timeout is safe.

        Args:
            after: sequence number of the last journal entry seen; the command is refused if there are newer ones.
                None: not checked.

        Raises:
            CompanionError: the command was rejected.
        """
        self._pending = None
        self._count += 1
        key = f"{SOURCE}-{self._run_id}-{self._count}"
        try:
            self._service.submit(record, source=SOURCE, key=key, timeout_s=_REPLY_TIMEOUT_S, after=after)
        except NoAnswer:
            self._service.submit(record, source=SOURCE, key=key, timeout_s=_REPLY_TIMEOUT_S, after=after)

    def forget(self) -> None:
        """Drop a pending end of turn, as when another game begins."""
        self._pending = None

    def answer(self, question: str, choice: str, mark: str | None) -> None:
        """Answer a question as displayed.

        Raises:
            CompanionError: the question is gone, or the answer was rejected.
        """
        self._pending = None
        self._service.answer(question, choice, source=SOURCE, mark=mark)

    def intend(self, what: Intention) -> None:
        """Announce the meaning of the next card."""
        self._pending = None
        self._service.intend(what, source=SOURCE)

    def finish(self, finish: DoOnceCounted, moment: Moment, progress: object, now: float) -> None:
        """Declare the card on the table; `poll` ends the turn once it counts.

        Args:
            moment: the current state of the table.
            progress: a value that changes when a card counts.
        """
        self.intend(finish.card_is)
        self._pending = _PendingEnd(finish.record, progress, moment.revision, now + SETTLE_TIMEOUT_S)

    def poll(self, moment: Moment, progress: object, now: float) -> float | None:
        """End the turn once the card counts, if the end is still accepted; return the time of the next check.

        An undo changes ``progress`` as well; the turn then continues.

        Raises:
            NotUnderstood: the card did not count in time.
            CompanionError: the end was rejected.
        """
        pending = self._pending
        if pending is None:
            return None
        if progress == pending.progress:
            if now < pending.deadline:
                return pending.deadline
            self._pending = None
            raise NotUnderstood.saying(
                "The card on the table is not understood yet. Say PLAY or DEAL, then press NEXT."
            )
        self._pending = None
        if moment.undone_since(pending.revision) is None and moment.accepts(pending.record):
            try:
                self.submit(pending.record, moment.seq)
            except Outdated:  # re-check the new state first, because ending an empty turn is a fold
                self._pending = pending
                return now
        return None

    def notice(self, text: str, data: Mapping[str, object]) -> None:
        """Record a notice in the journal; a failure, as while the table closes, is only logged."""
        try:
            self._service.notice(text, source=SOURCE, data=data)
        except CompanionError as error:
            log.info("Notice not journaled: %s (%s)", text, error)
