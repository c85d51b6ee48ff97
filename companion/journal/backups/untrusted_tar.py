"""Reads a tar.gz that may have been made to break whoever unpacks it: how much memory it takes is not up to it."""

import gzip
import tarfile
import zlib
from collections.abc import Iterator
from typing import IO, Final

from companion.journal.durable import DAMAGED

MOST_FILES: Final = 500_000
HEADER_BYTES: Final = 256 * 1024
"""What may stand before one file: its name and what else is told of it."""
REST_BYTES: Final = 1 << 20
"""What may stand behind the last file; a tar is filled up to ten kilobytes."""
PIECE_BYTES: Final = 64 * 1024
UNREADABLE: Final = (tarfile.TarError, gzip.BadGzipFile, EOFError, zlib.error, *DAMAGED)
"""What reading a damaged or hostile archive raises."""


class _Rationed:
    """The unpacked bytes. While tarfile looks for the next file they are counted: it keeps all that it reads there."""

    def __init__(self, file: gzip.GzipFile) -> None:
        self._file = file
        self.left: int | None = HEADER_BYTES

    def read(self, size: int) -> bytes:
        if size < 0 or (self.left is not None and size > self.left):
            raise tarfile.ReadError("a header is too long")
        if self.left is not None:
            self.left -= size
        return self._file.read(size)

    def seek(self, at: int) -> int:
        return self._file.seek(at)

    def tell(self) -> int:
        return self._file.tell()


class UntrustedTar:
    """An archive, file by file.

    Args:
        plain: the unpacked bytes, at their beginning.

    Raises:
        One of `UNREADABLE`: it is damaged, or none.
    """

    def __init__(self, plain: gzip.GzipFile) -> None:
        self._plain = plain
        self._bytes = _Rationed(plain)
        self._tar = tarfile.open(fileobj=self._bytes, mode="r:")  # type: ignore[call-overload]  # noqa: SIM115 (closed with `plain`)

    def __iter__(self) -> Iterator[tarfile.TarInfo]:
        """Yield what it holds, in order."""
        for _ in range(MOST_FILES):
            self._bytes.left = HEADER_BYTES
            member = self._tar.next()
            self._tar.members.clear()  # tarfile would keep them all
            if member is None:
                return
            if member.size < 0:
                raise tarfile.ReadError("a file is shorter than nothing")
            self._bytes.left = None
            yield member
        raise tarfile.ReadError("it holds too many files")

    def pieces(self, member: tarfile.TarInfo) -> Iterator[bytes]:
        """Yield the content of the file that was yielded last."""
        source: IO[bytes] | None = self._tar.extractfile(member)
        assert source is not None, "a plain file has content"
        while piece := source.read(PIECE_BYTES):
            yield piece

    def finish(self) -> None:
        """Read to the very end: only then is gzip's own checksum compared."""
        rest = 0
        while piece := self._plain.read(PIECE_BYTES):
            rest += len(piece)
            if rest > REST_BYTES:
                raise tarfile.ReadError("it goes on behind its end")
