"""A misdeal: the current hand is undone entirely, in one commit, and the journal says why."""

from collections.abc import Callable

import pytest
from service_words import code, coins, do

from companion.journal.store import JournalError
from companion.kernel.errors import NotSaved, TableError
from companion.service.table_service import TableService
from companion.testing import new_header

Start = Callable[..., TableService]
THREE = new_header("holdem", (("Ann", 1000), ("Bo", 1000), ("Cy", 1000)), {})
RICH = {"Ann": 1000, "Bo": 1000, "Cy": 1000}


@pytest.fixture
def holdem(start: Start) -> TableService:
    """One hand has been played (Bo won Ann's 25), and in the second Bo has raised."""
    service = start(THREE)
    _begin(service, "Ann", "Bo", "Cy")
    do(service, "fold", "fold")
    _begin(service, "Bo", "Cy", "Ann")
    service.submit({"do": "raise", "player": "Ann", "to": 200}, source="seat/1")
    return service


def _begin(service: TableService, *players: str) -> None:
    do(service, "post")
    for player in players:
        service.submit({"do": "hole", "player": player}, source="camera")


def misdeal(service: TableService, key: str | None = None) -> int:
    return service.submit({"do": "misdeal"}, source="panel", key=key).seq


def test_all_of_the_hand_is_taken_back_and_nothing_of_the_one_before(holdem: TableService) -> None:
    misdeal(holdem)
    view = holdem.view()
    assert (view["phase"], view["hand"], view["rounds"]) == ("ready", 1, 1)
    assert coins(holdem) == {**RICH, "Ann": 975, "Bo": 1025}


def test_the_journal_has_plain_undos_and_says_that_it_was_a_misdeal(holdem: TableService) -> None:
    before = holdem.view()["seq"]
    misdeal(holdem)
    *undos, notice = holdem.events(before, 100)
    assert [entry["record"] for entry in undos] == [{"do": "undo", "note": "misdeal"}] * 5
    assert (notice["kind"], notice["source"]) == ("notice", "panel")
    assert notice["record"]["text"].startswith("Misdeal: the hand was taken back")
    assert notice["record"]["data"] == {"misdeal": 5}


def test_it_can_be_done_again_step_by_step(holdem: TableService) -> None:
    before = holdem.view()
    misdeal(holdem)
    do(holdem, *["redo"] * 5)
    assert {"players": before["players"], "turn": before["turn"]} == {
        "players": holdem.view()["players"],
        "turn": holdem.view()["turn"],
    }


def test_after_a_restart_the_hand_is_still_taken_back(start: Start, holdem: TableService) -> None:
    misdeal(holdem)
    assert coins(start(THREE)) == {**RICH, "Ann": 975, "Bo": 1025}


def test_the_same_key_again_takes_no_other_hand_back(holdem: TableService) -> None:
    first = misdeal(holdem, key="k1")
    _begin(holdem, "Bo", "Cy", "Ann")
    assert misdeal(holdem, key="k1") == first
    assert holdem.view()["phase"] == "preflop"


def test_a_hand_that_cannot_be_taken_back_on_the_disk_is_not_taken_back(
    holdem: TableService, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {**holdem.view(), "version": 0}

    def full(drafts: object) -> None:
        raise JournalError("The disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr(holdem._files.journal, "append", full)
        with pytest.raises(NotSaved):
            misdeal(holdem)
    after = {**holdem.view(), "version": 0}
    assert after.pop("journal")["state"] == "unsaved"
    assert {**after, "trouble": None} == before
    misdeal(holdem)
    assert holdem.view()["hand"] == 1


@pytest.mark.parametrize("first", [["undo"] * 5, ["hold"]], ids=["between hands", "on hold"])
def test_where_no_hand_is_under_way_or_the_table_is_held_it_is_refused(holdem: TableService, first: list[str]) -> None:
    do(holdem, *first)
    before = holdem.view()["seq"]
    with pytest.raises(TableError) as error:
        misdeal(holdem)
    assert (code(error), holdem.view()["seq"]) == ("wrong-phase", before)


def test_what_was_staked_and_settled_in_another_game_has_no_misdeal(service: TableService) -> None:
    do(service, "bet Ann cut/2 10")
    with pytest.raises(TableError) as error:
        misdeal(service)
    assert (code(error), coins(service)) == ("unknown-verb", {"Ann": 90, "Bo": 50})
