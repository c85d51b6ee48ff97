"""Chips on the printed layout, from rendered pictures through the camera thread into the journal of a real table."""

import pytest
from chip_table import ChipTable, middle

from companion.kernel.errors import MayStillCount
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header
from companion.tracking.several import SeveralSights
from companion.tracking.sight import NoSight
from companion.tracking.watch import SOURCE, TableWatch
from companion.vision.frame import Frame


class Journaled(ChipTable):
    """The same mat at a table with a journal; it also acts as the watch's camera."""

    name, step_s = "mat", 0.2

    def sit(self, service: TableService) -> None:
        self.service = service
        self.watch = TableWatch(self, self.sight, service, clock=lambda: self.t)
        self.wait(2.2)

    def read(self, timeout_s: float) -> Frame:
        self.t, self.number = self.t + self.step_s, self.number + 1
        return Frame(self.picture(), self.t, self.number)

    def close(self) -> None: ...

    def wait(self, seconds: float) -> None:
        end = self.t + seconds
        while self.t < end:
            self.watch.turn(0)

    def do(self, **record) -> None:
        self.service.submit(record, source="dealer")
        self.wait(0.4)

    def kinds(self) -> list[str]:
        return [question["kind"] for question in self.service.view("dealer")["questions"]]

    def answer(self, kind: str, choice: str) -> None:
        question = next(one for one in self.service.view("dealer")["questions"] if one["kind"] == kind)
        self.service.answer(question["id"], choice, source="dealer")
        self.wait(0.6)

    def spin(self, pocket: str) -> None:
        """Close the bets and enter a pocket by hand; then pay, and confirm the chips on the layout as bets."""
        self.do(do="no-more-bets")
        self.do(do="spin", pocket=pocket)
        self.answer("paying", "stay")

    @property
    def bets(self) -> dict[tuple[str, str], int]:
        return {(bet["player"], bet["on"]): bet["amount"] for bet in self.service.view()["bets"]}

    def written(self) -> list[tuple[str, int]]:
        """Return the camera's bets in the journal as (spot, coins)."""
        records = [one["record"] for one in self.service.events(limit=1000) if one["source"] == SOURCE]
        return [(record["on"], record["amount"]) for record in records if record.get("do") == "bet"]


@pytest.fixture
def table(tmp_path):
    made = Journaled()
    header = new_header("roulette", made.players, {"wheel": made.wheel})
    with TableService.open(tmp_path / "journal.sqlite", header, INSTALLED) as service:
        made.sit(service)
        yield made


@pytest.mark.thorough
def test_chips_that_stay_on_the_layout_are_bet_in_every_round(table):
    """The same chip on the same spot is another bet once the dealer has paid and confirmed it."""
    x, y = middle(14)
    table.lay("C1-5", (x, y))
    table.lay("C2-5", (x, y - 27))
    for number in (1, 2, 3):
        assert table.bets == {("Ann", "straight/14"): 5, ("Bo", "split/14/15"): 5}
        assert sorted(table.written()) == [("split/14/15", 5)] * number + [("straight/14", 5)] * number
        table.spin("14")
    assert table.kinds() == []


def test_a_table_that_starts_anew_bets_a_chip_that_stays_once_a_round(table):
    table.lay("C1-5", middle(14))
    table.sight = type(table.sight)()
    table.sit(table.service)
    assert table.written() == [("straight/14", 5)]
    table.spin("14")
    assert (table.bets, table.written()) == ({("Ann", "straight/14"): 5}, [("straight/14", 5)] * 2)


class Slow:
    """A table that plays the next command but answers too late."""

    def __init__(self, service: TableService) -> None:
        self._service, self.is_slow = service, True

    def __getattr__(self, name: str):
        return getattr(self._service, name)

    def submit(self, record, **more):
        self._service.submit(record, **more)
        if self.is_slow:
            self.is_slow = False
            raise MayStillCount("The table did not answer. Look before trying again.")


@pytest.mark.thorough
def test_a_bet_that_was_not_answered_in_time_is_played_once(table):
    """Another chip is bet before the retry."""
    slow = Slow(table.service)
    table.watch = TableWatch(table, table.sight, slow, clock=lambda: table.t)
    table.lay("C1-5", middle(14))
    table.lay("C2-5", middle(20))
    table.wait(4.0)
    assert not slow.is_slow
    assert table.bets == {("Ann", "straight/14"): 5, ("Bo", "straight/20"): 5}
    assert (len(table.written()), table.kinds()) == (2, [])
    table.spin("14")
    assert table.bets == {("Ann", "straight/14"): 5, ("Bo", "straight/20"): 5}


