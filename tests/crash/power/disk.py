"""A disk with a volatile write cache, served to a virtual machine; when the power goes, the cache is lost.

It speaks NBD (fixed newstyle, simple replies): https://github.com/NetworkBlockDevice/nbd/blob/master/doc/proto.md
"""

import random
import socket
import struct
import threading
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

SECTOR: Final = 512
"""Bytes that a disk writes wholly or not at all."""
LOSSES: Final = ("nothing came through", "it came through until", "some of it came through")
"""What may have become of the writes that were not flushed."""


class PowerCutError(Exception):
    """The power is off: the disk does nothing any more."""


class VolatileDisk:
    """The medium, and the writes in its cache that no flush has brought there yet. Thread-safe.

    Args:
        content: the medium's bytes, whole sectors.
    """

    def __init__(self, content: bytes) -> None:
        self._medium, self._lock = bytearray(content), threading.Lock()
        self._cached: dict[int, bytes] = {}
        self._unflushed: list[tuple[int, bytes]] = []  # sector -> what was written, in order
        self._ends_in: int | None = None
        self.operations = 0
        self.went_off = threading.Event()

    @property
    def size(self) -> int:
        """Bytes."""
        return len(self._medium)

    def read(self, offset: int, length: int) -> bytes:
        """Return what was written last."""
        with self._lock:
            self._check()
            found = bytearray(self._medium[offset : offset + length])
            for sector in range(offset // SECTOR, (offset + length) // SECTOR):
                if sector in self._cached:
                    at = sector * SECTOR - offset
                    found[at : at + SECTOR] = self._cached[sector]
            return bytes(found)

    def write(self, offset: int, data: bytes) -> None:
        """Take data into the cache; the power may go while it does."""
        with self._lock:
            self._check()
            for at in range(0, len(data), SECTOR):
                sector, part = (offset + at) // SECTOR, data[at : at + SECTOR]
                self._cached[sector] = part
                self._unflushed.append((sector, part))
            self._count()

    def flush(self) -> None:
        """Bring the cache to the medium, unless the power goes first."""
        with self._lock:
            self._check()
            self._count()
            self._bring(self._unflushed)
            self._cached.clear()
            self._unflushed.clear()

    def cut_after(self, operations: int) -> None:
        """Have the power go in so many writes and flushes from now."""
        with self._lock:
            self._ends_in = operations

    def cut(self, rng: random.Random) -> str:
        """Cut the power, unless it is off already; the cache is lost, or as much of it as chance wants.

        Returns:
            What was lost, in words.
        """
        with self._lock:
            self.went_off.set()
            how, pending = rng.choice(LOSSES), self._unflushed
            until = rng.randint(0, len(pending)) if how == LOSSES[1] else 0
            left = [one for one in pending if rng.random() < 0.5] if how == LOSSES[2] else pending[:until]
            self._bring(left)
            self._cached.clear()
            self._unflushed = []
            return f"{len(left)} of {len(pending)} unflushed sectors came through"

    def switch_on(self) -> None:
        """Work again, with what is on the medium."""
        with self._lock:
            self.went_off.clear()
            self._ends_in = None

    @property
    def medium(self) -> bytes:
        """What is on the medium now; what the cache holds is not."""
        with self._lock:
            return bytes(self._medium)

    def _bring(self, written: list[tuple[int, bytes]]) -> None:
        for sector, data in written:
            self._medium[sector * SECTOR : sector * SECTOR + len(data)] = data

    def _count(self) -> None:
        self.operations += 1
        if self._ends_in is not None:
            self._ends_in -= 1
            if self._ends_in <= 0:
                self.went_off.set()
                self._check()

    def _check(self) -> None:
        if self.went_off.is_set():
            raise PowerCutError


# ---- the protocol

_GREETING: Final = b"NBDMAGIC" + b"IHAVEOPT" + struct.pack(">H", 3)  # fixed newstyle, no zeroes after an export
_ABORT, _GO = 2, 7
_ACK, _INFO, _UNSUPPORTED = 1, 3, 0x80000001
_FLAGS: Final = 1 | 4  # it has flags, and knows flush
_REQUEST: Final = struct.Struct(">IHHQQI")
_READ, _WRITE, _DISCONNECT, _FLUSH = range(4)
_EINVAL: Final = 22


class DiskServer:
    """Serves a disk on a socket, to one machine after the other. A context manager."""

    def __init__(self, disk: VolatileDisk, path: Path) -> None:
        self._disk, self._socket = disk, socket.socket(socket.AF_UNIX)
        self._socket.bind(str(path))
        self._socket.listen()
        self._thread = threading.Thread(target=self._serve, name="disk", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join(5)

    def _serve(self) -> None:
        with suppress(OSError):  # it is closed
            while True:
                machine, _ = self._socket.accept()
                with machine, suppress(ConnectionError):
                    try:
                        if self._greet(machine):
                            self._work(machine)
                    except PowerCutError:  # an error would be an answer: it hears nothing until it is ended, too
                        while machine.recv(1 << 16):
                            pass

    def _greet(self, machine: socket.socket) -> bool:
        """Agree on the disk; say whether work may begin."""
        machine.sendall(_GREETING)
        _take(machine, 4)
        while True:
            _, option, length = struct.unpack(">8sII", _take(machine, 16))
            _take(machine, length)

            def reply(kind: int, data: bytes = b"", option: int = option) -> None:
                machine.sendall(struct.pack(">QIII", 0x3E889045565A9, option, kind, len(data)) + data)

            if option == _GO:
                reply(_INFO, struct.pack(">HQH", 0, self._disk.size, _FLAGS))
                reply(_ACK)
                return True
            reply(_ACK if option == _ABORT else _UNSUPPORTED)
            if option == _ABORT:
                return False

    def _work(self, machine: socket.socket) -> None:
        while True:
            _, _, kind, handle, offset, length = _REQUEST.unpack(_take(machine, _REQUEST.size))
            error, found = 0, b""
            if kind == _READ:
                found = self._disk.read(offset, length)
            elif kind == _WRITE:
                self._disk.write(offset, _take(machine, length))
            elif kind == _FLUSH:
                self._disk.flush()
            elif kind == _DISCONNECT:
                return
            else:
                error = _EINVAL
            machine.sendall(struct.pack(">IIQ", 0x67446698, error, handle) + found)


def _take(machine: socket.socket, length: int) -> bytes:
    found = bytearray()
    while len(found) < length:
        more = machine.recv(length - len(found))
        if not more:
            raise ConnectionResetError
        found += more
    return bytes(found)
