"""View extensions: payments in chips, chances, settling up, turn timer, hold, practice."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from companion.kernel.errors import BadScript
from companion.service.settings import TableSettings
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header

PLAYERS = ("Ann", "Bo", "Cy")
SEEDS = ("3D1", "3D2", "7D1", "7D2", "6D1", "5D1")


class Clock:
    """A clock that advances by a second at each reading."""

    def __init__(self) -> None:
        self.now = datetime(2026, 5, 1, 20, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


@contextmanager
def rochi(path: Path, coins: int = 100, clock: Clock | None = None, **settings: Any) -> Iterator[TableService]:
    """A seeded hand of three; Realm is ripe."""
    header = new_header("rochi", tuple((name, coins) for name in PLAYERS))
    chosen = TableSettings(**settings)
    with TableService.open(path / "journal.db", header, INSTALLED, settings=chosen, clock=clock or Clock()) as service:
        if service.view()["to_seed"] == 6:
            for card in SEEDS:
                say(service, "seed", card=card)
        yield service


def say(service: TableService, verb: str, **fields: Any) -> None:
    service.submit({"do": verb, **fields}, source="test")


def stack(service: TableService, suit: int) -> dict[str, Any]:
    return next(stack for stack in service.view()["stacks"] if stack["suit"] == suit)


def test_payments_are_those_of_the_last_command_that_moved_coins(tmp_path):
    with rochi(tmp_path) as service:
        assert service.view()["payments"] == []
        say(service, "play", card="7D3")
        say(service, "end")
        assert service.view()["payments"] == [
            {"from": "Ann", "to": "pot/7", "coins": 3, "chips": [1, 1, 1], "in_chips": "1+1+1", "why": "buys Commons"}
            | {"reason": "buys {suit}"}
        ]
        say(service, "undo")
        say(service, "undo")
        assert service.view()["payments"] == []


@pytest.mark.parametrize(("chips", "counted"), [((1, 5, 10), "5+1+1"), ((1, 5, 25), "5+1+1"), ((1, 7), "7")])
def test_the_chips_are_the_table_s(tmp_path, chips, counted):
    with rochi(tmp_path, chips=chips) as service:
        for name, card in zip(PLAYERS, ("7D3", "7D4", "7D5"), strict=True):
            say(service, "play", card=card, player=name)
            say(service, "end")
        for card in ("7D6",):
            say(service, "play", card=card)
        assert service.view()["chips"] == list(chips)
        assert service.view()["payments"][0]["coins"] == 6
        service.set_settings(TableSettings(chips=(1, 2)))
        assert service.view()["payments"][0]["in_chips"] == "2+2+2"


def test_nobody_would_pay_more_than_he_has(tmp_path):
    with rochi(tmp_path, coins=2) as service:
        say(service, "play", card="3D3")  # Ann pays 2 for Realm, which is ripe
        say(service, "end")
        assert stack(service, 3)["if_cut"] == [{"player": "Bo", "coins": 2}]
        say(service, "deal", card="3N1")
        assert service.view()["payments"][-1]["coins"] == 2


def test_chances_are_shown_only_where_the_table_wants_them(tmp_path):
    with rochi(tmp_path) as service:
        assert service.view()["chances"] == []
        service.set_settings(TableSettings(chances=True))
        shown = {chance["suit"]: chance for chance in service.view()["chances"]}
        assert shown[3] == {"suit": 3, "probability": "1/12", "float": 1 / 12, "locks": True}
        assert shown[7]["probability"] == "0/1"


def test_settling_up_follows_the_coins(tmp_path):
    with rochi(tmp_path) as service:
        say(service, "play", card="3D3")
        say(service, "end")
        say(service, "deal", card="3N1")
        assert service.view()["settle_up"] == [{"from": "Bo", "to": "Ann", "coins": 3}]


def test_the_timer_runs_from_the_turn_s_beginning_and_survives_a_restart(tmp_path):
    clock = Clock()
    with rochi(tmp_path, clock=clock, turn_seconds=30) as service:
        first = service.view()["timer"]
        say(service, "play", card="7D3")
        assert service.view()["timer"] == first  # the same turn
        say(service, "end")
        second = service.view()["timer"]
        assert second["seconds"] == 30
        assert second["since"] > first["since"]
    with rochi(tmp_path, clock=clock, turn_seconds=30) as service:
        assert service.view()["timer"] == second
        service.set_settings(TableSettings())
        assert service.view()["timer"] is None


def test_a_pause_stops_the_timer_and_says_since_when(tmp_path):
    clock = Clock()
    with rochi(tmp_path, clock=clock, turn_seconds=30) as service:
        before = service.view()["timer"]["since"]
        assert service.view()["paused"] is None
        say(service, "hold", why="the pizza has come")
        paused = service.view()["paused"]
        assert paused["why"] == "the pizza has come"
        assert service.view()["timer"] is None
    with rochi(tmp_path, clock=clock, turn_seconds=30) as service:
        assert service.view()["paused"] == paused
        say(service, "release")
        assert service.view()["timer"]["since"] > before  # the turn begins again
        assert service.view()["paused"] is None


def test_a_correction_begins_pause_and_turn_anew_also_after_a_restart(tmp_path):
    clock = Clock()
    with rochi(tmp_path, clock=clock, turn_seconds=30) as service:
        say(service, "hold", why="the pizza has come")
        first = service.view()["paused"]
        say(service, "release")
        say(service, "undo")
        again = service.view()["paused"]
        assert again["since"] > first["since"]
    with rochi(tmp_path, clock=clock, turn_seconds=30) as service:
        assert service.view()["paused"] == again
        say(service, "redo")
        timer = service.view()["timer"]
        assert timer["since"] > again["since"]
    with rochi(tmp_path, clock=clock, turn_seconds=30) as service:
        assert service.view()["timer"] == timer


def test_nobody_s_turn_has_no_timer(tmp_path):
    with rochi(tmp_path, turn_seconds=30) as service:
        say(service, "fold")
        say(service, "fold")
        assert (service.view()["turn"], service.view()["timer"]) == (None, None)


def test_practice_is_off_at_a_serious_table(tmp_path):
    with rochi(tmp_path) as service:
        assert service.view()["practice"] is None
        service.set_settings(TableSettings(practice=True))
        assert service.view()["practice"].startswith("It is Ann's turn")


def test_what_the_next_card_will_be_is_collected_once_and_shown_until_it_lies_there(tmp_path):
    with rochi(tmp_path) as service:
        service.intend("play", source="panel")
        service.intend("deal", source="dealer")
        assert service.view("dealer")["intention"] == "deal"
        assert "intention" not in service.view("room")
        assert service.take_intentions() == (("play", "panel"), ("deal", "dealer"))
        assert service.take_intentions() == ()
        assert service.view("dealer")["intention"] == "deal"
        say(service, "deal", card="7N1")
        assert service.view("dealer")["intention"] is None


@pytest.mark.parametrize("game", ["roche", "rugen-house", "rugen-street", "rugen-capital"])
def test_every_other_game_has_them_too(tmp_path, game):
    header = new_header(game, (("Ann", 50), ("Bo", 50)))
    chosen = TableSettings(chances=True, practice=True, turn_seconds=30)
    with TableService.open(tmp_path / "journal.db", header, INSTALLED, settings=chosen, clock=Clock()) as service:
        view = service.view()
        assert (view["chances"], view["payments"], view["settle_up"], view["paused"]) == ([], [], [], None)
        assert view["practice"]


def test_an_intention_is_play_or_deal(tmp_path):
    with rochi(tmp_path) as service, pytest.raises(BadScript, match="played or dealt"):
        service.intend("fold", source="panel")
