"""Log-in sessions and how they end: logging out, a new code, the dealer's list."""

import html
import re
import time
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from webclient import PIN, bearer, command, csrf_of, full_disk, log_in

from web_ui.access.lockout import FREE_GUESSES, FREE_GUESSES_TOGETHER
from web_ui.access.rights import KNOWN_COOKIE
from web_ui.access.store import AccessStore
from web_ui.serving.framing import Head

BET = {"do": "bet", "player": "Aubrey", "on": "cut/6", "amount": 1}


def copied(app: Flask, client: FlaskClient) -> FlaskClient:
    """Return another browser with a copy of this one's cookie."""
    found, other = client.get_cookie("companion"), app.test_client()
    assert found is not None
    other.set_cookie("companion", found.value)
    return other


def is_dealers(client: FlaskClient) -> bool:
    return bool(client.get("/api/v1/state?as=dealer").status_code == 200)


def is_phone(client: FlaskClient) -> bool:
    return bool(client.get("/api/v1/state?as=seat/1").status_code == 200)


def rows(client: FlaskClient) -> list[tuple[str, str]]:
    """Return each session's text in the list, and its handle."""
    page = client.get("/dealer/browsers").get_data(as_text=True)
    found = re.findall(r"<li>(.*?)</li>", page, re.DOTALL)
    handles = [re.search(r'value="([0-9a-f]{16})"', row) for row in found]
    texts = [" ".join(html.unescape(re.sub(r"<[^>]+>", " ", row)).split()) for row in found]
    return [(text, handle[1]) for text, handle in zip(texts, handles, strict=True) if handle]


def end(client: FlaskClient, handle: str) -> Any:
    form = {"session": handle, "csrf_token": csrf_of(client, "/dealer/browsers")}
    return client.post("/dealer/browsers/end", data=form)


def test_logging_out_ends_every_copy_of_the_cookie(app: Flask, dealer: FlaskClient) -> None:
    copy = copied(app, dealer)
    assert is_dealers(copy)
    dealer.post("/dealer/logout", headers={"X-CSRFToken": csrf_of(dealer, "/dealer")})
    assert not is_dealers(copy)


@pytest.mark.parametrize("by", [-3600.0, -5.0, 19 * 3600.0])
def test_a_cookie_from_before_the_clock_was_set_still_counts(
    app: Flask, dealer: FlaskClient, phone: FlaskClient, monkeypatch: pytest.MonkeyPatch, by: float
) -> None:
    """For pages, and for the recognition of the dealer's requests before they are queued."""
    monkeypatch.setattr("itsdangerous.timed.TimestampSigner.get_timestamp", lambda _: int(time.time() + by))
    assert is_dealers(dealer)
    assert is_phone(phone)
    cookie = dealer.get_cookie("companion")
    assert cookie is not None
    head = Head((b"GET / HTTP/1.1", b"Cookie: companion=" + cookie.value.encode()), 0, False)
    assert app.extensions["is_dealers"](head, "10.0.0.1")


def test_a_browser_is_told_how_long_to_keep_its_cookie_and_not_until_when(room: FlaskClient) -> None:
    """The table's clock may be days behind; an expiry date in the past would lock out the dealer."""
    cookies = log_in(room).headers.getlist("Set-Cookie")
    mine = next(cookie for cookie in cookies if cookie.startswith("companion="))
    assert "Max-Age=64800" in mine
    assert "Expires" not in mine


def test_leaving_a_phone_ends_every_copy_of_its_cookie(app: Flask, phone: FlaskClient) -> None:
    copy = copied(app, phone)
    assert is_phone(copy)
    phone.post("/seat/1/leave", headers={"X-CSRFToken": csrf_of(phone, "/seat/1")})
    assert not is_phone(copy)


def test_a_new_code_ends_the_old_phones_betting(app: Flask, phone: FlaskClient, dealer: FlaskClient) -> None:
    assert command(phone, BET, "/seat/1").status_code == 200
    token = csrf_of(phone, "/seat/1")
    dealer.post("/dealer/seats/1/new-code", json={}, headers={"X-CSRFToken": csrf_of(dealer, "/dealer")})
    refused = phone.post("/api/v1/commands", json=BET, headers={"X-CSRFToken": token})
    assert refused.status_code == 401
    assert not is_phone(phone)


def test_the_dealer_sees_every_browser_and_ends_one(app: Flask, phone: FlaskClient, dealer: FlaskClient) -> None:
    other = app.test_client()
    log_in(other)
    listed = rows(dealer)
    assert sorted(text.partition(" Werkzeug")[0] for text, _ in listed) == [
        "Dealer",
        "Dealer this browser",
        "Seat 1 · Aubrey",
    ]
    by_text = {text.partition(" Werkzeug")[0]: handle for text, handle in listed}
    assert end(dealer, by_text["Seat 1 · Aubrey"]).status_code == 302
    assert (is_phone(phone), is_dealers(other), is_dealers(dealer)) == (False, True, True)
    end(dealer, by_text["Dealer"])
    assert (is_dealers(other), is_dealers(dealer)) == (False, True)


def test_all_others_end_at_once(app: Flask, phone: FlaskClient, dealer: FlaskClient) -> None:
    other = app.test_client()
    log_in(other)
    end(dealer, "others")
    assert (is_phone(phone), is_dealers(other), is_dealers(dealer)) == (False, False, True)
    assert len(rows(dealer)) == 1


def test_only_the_dealer_sees_and_ends_sessions(room: FlaskClient, phone: FlaskClient, dealer: FlaskClient) -> None:
    for client in (room, phone):
        assert 'name="pin"' in client.get("/dealer/browsers").get_data(as_text=True)
        form = {"session": "others", "csrf_token": csrf_of(client, "/dealer/browsers")}
        assert client.post("/dealer/browsers/end", data=form).status_code == 401
    assert dealer.post("/dealer/browsers/end", data={"session": "others"}).status_code == 403  # no token
    assert is_phone(phone)


