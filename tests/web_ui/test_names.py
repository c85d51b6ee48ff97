"""Players whose names contain a slash or look like a pot or the bank: pages and files show the right one."""

import csv
import html
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from companion.service.table_service import TableService
from companion.statistics.standings import Standings
from companion.testing import INSTALLED, new_header
from web_ui import AccessStore, create_app

NAMES = ("A/B", "A", "pot/6", "house")
CUT = ("2D1", "2N1")


@pytest.fixture
def service(tmp_path: Path) -> Iterator[TableService]:
    with TableService.open(
        tmp_path / "journal.db", new_header("roche", tuple((name, 100) for name in NAMES)), INSTALLED
    ) as table:
        yield table


@pytest.fixture
def played(service: TableService) -> TableService:
    """A round in which A/B won 5 coins' bet on Mages, and A, pot/6 and house lost 3 each on Kin."""
    do(service, {"do": "bet", "player": "A/B", "on": "cut/2", "amount": 5})
    for name in NAMES[1:]:
        do(service, {"do": "bet", "player": name, "on": "cut/6", "amount": 3})
    do(service, {"do": "no-more-bets"})
    for card in CUT:
        do(service, {"do": "deal", "card": card})
    return service


def do(service: TableService, record: dict[str, Any]) -> None:
    service.submit(record, source="dealer")


def test_an_open_bet_makes_nobody_pay_anybody(service: TableService, room: FlaskClient):
    do(service, {"do": "bet", "player": "A/B", "on": "cut/6", "amount": 10})
    state = room.get("/api/v1/state").get_json()
    assert state["settle_up"] == []
    assert state["payments"] == []  # a bet is still its player's


def test_who_pays_whom_tells_players_from_the_bank_and_from_pots(played: TableService, room: FlaskClient):
    state = room.get("/api/v1/state").get_json()
    won = state["players"][0]["coins"] - 100
    paid = [(one["from"], one["to"], one["coins"]) for one in state["payments"]]
    assert paid == [
        ("house", "A/B", won), ("A", "house", 3), ("player/pot/6", "house", 3), ("player/house", "house", 3)
    ]  # fmt: skip
    owed = {one["from"]: one["coins"] for one in state["settle_up"]}
    assert {name: owed.get(name) for name in ("A", "player/pot/6", "player/house")} == dict.fromkeys(
        ("A", "player/pot/6", "player/house"), 3
    )


def test_standings_follow_everybody(played: TableService, room: FlaskClient):
    (evening,) = Standings(played).evenings()
    coins = {player["name"]: player["coins"] for player in played.view()["players"]}
    assert dict(evening.points[-1].coins) == coins
    assert evening.now == coins
    assert {name: evening.won(name) for name in NAMES} == {name: coins[name] - 100 for name in NAMES}
    assert evening.house == played.view()["house"]
    page = html.unescape(room.get("/history/session/1").get_data(as_text=True))
    for name in NAMES:
        assert f'<th scope="row">{name}</th>' in page


def test_a_receipt_names_players_and_bank(played: TableService, room: FlaskClient):
    hand = played.history.hands()[0]
    page = html.unescape(room.get(f"/history/1/{hand['number']}/receipt").get_data(as_text=True))
    for name, spot in zip(NAMES, ("Mages", "Kin", "Kin", "Kin"), strict=True):
        assert f"<td>{name}</td><td>{spot} cuts</td>" in page
    receipt = room.get(f"/api/v1/hands/{hand['id']}").get_json()["receipt"]
    assert receipt["stakes"] == {"A/B": 5, "A": 3, "pot/6": 3, "house": 3}


def test_a_receipt_of_rochi_tells_players_from_pots(tmp_path: Path, access: AccessStore):
    with TableService.open(
        tmp_path / "rochi.db", new_header("rochi", tuple((name, 100) for name in NAMES[1:])), INSTALLED
    ) as table:
        for card in ("7D1", "7D2", "5D1", "6D1", "6D2", "3N1"):
            do(table, {"do": "seed", "card": card})
        do(table, {"do": "play", "card": "4D1"})
        do(table, {"do": "end"})
        do(table, {"do": "play", "card": "2D1"})
        do(table, {"do": "deal", "card": "2D2"})
        page = create_app(table, access=access).test_client().get("/history/1/1/receipt").get_data(as_text=True)
    assert "<td>Mages pot</td><td>pot/6</td>" in page
    assert "<td>A</td><td>pot/6</td>" in page


def test_the_history_is_filtered_and_exported_by_name(played: TableService, room: FlaskClient):
    for name in NAMES:
        page = room.get("/history", query_string={"player": name, "result": "won" if name == "A/B" else "lost"})
        assert "/history/1/1" in page.get_data(as_text=True), name
        page = room.get("/history", query_string={"player": name, "result": "lost" if name == "A/B" else "won"})
        assert "/history/1/1" not in page.get_data(as_text=True), name
    rows = list(csv.DictReader(io.StringIO(room.get("/api/v1/transfers.csv").get_data(as_text=True))))
    bets = [(row["from"], row["to"]) for row in rows if row["why"].startswith("bet ")]
    assert bets == [
        ("A/B", "stake/A%2FB/cut/2"),
        ("A", "stake/A/cut/6"),
        ("player/pot/6", "stake/pot%2F6/cut/6"),
        ("player/house", "stake/house/cut/6"),
    ]


def test_a_restart_gives_everybody_the_same_coins(played: TableService, tmp_path: Path):
    do(played, {"do": "new-round"})
    do(played, {"do": "bet", "player": "A/B", "on": "cut/6", "amount": 10})
    before = {key: played.view()[key] for key in ("players", "house", "staked", "settle_up")}
    played.close()
    with TableService.open(tmp_path / "journal.db", new_header("roche", ()), INSTALLED) as again:
        assert {key: again.view()[key] for key in before} == before
