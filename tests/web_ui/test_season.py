"""The statistics pages: league, player, the house's standing, an evening's picture, files."""

import csv
import io
import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.service.table_service import TableService
from companion.statistics import picture


def a_round(service: TableService, first: bool = True) -> None:
    """Aubrey wins with 3 on the suit that cuts, Benedict loses 4."""
    records = [] if first else [{"do": "new-round"}]
    records += [
        {"do": "bet", "player": "Aubrey", "on": "cut/2", "amount": 3},
        {"do": "bet", "player": "Benedict", "on": "cut/7", "amount": 4},
        {"do": "no-more-bets"},
        {"do": "deal", "card": "2D1"},
        {"do": "deal", "card": "2N1"},
    ]
    for record in records:
        service.submit(record, source="test")


def text_of(client: FlaskClient, path: str, status: int = 200) -> str:
    answer = client.get(path)
    assert answer.status_code == status, path
    return answer.get_data(as_text=True)


def won_by(service: TableService, name: str) -> int:
    return service.ledger.balance(name) - {"Aubrey": 100, "Benedict": 50}[name]


def today() -> str:
    return (datetime.now() - timedelta(hours=6)).date().isoformat()


def shown(coins: int) -> str:
    return f"{coins:+}".replace("-", "−")


def test_the_league_has_what_the_ledger_says(service: TableService, room: FlaskClient) -> None:
    assert "starts with the first finished hand" in text_of(room, "/players")
    a_round(service)
    a_round(service, first=False)
    page = text_of(room, "/players")
    assert page.index("Aubrey") < page.index("Benedict")
    assert shown(won_by(service, "Aubrey")) in page
    assert shown(won_by(service, "Benedict")) == "−8"
    assert "−8" in page
    rows = list(csv.DictReader(io.StringIO(text_of(room, "/api/v1/league.csv"))))
    assert [(row["place"], row["player"], int(row["won"]), float(row["points"])) for row in rows] == [
        ("1", "Aubrey", won_by(service, "Aubrey"), 1.0),
        ("2", "Benedict", -8, 0.0),
    ]
    evenings = json.loads(text_of(room, "/api/v1/evenings.json"))
    assert {row["player"]: row["won"] for row in evenings} == {"Aubrey": won_by(service, "Aubrey"), "Benedict": -8}


def test_what_was_undone_is_in_no_figure(service: TableService, room: FlaskClient) -> None:
    a_round(service)
    service.submit({"do": "undo"}, source="test")
    assert "starts with the first finished hand" in text_of(room, "/players")
    assert json.loads(text_of(room, "/api/v1/bets.json")) == []


def test_a_profile_tells_luck_from_skill(service: TableService, room: FlaskClient) -> None:
    a_round(service)
    page = text_of(room, "/players/benedict")
    assert "<h1>Benedict</h1>" in page
    (row,) = [row for row in json.loads(text_of(room, "/api/v1/bets.json")) if row["player"] == "Benedict"]
    odds = next(bet for bet in service.view("room")["odds"] if bet["on"] == "cut/7")
    assert row["expected"] == pytest.approx(-4 * odds["edge"])
    assert f"{abs(row['expected']):.1f}" in page
    assert "Only 1 round so far" in page
    assert text_of(room, "/players/Nobody", 404)
    assert "2026" in text_of(room, "/players/Benedict?season=26", 400)
    assert "starts with the first finished hand" in text_of(room, "/players/Benedict?season=1999")


def test_a_name_with_a_slash_has_a_profile(service: TableService, room: FlaskClient) -> None:
    service.submit({"do": "join", "player": "A/B?", "coins": 20}, source="test")
    service.submit({"do": "bet", "player": "A/B?", "on": "cut/2", "amount": 3}, source="test")
    a_round(service)
    page = text_of(room, "/players")
    assert 'href="/players/A/B%3F"' in page
    assert "<h1>A/B?</h1>" in text_of(room, "/players/A/B%3F")


def test_the_house_sees_each_bet_against_its_odds(
    service: TableService, room: FlaskClient, dealer: FlaskClient
) -> None:
    """Only for the dealer: the house's winnings are private."""
    a_round(service)
    assert "PIN" in text_of(room, "/dealer/standing")
    assert "Mages cuts" not in text_of(room, "/dealer/standing")
    page = text_of(dealer, "/dealer/standing")
    assert shown(service.ledger.house) in page
    assert "Mages cuts" in page
    assert "Commons cuts" in page
    assert text_of(dealer, f"/dealer/standing?day={today()}") == page
    assert "Mages cuts" in text_of(dealer, "/dealer/standing?day=all")
    text_of(dealer, "/dealer/standing?day=yesterday", 404)


def test_an_evening_has_a_page_a_picture_and_a_play(service: TableService, room: FlaskClient) -> None:
    a_round(service)
    page = text_of(room, f"/evenings/{today()}")
    assert "bgstats://app.bgstatsapp.com/createPlay.html?data=" in page
    answer = room.get(f"/evenings/{today()}.png")
    assert answer.mimetype == "image/png"
    assert answer.data.startswith(b"\x89PNG")
    text_of(room, "/evenings/1999-01-01", 404)
    text_of(room, "/evenings/1999-01-01.png", 404)
    (play,) = json.loads(text_of(room, "/api/v1/bgstats.json"))
    assert {one["name"]: one["score"] for one in play["players"]} == {
        "Aubrey": won_by(service, "Aubrey"), "Benedict": -4,
    }  # fmt: skip


def test_a_crowd_that_wants_the_picture_has_it_drawn_once(
    service: TableService, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each drawing takes a quarter of a second, during which all others wait."""
    drawn: list[picture.EveningCard] = []

    def draw(card: picture.EveningCard) -> bytes:
        drawn.append(card)
        time.sleep(0.05)
        return b"picture"

    monkeypatch.setattr(picture, "evening_png", draw)
    a_round(service)
    with ThreadPoolExecutor(8) as crowd:
        found = list(crowd.map(lambda _: app.test_client().get(f"/evenings/{today()}.png").data, range(24)))
    for verb in ("hold", "release", "hold", "release"):
        service.submit({"do": verb}, source="test")
        app.test_client().get(f"/evenings/{today()}.png")
    assert set(found) == {b"picture"}
    assert len(drawn) <= 2, "once, and once more where a minute began meanwhile"


@pytest.fixture
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The time zone of a table in Berlin."""
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("berlin")
def test_times_are_by_the_clock_of_the_place(service: TableService, room: FlaskClient) -> None:
    a_round(service)
    now = datetime.now().astimezone()
    assert now.tzname() in ("CET", "CEST")
    for path in ("/history", "/history/1/1/receipt", "/history/session/1"):
        page = text_of(room, path)
        assert f"{now:%H:}" in page, path
        assert str(now.tzname()) in page, path
        assert " UTC" not in page, path
