"""The history's pages: which hands there are, each step by step, charts, a summary to print and receipts."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from webclient import PLAYERS

from companion.journal.evidence import EvidenceRing, Exhibit
from companion.service.table_service import TableService
from companion.statistics.standings import Standings
from companion.testing import INSTALLED, new_header
from web_ui import AccessStore, create_app
from web_ui.charts import Line, line_chart, ticks

NAME = "20260301T201507.120-2N1-17"


def deal_a_round(service: TableService, on: str = "cut/2", **evidence: str) -> None:
    for record in (
        {"do": "bet", "player": "Aubrey", "on": on, "amount": 3},
        {"do": "no-more-bets"},
        {"do": "deal", "card": "2D1"},
        {"do": "deal", "card": "2N1", **evidence},
    ):
        service.submit(record, source="test")


def text_of(client: FlaskClient, path: str, status: int = 200) -> str:
    answer = client.get(path)
    assert answer.status_code == status, path
    return answer.get_data(as_text=True)


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="page-data">(.*?)</script>', page, re.DOTALL)
    assert found
    return dict(json.loads(found[1]))


# ---- which hands there are


def test_decided_rounds_are_told_and_those_under_way_marked(service: TableService, room: FlaskClient) -> None:
    deal_a_round(service)
    page = text_of(room, "/history")
    assert "Mages cut with Mages night 1" in page
    assert 'href="/history/1/1/receipt"' in page
    service.submit({"do": "undo"}, source="test")
    page = text_of(room, "/history")
    assert "Under way" in page
    assert "/receipt" not in page
    service.submit({"do": "redo"}, source="test")
    assert "Mages cut with Mages night 1" in text_of(room, "/history")


def test_filters_and_their_words(service: TableService, room: FlaskClient) -> None:
    deal_a_round(service)
    assert "/history/1/1/receipt" in text_of(room, "/history?result=won&player=Aubrey&game=roche&session=1")
    assert "No hand matches" in text_of(room, "/history?result=lost&player=Aubrey")
    assert "No hand matches" in text_of(room, "/history?player=Nobody")
    assert "/history/1/1/receipt" in text_of(room, "/history?game=&session=&player=&result=")
    assert text_of(room, "/history?result=6&before=x")
    for wrong in ("?result=perhaps", "?game=chess"):
        assert room.get(f"/history{wrong}").status_code == 400
    assert room.get("/history?session=first").status_code == 404


def test_many_rounds_come_page_by_page(service: TableService, room: FlaskClient) -> None:
    for _ in range(14):
        deal_a_round(service)
        service.submit({"do": "new-round"}, source="test")
    page = text_of(room, "/history")
    older = re.search(r'href="(/history\?before=1-\d+)"', page)
    assert older
    assert ">Round 15</h2>" in page
    assert ">Round 3</h2>" not in page
    assert ">Round 3</h2>" in text_of(room, older[1])
    assert "Newer" in text_of(room, older[1])


# ---- a hand step by step


def test_every_step_has_the_table_its_source_and_its_coins(service: TableService, room: FlaskClient) -> None:
    deal_a_round(service, evidence=NAME)
    data = data_of(text_of(room, "/history/1/1"))
    assert [step["sentence"].split(" ")[0] for step in data["steps"]][1:3] == ["Aubrey", "No"]
    last = data["steps"][-1]
    assert last["view"]["phase"] == "settled"
    assert {"from": "house", "to": "Aubrey", "coins": 6} in last["moves"]
    assert last["source"] == "test"
    assert last["evidence"] == NAME
    assert data["zones"]["cut/2"]
    assert data["hand"]["hash"]


@pytest.mark.parametrize("path", ["/history/1/9", "/history/7/1", "/history/1/1/receipt", "/history/session/9"])
def test_what_is_not_there_is_not_found(room: FlaskClient, path: str) -> None:
    assert room.get(path).status_code == 404


@pytest.mark.parametrize("game", ["rochi", "captains", "rugen-house", "rugen-street", "rugen-capital"])
def test_every_game_has_its_own_picture(tmp_path: Path, access: AccessStore, game: str) -> None:
    header = new_header(game, (*PLAYERS, ("Chance", 100)) if game != "captains" else PLAYERS)
    with TableService.open(tmp_path / "j.db", header, INSTALLED) as service:
        client = create_app(service, access=access).test_client()
        page = text_of(client, "/history/1/1")
        assert f"games/{'rochi' if game in ('rochi', 'captains') else 'rugen'}/replay.js" in page
        assert data_of(page)["steps"][0]["view"]["game"] == game
        assert text_of(client, "/history")
        assert text_of(client, "/history/session/1")


def test_a_picture_of_evidence_is_found_under_its_name(
    tmp_path: Path, service: TableService, access: AccessStore
) -> None:
    ring = EvidenceRing(tmp_path / "evidence")
    ring.keep(Exhibit(NAME, b"\xff\xd8jpeg", {"id": "2N1"}))
    client = create_app(service, access=access, exhibits=ring).test_client()
    assert client.get(f"/api/v1/evidence/{NAME}.jpg").data == b"\xff\xd8jpeg"


# ---- receipts and the summary


def test_a_receipt_tells_who_got_what_and_opens_the_round(service: TableService, app: Flask, room: FlaskClient) -> None:
    app.config["PUBLIC_URL"] = "http://table.local:8080"
    deal_a_round(service)
    page = text_of(room, "/history/1/1/receipt")
    head = service.view("room")["head"]
    assert head in page
    assert f"http://table.local:8080/history/1/1#head={head[:24]}" in page
    assert re.search(r"Mages cuts</td><td class=\"num\">3</td><td class=\"num\">\+6", page)
    assert re.search(r"Aubrey</th><td class=\"num\">3</td><td class=\"num\">9</td><td class=\"num\"><b>\+6", page)
    assert "<svg" in page


def test_a_receipt_has_the_stake_that_comes_back_without_a_win(service: TableService, room: FlaskClient) -> None:
    """At 7:2 a single coin wins nothing and still goes back: one coin changes hands, not none."""
    for record in (
        {"do": "bet", "player": "Aubrey", "on": "cut/3", "amount": 1},
        {"do": "no-more-bets"},
        *({"do": "deal", "card": card} for card in ("3D1", "3D2", "3N1")),
    ):
        service.submit(record, source="test")
    cells = r"Realm cuts</td><td class=\"num\">1</td><td class=\"num\">–</td><td class=\"num\">1</td>"
    assert re.search(cells, text_of(room, "/history/1/1/receipt"))


def test_the_summary_adds_up(service: TableService, room: FlaskClient) -> None:
    deal_a_round(service)
    service.submit({"do": "new-round"}, source="test")
    deal_a_round(service, on="cut/6")
    service.submit({"do": "cash-out", "player": "Benedict"}, source="test")
    page = text_of(room, "/history/session/1")
    row = r"{}</th><td class=\"num\">{}</td><td class=\"num\">{}</td><td class=\"num\">{}</td><td class=\"num\"><b>{}<"
    assert re.search(row.format("Aubrey", 100, 0, 103, r"\+3"), page)
    assert re.search(row.format("Benedict", 50, 50, 0, "0"), page)
    assert re.search(r"The house</th>.*<b>−3</b>", page)
    assert service.view("room")["head"] in page
    assert "2 hands played" in page


def test_the_summary_and_the_history_say_who_pays_whom(service: TableService, room: FlaskClient) -> None:
    """The same payments as in the table's state; coins at stake are still their player's."""
    assert "Settle up" not in text_of(room, "/history/session/1")
    deal_a_round(service)
    service.submit({"do": "new-round"}, source="test")
    service.submit({"do": "bet", "player": "Benedict", "on": "cut/6", "amount": 5}, source="test")
    owed = service.view("room")["settle_up"]
    assert owed == [{"from": "house", "to": "Aubrey", "coins": 6}]
    for path in ("/history/session/1", "/history"):
        row = re.search(r'<ul class="settle"><li>(.*?)</li></ul>', text_of(room, path))
        assert row, path
        assert re.sub(r"<[^>]*>", "", row[1]).split() == ["House", "→", "Aubrey", "6"]


def test_fortunes_forget_what_was_undone(service: TableService) -> None:
    standings = Standings(service)
    deal_a_round(service)
    assert [point.coins["Aubrey"] for point in standings.evenings()[-1].points] == [106]
    service.submit({"do": "undo"}, source="test")
    assert standings.evenings()[-1].points == ()
    service.submit({"do": "redo"}, source="test")
    (evening,) = standings.evenings()
    assert (evening.points[0].house, evening.won("Aubrey"), evening.won("Benedict")) == (-6, 6, 0)


# ---- charts


def test_a_chart_escapes_names_and_draws_each_line_differently() -> None:
    lines = [Line("<b>Ann</b>", 1, (5, 7, 3)), Line("Bo", 2, (None, -4, 12))]
    svg = line_chart(lines, 'Coins "now"', "Hands")
    assert "<b>" not in svg
    assert "&lt;b&gt;Ann" in svg
    assert svg.count('class="path"') == 2
    assert 'aria-label="Coins &#34;now&#34;"' in svg
    assert "−5" in svg  # a true minus
    assert line_chart([Line("Ann", 1, (5,))], "", "") == ""


def test_millions_beside_the_axis_are_not_cut() -> None:
    """ "10,000,000" was drawn from outside of the picture and read as 0,000,000."""
    svg = line_chart([Line("Ann", 1, (9_999_999, 100)), Line("محمد", 2, (5, 7))], "Coins", "Hands")
    found = re.search(r'text-anchor="end" x="(\d+)" y="[^"]+">10,000,000<', svg)
    assert found
    assert int(found[1]) >= 10 * 13 * 0.6, "ten signs of 13 px, on the safe side"
    assert "\u2068محمد\u2069 7<" in svg, "the coins stand after the name"


@pytest.mark.parametrize(("low", "high"), [(0, 0), (-7, -7), (3, 98), (-123456, 987654)])
def test_ticks_hold_all_values_in_few_steps(low: int, high: int) -> None:
    bottom, top, step = ticks(low, high)
    assert bottom <= low <= high <= top
    assert bottom % step == top % step == 0
    assert (top - bottom) // step <= 7


# ---- what stands behind a payout


def test_reasons_have_exact_chances_and_pictures_for_the_dealer_alone(
    service: TableService, room: FlaskClient, dealer: FlaskClient
) -> None:
    deal_a_round(service, evidence=NAME)
    assert room.get("/dealer/reasons").status_code == 401
    behind = dealer.get("/dealer/reasons").get_json()
    assert behind["chances"]["cut/2"]["probability"] == "8200387771878869/25893181691713050"
    assert [(one["name"], one["shown"]) for one in behind["pictures"]] == [(NAME, "2N1")]
    assert behind["hand"] == "1-1"
    service.submit({"do": "undo"}, source="test")
    assert dealer.get("/dealer/reasons").get_json()["pictures"] == []
