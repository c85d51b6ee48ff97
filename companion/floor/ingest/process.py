"""Runs ingest in its own process, so that it does not share the GIL with pages, TLS and the pit's board.

    python -m companion.floor.ingest.process SOCKET DSN FOLDER NAME

is started by the floor at the first batch, and exits when its socket closes: with the floor, however that ends.
Both ends are the same program, so messages use `marshal`:

- requests: a list of ``(number, installation, came, body)``, and of ``(None, table)`` to invalidate a table's cache;
- responses: ``(replies, rows, is_about_duty)``, each reply ``(number, latest entry or None, answer, aside)``, with
  ``(code, text)`` as the answer to a rejected batch.
"""

import logging
import marshal
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

import orjson

from companion.floor.errors import FloorError
from companion.floor.ingest.chain import BadBatch, Batch
from companion.floor.ingest.heads import Countersigner, floor_signer
from companion.floor.ingest.writer import Answer, Ingest, Shipment, Unavailable, Written
from companion.floor.runtime.interpreter import prepare
from companion.floor.tables import Installation
from companion.journal.hash_chain import Entry

log = logging.getLogger(__name__)

GROUP: Final = 400
"""Most batches in one transaction (group commit)."""
GROUP_ENTRIES: Final = 5_000
"""Entries after which a transaction takes no further batch."""
_SHARED_S: Final = 0.01
"""While several tables are sending, how long a batch waits for others to share its transaction."""
_CROWD: Final = 50
"""Number of waiting batches at which none waits for more."""
_END_S: Final = 10.0
_CLOCK_SET_S: Final = 1.0
_NOTHING: Final = marshal.dumps((None, None))


@dataclass(frozen=True, slots=True)
class Reply:
    """Response to a table's request, and the request's other content.

    Attributes:
        answer: as from `Answer.to_json`.
        picture: the table's snapshot, as received.
        orders: its acknowledgements of commands, as received.
    """

    answer: dict[str, Any] | FloorError
    picture: object = None
    orders: object = None


Done = Callable[[Reply], None]
Rows = Sequence[tuple[int, int, Entry]]


