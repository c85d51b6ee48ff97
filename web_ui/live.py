"""Server-sent events: the complete view on connection and at each new version, with heartbeats in between.

A slow client gets the newest view when it is ready again, never a queue of old ones. Under our own server
one thread, the `Hub`, writes to all clients without blocking; under any other server (and Flask's test
client) each stream is an ordinary generator.
"""

import json
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

from companion.closing import Worker
from companion.service.table_service import TableService
from web_ui.serving.sockets import ClientSocket
from web_ui.spectators import WATCH, Spectators

HEARTBEAT_S: Final = 2.0
RETRY_MS: Final = 1000
TICK_S: Final = 0.1
BACKLOG_TICK_S: Final = 0.02
STUCK_S: Final = 10.0
SEND_BUFFER: Final = 64 * 1024

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StreamSpec:
    """A stream's viewer and language, and a check of its continuing permission (the PIN or the player may change)."""

    viewer: str
    language: str = "en"
    is_allowed: Callable[[], bool] = lambda: True


def view_event(version: int, view: bytes) -> bytes:
    """Return a view as one server-sent event.

    >>> view_event(7, b'{"a": 1}')
    b'id: 7\\nevent: view\\ndata: {"a": 1}\\n\\n'
    """
    lines = b"\ndata: ".join(view.split(b"\n"))
    return b"id: %d\nevent: view\ndata: %s\n\n" % (version, lines)


def heartbeat_event(late_s: float = 0) -> bytes:
    """Return a heartbeat with the table's time, minus the view's delay: a client's clock may be wrong."""
    at = (datetime.now(UTC) - timedelta(seconds=late_s)).isoformat(timespec="milliseconds")
    return b"event: heartbeat\ndata: %s\n\n" % json.dumps({"at": at}).encode()


def hello(late_s: float = 0) -> bytes:
    """Return a stream's first events. They include the table's time, which pages need for countdowns."""
    return b"retry: %d\n\n" % RETRY_MS + heartbeat_event(late_s)


GOODBYE: Final = b"event: goodbye\ndata: {}\n\n"
"Sent when the permission ends, so that the page shows the log-in instead of reconnecting forever."


def stream(service: TableService, spec: StreamSpec, spectators: Spectators | None = None) -> Iterator[bytes]:
    """Yield the events of one client indefinitely, for servers with a thread for each stream.

    Args:
        spectators: the delayed view, for clients with the viewer `WATCH`.
    """
    late_s = spectators.delay_s if spectators is not None and spec.viewer == WATCH else 0
    yield hello(late_s)
    sent = -1
    while spec.is_allowed():
        version = service.wait(sent, HEARTBEAT_S)
        if spectators is not None and spec.viewer == WATCH:
            late = spectators.version
            if late != sent:
                yield view_event(late, spectators.view_json(spec.language))
            else:
                yield heartbeat_event(late_s)
            sent = late
            time.sleep(TICK_S)
        elif version == sent:
            yield heartbeat_event()
        else:
            sent = version
            yield view_event(version, service.view_json(spec.viewer, spec.language))
    yield GOODBYE


@dataclass(slots=True, eq=False)
class Client:
    """One connected stream: the version sent, and the bytes still pending."""

    sock: ClientSocket
    spec: StreamSpec
    chunked: bool
    address: str = ""
    sent_version: int = -1
    backlog: memoryview = field(default_factory=lambda: memoryview(b""))
    moved_at: float = 0.0
    is_last: bool = False


