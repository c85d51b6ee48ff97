"""The spectators' view: the room's view, optionally delayed, and never more than the room's."""

import json
import re
from datetime import UTC, datetime
from itertools import islice
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.service.table_service import TableService
from web_ui import AccessStore, create_app
from web_ui.live import StreamSpec, stream
from web_ui.spectators import WATCH, Spectators


def bet(service: TableService, amount: int) -> None:
    service.submit({"do": "bet", "player": "Aubrey", "on": "cut/2", "amount": amount}, source="test")


def staked(spectators: Spectators) -> int:
    view = spectators.view
    assert view is not None
    assert json.loads(spectators.view_json("en"))["staked"] == view["staked"]
    return view["staked"]


def test_without_a_delay_the_audience_sees_what_the_room_sees(service: TableService) -> None:
    spectators = Spectators(service)
    bet(service, 3)
    assert staked(spectators) == 3
    assert spectators.view_json("de") == service.view_json("room", "de")
    assert spectators.missing_s == 0


def test_what_happens_is_seen_when_it_is_old_enough(service: TableService, clock: Any) -> None:
    """Each view is delayed from its own time, even if several are pending."""
    late = Spectators(service, 10, clock)
    assert (late.view, late.version, late.missing_s, late.view_json("en")) == (None, -1, 10, b"null")
    late.keep()
    clock.now += 4
    bet(service, 3)
    late.keep()
    clock.now += 4
    bet(service, 2)
    late.keep()
    assert late.view is None
    assert late.missing_s == 2
    clock.now += 2
    assert staked(late) == 0
    clock.now += 3.9
    assert staked(late) == 0
    clock.now += 0.1
    assert staked(late) == 3
    clock.now += 4
    assert staked(late) == 5
    clock.now += 1000
    assert staked(late) == 5


def test_a_late_view_is_told_in_the_languages_of_the_pages(service: TableService, clock: Any) -> None:
    late = Spectators(service, 10, clock)
    late.keep()
    clock.now += 10
    said = {language: json.loads(late.view_json(language))["prompt"] for language in ("en", "de", "es")}
    assert len(set(said.values())) == 3
    assert said == {language: json.loads(service.view_json("room", language))["prompt"] for language in said}


def test_the_stream_is_as_late_as_the_page(service: TableService, clock: Any) -> None:
    late = Spectators(service, 10, clock)
    late.keep()
    clock.now += 9
    events = stream(service, StreamSpec(WATCH), late)
    first = b"".join(islice(events, 2))
    assert b"event: view" not in first
    told = datetime.fromisoformat(re.findall(rb'"at": "([^"]+)"', first)[0].decode())
    assert 10 <= (datetime.now(UTC) - told).total_seconds() < 20, "the time of what is seen"
    clock.now += 1
    bet(service, 3)
    told = next(events)
    assert b"event: view" in told
    assert b'"staked":0' in told


@pytest.fixture
def late_app(service: TableService, access: AccessStore) -> Flask:
    return create_app(service, access=access, test_config={"TESTING": True, "SPECTATOR_DELAY_S": 60})


def test_the_pages_wait_until_the_delay_is_over(late_app: Flask) -> None:
    for path in ("/watch", "/overlay"):
        answer = late_app.test_client().get(path)
        assert answer.status_code == 503
        assert "starts in 61 seconds" in answer.get_data(as_text=True)


SECRETS = ("questions", "notices", "sight", "risk", "secrets", "you", "intention")


def test_the_audience_gets_nothing_but_what_the_room_gets(
    service: TableService, room: FlaskClient, dealer: FlaskClient, phone: FlaskClient
) -> None:
    """Even in the dealer's browser, as it may be shown in a video."""
    bet(service, 3)
    for browser in (room, dealer, phone):
        for path in ("/watch", "/overlay"):
            answer = browser.get(path)
            assert answer.status_code == 200
            page = answer.get_data(as_text=True)
            assert not [key for key in SECRETS if f'"{key}":' in page]
            assert 'data-stream="/api/v1/spectators"' in page


@pytest.mark.parametrize(("scale", "drawn"), [("2", "2.0"), ("9", "3.0"), ("0", "0.5"), ("big", "1.0"), ("nan", "1.0")])
def test_an_overlay_is_as_large_as_asked_within_bounds(room: FlaskClient, scale: str, drawn: str) -> None:
    assert f'data-scale="{drawn}"' in room.get(f"/overlay?scale={scale}").get_data(as_text=True)


def test_an_overlay_is_the_main_part_of_its_page(room: FlaskClient) -> None:
    """Screen reader users can navigate to it."""
    assert '<main id="app"></main>' in room.get("/overlay").text


def test_an_overlay_shows_the_parts_that_are_asked_for(room: FlaskClient) -> None:
    assert '"parts":["players"]' in room.get("/overlay?parts=players,secrets").get_data(as_text=True)
    assert '"parts":["prompt","players","result"]' in room.get("/overlay?parts=none").get_data(as_text=True)
