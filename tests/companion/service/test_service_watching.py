"""Watching a live table, and answering its questions."""

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from service_words import BET, QUESTION, TWO, code, coins, do, record

from companion.journal.hash_chain import HashChain, genesis
from companion.journal.store import JournalReader
from companion.kernel.errors import MayStillCount, Outdated, TableError
from companion.service.questions import Choice, Question
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header

Start = Callable[..., TableService]
BUY_IN = {"do": "buy-in", "player": "Bo", "coins": 10}


# ---- looking on


def test_wait_returns_on_a_change_and_on_time_out(service: TableService) -> None:
    """`wait` returns the new version after a change, and the old one after a timeout."""
    version = service.version
    assert service.wait(version, 0.05) == version
    threading.Timer(0.05, do, (service, "bet Ann cut/2 10")).start()
    begun = time.monotonic()
    assert service.wait(version, 10) == version + 1
    assert time.monotonic() - begun < 5


def test_viewers_see_their_own(service: TableService) -> None:
    """The dealer sees questions, a seat its player, the room neither."""
    service.set_questions("camera", [QUESTION])
    assert [q["id"] for q in service.view("dealer")["questions"]] == ["q1"]
    assert "questions" not in service.view("room")
    assert service.view("seat/2")["you"] == {"seat": 2, "name": "Bo", "coins": 50, "staked": 0}
    assert service.view("seat/9")["you"] is None
    assert json.loads(service.view_json("seat/2")) == service.view("seat/2")


def test_live_odds_follow_the_deal(service: TableService) -> None:
    """The odds are exact, and take the cards on the table into account."""
    do(service, "no-more-bets", "deal 2D1")
    odds = {bet["on"]: bet for bet in service.view()["odds"]}
    assert odds["night/2"]["probability"] == "0/1"
    assert sum(bet["float"] for on, bet in odds.items() if on.startswith("cut/")) == pytest.approx(1)


def test_odds_of_a_decided_round_are_those_of_the_next_deal(service: TableService) -> None:
    """A decided bet has neither chance nor edge; an undo restores the odds of the deal."""
    fresh = service.view()["odds"]
    do(service, "no-more-bets", "deal 2D1")
    before = service.view()["odds"]
    do(service, "deal 2N1")
    for viewer in ("room", "dealer", "seat/1"):
        assert service.view(viewer)["odds"] == fresh
    do(service, "undo")
    assert service.view()["odds"] == before != fresh


def test_private_notices_are_for_the_dealer(service: TableService) -> None:
    """The room's log and events lack a private notice's content, but not its entry: seqs have no gaps."""
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
    """Events are returned after a seq, up to a limit, in the journal's format."""
    do(service, "bet Ann cut/2 10")
    service.notice("hm", source="camera", data={"card": "6D3"})
    do(service, "undo")
    (entry,) = service.events(1, 1)
    assert (entry["seq"], entry["at"], entry["source"], entry["do"]) == (2, "2026-05-01T12:00:00.000Z", "dealer", "bet")
    assert entry["record"] == record("bet Ann cut/2 10")
    assert [e["do"] for e in service.events(0, 10)] == ["start", "bet", "notice", "undo"]
    assert service.events(2, 10)[0]["record"] == {"text": "hm", "data": {"card": "6D3"}}


def test_the_camera_is_on_view(service: TableService) -> None:
    """The camera's status is shown; setting the same status again changes no version."""
    assert service.view()["camera"]["status"] == "none"
    service.set_camera("lost", "Unplugged. Check its cable.", "/dev/video0")
    version = service.version
    service.set_camera("lost", "Unplugged. Check its cable.", "/dev/video0")
    assert service.version == version
    assert service.view()["camera"] == {"status": "lost", "text": "Unplugged. Check its cable.", "name": "/dev/video0"}


# ---- questions


def test_an_answer_plays_its_command(service: TableService) -> None:
    """An answer gives an ordinary command; the decision is recorded with its source; the camera fetches it once."""
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
    """An answer need not give a command; it is recorded before it is returned."""
    service.set_questions("camera", [QUESTION])
    assert service.answer("q1", "away", source="dealer") is None
    assert service.events(0, 100)[-1]["do"] == "notice"


def test_a_question_is_answered_once(service: TableService) -> None:
    """The second of two taps finds the question closed, even if the camera, not knowing yet, asks it again."""
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


def test_an_answer_is_for_the_table_that_was_asked_about(service: TableService) -> None:
    """The card asked about is entered by hand; an answer before the camera has looked again would count it twice."""
    choice = Choice("count", "Count it", {"do": "buy-in", "player": "Ann", "coins": 5})
    asked = [Question("q2", "unsure", "Five coins?", (choice,))]
    service.set_questions("camera", asked, after=service.situation.seq)
    service.submit({"do": "buy-in", "player": "Ann", "coins": 5}, source="dealer")
    with pytest.raises(Outdated):
        service.answer("q2", "count", source="panel")
    assert (coins(service)["Ann"], len(service.view("dealer")["questions"])) == (105, 1)
    service.notice("The camera looks again.", source="camera")
    service.set_questions("camera", asked, after=service.situation.seq)
    service.answer("q2", "count", source="panel")
    assert coins(service)["Ann"] == 110