def test_the_list_gives_no_secret_away(dealer: FlaskClient, access: AccessStore) -> None:
    page = dealer.get("/dealer/browsers").get_data(as_text=True)
    assert all(name not in page for name in access.all_sessions())


@pytest.mark.parametrize("forged", ["x", 1, None, ["a"], {"1": "x"}])
def test_a_cookie_of_an_older_program_is_nobodys(app: Flask, room: FlaskClient, forged: object) -> None:
    room.get("/")
    with room.session_transaction() as cookie:
        cookie.update(dealer=forged, seats={"1": forged} if forged != 1 else 1)
    assert not is_dealers(room)
    assert not is_phone(room)
    assert room.get("/").status_code == 200


# ---- locked out


def test_a_browser_that_was_the_dealers_is_not_kept_waiting_by_others(app: Flask, dealer: FlaskClient) -> None:
    dealer.post("/dealer/logout", headers={"X-CSRFToken": csrf_of(dealer, "/dealer")})
    mark = dealer.get_cookie(KNOWN_COOKIE)
    assert mark is not None
    assert mark.http_only
    shared = app.test_client()
    for _ in range(FREE_GUESSES):
        log_in(shared, "9999")
    assert log_in(shared).status_code == 429
    assert log_in(dealer).status_code == 302


def test_strangers_from_everywhere_do_not_lock_the_dealers_address(app: Flask, access: AccessStore) -> None:
    def log_in_from(address: str, pin: str) -> int:
        client = app.test_client()
        client.environ_base["REMOTE_ADDR"] = address
        return int(log_in(client, pin).status_code)

    assert log_in_from("10.1.0.1", PIN) == 302
    for number in range(FREE_GUESSES_TOGETHER):
        log_in_from(f"10.0.0.{number}", "9999")
    assert log_in_from("10.0.1.1", PIN) == 429
    assert log_in_from("10.1.0.1", PIN) == 302
    assert log_in_from("10.0.1.1", access.make_login_code()) == 302


def test_a_guest_with_the_right_code_joins_whatever_others_at_the_address_try(app: Flask, access: AccessStore) -> None:
    noisy = app.test_client()
    token = csrf_of(noisy, "/seat/1")
    tried = [noisy.post("/seat/1/join", data={"code": "WRONG", "csrf_token": token}).status_code for _ in range(60)]
    assert tried == [401] * (FREE_GUESSES - 1) + [429] * (61 - FREE_GUESSES)
    for _ in range(FREE_GUESSES):
        log_in(noisy, "9999")
    guest = app.test_client()
    form = {"code": access.seat_code(1), "csrf_token": csrf_of(guest, "/seat/1")}
    assert guest.post("/seat/1/join", data=form).status_code == 302


def test_a_phone_bets_on_while_another_client_of_its_address_floods(app: Flask, phone: FlaskClient) -> None:
    flood = app.test_client()
    answers = {flood.post("/api/v1/commands", json=BET).status_code for _ in range(60)}
    assert 429 in answers
    assert command(phone, BET, "/seat/1").status_code == 200


def test_a_program_with_the_pin_works_on_under_the_flood(app: Flask, room: FlaskClient) -> None:
    assert room.post("/api/v1/commands", json=BET, headers=bearer()).status_code == 200
    flood = app.test_client()
    for _ in range(60):
        flood.post("/api/v1/commands", json=BET)
    assert room.post("/api/v1/commands", json=BET, headers=bearer()).status_code == 200


def test_a_program_that_keeps_cookies_works_on_while_its_address_is_locked(app: Flask, room: FlaskClient) -> None:
    assert room.get("/api/v1/state?as=dealer", headers=bearer()).status_code == 200
    guesser = app.test_client()
    for _ in range(FREE_GUESSES):
        guesser.get("/api/v1/state?as=dealer", headers=bearer("9999"))
    assert guesser.get("/api/v1/state?as=dealer", headers=bearer()).status_code == 429
    assert room.get("/api/v1/state?as=dealer", headers=bearer()).status_code == 200


def test_a_full_disk_gives_no_free_guesses_and_keeps_no_dealer_out(
    app: Flask, room: FlaskClient, access: AccessStore
) -> None:
    dealer = app.test_client()
    dealer.environ_base["REMOTE_ADDR"] = "10.0.0.1"
    room_token, token = csrf_of(room, "/dealer"), csrf_of(dealer, "/dealer")
    seat, code = csrf_of(room, "/seat/1"), access.seat_code(1)
    with full_disk():
        form = {"pin": "9999", "csrf_token": room_token}
        tried = [room.post("/dealer/login", data=form).status_code for _ in range(FREE_GUESSES + 1)]
        assert tried == [401] * (FREE_GUESSES - 1) + [429] * 2
        assert dealer.post("/dealer/login", data={"pin": PIN, "csrf_token": token}).status_code == 302
        assert is_dealers(dealer)
        assert room.post("/seat/1/join", data={"code": code, "csrf_token": seat}).status_code == 302
        refused = dealer.post("/api/v1/commands", json=BET, headers=bearer())
        assert (refused.status_code, refused.get_json()["code"]) == (507, "not-saved")
        assert room.get("/").status_code == 200


def test_a_browser_that_was_right_is_marked_for_a_year(room: FlaskClient) -> None:
    log_in(room)
    mark = room.get_cookie(KNOWN_COOKIE)
    assert mark is not None
    assert mark.max_age == 365 * 24 * 3600
