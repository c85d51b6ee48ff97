"""Hands over the API: lists, steps, receipts, files and evidence."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from companion.journal.evidence import EvidenceRing, Exhibit
from companion.service.table_service import TableService
from web_ui import AccessStore, create_app

EVIDENCE = "20260301T201507.120-2D2-17"


@pytest.fixture
def played(service: TableService) -> TableService:
    """Two rounds are decided, the second after an undo; a third is open."""
    for _ in range(2):
        service.submit({"do": "bet", "player": "Aubrey", "on": "cut/2", "amount": 5}, source="seat/1")
        service.submit({"do": "no-more-bets"}, source="dealer")
        service.submit({"do": "deal", "card": "2D1"}, source="camera")
        service.submit({"do": "deal", "card": "2D2", "evidence": EVIDENCE}, source="camera")
        service.submit({"do": "new-round"}, source="dealer")
    return service


def get(client: FlaskClient, path: str, **query: Any) -> Any:
    response = client.get(f"/api/v1/{path}", query_string=query)
    assert response.status_code == 200, response.get_data(as_text=True)
    return response.get_json()


def test_hands_come_page_by_page(room: FlaskClient, played: TableService) -> None:
    first = get(room, "hands", limit=2)
    assert [hand["id"] for hand in first["hands"]] == ["1-3", "1-2"]
    rest = get(room, "hands", limit=2, before=first["next"])
    assert [hand["id"] for hand in rest["hands"]] == ["1-1"]
    assert rest["next"] is None
    assert rest["hands"][0]["result"]["cut"] == 2


def test_hands_are_filtered(room: FlaskClient, played: TableService) -> None:
    assert [h["id"] for h in get(room, "hands", player="Aubrey", result="won")["hands"]] == ["1-2", "1-1"]
    assert get(room, "hands", player="Benedict", result="won")["hands"] == []
    assert get(room, "hands", game="rochi")["hands"] == []
    assert [h["id"] for h in get(room, "hands", session=1, result="open")["hands"]] == ["1-3"]


def test_a_hand_is_told_step_by_step_with_its_receipt(room: FlaskClient, played: TableService) -> None:
    played.submit({"do": "undo"}, source="dealer")
    hand = get(room, "hands/1-2")
    bet, last = hand["steps"][1], hand["steps"][4]
    assert (bet["source"], bet["sentence"]) == ("seat/1", "Aubrey bets 5 on Mages to cut")
    assert bet["transfers"] == [{"from": "Aubrey", "to": "stake/Aubrey/cut/2", "coins": 5, "why": "bet cut/2"}]
    assert bet["view"]["players"][0]["coins"] == 105
    assert bet["evidence"] is None
    assert last["command"]["card"] == "2D2"
    assert last["evidence"] == f"/api/v1/evidence/{EVIDENCE}.jpg"
    assert last["view"]["phase"] == "settled"
    assert hand["receipt"]["payouts"] == {"Aubrey": 15}
    assert hand["receipt"]["head"] == hand["head"] == last["hash"]
    assert get(room, "hands/1-3")["steps"][0]["is_undone"]


def test_an_open_hand_has_no_receipt(room: FlaskClient, played: TableService) -> None:
    hand = get(room, "hands/1-3")
    assert (hand["receipt"], hand["result"]) == (None, None)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("hands/1-9", 404),
        ("hands/9-1", 404),
        ("hands/one", 400),
        ("hands?before=17", 400),
        ("hands?session=x", 400),
        ("hands?game=poker", 400),
        ("hands?result=maybe", 400),
        ("transfers.csv?result=maybe", 400),
        ("evidence/20260301T201507.120-6D3-17", 404),
        ("evidence/nothing.jpg", 404),
        ("glossary?game=poker", 400),
    ],
)
def test_what_is_not_there_or_makes_no_sense_is_refused(
    room: FlaskClient, played: TableService, path: str, status: int
) -> None:
    response = room.get(f"/api/v1/{path}")
    assert (response.status_code, response.mimetype) == (status, "application/problem+json")
    assert response.get_json()["message"].endswith(".")


def table(client: FlaskClient, path: str) -> list[dict[str, str]]:
    response = client.get(f"/api/v1/{path}")
    assert response.headers["Content-Disposition"].startswith("attachment")
    return list(csv.DictReader(io.StringIO(response.get_data(as_text=True))))


def test_hands_and_transfers_are_files_too(room: FlaskClient, played: TableService) -> None:
    hands = table(room, "hands.csv")
    assert [(hand["id"], hand["decided_by"]) for hand in hands] == [("1-3", ""), ("1-2", "2"), ("1-1", "2")]
    assert hands[1]["told"] == "Mages cut with Mages day 2, all day. 10 won, stake of 5 back: 15 in all"
    moves = table(room, "transfers.csv?session=1")
    assert [(m["hand"], m["from"], m["to"], m["coins"]) for m in moves[-3:]] == [
        ("1-1", "Aubrey", "stake/Aubrey/cut/2", "5"),
        ("1-1", "stake/Aubrey/cut/2", "Aubrey", "5"),
        ("1-1", "house", "Aubrey", "10"),
    ]
    assert [hand["id"] for hand in get(room, "hands.json")] == ["1-3", "1-2", "1-1"]
    assert sum(move["coins"] for move in get(room, "transfers.json", result="decided")) == 40
    assert get(room, "transfers.json", game="rochi") == []


@pytest.mark.parametrize("name", ["=cmd()", "+1", "-1", "@x", "\uff1d1+1", "\uff201", '=1,"2"'])
def test_a_name_that_a_spreadsheet_would_run_is_harmless(room: FlaskClient, service: TableService, name: str) -> None:
    """Including full-width signs, which spreadsheets in some countries treat like the usual ones."""
    service.submit({"do": "join", "player": name, "coins": 5}, source="dealer")
    service.submit({"do": "bet", "player": name, "on": "cut/2", "amount": 5}, source="dealer")
    assert {move["from"] for move in table(room, "transfers.csv")} == {"cage", f"'{name}"}


def test_the_picture_of_what_was_read_is_one_address_away(
    played: TableService, access: AccessStore, tmp_path: Path
) -> None:
    ring = EvidenceRing(tmp_path / "evidence")
    ring.keep(Exhibit(EVIDENCE, b"\xff\xd8 a picture", {"id": "2D2", "margin": 0.9}))
    client = create_app(played, access=access, exhibits=ring, test_config={"TESTING": True}).test_client()
    step = get(client, "hands/1-1")["steps"][4]
    picture = client.get(step["evidence"])
    assert (picture.mimetype, picture.get_data()) == ("image/jpeg", b"\xff\xd8 a picture")
    assert get(client, f"evidence/{EVIDENCE}") == {"id": "2D2", "margin": 0.9}


def test_the_games_words_are_explained(room: FlaskClient) -> None:
    terms = get(room, "glossary", game="captains")["terms"]
    assert next(term for term in terms if term["word"] == "Ripe")["means"] == "One card short of its cut."
    assert len(get(room, "glossary")["terms"]) > len(terms)


def test_every_address_is_described(room: FlaskClient) -> None:
    paths = get(room, "openapi.json")["paths"]
    rules = [r for r in room.application.url_map.iter_rules() if r.endpoint.startswith("api_hands.")]
    assert {str(rule).replace("<hand_id>", "{id}").replace("<name>", "{name}") for rule in rules} <= set(paths)
