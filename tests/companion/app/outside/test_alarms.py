"""Alarms: raised once something has lasted too long, or at once, and cleared when it is over."""

from dataclasses import replace
from pathlib import Path

import pytest
from outside_words import ASKED, Outside

from companion.app.outside.follower import Follower, Instruments, free_bytes
from companion.app.outside.picture import Picture
from companion.config.outside import AlarmsConfig
from companion.journal.store import JournalError
from companion.testing import INSTALLED


def alarms(picture: Picture) -> set[str]:
    return set(picture.alarm["alarms"])


def test_a_question_that_waits_too_long_is_an_alarm(tmp_path: Path) -> None:
    with Outside(tmp_path, alarms=AlarmsConfig(question_seconds=30)) as table:
        table.service.set_questions("camera", [ASKED])
        assert not alarms(table.look())
        assert not alarms(table.look(29.0))
        picture = table.look(1.0)
        assert picture.alarm == {"count": 1, "alarms": {"question": "2026-05-01T12:00:00.000Z"}}
        table.service.set_questions("camera", [])
        assert not alarms(table.look())
        assert table.ears.kinds() == ["question.asked", "alarm.raised", "question.answered", "alarm.cleared"]


def test_one_question_after_the_other_is_a_busy_dealer_and_no_alarm(outside: Outside) -> None:
    for number in range(10):
        outside.service.set_questions("camera", [replace(ASKED, id=f"q{number}")])
        assert not alarms(outside.look(50.0))
    outside.service.set_questions("camera", [replace(ASKED, id="q9"), replace(ASKED, id="new")])
    assert alarms(outside.look(60.0)) == {"question"}


def test_a_clock_that_is_set_raises_no_alarm_and_keeps_none_back(outside: Outside) -> None:
    outside.service.set_questions("camera", [ASKED])
    outside.look()
    outside.now += 3600.0
    assert not alarms(outside.look(30.0))
    outside.now -= 7200.0
    assert alarms(outside.look(30.0)) == {"question"}


def test_a_lost_camera_counts_once_it_is_lost_for_some_time_and_none_never(outside: Outside) -> None:
    assert not alarms(outside.look(100.0))
    outside.service.set_camera("lost", "It is gone.")
    assert not alarms(outside.look())
    assert alarms(outside.look(10.0)) == {"camera"}
    outside.service.set_camera("ok", "It is back.")
    assert not alarms(outside.look(1.0))


def test_a_long_hold_a_full_disk_and_a_stuck_table(outside: Outside) -> None:
    outside.do(do="hold")
    assert not alarms(outside.look())
    assert alarms(outside.look(300.0)) == {"hold"}
    outside.free_bytes = 999_000_000
    assert alarms(outside.look()) == {"hold", "disk"}
    outside.do(do="release")
    outside.free_bytes = 10**12
    assert not alarms(outside.look())


def test_a_table_that_does_not_come_round_is_an_alarm(tmp_path: Path) -> None:
    with Outside(tmp_path) as table:
        table.look()
        tools = Instruments(None, tmp_path, monotonic=lambda: table.service.beat + 12.0)
        follower = Follower(table.service, "table-1", AlarmsConfig(), tools)
        picture = follower.picture(table.service.glance())
    assert (picture.health["behind_s"], alarms(picture)) == (12, {"table"})


def test_a_disk_that_is_gone_has_no_room(tmp_path: Path) -> None:
    assert free_bytes(tmp_path) > 0
    assert free_bytes(tmp_path / "gone") == 0


def test_a_journal_that_cannot_be_read_is_an_alarm_all_the_same(
    outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    def damaged(*_: object) -> None:
        raise JournalError("The journal cannot be read.")

    outside.do(do="hold")
    monkeypatch.setattr(outside.service, "events", damaged)
    outside.free_bytes = 0
    assert alarms(outside.look()) == {"disk"}
    assert outside.ears.kinds() == ["alarm.raised"]
    monkeypatch.undo()
    outside.look()
    assert "table.held" in outside.ears.kinds()


def test_a_disputed_payout_is_an_alarm_at_once(outside: Outside, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two settlements that differ hold the payout: nobody waits five minutes for that."""
    rules = INSTALLED.rules("roche")
    monkeypatch.setattr(type(rules), "audit", lambda *_: ("Ann wins 8, not 9",))
    outside.do(do="bet", player="Ann", on="cut/6", amount=1)
    assert alarms(outside.look()) == {"payout"}
    assert "table.held" in outside.ears.kinds()


def test_a_dealers_own_words_are_no_dispute(outside: Outside) -> None:
    outside.do(do="hold", why="two settlements differ: no, a drink was spilt")
    assert not alarms(outside.look())
