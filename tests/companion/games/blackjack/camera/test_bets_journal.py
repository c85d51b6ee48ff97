"""Chips in the bet boxes, through the camera thread and `CardSight` into the journal of a real table."""

import pytest
from blackjack_journal import JournaledFilm
from blackjack_table import bets, dealers, spot

from companion.games.blackjack.mats.zones import MAT
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header
from companion.tracking.watch import SOURCE, TableWatch

COINS = 300
LINE = (MAT.zones["insurance"].x + 300.0, MAT.zones["insurance"].y + 15.0)


class Journaled(JournaledFilm):
    """A journaled film with bets in chips."""

    def pay(self, answer: str = "stay") -> None:
        (question,) = self.service.view("dealer")["questions"]
        self.service.answer(question["id"], answer, source="dealer")
        self.wait(4)

    @property
    def staked(self) -> dict[str, int]:
        return {box.player: box.hands[0].amount for box in self.state.boxes}

    def written(self) -> list[tuple[str, int]]:
        """Return the camera's bets in the journal."""
        records = [one["record"] for one in self.service.events(limit=1000) if one["source"] == SOURCE]
        return [(record["player"], record["amount"]) for record in records if record.get("do") == "bet"]

    def round(self, up: str = "5C") -> None:
        """Deal a round in which Ann stands on 19 against the dealer's 19, as far as possible."""
        self.lay("TS", spot(1))
        self.lay(up, dealers(0))
        self.lay("9D", spot(1, 0, 1))
        self.hole = self.lay(None, dealers(1))


@pytest.fixture
def film(tmp_path):
    film = Journaled()
    header = new_header("blackjack", tuple((name, COINS) for name in film.names), {})
    with TableService.open(tmp_path / "journal.sqlite", header, INSTALLED) as service:
        film.sit(service)
        yield film


def end_round(film: Journaled) -> None:
    film.round("TC")
    film.do("stand")
    film.turn("9S")
    film.clear()


def test_chips_that_stay_in_the_boxes_are_bet_in_every_round(film):
    """After a push the chip stays; once the dealer has paid and confirmed it, it is the next round's bet."""
    film.chip("C1-100", bets(1))
    for number in (1, 2, 3):
        assert (film.staked, film.written()) == ({"Ann": 100}, [("Ann", 100)] * number)
        end_round(film)
        assert film.kinds() == ["paying"]
        film.pay()
    assert film.kinds() == []


def test_chips_that_were_no_bets_are_asked_about_after_the_next_round(film):
    film.chip("C1-100", bets(1))
    film.chip("C2-100", bets(2))
    film.do("take-back", player="Bo")
    end_round(film)
    film.pay()
    assert film.staked == {"Ann": 100, "Bo": 100}


def test_a_chip_that_is_not_there_under_another_is_no_bet_in_the_next_round_either(film):
    below = film.chip("C1-25", bets(1), wait=0)
    film.chip("C1-100", bets(1), over=below)
    (question,) = film.service.view("dealer")["questions"]
    film.service.answer(question["id"], "top", source="dealer")
    film.wait(3)
    end_round(film)
    film.pay()
    assert (film.staked, film.kinds()) == ({"Ann": 100}, [])


def test_insurance_that_cannot_be_paid_is_asked_about_until_it_can(film):
    film.chip("C1-100", bets(1))
    film.do("cash-out", player="Ann")
    film.round("AC")
    film.chip("C1-25", LINE)
    film.chip("C1-25", (LINE[0] + 32, LINE[1]))
    for _ in range(10):
        film.wait(1)
        assert film.kinds() == ["refused"]
    assert not film.state.boxes[0].insured
    film.do("buy-in", player="Ann", coins=50)
    film.wait(8)
    assert (film.state.boxes[0].insured, film.kinds()) == (50, [])


def test_a_chip_that_stays_is_bet_whenever_the_answer_about_another_comes(film):
    """The answer comes while the camera waits for a picture: the bet is gone, and the camera does not know why."""
    film.chip("C1-100", bets(1))
    gone = film.chip("C1-25", (bets(1)[0] + 15, bets(1)[1]))
    film.take_chip(gone)
    (question,) = film.service.view("dealer")["questions"]
    read, answers = film.read, [(question["id"], "back")]

    def answered(asked):
        if answers:
            film.service.answer(*answers.pop(), source="dealer")
        return read(asked)

    film.read = answered
    film.wait(6)
    assert (film.staked, film.kinds()) == ({"Ann": 100}, [])


class Faster:
    """A table at which a card is entered by hand just before the camera's command."""

    def __init__(self, service: TableService, record) -> None:
        self._service, self._record = service, record

    def __getattr__(self, name: str):
        return getattr(self._service, name)

    def submit(self, record, **more):
        if self._record is not None and record["do"] == self._record["do"]:
            first, self._record = self._record, None
            self._service.submit(first, source="dealer")
        return self._service.submit(record, **more)


def test_a_card_that_is_entered_while_the_camera_proposes_it_is_drawn_once(film):
    """With two decks, which have each card twice, the rules alone would accept it twice."""
    film.chip("C1-100", bets(1))
    for card, at in (("2S", spot(1)), ("TC", dealers(0)), ("3D", spot(1, 0, 1)), (None, dealers(1))):
        film.lay(card, at)
    film.watch = TableWatch(film, film.sight, Faster(film.service, {"do": "hit", "card": "4H"}), clock=lambda: film.t)
    film.lay("4H", spot(1, 0, 2))
    film.wait(5)
    assert (film.state.boxes[0].hands[0].cards, film.kinds()) == (("2S", "3D", "4H"), [])
