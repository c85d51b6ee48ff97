"""Alarms: raised once something has lasted too long, or at once, and cleared when it is over."""

from dataclasses import replace
from pathlib import Path

import pytest
from integration_rig import ASKED, IntegrationRig

from companion.app.integrations.broadcaster import Broadcaster, Sensors, free_bytes
from companion.app.integrations.public_snapshot import PublicSnapshot
from companion.config.integrations import AlarmsConfig
from companion.journal.store import JournalError
from companion.testing import INSTALLED


def alarms(snapshot: PublicSnapshot) -> set[str]:
    return set(snapshot.alarm["alarms"])


def test_a_question_that_waits_too_long_is_an_alarm(tmp_path: Path) -> None:
    with IntegrationRig(tmp_path, alarms=AlarmsConfig(question_seconds=30)) as table:
        table.service.set_questions("camera", [ASKED])
        assert not alarms(table.look())
        assert not alarms(table.look(29.0))
        snapshot = table.look(1.0)
        assert snapshot.alarm == {"count": 1, "alarms": {"question": "2026-05-01T12:00:00.000Z"}}
        table.service.set_questions("camera", [])
        assert not alarms(table.look())
        assert table.ears.kinds() == ["question.asked", "alarm.raised", "question.answered", "alarm.cleared"]


def test_one_question_after_the_other_is_a_busy_dealer_and_no_alarm(rig: IntegrationRig) -> None:
    for number in range(10):
        rig.service.set_questions("camera", [replace(ASKED, id=f"q{number}")])
        assert not alarms(rig.look(50.0))
    rig.service.set_questions("camera", [replace(ASKED, id="q9"), replace(ASKED, id="new")])
    assert alarms(rig.look(60.0)) == {"question"}


def test_a_clock_that_is_set_raises_no_alarm_and_keeps_none_back(rig: IntegrationRig) -> None:
    rig.service.set_questions("camera", [ASKED])
    rig.look()
    rig.now += 3600.0
    assert not alarms(rig.look(30.0))
    rig.now -= 7200.0
    assert alarms(rig.look(30.0)) == {"question"}


def test_a_lost_camera_counts_once_it_is_lost_for_some_time_and_none_never(rig: IntegrationRig) -> None:
    assert not alarms(rig.look(100.0))
    rig.service.set_camera("lost", "It is gone.")
    assert not alarms(rig.look())
    assert alarms(rig.look(10.0)) == {"camera"}
    rig.service.set_camera("ok", "It is back.")
    assert not alarms(rig.look(1.0))


def test_a_long_hold_a_full_disk_and_a_stuck_table(rig: IntegrationRig) -> None:
    rig.do(do="hold")
    assert not alarms(rig.look())
    assert alarms(rig.look(300.0)) == {"hold"}
    rig.free_bytes = 999_000_000
    assert alarms(rig.look()) == {"hold", "disk"}
    rig.do(do="release")
    rig.free_bytes = 10**12
    assert not alarms(rig.look())


def test_a_table_that_does_not_come_round_is_an_alarm(tmp_path: Path) -> None:
    with IntegrationRig(tmp_path) as table:
        table.look()
        tools = Sensors(None, tmp_path, monotonic=lambda: table.service.beat + 12.0)
        broadcaster = Broadcaster(table.service, "table-1", AlarmsConfig(), tools)
        snapshot = broadcaster.snapshot(table.service.glance())
    assert (snapshot.health["behind_s"], alarms(snapshot)) == (12, {"table"})


def test_a_disk_that_is_gone_has_no_room(tmp_path: Path) -> None:
    assert free_bytes(tmp_path) > 0
    assert free_bytes(tmp_path / "gone") == 0


def test_a_journal_that_cannot_be_read_is_an_alarm_all_the_same(
    rig: IntegrationRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    def damaged(*_: object) -> None:
        raise JournalError("The journal cannot be read.")

    rig.do(do="hold")
    monkeypatch.setattr(rig.service, "events", damaged)
    rig.free_bytes = 0
    assert alarms(rig.look()) == {"disk"}
    assert rig.ears.kinds() == ["alarm.raised"]
    monkeypatch.undo()
    rig.look()
    assert "table.held" in rig.ears.kinds()


def test_a_disputed_payout_is_an_alarm_at_once(rig: IntegrationRig, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two settlements that differ hold the payout: nobody waits five minutes for that."""
    rules = INSTALLED.rules("roche")
    monkeypatch.setattr(type(rules), "audit", lambda *_: ("Ann wins 8, not 9",))
    rig.do(do="bet", player="Ann", on="cut/6", amount=1)
    assert alarms(rig.look()) == {"payout"}
    assert "table.held" in rig.ears.kinds()


def test_a_dealers_own_words_are_no_dispute(rig: IntegrationRig) -> None:
    rig.do(do="hold", why="two settlements differ: no, a drink was spilt")
    assert not alarms(rig.look())
