"""A client's non-blocking socket, plain or TLS depending on the client; raises `BlockingIOError` instead of waiting."""

import socket
import ssl
from collections.abc import Callable
from contextlib import suppress
from typing import Final

TLS_BEGINS: Final = b"\x16"
"""The first byte of a TLS connection; no plain HTTP request starts with it."""
_RECORD: Final = 16 * 1024
"""Maximum bytes per send: one TLS record, because a blocked send must be retried with the same data."""

Context = Callable[[], ssl.SSLContext]


class ClientSocket:
    """One client's connection. The first byte decides whether it is TLS.

    Args:
        sock: an accepted, non-blocking socket.
        context: returns the TLS context when needed; None: plain text only.
    """

    def __init__(self, sock: socket.socket, context: Context | None = None) -> None:
        self._sock = sock
        self._context = context
        self._is_known = context is None
        self.is_secure = False
        "Whether the connection uses TLS."
        self.is_greeting = False
        "Whether the TLS handshake is in progress."
        self.certificate: bytes | None = None
        "The client's certificate (DER), verified in the handshake; None without one."

    @property
    def may_greet(self) -> bool:
        """Whether the next data may belong to a TLS handshake, which takes CPU time."""
        return self.is_greeting or not self._is_known

    def recv(self, size: int) -> bytes:
        """Return received data, decrypted.

        Raises:
            BlockingIOError: no data yet.
            OSError: the connection or TLS failed.
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
        """Send as much as possible without blocking, and return the number of bytes.

        Raises:
            BlockingIOError: nothing can be sent now.
            OSError: the connection failed, or the TLS handshake is not complete.
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
        """Shut down the connection, including TLS."""
        if isinstance(self._sock, ssl.SSLSocket) and not self.is_greeting:
            with suppress(OSError, ValueError):  # sends close_notify; would then wait for the client's
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
