"""The live table: durable before acknowledged, played once, the same after any restart."""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from companion.errors import Internal, NotSaved, TableError
from companion.journal import FILE_NAME, JournalError, JournalReader
from companion.questions import Choice, Question
from companion.service import Accepted, TableService
from companion.table import Header

NOON = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
TWO = Header("roche", (("Ann", 100), ("Bo", 50)), {"layout": "basic", "deck": "full"})
BET = {"do": "bet", "player": "Ann", "on": "cut/2", "amount": 10}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / FILE_NAME


Start = Callable[..., TableService]


@pytest.fixture
def start(path: Path) -> Iterator[Start]:
    """Opens the service on the test's journal, again and again; closes them all."""
    opened: list[TableService] = []

    def open_(header: Header = TWO) -> TableService:
        for service in opened:
            service.close()
        opened.append(TableService.open(path, header, clock=lambda: NOON, new_id=lambda: "test"))
        return opened[-1]

    yield open_
    for service in opened:
        service.close()


@pytest.fixture
def service(start: Start) -> TableService:
    return start()


def do(service: TableService, *verbs: str, source: str = "dealer") -> Accepted:
    """Submit commands written as in ``deal 6D3`` or ``bet Ann cut/6 5``."""
    for text in verbs:
        accepted = service.submit(record(text), source=source)
    return accepted


def record(text: str) -> dict[str, Any]:
    verb, *rest = text.split()
    fields = {"deal": ["card"], "bet": ["player", "on", "amount"], "burn": ["count"], "buy-in": ["player", "coins"]}
    values = [int(value) if value.isdigit() else value for value in rest]
    return {"do": verb} | dict(zip(fields.get(verb, []), values, strict=True))


def coins(service: TableService) -> dict[str, int]:
    return {player["name"]: player["coins"] for player in service.view()["players"]}


def code(error: pytest.ExceptionInfo[TableError]) -> str:
    return error.value.code


# ---- commands


def test_an_accepted_command_is_in_the_file(service: TableService, path: Path) -> None:
    """When submit returns, another connection sees the entry."""
    accepted = service.submit(BET, source="seat/1", key="k1")
    with sqlite3.connect(path) as other:
        row = other.execute("SELECT seq, source, key, record FROM entry ORDER BY seq DESC").fetchone()
    assert row == (accepted.seq, "seat/1", "k1", json.dumps(BET, separators=(",", ":")))
    assert accepted.events[0]["text"] == "Ann bets 10 on Mages to cut"


def test_a_refused_command_changes_nothing(service: TableService) -> None:
    """A refusal has the rules' code, and neither the view nor the journal moves."""
    before, version = service.events(0, 100), service.version
    with pytest.raises(TableError) as error:
        do(service, "deal 6D3")
    assert code(error) == "wrong-phase"
    assert (service.events(0, 100), service.version) == (before, version)


def test_what_was_submitted_is_on_view(service: TableService) -> None:
    """Whoever gave a command sees it in the very next view."""
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
    """Whatever comes in, the answer is a code, and the table goes on."""
    with pytest.raises(TableError) as error:
        service.submit(bad, source="dealer")
    assert code(error) == expected
    do(service, "bet Ann cut/2 10")


def test_a_command_is_played_as_it_was_when_given(service: TableService) -> None:
    """A caller may use its record again: the table works on what is written down."""
    mine = dict(BET)
    service.submit(mine, source="dealer")
    mine["amount"] = 99
    assert service.events(0, 10)[-1]["record"]["amount"] == 10


# ---- keys


def test_a_key_is_played_once(service: TableService) -> None:
    """The same key again gives the same answer, and coins move once."""
    first = service.submit(BET, source="seat/1", key="k1")
    do(service, "bet Bo cut/3 2")
    assert service.submit(BET, source="seat/1", key="k1") == first
    assert coins(service) == {"Ann": 90, "Bo": 48}


def test_a_key_is_known_after_a_restart(start: Start) -> None:
    """A client that never heard the answer may ask again after the crash."""
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


# ---- restart


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
    """All of it can be taken back after a restart, and done again."""
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
    """A journal that somebody altered does not become a table; the message names the entry."""
    do(start(), "bet Ann cut/2 10", "bet Bo cut/3 6")
    start().close()
    with sqlite3.connect(path) as other:
        other.execute("UPDATE entry SET record = replace(record, '10', '90') WHERE seq = 2")
    with pytest.raises(JournalError, match="entry 2: its contents were altered"):
        start()


