"""The live table: durable before acknowledged, applied once, and what is not saved never happened."""

import json
import logging
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from service_words import BET, blocked, code, coins, do

from companion.journal.store import JournalError
from companion.kernel.errors import Internal, NotSaved, Outdated, TableError
from companion.service.table_service import TableService

Start = Callable[..., TableService]


# ---- commands


def test_an_accepted_command_is_in_the_file(service: TableService, path: Path) -> None:
    """When submit returns, another connection sees the entry."""
    accepted = service.submit(BET, source="seat/1", key="k1")
    with sqlite3.connect(path) as other:
        row = other.execute("SELECT seq, source, key, record FROM entry ORDER BY seq DESC").fetchone()
    assert row == (accepted.seq, "seat/1", "k1", json.dumps(BET, separators=(",", ":")))
    assert accepted.events[0]["text"] == "Ann bets 10 on Mages to cut"


def test_a_refused_command_changes_nothing(service: TableService) -> None:
    """A refusal has the rules' code, and neither the view nor the journal changes."""
    before, version = service.events(0, 100), service.version
    with pytest.raises(TableError) as error:
        do(service, "deal 6D3")
    assert code(error) == "wrong-phase"
    assert (service.events(0, 100), service.version) == (before, version)


def test_what_was_submitted_is_on_view(service: TableService) -> None:
    """The giver of a command sees its effect in the next view."""
    do(service, "bet Ann cut/2 10")
    assert coins(service) == {"Ann": 90, "Bo": 50}
    assert service.view()["bets"][0]["on"] == "cut/2"


@pytest.mark.parametrize(
    ("bad", "expected"),
    [
        ([], "bad-script"),
        ({"do": "bet", "player": "Ann", "on": "cut/2", "amount": float("nan")}, "bad-script"),
        ({"do": "bet", "player": "Ann", "on": "cut/2", "amount": 10**40}, "bad-amount"),
        ({"do": "buy-in", "player": "Ann", "coins": 10**5000}, "bad-script"),
        ({"do": "bet", "player": "Ann", "on": "cut/2", "amount": True}, "bad-amount"),
        ({"do": "undo", "note": object()}, "bad-script"),
        ({"do": "undo", "note": "x" * 70_000}, "bad-script"),
        ({"do": "juggle"}, "unknown-verb"),
        ({"verb": "undo"}, "bad-script"),
        ({"do": "join", "player": "\ud800"}, "bad-script"),
    ],
)
def test_strange_commands_are_refused(service: TableService, bad: Any, expected: str) -> None:
    """Whatever the input, the answer is an error code, and the table keeps running."""
    with pytest.raises(TableError) as error:
        service.submit(bad, source="dealer")
    assert code(error) == expected
    do(service, "bet Ann cut/2 10")


def test_no_sum_grows_beyond_what_a_browser_counts_exactly(service: TableService) -> None:
    """Each buy-in may be large; all coins together stay below 2**53, and the refused one changes nothing."""
    one = {"do": "buy-in", "player": "Ann", "coins": 10**15}
    for _ in range(4):  # counted twice: with the player, and as given out by the cage
        service.submit(one, source="dealer")
    before = coins(service)
    with pytest.raises(TableError, match="9,007,199,254,740,991") as error:
        service.submit(one, source="dealer")
    assert code(error) == "over-limit"
    assert coins(service) == before == {"Ann": 4 * 10**15 + 100, "Bo": 50}
    assert sum(before.values()) < 2**53
    do(service, "bet Bo cut/2 10")


def test_a_payout_that_no_page_could_show_is_refused_until_the_bet_is_undone(service: TableService) -> None:
    service.submit({"do": "buy-in", "player": "Ann", "coins": 10**15}, source="dealer")
    service.submit({"do": "bet", "player": "Ann", "on": "day/7", "amount": 10**15}, source="dealer")
    do(service, "no-more-bets")
    *most, last = (f"deal 7D{number}" for number in range(1, 8))
    for words in most:
        do(service, words)
    with pytest.raises(TableError, match="undo the largest bet"):
        do(service, last)
    for _ in range(len(most) + 2):
        do(service, "undo")
    assert coins(service)["Ann"] == 10**15 + 100


def test_a_command_is_played_as_it_was_when_given(service: TableService) -> None:
    """A caller may reuse its record: the table works on the serialised copy."""
    mine = dict(BET)
    service.submit(mine, source="dealer")
    mine["amount"] = 99
    assert service.events(0, 10)[-1]["record"]["amount"] == 10


# ---- keys