class IngestProcess:
    """The ingest process, started on demand. Thread-safe.

    Args:
        dsn: connection string, with the floor's own role.
        folder: contains the floor's key.
        name: the floor's name in countersignatures.
        on_rows: receives committed rows (table, epoch, entry) before any table is answered.
        on_duty: called after a commit that signs somebody on or off.
    """

    def __init__(
        self, dsn: str, folder: Path, name: str, on_rows: Callable[[Rows], None], on_duty: Callable[[], None]
    ) -> None:
        self._args = (dsn, str(folder), name)
        self._on_rows, self._on_duty = on_rows, on_duty
        self._numbers = count(1)
        self._waiting: dict[int, tuple[int, Done]] = {}
        "By request number: the table, and its callback."
        self._seen: dict[int, tuple[float, float]] = {}
        "By table, when it last reported: wall clock and monotonic time."
        self._claims: dict[int, int] = {}
        self._queue: queue.SimpleQueue[tuple[Any, ...] | None] = queue.SimpleQueue()
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None
        self._reader: threading.Thread | None = None
        self._thread = threading.Thread(target=self._run, name="to-ingest", daemon=True)

    def start(self) -> None:
        """Accept batches; the process starts with the first one."""
        self._thread.start()

    def close(self) -> None:
        """Finish pending batches and stop. Idempotent."""
        self._queue.put(None)
        if self._thread.is_alive():
            self._thread.join(timeout=_END_S)

    def submit(self, who: Installation, body: bytes, done: Done) -> None:
        """Queue a table's request; ``done`` is called in a worker thread once it is committed or rejected."""
        self._seen[who.table_id] = time.time(), time.monotonic()  # also during a database outage
        number = next(self._numbers)
        self._waiting[number] = who.table_id, done
        told = (who.fingerprint, who.table_id, who.name, who.epoch)
        self._queue.put((number, told, time.monotonic(), body))

    def forget(self, table_id: int) -> None:
        """Invalidate the cached state of a table that somebody else has changed in the database."""
        self._queue.put((None, table_id))

    def seen(self) -> dict[int, tuple[float, int]]:
        """Return, by table, when it last reported (seconds since the epoch) and its journal's latest entry.

        Ages are measured by the monotonic clock, so setting the wall clock does not affect them.
        """
        now, passed = time.time(), time.monotonic()
        found = {}
        for table, (called, at) in self._seen.copy().items():
            ago = passed - at
            was_set = abs(now - called - ago) > _CLOCK_SET_S
            found[table] = float(int(now - ago)) if was_set else called, self._claims.get(table, 0)
        return found

    # ---- sender thread

    def _run(self) -> None:
        is_open = True
        while is_open:
            items, is_open = self._next_items()
            if not any(item[0] for item in items) and self._connection is None:
                continue  # no process, no cache to invalidate
            try:
                self._connected().send_bytes(marshal.dumps(items))
            except OSError as error:
                log.warning("The ingest process does not respond: %s", error)
                self._end()
                self._give_up()
        self._end()

    def _next_items(self) -> tuple[list[tuple[Any, ...]], bool]:
        items: list[tuple[Any, ...]] = []
        item = self._queue.get()
        while item is not None:
            items.append(item)
            try:
                item = self._queue.get_nowait()
            except queue.Empty:
                return items, True
        return items, False

    def _connected(self) -> Connection:
        if self._reader is not None and not self._reader.is_alive():
            log.warning("The ingest process has exited. Restarting it.")
            self._end()
        if self._connection is None:
            ours, its = socket.socketpair()
            with its:
                command = [sys.executable, "-m", "companion.floor.ingest.process", str(its.fileno()), *self._args]
                self._process = subprocess.Popen(command, pass_fds=[its.fileno()])
            self._connection = Connection(ours.detach())
            self._reader = threading.Thread(
                target=self._read, args=(self._connection,), name="from-ingest", daemon=True
            )
            self._reader.start()
        return self._connection

    def _end(self) -> None:
        """Let the process finish its pending batches; unanswered tables resend."""
        process, reader, connection = self._process, self._reader, self._connection
        self._process = self._reader = self._connection = None
        if process is None or reader is None or connection is None:
            return
        with suppress(OSError), socket.socket(fileno=os.dup(connection.fileno())) as sock:
            sock.shutdown(socket.SHUT_WR)
        try:
            process.wait(_END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        reader.join()
        connection.close()

    # ---- reader thread

    def _read(self, connection: Connection) -> None:
        try:
            with suppress(EOFError, OSError):
                while True:
                    self._take(connection.recv_bytes())
        finally:
            self._give_up()

    def _give_up(self) -> None:
        for number in tuple(self._waiting):  # some may be queued for the next process; resent batches are deduplicated
            self._tell(number, Reply(Unavailable()))

    def _take(self, told: bytes) -> None:
        replies, rows, is_about_duty = marshal.loads(told)
        try:
            self._on_rows([(table_id, epoch, Entry._make(entry)) for table_id, epoch, entry in rows])
            if is_about_duty:
                self._on_duty()
        except Exception:
            log.exception("Internal error: listeners were not notified of committed entries")
        for number, claim, answer, aside in replies:
            if claim is not None and number in self._waiting:
                self._claims[self._waiting[number][0]] = claim
            picture, orders = marshal.loads(aside)
            self._tell(number, Reply(answer if isinstance(answer, dict) else FloorError(*answer), picture, orders))

    def _tell(self, number: int, reply: Reply) -> None:
        _, done = self._waiting.pop(number, (0, None))
        if done is None:
            return
        try:
            done(reply)
        except Exception:  # one table's broken connection must not block the others' responses
            log.exception("Internal error: a table got no answer")


# ---- in the process


@dataclass(frozen=True, slots=True)
class _Message:
    number: int
    shipment: Shipment
    aside: bytes


@dataclass(frozen=True, slots=True)
class _Refused:
    number: int
    why: str


@dataclass(frozen=True, slots=True)
class _Forget:
    table_id: int


class _Desk:
    """Writes requests in groups and sends the responses; a separate thread reads further requests meanwhile."""

    def __init__(self, connection: Connection, ingest: Ingest) -> None:
        self._connection, self._ingest = connection, ingest
        self._waiting: deque[_Message | _Refused | _Forget] = deque()
        self._came = threading.Condition()
        self._is_open = True
        self._is_crowded = False

    def run(self) -> None:
        """Work until the socket closes."""
        reader = threading.Thread(target=self._receive_all, name="from-floor", daemon=True)
        reader.start()
        while self._is_open or self._waiting:
            with self._came:
                self._came.wait_for(lambda: self._waiting or not self._is_open)
            if self._is_crowded and len(self._waiting) < _CROWD:
                time.sleep(_SHARED_S)
            self._answer(*self._next_group())
        reader.join()

    def _receive_all(self) -> None:
        try:
            with suppress(EOFError, ConnectionError):
                while True:
                    self._receive(self._connection.recv_bytes())
        finally:
            with self._came:
                self._is_open = False
                self._came.notify()

    def _receive(self, told: bytes) -> None:
        came = [_read(number, *rest) for number, *rest in marshal.loads(told)]
        with self._came:
            self._waiting += came
            self._came.notify()

    def _next_group(self) -> tuple[list[_Message], list[_Refused]]:
        """Return the requests of the next transaction, and those rejected without one."""
        group: list[_Message] = []
        refused: list[_Refused] = []
        entries = 0
        while self._waiting and len(group) < GROUP and entries < GROUP_ENTRIES:
            match self._waiting.popleft():
                case _Forget(table_id):
                    self._ingest.forget(table_id)
                case _Refused() as one:
                    refused.append(one)
                case message:
                    group.append(message)
                    entries += len(message.shipment.batch.entries)
        return group, refused

    def _answer(self, group: Sequence[_Message], refused: Sequence[_Refused]) -> None:
        self._is_crowded = len(group) > 1
        done = self._ingest.write([one.shipment for one in group]) if group else Written()
        replies: list[tuple[Any, ...]] = [(one.number, None, ("bad-request", one.why), _NOTHING) for one in refused]
        replies += (
            (one.number, one.shipment.batch.head.seq, _told(answer), one.aside)
            for one, answer in zip(group, done.answers, strict=True)
        )
        if replies:
            rows = [(table_id, epoch, tuple(entry)) for table_id, epoch, entry in done.rows]
            self._connection.send_bytes(marshal.dumps((replies, rows, done.is_about_duty)))


def _read(number: int | None, *rest: Any) -> _Message | _Refused | _Forget:
    """Parse an item sent by the floor."""
    if number is None:
        return _Forget(*rest)
    who, came, body = rest
    try:
        message = orjson.loads(body)
        shipment = Shipment(Installation(*who), Batch.parse(message), came)
        return _Message(number, shipment, marshal.dumps((message.get("picture"), message.get("orders"))))
    except BadBatch as error:
        return _Refused(number, error.message)
    except ValueError:
        return _Refused(number, "This is no JSON.")


def _told(answer: Answer | FloorError) -> dict[str, Any] | tuple[str, str]:
    return (answer.code, answer.message) if isinstance(answer, FloorError) else answer.to_json()


def main() -> None:
    """Serve a floor until it exits."""
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # the floor handles it, and closes our socket
    prepare()
    descriptor, dsn, folder, name = sys.argv[1:]
    ingest = Ingest(dsn, Countersigner(floor_signer(Path(folder)), name))
    with suppress(ConnectionError), Connection(int(descriptor)) as connection:
        _Desk(connection, ingest).run()
    ingest.close()


if __name__ == "__main__":
    main()
