"""What a player writes is shown, said and kept beside the table's own sentences, and must not change these."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from webclient import csrf_of

from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header
from web_ui import AccessStore, create_app

NAMES = ("Ann", "Bo", "Cy", "Dee")


@pytest.fixture
def king(tmp_path: Path) -> Iterator[TableService]:
    """Ann is the king."""
    header = new_header("king-of-roulette", tuple((name, 10) for name in NAMES))
    with TableService.open(tmp_path / "journal.db", header, INSTALLED) as table:
        for name in NAMES:
            table.submit({"do": "vote", "player": name, "for": "Ann"}, source="test")
        yield table


def joined(app: Flask, access: AccessStore, seat: int) -> FlaskClient:
    client = app.test_client()
    client.post(
        f"/seat/{seat}/join", data={"code": access.seat_code(seat), "csrf_token": csrf_of(client, f"/seat/{seat}")}
    )
    return client


def rule(phone: FlaskClient, text: str, **more: str) -> Any:
    record = {"do": "rule", "text": text, "one": [1, 2], "two": 3, **more}
    return phone.post("/api/v1/commands", json=record, headers={"X-CSRFToken": csrf_of(phone, "/seat/1")})


@pytest.mark.parametrize("text", ["red \u202e 3 dna 2", "a\0b", "one\ntwo", "\u2066x", "x" * 201])
def test_a_players_text_cannot_turn_the_rooms_sentence_round(king: TableService, access: AccessStore, text: str):
    phone = joined(create_app(king, access=access), access, 1)
    answer = rule(phone, text)
    assert (answer.status_code, answer.get_json()["code"]) == (400, "bad-text")
    assert "one line of at most 200 letters" in answer.get_json()["message"]
    assert not any(entry["source"] == "seat/1" for entry in king.events(0, 100))
    assert rule(phone, "El rey paga: ¡rojo! 红 אדום").status_code == 200


def test_a_secret_that_comes_again_otherwise_is_refused_in_few_words(king: TableService, access: AccessStore):
    phone = joined(create_app(king, access=access), access, 1)
    assert rule(phone, "red", key="a").status_code == 200
    answer = rule(phone, "black", key="a").get_json()
    assert answer["message"] == "The key 'seat/1:a' belongs to another command (sealed). Give each command its own key."