def test_a_key_is_played_once(service: TableService) -> None:
    """The same key again gets the same answer, and coins move once."""
    first = service.submit(BET, source="seat/1", key="k1")
    do(service, "bet Bo cut/3 2")
    assert service.submit(BET, source="seat/1", key="k1") == first
    assert coins(service) == {"Ann": 90, "Bo": 48}


def test_a_key_is_known_after_a_restart(start: Start) -> None:
    """A client that never got the answer may retry after the crash."""
    first = start().submit(BET, source="seat/1", key="k1")
    again = start()
    assert again.submit(BET, source="seat/1", key="k1") == first
    assert coins(again) == {"Ann": 90, "Bo": 50}


def test_a_key_belongs_to_one_command(service: TableService) -> None:
    """Another command under a used key is refused, not answered with something else."""
    service.submit(BET, source="seat/1", key="k1")
    with pytest.raises(TableError, match="belongs to another command") as error:
        service.submit(BET | {"amount": 11}, source="seat/1", key="k1")
    assert code(error) == "key-reused"


def test_a_refused_key_may_be_tried_again(service: TableService) -> None:
    """A refusal does not use the key up."""
    with pytest.raises(TableError):
        service.submit({"do": "deal", "card": "6D3"}, source="dealer", key="k")
    do(service, "no-more-bets")
    assert service.submit({"do": "deal", "card": "6D3"}, source="dealer", key="k").seq == 3


