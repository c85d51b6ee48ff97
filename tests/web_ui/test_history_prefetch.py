"""A long journal is read in slices: no page waits for all of it, and none shows half of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.journal.history.hand_history import HandHistory
from companion.service.table_service import TableService
from companion.statistics.standings import Standings
from companion.testing import INSTALLED, new_header
from web_ui import AccessStore, create_app
from web_ui.history_prefetch import SLICE, HistoryPrefetch, caught_up

PLAYERS = (("Aubrey", 5000), ("Benedict", 5000))


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TableService]:
    """A Capital table with some chains behind it, a few entries more than several slices hold."""
    path: Path = tmp_path_factory.mktemp("long") / "journal.db"
    with TableService.open(path, new_header("rugen-capital", PLAYERS), INSTALLED) as opened:
        while opened.view()["seq"] < 2 * SLICE + 20:
            opened.submit({"do": "take", "player": "Aubrey", "number": 1, "units": 1}, source="test")
            opened.submit({"do": "close"}, source="test")
            opened.submit({"do": "throw", "face": "1d"}, source="test")
        yield opened


@pytest.fixture
def app(service: TableService, tmp_path: Path) -> Flask:
    return create_app(service, access=AccessStore(tmp_path))


@pytest.fixture
def visitor(app: Flask) -> FlaskClient:
    return app.test_client()


def fresh(service: TableService) -> tuple[HandHistory, Standings]:
    """The history and the standings as they are after a start: nothing read."""
    history = HandHistory(service.history.entries, INSTALLED)

    class Asked:
        def __init__(self) -> None:
            self.history = history
            self.games = INSTALLED

    return history, Standings(Asked())  # type: ignore[arg-type]  # it asks for nothing else


def test_a_slice_takes_in_so_much_and_no_more(service: TableService) -> None:
    history, standings = fresh(service)
    assert not history.catch_up(SLICE)
    assert history.seq == SLICE
    assert not standings.catch_up(7)
    assert standings.seq == 7
    assert caught_up(history, standings, 60)
    assert history.seq == standings.seq == service.view()["seq"]


def test_who_has_no_patience_is_told_that_it_is_not_done(service: TableService) -> None:
    history, standings = fresh(service)
    assert not caught_up(history, standings, 0)
    assert 0 < history.seq < service.view()["seq"]


def test_what_is_read_in_slices_is_what_is_read_at_once(service: TableService) -> None:
    history, standings = fresh(service)
    while not history.catch_up(13) | standings.catch_up(11):
        pass
    whole, all_at_once = fresh(service)
    assert history.hands(-1) == whole.hands(-1)
    assert standings.evenings() == all_at_once.evenings()
    (evening,) = standings.evenings()
    assert len(evening.points) == sum(hand["decided"] is not None for hand in history.hands(-1))
    assert evening.now["Aubrey"] == next(p["coins"] for p in service.view()["players"] if p["name"] == "Aubrey")


def test_the_thread_reads_everything_and_ends(service: TableService) -> None:
    history, standings = fresh(service)
    ahead = HistoryPrefetch(history, standings)
    ahead.start()
    ahead._thread.join(30)
    assert not ahead._thread.is_alive()
    assert history.seq == standings.seq == service.view()["seq"]
    ahead.close()
    ahead.close()


def test_the_thread_stops_when_it_is_told_to(service: TableService) -> None:
    history, standings = fresh(service)
    ahead = HistoryPrefetch(history, standings)
    ahead._stop.set()
    ahead.start()
    ahead._thread.join(30)
    assert history.seq <= SLICE
    ahead.close()


def test_a_page_says_that_the_journal_is_being_read_and_then_shows_it(
    visitor: FlaskClient, app: Flask, service: TableService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("web_ui.pages.history.hands.PATIENCE_S", 0)
    service.history, app.extensions["standings"] = fresh(service)
    page = visitor.get("/history").get_data(as_text=True)
    assert "The journal is being read" in page
    assert "js/reading.js" in page
    assert "Step by step" not in page
    for _ in range(10):
        page = visitor.get("/history").get_data(as_text=True)
    assert "The journal is being read" not in page
    assert "Step by step" in page
    assert visitor.get("/history/session/1").status_code == 200


def test_a_chart_of_many_hands_keeps_to_a_page(visitor: FlaskClient, service: TableService) -> None:
    page = visitor.get("/history").get_data(as_text=True)
    hands = len(service.history.hands(-1))
    assert hands > 120
    assert page.count("<tbody><tr>") == 1
    assert page.count('<th scope="row">') == 120, "the table shows as many hands as the chart"
    assert f'<th scope="row">{hands}</th>' in page or f'<th scope="row">{hands - 1}</th>' in page, (
        "the latest among them"
    )
    assert len(page) < 120_000
