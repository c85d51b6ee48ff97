"""Countersigns the tables' heads with the floor's key: the witness of ``companion journal verify``."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from companion.floor.ingest.chain import HashAt
from companion.journal.durable import write_private
from companion.journal.hash_chain import Head
from companion.journal.trust.signing import KeyUnusable, SeedSigner, Signer
from companion.journal.trust.witness import Statement

FILE_NAME: Final = "floor.key"
_SEED_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class Countersigner:
    """Attests that the floor has a head and everything before it.

    Attributes:
        by: the floor's name.
    """

    signer: Signer
    by: str = "floor"

    def sign(self, statement: Statement, journal: str, known: Head, hash_at: HashAt, at: str) -> Statement | None:
        """Return a table's head countersigned; None if the floor does not have that entry.

        Args:
            journal: id of the table's journal.
            known: the floor's committed head of it.
            at: the time, ISO 8601 in UTC.
        """
        if statement.journal != journal or not 0 < statement.seq <= known.seq or statement.countersigned:
            return None
        found = known.hash if statement.seq == known.seq else hash_at(statement.seq)
        if found != statement.hash or not statement.is_signed:
            return None
        return statement.seen(self.by, at, self.signer)


def floor_signer(folder: Path) -> SeedSigner:
    """Return the floor's signer; creates its key at the first call.

    Raises:
        KeyUnusable: the key file cannot be read or written, or is damaged.
    """
    path = folder / FILE_NAME
    try:
        if not path.exists():
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_private(path, os.urandom(_SEED_BYTES).hex().encode())
        seed = bytes.fromhex(path.read_text(encoding="ascii"))
    except (OSError, ValueError) as error:
        raise KeyUnusable(f"The floor's key {path} cannot be used: {error}. Bring it back from a backup.") from error
    if len(seed) != _SEED_BYTES:
        raise KeyUnusable(f"The floor's key {path} is damaged. Bring it back from a backup.")
    return SeedSigner(seed)
