"""The camera's questions at a table with a journal: which of two simultaneous answers is recorded."""

import pytest
from rochi_hands import NAMES, card

from companion.games.rochi.camera.interpreter import RochiInterpreter
from companion.kernel.errors import NotYourTurn
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header
from companion.tracking.cards.observations import TrackedTable
from companion.tracking.watch import SOURCE


@pytest.fixture
def service(tmp_path):
    """Four players, the stacks seeded; Aubrey has dealt."""
    header = new_header("rochi", tuple((name, 100) for name in NAMES[:4]), {})
    with TableService.open(tmp_path / "journal.sqlite", header, INSTALLED) as service:
        for seed in ("7D1", "6D1", "5D1", "7N1"):
            service.submit({"do": "seed", "card": seed}, source="dealer")
        service.submit({"do": "deal", "card": "7D2"}, source="dealer")
        yield service


def test_end_pressed_as_an_answer_says_the_same_folds_nobody(service):
    """The camera asks whose card came; END is pressed, and "Aubrey is done" before the camera has asked anew."""
    camera, since = RochiInterpreter(), 10.0
    for t in (9.0, 13.0):
        lying = (card("6N1", t=since),) if t > since else ()
        asked = camera.interpret(TrackedTable(t, lying), service.situation, {}).questions
    service.set_questions(SOURCE, asked)
    (question,) = service.view("dealer")["questions"]
    way = next(choice for choice in question["choices"] if choice["id"].startswith("end1+"))
    service.submit({"do": "end"}, source="dealer")
    with pytest.raises(NotYourTurn):
        service.answer(question["id"], way["id"], source="dealer", mark=way["mark"])
    written = [one["record"]["do"] for one in service.events(limit=100) if "do" in one["record"]]
    assert written.count("end") == 1
    assert not any(player.has_folded for player in service.situation.state.hand.players)
