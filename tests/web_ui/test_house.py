"""The owner's page: access, contents, and the buttons' actions."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from webclient import csrf_of, log_in

from companion.app.integrations.link import LinkState
from companion.app.operations.backups import BackupFile, JobState, Refused
from companion.app.operations.house import HouseState
from companion.app.operations.self_check import SelfCheck
from companion.app.operations.update import Installed, InstallMethod
from companion.journal.backups.pending import Pending
from companion.kernel.messages import message, plural
from companion.service.table_service import TableService
from web_ui import AccessStore, create_app

NAME = "companion-20260501T120000Z.tar.gz"
STATE = HouseState(
    is_safe=False,
    checked=SelfCheck("same", 700, (), "ab" * 32),
    meters={"starts": 3, "staked": 12345},
    job=JobState(),
    files=[BackupFile(Path("/x") / NAME, datetime(2026, 5, 1, 12, tzinfo=UTC), 2_000_000, is_away=True)],
    away=Path("/media/stick"),
    is_away_there=True,
    pending=None,
    installed=Installed("1.2", "20260501-120000", InstallMethod.RELEASE),
)


class Operations:
    """Records the requested actions."""

    def __init__(self) -> None:
        self.shown = STATE
        self.asked: list[Any] = []

    def state(self) -> HouseState:
        return self.shown

    @property
    def checked(self) -> SelfCheck | None:
        return self.shown.checked

    def accept_key(self) -> None:
        self.asked.append("accept_key")

    def back_up(self, *, away: bool) -> None:
        self.asked.append(("back_up", away))

    def restore(self, name: str, *, away: bool) -> None:
        self.asked.append(("restore", name, away))
        raise Refused(message("There is no such backup any more. Load the page again."))

    def drop_restore(self) -> None:
        self.asked.append("drop")

    def restart(self, *, safe: bool) -> None:
        self.asked.append(("restart", safe))


@pytest.fixture
def operations() -> Operations:
    return Operations()


@pytest.fixture
def app(service: TableService, access: AccessStore, operations: Operations) -> Flask:
    return create_app(service, access=access, operations=operations, test_config={"TESTING": True})


@pytest.fixture
def owner(app: Flask) -> FlaskClient:
    client = app.test_client()
    log_in(client)
    return client


def words(client: FlaskClient) -> str:
    page = client.get("/dealer/house").get_data(as_text=True)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def press(client: FlaskClient, what: str, **form: str) -> Any:
    return client.post(f"/dealer/house/{what}", data={"csrf_token": csrf_of(client, "/dealer/house"), **form})


def test_the_page_shows_backups_files_and_meters(owner: FlaskClient) -> None:
    page = words(owner)
    for said in (
        "1 May 2026, 12:00 UTC",
        "on the second medium",
        "All 700 files are as the release was signed (key abab abab abab abab)",
        "12,345",
        "1.2",
    ):
        assert said in page


def test_each_button_asks_for_what_it_says(owner: FlaskClient, operations: Operations) -> None:
    assert press(owner, "backup").status_code == 302
    press(owner, "backup", away="1")
    press(owner, "drop-restore")
    assert "The table is restarting" in press(owner, "restart").get_data(as_text=True)
    press(owner, "restart", safe="1")
    assert operations.asked == [("back_up", False), ("back_up", True), "drop", ("restart", False), ("restart", True)]
    assert press(owner, "explode").status_code == 404


def test_what_cannot_be_done_is_said_on_the_page(owner: FlaskClient, operations: Operations) -> None:
    answer = press(owner, "restore", name=NAME, away="1")
    assert answer.status_code == 409
    assert "There is no such backup any more." in answer.get_data(as_text=True)
    assert operations.asked == [("restore", NAME, True)]


def test_nobody_but_the_dealer_sees_or_does_anything(
    room: FlaskClient, phone: FlaskClient, operations: Operations
) -> None:
    for client in (room, phone):
        assert "Backups" not in words(client)
        token = csrf_of(client, "/dealer/house")
        for what in ("backup", "restore", "restart"):
            answer = client.post(f"/dealer/house/{what}", data={"csrf_token": token})
            assert answer.status_code in (401, 403)
    assert operations.asked == []


def test_no_other_page_can_press_a_button(owner: FlaskClient, operations: Operations) -> None:
    assert owner.post("/dealer/house/restart").status_code == 403
    assert operations.asked == []


def test_what_is_under_way_is_followed_and_what_failed_is_told(owner: FlaskClient, operations: Operations) -> None:
    operations.shown = replace(STATE, job=JobState("restore", is_running=True, done=0.4))
    page = owner.get("/dealer/house").get_data(as_text=True)
    assert '<meta http-equiv="refresh" content="2">' in page
    assert 'value="40"' in page
    assert page.count(" disabled") == page.count('<button type="submit"')
    operations.shown = replace(STATE, job=JobState("backup", error="The disk is full."))
    assert "The backup failed. The disk is full." in words(owner)
    why = message("{file} cannot be read: {why}. Check the path.", file="/away/x", why=message("Permission denied"))
    operations.shown = replace(STATE, job=JobState("backup", error=why))
    owner.set_cookie("language", "de")
    assert "/away/x kann nicht gelesen werden: Keine Berechtigung. Den Pfad prüfen." in words(owner)
    assert "refresh" not in owner.get("/dealer/house").get_data(as_text=True)


def test_a_backup_that_is_ready_a_pulled_stick_and_changed_files_stand_out(
    owner: FlaskClient, operations: Operations
) -> None:
    changed = SelfCheck("changed", 700, ("companion/rules.py",))
    pending = Pending(NAME, "2026-05-01T12:00:00+00:00", 42, "before-restore-x")
    operations.shown = replace(STATE, pending=pending, is_away_there=False, checked=changed, is_safe=True)
    page = words(owner)
    for said in (
        "with 42 entries of the journal, was checked",
        "/media/stick is not there",
        "companion/rules.py",
        "Safe mode",
    ):
        assert said in page


@pytest.mark.parametrize(
    ("language", "says"),
    [
        ("en", "A round is being played: 12 coins are staked. If the table goes back now, only what the backup holds"),
        ("de", "Gerade läuft eine Runde: auf Einsätzen liegen 12 Münzen."),
        ("es", "Se está jugando una ronda: hay 12 monedas apostadas."),
    ],
)
def test_whoever_goes_back_to_a_backup_in_mid_round_is_told_what_lies_on_the_table(
    owner: FlaskClient, operations: Operations, language: str, says: str
) -> None:
    """And always since when nothing counts any more, in the hour of the table's clock."""
    owner.set_cookie("language", language)
    pending = Pending(NAME, "2026-05-01T12:00:00+00:00", 42, "before-restore-x")
    staked = plural("{n} coin is staked", "{n} coins are staked", 12)
    operations.shown = replace(STATE, pending=pending, undecided=staked)
    assert says in words(owner)
    assert "2026-05-01T12:00" not in words(owner)
    operations.shown = replace(STATE, pending=pending)
    assert says[:20] not in words(owner)
    operations.shown = replace(STATE, pending=replace(pending, made="in May"))
    assert "in May" in words(owner)


