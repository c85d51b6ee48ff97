"""Malformed requests are refused, not answered with 500."""

from typing import Any

import pytest
from flask.testing import FlaskClient
from webclient import bearer
from werkzeug.datastructures import LanguageAccept

LONG = "9" * 30


@pytest.mark.parametrize(
    "path",
    [
        f"/history/{LONG}/1",
        f"/history/1/{LONG}",
        "/history/" + "9" * 5000 + "/1",
        f"/history/session/{LONG}",
        f"/seat/{LONG}",
        "/history?before=²-1",
        "/history?before=1-٣",
        f"/history?before={LONG}-1",
        "/history/log?before=²",
        f"/history/log?before={LONG}",
        "/history/log?before=" + "9" * 5000,
        f"/api/v1/hands/{LONG}-1",
        "/api/v1/hands/²-1",
        "/api/v1/events?after=²",
        "/api/v1/evidence/" + "a" * 3000,
        "/static/x/" + "a" * 3000,
        "/%00",
        "/seat/1%00",
    ],
)
def test_an_odd_address_is_no_fault_of_the_server(room: FlaskClient, path: str) -> None:
    assert room.get(path).status_code < 500


@pytest.mark.parametrize("deck", ["A" * 3000, "../x", "²", "\x00", ""])
def test_a_deck_of_any_name_is_no_fault_of_the_server(room: FlaskClient, deck: str) -> None:
    answer = room.get("/api/v1/setup/sheets/deck.pdf", query_string={"deck": deck}, headers=bearer())
    assert answer.status_code < 500


def test_seven_thousand_languages_cost_as_much_as_one(room: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page asks for its language with each text: 15 kB of a header took two seconds of the processor on /history."""
    looked: list[int] = []
    real = LanguageAccept.best_match

    def counted(self: LanguageAccept, *args: Any) -> Any:
        looked.append(len(self))
        return real(self, *args)

    monkeypatch.setattr(LanguageAccept, "best_match", counted)
    answer = room.get("/history", headers={"Accept-Language": "de," + ",".join("a" * 7500)})
    assert answer.status_code == 200
    assert '<html lang="de"' in answer.get_data(as_text=True)
    assert len(looked) == 1
    assert looked[0] <= 250
