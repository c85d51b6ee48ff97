"""A dealer's late answer about one round does not apply to the next."""

from companion.games.king.camera.interpreter import KingInterpreter
from companion.kernel.table import Table
from companion.plugins.perception import CardSettings
from companion.testing import new_header
from companion.tracking.cards.observations import LyingCard, TrackedTable

BOX = ((0.0, 0.0), (63.0, 0.0), (63.0, 88.0), (0.0, 88.0))


def card(track, id_, zone):
    return LyingCard(track, id_, "K7QX", "ok", BOX, BOX, 1.0, 1.0, 1.0, 1.0, 5, zone=zone)


class Mat:
    """A table of four with Ann as king, and the objects on its mat."""

    def __init__(self):
        self.table = Table(new_header("king-of-roulette", tuple((name, 20) for name in ("Ann", "Bo", "Cy", "Dee")), {}))
        for name in ("Ann", "Bo", "Cy", "Dee"):
            self.do("vote", player=name, **{"for": "Ann" if name != "Ann" else "Bo"})
        self.eyes, self.t = KingInterpreter(CardSettings()), 10.0
        self.cards = ()
        self.look()

    def do(self, verb, **more):
        self.table.do({"do": verb, **more})

    def look(self):
        self.t += 1.0
        tracked = TrackedTable(self.t, self.cards, mat="king-of-roulette")
        return self.eyes.interpret(tracked, self.table.situation(), {})


def test_an_answer_about_the_round_before_lets_nothing_be_read_in_this_one():
    mat = Mat()
    mat.cards = (card(1, "C1", "bet/1"),)
    (question,) = mat.look().questions
    mat.do("rule", player="Ann", text="x", one=[2, 3], two=5)
    mat.do("guess", player="Ann", range="2-3")
    for name, space in (("Bo", 5), ("Cy", 1), ("Dee", "king")):
        mat.do("bet", player=name, space=space)
    mat.do("reveal")
    mat.look()
    mat.eyes.answered(question, question.choices[0])
    king = mat.table.situation().state.king
    bet = {"Ann": "A4", "Bo": "B4", "Cy": "C4", "Dee": "D4"}
    mat.cards = (*mat.cards, *(card(10 + i, id_, "bet/4") for i, (name, id_) in enumerate(bet.items()) if name != king))
    proposal = mat.look()
    assert proposal.command is None
    assert [one.kind for one in proposal.questions] == ["open"]