@pytest.mark.parametrize(
    ("language", "says"),
    [
        ("en", "since this restore was asked for: commands 1,234, decided rounds 56. They no longer count"),
        ("de", "seit diese Wiederherstellung verlangt wurde: Befehle 1.234, entschiedene Runden 56."),
        ("es", "desde que se pidió esta restauración: órdenes 1.234, rondas decididas 56."),
    ],
)
def test_whoever_goes_back_to_a_backup_is_told_what_was_played_since(
    owner: FlaskClient, operations: Operations, language: str, says: str
) -> None:
    owner.set_cookie("language", language)
    pending = Pending(NAME, "2026-05-01T12:00:00+00:00", 42, "before-restore-x")
    operations.shown = replace(STATE, pending=pending)
    assert says[:30] not in words(owner)
    operations.shown = replace(STATE, pending=replace(pending, commands=1234, rounds=56))
    assert says in words(owner)


def test_the_page_says_how_the_broker_and_the_webhooks_fare(owner: FlaskClient, operations: Operations) -> None:
    assert "Who is told" not in words(owner)
    since, lost = datetime(2026, 5, 1, 12, tzinfo=UTC), message("There is no host {host}.", host="pit.lan")
    operations.shown = replace(STATE, links=(
        LinkState("mqtt", "broker.lan:8883", "up", since),
        LinkState("webhook", "pit.lan", "down", since, lost, lost=7),
        LinkState("webhook", "ha.lan", "waiting", since),
    ))  # fmt: skip
    page = words(owner)
    for said in (
        "MQTT broker broker.lan:8883 In order since 1 May 2026, 12:00 UTC.",
        "Webhook to pit.lan Fails since 1 May 2026, 12:00 UTC. 7 events were dropped. There is no host pit.lan.",
        "Webhook to ha.lan Nothing was sent yet.",
    ):
        assert said in page


