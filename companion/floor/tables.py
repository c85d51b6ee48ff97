"""Tables in the database: invitations, certificates, epochs and incidents."""

import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from psycopg import Connection
from psycopg.rows import class_row

from companion.floor.errors import FloorError
from companion.floor.ingest.chain import Fault
from companion.floor.purse import fork_money
from companion.journal.hash_chain import Head, genesis

CODE_LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # no look-alikes
CODE_LENGTH: Final = 10
CODE_HOURS: Final = 1
LONGEST_NAME: Final = 40
_EPOCH_LOCK: Final = 17_003
_MACHINES: Final = (
    "SELECT c.fingerprint, c.table_id, t.name, c.epoch, c.revoked FROM floor.certificate c "
    "JOIN floor.house_table t ON t.id = c.table_id"
)


@dataclass(frozen=True, slots=True)
class Installation:
    """A machine authorized to act as a table: its certificate, and the epoch it has begun."""

    fingerprint: str
    table_id: int
    name: str
    epoch: int | None


@dataclass(frozen=True, slots=True)
class Known:
    """The floor's state of a table's current epoch."""

    table_id: int
    epoch: int
    journal: str
    signer: str
    seq: int
    hash: str

    @property
    def head(self) -> Head:
        """The last contiguous entry stored."""
        return Head(self.seq, self.hash)


# ---- joining


def invite(connection: Connection[Any], name: str, code: str | None = None) -> str:
    """Return a one-time code for a new table, or for an existing one that is to begin another epoch.

    Raises:
        FloorError: invalid name.
    """
    table = " ".join(name.split())
    if not 0 < len(table) <= LONGEST_NAME or not table.isprintable():
        raise FloorError.coded(
            "bad-name", "A table's name has 1 to {most} letters, got {name}.", most=LONGEST_NAME, name=repr(name[:60])
        )
    made = code or "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
    with connection.transaction():
        connection.execute("INSERT INTO floor.house_table (name) VALUES (%s) ON CONFLICT DO NOTHING", (table,))
        connection.execute(
            "INSERT INTO floor.invitation (table_id, code_hash, ends) "
            "SELECT id, %s, now() + make_interval(hours => %s) FROM floor.house_table WHERE name = %s",
            (_hashed(made), CODE_HOURS, table),
        )
    return made


def join(connection: Connection[Any], code: str, certify: Callable[[str], str]) -> Installation:
    """Redeem a code: from now on this certificate, and no other, is the table's.

    Args:
        certify: issues the certificate for a table's name and returns its fingerprint.

    Raises:
        FloorError: the code is invalid, used or expired.
    """
    with connection.transaction():
        row = connection.execute(
            "UPDATE floor.invitation i SET used = now() FROM floor.house_table t "
            "WHERE code_hash = %s AND used IS NULL AND ends > now() AND t.id = i.table_id "
            "AND ends <= now() + make_interval(hours => %s) "  # otherwise issued while the clock was ahead
            "RETURNING i.id, i.table_id, t.name",
            (_hashed(code), CODE_HOURS),
        ).fetchone()
        if row is None:
            raise FloorError.coded("bad-code", "This code is wrong, used up or too old. Ask the pit for a new one.")
        fingerprint = certify(row[2])
        connection.execute(
            "UPDATE floor.certificate SET revoked = now() WHERE table_id = %s AND revoked IS NULL", (row[1],)
        )
        connection.execute(
            "INSERT INTO floor.certificate (fingerprint, table_id, invitation) VALUES (%s, %s, %s)",
            (fingerprint, row[1], row[0]),
        )
    return Installation(fingerprint, row[1], row[2], None)


def _hashed(code: str) -> str:
    plain = "".join(letter for letter in code.upper() if letter.isalnum())
    return hashlib.sha256(f"companion floor code {plain}".encode()).hexdigest()


def installations(connection: Connection[Any]) -> list[Installation]:
    """Return all machines currently authorized."""
    return [Installation(*row[:4]) for row in connection.execute(f"{_MACHINES} WHERE c.revoked IS NULL")]


def installation(connection: Connection[Any], fingerprint: str) -> Installation:
    """Return the machine with a certificate.

    Raises:
        FloorError: unknown certificate, or replaced by another machine's.
    """
    row = connection.execute(f"{_MACHINES} WHERE fingerprint = %s", (fingerprint,)).fetchone()
    if row is None:
        raise FloorError.coded("unknown-table", "The floor does not know this table. Join it with a code from the pit.")
    if row[4] is not None:
        raise FloorError.coded(
            "replaced",
            "Another machine has joined the floor as {table} since, so this one no longer speaks for it. To bring "
            "it back, ask the pit for a new code and run companion join.",
            table=row[2],
        )
    return Installation(*row[:4])


# ---- epochs


def known(connection: Connection[Any], table_id: int) -> Known | None:
    """Return the floor's state of a table; None before its first epoch."""
    query = (
        "SELECT h.table_id, h.epoch, e.journal, e.signer, h.seq, h.hash FROM floor.head h "
        "JOIN floor.epoch e USING (table_id, epoch) WHERE h.table_id = %s"
    )
    with connection.cursor(row_factory=class_row(Known)) as cursor:
        return cursor.execute(query, (table_id,)).fetchone()


