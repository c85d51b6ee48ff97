"""The journal's second place: a small file beside it with the number and hash of the latest acknowledged entry.

An entry is acknowledged only after this file says it. So if the journal ends before what stands here, entries were
lost, whatever SQLite's own recovery says. The file has two slots that are written in turn: a power cut can tear one,
never both. Each slot carries a code made with the signing key: an older state cannot be made up from the journal.
"""

import hmac
import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from companion.journal.durable import DAMAGED, write_private
from companion.journal.hash_chain import Head

_SLOT_BYTES: Final = 4096  # one block of a disk: nothing else is rewritten with it
_SLOTS: Final = 2

Mac = Callable[[bytes], str]
"""Returns a code over a text that only the signing key's owner can make."""


def mark_path(journal: Path) -> Path:
    """Return where a journal's mark lies."""
    return journal.with_name(f"latest-{journal.stem}.mark")


@dataclass(frozen=True, slots=True)
class Marked:
    """What the second place says of the journal."""

    journal: str
    "Its id."
    seq: int
    hash: str
    at: str
    "When the entry was written, ISO 8601 in UTC."
    turn: int = 0
    "Counts the writes."

    @property
    def head(self) -> Head:
        """The entry acknowledged last."""
        return Head(self.seq, self.hash)


@dataclass(frozen=True, slots=True)
class MarkFound:
    """The state of a mark's file.

    Attributes:
        latest: the newest slot that can be read; None if there is none.
        is_torn: a slot is damaged, perhaps the newest one.
        exists: there is a file.
    """

    latest: Marked | None = None
    is_torn: bool = False
    exists: bool = False


def read_mark(path: Path, mac: Mac | None) -> MarkFound:
    """Read a mark.

    Args:
        mac: of the signing key; None where it is not here: then the codes are not checked.
    """
    try:
        with path.open("rb") as file:
            data = file.read(_SLOTS * _SLOT_BYTES)
    except OSError:
        return MarkFound()
    slots = [data[at * _SLOT_BYTES :][:_SLOT_BYTES] for at in range(_SLOTS)]
    read = [_parsed(slot, mac) for slot in slots]
    torn = any(found is None and slot.strip(b"\0") for found, slot in zip(read, slots, strict=True))
    whole = [found for found in read if found is not None]
    newest = max(whole, key=lambda found: found.turn, default=None)
    return MarkFound(newest, torn or newest is None, exists=True)


def _parsed(slot: bytes, mac: Mac | None) -> Marked | None:
    try:
        code, text = slot.rstrip(b"\0").split(b" ", 1)
        if mac is not None and not hmac.compare_digest(mac(text).encode(), code):
            return None
        return Marked(**json.loads(text))
    except DAMAGED:
        return None


def _slot(marked: Marked, mac: Mac) -> bytes:
    text = json.dumps(asdict(marked)).encode()
    return (mac(text).encode() + b" " + text).ljust(_SLOT_BYTES, b"\0")


def write_mark(path: Path, marked: Marked, mac: Mac) -> None:
    """Begin a mark's file anew, whole or not at all.

    Raises:
        OSError: it could not be written.
    """
    empty = bytes(_SLOT_BYTES)
    slot = _slot(marked, mac)
    write_private(path, slot + empty if marked.turn % _SLOTS == 0 else empty + slot)


class Mark:
    """Keeps a mark's file up to date.

    Raises:
        OSError: there is none, or it cannot be written.
    """

    def __init__(self, path: Path, turn: int, mac: Mac) -> None:
        self.path = path
        self._turn = turn
        self._mac = mac
        self._file = os.open(path, os.O_WRONLY)

    def write(self, journal: str, head: Head, at: str) -> None:
        """Write the latest head over the older slot; it is on the disk when this returns.

        Raises:
            OSError: it could not be written.
        """
        marked = Marked(journal, head.seq, head.hash, at, self._turn + 1)
        os.pwrite(self._file, _slot(marked, self._mac), marked.turn % _SLOTS * _SLOT_BYTES)
        os.fdatasync(self._file)
        self._turn = marked.turn

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)
