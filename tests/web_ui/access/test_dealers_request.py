"""The server recognizes the dealer's requests by their headers: they get reserved threads."""

from collections.abc import Callable

import pytest
from flask import Flask
from flask.testing import FlaskClient
from webclient import PIN, csrf_of

from web_ui.access.rights import dealers_request
from web_ui.access.store import AccessStore
from web_ui.serving.framing import Head


@pytest.fixture
def is_dealers(app: Flask, access: AccessStore) -> Callable[..., bool]:
    asked = dealers_request(app, access)
    return lambda *lines: asked(Head((b"GET / HTTP/1.1", *(line.encode() for line in lines)), 0, False), "127.0.0.1")


def cookie(client: FlaskClient) -> str:
    found = client.get_cookie("companion")
    assert found is not None
    return f"Cookie: companion={found.value}"


def test_a_logged_in_browsers_until_it_logs_out(is_dealers: Callable[..., bool], dealer: FlaskClient) -> None:
    shown = cookie(dealer)
    assert is_dealers(shown)
    assert not is_dealers(shown[:-1])
    dealer.post("/dealer/logout", headers={"X-CSRFToken": csrf_of(dealer, "/dealer")})
    assert not is_dealers(shown)


def test_neither_a_phones_nor_a_strangers(
    is_dealers: Callable[..., bool], phone: FlaskClient, room: FlaskClient
) -> None:
    room.get("/dealer")
    assert not any(is_dealers(head) for head in (cookie(phone), cookie(room), "Cookie: companion=", "X: y"))


def test_a_programs_that_shows_a_pin_which_was_right_before(
    is_dealers: Callable[..., bool], room: FlaskClient, access: AccessStore
) -> None:
    """A new PIN is queued like other requests, as verifying it takes time."""
    shown = f"Authorization: Bearer {PIN}"
    assert not is_dealers(shown)
    assert room.get("/api/v1/state", headers={"Authorization": f"bearer {PIN}"}).status_code == 200
    assert is_dealers(shown)
    assert is_dealers(shown.replace("Bearer", "bearer"))
    assert not is_dealers(shown.replace("Bearer", "Basic"))
    assert not is_dealers("Authorization: Bearer 9999")
