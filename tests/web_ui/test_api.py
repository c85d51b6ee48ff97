"""The API: rights, errors, idempotency, paging."""

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from webclient import PIN, bearer, command, csrf_of, log_in

from companion.service.questions import Choice, Question
from companion.service.table_service import TableService
from web_ui.access.store import AccessStore

BET = {"do": "bet", "player": "Aubrey", "on": "cut/6", "amount": 5}


def post(client: FlaskClient, record: Any, **more: Any) -> Any:
    headers = bearer() | more.pop("headers", {})
    return client.post("/api/v1/commands", json=record, headers=headers, **more)


def problem_of(response: Any) -> tuple[int, str]:
    assert response.mimetype == "application/problem+json"
    body = response.get_json()
    assert body["message"]
    assert body["status"] == response.status_code
    return response.status_code, body["code"]


def test_everybody_may_look(room: FlaskClient) -> None:
    view = room.get("/api/v1/state").get_json()
    assert view["phase"] == "betting"
    assert "questions" not in view


def test_advice_is_empty_where_a_game_has_none(room: FlaskClient, service: TableService) -> None:
    answer = room.get("/api/v1/advice?as=room")
    assert (answer.status_code, answer.json) == (200, {"version": service.version, "advice": {}})
    assert room.get("/api/v1/advice?as=dealer").status_code == 401
    assert room.get("/api/v1/advice?as=seat/1").status_code == 401


def test_a_program_with_the_pin_is_the_dealer(room: FlaskClient, service: TableService) -> None:
    response = post(room, BET)
    assert response.status_code == 200
    assert response.get_json()["seq"] == service.view()["seq"]
    assert response.get_json()["events"][0]["event"] == "BetPlaced"
    assert "questions" in room.get("/api/v1/state", headers=bearer()).get_json()


def test_a_wrong_pin_is_refused_and_journaled(room: FlaskClient, service: TableService) -> None:
    response = room.post("/api/v1/commands", json=BET, headers=bearer("9999"))
    assert problem_of(response) == (401, "wrong-code")
    assert response.headers["WWW-Authenticate"].startswith("Bearer")
    service.submit({"do": "hold"}, source="test")  # the notice is queued before it
    assert any("refused" in line["text"] for line in service.view("dealer")["notices"])


def test_guessing_is_locked_out_with_the_time_to_wait(room: FlaskClient) -> None:
    for _ in range(4):
        assert room.get("/api/v1/state", headers=bearer("9999")).status_code == 401
    response = room.get("/api/v1/state", headers=bearer("9999"))
    assert problem_of(response) == (429, "locked")
    assert response.headers["Retry-After"] == "30"
    assert problem_of(room.get("/api/v1/state", headers=bearer(PIN))) == (429, "locked")


def test_a_pin_that_was_used_before_is_locked_out_like_any_other(room: FlaskClient, service: TableService) -> None:
    """Otherwise a guesser could continue until the response changes; and guesses must not fill the journal."""
    assert room.get("/api/v1/state", headers=bearer(PIN)).status_code == 200
    for _ in range(5):
        room.get("/api/v1/state", headers=bearer("9999"))
    before = service.submit({"do": "hold"}, source="test").seq  # notices are queued: by now they are written
    for pin in ("9998", "9997", PIN):
        assert problem_of(room.get("/api/v1/state", headers=bearer(pin))) == (429, "locked")
    assert service.submit({"do": "release"}, source="test").seq == before + 1


def test_the_room_may_not_do_anything(room: FlaskClient, service: TableService) -> None:
    before = service.view()["seq"]
    assert problem_of(room.post("/api/v1/commands", json=BET)) == (401, "not-logged-in")
    assert problem_of(room.post("/api/v1/answers", json={"question": "q", "choice": "c"})) == (401, "not-logged-in")
    assert service.view()["seq"] == before


@pytest.mark.parametrize("viewer", ["dealer", "seat/1"])
@pytest.mark.parametrize("path", ["state", "stream"])
def test_nobody_looks_as_somebody_else(room: FlaskClient, path: str, viewer: str) -> None:
    assert problem_of(room.get(f"/api/v1/{path}?as={viewer}")) == (401, "not-logged-in")


