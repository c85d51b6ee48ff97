"""What one press seals while others do the same counts for the round that it was meant for, or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from companion.journal.replay import dumps
from companion.kernel.errors import Outdated
from companion.service.jobs import Job
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header

NAMES = ("Ann", "Bo", "Cy", "Dee")
RULE = {"do": "rule", "text": "Odd ones pay", "one": [1, 3], "two": 5}
GUESS = {"do": "guess", "range": "0-1"}
BET = {"do": "bet", "player": "Bo", "space": 3}
BONUS = {"do": "use-bonus", "player": "Bo"}


@pytest.fixture
def king(tmp_path: Path) -> Iterator[TableService]:
    """Ann is the king of the first round, and Bo has a bonus."""
    header = new_header("king-of-roulette", tuple((name, 9) for name in NAMES))
    with TableService.open(tmp_path / "journal", header, INSTALLED) as service:
        give(service, *({"do": "vote", "player": name, "for": "Ann"} for name in NAMES))
        give(service, {"do": "buy-bonus", "player": "Bo"})
        yield service


def give(service: TableService, *records: Mapping[str, object]) -> None:
    for record in records:
        service.submit(record, source="test")


def test_what_others_seal_is_nothing_that_came_in_between_for_a_secret_and_is_for_all_else(king: TableService) -> None:
    seen = king.view()["seq"]
    give(king, {**BET, "player": "Cy"})
    king.submit(BET, source="seat/2", after=seen)
    king.submit(BONUS, source="seat/2", after=seen)
    with pytest.raises(Outdated):
        king.submit({"do": "buy-bonus", "player": "Dee"}, source="seat/4", after=seen)
    assert king.view("seat/2")["secrets"]["uses_bonus"] is True


@pytest.mark.parametrize("is_one_commit", [False, True])
def test_a_secret_is_not_taken_for_another_round_than_it_was_meant_for(king: TableService, is_one_commit: bool) -> None:
    """Bo's bet made the round complete, and the reveal overtook the bonus that was sealed with it."""
    give(king, RULE, GUESS, {"do": "bet", "player": "Cy", "space": "king"}, {"do": "bet", "player": "Dee", "space": 2})
    seen = king.view()["seq"]
    reveal, bonus = Job("command", '{"do": "reveal"}', "dealer"), Job("command", dumps(BONUS), "seat/2", after=seen)
    king.submit(BET, source="seat/2", after=seen)
    if is_one_commit:
        king._queue(reveal, bonus)
    else:
        king._queue(reveal)
        reveal.future.result(5)
        king._queue(bonus)
    with pytest.raises(Outdated):
        bonus.future.result(5)
    assert (king.view()["round"], king.view()["bonuses"]["Bo"]) == (2, 1)
    assert king.view("seat/2")["secrets"]["uses_bonus"] is False


def test_a_secret_that_was_meant_for_a_table_before_an_undo_is_not_taken(king: TableService) -> None:
    give(king, RULE)
    seen = king.view()["seq"]
    king.submit({"do": "undo"}, source="dealer")
    with pytest.raises(Outdated):
        king.submit(GUESS, source="seat/1", after=seen)
    king.submit(GUESS, source="seat/1", after=king.view()["seq"])
    assert king.view()["ready"]["guess"] is True