def test_a_table_without_operations_has_no_such_page(service: TableService, access: AccessStore) -> None:
    app = create_app(service, access=access, test_config={"TESTING": True})
    assert app.test_client().get("/dealer/house").status_code == 404


def test_a_monitor_hears_which_files_are_wrong(owner: FlaskClient, operations: Operations) -> None:
    assert owner.get("/readyz").get_json()["files"] == {"state": "same", "wrong": []}
    operations.shown = replace(STATE, checked=SelfCheck("changed", 700, ("companion/rules.py",)))
    answer = owner.get("/readyz")
    assert answer.get_json()["files"] == {"state": "changed", "wrong": ["companion/rules.py"]}
    assert answer.status_code == 200, "the table can be played at all the same"
    operations.shown = replace(STATE, checked=None)
    assert owner.get("/readyz").get_json()["files"] is None


@pytest.mark.parametrize(
    ("signer", "said"), [("cd" * 32, "another key than this table's before: cdcd"), ("", "this one is not")]
)
def test_the_owner_accepts_another_key(owner: FlaskClient, operations: Operations, signer: str, said: str) -> None:
    assert 'action="/dealer/house/accept-key"' not in owner.get("/dealer/house").get_data(as_text=True)
    operations.shown = replace(STATE, checked=SelfCheck("other-key", 700, (), signer))
    assert said in words(owner).replace("&#39;", "'")
    assert press(owner, "accept-key").status_code == 302
    assert operations.asked == ["accept_key"]


@pytest.mark.parametrize("state", ["unsigned", "unlisted"])
def test_a_program_without_a_signed_list_says_so_and_does_not_nag(
    owner: FlaskClient, operations: Operations, state: Any
) -> None:
    operations.shown = replace(STATE, checked=SelfCheck(state, 700))
    page = owner.get("/dealer/house").get_data(as_text=True)
    said = {"unsigned": "nobody has signed", "unlisted": "Not an installed release"}
    assert said[state] in page
    assert 'class="error"' not in page


def update_words(client: FlaskClient, query: str = "") -> str:
    page = client.get(f"/dealer/house/update{query}").get_data(as_text=True)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def test_the_update_page_checks_what_should_be_done_before(owner: FlaskClient, operations: Operations) -> None:
    page = update_words(owner)
    assert "sudo make install" in page
    assert "There is no backup from the last 24 hours." in page
    assert "The table is between two rounds." in page
    fresh = BackupFile(Path("/x") / NAME, datetime.now(UTC), 2_000_000, is_away=False)
    operations.shown = replace(STATE, files=[fresh], undecided=message("{coins} coins are staked", coins=5))
    page = update_words(owner)
    assert "There is a backup from the last 24 hours." in page
    assert "in the middle of a round: 5 coins are staked" in page


def test_after_an_update_the_page_says_what_came_of_it(owner: FlaskClient, operations: Operations) -> None:
    mark = owner.get("/dealer/house/update/mark").get_data(as_text=True)
    assert "The update is done" not in update_words(owner, f"?from={mark}")
    restarted = replace(STATE.installed, begun=datetime.now(UTC))
    operations.shown = replace(STATE, installed=restarted)
    assert "with the same release as before" in update_words(owner, f"?from={mark}")
    operations.shown = replace(STATE, installed=replace(restarted, version="1.3", release="20260601-120000"))
    assert "Version 1.2 ran before, version 1.3 runs now." in update_words(owner, f"?from={mark}")


def test_only_the_dealer_sees_how_it_is_updated(room: FlaskClient) -> None:
    assert "sudo" not in update_words(room)
    assert room.get("/dealer/house/update/mark").status_code == 401
