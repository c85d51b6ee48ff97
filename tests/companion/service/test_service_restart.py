"""The live table is the same after any restart."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from service_words import coins, do

from companion.journal.store import JournalError, JournalReader
from companion.journal.verify import verify
from companion.kernel.errors import BadName
from companion.kernel.table import Table
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header

Start = Callable[..., TableService]


def test_a_restart_gives_the_same_view(start: Start) -> None:
    """Everything that a page shows is the same after a restart, redo and log included."""
    service = start()
    do(service, "bet Ann cut/2 10", "bet Bo cut/3 6", "no-more-bets", "burn 2", "deal 2D1", "deal 3N1", "undo")
    service.notice("6D3 is forged", source="camera")
    do(service, "hold", "release")
    before = service.view("dealer")
    after = start().view("dealer")
    for view in (before, after):
        view.pop("version")
    assert after == before


def test_undo_reaches_over_a_restart(start: Start) -> None:
    """After a restart all commands can be undone and redone."""
    service = start()
    do(service, "bet Ann cut/2 10", "no-more-bets", "deal 2D1", "deal 2D2")
    assert coins(service)["Ann"] == 120
    service = start()
    do(service, *["undo"] * 4)
    assert coins(service) == {"Ann": 100, "Bo": 50}
    service = start()
    do(service, *["redo"] * 4)
    assert coins(service)["Ann"] == 120


def test_a_broken_chain_is_not_played(start: Start, path: Path) -> None:
    """An altered journal does not become a table; the message names the entry."""
    do(start(), "bet Ann cut/2 10", "bet Bo cut/3 6")
    start().close()
    with sqlite3.connect(path) as other:
        other.execute("UPDATE entry SET record = replace(record, '10', '90') WHERE seq = 2")
    with pytest.raises(JournalError, match="entry 2: its contents were altered"):
        start()


def test_other_settings_begin_a_new_session(start: Start) -> None:
    """Without open stakes, other options begin a session with the same players, seats and coins."""
    service = start()
    service.submit({"do": "join", "player": "Cy", "coins": 30, "seat": 5}, source="dealer")
    do(service, "bet Ann cut/2 10", "no-more-bets", "deal 2D1", "deal 2D2")
    service = start(new_header("roche", (), {"layout": "grand", "deck": "full"}))
    view = service.view()
    assert [(p["seat"], p["name"], p["coins"]) for p in view["players"]] == [
        (1, "Ann", 120),
        (2, "Bo", 50),
        (5, "Cy", 30),
    ]
    assert (view["layout"], view["session"], view["phase"]) == ("grand", 2, "betting")
    assert "new session" in view["log"][-1]["text"]
    assert start(new_header("roche", (), {"layout": "grand", "deck": "full"})).view()["session"] == 2


def test_a_journal_opens_whoever_it_once_let_in(start: Start, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name no longer allowed may have been accepted by an earlier version, or another version of Python."""
    told = ("Ann Bo", "Ann  Bo", "\u2800", "\u0378", "x" * 41)
    service = start(new_header("roche", [(name, 50) for name in told]))
    bet = {"do": "bet", "player": "Ann  Bo", "on": "cut/6", "amount": 4}
    with monkeypatch.context() as before:
        before.setattr(Table, "check_newcomer", lambda table, record: None)
        service.submit({"do": "join", "player": "Ann   Bo", "coins": 7}, source="dealer")
    service.submit(bet, source="dealer")
    assert coins(start()) == dict.fromkeys(told, 50) | {"Ann   Bo": 7, "Ann  Bo": 46}
    with JournalReader.open(path) as reader:
        assert verify(reader, INSTALLED).wrong is None
    start().submit({**bet, "do": "take-back"}, source="dealer")
    other = start(new_header("roche", options={"layout": "grand"}))
    assert coins(other) == dict.fromkeys(told, 50) | {"Ann   Bo": 7}
    with pytest.raises(BadName):
        other.submit({"do": "join", "player": "Ann    Bo", "coins": 7}, source="dealer")


def test_open_stakes_keep_the_old_settings(start: Start) -> None:
    """With open stakes the old settings remain, and everybody is told."""
    do(start(), "bet Ann cut/2 10")
    service = start(new_header("roche", (), {"layout": "grand", "deck": "full"}))
    assert service.view()["layout"] == "basic"
    assert "coins are staked" in service.view()["log"][-1]["text"]
    assert service.view("dealer")["notices"][-1]["text"] == service.view()["log"][-1]["text"]


def test_changed_rules_do_not_change_old_payments(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the rules settle an old round differently, the recorded coins hold, and the dealer is told."""
    with monkeypatch.context() as other:
        other.setattr("companion.journal.replay.rules_fingerprint", lambda rules: "other rules")
        service = start()
    do(
        service,
        "bet Ann cut/2 10",
        "bet Bo cut/3 6",
        "no-more-bets",
        "deal 2D1",
        "deal 2D2",
        "new-round",
        "bet Bo cut/7 4",
    )
    monkeypatch.setattr("companion.games.roche.paytable.Price.winnings", lambda price, amount: 7 * amount)
    monkeypatch.setattr("companion.games.roche.audit.differences", lambda *_: ())
    service = start()
    assert coins(service) == {"Ann": 120, "Bo": 44}
    assert service.view()["staked"] == 0
    assert "The rules have changed" in service.view("dealer")["notices"][-1]["text"]
