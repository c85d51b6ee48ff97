"""Reads a possibly malicious tar.gz with bounded memory."""

import gzip
import tarfile
import zlib
from collections.abc import Iterator
from typing import IO, Final

from companion.journal.durable import DAMAGED

MAX_FILES: Final = 500_000
HEADER_BYTES: Final = 256 * 1024
"""Maximum size of one file's headers: its name and other metadata."""
REST_BYTES: Final = 1 << 20
"""Maximum size of the data after the last file; a regular tar is padded to a multiple of ten kilobytes."""
PIECE_BYTES: Final = 64 * 1024
UNREADABLE: Final = (tarfile.TarError, gzip.BadGzipFile, EOFError, zlib.error, *DAMAGED)
"""Exceptions of reading a damaged or malicious archive."""


class _LimitedReader:
    """The decompressed bytes, limited while ``left`` is set: `tarfile` keeps all that it reads of a file's headers."""

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
    """An archive, read file by file.

    Args:
        plain: the decompressed bytes, at their beginning.

    Raises:
        One of `UNREADABLE`: damaged, or not an archive.
    """

    def __init__(self, plain: gzip.GzipFile) -> None:
        self._plain = plain
        self._bytes = _LimitedReader(plain)
        self._tar = tarfile.open(fileobj=self._bytes, mode="r:")  # type: ignore[call-overload]  # noqa: SIM115 (closed with `plain`)

    def __iter__(self) -> Iterator[tarfile.TarInfo]:
        """Yield the members, in order."""
        for _ in range(MAX_FILES):
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
        """Yield the content of the member that was yielded last."""
        source: IO[bytes] | None = self._tar.extractfile(member)
        assert source is not None, "a plain file has content"
        while piece := source.read(PIECE_BYTES):
            yield piece

    def finish(self) -> None:
        """Read to the end, which makes gzip verify its checksum.

        Raises:
            One of `UNREADABLE`: the checksum is wrong, or too much data follows the last file.
        """
        rest = 0
        while piece := self._plain.read(PIECE_BYTES):
            rest += len(piece)
            if rest > REST_BYTES:
                raise tarfile.ReadError("it goes on behind its end")
