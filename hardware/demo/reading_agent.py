"""Base of demo agents for games whose camera reads one result at rest, such as a ball, or dice in a bowl.

The dealer confirms correct readings, and enters the result if the camera is wrong or unsure. On request the dealer
enters a wrong value and undoes it.
"""

from abc import abstractmethod
from typing import Any, Protocol, TypeVar

from companion.kernel.commands import Record
from companion.kernel.messages import message
from companion.plugins.panel import Moment, OpenQuestion
from companion.tracking.entered import answer_text
from companion.tracking.watched import COUNT, WATCH, label_of
from hardware.demo.agent import Agent
from hardware.demo.felt_table import FeltTable


class ReadingTiming(Protocol):
    """The delays that a reading agent needs, seconds."""

    @property
    def asked_s(self) -> float:
        """Before the agent answers a question in automatic play."""

    @property
    def overdue_s(self) -> float:
        """Before the dealer enters what the camera has not read."""


F = TypeVar("F", bound=FeltTable)
T = TypeVar("T", bound=ReadingTiming)


class ReadingAgent(Agent[F, T]):
    """See `hardware.demo.agent.Agent`."""

    _is_next_entry_wrong = False
    "Whether the dealer enters a wrong value next."
    _wrong_entry: Record | None = None
    "The dealer's wrong entry, in the form an undo names it."
    confirmed = 0
    "Number of camera readings confirmed by the dealer."
    corrected = 0
    "Number of values entered because the camera was wrong or unsure."

    @abstractmethod
    def truth(self) -> Record | None:
        """Return the true result as a command; None while there is no valid result at rest."""

    @abstractmethod
    def wrong(self, truth: Record) -> Record:
        """Return a wrong entry instead of the true one."""

    def enter_wrong_value_next(self) -> None:
        """Have the dealer enter a wrong value next."""
        self._is_next_entry_wrong = True

    @property
    def has_wrong_entry(self) -> bool:
        """Whether a wrong entry is still to be undone."""
        return self._wrong_entry is not None

    def undo_wrong_entry(self, moment: Moment) -> None:
        """Undo the wrong entry, unless another command came since."""
        self._text = message("The dealer has entered a wrong value.")
        if moment.latest != self._wrong_entry or not self._auto:
            self._wrong_entry = self._step = None
        elif self._waited_s() > self._timing.asked_s:
            entry, self._wrong_entry, self._step = self._wrong_entry, None, None
            self._since = self._clock()
            self._try({"do": "undo", "only": entry})

    def confirm_or_enter(self, moment: Moment) -> None:
        """Get the result counted, by confirming the reading or entering it."""
        record, asked = self.truth(), self._reading_question(moment)
        self._text = message("The camera reads what lies there; the dealer confirms it.")
        if record is None:
            return
        if self._is_next_entry_wrong:
            self._enter_wrong(self.wrong(record))
        elif not self._auto:
            self._text = message("Confirm what the camera reads, or enter it.")
        elif asked is not None and self._clock() - self._asked[asked.id] < self._timing.asked_s:
            return
        elif asked is not None and self._is_right(asked, record):
            self.confirmed += 1
            self._since = self._clock()
            self._reply(asked, COUNT)
        elif asked is not None or self._waited_s() > self._timing.overdue_s:
            self.corrected += 1
            self._since = self._clock()
            self._try(record)

    def _enter_wrong(self, record: Record) -> None:
        self._is_next_entry_wrong = False
        self._submit(record)
        latest, self._since = self._service.moment().latest, self._clock()
        self._wrong_entry = (
            latest if latest["do"] == record["do"] else None
        )  # otherwise someone was quicker, and it stays

    def _reading_question(self, moment: Moment) -> OpenQuestion | None:
        return next((question for question in moment.questions if question.id.startswith(WATCH)), None)

    def _is_right(self, asked: OpenQuestion, truth: Record) -> bool:
        shown: dict[str, Any] = {key: value for key, value in truth.items() if key not in ("do", "player")}
        return (COUNT, label_of(answer_text(shown))) in asked.choices

    def other_questions(self, moment: Moment) -> list[OpenQuestion]:
        """Return the questions that are not about the reading."""
        return [question for question in moment.questions if not question.id.startswith(WATCH)]
