"""Witnesses: files of signed heads on a USB stick, a phone or another table, against which the journal is checked.

Each line is a head that the table has signed. A witness only has to store it: somebody who rewrites the journal, even
with its key, cannot change the copies of others. Another table can countersign the lines with its own key.
"""

import errno
import json
import logging
import os
import stat
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final, Self

from companion.journal.background import Background
from companion.journal.durable import DAMAGED, sync_folder, write_private
from companion.journal.hash_chain import Head
from companion.journal.trust.signing import HeadCheck, Signer, head_text
from companion.kernel.errors import CompanionError

log = logging.getLogger(__name__)

EVERY_S: Final = 5.0
"""Minimum time between two heads written to a witness, in seconds."""
THINNED_FROM_BYTES: Final = 1 << 20
"""Size above which every second of the older heads is removed: the newer heads cover the same entries."""
_MAX_BYTES: Final = 64 << 20
_LONGEST_LINE: Final = 64 << 10


class WitnessUnusable(CompanionError):
    """A witness's file cannot be read, or has a line that is not a valid head."""


@dataclass(frozen=True, slots=True)
class Countersigned:
    """Another table's signature of a head: by whom and when the head was seen."""

    by: str
    at: str
    public: str
    signature: str


@dataclass(frozen=True, slots=True)
class Statement:
    """A signed head.

    Attributes:
        journal: the journal's id.
        at: the entry's time, ISO 8601 in UTC.
        public, signature: the table's public key and signature, in hexadecimal digits.
    """

    journal: str
    seq: int
    hash: str
    at: str
    public: str
    signature: str
    countersigned: tuple[Countersigned, ...] = ()

    @property
    def head(self) -> Head:
        """Seq and hash of the entry."""
        return Head(self.seq, self.hash)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a line of a witness's file.

        Raises:
            ValueError: not a signed head.
        """
        try:
            data = json.loads(text)
            seen = tuple(Countersigned(**one) for one in data.pop("countersigned", ()))
            made = cls(**data, countersigned=seen)
            bytes.fromhex(made.signature)
            return replace(made, seq=int(made.seq))
        except DAMAGED as error:
            raise ValueError(f"{text[:40]!r} is no head") from error

    def to_line(self) -> str:
        """Return its line in a witness's file, without the line break."""
        return json.dumps(asdict(self))

    @property
    def is_signed(self) -> bool:
        """Whether the signatures of the table and of all countersigners are valid."""
        check = HeadCheck(self.journal)
        own = check.is_right(self.head, self.public, bytes.fromhex(self.signature))
        return own and all(
            check.is_text(_countersigned_text(self, one.by, one.at), one.public, _bytes(one.signature))
            for one in self.countersigned
        )

    def seen(self, by: str, at: str, signer: Signer) -> Self:
        """Return the statement with a countersignature added.

        Args:
            by: name of the countersigner.
            at: the time, ISO 8601 in UTC.
        """
        signature = signer.sign(_countersigned_text(self, by, at)).hex()
        return replace(self, countersigned=(*self.countersigned, Countersigned(by, at, signer.public, signature)))


def _countersigned_text(statement: Statement, by: str, at: str) -> bytes:
    return b"companion witness " + json.dumps([by, at]).encode() + head_text(statement.journal, statement.head)


def _bytes(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return b""


def read_witness(path: Path) -> tuple[Statement, ...]:
    """Return a witness's heads, without a truncated last line, as left by a USB stick that was pulled out.

    Raises:
        WitnessUnusable: the file cannot be read, or is not a witness.
    """
    try:
        found_there = path.stat()
        if not stat.S_ISREG(found_there.st_mode) or found_there.st_size > _MAX_BYTES:
            raise WitnessUnusable(f"The witness {path} is no file of heads: a device, or far too long.")
        data = path.read_bytes()
    except OSError as error:
        raise WitnessUnusable(f"The witness {path} cannot be read: {error.strerror or ''}.") from error
    lines = data.removesuffix(b"\n").split(b"\n") if data else []  # a torn line may contain other breaks
    found = []
    for number, line in enumerate(lines, start=1):
        try:
            found.append(Statement.parse(line.decode()))
        except ValueError as error:
            if number == len(lines) and found:
                break
            if isinstance(error, UnicodeDecodeError):
                raise WitnessUnusable(f"The witness {path} cannot be read: it is no text.") from error
            raise WitnessUnusable(f"Line {number} of the witness {path} is no head of a journal.") from error
    return tuple(found)


def add_to_witness(path: Path, statement: Statement) -> None:
    """Append a head; durable when this returns. A long witness is thinned out first.

    Raises:
        OSError: the file cannot be written, or is not a witness.
    """
    is_new = not path.exists()
    if not is_new and path.stat().st_size > THINNED_FROM_BYTES:
        _thin_out(path)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NONBLOCK, 0o600)
    with os.fdopen(handle, "rb+") as file:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "it is no file")
        start = file.seek(max(0, found.st_size - _LONGEST_LINE))
        kept = file.read()
        _check_ours(kept)
        whole = kept.rfind(b"\n") + 1  # a truncated last line is overwritten
        file.seek(start + whole)
        file.write(statement.to_line().encode() + b"\n")
        file.truncate()
        file.flush()
        os.fsync(file.fileno())
    if is_new:
        sync_folder(path.parent)


