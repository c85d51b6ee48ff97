"""The web server: serves the pages and holds hundreds of event streams in one process.

The `Front` reads complete requests and writes complete responses with non-blocking I/O. A few worker threads handle
the requests, some of them reserved for the dealer's. Streams need no worker: their connections are handed over to the
`Hub`, which writes to all of them from one thread, without blocking.
"""

import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Self

from flask import Flask

from companion.kernel.errors import CompanionError
from web_ui.history_prefetch import HistoryPrefetch
from web_ui.live import Hub, StreamSpec
from web_ui.serving.answering import Answerer
from web_ui.serving.framing import Head, WholeRequest, refusal
from web_ui.serving.front import PATIENT, USUAL, Connection, Front, Limits, Patience
from web_ui.serving.workers import Workers
from web_ui.spectators import Spectators

STOP_S: Final = 0.2
BACKLOG: Final = 256
STREAMS_LIMIT: Final = 40
"Maximum number of event streams per address, except for the dealer and this machine."


class ServerError(CompanionError):
    """The dashboard's port cannot be used; the message says which and what to do."""


@dataclass(frozen=True, slots=True)
class Secured:
    """TLS settings: the context for each of our addresses, and the application for plain HTTP clients."""

    context: Callable[[str], ssl.SSLContext]
    plain_app: Callable[..., Any]


class Server:
    """The dashboard on one address. A context manager; `close` ends it within about two seconds.

    Args:
        host, port: the address to listen on; port 0 chooses a free one, see `port`.
        patience: timeouts for slow clients.
        limits: limits for connections and unread responses.
        secured: TLS for all clients except this machine; None: plain HTTP.

    Raises:
        ServerError: the port is taken or not permitted.
    """

    def __init__(
        self,
        app: Flask,
        host: str = "0.0.0.0",
        port: int = 8080,
        *,
        patience: Patience = PATIENT,
        limits: Limits = USUAL,
        secured: Secured | None = None,
    ) -> None:
        self._spectators: Spectators = app.extensions["spectators"]
        self._hub = Hub(app.extensions["service"], self._spectators)
        self._prefetch = HistoryPrefetch(app.extensions["service"].history, app.extensions["standings"])
        app.extensions["stream_count"] = lambda: self._hub.count
        self._is_dealers: Callable[[Head, str], bool] = app.extensions["is_dealers"]
        listener = _listen(host, port)
        self._port = int(listener.getsockname()[1])
        limit = int(app.config["MAX_CONTENT_LENGTH"])
        self._answerer = Answerer(app.wsgi_app, (host, self._port))
        self._trust = None if secured is None else Answerer(secured.plain_app, (host, self._port))
        self._workers = Workers(self._answer)
        self._front = Front(
            listener,
            self._hand_on,
            body_limit=limit,
            taken=lambda: self._hub.count,
            patience=patience,
            limits=limits,
            tls=None if secured is None else secured.context,
        )

    @property
    def port(self) -> int:
        """The port it listens on."""
        return self._port

    def start(self) -> None:
        """Start serving, in separate threads."""
        self._spectators.start()
        self._hub.start()
        self._workers.start()
        self._front.start()
        self._prefetch.start()

    def close(self) -> None:
        """Stop serving and end all streams; may be called twice."""
        self._prefetch.close()
        self._spectators.close()
        self._hub.close()
        self._front.close()
        self._workers.close(STOP_S)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ---- one request

    def _hand_on(self, connection: Connection, request: WholeRequest) -> None:
        is_reserved = self._is_dealers(request.head, connection.address)
        if not self._workers.put((connection, request), is_reserved=is_reserved):
            self._front.give(connection, refusal(503, "The table is busy. Wait a moment, then try again."), keeps=False)

    def _answer(self, connection: Connection, request: WholeRequest) -> None:
        client = connection.address, connection.port
        is_secure, answerer = connection.sock.is_secure, self._answerer
        if self._trust is not None and not is_secure and not is_here(connection.address):
            answerer = self._trust
        answer = answerer.answer(request, client, connection.reached_at, is_secure=is_secure)
        if answer.stream is None:
            self._front.give(connection, answer.data, keeps=answer.keeps)
        elif self._has_room(connection.address, answer.stream):
            self._front.forget(connection)
            self._hub.adopt(
                connection.sock, answer.stream, chunked=answer.is_chunked, head=answer.data, address=connection.address
            )
        else:
            why = "Too many pages of this address follow the table. Close some of them."
            self._front.give(connection, refusal(429, why), keeps=False)

    def _has_room(self, address: str, spec: StreamSpec) -> bool:
        return spec.viewer == "dealer" or is_here(address) or self._hub.count_of(address) < STREAMS_LIMIT


def is_here(address: str) -> bool:
    """Whether a client's address is a loopback address, for which TLS is unnecessary."""
    return address.removeprefix("::ffff:").startswith("127.") or address == "::1"


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise ServerError(f"The dashboard cannot use {host}:{port} ({error}). Choose another --port.") from error
