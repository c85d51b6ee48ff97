"""The `Interpreter` protocol of card games, and the proposals that interpreters return."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Protocol, TypedDict

from companion.kernel.commands import Record
from companion.kernel.situation import Situation
from companion.service.questions import Choice, Intention, Question
from companion.tracking.cards.observations import TrackedTable
from companion.tracking.sight import JournalNote


@dataclass(frozen=True, slots=True)
class Proposal:
    """An interpreter's result: at most one command, and all open questions.

    Attributes:
        command: the command to play now.
        about: identifies the sighting behind the command; the same sighting gets the same name again.
        track: the card it is about; None if it is about none.
        rest_since: when that card came to rest.
        questions: the complete list of open questions.
        dealt: the cards that count in dealing order, to number them in the picture; empty if the order is irrelevant.
        notes: for the journal, each returned once.
    """

    command: Record | None = None
    about: str = ""
    track: int | None = None
    rest_since: float | None = None
    questions: tuple[Question, ...] = ()
    dealt: tuple[str, ...] = ()
    notes: tuple[JournalNote, ...] = ()


class Waiting(TypedDict, total=False):
    """The card that the interpreter waits for, for the dealer's page."""

    waits_for: str | None


class Interpreter(Protocol):
    """Turns the cards on the table into a game's commands and questions. Pure: no clock, no camera."""

    @property
    def games(self) -> Collection[str]:
        """The names of the games that it can interpret."""
        ...

    @property
    def asks_about_unread_objects(self) -> bool:
        """Whether unreadable new objects are of interest."""
        ...

    def interpret(self, tracked: TrackedTable, now: Situation, evidence: Mapping[int, str]) -> Proposal:
        """Return the current proposal.

        Args:
            tracked: the cards on the table, from the tracker.
            now: the situation, with everything played so far.
            evidence: names of the stored pictures by track, for the commands' records.
        """
        ...

    def played(self, proposal: Proposal, before: Situation) -> None:
        """The proposed command was played; ``before`` is the table before it."""
        ...

    def refused(self, proposal: Proposal, t: float) -> None:
        """The command was refused; propose it again a little later."""
        ...

    def answered(self, question: Question, choice: Choice) -> None:
        """The dealer answered a question."""
        ...

    def intend(self, intention: Intention, t: float) -> None:
        """The next card was declared by button or tap."""
        ...

    def report(self) -> Waiting:
        """Return what it is waiting for, for the dealer's page."""
        ...
