"""The journal's high-water mark: a small file beside it with the seq and hash of the latest acknowledged entry.

The mark is written before an entry is acknowledged; if that fails, no further entry is written until it succeeds. So if
the journal ends before the mark, entries were lost, whatever SQLite's recovery reports. The file has two slots that are
written alternately: a power cut can tear one, never both. Each slot has a MAC made with the signing key, so that nobody
can forge an older mark from the journal.
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

_SLOT_BYTES: Final = 4096  # one disk block, so that writing a slot rewrites nothing else
_SLOTS: Final = 2

Mac = Callable[[bytes], str]
"""Returns a MAC of a text, made with the signing key."""


def mark_path(journal: Path) -> Path:
    """Return the path of a journal's mark."""
    return journal.with_name(f"latest-{journal.stem}.mark")


@dataclass(frozen=True, slots=True)
class Marked:
    """The content of a slot: the latest acknowledged entry."""

    journal: str
    "The journal's id."
    seq: int
    hash: str
    at: str
    "The entry's time, ISO 8601 in UTC."
    turn: int = 0
    "Write counter: the slot with the higher one is the newer."

    @property
    def head(self) -> Head:
        """Seq and hash of the entry."""
        return Head(self.seq, self.hash)


@dataclass(frozen=True, slots=True)
class MarkFound:
    """A mark as read from its file.

    Attributes:
        latest: the newest valid slot, or None.
        is_torn: whether a slot is damaged, perhaps the newest one.
        exists: whether the file exists.
    """

    latest: Marked | None = None
    is_torn: bool = False
    exists: bool = False


def read_mark(path: Path, mac: Mac | None) -> MarkFound:
    """Read a mark.

    Args:
        mac: of the signing key; None without the key: then MACs are not checked.
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
    """Replace a mark's file atomically; its other slot is empty.

    Raises:
        OSError: it could not be written.
    """
    empty = bytes(_SLOT_BYTES)
    slot = _slot(marked, mac)
    write_private(path, slot + empty if marked.turn % _SLOTS == 0 else empty + slot)


class Mark:
    """Writes to an existing mark's file.

    Args:
        turn: write counter of its newest slot.
        mac: of the signing key.

    Raises:
        OSError: the file does not exist or cannot be written.
    """

    def __init__(self, path: Path, turn: int, mac: Mac) -> None:
        self.path = path
        self._turn = turn
        self._mac = mac
        self._file = os.open(path, os.O_WRONLY)

    def write(self, journal: str, head: Head, at: str) -> None:
        """Overwrite the older slot with the latest head; durable when this returns.

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
