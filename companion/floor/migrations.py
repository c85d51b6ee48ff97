"""Brings the database to the program's version: numbered SQL files, each in a transaction, each once."""

from collections.abc import Sequence
from importlib import resources
from typing import Any, Final

from psycopg import Connection

from companion.kernel.errors import CompanionError

_LOCK: Final = 17_001
"""Of PostgreSQL's advisory locks: two floors that start together do not both migrate."""


class SchemaTooNew(CompanionError):
    """A later version of the floor has written the database."""


def migrations() -> Sequence[tuple[int, str]]:
    """Return every migration's number and SQL, in order."""
    folder = resources.files("companion.floor.schema")
    files = sorted(one.name for one in folder.iterdir() if one.name.endswith(".sql"))
    return [(int(name.partition("_")[0]), (folder / name).read_text(encoding="utf-8")) for name in files]


def migrate(connection: Connection[Any], wanted: Sequence[tuple[int, str]] | None = None) -> int:
    """Apply what is missing, as the database's owner; return the version.

    Raises:
        SchemaTooNew: the database knows more migrations than this program.
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
        if strange := done - {number for number, _ in known}:  # also one of a number that we have left out
            raise SchemaTooNew(
                f"The floor's database has version {max(strange)}, this program knows {latest}. Update the companion; "
                "nothing was changed."
            )
        for number, statements in known:
            if number not in done:
                connection.execute(statements.encode())
                connection.execute("INSERT INTO floor.migration (number) VALUES (%s)", (number,))
    return latest
