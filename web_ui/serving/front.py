"""A single thread that reads complete requests and writes complete responses with non-blocking I/O.

Workers only get complete requests, so a slow or silent client (as in a Slowloris attack) occupies a connection but no
thread. Each stage has a timeout, and each address a limit for unfinished connections. Beyond the limit the oldest ones
are closed, except those that are only a moment old: otherwise a crowd behind one address, reconnecting all the time,
would crowd out a client that is about to send its request.
"""

import logging
import math
import resource
import selectors
import socket
import ssl
import threading
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from enum import IntEnum, auto
from functools import partial
from typing import Final

from web_ui.serving.framing import Malformed, RequestReader, WholeRequest, refusal
from web_ui.serving.sockets import ClientSocket

TICK_S: Final = 0.25
SLOWEST_BYTES: Final = 50_000
GREETING_S: Final = 0.02
"Time slice for TLS handshakes before other connections are served again."
ACCEPTED_AT_ONCE: Final = 64
READ_BYTES: Final = 64 * 1024
FILES_KEPT: Final = 200
"Number of file descriptors reserved for the rest of the program."

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Patience:
    """Timeouts of connections, in seconds."""

    request_s: float = 5.0
    "For a request, from its first byte to its last."
    idle_s: float = 10.0
    "For a connection without a request."
    answer_s: float = 20.0
    "For the client to read a response, plus one second for each `SLOWEST_BYTES`."
    drain_s: float = 1.0
    grace_s: float = 1.0
    "Age from which a connection may be closed in favor of others from its address."