def test_a_refused_answer_is_still_asked(service: TableService) -> None:
    """If the choice's command is refused, the question stays open."""
    service.set_questions("camera", [QUESTION])
    with pytest.raises(TableError) as error:
        service.answer("q1", "bad", source="dealer")
    assert code(error) == "wrong-phase"
    assert len(service.view("dealer")["questions"]) == 1
    assert service.take_answers() == ()


@pytest.mark.parametrize("is_refused", [False, True])
def test_an_answer_that_comes_too_late_is_asked_again_only_if_it_was_refused(
    service: TableService, monkeypatch: pytest.MonkeyPatch, is_refused: bool
) -> None:
    """Its bet may count: until that is known the question stays closed, and a second tap bets nothing."""
    bet = {**BET, "amount": 1000} if is_refused else BET
    question = Question("q1", "stack", "How much lies there?", (Choice("all", "10", bet),))
    table, do_it = threading.Event(), service._table.do

    def slowly(record: Mapping[str, Any]) -> Any:
        table.wait(10)
        return do_it(record)

    monkeypatch.setattr(service._table, "do", slowly)
    service.set_questions("camera", [question])
    with pytest.raises(MayStillCount):
        service.answer("q1", "all", source="dealer", timeout_s=0.2)
    shown = service.view("dealer")["questions"]
    assert (shown, service.is_deciding, service.take_answers()) == ([], True, ())
    table.set()
    ends = time.monotonic() + 10
    while service.is_deciding and time.monotonic() < ends:
        time.sleep(0.01)
    assert (service.view()["staked"], len(service.view("dealer")["questions"])) == ((0, 1) if is_refused else (10, 0))
    assert len(service.take_answers()) == (0 if is_refused else 1)
    with pytest.raises(TableError):
        service.answer("q1", "all", source="dealer")
    assert service.view()["staked"] == (0 if is_refused else 10)


def test_an_answer_to_what_was_asked_before_does_not_count(service: TableService) -> None:
    """The camera reads the card again: the button with the same id would do something else."""

    def asks(coins: int, evidence: str) -> None:
        record = {"do": "buy-in", "player": "Bo", "coins": coins, "evidence": evidence}
        yes = Choice("count", f"Yes: {coins}", record)
        service.set_questions("camera", [Question("rest:1", "confirm", "?", (yes,))])

    def mark() -> str:
        return service.view("dealer")["questions"][0]["choices"][0]["mark"]

    asks(17, "a")
    seen = mark()
    asks(17, "b")
    assert mark() == seen, "another picture of the same is no other question"
    asks(20, "c")
    with pytest.raises(TableError, match="Look at what is asked now") as error:
        service.answer("rest:1", "count", source="dealer", mark=seen)
    assert (code(error), coins(service)["Bo"]) == ("nothing-done", 50)
    service.answer("rest:1", "count", source="dealer", mark=mark())
    assert coins(service)["Bo"] == 70


def test_questions_belong_to_their_source(service: TableService) -> None:
    """One source's questions do not replace another's."""
    other: Mapping[str, Any] = {"id": "p1", "kind": "unsure", "text": "?", "choices": ()}
    service.set_questions("camera", [QUESTION])
    service.set_questions("panel", [Question(**other)])
    service.set_questions("camera", [])
    assert [q["id"] for q in service.view("dealer")["questions"]] == ["p1"]


def test_the_chain_holds_after_all_this(start: Start, path: Path) -> None:
    """A session with all of this in it verifies."""
    service = start()
    do(service, "bet Ann cut/2 10", "undo", "redo")
    service.notice("n", source="x")
    start(new_header("roche", (), {"layout": "grand"})).close()
    with JournalReader.open(path) as reader:
        assert not any(map(HashChain(genesis(reader.id)).check, reader.entries()))


# ---- evidence


def test_evidence_is_on_the_disk_before_the_command_that_names_it_is_journaled(path: Path) -> None:
    """A power cut leaves no payout without its evidence; commands without evidence wait for nothing."""
    brought: list[tuple[tuple[str, ...], int]] = []

    def bring(names: Sequence[str]) -> None:
        with JournalReader.open(path) as reader:
            brought.append((tuple(names), max((entry.seq for entry in reader.entries()), default=0)))

    with TableService.open(path, TWO, INSTALLED, evidence_to_disk=bring) as service:
        do(service, "bet Ann cut/2 10", "no-more-bets")
        assert brought == []
        accepted = service.submit({**record("deal 2D1"), "evidence": "a.picture"}, source="camera")
    assert brought == [(("a.picture",), accepted.seq - 1)]


def test_a_mistake_on_the_way_to_the_disk_does_not_stop_the_table(path: Path) -> None:
    def bring(names: Sequence[str]) -> None:
        raise RuntimeError("can't start new thread")

    with TableService.open(path, TWO, INSTALLED, evidence_to_disk=bring) as service:
        do(service, "no-more-bets")
        assert service.submit({**record("deal 2D1"), "evidence": "a.picture"}, source="camera").seq
