"""Sends the buttons' actions to the table: commands, answers, notices, and ends of turns that wait for a card."""

import logging
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from companion.kernel.commands import Record
from companion.kernel.errors import CompanionError, NoAnswer, Outdated
from companion.plugins.panel import Finish, Moment
from companion.service.questions import Intention
from companion.service.table_service import TableService

log = logging.getLogger(__name__)

SOURCE: Final = "panel"
SETTLE_S: Final = 2.5
"""Time limit for the camera to count a card before the turn is ended."""
WAIT_S: Final = 2.0


class NotUnderstood(CompanionError):
    """The turn was not ended, because the card on the table does not count yet."""


@dataclass(frozen=True, slots=True)
class _Ending:
    """A turn to end once the card counts."""

    record: Record
    mark: object
    revision: int
    "Table revision at the time of the request."
    until: float


class Dispatcher:
    """Sends the panel's requests to the table. Not thread-safe.

    Args:
        service: the table.
    """

    def __init__(self, service: TableService) -> None:
        self._service = service
        self._boot = secrets.token_hex(4)
        self._count = 0
        self._ending: _Ending | None = None

    def submit(self, record: Record, after: int | None = None) -> None:
        """Send a command with its own idempotency key, so that a retry after a timeout is safe.

        Args:
            after: last journal entry seen, if entries in between matter.

        Raises:
            CompanionError: the command was rejected.
        """
        self._ending = None
        self._count += 1
        key = f"{SOURCE}-{self._boot}-{self._count}"
        try:
            self._service.submit(record, source=SOURCE, key=key, timeout_s=WAIT_S, after=after)
        except NoAnswer:
            self._service.submit(record, source=SOURCE, key=key, timeout_s=WAIT_S, after=after)

    def forget(self) -> None:
        """Drop a pending end of turn, because another game has begun."""
        self._ending = None

    def answer(self, question: str, choice: str, mark: str | None) -> None:
        """Answer a question as displayed.

        Raises:
            CompanionError: the question is gone, or the answer was rejected.
        """
        self._ending = None
        self._service.answer(question, choice, source=SOURCE, mark=mark)

    def intend(self, what: Intention) -> None:
        """Announce the meaning of the next card."""
        self._ending = None
        self._service.intend(what, source=SOURCE)

    def finish(self, finish: Finish, moment: Moment, mark: object, now: float) -> None:
        """Wait for the card on the table to count; `turn` then ends the turn.

        Args:
            moment: the table as it is now.
            mark: changes when a card counts.
        """
        self.intend(finish.card_is)
        self._ending = _Ending(finish.record, mark, moment.revision, now + SETTLE_S)

    def turn(self, moment: Moment, mark: object, now: float) -> float | None:
        """End the turn once the card counts, if it is still that player's; return when to check again.

        An undo changes the mark as well; then the turn is not ended.

        Raises:
            NotUnderstood: the card does not count after a while.
            CompanionError: the end was rejected.
        """
        ending = self._ending
        if ending is None:
            return None
        if mark == ending.mark:
            if now < ending.until:
                return ending.until
            self._ending = None
            raise NotUnderstood.saying(
                "The card on the table is not understood yet. Say PLAY or DEAL, then press NEXT."
            )
        self._ending = None
        if moment.undone_since(ending.revision) is None and moment.takes(ending.record):
            try:
                self.submit(ending.record, moment.seq)
            except Outdated:  # re-check first, since ending an empty turn is a fold
                self._ending = ending
                return now
        return None

    def notice(self, text: str, data: Mapping[str, object]) -> None:
        """Record a notice; ignored by a closing table."""
        try:
            self._service.notice(text, source=SOURCE, data=data)
        except CompanionError as error:
            log.info("Not written down: %s (%s)", text, error)
