"""What somebody outside may ask of the table: to hold, and to go on, but never to pay a disputed payout."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.app.integrations.remote_commands import execute
from companion.journal.store import Journal
from companion.kernel.errors import WrongPhase
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header


@pytest.fixture
def service(tmp_path: Path) -> Iterator[TableService]:
    with TableService.open(tmp_path / "journal.db", new_header("roche", (("Ann", 10),)), INSTALLED) as table:
        yield table


def test_a_release_that_waits_while_a_payout_becomes_disputed_pays_nothing(
    service: TableService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever asks for nothing but releases has always one waiting when the table has something to release."""
    append, begun, go_on = Journal.append, threading.Event(), threading.Event()

    def slow(self: Journal, drafts: object) -> object:
        begun.set()
        assert go_on.wait(5)
        return append(self, drafts)  # type: ignore[arg-type]

    monkeypatch.setattr(type(INSTALLED.rules("roche")), "audit", lambda *_: ("Ann wins 8, not 9",))
    monkeypatch.setattr(Journal, "append", slow)
    bet = {"do": "bet", "player": "Ann", "on": "cut/6", "amount": 1}
    betting = threading.Thread(target=service.submit, args=(bet,), kwargs={"source": "dealer"})
    betting.start()
    assert begun.wait(5)  # the table writes down what becomes disputed by it; nobody sees that yet
    found: list[Exception] = []

    def release() -> None:
        try:
            execute(service, "release", "mqtt")
        except WrongPhase as error:
            found.append(error)

    asking = threading.Thread(target=release)
    asking.start()
    while service._jobs.empty() and asking.is_alive():
        time.sleep(0.005)
    go_on.set()
    betting.join()
    asking.join()
    assert ["A payout is disputed" in str(error) for error in found] == [True]
    assert service.view("room")["hold"]
    service.submit({"do": "release"}, source="dealer")
    assert not service.view("room")["hold"]


def test_from_outside_a_table_is_held_and_goes_on(service: TableService) -> None:
    execute(service, "hold", "mqtt")
    assert service.view("room")["hold"] == "the dealer asked for it"
    execute(service, "release", "mqtt")
    assert service.view("room")["hold"] is None
