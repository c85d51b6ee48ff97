"""Two pipelines on one camera: both get every frame, and each is notified about its own proposals and questions."""

import numpy as np

from companion.kernel.table import Table
from companion.service.questions import Choice, Question
from companion.testing import new_header
from companion.tracking.entered import DIFFERS
from companion.tracking.several import SeveralSights
from companion.tracking.sight import NoSight, SightProposal
from companion.vision.frame import Frame


class Told(NoSight):
    """A fake pipeline with a settable proposal; records its calls."""

    def __init__(self, advice: SightProposal, **report: object) -> None:
        self.advice, self.heard, self._report = advice, [], report

    def see(self, frame, t):
        self.heard.append(t)
        return ()

    def propose(self, now):
        return self.advice

    def played(self, advice, before):
        self.heard.append("played")

    def refused(self, advice):
        self.heard.append("refused")

    def answered(self, question, choice):
        self.heard.append(question.id)

    def report(self):
        return self._report


def test_each_sight_hears_of_what_is_its_own():
    asked = Question("q", "unsure", "?", (Choice("a", "A"),))
    chips, wheel = (
        Told(SightProposal(questions=(asked,)), chips=2),
        Told(SightProposal({"do": "spin", "pocket": "17"}, "k"), state="sure"),
    )
    both = SeveralSights(chips, wheel)
    now = Table(new_header("roulette", (("Ann", 10),))).situation()
    both.see(Frame(np.zeros((4, 4, 3), np.uint8), 1.0, 1), 1.0)
    advice = both.propose(now)
    assert (advice.command, advice.key, advice.questions) == ({"do": "spin", "pocket": "17"}, "k", (asked,))
    both.played(advice, now)
    both.refused(advice)
    both.answered(asked, asked.choices[0])
    assert (chips.heard, wheel.heard) == ([1.0, "q"], [1.0, "played", "refused"])
    chips.advice = SightProposal()
    both.propose(now)
    both.answered(asked, asked.choices[0])
    assert chips.heard == [1.0, "q", "q"], "the answer was on its way when it was asked no more"
    assert both.report() == {"chips": 2, "state": "sure"}


def test_a_result_that_may_be_wrong_is_asked_about_before_what_follows_from_it():
    """The main button answers the first question: payment must not be asked before the doubt about 17 or 18."""
    pay, differs = (Question(kind, kind, "?", (Choice("a", "A"),)) for kind in ("paying", DIFFERS))
    both = SeveralSights(Told(SightProposal(questions=(pay,))), Told(SightProposal(questions=(differs,))))
    assert both.propose(Table(new_header("roulette", (("Ann", 10),))).situation()).questions == (differs, pay)
