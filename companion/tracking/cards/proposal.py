"""The `Interpreter` protocol of card games, and the proposals that interpreters return."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Protocol, TypedDict

from companion.kernel.commands import Record
from companion.kernel.situation import Situation
from companion.service.questions import Choice, Intention, Question
from companion.tracking.cards.observations import TrackedTable
from companion.tracking.sight import Note


@dataclass(frozen=True, slots=True)
class Proposal:
    """An interpreter's result: one command to play now, or none, and all open questions.

    Attributes:
        about: names what was seen that the command comes from; the same thing again has the same name.
        track: the card that it is about, if it is about one.
        rest_since: when that card came to rest.
        dealt: the cards that count in the order of the deal, to number them in the picture; none if it means nothing.
        notes: for the journal, each once.
    """

    command: Record | None = None
    about: str = ""
    track: int | None = None
    rest_since: float | None = None
    questions: tuple[Question, ...] = ()
    dealt: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()


class Waiting(TypedDict, total=False):
    """What the interpreter is waiting for, for the dealer's page."""

    waits_for: str | None


class Interpreter(Protocol):
    """Turns the cards on the table into a game's commands and questions. Pure: no clock, no camera."""

    @property
    def games(self) -> Collection[str]:
        """The games that it can read."""
        ...

    @property
    def asks_about_things(self) -> bool:
        """Whether unreadable new objects are of interest."""
        ...

    def interpret(self, tracked: TrackedTable, now: Situation, evidence: Mapping[int, str]) -> Proposal:
        """Say what to do now.

        Args:
            tracked: from the tracker.
            now: the table, with everything that was played so far.
            evidence: names of the kept pictures by track; they go into the records.
        """
        ...

    def played(self, proposal: Proposal, before: Situation) -> None:
        """The proposed command was played; ``before`` is the table before it."""
        ...

    def refused(self, proposal: Proposal, t: float) -> None:
        """The command was refused: retry a little later."""
        ...

    def answered(self, question: Question, choice: Choice) -> None:
        """The dealer answered a question."""
        ...

    def intend(self, intention: Intention, t: float) -> None:
        """The next card was declared by button or tap."""
        ...

    def report(self) -> Waiting:
        """Return what it waits for, for the dealer's page."""
        ...
