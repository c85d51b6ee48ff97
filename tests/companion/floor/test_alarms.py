"""Alarms: when one begins and is over, by the floor's own clock, and that each is told once."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from floor_house import Chain, House
from floor_pictures import PICTURE, picture

from companion.floor import people
from companion.floor.alarms import store
from companion.floor.alarms.monitor import AlarmMonitor
from companion.floor.alarms.rules import AFTER_S, KINDS, SETTLED_S, AlarmRules, Changes, Key
from companion.floor.alarms.store import Alarm
from companion.floor.cluster import APP, OWNER, Cluster
from companion.floor.errors import FloorError
from companion.floor.migrations import migrate, migrations
from companion.floor.overview.board import Line, Reason
from companion.floor.overview.snapshots import LiveSnapshot, LiveSnapshots
from companion.kernel.messages import Message

LATER = SETTLED_S + 100


def line(number: int = 1, *, shown: LiveSnapshot | None = None, is_online: bool = True, incidents: int = 0) -> Line:
    heard = None if is_online else "2026-05-01T20:15:00.000Z"
    return Line(number, f"Table {number}", 1, 10, is_online, heard, 0, incidents, shown, None)


def kinds(changes: Changes) -> set[str]:
    return {key.kind for key in changes.raised}


# ---- when


def test_nothing_is_wrong_with_a_quiet_table():
    assert AlarmRules(0).evaluate([line(shown=picture())], [], LATER) == Changes({}, frozenset())


@pytest.mark.parametrize(
    ("one", "kind"),
    [
        (line(shown=picture(disputed=True, hold="two settlements differ")), "dispute"),
        (line(shown=picture(hold="the dealer asked for it")), "hold"),
        (line(shown=picture(asked_since="2026-05-01T20:15:00.000Z")), "question"),
        (line(shown=picture(camera="lost")), "machine"),
        (line(shown=picture(), incidents=1), "incident"),
        (line(shown=picture(), is_online=False), "offline"),
    ],
)
def test_each_alarm_begins_after_its_time_and_ends_at_once(one: Line, kind: str):
    rules, key = AlarmRules(0), Key(1, kind)  # type: ignore[arg-type]
    after = AFTER_S[key.kind]
    assert (kind in kinds(rules.evaluate([one], [], LATER))) == (after == 0)
    assert kind not in kinds(rules.evaluate([one], [], LATER + after - 0.1)) or after == 0
    assert kinds(rules.evaluate([one], [], LATER + after)) == {kind}
    assert rules.evaluate([one], [key], LATER + after + 1) == Changes({}, frozenset())
    assert rules.evaluate([line(shown=picture())], [key], LATER + after + 2).cleared == {key}


def test_what_was_over_in_between_counts_anew():
    rules, asked = AlarmRules(0), line(shown=picture(asked_since="2026-05-01T20:15:00.000Z"))
    rules.evaluate([asked], [], LATER)
    rules.evaluate([line(shown=picture())], [], LATER + 50)
    assert not rules.evaluate([asked], [], LATER + 70).raised
    assert kinds(rules.evaluate([asked], [], LATER + 130)) == {"question"}


def test_a_tables_clock_does_not_count():
    """Since when a question waits is the table's word; by a clock that is an hour ahead it has not begun."""
    rules, asked = AlarmRules(0), line(shown=picture(asked_since="2099-01-01T00:00:00.000Z"))
    rules.evaluate([asked], [], LATER)
    assert kinds(rules.evaluate([asked], [], LATER + 60)) == {"question"}


def test_what_a_table_showed_before_it_went_away_is_neither_over_nor_new():
    rules, held = AlarmRules(0), line(shown=picture(hold="the dealer asked for it"), is_online=False)
    rules.evaluate([held], [], LATER)
    assert kinds(rules.evaluate([held], [], LATER + 20)) == {"offline"}
    gone = line(shown=None, is_online=False)  # the floor was started anew
    assert not rules.evaluate([gone], [Key(1, "hold"), Key(1, "offline")], LATER + 30).cleared


