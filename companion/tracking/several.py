"""Combines several vision pipelines on one camera. See `companion.tracking.sight.Sight`."""

from collections.abc import Mapping, Sequence
from typing import Final

from companion.kernel.situation import Situation
from companion.service.questions import Choice, Intention, Question
from companion.tracking.entered import DIFFERS
from companion.tracking.sight import JournalNote, Sight, SightProposal
from companion.vision.draw import Mark
from companion.vision.frame import Frame

_ASKED_KEPT: Final = 200


class SeveralSights:
    """Forwards each frame to all pipelines; the first proposed command wins, questions are merged.

    Questions about a wrong entry come first: the others, such as what to pay, depend on their answer.
    """

    def __init__(self, *sights: Sight) -> None:
        self._sights = sights
        self._proposed: Sight = sights[0]
        self._asked: dict[str, Sight] = {}
        "Pipeline by question id, latest last; kept because an answer may arrive after its question is gone."

    def see(self, frame: Frame, t: float) -> tuple[JournalNote, ...]:
        return tuple(note for sight in self._sights for note in sight.see(frame, t))

    def propose(self, now: Situation) -> SightProposal:
        proposal = [(sight, sight.propose(now)) for sight in self._sights]
        self._remember({question.id: sight for sight, one in proposal for question in one.questions})
        asked = (question for _, one in proposal for question in one.questions)
        questions = tuple(sorted(asked, key=lambda question: question.kind != DIFFERS))
        for sight, one in proposal:
            if one.command is not None:
                self._proposed = sight
                return SightProposal(one.command, one.key, questions, one.rest_since)
        return SightProposal(questions=questions)

    def _remember(self, asked: dict[str, Sight]) -> None:
        before = {id_: sight for id_, sight in self._asked.items() if id_ not in asked}
        self._asked = dict([*before.items(), *asked.items()][-_ASKED_KEPT:])

    def played(self, proposal: SightProposal, before: Situation) -> None:
        self._proposed.played(proposal, before)

    def refused(self, proposal: SightProposal) -> None:
        self._proposed.refused(proposal)

    def answered(self, question: Question, choice: Choice) -> None:
        if question.id in self._asked:
            self._asked[question.id].answered(question, choice)

    def intend(self, intention: Intention) -> None:
        for sight in self._sights:
            sight.intend(intention)

    def marks(self, questions: Sequence[Question]) -> Sequence[Mark]:
        return [mark for sight in self._sights for mark in sight.marks(questions)]

    def report(self) -> Mapping[str, object]:
        return {name: value for sight in self._sights for name, value in sight.report().items()}
