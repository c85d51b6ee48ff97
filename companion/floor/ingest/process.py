"""Takes what the tables ship in a process of its own: pages, TLS and the pit's board share no turns with it.

    python -m companion.floor.ingest.process SOCKET DSN FOLDER NAME

is started by the floor when a table sends something, and ends when its socket does: with the floor, however that ends.
Both sides are the same program, so what goes between them is marshalled:

- to it, a list of ``(number, installation, came, body)``, and of ``(None, table)`` for tables to be forgotten;
- from it, ``(replies, rows, is_about_duty)``, each reply ``(number, latest entry or None, answer, aside)``; an answer
  that refuses is ``(code, text)``.
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
from companion.floor.ingest.writing import Answer, Ingest, Shipment, Unavailable, Written
from companion.floor.machine.interpreter import prepare
from companion.floor.tables import Installation
from companion.journal.hash_chain import Entry

log = logging.getLogger(__name__)

GROUP: Final = 400
"""Batches in one transaction, at most."""
GROUP_ENTRIES: Final = 5_000
"""Entries in one transaction, but for those of one more batch."""
_SHARED_S: Final = 0.01
"""While several tables send at a time, batches wait so long for others to share their transaction."""
_CROWD: Final = 50
"""So many batches wait for no others."""
_END_S: Final = 10.0
_CLOCK_SET_S: Final = 1.0
_NOTHING: Final = marshal.dumps((None, None))


@dataclass(frozen=True, slots=True)
class Reply:
    """What a table is told, and what else its message said.

    Attributes:
        answer: as `Answer.to_json` gives it.
        picture: what the table shows of itself, as it came.
        orders: what it says of its orders, as it came.
    """

    answer: dict[str, Any] | FloorError
    picture: object = None
    orders: object = None


Done = Callable[[Reply], None]
Rows = Sequence[tuple[int, int, Entry]]


class IngestProcess:
    """The process that writes what tables ship, started when it is needed. Thread-safe.

    Args:
        dsn: how to connect, as the floor's own role.
        folder: holds the floor's key.
        name: what the floor is called in countersignatures.
        on_rows: is given what was committed, before anybody is answered: table, epoch and entry.
        on_duty: called once an entry is committed that signs somebody on or off.
    """

    def __init__(
        self, dsn: str, folder: Path, name: str, on_rows: Callable[[Rows], None], on_duty: Callable[[], None]
    ) -> None:
        self._args = (dsn, str(folder), name)
        self._on_rows, self._on_duty = on_rows, on_duty
        self._numbers = count(1)
        self._waiting: dict[int, tuple[int, Done]] = {}
        "By number: the table, and whom to tell."
        self._seen: dict[int, tuple[float, float]] = {}
        "By table when it was heard of last: by the clock that people set, and by the one that nobody does."
        self._claims: dict[int, int] = {}
        self._queue: queue.SimpleQueue[tuple[Any, ...] | None] = queue.SimpleQueue()
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None
        self._reader: threading.Thread | None = None
        self._thread = threading.Thread(target=self._run, name="to-ingest", daemon=True)

    def start(self) -> None:
        """Take shipments; the process begins with the first one."""
        self._thread.start()

    def close(self) -> None:
        """Finish what waits; may be called twice."""
        self._queue.put(None)
        if self._thread.is_alive():
            self._thread.join(timeout=_END_S)

    def submit(self, who: Installation, body: bytes, done: Done) -> None:
        """Have a table's message written; ``done`` is called, in a thread of ours, once it is committed or refused."""
        self._seen[who.table_id] = time.time(), time.monotonic()  # also while the database is away
        number = next(self._numbers)
        self._waiting[number] = who.table_id, done
        told = (who.fingerprint, who.table_id, who.name, who.epoch)
        self._queue.put((number, told, time.monotonic(), body))

    def forget(self, table_id: int) -> None:
        """Read anew what the database says of a table: somebody else has changed it."""
        self._queue.put((None, table_id))

    def seen(self) -> dict[int, tuple[float, int]]:
        """Return by table when it was heard of last, in seconds since the epoch, and its journal's latest entry.

        A clock that is set meanwhile makes no table older or younger.
        """
        now, passed = time.time(), time.monotonic()
        found = {}
        for table, (called, at) in self._seen.copy().items():
            ago = passed - at
            was_set = abs(now - called - ago) > _CLOCK_SET_S
            found[table] = float(int(now - ago)) if was_set else called, self._claims.get(table, 0)
        return found

    # ---- the thread that sends

    def _run(self) -> None:
        is_open = True
        while is_open:
            items, is_open = self._next_items()
            if not any(item[0] for item in items) and self._connection is None:
                continue  # nobody is there who would have to forget
            try:
                self._connected().send_bytes(marshal.dumps(items))
            except OSError as error:
                log.warning("What writes the tables' entries cannot be reached: %s", error)
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
            log.warning("What writes the tables' entries has ended. It is started again.")
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
        """Let the process finish what it has, and whoever is then without an answer send again."""
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

    # ---- the thread that reads

    def _read(self, connection: Connection) -> None:
        try:
            with suppress(EOFError, OSError):
                while True:
                    self._take(connection.recv_bytes())
        finally:
            self._give_up()

    def _give_up(self) -> None:
        for number in tuple(self._waiting):  # some may be for the next process: what comes twice is taken once
            self._tell(number, Reply(Unavailable()))

    def _take(self, told: bytes) -> None:
        replies, rows, is_about_duty = marshal.loads(told)
        try:
            self._on_rows([(table_id, epoch, Entry._make(entry)) for table_id, epoch, entry in rows])
            if is_about_duty:
                self._on_duty()
        except Exception:
            log.exception("Our own mistake: what was committed is not shown at once")
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
        except Exception:  # one table's connection never keeps the others from their answers
            log.exception("Our own mistake: a table was not answered")


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
    """Has written what comes, and says what became of it. What comes next is read meanwhile, in a thread of its own."""

    def __init__(self, connection: Connection, ingest: Ingest) -> None:
        self._connection, self._ingest = connection, ingest
        self._waiting: deque[_Message | _Refused | _Forget] = deque()
        self._came = threading.Condition()
        self._is_open = True
        self._is_crowded = False

    def run(self) -> None:
        """Work until nobody sends any more."""
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
        """Take what goes into the next transaction, and what goes into none."""
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
    """Return what the floor has sent, as it waits to be written."""
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
    """Work for a floor until it ends."""
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # it ends the floor, and that ends us
    prepare()
    descriptor, dsn, folder, name = sys.argv[1:]
    ingest = Ingest(dsn, Countersigner(floor_signer(Path(folder)), name))
    with suppress(ConnectionError), Connection(int(descriptor)) as connection:
        _Desk(connection, ingest).run()
    ingest.close()


if __name__ == "__main__":
    main()
