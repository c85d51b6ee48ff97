"""The recall of the last rounds, receipts as files, and the sum of all coins."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.games.roche import audit
from companion.journal.evidence import EvidenceRing, Exhibit
from companion.kernel.accounts import HOUSE, Account
from companion.service.table_service import TableService
from web_ui import AccessStore, create_app

NAME = "20260301T201507.120-2N1-17"
FACTS = {"id": "2N1", "status": "ok", "votes": 5, "rest_s": 0.21, "outline": [[0, 0], [90, 0], [90, 140], [0, 140]]}


def deal_a_round(service: TableService, **evidence: str) -> None:
    for record in (
        {"do": "bet", "player": "Aubrey", "on": "cut/2", "amount": 3},
        {"do": "no-more-bets"},
        {"do": "deal", "card": "2D1"},
        {"do": "deal", "card": "2N1", **evidence},
    ):
        service.submit(record, source="test")


def page_of(client: FlaskClient, path: str = "/history/recall") -> str:
    answer = client.get(path)
    assert answer.status_code == 200
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.get_data(as_text=True)))


@pytest.fixture
def seen(service: TableService, access: AccessStore, tmp_path: Path) -> FlaskClient:
    """A browser at a table with evidence of the card that cut."""
    ring = EvidenceRing(tmp_path / "evidence")
    ring.keep(Exhibit(NAME, b"jpeg", FACTS))
    return create_app(service, access=access, exhibits=ring, test_config={"TESTING": True}).test_client()


def test_a_round_is_recalled_with_pictures_votes_and_both_settlements(service: TableService, seen: FlaskClient) -> None:
    deal_a_round(service, evidence=NAME)
    page = page_of(seen)
    assert "Votes 5" in page
    assert "Card’s width (px) 90" in page
    assert "Both settlements agree." in page
    assert re.search(r"House −6 −6", page)
    assert re.search(r"Aubrey \+9 \+9", page)
    assert f"/api/v1/evidence/{NAME}.jpg" in seen.get("/history/recall").get_data(as_text=True)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Read as 17 Votes 3 Lay still for (s) 0.37 Confidence 0.9971 Doubt does not lie flat"),
        ("de", "Gelesen als 17 Stimmen 3 Lag still seit (s) 0,37 Sicherheit 0,9971 Zweifel liegt nicht flach"),
        ("es", "Leído como 17 Votos 3 En reposo (s) 0,37 Confianza 0,9971 Duda no está plano"),
    ],
)
def test_what_was_measured_is_told_as_its_reader_says_and_writes_it(
    service: TableService, access: AccessStore, tmp_path: Path, language: str, said: str
) -> None:
    """A die was a card, its confidence had an English point, and its trouble was a word of the program's."""
    ring = EvidenceRing(tmp_path / "evidence")
    facts = {"id": "17", "votes": 3, "rest_s": 0.367, "confidence": 0.9971, "trouble": "leaning", "likely": []}
    ring.keep(Exhibit(NAME, b"jpeg", facts))
    client = create_app(service, access=access, exhibits=ring, test_config={"TESTING": True}).test_client()
    client.set_cookie("language", language)
    deal_a_round(service, evidence=NAME)
    assert said in page_of(client)


def test_evidence_dated_in_the_future_is_said_to_be(service: TableService, access: AccessStore, tmp_path: Path) -> None:
    """The clock was wrong: what is kept is shown, and that its time cannot be right."""
    name = "29990301T201507.120-2N1-17"
    ring = EvidenceRing(tmp_path / "evidence")
    ring.keep(Exhibit(name, b"jpeg", FACTS | {"at": "2999-03-01T20:15:07.120+00:00"}))
    ring.keep(Exhibit(NAME, b"jpeg", FACTS | {"at": "2026-03-01T20:15:07.120+00:00"}))
    client = create_app(service, access=access, exhibits=ring, test_config={"TESTING": True}).test_client()
    deal_a_round(service, evidence=name)
    page = page_of(client)
    assert "1 of them is dated in the future: the table’s clock was ahead" in page
    assert "Time 2999-03-01 20:15 UTC" in page
    service.submit({"do": "new-round"}, source="test")
    deal_a_round(service, evidence=NAME)
    assert "Time 2026-03-01 20:15 UTC" not in page_of(client)


