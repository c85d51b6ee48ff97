"""``/api/v1/game``: changing the game, and planning the night."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from webclient import FakeDemo, command, csrf_of
from webhouse import changer_of

from companion.config.file import load_config
from companion.kernel.errors import NoAnswer
from companion.service.table_service import TableService
from companion.testing import INSTALLED
from web_ui import AccessStore, create_app

BET = {"do": "bet", "player": "Aubrey", "on": "cut/2", "amount": 10}


@pytest.fixture
def app(service: TableService, access: AccessStore, tmp_path: Path) -> Flask:
    return create_app(service, access=access, changer=changer_of(service, tmp_path), test_config={"TESTING": True})


def post(client: FlaskClient, what: Any, path: str = "", **headers: str) -> Any:
    token = {"X-CSRFToken": csrf_of(client, "/"), **headers}
    return client.post(f"/api/v1/game{path}", json=what, headers=token)


def offers(client: FlaskClient) -> dict[str, Any]:
    return dict(client.get("/api/v1/game").get_json())


def test_only_the_dealer_changes_the_game(room: FlaskClient, phone: FlaskClient, service: TableService) -> None:
    """The room and phones may neither change the game or the plan nor see the offers."""
    for client in (room, phone):
        assert client.get("/api/v1/game").status_code == 401
        assert post(client, {"game": "roulette"}).status_code == 401
        assert post(client, {"plan": []}, "/plan").status_code == 401
    assert service.session == 1


def test_a_change_with_settings_for_this_time(dealer: FlaskClient, service: TableService, tmp_path: Path) -> None:
    """The form's settings apply to this session; the configuration is unchanged."""
    answer = post(dealer, {"game": "roulette", "changes": {"roulette.wheel": "american", "table.max": 30}})
    assert answer.get_json() == {"game": "roulette", "session": 2, "seq": 3}
    assert (service.options["wheel"], service.options["max"]) == ("american", 30)
    assert not (tmp_path / "companion.toml").exists()


@pytest.mark.parametrize(
    ("what", "status", "words"),
    [
        ({"game": "poker"}, 409, "There is no game 'poker' here"),
        ({"game": "roulette", "changes": {"camera.source": "/etc/passwd"}}, 409, "'camera.source' cannot be set"),
        ({"game": "roulette", "changes": {"roulette.wheel": "martian"}}, 409, "martian"),
        ({"game": "roche", "changes": {"table.paytable": {"cut": {}}}}, 409, "cannot be set"),
        ({"game": 3}, 400, "A change is"),
        ({"place": 0}, 409, "The plan has changed"),
        ({"place": 0, "game": 3}, 400, "A change is"),
        ({"back": True}, 409, "Something was played since"),
    ],
)
def test_what_cannot_be_played_changes_nothing(
    dealer: FlaskClient, service: TableService, what: Any, status: int, words: str
) -> None:
    """A clear refusal, and the old game continues."""
    answer = post(dealer, what)
    assert answer.status_code == status
    assert words in answer.get_json()["message"]
    assert service.session == 1


def test_what_a_demo_table_takes_back_is_said_before(service: TableService, tmp_path: Path) -> None:
    """Bets of phones went with those of the simulated players, and nobody had been told."""
    table = changer_of(service, tmp_path)
    demo = replace(table, demo=FakeDemo)
    assert demo.offers()["takes_back"] is None
    service.submit(BET, source="seat/1")
    told = demo.offers()
    assert (told["refused"], told["takes_back"]) == (
        None, "The demo table takes back what is not decided, before the game changes: 10 coins are staked.",
    )  # fmt: skip
    assert table.offers()["takes_back"] is None


def test_with_how_many_coins_a_game_of_its_own_begins_is_offered(dealer: FlaskClient) -> None:
    buy_ins = {one["id"]: one["buy_in"] for one in offers(dealer)["games"]}
    assert {game: coins for game, coins in buy_ins.items() if coins} == {
        "holdem-tournament": 2000,
        "king-of-roulette": 6,
    }


