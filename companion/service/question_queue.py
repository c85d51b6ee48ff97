"""Open questions to the dealer, and answers not collected yet."""

import threading
from collections.abc import Sequence

from companion.kernel.errors import NothingDone
from companion.service.questions import Choice, Intention, Question, QuestionJson


class QuestionQueue:
    """Open questions by source. Thread-safe.

    An answered question stays closed until its answer has been collected: until then its source may not know of the
    answer, and would ask again.
    """

    def __init__(self, session: int = 1) -> None:
        self._session = session
        self._lock = threading.Lock()
        self._open: dict[str, tuple[Question, ...]] = {}
        self._seen: dict[str, int | None] = {}
        self._taken: set[str] = set()
        self._deciding: set[str] = set()
        self._answers: list[tuple[Question, Choice]] = []
        self._intentions: list[tuple[Intention, str]] = []

    @property
    def is_deciding(self) -> bool:
        """Whether an answer is in progress: its command may already count, while `collect` does not return it yet."""
        with self._lock:
            return bool(self._deciding)

    def ask(
        self, source: str, questions: Sequence[Question], session: int | None = None, after: int | None = None
    ) -> bool:
        """Replace the open questions of a source; False if nothing changes, or they belong to another session.

        Args:
            session: the session they belong to; None: any.
            after: seq of the last journal entry that the source has seen.
        """
        with self._lock:
            if session is not None and session != self._session:
                return False
            before = self._asked()
            self._open[source], self._seen[source] = tuple(questions), after
            return self._asked() != before

    def take(self, question_id: str, choice_id: str, mark: str | None = None) -> tuple[Question, Choice, int | None]:
        """Close a question in order to answer it.

        Args:
            mark: the choice's mark as displayed; None: no check.

        Returns:
            The question, the choice, and the seq of the last journal entry that the question's source has seen.

        Raises:
            NothingDone: the question is no longer open, has no such choice, or the choice's effect has changed.
        """
        with self._lock:
            question = next((q for q in self._asked() if q.id == question_id), None)
            choice = next((c for c in question.choices if c.id == choice_id), None) if question else None
            if question is None or choice is None or mark not in (None, choice.mark):
                raise NothingDone.saying("This question is not open any more. Look at what is asked now.")
            self._taken.add(question_id)
            self._deciding.add(question_id)
            source = next(source for source, questions in self._open.items() if question in questions)
            return question, choice, self._seen[source]

    def put_back(self, question: Question) -> None:
        """Reopen a question whose answer was refused."""
        with self._lock:
            self._taken.discard(question.id)
            self._deciding.discard(question.id)

    def answered(self, question: Question, choice: Choice) -> None:
        """Keep an answer for `collect`."""
        with self._lock:
            self._answers.append((question, choice))
            self._deciding.discard(question.id)

    def collect(self) -> tuple[tuple[Question, Choice], ...]:
        """Return the answers since the last call."""
        with self._lock:
            answers, self._answers = tuple(self._answers), []
            done = {question.id for question, _ in answers}
            self._taken -= done
            self._open = {
                source: tuple(q for q in questions if q.id not in done) for source, questions in self._open.items()
            }
            return answers

    def begin(self, session: int) -> None:
        """Drop all questions, answers and intentions, as another session begins."""
        with self._lock:
            self._session = session
            self._open, self._taken, self._answers, self._intentions = {}, set(), [], []
            self._deciding = set()

    def intend(self, intention: Intention, source: str) -> None:
        """Store a declaration of the next card for `take_intentions`."""
        with self._lock:
            self._intentions.append((intention, source))

    def take_intentions(self) -> tuple[tuple[Intention, str], ...]:
        """Return the intentions since the last call, each with its source."""
        with self._lock:
            intentions, self._intentions = tuple(self._intentions), []
            return intentions

    def to_json(self) -> tuple[QuestionJson, ...]:
        """Return the open questions, for a page."""
        with self._lock:
            return tuple(question.to_json() for question in self._asked())

    def _asked(self) -> tuple[Question, ...]:
        return tuple(q for questions in self._open.values() for q in questions if q.id not in self._taken)
