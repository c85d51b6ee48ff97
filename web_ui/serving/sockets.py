"""A client's socket: plain, or TLS where the client begins so. It never waits; `BlockingIOError` says: not yet."""

import socket
import ssl
from collections.abc import Callable
from contextlib import suppress
from typing import Final

TLS_BEGINS: Final = b"\x16"
"""The first byte of a TLS connection, with which no request in plain text begins."""
_RECORD: Final = 16 * 1024
"""So much is sent at once: one TLS record, as what was refused has to be offered again as it was."""

Context = Callable[[], ssl.SSLContext]


class ClientSocket:
    """One client's connection. The first byte decides whether it is TLS.

    Args:
        sock: accepted, and not blocking.
        context: gives the TLS context when one is needed; None: everything is plain text.
    """

    def __init__(self, sock: socket.socket, context: Context | None = None) -> None:
        self._sock = sock
        self._context = context
        self._is_known = context is None
        self.is_secure = False
        "Whether it is TLS."
        self.is_greeting = False
        "Whether TLS has begun and is not agreed on yet."
        self.certificate: bytes | None = None
        "The client's certificate (DER), which its TLS has proved and our context has checked; None without one."

    @property
    def may_greet(self) -> bool:
        """Whether what comes next may be the beginning of TLS, or a part of it, which takes the processor a while."""
        return self.is_greeting or not self._is_known

    def recv(self, size: int) -> bytes:
        """Return what came, as plain text.

        Raises:
            BlockingIOError: nothing yet.
            OSError: the connection, or its TLS, is broken.
        """
        if not self._is_known:
            self._look()
        if self.is_greeting:
            self._greet()
        try:
            return self._sock.recv(size)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError) as error:
            raise BlockingIOError from error

    def send(self, data: memoryview | bytes) -> int:
        """Send what goes at once, and return how much that was.

        Raises:
            BlockingIOError: nothing can be sent now.
            OSError: the connection is broken, or TLS is not agreed on.
        """
        if self.is_greeting:
            raise OSError("TLS is not agreed on")
        try:
            return self._sock.send(data[:_RECORD] if self.is_secure else data)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError) as error:
            raise BlockingIOError from error

    def _look(self) -> None:
        first = self._sock.recv(1, socket.MSG_PEEK)
        self._is_known = True
        if first == TLS_BEGINS and self._context is not None:
            self.is_secure = self.is_greeting = True
            self._sock = self._context().wrap_socket(self._sock, server_side=True, do_handshake_on_connect=False)

    def _greet(self) -> None:
        assert isinstance(self._sock, ssl.SSLSocket)
        try:
            self._sock.do_handshake()
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError) as error:
            raise BlockingIOError from error
        self.is_greeting = False
        self.certificate = self._sock.getpeercert(binary_form=True)

    def shutdown(self, how: int) -> None:
        """Say that nothing more comes."""
        if isinstance(self._sock, ssl.SSLSocket) and not self.is_greeting:
            with suppress(OSError, ValueError):  # it says so at once, and would then wait for the same from the client
                self._sock.unwrap()
        self._sock.shutdown(how)

    def close(self) -> None:
        self._sock.close()

    def fileno(self) -> int:
        return self._sock.fileno()

    def setblocking(self, flag: bool) -> None:
        self._sock.setblocking(flag)

    def setsockopt(self, level: int, name: int, value: int) -> None:
        self._sock.setsockopt(level, name, value)

    def getsockname(self) -> tuple[str, int]:
        found = self._sock.getsockname()
        return str(found[0]), int(found[1])