def test_other_settings_begin_a_new_session(start: Start) -> None:
    """With no stakes open, other options begin a session with the same players, seats and coins."""
    service = start()
    service.submit({"do": "join", "player": "Cy", "coins": 30, "seat": 5}, source="dealer")
    do(service, "bet Ann cut/2 10", "no-more-bets", "deal 2D1", "deal 2D2")
    service = start(Header("roche", (), {"layout": "grand", "deck": "full"}))
    view = service.view()
    assert [(p["seat"], p["name"], p["coins"]) for p in view["players"]] == [
        (1, "Ann", 120),
        (2, "Bo", 50),
        (5, "Cy", 30),
    ]
    assert (view["layout"], view["session"], view["phase"]) == ("grand", 2, "betting")
    assert "new session" in view["log"][-1]["text"]
    assert start(Header("roche", (), {"layout": "grand", "deck": "full"})).view()["session"] == 2


def test_open_stakes_keep_the_old_settings(start: Start) -> None:
    """With stakes on the table the old settings hold, and everybody is told."""
    do(start(), "bet Ann cut/2 10")
    service = start(Header("roche", (), {"layout": "grand", "deck": "full"}))
    assert service.view()["layout"] == "basic"
    assert "coins are staked" in service.view()["log"][-1]["text"]
    assert service.view("dealer")["notices"][-1]["text"] == service.view()["log"][-1]["text"]


