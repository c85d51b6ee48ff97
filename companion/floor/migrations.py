"""Database migrations: numbered SQL files, each applied once in its own transaction."""

from collections.abc import Sequence
from importlib import resources
from typing import Any, Final

from psycopg import Connection

from companion.kernel.errors import CompanionError

_LOCK: Final = 17_001
"""PostgreSQL advisory lock: only one of two floors that start together migrates."""


class SchemaTooNew(CompanionError):
    """The database was written by a newer version of the floor."""


def migrations() -> Sequence[tuple[int, str]]:
    """Return the number and SQL of every migration, in order."""
    folder = resources.files("companion.floor.schema")
    files = sorted(one.name for one in folder.iterdir() if one.name.endswith(".sql"))
    return [(int(name.partition("_")[0]), (folder / name).read_text(encoding="utf-8")) for name in files]


def migrate(connection: Connection[Any], wanted: Sequence[tuple[int, str]] | None = None) -> int:
    """Apply missing migrations as the database's owner; return the schema version.

    Raises:
        SchemaTooNew: the database has migrations that this program does not know.
    """
    known = migrations() if wanted is None else wanted
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        connection.execute("CREATE SCHEMA IF NOT EXISTS floor")
        connection.execute(
            "CREATE TABLE IF NOT EXISTS floor.migration (number integer PRIMARY KEY, at timestamptz DEFAULT now())"
        )
        found = connection.execute("SELECT number FROM floor.migration").fetchall()
        done = {int(row[0]) for row in found}
        latest = known[-1][0]
        if strange := done - {number for number, _ in known}:  # also catches a number that we skipped
            raise SchemaTooNew(
                f"The floor's database has version {max(strange)}, this program knows {latest}. Update the companion; "
                "nothing was changed."
            )
        for number, statements in known:
            if number not in done:
                connection.execute(statements.encode())
                connection.execute("INSERT INTO floor.migration (number) VALUES (%s)", (number,))
    return latest