def _check_ours(end: bytes) -> None:
    """Check by its end that a file is a witness, before it is truncated or appended to.

    Raises:
        OSError: it is another kind of file.
    """
    lines = end.rstrip(b"\0").split(b"\n")
    try:
        if len(lines) > 1:
            Statement.parse(lines[-2].decode())
        elif lines[0][:1] not in (b"", b"{"):
            raise ValueError
    except ValueError as error:
        raise OSError(errno.EINVAL, "it holds something else than heads") from error


def _thin_out(path: Path) -> None:
    """Remove every second head of the older half, except countersigned ones."""
    try:
        kept = read_witness(path)
    except WitnessUnusable:
        return  # left as it is
    older = len(kept) // 2
    left = [one for at, one in enumerate(kept) if at >= older or at % 2 or one.countersigned]
    write_private(path, "".join(f"{one.to_line()}\n" for one in left).encode())


def keep_as_witness(path: Path, statement: Statement) -> None:
    """Store a journal's latest head in place of its previous ones, which it covers; durable when this returns.

    Raises:
        OSError: the file cannot be written; its previous content remains.
    """
    try:
        kept = [one for one in read_witness(path) if one.journal != statement.journal]
    except WitnessUnusable:  # missing or damaged; the new head covers the journal's earlier ones
        kept = []
    write_private(path, "".join(f"{one.to_line()}\n" for one in (*kept, statement)).encode())


def countersign(path: Path, by: str, at: str, signer: Signer) -> int:
    """Countersign all heads of other tables that this signer has not countersigned yet; return their number.

    Args:
        by: name of the countersigner.
        at: the time, ISO 8601 in UTC.

    Raises:
        WitnessUnusable: the file cannot be read, or a signature in it is invalid.
        OSError: the file cannot be written.
    """
    statements = read_witness(path)
    for number, statement in enumerate(statements, start=1):
        if not statement.is_signed:
            raise WitnessUnusable(f"Line {number} of the witness {path} is not signed as it says.")
    mine = [_is_countersigned(one, signer.public) for one in statements]
    new = [one if done else one.seen(by, at, signer) for one, done in zip(statements, mine, strict=True)]
    write_private(path, "".join(f"{one.to_line()}\n" for one in new).encode())
    return mine.count(False)


def _is_countersigned(statement: Statement, public: str) -> bool:
    return statement.public == public or any(one.public == public for one in statement.countersigned)


def first_unlike(
    statements: Sequence[Statement], journal: str, last: int, hash_at: Callable[[int], str | None]
) -> Statement | None:
    """Return the first of a witness's heads that contradicts a journal, or None.

    Args:
        journal: the journal's id; heads of other journals are ignored.
        last: seq of its latest entry.
        hash_at: returns an entry's hash.
    """
    mine = (one for one in statements if one.journal == journal)
    return next((one for one in mine if one.seq > last or hash_at(one.seq) != one.hash), None)


class WitnessKeeper:
    """Writes the latest heads to a witness in a background thread, so that a slow USB stick does not delay the table.

    Args:
        path: the witness's file; None without a witness.
        clock: monotonic seconds.
    """

    def __init__(self, path: Path | None, clock: Callable[[], float] = time.monotonic) -> None:
        self.path = path
        self._clock = clock
        self._writer = Background("witness")
        self._wrote: Head | None = None
        self._at = -EVERY_S
        self._is_lost = False

    def keep(self, newest: Callable[[], Statement | None], head: Head, *, is_last: bool = False) -> None:
        """Append the latest head if it is new and due, without waiting.

        Args:
            newest: returns the latest signed head.
            head: the journal's head.
            is_last: the table is closing: ignore `EVERY_S`.
        """
        is_early = self._clock() - self._at < EVERY_S and not is_last
        if self.path is None or self._writer.is_busy or is_early or head == self._wrote:
            return
        statement = newest()
        if statement is None:
            return
        self._at = self._clock()
        self._writer.do(partial(self._write, self.path, statement))

    def _write(self, path: Path, statement: Statement) -> None:
        try:
            add_to_witness(path, statement)
        except OSError as error:
            if not self._is_lost:
                log.warning("The witness file %s cannot be written: %s. Retrying.", path, error.strerror)
            self._is_lost = True
        else:
            if self._is_lost:
                log.info("The witness file %s can be written again.", path)
            self._wrote, self._is_lost = statement.head, False

    def wait(self) -> None:
        """Wait up to 1 s for a write in progress."""
        self._writer.wait(1)
