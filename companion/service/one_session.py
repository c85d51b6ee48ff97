"""The table service restricted to one session, for the camera and the demo: without effect once it is over."""

from collections.abc import Mapping, Sequence

from companion.journal.hash_chain import EntryJson
from companion.kernel.commands import Record
from companion.kernel.errors import NoAnswer
from companion.kernel.situation import Situation
from companion.plugins.panel import Moment
from companion.service.committing.jobs import Accepted
from companion.service.questions import Choice, Intention, Question
from companion.service.table_service import TableService


class OneSession:
    """The table service for the duration of one session. Thread-safe, like the service.

    What was seen or planned in one game must not count in another. So once another session is current, commands are
    refused, questions and reports are dropped, and the situation remains this session's last one.
    """

    def __init__(self, service: TableService) -> None:
        self._service = service
        self._session = self.number = service.session
        self._situation = service.situation

    @property
    def is_on(self) -> bool:
        """Whether this session is still the current one."""
        return self._service.session == self._session

    @property
    def situation(self) -> Situation:
        """The table's situation; once this session is over, its last one."""
        now = self._service.situation
        if self.is_on:  # checked after the fetch, so the situation cannot be another session's
            self._situation = now
        return self._situation

    def moment(self) -> Moment:
        """Return the panel's input.

        Raises:
            NoAnswer: another session is current.
        """
        moment = self._service.moment()
        if not self.is_on:
            raise NoAnswer.saying("Another game has begun meanwhile, so this was not played. Look at the table.")
        return moment

    def submit(
        self,
        record: Record,
        *,
        source: str,
        key: str | None = None,
        timeout_s: float = 5.0,
        after: int | None = None,
    ) -> Accepted:
        """Apply a command in this session; see `TableService.submit`."""
        return self._service.submit(
            record, source=source, key=key, timeout_s=timeout_s, session=self._session, after=after
        )

    def answer(self, question_id: str, choice_id: str, *, source: str) -> Accepted | None:
        """Answer a question of this session."""
        return self._service.answer(question_id, choice_id, source=source)

    def set_questions(self, source: str, questions: Sequence[Question], *, after: int | None = None) -> None:
        """Replace the open questions of a source."""
        self._service.set_questions(source, questions, session=self._session, after=after)

    def take_answers(self) -> tuple[tuple[Question, Choice], ...]:
        """Return the answers since the last call."""
        return self._service.take_answers() if self.is_on else ()

    @property
    def is_deciding(self) -> bool:
        """Whether an answer is in progress."""
        return self.is_on and self._service.is_deciding

    def take_intentions(self) -> tuple[tuple[Intention, str], ...]:
        """Return the intentions since the last call."""
        return self._service.take_intentions() if self.is_on else ()

    def notice(self, text: str, *, source: str, data: Mapping[str, object] | None = None) -> None:
        """Record a notice in the log."""
        if self.is_on:
            self._service.notice(text, source=source, data=data)

    def set_camera(self, status: str, text: str, name: str = "") -> None:
        """Set the camera's status."""
        if self.is_on:
            self._service.set_camera(status, text, name)

    def set_sight(self, report: Mapping[str, object]) -> None:
        """Show the dealer the camera's measurements."""
        if self.is_on:
            self._service.set_sight(report)

    def events(self, after: int = 0, limit: int = 100, viewer: str = "room") -> list[EntryJson]:
        """Return the journal's entries after ``after``."""
        return self._service.events(after, limit, viewer)

    @property
    def version(self) -> int:
        """Counts up whenever anything visible changes."""
        return self._service.version

    def wait(self, after_version: int, timeout_s: float) -> int:
        """Wait until the version exceeds ``after_version`` or the timeout expires; return the current version."""
        return self._service.wait(after_version, timeout_s)