def test_a_bet_on_the_table_is_in_the_way(dealer: FlaskClient, service: TableService) -> None:
    """The offers give the reason in advance, and the change itself is refused with a remedy."""
    command(dealer, BET)
    told = offers(dealer)["refused"]
    assert "First settle the round or take the bets back, then change the game." in told
    answer = post(dealer, {"game": "roulette"})
    assert (answer.status_code, answer.get_json()["message"]) == (409, told)
    assert answer.get_json()["code"] == "wrong-phase"


def test_refusals_are_said_in_the_pages_language(dealer: FlaskClient) -> None:
    """For a game that does not fit the players, and for a round in progress."""
    dealer.set_cookie("language", "de")
    command(dealer, BET)
    told = offers(dealer)
    assert "dann das Spiel wechseln" in told["refused"]
    rochi = next(game for game in told["games"] if game["id"] == "rochi")
    assert rochi["refused"] == "Rochi ist für 3 bis 6 Personen, hier sind 2. Zu zweit Kapitäns-Rochi spielen."
    assert told["texts"]["key_roulette_wheel"] == "Kessel"


def test_phones_and_dealer_stay_logged_in(dealer: FlaskClient, phone: FlaskClient) -> None:
    """The same cookies open the new game's pages."""
    post(dealer, {"game": "roulette"})
    assert "roulette/dealer.js" in dealer.get("/dealer").get_data(as_text=True)
    assert "roulette/seat.js" in phone.get("/seat/1").get_data(as_text=True)
    bet = {"do": "bet", "on": "red", "amount": 5}
    assert command(phone, bet, "/seat/1", **{"as": "seat/1"}).status_code == 200


def test_a_page_of_the_game_before_is_told(phone: FlaskClient, service: TableService, dealer: FlaskClient) -> None:
    """A bet from a page of another session is refused."""
    post(dealer, {"game": "rugen-house"})
    bet = {"do": "bet", "on": "day/3", "amount": 6}
    headers = {"X-CSRFToken": csrf_of(phone, "/seat/1"), "Table-Session": "1"}
    answer = phone.post("/api/v1/commands?as=seat/1", json=bet, headers=headers)
    assert (answer.status_code, answer.get_json()["code"]) == (409, "wrong-phase")
    headers["Table-Session"] = "2"
    assert phone.post("/api/v1/commands?as=seat/1", json=bet, headers=headers).status_code == 200
    headers["Table-Session"] = "two"
    assert phone.post("/api/v1/commands?as=seat/1", json=bet, headers=headers).status_code == 400


def test_a_wrong_setting_is_named_without_a_line_of_a_file(dealer: FlaskClient) -> None:
    """The dealer typed it into the sheet: no file has it."""
    changes = {"table.min": 10, "table.bank": 5000}
    said = post(dealer, {"game": "blackjack", "changes": changes}).get_json()["message"]
    assert said.startswith("Half a stake is rounded down, so bets below 12 leave the players an edge.")


def test_a_game_is_offered_to_those_who_sit_here_and_not_to_those_of_the_file(
    dealer: FlaskClient, service: TableService, tmp_path: Path
) -> None:
    """Whoever the file seats at the first start has no say: three were too many for a game for two, and the reason
    named a line of the file."""
    names = "".join(f'[[players]]\nname = "{name}"\n' for name in ("Ann", "Bo", "Cy"))
    (tmp_path / "companion.toml").write_text(names)
    offers = {one["id"]: one["refused"] for one in dealer.get("/api/v1/game").get_json()["games"]}
    assert (len(service.view()["players"]), offers["captains"]) == (2, None)
    assert post(dealer, {"game": "captains"}).status_code == 200
    assert service.view()["game"] == "captains"


def test_a_game_in_which_nothing_could_be_bet_is_refused(dealer: FlaskClient, service: TableService) -> None:
    """A bank of 500 pays at most 50, and blackjack's minimum bet of 50 could win 75."""
    answer = post(dealer, {"game": "blackjack", "changes": {"table.bank": 500}})
    assert answer.status_code == 409
    assert answer.get_json()["message"] == (
        "Nothing could be bet: the least bet, 50, could win 75, and the limits do not allow that. Raise the bank or "
        "the maximum payout, or lower the minimum bet."
    )
    assert service.session == 1
    assert post(dealer, {"game": "blackjack", "changes": {"table.bank": 800}}).status_code == 200


