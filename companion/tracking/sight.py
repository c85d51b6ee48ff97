"""The `Sight` protocol between the camera thread and a game's vision pipeline.

`companion.tracking.watch.TableWatch` owns the camera and the thread, and passes every frame to one `Sight`. A sight
proposes commands and questions; the rules accept or refuse them, and the dealer has the last word.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypedDict

from companion.kernel.commands import Record
from companion.kernel.situation import Situation
from companion.service.questions import Choice, Question
from companion.service.questions import Intention as Intention
from companion.vision.draw import Mark
from companion.vision.frame import Frame


@dataclass(frozen=True, slots=True)
class SightProposal:
    """The current proposal: at most one command, and all open questions.

    Attributes:
        command: the command to play now.
        key: idempotency key of the sighting behind the command; the table plays a key only once. It is kept until
            `Sight.played`, so that a command that timed out is retried with it. If the same object means another
            command later, such as a chip that stays for the next round, the key is a new one.
        questions: the complete list of open questions, not only new ones.
        rest_since: when the object behind the command came to rest, in frame time; None without one.
    """

    command: Record | None = None
    key: str = ""
    questions: tuple[Question, ...] = ()
    rest_since: float | None = None


NO_PROPOSAL = SightProposal()


class JournalNoteData(TypedDict, total=False):
    """The machine-readable part of a note."""

    kind: str
    card: str | None
    deck: str | None
    likely: list[str]
    evidence: str | None
    camera: str


@dataclass(frozen=True, slots=True)
class JournalNote:
    """An observation for the journal that is not a command: a forged card, two dice in the tray."""

    text: str
    data: JournalNoteData


class Sight(Protocol):
    """A game's vision pipeline. Not thread-safe; its only clock is the frames' own time."""

    def see(self, frame: Frame, t: float) -> tuple[JournalNote, ...]:
        """Process a frame; ``t`` is its time in seconds, never going back. Return notes for the journal."""
        ...

    def propose(self, now: Situation) -> SightProposal:
        """Return the current proposal. Called again after every command played."""
        ...

    def played(self, proposal: SightProposal, before: Situation) -> None:
        """The proposed command was played; ``before`` is the table before it."""
        ...

    def refused(self, proposal: SightProposal) -> None:
        """The command was refused; it is proposed again a little later."""
        ...

    def answered(self, question: Question, choice: Choice) -> None:
        """The dealer answered a question."""
        ...

    def intend(self, intention: Intention) -> None:
        """The next card was declared by button or tap."""
        ...

    def marks(self, questions: Sequence[Question]) -> Sequence[Mark]:
        """Return the annotations for the newest frame."""
        ...

    def report(self) -> Mapping[str, object]:
        """Return the figures for the dealer's page and `doctor`: px/mm, calibration, what the pipeline waits for."""
        ...


class NoSight:
    """The pipeline of a game without perception: the picture is only shown, and everything is entered by hand."""

    def see(self, frame: Frame, t: float) -> tuple[JournalNote, ...]:
        return ()

    def propose(self, now: Situation) -> SightProposal:
        return NO_PROPOSAL

    def played(self, proposal: SightProposal, before: Situation) -> None: ...

    def refused(self, proposal: SightProposal) -> None: ...

    def answered(self, question: Question, choice: Choice) -> None: ...

    def intend(self, intention: Intention) -> None: ...

    def marks(self, questions: Sequence[Question]) -> Sequence[Mark]:
        return ()

    def report(self) -> Mapping[str, object]:
        return {}