@pytest.mark.thorough
def test_a_chip_beside_one_whose_bet_was_not_answered_in_time_adds_its_own_coins(table):
    table.watch = TableWatch(table, table.sight, Slow(table.service), clock=lambda: table.t)
    x, y = middle(20)
    table.lay("C2-25", (x, y - 10))
    table.lay("C2-5", (x, y + 17))
    table.wait(4.0)
    assert (table.bets, table.written()) == ({("Bo", "straight/20"): 30}, [("straight/20", 25), ("straight/20", 5)])


class LastMoment:
    """A table at which a question is answered just before the camera replaces it."""

    def __init__(self, service: TableService) -> None:
        self._service = service

    def __getattr__(self, name: str):
        return getattr(self._service, name)

    def set_questions(self, source, questions, **seen):
        for question in self._service.view("dealer")["questions"]:
            if questions and question["id"] not in {one.id for one in questions}:
                self._service.answer(question["id"], "all", source="dealer")
        self._service.set_questions(source, questions, **seen)


@pytest.mark.thorough
def test_a_stack_that_grows_while_the_dealer_answers_is_not_bet_twice(table):
    """The answer was about the two earlier chips; with the wheel's sight in parallel, it was lost."""
    sights = SeveralSights(table.sight, NoSight())
    table.watch = TableWatch(table, sights, LastMoment(table.service), clock=lambda: table.t)
    x, y = middle(20)
    table.lay("C2-25", (x, y - 10))
    table.lay("C2-5", (x + 3, y - 12), 100)
    assert table.kinds() == ["stack"]
    table.lay("C2-1", (x, y + 17))
    table.wait(1.0)
    assert (table.bets, table.kinds()) == ({("Bo", "straight/20"): 31}, [])


@pytest.mark.thorough
def test_a_chip_that_stays_but_cannot_be_paid_is_asked_about_until_it_is_gone(table):
    table.lay("C1-100", middle(14))
    assert table.bets == {("Ann", "straight/14"): 100}
    table.spin("20")
    assert (table.bets, table.kinds()) == ({}, ["refused"])
    for _ in range(30):
        table.wait(0.2)
        assert table.kinds() == ["refused"], "not for a picture only each time it is tried again"
    table.do(do="buy-in", player="Ann", coins=100)
    table.wait(4.0)
    assert (table.bets, table.kinds()) == ({("Ann", "straight/14"): 100}, [])


@pytest.mark.thorough
def test_a_chip_beside_one_that_was_taken_back_is_bet_again(table):
    """The dealer can only take back both; the remaining one is a bet."""
    x, y = middle(20)
    table.lay("C2-25", (x, y - 10))
    table.lay("C2-5", (x, y + 17))
    assert table.bets == {("Bo", "straight/20"): 30}
    table.take("C2-5")
    table.answer("taken-up", "back")
    table.wait(1.0)
    assert (table.bets, table.kinds()) == ({("Bo", "straight/20"): 25}, [])


def test_a_chip_that_was_no_bet_is_asked_about_after_the_next_spin(table):
    table.lay("C1-5", middle(14))
    table.do(do="take-back", player="Ann", on="straight/14")
    table.wait(1.0)
    assert (table.bets, table.kinds()) == ({}, [])
    table.spin("20")
    assert (table.bets, table.kinds()) == ({("Ann", "straight/14"): 5}, [])


def test_a_bet_by_phone_with_the_spin_is_not_taken_for_that_of_a_chip_that_stays(table):
    """Both came between two pictures."""
    table.lay("C1-5", middle(14))
    table.do(do="no-more-bets")
    table.service.submit({"do": "spin", "pocket": "20"}, source="dealer")
    table.service.submit({"do": "bet", "player": "Ann", "on": "straight/14", "amount": 7}, source="phone")
    table.wait(0.4)
    table.answer("paying", "stay")
    assert (table.bets, table.kinds()) == ({("Ann", "straight/14"): 12}, [])