def test_back_with_the_settings_that_it_had(dealer: FlaskClient, service: TableService) -> None:
    """Until something is played, changing back restores game and options; afterwards it is not offered."""
    post(dealer, {"game": "roche", "changes": {"table.layout": "grand"}})
    post(dealer, {"game": "roulette"})
    assert offers(dealer)["back"] == "roche"
    post(dealer, {"back": True})
    assert (service.header.game, service.options["layout"]) == ("roche", "grand")
    command(dealer, BET)
    assert offers(dealer)["back"] is None


def test_the_plan_is_written_and_kept(dealer: FlaskClient, tmp_path: Path, service: TableService) -> None:
    """In the configuration, with the comments there; a planned game keeps the settings that the file has for it."""
    path = tmp_path / "companion.toml"
    path.write_text('# ours\n[[night]]\ngame = "roulette"\nat = "20:00"\noptions = { wheel = "american" }\n')
    rows = [{"game": "roche", "at": "19:00"}, {"game": "roulette", "at": "20:30"}, {"game": "roche", "minutes": 45}]
    answer = post(dealer, {"plan": rows}, "/plan")
    assert answer.get_json() == {"plan": rows}
    assert offers(dealer)["plan"] == rows
    config, _ = load_config(path, INSTALLED)
    assert config.night[1].options == {"wheel": "american"}
    assert path.read_text().startswith("# ours")
    post(dealer, {"place": 1})
    assert (service.header.game, service.options["wheel"]) == ("roulette", "american")
    assert post(dealer, {"plan": []}, "/plan").get_json() == {"plan": []}


def test_each_game_of_the_plan_keeps_its_own_settings(dealer: FlaskClient, tmp_path: Path) -> None:
    """Regression: with the same game planned twice at different prices, saving gave both the last one's."""
    path = tmp_path / "companion.toml"
    path.write_text(
        '[[night]]\ngame = "roulette"\nat = "20:00"\noptions = { wheel = "american" }\n'
        '[[night]]\ngame = "roche"\nat = "21:00"\n'
        '[[night]]\ngame = "roulette"\nat = "22:00"\noptions = { zero_rule = "none" }\n'
        '[[night]]\ngame = "roulette"\nminutes = 60\n'
    )
    rows = offers(dealer)["plan"]
    assert post(dealer, {"plan": rows}, "/plan").status_code == 200
    american, none = {"wheel": "american"}, {"zero_rule": "none"}
    assert [one.options for one in load_config(path, INSTALLED)[0].night] == [american, {}, none, {}]
    moved = [rows[1], {**rows[0], "at": "21:30"}, rows[2], {"game": "roulette", "at": "23:30"}]
    assert post(dealer, {"plan": moved}, "/plan").status_code == 200
    assert [one.options for one in load_config(path, INSTALLED)[0].night] == [{}, american, none, {}]
    assert post(dealer, {"plan": moved[2:]}, "/plan").status_code == 200
    assert [one.options for one in load_config(path, INSTALLED)[0].night] == [none, {}]


def test_a_plan_that_was_changed_meanwhile_brings_no_other_game_than_the_button_said(
    dealer: FlaskClient, tmp_path: Path, service: TableService
) -> None:
    games = (("roche", "19:00"), ("roulette", "20:00"), ("chinchirorin", "21:00"))
    rows = [{"game": game, "at": at} for game, at in games]
    post(dealer, {"plan": rows}, "/plan")
    post(dealer, {"plan": [rows[0], rows[2], rows[1] | {"at": "22:00"}]}, "/plan")
    refused = post(dealer, {"place": 1, "game": "roulette", "at": "20:00"})
    assert (refused.status_code, refused.get_json()["message"]) == (409, "The plan has changed. Look at it again.")
    assert (service.header.game, service.session) == ("roche", 1)
    assert post(dealer, {"place": 2, "game": "roulette"}).get_json()["game"] == "roulette"