class Hub(Worker):
    """The thread that writes to every stream. It owns the sockets it adopts."""

    def __init__(self, service: TableService, spectators: Spectators | None = None) -> None:
        self._service = service
        self._spectators = spectators or Spectators(service)
        self._clients: set[Client] = set()
        self._new: list[Client] = []
        self._lock = threading.Lock()
        super().__init__("streams", end_s=2.0)

    def close(self) -> None:
        """End all streams; may be called twice."""
        with self._lock:
            self._stop.set()
        super().close()

    @property
    def count(self) -> int:
        """Number of connected clients."""
        return len(self._clients) + len(self._new)

    def count_of(self, address: str) -> int:
        """Number of connected clients from this address."""
        with self._lock:
            return sum(client.address == address for client in (*self._clients, *self._new))

    def adopt(
        self, sock: ClientSocket, spec: StreamSpec, *, chunked: bool, head: bytes = b"", address: str = ""
    ) -> None:
        """Take over a connection; ``head`` is sent before the stream."""
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        with self._lock:
            if not self._stop.is_set():
                client = Client(sock, spec, chunked, address, moved_at=time.monotonic())
                client.backlog = memoryview(head)
                self._new.append(client)
                return
        sock.close()

    def _run(self) -> None:
        version, beat_at = self._service.wait(-1, 0), 0.0
        while not self._stop.is_set():
            self._welcome()
            if time.monotonic() - beat_at >= HEARTBEAT_S:
                beat_at = time.monotonic()
                self._beat()
            self._push(version)
            tick = BACKLOG_TICK_S if any(client.backlog for client in self._clients) else TICK_S
            version = self._service.wait(version, tick)
        self._welcome()
        for client in tuple(self._clients):
            client.is_last = True
            self._offer(client, b": the table closes\n\n")
            self._drop(client)

    def _welcome(self) -> None:
        with self._lock:
            fresh, self._new = self._new, []
        self._clients.update(fresh)
        for client in fresh:
            self._offer(client, hello(self._late_s(client)))

    def _beat(self) -> None:
        for client in tuple(self._clients):
            if not client.backlog:
                if client.spec.is_allowed():
                    self._offer(client, heartbeat_event(self._late_s(client)))
                else:
                    self._dismiss(client)

    def _late_s(self, client: Client) -> float:
        return self._spectators.delay_s if client.spec.viewer == WATCH else 0

    def _push(self, version: int) -> None:
        """Send this version to every client without a backlog; each viewer and language is serialized only once."""
        ready: dict[tuple[str, str], bytes] = {}
        late = self._spectators.version if any(client.spec.viewer == WATCH for client in self._clients) else -1
        for client in tuple(self._clients):
            theirs = late if client.spec.viewer == WATCH else version
            if client.backlog:
                self._flush(client)
            if client.backlog or client.sent_version == theirs or client not in self._clients:
                continue
            if not client.spec.is_allowed():
                self._dismiss(client)
                continue
            shown = client.spec.viewer, client.spec.language
            if shown not in ready:
                ready[shown] = view_event(theirs, self._view_json(*shown))
            client.sent_version = theirs
            self._offer(client, ready[shown])

    def _view_json(self, viewer: str, language: str) -> bytes:
        if viewer == WATCH:
            return self._spectators.view_json(language)
        return self._service.view_json(viewer, language)

    def _dismiss(self, client: Client) -> None:
        client.is_last = True
        self._offer(client, GOODBYE)

    def _offer(self, client: Client, event: bytes) -> None:
        body = b"%x\r\n%s\r\n" % (len(event), event) if client.chunked else event
        if client.is_last and client.chunked:
            body += b"0\r\n\r\n"
        client.backlog = memoryview(bytes(client.backlog) + body) if client.backlog else memoryview(body)
        self._flush(client)

    def _flush(self, client: Client) -> None:
        try:
            while client.backlog:
                sent = client.sock.send(client.backlog)
                client.backlog = client.backlog[sent:]
                client.moved_at = time.monotonic()
        except BlockingIOError:
            if time.monotonic() - client.moved_at > STUCK_S:
                self._drop(client)
        except OSError:
            self._drop(client)
        else:
            if client.is_last:
                self._drop(client)

    def _drop(self, client: Client) -> None:
        self._clients.discard(client)
        client.backlog = memoryview(b"")
        client.sock.close()
