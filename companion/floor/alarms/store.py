"""Alarms and staff subscriptions in the database."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from psycopg import Connection
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from companion.floor.alarms.rules import KINDS, Changes, Key, Kind
from companion.floor.errors import FloorError
from companion.floor.overview.board import Reason
from companion.floor.people import Role

AT_FIRST: Final[Mapping[Role, frozenset[Kind]]] = {
    "owner": frozenset(KINDS), "pit": frozenset(KINDS), "dealer": frozenset(), "auditor": frozenset(),
}  # fmt: skip
"""Default subscriptions of a person's phones."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """An alarm that needs somebody's attention.

    Attributes:
        text: the reasons in English.
        raised, cleared: ISO 8601; `cleared` is None while the alarm is active.
        needs: the reasons in the form of `Reason.to_json`; None for alarms stored by versions that kept only the text.
    """

    id: int
    table_id: int
    table: str
    kind: Kind
    text: str
    raised: str
    cleared: str | None
    needs: Sequence[Mapping[str, Any]] | None = None

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """The structured reasons; empty if only the text is known."""
        found = [Reason.from_json(need) for need in self.needs or ()]
        reasons = tuple(one for one in found if one is not None)
        return reasons if len(reasons) == len(found) else ()

    @property
    def key(self) -> Key:
        """Identity of the alarm: at most one active alarm has this key."""
        return Key(self.table_id, self.kind)


_ISO: Final = '\'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\''
_COLUMNS: Final = (
    f"a.id, a.table_id, t.name AS table, a.kind, a.text, to_char(a.raised AT TIME ZONE 'UTC', {_ISO}) AS raised, "
    f"to_char(a.cleared AT TIME ZONE 'UTC', {_ISO}) AS cleared, a.needs "
    "FROM floor.alarm a JOIN floor.house_table t ON t.id = a.table_id"
)


def active(connection: Connection[Any]) -> Sequence[Alarm]:
    """Return the active alarms, oldest first."""
    return _found(connection, "WHERE a.cleared IS NULL ORDER BY a.id")


def latest(connection: Connection[Any], most: int) -> Sequence[Alarm]:
    """Return the latest alarms, active or cleared, newest first."""
    return _found(connection, f"ORDER BY a.id DESC LIMIT {int(most)}")


def unsent(connection: Connection[Any]) -> Sequence[Alarm]:
    """Return the alarms whose start or end has not been sent to phones, oldest first."""
    where = "WHERE a.told_raised IS NULL OR (a.cleared IS NOT NULL AND a.told_cleared IS NULL) ORDER BY a.id LIMIT 200"
    return _found(connection, where)


def _found(connection: Connection[Any], where: str) -> Sequence[Alarm]:
    with connection.cursor(row_factory=class_row(Alarm)) as cursor:
        return cursor.execute(f"SELECT {_COLUMNS} {where}".encode()).fetchall()


def write(connection: Connection[Any], changes: Changes) -> None:
    """Store alarms that were raised or cleared."""
    with connection.transaction():
        for key, reasons in changes.raised.items():
            text, needs = ", ".join(map(str, reasons)), [_storable(reason.to_json()) for reason in reasons]
            connection.execute(
                "INSERT INTO floor.alarm (table_id, kind, text, needs) VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING",
                (key.table_id, key.kind, _storable(text)[:1000], Jsonb(needs)),
            )
        for key in changes.cleared:
            connection.execute(
                "UPDATE floor.alarm SET cleared = now() WHERE table_id = %s AND kind = %s AND cleared IS NULL",
                tuple(key),
            )


def _storable(told: Any) -> Any:
    """Return a value that PostgreSQL can store, so that one table's invalid text cannot block other tables' alarms."""
    if isinstance(told, dict):
        return {name: _storable(value) for name, value in told.items()}
    return told.replace("\0", "\N{REPLACEMENT CHARACTER}") if isinstance(told, str) else told


def mark_sent(connection: Connection[Any], alarm: Alarm, *, is_over: bool) -> bool:
    """Mark an alarm's start or end as sent; return whether this call was the first to do so."""
    column = "told_cleared" if is_over else "told_raised"
    done = connection.execute(
        f"UPDATE floor.alarm SET {column} = now() WHERE id = %s AND {column} IS NULL".encode(), (alarm.id,)
    )
    return done.rowcount == 1


def choices(connection: Connection[Any]) -> dict[str, frozenset[Kind]]:
    """Return the alarm kinds that each person subscribes to."""
    rows = connection.execute(
        "SELECT p.name, p.role, c.kinds FROM floor.person p LEFT JOIN floor.alarm_choice c ON c.person = p.name "
        "ORDER BY p.name"
    )
    return {
        name: AT_FIRST[role] if kinds is None else frozenset(kind for kind in KINDS if kind in kinds)
        for name, role, kinds in rows
    }


def choose(connection: Connection[Any], person: str, kinds: Iterable[str]) -> None:
    """Set the alarm kinds a person subscribes to.

    Raises:
        FloorError: no such person, or no such alarm kind.
    """
    chosen = sorted(set(kinds))
    if not set(chosen) <= set(KINDS):
        raise FloorError.coded("bad-request", "Alarms are {kinds}.", kinds=", ".join(KINDS))
    if connection.execute("SELECT 1 FROM floor.person WHERE name = %s", (person,)).fetchone() is None:
        raise FloorError.coded("bad-name", "There is nobody called {name}.", name=repr(person[:60]))
    connection.execute(
        "INSERT INTO floor.alarm_choice (person, kinds) VALUES (%s, %s) "
        "ON CONFLICT (person) DO UPDATE SET kinds = excluded.kinds",
        (person, chosen),
    )