@pytest.mark.parametrize(
    ("rows", "status"),
    [
        ([{"game": "poker", "at": "20:00"}], 409),
        ([{"game": "roche"}], 409),
        ([{"game": "roche", "minutes": 5}], 409),
        ([{"game": "roche", "at": "26:00"}], 409),
        ([{"game": "roche", "at": "20:00", "options": {"paytable": "/etc/passwd"}}], 400),
        ([{"game": "roche", "at": "20:00"}] * 21, 409),
        ("roche", 400),
    ],
)
def test_a_plan_that_cannot_be_used_is_not_written(dealer: FlaskClient, tmp_path: Path, rows: Any, status: int) -> None:
    """Unknown games, a missing time, too many games: refused, and no file is written."""
    assert post(dealer, {"plan": rows}, "/plan").status_code == status
    assert not (tmp_path / "companion.toml").exists()


def test_a_table_without_changer_says_so(service: TableService, access: AccessStore) -> None:
    """A dashboard without game changes: 404, with what to do."""
    client = create_app(service, access=access, test_config={"TESTING": True}).test_client()
    answer = client.get("/api/v1/game", headers={"Authorization": "Bearer 4711"})
    assert (answer.status_code, answer.get_json()["code"]) == (404, "no-change")


def test_coins_that_were_brought_from_the_game_before_did_not_move(dealer: FlaskClient, service: TableService) -> None:
    """With an empty seat between two players they join the next game by command: no buy-in in any list or sum."""
    command(dealer, {"do": "join", "player": "Celia", "coins": 30, "seat": 5})
    post(dealer, {"game": "roulette"})
    command(dealer, {"do": "bet", "player": "Celia", "on": "red", "amount": 5})
    command(dealer, {"do": "no-more-bets"})
    command(dealer, {"do": "spin", "pocket": "2"})
    assert [player["seat"] for player in service.view()["players"]] == [1, 2, 5]
    rows = dealer.get("/api/v1/transfers.json").get_json()
    assert [(row["to"], row["coins"]) for row in rows if row["why"] == "buy-in"] == [("Celia", 30)]
    page = dealer.get("/history/session/2").get_data(as_text=True)
    assert re.search(r"Celia</th><td class=.num.>30</td><td class=.num.>0</td><td class=.num.>25</td>", page)
    receipt = dealer.get("/history/2/1/receipt").get_data(as_text=True)
    assert "Celia" in receipt
    assert ">30<" not in receipt


class GoneDemo(FakeDemo):
    """The demo of a game that has ended."""

    def state(self) -> dict[str, Any]:
        raise NoAnswer("Another game has begun.")


def test_the_dealers_page_opens_while_the_demo_is_exchanged(app: Flask, dealer: FlaskClient) -> None:
    """The page reloads immediately; the new game's demo starts a moment later."""
    app.extensions["demo"] = GoneDemo()
    assert dealer.get("/dealer").status_code == 200
    assert dealer.get("/dealer/demo").get_json() == {}


def test_the_history_is_of_the_whole_evening(dealer: FlaskClient, service: TableService) -> None:
    """Rounds are grouped by game; the charts and the summary cover all games."""
    for record in (BET, {"do": "no-more-bets"}, {"do": "deal", "card": "2D1"}, {"do": "deal", "card": "2D2"}):
        command(dealer, record)
    post(dealer, {"game": "roulette"})
    for record in (
        {"do": "bet", "player": "Aubrey", "on": "red", "amount": 5},
        {"do": "no-more-bets"},
        {"do": "spin", "pocket": "2"},
    ):
        command(dealer, record)
    for path in ("/history", "/history?session=1", "/history?session=2", "/history/session/1", "/history/session/2"):
        page = dealer.get(path).get_data(as_text=True)
        assert "Session 1–2: Roche, Roulette" in page
    coins = service.view()["players"][0]["coins"]
    assert f"<b>{coins - 100:+d}</b>" in page
    assert "Round 1" in page
    assert "Spin 1" in page