def test_many_threads_with_the_same_keys(service: TableService) -> None:
    """Forty threads, ten keys, each key sent four times at once: ten bets."""
    answers: list[tuple[int, int]] = []

    def send(number: int) -> None:
        accepted = service.submit(BET | {"amount": 1 + number}, source="seat/1", key=f"k{number}")
        answers.append((number, accepted.seq))

    threads = [threading.Thread(target=send, args=(n % 10,)) for n in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 40
    assert len(set(answers)) == 10
    assert coins(service)["Ann"] == 100 - sum(range(1, 11))


# ---- trouble


class FailingDisk:
    """Makes the journal's commits fail, like a full disk."""

    def __init__(self, service: TableService) -> None:
        self._journal = service._files.journal
        self._append = service._files.journal.append
        self.is_full = True
        service._files.journal.append = self  # type: ignore[method-assign]

    def __call__(self, drafts: Any) -> Any:
        if self.is_full:
            raise JournalError("The journal cannot be used: the disk is full. Make room; the table goes on by itself.")
        return self._append(drafts)


def test_nothing_is_played_that_cannot_be_saved(service: TableService) -> None:
    """On a full disk commands are refused, the table stays as on disk, everybody is told, and it recovers."""
    do(service, "bet Ann cut/2 10", "bet Bo cut/3 6", "undo")
    before = service.view()
    disk = FailingDisk(service)
    for text in ("redo", "undo", "bet Ann cut/4 5", "no-more-bets"):
        with pytest.raises(NotSaved, match=r"could not be saved\. .* disk is full") as error:
            do(service, text)
        assert code(error) == "not-saved"
    during = service.view()
    assert "disk is full" in during["trouble"]
    assert during.pop("journal")["state"] == "unsaved"
    assert {**during, "trouble": None, "version": 0} == {**before, "version": 0}
    disk.is_full = False
    do(service, "redo")
    assert service.view()["trouble"] is None
    assert coins(service) == {"Ann": 90, "Bo": 44}


def test_a_whole_group_is_rolled_back(service: TableService) -> None:
    """Many commands in one failed commit: all are refused, without a trace."""
    do(service, "bet Ann cut/2 10", "no-more-bets", "deal 2D1", "deal 2D2")
    before = service.view()
    disk = FailingDisk(service)
    texts = ["undo", "undo", "deal 3D1", "undo", "redo", "deal 2N2", "new-round", "bet Bo cut/2 1"]
    failed = _at_once(service, texts)
    assert failed == ["not-saved"] * len(texts)
    disk.is_full = False
    after = service.view()
    after.pop("journal", None)
    assert {**after, "trouble": None, "version": 0} == {**before, "version": 0}
    do(service, "undo", "undo", "redo", "redo")
    assert coins(service)["Ann"] == 120


def _at_once(service: TableService, texts: list[str]) -> list[str]:
    """Queue all these commands while the table thread is blocked, so that they are in one commit."""
    gate = blocked(service)
    failed: dict[int, str] = {}

    def send(place: int) -> None:
        try:
            do(service, texts[place])
        except TableError as error:
            failed[place] = error.code

    threads = []
    for place in range(len(texts)):
        threads.append(threading.Thread(target=send, args=(place,)))
        threads[-1].start()
        time.sleep(0.01)
    gate.set()
    for thread in threads:
        thread.join()
    return [failed[place] for place in range(len(texts))]


def test_our_own_mistake_is_refused_and_logged(
    service: TableService, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A bug in the rules costs one command: traceback in the log, table unchanged, service alive."""
    do(service, "bet Ann cut/2 10")
    before = service.view()

    def broken(*_: object) -> str:
        raise ZeroDivisionError("a bug")

    with monkeypatch.context() as patch, caplog.at_level(logging.ERROR):
        patch.setattr("companion.games.roche.rules.Roche.describe", broken)
        with pytest.raises(Internal) as error:
            do(service, "undo")
    assert code(error) == "internal"
    assert "ZeroDivisionError: a bug" in caplog.text
    assert service.view() == before
    do(service, "undo")
    assert coins(service)["Ann"] == 100


def test_two_who_look_at_the_same_moment_do_the_next_thing_once(service: TableService) -> None:
    """Both dealers' pages offer the same redo; the second press would redo a command that nobody has seen."""
    do(service, "bet Ann cut/2 10", "bet Bo cut/3 6", "undo", "undo")
    seen = service.view()["seq"]
    service.submit({"do": "redo"}, source="dealer", key="a", after=seen)
    with pytest.raises(TableError, match=r"came in between, so this was not played\. Look at the table") as error:
        service.submit({"do": "redo"}, source="dealer", key="b", after=seen)
    assert (code(error), coins(service)) == ("nothing-done", {"Ann": 90, "Bo": 50})
    again = service.submit({"do": "redo"}, source="dealer", key="a", after=seen)
    assert again.events[0]["event"] == "Redone", "sent again it has its answer"
    assert coins(service) == {"Ann": 90, "Bo": 50}


def test_what_was_undone_and_done_otherwise_is_not_what_was_seen(service: TableService) -> None:
    """The number of commands is the same, and the latest is a bet as before; yet it is a different one."""
    do(service, "bet Ann cut/2 10")
    seen = service.view()["seq"]
    do(service, "undo", "bet Ann cut/2 60")
    for verb in ("undo", "no-more-bets"):
        with pytest.raises(Outdated):
            service.submit({"do": verb}, source="dealer", after=seen)
    assert coins(service)["Ann"] == 40


def test_a_notice_is_nothing_that_came_in_between_before_a_restart_or_after_it(
    service: TableService, start: Start
) -> None:
    do(service, "bet Ann cut/2 10")
    seen = service.view()["seq"]
    service.notice("The camera is back.", source="camera")
    service.submit(BET, source="dealer", after=seen)
    service.notice("The camera is lost.", source="camera")
    service.close()
    service = start()
    seen = service.situation.seq
    assert seen < service.view()["seq"]
    with pytest.raises(Outdated):
        service.submit(BET, source="dealer", after=seen - 1)
    service.submit(BET, source="dealer", after=seen)


def test_what_was_seen_beyond_a_restored_backup_was_another_table(service: TableService) -> None:
    with pytest.raises(Outdated):
        service.submit(BET, source="dealer", after=service.view()["seq"] + 1)


def test_of_two_at_once_one_is_refused_even_in_one_commit(service: TableService) -> None:
    gate = blocked(service)
    refused: list[TableError] = []

    def buy_in(after: int | None) -> None:
        try:
            service.submit({"do": "buy-in", "player": "Ann", "coins": 5}, source="dealer", after=after)
        except TableError as error:
            refused.append(error)

    seen = service.view()["seq"]
    threads = [threading.Thread(target=buy_in, args=(after,)) for after in (None, seen + 1, seen + 1)]
    for thread in threads:
        thread.start()
        time.sleep(0.05)
    gate.set()
    for thread in threads:
        thread.join()
    assert [error.code for error in refused] == ["nothing-done"]
    assert coins(service)["Ann"] == 110


def test_a_slow_table_says_so(service: TableService) -> None:
    """A command not begun in time is withdrawn, and the message says so."""
    gate = blocked(service)
    first = threading.Thread(target=do, args=(service, "bet Ann cut/2 10"))
    first.start()
    time.sleep(0.05)
    with pytest.raises(TableError, match=r"was not played\. Try again") as error:
        service.submit(BET, source="dealer", timeout_s=0.05)
    gate.set()
    first.join()
    do(service, "bet Bo cut/3 6")
    assert code(error) == "no-answer"
    assert coins(service) == {"Ann": 90, "Bo": 44}


def test_close_finishes_what_is_queued(start: Start) -> None:
    """Closing twice is fine; afterwards commands are refused, and accepted ones are in the journal."""
    service = start()
    do(service, "bet Ann cut/2 10")
    service.notice("last words", source="dealer")
    service.close()
    service.close()
    with pytest.raises(TableError, match="closed"):
        do(service, "undo")
    assert start().view()["log"][-1]["text"] == "last words"
