"""One process that serves the pages and holds hundreds of event streams.

Requests are answered by cheroot's small pool of threads. A stream needs no thread: once its headers are sent, the
connection goes over to the `Hub`, which writes to all of them from one thread and waits for none.
"""

from __future__ import annotations

import logging
import threading
import time
from typing import Final, Self

from cheroot import wsgi
from flask import Flask

from companion.kernel.errors import CompanionError
from web_ui.history_prefetch import HistoryPrefetch
from web_ui.live import Hub, StreamSpec

THREADS: Final = 12
TIMEOUT_S: Final = 10
STOP_S: Final = 1
BACKLOG: Final = 256
SPEC: Final = "companion.stream"

_log = logging.getLogger(__name__)


class ServerError(CompanionError):
    """The dashboard's port cannot be used; the message says which and what to do."""


class _Http(wsgi.Server):
    """Cheroot with our logging; a client that went away is no news."""

    def error_log(self, msg: str = "", level: int = logging.INFO, traceback: bool = False) -> None:
        _log.log(level if level >= logging.ERROR else logging.DEBUG, msg, exc_info=traceback)


class Server:
    """The dashboard on one address. A context manager; `close` ends it within about two seconds.

    Args:
        host, port: where to listen; port 0 takes a free one, see `port`.

    Raises:
        ServerError: the port is taken or not permitted.
    """

    def __init__(self, app: Flask, host: str = "0.0.0.0", port: int = 8080) -> None:
        self._hub = Hub(app.extensions["service"])
        self._prefetch = HistoryPrefetch(app.extensions["service"].history, app.extensions["standings"])
        app.extensions["stream_count"] = lambda: self._hub.count
        self._http = _Http(
            (host, port),
            app.wsgi_app,
            numthreads=THREADS,
            server_name="companion",
            request_queue_size=BACKLOG,
            timeout=TIMEOUT_S,
            shutdown_timeout=STOP_S,
        )
        self._http.gateway = _gateway(self._hub)
        self._thread = threading.Thread(target=self._http.serve, name="web", daemon=True)
        try:
            self._http.prepare()
        except OSError as error:
            raise ServerError(f"The dashboard cannot use {host}:{port} ({error}). Choose another --port.") from error

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self._http.bind_addr[1])

    def start(self) -> None:
        """Serve, in threads of its own."""
        self._hub.start()
        self._thread.start()
        self._prefetch.start()

    def close(self) -> None:
        """Stop serving and end all streams; may be called twice."""
        self._prefetch.close()
        self._hub.close()
        self._http.stop()
        if self._thread.is_alive():
            self._thread.join(timeout=STOP_S)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def serve(app: Flask, host: str = "0.0.0.0", port: int = 8080, *, stop: threading.Event | None = None) -> None:
    """Serve until ``stop`` is set (or for ever).

    Raises:
        ServerError: the port is taken or not permitted.
    """
    with Server(app, host, port):
        while stop is None or not stop.wait(0.5):
            if stop is None:
                time.sleep(0.5)


def _gateway(hub: Hub) -> type[wsgi.Gateway_10]:
    """Return cheroot's link to the application, which gives streams to this hub."""

    class StreamGateway(wsgi.Gateway_10):
        def respond(self) -> None:
            body = self.req.server.wsgi_app(self.env, self.start_response)
            spec = self.env.get(SPEC)
            try:
                if isinstance(spec, StreamSpec) and self.req.status.startswith(b"200"):
                    self._hand_over(spec)
                    return
                for chunk in filter(None, body):
                    self.write(chunk)
            finally:
                self.req.ensure_headers_sent()
                if hasattr(body, "close"):
                    body.close()

        def _hand_over(self, spec: StreamSpec) -> None:
            """Send the headers, then leave the connection to the hub; cheroot forgets it without closing it."""
            self.req.ensure_headers_sent()
            self.req.conn.wfile.flush()
            chunked = bool(self.req.chunked_write)
            self.req.chunked_write = False  # the hub frames the chunks from here on
            self.req.close_connection = True
            self.req.conn.linger = True  # no shutdown: the copy below stays open
            hub.adopt(self.req.conn.socket.dup(), spec, chunked=chunked)

    return StreamGateway