def hash_at(connection: Connection[Any], table_id: int, journal: str, seq: int) -> str | None:
    """Return the hash of an entry in a table's journal as it counts now; the genesis hash for entry 0."""
    if seq == 0:
        return genesis(journal)
    query = (
        "SELECT hash FROM floor.entry WHERE table_id = %(table)s AND seq = %(seq)s AND epoch = (SELECT max(epoch) FROM "
        "floor.epoch WHERE table_id = %(table)s AND journal = %(journal)s AND fork < %(seq)s)"
    )
    row = connection.execute(query, {"table": table_id, "seq": seq, "journal": journal}).fetchone()
    return None if row is None else str(row[0])


def begin_epoch(connection: Connection[Any], who: Installation, journal: str, fork: Head, signer: str) -> Known:
    """Begin an epoch after the last entry that a table's journal has in common with the floor's copy.

    Later entries stay in the database and an incident reports them; the coins they moved are reversed in the house's
    books, and the table is asked for them again.

    Raises:
        FloorError: the floor does not have that entry.
    """
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s, %s)", (_EPOCH_LOCK, who.table_id))
        before = known(connection, who.table_id)
        mine = installation(connection, who.fingerprint)
        if mine.epoch is not None:
            assert before is not None, "an epoch has a head"
            if before.journal != journal:
                raise FloorError.coded(
                    "other-journal",
                    "This is another journal than the one that the table joined with. Ask the pit for a new code "
                    "and run companion join again.",
                )
            return before
        if hash_at(connection, who.table_id, journal, fork.seq) != fork.hash:
            raise FloorError.coded("unknown-entry", "The floor has no such entry {seq} of this journal.", seq=fork.seq)
        epoch = 1 if before is None else before.epoch + 1
        connection.execute(
            "INSERT INTO floor.epoch (table_id, epoch, journal, fork, signer) VALUES (%s, %s, %s, %s, %s)",
            (who.table_id, epoch, journal, fork.seq, signer),
        )
        connection.execute(
            "INSERT INTO floor.head (table_id, epoch, seq, hash) VALUES (%s, %s, %s, %s) ON CONFLICT (table_id) "
            "DO UPDATE SET epoch = excluded.epoch, seq = excluded.seq, hash = excluded.hash, changed = now()",
            (who.table_id, epoch, fork.seq, fork.hash),
        )
        connection.execute("UPDATE floor.certificate SET epoch = %s WHERE fingerprint = %s", (epoch, who.fingerprint))
        if before is not None:
            _close_old(connection, who.table_id)
            _leave_behind(connection, who.table_id, journal, epoch, fork.seq)
    return Known(who.table_id, epoch, journal, signer, fork.seq, fork.hash)


def _close_old(connection: Connection[Any], table_id: int) -> None:
    connection.execute(
        "UPDATE floor.incident SET closed = now(), closed_by = 'new epoch' WHERE table_id = %s AND closed IS NULL "
        "AND kind IN ('rewritten', 'tail-cut', 'cloned', 'signer', 'broken')",
        (table_id,),
    )


def _leave_behind(connection: Connection[Any], table_id: int, journal: str, epoch: int, fork: int) -> None:
    """Report what a journal lost after a fork and reverse it in the books, even if another journal was used since."""
    query = (
        "SELECT own.epoch, greatest(own.fork, (SELECT max(seq) FROM floor.entry e WHERE e.table_id = own.table_id "
        "AND e.epoch = own.epoch)) FROM floor.epoch own WHERE table_id = %s AND journal = %s AND epoch < %s "
        "ORDER BY epoch DESC LIMIT 1"
    )
    row = connection.execute(query, (table_id, journal, epoch)).fetchone()
    if row is None:  # coins brought with another journal stay with that one
        return
    before, last = row
    if fork < last:
        text = (
            f"The table went on from entry {fork} of epoch {before}, as from an old backup. Entries "
            f"{fork + 1} to {last} are kept here and count no more."
        )
        report(connection, table_id, before, Fault("restored", text, fork + 1, last))
    fork_money(connection, table_id, journal, before, epoch, fork)


# ---- incidents


def report(connection: Connection[Any], table_id: int, epoch: int, fault: Fault) -> None:
    """Open an incident for a fault, unless the same one is open already."""
    connection.execute(
        "INSERT INTO floor.incident (table_id, epoch, kind, text, first, last) VALUES (%s, %s, %s, %s, %s, %s) "
        "ON CONFLICT DO NOTHING",
        (table_id, epoch, fault.kind, fault.text, fault.first, fault.last),
    )


def open_faults(connection: Connection[Any], table_id: int, epoch: int) -> tuple[Fault, ...]:
    """Return the open faults of a table's epoch, oldest first."""
    query = (
        "SELECT kind, text, first, last FROM floor.incident WHERE table_id = %s AND epoch = %s AND closed IS NULL "
        "ORDER BY id"
    )
    return tuple(Fault(*row) for row in connection.execute(query, (table_id, epoch)))


def close_incident(connection: Connection[Any], number: int, who: str) -> int:
    """Close an incident; return its table.

    Raises:
        FloorError: no open incident has this number.
    """
    row = connection.execute(
        "UPDATE floor.incident SET closed = now(), closed_by = %s WHERE id = %s AND closed IS NULL RETURNING table_id",
        (who, number),
    ).fetchone()
    if row is None:
        raise FloorError.coded("nothing-done", "There is no open incident {number}.", number=str(number))
    return int(row[0])
