"""Broker logins in the database: one per table, by number, and read-only ones.

A password is shown once, to its recipient; the database and the broker's file contain only its hash.
"""

import hashlib
import secrets
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from psycopg import Connection
from psycopg.rows import class_row

from companion.floor.errors import FloorError
from companion.floor.tables import Installation

HOUSE: Final = "house"
"""The floor's own login; its password changes at every start."""
READERS: Final = ("homeassistant", "watcher")
TOPIC: Final = "companion"
_SALT_BYTES: Final = 12
_ITERATIONS: Final = 101
"""As in mosquitto_passwd; enough for random 128-bit passwords."""

ACCESS_LIST: Final = """\
# Made by the floor: changes here are lost. %u stands for who has logged in: no table speaks for another.
pattern write companion/%u/#
pattern read companion/%u/command
pattern write homeassistant/device/companion/%u/config

user house
topic read companion/+/command
topic read companion/+/status

user homeassistant
topic read companion/#
topic readwrite homeassistant/#
topic write companion/+/command

user watcher
topic read companion/#
"""


@dataclass(frozen=True, slots=True)
class Access:
    """A login.

    Attributes:
        table: name of the table it belongs to; None for a read-only login.
    """

    login: str
    table: str | None
    given: str
    given_by: str


def login_of(table_id: int) -> str:
    """Return a table's login name, made from its number because names contain spaces and change.

    >>> login_of(3)
    'table-3'
    """
    return f"table-{table_id}"


def hashed(password: str) -> str:
    """Return a password's hash in mosquitto's format (PBKDF2 with SHA-512)."""
    salt = secrets.token_bytes(_SALT_BYTES)
    digest = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, _ITERATIONS)
    return f"$7${_ITERATIONS}${b64encode(salt).decode()}${b64encode(digest).decode()}"


def issue_table_password(connection: Connection[Any], who: Installation) -> str:
    """Issue a new password for a table's certificate, replacing the previous one.

    Raises:
        FloorError: the pit has revoked this certificate's access.
    """
    login = login_of(who.table_id)
    with connection.transaction():
        _lock(connection)
        taken = connection.execute(
            "SELECT 1 FROM floor.broker_access WHERE certificate = %s AND revoked_by <> %s", (who.fingerprint, _RENEWED)
        ).fetchone()
        if taken is not None:
            raise FloorError.coded(
                "broker-revoked",
                "The pit has taken this table's access to the broker away. Join again with a new code.",
            )
        return _give(connection, login, who.fingerprint, who.name)


def issue_reader_password(connection: Connection[Any], login: str, by: str) -> str:
    """Issue a new password for a read-only login, replacing the previous one.

    Raises:
        FloorError: no such reader.
    """
    if login not in READERS:
        raise FloorError.coded("bad-name", "Those who read the broker are called {names}.", names=", ".join(READERS))
    with connection.transaction():
        _lock(connection)
        return _give(connection, login, None, by)


def revoke(connection: Connection[Any], login: str, by: str) -> None:
    """Revoke a login.

    Raises:
        FloorError: no such login.
    """
    done = connection.execute(
        "UPDATE floor.broker_access SET revoked = now(), revoked_by = %s WHERE login = %s AND revoked IS NULL",
        (by, login),
    )
    if not done.rowcount:
        raise FloorError.coded("nothing-done", "{login} has no access to the broker.", login=repr(login[:60]))


def accesses(connection: Connection[Any]) -> Sequence[Access]:
    """Return all logins, readers first."""
    query = (
        f"SELECT a.login, t.name AS table, a.given::text, a.given_by {_VALID} ORDER BY c.table_id NULLS FIRST, a.login"
    )
    with connection.cursor(row_factory=class_row(Access)) as cursor:
        return cursor.execute(query).fetchall()


def password_lines(connection: Connection[Any]) -> str:
    """Return the content of the broker's password file, without the floor's own login."""
    rows = connection.execute(f"SELECT a.login, a.hash {_VALID} ORDER BY a.login").fetchall()
    return "".join(f"{login}:{digest}\n" for login, digest in rows)


_RENEWED: Final = "renewed"
_ACCESS_LOCK: Final = 17_030
_VALID: Final = (
    "FROM floor.broker_access a LEFT JOIN floor.certificate c ON c.fingerprint = a.certificate "
    "LEFT JOIN floor.house_table t ON t.id = c.table_id WHERE a.revoked IS NULL AND c.revoked IS NULL"
)


def _lock(connection: Connection[Any]) -> None:
    connection.execute("SELECT pg_advisory_xact_lock(%s)", (_ACCESS_LOCK,))


def _give(connection: Connection[Any], login: str, certificate: str | None, by: str) -> str:
    password = secrets.token_urlsafe(16)
    connection.execute(
        "UPDATE floor.broker_access SET revoked = now(), revoked_by = %s WHERE login = %s AND revoked IS NULL",
        (_RENEWED, login),
    )
    connection.execute(
        "INSERT INTO floor.broker_access (login, certificate, hash, given_by) VALUES (%s, %s, %s, %s)",
        (login, certificate, hashed(password), by),
    )
    return password