@pytest.mark.parametrize("viewer", ["", "king", "seat/", "seat/x", "seat/1/2", "seat/²", "seat/99999999999"])
def test_an_unknown_viewer_is_named(room: FlaskClient, viewer: str) -> None:
    assert problem_of(room.get("/api/v1/state", query_string={"as": viewer})) == (400, "bad-request")


def test_a_refused_command_is_409_with_its_code(room: FlaskClient) -> None:
    assert problem_of(post(room, {"do": "deal", "card": "6D3"})) == (409, "wrong-phase")
    assert problem_of(post(room, {"do": "dance"})) == (409, "unknown-verb")
    assert problem_of(post(room, BET | {"amount": 101})) == (409, "not-enough-coins")
    assert problem_of(post(room, BET | {"player": "Nobody"})) == (409, "unknown-player")


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{", 400, "bad-json"),
        (b"", 400, "bad-json"),
        (b"[1]", 400, "bad-json"),
        (b'"undo"', 400, "bad-json"),
        (b'{"do": "undo", "do": "redo"}', 400, "bad-json"),
        (b'{"do": "bet", "amount": NaN}', 400, "bad-json"),
        (b"\xff\xfe", 400, "bad-json"),
        (b"[" * 8000, 400, "bad-json"),
        (b'{"do": "undo", "onyl": {"number": 3}}', 400, "unknown-field"),
        (b'{"do": "join", "player": "Carol", "coin": 50}', 400, "unknown-field"),
        (b'{"do": "undo", "really": true}', 409, "nothing-done"),
        (b'{"do": "bet", "player": "Aubrey", "on": "cut/6", "amont": 5}', 409, "bad-script"),
        (b'{"do": "undo", "key": 5}', 400, "bad-key"),
        (b'{"do": "undo", "key": ""}', 400, "bad-key"),
        (b'{"do": 5}', 409, "bad-script"),
        (b"{}", 409, "bad-script"),
        (b'{"do": "bet", "player": "Aubrey", "on": "cut/6", "amount": 1' + b"0" * 5000 + b"}", 400, "bad-json"),
    ],
)
def test_bad_bodies(room: FlaskClient, body: bytes, status: int, code: str) -> None:
    response = room.post("/api/v1/commands", data=body, content_type="application/json", headers=bearer())
    assert problem_of(response) == (status, code)


def test_unknown_fields_are_ignored_and_not_recorded(room: FlaskClient, phone: FlaskClient) -> None:
    """As in a hand script, and nothing of them reaches the journal: the table reads fields of its own there."""
    extra = {"comment": "lucky", "evidence": "x.jpg", "": [], "at": 5}
    assert post(room, BET | extra).status_code == 200
    of_phone = {"do": "bet", "on": "day/6", "amount": 5, "note": "mine"}
    assert command(phone, of_phone | extra, "/seat/1", **{"as": "seat/1"}).status_code == 200
    written = [entry["record"] for entry in room.get("/api/v1/events", headers=bearer()).get_json()["events"]]
    assert [record for record in written if record.get("do") == "bet"] == [BET, BET | {"on": "day/6"}]


def test_the_body_is_limited_and_json(room: FlaskClient) -> None:
    large = json.dumps({"do": "bet", "note": "x" * 20_000})
    response = room.post("/api/v1/commands", data=large, content_type="application/json", headers=bearer())
    assert problem_of(response) == (413, "too-large")
    response = room.post("/api/v1/commands", data="do=undo", headers=bearer())
    assert problem_of(response) == (415, "not-json")
    assert problem_of(room.get("/api/v1/commands")) == (405, "wrong-method")
    assert problem_of(room.get("/api/v1/nothing")) == (404, "not-found")


def test_the_same_key_plays_once(room: FlaskClient, service: TableService) -> None:
    first = post(room, BET, headers={"Idempotency-Key": "tap-1"}).get_json()
    again = post(room, BET, headers={"Idempotency-Key": "tap-1"}).get_json()
    inside = post(room, BET | {"key": "tap-2"}).get_json()
    assert again == first
    assert post(room, BET | {"key": "tap-2"}).get_json() == inside
    assert service.view()["staked"] == 10
    assert problem_of(post(room, BET | {"amount": 6, "key": "tap-2"})) == (409, "key-reused")