def test_a_floor_that_has_just_started_calls_nobody_offline():
    rules, away = AlarmRules(0), line(shown=None, is_online=False)
    assert not rules.evaluate([away], [], 1).raised
    assert not rules.evaluate([away], [], SETTLED_S - 0.1).raised
    assert not rules.evaluate([away], [Key(1, "offline")], 1).cleared
    rules.evaluate([away], [], SETTLED_S)
    assert kinds(rules.evaluate([away], [], SETTLED_S + AFTER_S["offline"])) == {"offline"}


# ---- told once


class Heard:
    """Somebody who is told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, bool]] = []
        self.shown: list[int] = []

    def show(self, on: Sequence[Alarm], last: Alarm | None) -> None:
        self.shown.append(len(on))

    def tell(self, alarm: Alarm, *, is_over: bool) -> None:
        self.told.append((alarm.kind, is_over))


class Watched:
    """A watch over a board that the test writes."""

    def __init__(self, house: House) -> None:
        self.house, self.heard, self.now = house, Heard(), 0.0
        self.lines: list[Line] = []
        self.watch = self.new_watch()
        self.now = LATER

    def new_watch(self) -> AlarmMonitor:
        @contextmanager
        def connect() -> Iterator[psycopg.Connection[Any]]:
            yield self.house.connection

        return AlarmMonitor(connect, lambda: self.lines, [self.heard], lambda: self.now)

    def look(self, *lines: Line) -> None:
        self.lines = list(lines)
        self.now += 1
        self.watch.look()


@pytest.fixture
def watched(house: House) -> Watched:
    house.begun(Chain(), "Table 1")
    return Watched(house)


def test_each_alarm_is_told_once_and_once_more_when_it_is_over(watched: Watched):
    held, calm = line(shown=picture(hold="the dealer asked for it")), line(shown=picture())
    for _ in range(3):
        watched.look(held)
    assert watched.heard.told == [("hold", False)]
    for _ in range(3):
        watched.look(calm)
    assert watched.heard.told == [("hold", False), ("hold", True)]
    watched.look(held)
    assert watched.heard.told[2:] == [("hold", False)]
    assert watched.heard.shown == [1, 0, 1]


def test_a_floor_that_starts_again_tells_nothing_twice(watched: Watched):
    held = line(shown=picture(hold="the dealer asked for it"))
    watched.look(held)
    watched.watch = watched.new_watch()
    watched.look(held)
    assert watched.heard.told == [("hold", False)]
    assert watched.heard.shown == [1, 1]
    watched.look(line(shown=picture()))
    assert watched.heard.told == [("hold", False), ("hold", True)]


def test_an_alarm_of_which_nobody_was_told_before_a_crash_is_told(watched: Watched):
    store.write(watched.house.connection, Changes({Key(1, "dispute"): (Reason("dispute"),)}, frozenset()))
    watched.look(line(shown=picture(disputed=True, hold="two settlements differ")))
    assert watched.heard.told == [("dispute", False)]


# ---- who


def test_who_is_told_what(house: House):
    connection = house.connection
    for name, role in (("Olga", "owner"), ("Pia", "pit"), ("Dan", "dealer"), ("Aud", "auditor")):
        people.set_person(connection, name, role, "1234")  # type: ignore[arg-type]
    every = frozenset(KINDS)
    assert store.choices(connection) == {"Aud": frozenset(), "Dan": frozenset(), "Olga": every, "Pia": every}
    store.choose(connection, "Pia", ["dispute", "offline"])
    store.choose(connection, "Dan", ["question"])
    store.choose(connection, "Olga", [])
    chosen = store.choices(connection)
    assert (chosen["Pia"], chosen["Dan"]) == ({"dispute", "offline"}, {"question"})
    assert chosen["Olga"] == frozenset()
    with pytest.raises(FloorError, match="Alarms are"):
        store.choose(connection, "Pia", ["everything"])
    with pytest.raises(FloorError, match="nobody called"):
        store.choose(connection, "Eve", ["hold"])


def test_the_past_of_an_alarm_cannot_be_changed(watched: Watched):
    watched.look(line(shown=picture(hold="the dealer asked for it")))
    for change in (
        "UPDATE floor.alarm SET text = ''",
        "DELETE FROM floor.alarm",
        "UPDATE floor.alarm SET raised = now()",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            watched.house.connection.execute(change)


# ---- what it is about


def test_an_alarm_is_kept_as_codes_with_their_values(watched: Watched):
    """Whoever reads it has words of their own; the text is for programs, in English."""
    watched.look(line(shown=picture(camera="lost", disk="full", hold="On hold: so, they said: no"), incidents=2))
    watched.now += AFTER_S["machine"]
    watched.look(line(shown=picture(camera="lost", disk="full", hold="On hold: so, they said: no"), incidents=2))
    on = {alarm.kind: alarm for alarm in store.active(watched.house.connection)}
    assert {kind: alarm.needs for kind, alarm in on.items()} == {
        "incident": [{"need": "incident", "count": 2}],
        "hold": [{"need": "hold", "why": "On hold: so, they said: no"}],
        "machine": [{"need": "camera", "state": "lost"}, {"need": "disk"}],
    }
    assert on["machine"].reasons == (Reason("camera", {"state": "lost"}), Reason("disk"))
    assert on["machine"].text == "Camera: no picture, Disk nearly full"
    assert on["hold"].text == "On hold: On hold: so, they said: no"


def test_what_the_program_says_of_a_hold_is_kept_to_be_said_in_any_language(watched: Watched):
    live = LiveSnapshots()
    said = {"say": "the dealer asked for it", "with": {}}
    live.take(1, {**PICTURE, "hold": "vom Dealer verlangt", "hold_said": said})
    watched.look(line(shown=live.pictures()[1]))
    (alarm,) = store.active(watched.house.connection)
    assert alarm.needs == [{"need": "hold", "why": said}]
    (reason,) = alarm.reasons
    assert isinstance(reason.values["why"], Message)
    assert alarm.text == str(reason) == "On hold: the dealer asked for it"


def test_an_alarm_of_an_earlier_version_keeps_its_text(watched: Watched):
    connection = watched.house.connection
    connection.execute("INSERT INTO floor.alarm (table_id, kind, text) VALUES (1, 'hold', 'On hold: the dealer')")
    (alarm,) = store.active(connection)
    assert (alarm.needs, alarm.reasons, alarm.text) == (None, (), "On hold: the dealer")


def test_the_alarms_of_before_are_there_after_the_update(cluster: Cluster):
    """A database of the version before the codes, with an alarm that is on."""
    with psycopg.connect(cluster.dsn(OWNER, "postgres"), autocommit=True) as connection:
        connection.execute("CREATE DATABASE before_codes")
    try:
        with psycopg.connect(cluster.dsn(OWNER, "before_codes"), autocommit=True) as connection:
            migrate(connection, [one for one in migrations() if one[0] < 36])
            connection.execute("INSERT INTO floor.house_table (name) VALUES ('Table 1')")
            connection.execute("INSERT INTO floor.alarm (table_id, kind, text) VALUES (1, 'hold', 'On hold: so')")
            assert migrate(connection) >= 36
        with psycopg.connect(cluster.dsn(APP, "before_codes"), autocommit=True) as connection:
            assert [(one.text, one.needs) for one in store.active(connection)] == [("On hold: so", None)]
            store.write(connection, Changes({Key(1, "offline"): (Reason("offline"),)}, frozenset({Key(1, "hold")})))
            assert [one.reasons for one in store.latest(connection, 2)] == [(Reason("offline"),), ()]
    finally:
        with psycopg.connect(cluster.dsn(OWNER, "postgres"), autocommit=True) as connection:
            connection.execute("DROP DATABASE before_codes WITH (FORCE)")


@pytest.mark.parametrize(
    "told",
    [
        {"need": "flood"},
        {"need": "hold"},
        {"need": "hold", "why": {"say": "{x}", "with": {"x": "y"}}},
        {"why": "x"},
        {"need": "camera", "state": None},
    ],
)
def test_what_a_later_version_wrote_is_no_reason_that_this_one_has_words_for(told: dict[str, object]):
    alarm = Alarm(1, 1, "Table 1", "machine", "Water", "", None, [{"need": "disk"}, told])
    assert alarm.reasons == (), "then its text says all of it"


def test_what_no_database_takes_ends_nobodys_alarms(watched: Watched):
    """One table's nonsense stopped the alarms of the whole house."""
    watched.look(line(shown=picture(hold="by \0 somebody")))
    assert watched.heard.told == [("hold", False)]
    assert [alarm.text for alarm in store.active(watched.house.connection)] == ["On hold: by \ufffd somebody"]