PATIENT: Final = Patience()


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits for connections.

    Attributes:
        unfinished: per address, with a partial request or response; newer ones than ``grace_s`` may exceed it.
        idle: per address, without a request; newer ones than ``grace_s`` may exceed it.
        crowd: per address in total, regardless of age; beyond it the oldest are closed.
        total: of all addresses.
        unread: total bytes of unread responses; beyond it, connections of the address with the most are closed.
    """

    unfinished: int = 16
    idle: int = 64
    crowd: int = 400
    total: int = 2000
    unread: int = 48 * 1024 * 1024


USUAL: Final = Limits()


class Stage(IntEnum):
    """The stage of a connection."""

    IDLE = auto()
    READING = auto()
    WORKING = auto()
    WRITING = auto()
    DRAINING = auto()
    """The response is sent; further input is discarded, so that the client can read the response before the close."""


@dataclass(slots=True, eq=False)
class Connection:
    """One client's connection. It belongs to a worker during `Stage.WORKING`, else to the front's thread."""

    sock: ClientSocket
    address: str
    port: int
    reached_at: str
    reader: RequestReader
    ends_at: float
    stage: Stage = Stage.IDLE
    since: float = 0.0
    watched: int = 0
    "The events registered with the selector; reading stays registered while a worker has it, until data arrives."
    out: memoryview = field(default_factory=lambda: memoryview(b""))
    "The unsent part of the response."
    answer: bytes = b""
    "The complete response, kept in memory until all of it is sent."
    keeps: bool = True


_UNFINISHED: Final = (Stage.READING, Stage.WRITING, Stage.DRAINING)


class _AddressConnections:
    """The connections of one address by stage, longest at a stage first.

    Each request changes its connection's stage several times, and a thousand tables may share one address. So moving
    a connection and checking the limits do not iterate over the others.
    """

    def __init__(self) -> None:
        self._at: dict[Stage, dict[Connection, None]] = {stage: {} for stage in Stage}

    @property
    def size(self) -> int:
        """Number of connections."""
        return sum(map(len, self._at.values()))

    def enter(self, connection: Connection) -> None:
        """Add a connection that has just entered its stage."""
        self._at[connection.stage][connection] = None

    def leave(self, connection: Connection) -> None:
        """Remove a connection, if present."""
        self._at[connection.stage].pop(connection, None)

    def oldest_beyond(self, most: int, *stages: Stage) -> list[Connection]:
        """Return the connections at these stages beyond ``most``, oldest first."""
        excess = sum(len(self._at[stage]) for stage in stages) - most
        if excess <= 0:
            return []
        found = (connection for stage in stages for connection in self._at[stage])
        return sorted(found, key=lambda one: one.since)[:excess]


class Front:
    """Accepts, reads, writes and closes connections.

    Args:
        listener: a listening socket; the front closes it.
        work: handles a complete request. Called in the front's thread, so it should only queue the request; `give`
            or `forget` must be called in the end.
        body_limit: maximum length of a body.
        proven_limit: maximum length for clients with a verified certificate; None: ``body_limit``.
        taken: returns the number of connections held elsewhere, such as by the streams' hub.
        tls: returns the context for connections to one of our addresses; None: no TLS.
    """

    def __init__(
        self,
        listener: socket.socket,
        work: Callable[[Connection, WholeRequest], None],
        *,
        body_limit: int,
        proven_limit: int | None = None,
        taken: Callable[[], int] = lambda: 0,
        patience: Patience = PATIENT,
        tls: Callable[[str], ssl.SSLContext] | None = None,
        limits: Limits = USUAL,
    ) -> None:
        self._tls = tls
        self._limits = limits
        self._listener = listener
        self._work = work
        self._body_limit = body_limit
        self._proven_limit = proven_limit
        self._taken = taken
        self._patience = patience
        self._connections: set[Connection] = set()
        self._of: defaultdict[str, _AddressConnections] = defaultdict(_AddressConnections)
        self._handshakes: Counter[str] = Counter()
        self._finished: deque[Connection] = deque()
        self._released: deque[Connection] = deque()
        self._selector = selectors.DefaultSelector()
        self._woken, self._waker = socket.socketpair()
        self._is_woken = False
        self._least_limit = min(limits.unfinished, limits.idle, limits.crowd)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="web", daemon=True)
        for sock in (listener, self._woken, self._waker):
            sock.setblocking(False)
        self._limit = _file_limit(limits.total)

    def start(self) -> None:
        """Start serving, in a separate thread."""
        self._thread.start()

    def close(self) -> None:
        """Close all connections; may be called twice."""
        self._stop.set()
        self._wake()
        if self._thread.is_alive():
            self._thread.join(timeout=1.0)
        else:
            self._listener.close()

    # ---- called by workers

    def give(self, connection: Connection, answer: bytes, *, keeps: bool, at_once: bool = True) -> None:
        """Send a response; the front's thread sends what cannot be sent immediately.

        Args:
            at_once: False leaves everything to the front's thread, for callers that must not spend time on it.
        """
        connection.out, connection.answer, connection.keeps = memoryview(answer), answer, keeps
        if at_once:
            with suppress(OSError):  # the front's thread will get the same error and close the connection
                connection.out = connection.out[connection.sock.send(connection.out) :]
        self._finished.append(connection)
        self._wake()

    def forget(self, connection: Connection) -> None:
        """Release a connection whose socket now belongs to somebody else."""
        self._released.append(connection)
        self._wake()

    # ---- the thread

    def _run(self) -> None:
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._selector.register(self._woken, selectors.EVENT_READ)
        checked_at = 0.0
        while not self._stop.is_set():
            handshaking = []
            for key, _ in self._selector.select(TICK_S):
                if isinstance(key.data, Connection):
                    if key.data.sock.may_greet:
                        handshaking.append(key.data)
                    else:
                        self._serve(key.data)
                elif key.fileobj is self._listener:
                    self._accept()
                else:
                    self._process_finished()
            self._greet(handshaking)
            if time.monotonic() - checked_at >= TICK_S:
                checked_at = time.monotonic()
                self._handshakes.clear()
                self._end_overdue(checked_at)
        self._listener.close()
        for connection in tuple(self._connections):
            if connection.stage is not Stage.WORKING:
                self._end(connection)
        self._selector.close()

    def _greet(self, connections: list[Connection]) -> None:
        """Continue TLS handshakes for up to `GREETING_S`: each step takes more CPU time than a request.

        Addresses with the fewest recent handshakes come first; the rest continue in the next round. So an address that
        keeps starting handshakes only delays itself.
        """
        until = time.monotonic() + GREETING_S
        connections.sort(key=lambda one: self._handshakes[one.address])
        for turn, connection in enumerate(_in_turns(connections)):
            if turn and time.monotonic() > until:
                return
            self._handshakes[connection.address] += 1
            self._serve(connection)

    def _wake(self) -> None:
        if not self._is_woken:  # else a wake-up is pending already
            self._is_woken = True
            with suppress(OSError):  # the thread has ended
                self._waker.send(b"\0")

    def _process_finished(self) -> None:
        """Process the connections that workers have finished with."""
        with suppress(BlockingIOError):
            self._woken.recv(READ_BYTES)
        self._is_woken = False
        self._discard_released()
        while self._finished:
            connection = self._finished.popleft()
            self._write(connection)
            if connection.out:  # rare: the response exceeds the socket's buffer
                self._limit_unread()

    def _discard_released(self) -> None:
        while self._released:
            connection = self._released.popleft()
            self._watch(connection, 0)
            self._discard(connection)

    def _accept(self) -> None:
        for _ in range(ACCEPTED_AT_ONCE):
            try:
                sock, where = self._listener.accept()
            except BlockingIOError:
                return
            except OSError as error:  # out of file descriptors, or the client is gone
                _log.debug("Cannot accept a connection: %s", error)
                self._end_oldest()
                time.sleep(0.01)
                return
            self._discard_released()  # one of them may be closed by now, and its file descriptor reused
            sock.setblocking(False)
            with suppress(OSError):
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            reader, reached_at = RequestReader(self._body_limit), _reached_at(sock)
            client = ClientSocket(sock, None if self._tls is None else partial(self._tls, reached_at))
            connection = Connection(client, str(where[0]), int(where[1]), reached_at, reader, 0.0)
            self._connections.add(connection)
            self._enter(connection, Stage.IDLE, self._patience.idle_s)
            if not client.may_greet:
                self._serve(connection)  # the request has usually arrived already, so it never counts as unfinished
            self._make_room(connection.address)

    def _serve(self, connection: Connection) -> None:
        if connection not in self._connections:
            return
        try:
            if connection.stage is Stage.WRITING:
                self._write(connection)
            elif connection.stage is Stage.WORKING:
                self._watch(connection, 0)  # further input has to wait for the response
            else:
                self._read(connection)
        except Exception:  # whatever the cause, one client must not end the thread that serves all others
            _log.exception("Internal error in a connection from %s", connection.address)
            self._end(connection)

    def _read(self, connection: Connection) -> None:
        try:
            data = connection.sock.recv(READ_BYTES)
        except BlockingIOError:
            self._follow_handshake(connection)
            return
        except OSError:
            data = b""
        if not data:
            self._end(connection)
        elif connection.stage is not Stage.DRAINING:
            connection.reader.feed(data)
            self._advance(connection)

    def _follow_handshake(self, connection: Connection) -> None:
        """Apply the request timeout during a TLS handshake, and the idle timeout after it."""
        if connection.sock.is_greeting and connection.stage is Stage.IDLE:
            self._enter(connection, Stage.READING, self._patience.request_s)
            self._make_room(connection.address)
        elif connection.stage is Stage.READING and not (connection.sock.is_greeting or connection.reader.is_begun):
            self._enter(connection, Stage.IDLE, self._patience.idle_s)

    def _advance(self, connection: Connection) -> None:
        """Hand a complete request to the workers; start the timeout of a partial one."""
        if self._proven_limit is not None and connection.sock.certificate is not None:
            connection.reader.body_limit = self._proven_limit
        try:
            whole = connection.reader.take()
        except Malformed as error:
            self._refuse(connection, error.status, error.message)
            return
        if whole is not None:
            self._enter(connection, Stage.WORKING, 0.0)
            self._work(connection, whole)
        elif connection.stage is Stage.IDLE and connection.reader.is_begun:
            self._enter(connection, Stage.READING, self._patience.request_s)
            self._make_room(connection.address)
        if connection.stage is Stage.READING and connection.reader.waits:
            with suppress(OSError):
                connection.sock.send(b"HTTP/1.1 100 Continue\r\n\r\n")

    def _refuse(self, connection: Connection, status: int, message: str) -> None:
        connection.out, connection.keeps = memoryview(refusal(status, message)), False
        self._enter(connection, Stage.WRITING, self._patience.request_s)
        self._write(connection)

    def _write(self, connection: Connection) -> None:
        try:
            while connection.out:
                connection.out = connection.out[connection.sock.send(connection.out) :]
        except BlockingIOError:
            if connection.stage is not Stage.WRITING:
                within_s = self._patience.answer_s + len(connection.out) / SLOWEST_BYTES
                self._enter(connection, Stage.WRITING, within_s)
            self._make_room(connection.address)
            return
        except OSError:
            self._end(connection)
            return
        connection.answer = b""
        if not connection.keeps:
            self._drain(connection)
            return
        self._enter(connection, Stage.IDLE, self._patience.idle_s)
        if connection.reader.is_begun:
            self._advance(connection)  # the next request may have arrived already
        self._make_room(connection.address)

    def _drain(self, connection: Connection) -> None:
        try:
            connection.sock.shutdown(socket.SHUT_WR)
        except OSError:
            self._end(connection)
            return
        self._enter(connection, Stage.DRAINING, self._patience.drain_s)

    def _enter(self, connection: Connection, stage: Stage, within_s: float) -> None:
        """Move a connection to a stage, and register for the events that it waits for."""
        crowd = self._of[connection.address]
        crowd.leave(connection)
        connection.stage, connection.since = stage, time.monotonic()
        crowd.enter(connection)
        connection.ends_at = connection.since + within_s
        if stage is not Stage.WORKING:
            self._watch(connection, selectors.EVENT_WRITE if stage is Stage.WRITING else selectors.EVENT_READ)

    def _watch(self, connection: Connection, events: int) -> None:
        before, connection.watched = connection.watched, events
        if events == before:
            return
        if not before:
            self._selector.register(connection.sock, events, connection)
        elif events:
            self._selector.modify(connection.sock, events, connection)
        else:
            with suppress(KeyError, ValueError):  # already closed by its new owner
                self._selector.unregister(connection.sock)

    # ---- closing

    def _end_overdue(self, now: float) -> None:
        for connection in tuple(self._connections):
            if connection.stage is Stage.WORKING or connection.ends_at > now:
                continue
            if connection.stage is Stage.READING:
                self._refuse(connection, 408, "The request did not arrive in time.")
            else:
                self._end(connection)
        for address in tuple(self._of):
            self._make_room(address)

    def _make_room(self, address: str) -> None:
        """Enforce the limits of one address, and the total limit."""
        own, before = self._of.get(address), time.monotonic() - self._patience.grace_s
        if own is not None and own.size > self._least_limit:
            self._keep_newest(own, self._limits.unfinished, before, *_UNFINISHED)
            self._keep_newest(own, self._limits.idle, before, Stage.IDLE)
            self._keep_newest(own, self._limits.crowd, math.inf, Stage.IDLE, *_UNFINISHED)
        if len(self._connections) + self._taken() > self._limit:
            self._end_oldest()

    def _limit_unread(self) -> None:
        """Enforce the limit for unread responses: close the oldest connections of the address with the most.

        A single response may exceed it, as for a long history.
        """
        waiting = [one for one in self._connections if one.stage is Stage.WRITING]
        excess = sum(len(one.answer) for one in waiting) - self._limits.unread
        while excess > 0 and len(waiting) > 1:
            of: defaultdict[str, int] = defaultdict(int)
            for one in waiting:
                of[one.address] += len(one.answer)
            oldest = min((one for one in waiting if one.address == max(of, key=of.__getitem__)), key=lambda o: o.since)
            excess -= len(oldest.answer)
            waiting.remove(oldest)
            self._end(oldest)

    def _keep_newest(self, own: _AddressConnections, most: int, before: float, *stages: Stage) -> None:
        """Close the connections at these stages beyond ``most``, but only those at their stage since ``before``."""
        for connection in own.oldest_beyond(most, *stages):
            if connection.since <= before:
                self._end(connection)

    def _end_oldest(self) -> None:
        at_rest = [connection for connection in self._connections if connection.stage is not Stage.WORKING]
        if at_rest:
            self._end(min(at_rest, key=lambda one: one.since))

    def _end(self, connection: Connection) -> None:
        self._discard(connection)
        self._watch(connection, 0)
        connection.sock.close()

    def _discard(self, connection: Connection) -> None:
        self._connections.discard(connection)
        own = self._of[connection.address]
        own.leave(connection)
        if not own.size:
            del self._of[connection.address]


def _in_turns(connections: Iterable[Connection]) -> Iterator[Connection]:
    """Yield one connection of each address, then a second one of each, and so on."""
    rest: dict[str, deque[Connection]] = {}
    for connection in connections:
        rest.setdefault(connection.address, deque()).append(connection)
    while rest:
        for address in tuple(rest):
            yield rest[address].popleft()
            if not rest[address]:
                del rest[address]


def _reached_at(sock: socket.socket) -> str:
    try:
        return str(sock.getsockname()[0])
    except OSError:
        return ""


def _file_limit(most: int) -> int:
    """Return the maximum number of connections, given this process's limit of file descriptors."""
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return most if allowed == resource.RLIM_INFINITY else max(32, min(most, allowed - FILES_KEPT))