def test_an_answer_counts_only_while_its_button_does_what_was_seen(room: FlaskClient, service: TableService) -> None:
    def asks(coins: int) -> Any:
        record = {"do": "buy-in", "player": "Aubrey", "coins": coins}
        service.set_questions("camera", [Question("rest:1", "confirm", "?", (Choice("count", "Yes", record),))])
        return room.get("/api/v1/state", headers=bearer()).get_json()["questions"][0]["choices"][0]["mark"]

    seen, now = asks(17), asks(20)
    told = {"question": "rest:1", "choice": "count"}
    refused = [room.post("/api/v1/answers", json=told | {"mark": mark}, headers=bearer()) for mark in (seen, 5)]
    assert [problem_of(one) for one in refused] == [(409, "nothing-done"), (400, "bad-request")]
    assert room.post("/api/v1/answers", json=told | {"mark": now}, headers=bearer()).status_code == 200
    assert service.view()["players"][0]["coins"] == 120


def test_a_browser_needs_its_token(dealer: FlaskClient, service: TableService) -> None:
    assert problem_of(dealer.post("/api/v1/commands", json=BET)) == (403, "csrf")
    other = dealer.post("/api/v1/commands", json=BET, headers={"X-CSRFToken": "nonsense"})
    assert problem_of(other) == (403, "csrf")
    assert service.view()["staked"] == 0
    assert command(dealer, BET, "/dealer").status_code == 200


def test_a_log_in_form_needs_its_token_too(room: FlaskClient) -> None:
    assert room.post("/dealer/login", data={"pin": PIN}).status_code == 403
    assert room.post("/seat/1/join", data={"code": "X"}).status_code == 403
    assert room.post("/setup", data={"pin": "1234"}).status_code == 403


def test_a_seat_bets_and_takes_back_for_its_own_player(phone: FlaskClient, service: TableService) -> None:
    seat = {"as": "seat/1"}
    assert command(phone, {"do": "bet", "on": "cut/6", "amount": 5}, "/seat/1", **seat).status_code == 200
    assert service.view()["bets"][0]["player"] == "Aubrey"
    assert command(phone, {"do": "take-back", "on": "cut/6"}, "/seat/1", **seat).status_code == 200
    assert service.view()["bets"] == []


@pytest.mark.parametrize(
    ("record", "status", "code"),
    [
        ({"do": "bet", "player": "Benedict", "on": "cut/6", "amount": 5}, 403, "not-your-seat"),
        ({"do": "no-more-bets"}, 403, "not-allowed"),
        ({"do": "undo"}, 403, "not-allowed"),
        ({"do": "buy-in", "player": "Aubrey", "coins": 1000}, 403, "not-allowed"),
        ({}, 403, "not-allowed"),
        ({"do": ["bet"]}, 403, "not-allowed"),
    ],
)
def test_a_seat_may_do_nothing_else(
    phone: FlaskClient, service: TableService, record: Any, status: int, code: str
) -> None:
    before = service.view()["players"]
    assert problem_of(command(phone, record, "/seat/1", **{"as": "seat/1"})) == (status, code)
    assert service.view()["players"] == before


def test_a_foreign_seat_is_refused(phone: FlaskClient) -> None:
    response = command(phone, {"do": "bet", "on": "cut/6", "amount": 5}, "/seat/1", **{"as": "seat/2"})
    assert problem_of(response) == (401, "not-logged-in")
    assert "Sit down" in phone.get("/seat/2").get_data(as_text=True)


def test_a_seat_bets_only_while_bets_are_open(phone: FlaskClient, service: TableService) -> None:
    service.submit({"do": "no-more-bets"}, source="dealer")
    response = command(phone, {"do": "bet", "on": "cut/6", "amount": 5}, "/seat/1", **{"as": "seat/1"})
    assert problem_of(response) == (409, "wrong-phase")


def test_a_phone_loses_its_seat_when_somebody_else_sits_there(phone: FlaskClient, service: TableService) -> None:
    for record in (
        {"do": "cash-out", "player": "Aubrey"},
        {"do": "leave", "player": "Aubrey"},
        {"do": "join", "player": "Chance", "coins": 10, "seat": 1},
    ):
        service.submit(record, source="dealer")
    assert problem_of(phone.get("/api/v1/state?as=seat/1")) == (401, "not-logged-in")


