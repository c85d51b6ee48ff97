"""Staff accounts (owner, pit boss, dealer, auditor), each with a role and a PIN; and the audit log."""

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any, Final, Literal, get_args

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from psycopg import Connection

from companion.floor.errors import FloorError

Role = Literal["owner", "pit", "dealer", "auditor"]
ROLES: Final[tuple[Role, ...]] = get_args(Role)
MAY: Final[Mapping[Role, frozenset[str]]] = {
    "owner": frozenset(
        {"look", "audit", "invite", "close", "sell", "people", "report", "close-day", "hold", "broker", "alarms",
         "prices", "duty", "evidence"}
    ),
    "pit": frozenset(
        {"look", "invite", "close", "sell", "report", "close-day", "hold", "broker", "alarms", "prices", "duty",
         "evidence"}
    ),
    "dealer": frozenset({"look", "duty"}),
    "auditor": frozenset({"look", "audit", "report", "evidence"}),
}  # fmt: skip
"""Permissions of each role; an auditor has read-only access to everything."""
_PIN: Final = re.compile(r"[0-9]{4,12}")
_HASHER: Final = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)


def set_person(connection: Connection[Any], name: str, role: Role, pin: str) -> None:
    """Add a person, or change their role and PIN.

    Raises:
        FloorError: invalid name, role or PIN.
    """
    if not 0 < len(name) <= 40 or not name.isprintable() or name != name.strip():
        raise FloorError.coded("bad-name", "A name has 1 to 40 letters, got {name}.", name=repr(name[:60]))
    if role not in ROLES:
        raise FloorError.coded(
            "bad-role", "There is no role {role}. Roles are {roles}.", role=repr(role[:60]), roles=", ".join(ROLES)
        )
    if not _PIN.fullmatch(pin):
        raise FloorError.coded("bad-pin", "A PIN has 4 to 12 digits.")
    connection.execute(
        "INSERT INTO floor.person (name, role, pin_hash) VALUES (%s, %s, %s) "
        "ON CONFLICT (name) DO UPDATE SET role = excluded.role, pin_hash = excluded.pin_hash",
        (name, role, _HASHER.hash(pin)),
    )


def role_of(connection: Connection[Any], name: str) -> Role | None:
    """Return a person's role; None if there is no such person."""
    row = connection.execute("SELECT role FROM floor.person WHERE name = %s", (name,)).fetchone()
    return None if row is None else row[0]


def role_and_mark(connection: Connection[Any], name: str) -> tuple[Role, str] | None:
    """Return a person's role and a marker that changes with their PIN but reveals nothing about it."""
    row = connection.execute("SELECT role, pin_hash FROM floor.person WHERE name = %s", (name,)).fetchone()
    return None if row is None else (row[0], hashlib.sha256(str(row[1]).encode()).hexdigest()[:16])


def is_pin(connection: Connection[Any], name: str, pin: str) -> bool:
    """Return whether a PIN is a person's, in the same time if there is no such person."""
    row = connection.execute("SELECT pin_hash FROM floor.person WHERE name = %s", (name,)).fetchone()
    if row is None:
        _HASHER.hash(pin)
        return False
    try:
        return _HASHER.verify(row[0], pin)
    except (VerificationError, InvalidHashError):
        return False


def note(connection: Connection[Any], who: str, did: str, about: Mapping[str, object] | None = None) -> None:
    """Append a line to the audit log; the database role cannot change or delete it."""
    connection.execute(
        "INSERT INTO floor.audit (who, did, about) VALUES (%s, %s, %s)", (who, did, json.dumps(about or {}))
    )