def test_the_round_under_way_comes_before_ten_decided_ones(service: TableService, seen: FlaskClient) -> None:
    for _ in range(12):
        deal_a_round(service)
        service.submit({"do": "new-round"}, source="test")
    service.submit({"do": "bet", "player": "Aubrey", "on": "cut/6", "amount": 2}, source="test")
    page = page_of(seen)
    assert [int(number) for number in re.findall(r"Round (\d+) Roche", page)] == list(range(13, 2, -1))
    assert page.count("Under way") == 1


def test_settlements_that_differ_are_shown_side_by_side(
    service: TableService, seen: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = audit.expected_changes

    def wrong(*given: Any) -> Counter[Account]:
        due = right(*given)
        due[HOUSE] += 7 if due else 0
        return due

    monkeypatch.setattr(audit, "expected_changes", wrong)
    deal_a_round(service)
    assert service.view()["hold"] is not None
    page = page_of(seen)
    assert "The two settlements differ" in page
    assert re.search(r"House −6 \+1", page)


def test_a_picture_that_is_gone_is_said_to_be(service: TableService, seen: FlaskClient, tmp_path: Path) -> None:
    deal_a_round(service, evidence=NAME)
    (tmp_path / "evidence" / f"{NAME}.jpg").unlink()
    assert "The picture is no longer kept." in page_of(seen)


def test_what_was_undone_is_no_settlement(service: TableService, seen: FlaskClient) -> None:
    deal_a_round(service)
    service.submit({"do": "undo"}, source="test")
    assert "Second settlement" not in page_of(seen) or "House −6" not in page_of(seen)


def test_the_sum_of_all_coins_is_on_the_page_and_a_metric(service: TableService, room: FlaskClient) -> None:
    service.submit({"do": "bet", "player": "Aubrey", "on": "cut/2", "amount": 3}, source="test")
    assert "Coins of all accounts together: 0 " in page_of(room)
    numbers = room.get("/metrics").get_data(as_text=True)
    assert "companion_ledger_sum_coins 0.0" in numbers
    assert 'companion_ledger_coins{kind="stake"} 3.0' in numbers
    kinds = re.findall(r'companion_ledger_coins\{kind="\w+"\} (\S+)', numbers)
    assert len(kinds) == 5
    assert sum(map(float, kinds)) == 0


def test_a_receipt_is_a_file_with_the_decision_and_its_signature(service: TableService, room: FlaskClient) -> None:
    deal_a_round(service)
    told = json.loads(room.get("/history/1/1/receipt.json").get_data())
    assert told["entries"][0][9] == service.history.hand(1, 1)["head"]  # type: ignore[index]  # there is one
    assert told["public"] in page_of(room, "/history/1/1/receipt")
    assert room.get("/history/1/2/receipt.json").status_code == 404


def test_a_private_notice_leaves_the_house_in_no_receipt(service: TableService, app: Flask, room: FlaskClient) -> None:
    deal_a_round(service)
    entries = list(service.history.entries(0, -1))
    decided = next(entry for entry in entries if '"Decided"' in entry.events)
    private = decided._replace(seq=decided.seq + 1, kind="notice", record='{"private":true,"text":"10.0.0.7"}')
    app.extensions["service"].history.entries = lambda *_: (decided, private)
    assert room.get("/history/1/1/receipt.json").status_code == 404


def test_the_page_that_checks_receipts_may_connect_to_nothing(room: FlaskClient) -> None:
    answer = room.get("/verify?save")
    page = answer.get_data(as_text=True)
    policy = answer.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert policy.partition("; frame-ancestors")[0] in page
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert "attachment" in answer.headers["Content-Disposition"]