def test_a_seats_key_is_its_own(phone: FlaskClient, room: FlaskClient, service: TableService) -> None:
    post(room, BET, headers={"Idempotency-Key": "k"})
    token = csrf_of(phone, "/seat/1")
    response = phone.post(
        "/api/v1/commands?as=seat/1",
        json={"do": "bet", "on": "cut/6", "amount": 7},
        headers={"Idempotency-Key": "k", "X-CSRFToken": token},
    )
    assert response.status_code == 200
    assert service.view()["staked"] == 12


def test_too_many_commands_of_a_phone_are_slowed_down(phone: FlaskClient) -> None:
    token = csrf_of(phone, "/seat/1")
    codes = [
        phone.post("/api/v1/commands?as=seat/1", json={"do": "x"}, headers={"X-CSRFToken": token}).status_code
        for _ in range(60)
    ]
    assert codes[0] == 403
    assert 429 in codes


def test_the_dealer_is_not_slowed_down(room: FlaskClient) -> None:
    assert {post(room, {"do": "undo"}).status_code for _ in range(80)} == {409}


def test_changing_the_pin_logs_the_other_browsers_out(
    dealer: FlaskClient, access: AccessStore, app: Flask, service: TableService
) -> None:
    assert dealer.get("/api/v1/state?as=dealer").status_code == 200
    access.set_pin("80085")
    assert problem_of(dealer.get("/api/v1/state?as=dealer")) == (401, "not-logged-in")
    assert log_in(app.test_client(), "80085").status_code == 302


def test_events_are_paged(room: FlaskClient) -> None:
    for _ in range(5):
        post(room, BET)
    first = room.get("/api/v1/events?after=0&limit=3").get_json()
    assert [entry["seq"] for entry in first["events"]] == [1, 2, 3]
    assert set(first["events"][1]) >= {"seq", "at", "source", "do", "record", "events"}
    rest = room.get(f"/api/v1/events?after={first['next']}").get_json()
    assert rest["events"][0]["seq"] == 4
    end = room.get(f"/api/v1/events?after={rest['next']}").get_json()
    assert end == {"events": [], "next": rest["next"]}


@pytest.mark.parametrize("query", ["after=-1", "after=x", "limit=1.5", "after=99999999999999999999", "limit="])
def test_a_bad_page_is_named(room: FlaskClient, query: str) -> None:
    assert problem_of(room.get(f"/api/v1/events?{query}")) == (400, "bad-request")


@pytest.mark.thorough
def test_a_stream_begins_with_the_whole_view_and_follows(room: FlaskClient, service: TableService) -> None:
    response = room.get("/api/v1/stream?as=room")
    assert response.mimetype == "text/event-stream"
    chunks = iter(response.response)
    begun = datetime.now(UTC)
    retry, told = next(chunks).split(b"\n\n", 1)
    assert retry == b"retry: 1000"
    at = json.loads(re.fullmatch(rb"event: heartbeat\ndata: (.+)\n\n", told)[1])["at"]  # type: ignore[index]
    assert abs(datetime.fromisoformat(at) - begun) < timedelta(seconds=5)
    assert "." in at, "to the second a page would be up to one off"
    first = view_of(next(chunks))
    service.submit(BET, source="test")
    second = view_of(next(chunks))
    assert second["version"] > first["version"]
    assert second["staked"] == 5
    assert next(chunks).startswith(b"event: heartbeat\ndata: {")


def test_a_stream_ends_when_the_right_to_watch_ends(dealer: FlaskClient, access: AccessStore) -> None:
    chunks = iter(dealer.get("/api/v1/stream?as=dealer").response)
    next(chunks)
    assert "questions" in view_of(next(chunks))
    access.set_pin("80085")
    rest = list(chunks)
    assert rest[-1].startswith(b"event: goodbye")
    assert len(rest) <= 2


def view_of(event: bytes) -> dict[str, Any]:
    lines = event.decode().splitlines()
    assert lines[1] == "event: view"
    view: dict[str, Any] = json.loads(lines[2].removeprefix("data: "))
    assert lines[0] == f"id: {view['version']}"
    return view