def test_changed_rules_do_not_change_old_payments(start: Start, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the rules settle an old round another way, the coins of the journal stand, and the dealer is told."""
    do(
        start(),
        "bet Ann cut/2 10",
        "bet Bo cut/3 6",
        "no-more-bets",
        "deal 2D1",
        "deal 2D2",
        "new-round",
        "bet Bo cut/7 4",
    )
    start().close()
    _rewrite_rules(path)
    monkeypatch.setattr("companion.paytable.Price.winnings", lambda price, amount: 7 * amount)
    monkeypatch.setattr("companion.games.roche_audit.differences", lambda *_: ())
    service = start()
    assert coins(service) == {"Ann": 120, "Bo": 44}
    assert service.view()["staked"] == 0
    assert "The rules have changed" in service.view("dealer")["notices"][-1]["text"]


def _rewrite_rules(path: Path) -> None:
    """Make the journal one that other rules wrote: the start entry names them, and the chain is made anew."""
    from companion.chain import entry_hash

    with sqlite3.connect(path) as file:
        prev = None
        for row in file.execute("SELECT * FROM entry ORDER BY seq").fetchall():
            seq, at, session, kind, source, key, text, events, old_prev, _ = row
            prev = prev or old_prev
            if kind == "start":
                text = json.dumps(json.loads(text) | {"rules": "other"})
            digest = entry_hash(prev, seq, at, session, kind, source, key, text, events)
            file.execute("UPDATE entry SET record = ?, prev = ?, hash = ? WHERE seq = ?", (text, prev, digest, seq))
            prev = digest


# ---- trouble


class FailingDisk:
    """Makes the journal's commits fail, as a full disk does."""

    def __init__(self, service: TableService) -> None:
        self._journal = service._journal
        self._append = service._journal.append
        self.is_full = True
        service._journal.append = self  # type: ignore[method-assign]

    def __call__(self, drafts: Any) -> Any:
        if self.is_full:
            raise JournalError("The journal cannot be used: the disk is full. Make room; the table goes on by itself.")
        return self._append(drafts)


def test_nothing_is_played_that_cannot_be_saved(service: TableService) -> None:
    """On a full disk commands are refused, the table stays where the disk is, everybody is told, and it goes on."""
    do(service, "bet Ann cut/2 10", "bet Bo cut/3 6", "undo")
    before = service.view()
    disk = FailingDisk(service)
    for text in ("redo", "undo", "bet Ann cut/4 5", "no-more-bets"):
        with pytest.raises(NotSaved, match=r"could not be saved\. .* disk is full") as error:
            do(service, text)
        assert code(error) == "not-saved"
    during = service.view()
    assert "disk is full" in during["trouble"]
    assert {**during, "trouble": None, "version": 0} == {**before, "version": 0}
    disk.is_full = False
    do(service, "redo")
    assert service.view()["trouble"] is None
    assert coins(service) == {"Ann": 90, "Bo": 44}


def test_a_whole_group_is_rolled_back(service: TableService) -> None:
    """Many commands in one failed commit: all are refused, and none has left a trace."""
    do(service, "bet Ann cut/2 10", "no-more-bets", "deal 2D1", "deal 2D2")
    before = service.view()
    disk = FailingDisk(service)
    texts = ["undo", "undo", "deal 3D1", "undo", "redo", "deal 2N2", "new-round", "bet Bo cut/2 1"]
    failed = _at_once(service, texts)
    assert failed == ["not-saved"] * len(texts)
    disk.is_full = False
    assert {**service.view(), "trouble": None, "version": 0} == {**before, "version": 0}
    do(service, "undo", "undo", "redo", "redo")
    assert coins(service)["Ann"] == 120


def _at_once(service: TableService, texts: list[str]) -> list[str]:
    """Queue all these commands while the table's thread is held up, so that they meet in one commit."""
    gate = threading.Event()
    play = service._play
    service._play = lambda job: (gate.wait(), play(job))[1]  # type: ignore[method-assign,assignment,return-value]
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
    service._play = play  # type: ignore[method-assign]
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
        patch.setattr("companion.games.roche.Roche.describe", broken)
        with pytest.raises(Internal) as error:
            do(service, "undo")
    assert code(error) == "internal"
    assert "ZeroDivisionError: a bug" in caplog.text
    assert service.view() == before
    do(service, "undo")
    assert coins(service)["Ann"] == 100


def test_a_slow_table_says_so(service: TableService) -> None:
    """A command that was not begun in time is surely not played, and the message says that."""
    gate = threading.Event()
    play = service._play
    service._play = lambda job: (gate.wait(5), play(job))[1]  # type: ignore[method-assign,assignment,return-value]
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
    """Closing twice is fine; afterwards commands are refused, and what was accepted is there."""
    service = start()
    do(service, "bet Ann cut/2 10")
    service.notice("last words", source="dealer")
    service.close()
    service.close()
    with pytest.raises(TableError, match="closed"):
        do(service, "undo")
    assert start().view()["log"][-1]["text"] == "last words"


# ---- looking on


def test_wait_returns_on_a_change_and_on_time_out(service: TableService) -> None:
    """`wait` comes back with the new version when something changes, with the old one when nothing does."""
    version = service.version
    assert service.wait(version, 0.05) == version
    threading.Timer(0.05, do, (service, "bet Ann cut/2 10")).start()
    begun = time.monotonic()
    assert service.wait(version, 10) == version + 1
    assert time.monotonic() - begun < 5


def test_viewers_see_their_own(service: TableService) -> None:
    """The dealer sees questions, a seat sees its player, the room neither."""
    service.set_questions("camera", [QUESTION])
    assert [q["id"] for q in service.view("dealer")["questions"]] == ["q1"]
    assert "questions" not in service.view("room")
    assert service.view("seat/2")["you"] == {"seat": 2, "name": "Bo", "coins": 50, "staked": 0}
    assert service.view("seat/9")["you"] is None
    assert json.loads(service.view_json("seat/2")) == service.view("seat/2")


def test_live_odds_follow_the_deal(service: TableService) -> None:
    """The odds are exact, and those of the cards that lie on the table."""
    do(service, "no-more-bets", "deal 2D1")
    odds = {bet["on"]: bet for bet in service.view()["odds"]}
    assert odds["night/2"]["probability"] == "0/1"
    assert sum(bet["float"] for on, bet in odds.items() if on.startswith("cut/")) == pytest.approx(1)


def test_private_notices_are_for_the_dealer(service: TableService) -> None:
    """The room's log and events lack what a private notice says, but not its place: numbers have no gaps."""
    service.notice("from 192.0.2.77", source="web", private=True)
    do(service, "bet Ann cut/2 10")
    assert [line["text"] for line in service.view("dealer")["log"]][-2] == "from 192.0.2.77"
    for viewer in ("room", "seat/1"):
        assert b"192.0.2.77" not in service.view_json(viewer)
        assert service.view(viewer)["log"][-1]["text"] == "Ann bets 10 on Mages to cut"
        assert service.events(1, 1, viewer)[0] | {"at": ""} == {
            "seq": 2, "at": "", "session": 1, "kind": "notice", "source": "web", "do": "notice",
            "record": {"private": True}, "events": [],
        }  # fmt: skip
    assert service.events(1, 1, "dealer")[0]["record"]["text"] == "from 192.0.2.77"


def test_events_page_through_the_journal(service: TableService) -> None:
    """Events come behind a number, up to a limit, in the journal's shape."""
    do(service, "bet Ann cut/2 10")
    service.notice("hm", source="camera", data={"card": "6D3"})
    do(service, "undo")
    (entry,) = service.events(1, 1)
    assert (entry["seq"], entry["at"], entry["source"], entry["do"]) == (2, "2026-05-01T12:00:00.000Z", "dealer", "bet")
    assert entry["record"] == record("bet Ann cut/2 10")
    assert [e["do"] for e in service.events(0, 10)] == ["start", "bet", "notice", "undo"]
    assert service.events(2, 10)[0]["record"] == {"text": "hm", "data": {"card": "6D3"}}


def test_the_camera_is_on_view(service: TableService) -> None:
    """The camera's state is shown; saying the same again changes no version."""
    assert service.view()["camera"]["status"] == "none"
    service.set_camera("lost", "Unplugged. Check its cable.", "/dev/video0")
    version = service.version
    service.set_camera("lost", "Unplugged. Check its cable.", "/dev/video0")
    assert service.version == version
    assert service.view()["camera"] == {"status": "lost", "text": "Unplugged. Check its cable.", "name": "/dev/video0"}


# ---- questions

QUESTION = Question(
    "q1",
    "early",
    "7D1 lies on the table, but bets are open.",
    (
        Choice("close", "No more bets", {"do": "no-more-bets"}),
        Choice("away", "Taken away"),
        Choice("bad", "x", {"do": "new-round"}),
    ),
    card="7D1",
)


def test_an_answer_plays_its_command(service: TableService) -> None:
    """An answer is a command like any other; who decided what is written down; the camera fetches it once."""
    service.set_questions("camera", [QUESTION])
    accepted = service.answer("q1", "close", source="dealer")
    assert accepted is not None
    assert service.view()["phase"] == "dealing"
    assert service.view("dealer")["questions"] == []
    do(service, "deal 7D1")
    notice = next(e for e in service.events(0, 100) if e["do"] == "notice")
    assert notice["record"]["text"] == "7D1 lies on the table, but bets are open. Decided: No more bets"
    assert (notice["source"], notice["record"]["data"]["choice"]) == ("dealer", "close")
    assert service.take_answers() == ((QUESTION, QUESTION.choices[0]),)
    assert service.take_answers() == ()


def test_an_answer_without_a_command(service: TableService) -> None:
    """An answer may be only an answer; it is written down before it is given."""
    service.set_questions("camera", [QUESTION])
    assert service.answer("q1", "away", source="dealer") is None
    assert service.events(0, 100)[-1]["do"] == "notice"


def test_a_question_is_answered_once(service: TableService) -> None:
    """The second of two taps finds the question gone, even if the camera asks it again before it heard."""
    service.set_questions("camera", [QUESTION])
    service.answer("q1", "away", source="dealer")
    service.set_questions("camera", [QUESTION])
    assert service.view("dealer")["questions"] == []
    for wrong in (("q1", "away"), ("q7", "away")):
        with pytest.raises(TableError) as error:
            service.answer(*wrong, source="dealer")
        assert code(error) == "nothing-done"
    service.take_answers()
    service.set_questions("camera", [QUESTION])
    assert len(service.view("dealer")["questions"]) == 1


def test_a_refused_answer_is_still_asked(service: TableService) -> None:
    """If the choice's command is refused, the question stays."""
    service.set_questions("camera", [QUESTION])
    with pytest.raises(TableError) as error:
        service.answer("q1", "bad", source="dealer")
    assert code(error) == "wrong-phase"
    assert len(service.view("dealer")["questions"]) == 1
    assert service.take_answers() == ()


def test_questions_belong_to_their_source(service: TableService) -> None:
    """One source's questions do not push out another's."""
    other: Mapping[str, Any] = {"id": "p1", "kind": "unsure", "text": "?", "choices": ()}
    service.set_questions("camera", [QUESTION])
    service.set_questions("panel", [Question(**other)])
    service.set_questions("camera", [])
    assert [q["id"] for q in service.view("dealer")["questions"]] == ["p1"]


def test_the_chain_holds_after_all_this(start: Start, path: Path) -> None:
    """A session with everything in it verifies."""
    service = start()
    do(service, "bet Ann cut/2 10", "undo", "redo")
    service.notice("n", source="x")
    start(Header("roche", (), {"layout": "grand"})).close()
    with JournalReader.open(path) as reader:
        assert reader.find_break() is None
