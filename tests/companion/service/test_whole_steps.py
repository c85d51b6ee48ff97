"""Commands given as one step are undone and redone by one press, and count only for the round they were meant for."""

from collections.abc import Callable, Mapping, Sequence

import pytest

from companion.journal.replay import dumps
from companion.kernel.commands import Record
from companion.kernel.errors import BadScript, Outdated, TableError
from companion.service.committing.jobs import Job
from companion.service.table_service import TableService
from companion.testing import new_header

NAMES = ("Ann", "Bo", "Cy", "Dee")
RULE = {"do": "rule", "player": "Ann", "text": "Odd ones pay", "one": [1, 3], "two": 5}
GUESS = {"do": "guess", "player": "Ann", "range": "0-1"}
BET = {"do": "bet", "player": "Bo", "space": 3}
BONUS = {"do": "use-bonus", "player": "Bo"}
TOO = {"follows": True}
"""Sealed together with the command before."""


@pytest.fixture
def king(start: Callable[..., TableService]) -> TableService:
    """Ann is the king of the first round, and Bo has a bonus."""
    service = start(new_header("king-of-roulette", tuple((name, 9) for name in NAMES)))
    give(service, *({"do": "vote", "player": name, "for": "Ann"} for name in NAMES))
    give(service, {"do": "buy-bonus", "player": "Bo"})
    return service


def give(service: TableService, *records: Mapping[str, object]) -> None:
    for record in records:
        service.submit(record, source="test")


def correct(service: TableService, verb: str, **how: object) -> None:
    service.submit({"do": verb, "whole": True, **how}, source="dealer", after=service.view()["seq"])


@pytest.mark.parametrize(
    "sealed",
    [
        (RULE, {**GUESS, **TOO}, {**GUESS, **TOO}),
        (RULE, {**GUESS, **TOO}, {**BONUS, "player": "Ann", **TOO}),
        (BET, {**BET, **TOO}),
        (BET, {**BONUS, **TOO}),
        (RULE,),
        (BET,),
    ],
)
def test_one_press_takes_back_what_one_press_sealed(king: TableService, sealed: Sequence[Mapping[str, object]]) -> None:
    give(king, {"do": "buy-bonus", "player": "Ann"})
    before = king.view()
    give(king, *sealed)
    after = king.view()
    correct(king, "undo")
    undone = king.view()
    same = ("ready", "waiting", "commands", "undo", "players")
    assert [undone[name] for name in same] == [before[name] for name in same]
    correct(king, "redo")
    again = king.view()
    assert [again[name] for name in (*same, "redo")] == [after[name] for name in (*same, "redo")]


@pytest.mark.parametrize("more", [{}, TOO])
def test_two_players_choices_are_two_steps(king: TableService, more: Mapping[str, object]) -> None:
    """Also where another's came in between two that were sealed together."""
    give(king, {**BET, "player": "Cy"}, {**BET, **more})
    correct(king, "undo")
    assert king.view()["ready"]["bets"] == ["Cy"]


@pytest.mark.parametrize("user", ["Bo", "Cy"])
def test_of_what_no_page_sealed_one_press_takes_back_one_command(king: TableService, user: str) -> None:
    """An undo that took the last bet back as well would tell that the bonus is its player's."""
    give(king, {"do": "buy-bonus", "player": "Cy"}, {**BET, "player": "Cy"}, BET, {"do": "use-bonus", "player": user})
    correct(king, "undo")
    assert king.view()["ready"]["bets"] == ["Bo", "Cy"]
    correct(king, "redo")
    assert king.view(f"seat/{NAMES.index(user) + 1}")["secrets"]["uses_bonus"] is True


def test_an_undo_that_does_not_ask_for_a_step_takes_back_one_command(king: TableService) -> None:
    give(king, BET, {**BET, **TOO})
    king.submit({"do": "undo"}, source="dealer")
    assert king.view()["ready"]["bets"] == ["Bo"]


def test_an_undo_of_one_command_that_is_named_takes_back_no_other(king: TableService) -> None:
    give(king, BET, {**BET, **TOO})
    correct(king, "undo", only={"number": king.view()["commands"]})
    assert king.view()["ready"]["bets"] == ["Bo"]
    with pytest.raises(TableError) as refused:
        correct(king, "undo", only={"number": 1})
    assert refused.value.code == "nothing-done"
    assert king.view()["ready"]["bets"] == ["Bo"]


@pytest.mark.parametrize("record", [GUESS, BET, BONUS])
@pytest.mark.parametrize("follows", [1, "true", None])
def test_a_choice_follows_the_one_before_or_not(king: TableService, record: Record, follows: object) -> None:
    """Treated as false, one press would take back half of what was sealed together."""
    before = king.view()["commands"]
    with pytest.raises(BadScript, match="'follows' is true or false"):
        king.submit({**record, "follows": follows}, source="dealer")
    assert king.view()["commands"] == before


def test_in_other_games_a_step_is_a_command(start: Callable[..., TableService]) -> None:
    service = start(new_header("roulette", (("Ann", 100),)))
    for _ in range(2):
        give(service, {"do": "bet", "player": "Ann", "on": "red", "amount": 5})
    correct(service, "undo")
    assert service.view()["staked"] == 5
    correct(service, "undo")
    with pytest.raises(TableError) as refused:
        correct(service, "undo")
    assert refused.value.code == "nothing-done"


def test_a_press_that_came_twice_counts_once(king: TableService) -> None:
    give(king, {**BET, "player": "Cy"}, BET, {**BET, **TOO})
    for _ in range(2):
        king.submit({"do": "undo", "whole": True}, source="dealer", key="one press")
    assert king.view()["ready"]["bets"] == ["Cy"]


@pytest.mark.parametrize("verb", ["undo", "redo"])
@pytest.mark.parametrize("whole", [1, 0, "true", [True]])
def test_a_step_is_whole_or_not(king: TableService, verb: str, whole: object) -> None:
    """Treated as false, it would undo half of what one press has sealed."""
    before = king.view()["commands"]
    with pytest.raises(BadScript, match=f"'whole' of '{verb}' is true or false"):
        king.submit({"do": verb, "whole": whole}, source="dealer")
    king.submit({"do": "undo", "whole": None}, source="dealer")
    king.submit({"do": "redo", "whole": False}, source="dealer")
    assert king.view()["commands"] == before


# ---- while others do the same


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
    """Bo's bet completed the round, and the reveal overtook the bonus sealed together with it."""
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


@pytest.mark.parametrize("is_one_commit", [False, True])
def test_a_vote_is_not_taken_for_another_ballot_than_it_was_meant_for(
    start: Callable[..., TableService], is_one_commit: bool
) -> None:
    """Ann changes her vote too late: the last vote had already tied the ballot."""
    service = start(new_header("king-of-roulette", tuple((name, 9) for name in NAMES)))
    give(service, *({"do": "vote", "player": name, "for": name} for name in NAMES[:3]))
    seen = service.view()["seq"]
    last = Job("command", '{"do": "vote", "player": "Dee", "for": "Dee"}', "seat/4", after=seen)
    late = Job("command", '{"do": "vote", "player": "Ann", "for": "Bo"}', "seat/1", after=seen)
    if is_one_commit:
        service._queue(last, late)
    else:
        service._queue(last)
        last.future.result(5)
        service._queue(late)
    with pytest.raises(Outdated):
        late.future.result(5)
    assert (service.view()["vote_tied"], service.view()["voted"]) == (True, [])
    service.submit({"do": "vote", "player": "Ann", "for": "Bo"}, source="seat/1", after=service.view()["seq"])
    assert service.view()["voted"] == ["Ann"]
