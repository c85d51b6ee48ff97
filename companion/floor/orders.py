"""Remote hold and release: commands from the pit, piggybacked on the floor's next response to the table.

Tables report every few seconds. A command expires after a minute without acknowledgement: a hold that took effect an
hour late would surprise everybody.
"""

import logging
import queue
import secrets
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from psycopg.types.json import Jsonb

from companion.floor import people
from companion.floor.database import Connect
from companion.floor.errors import FloorError
from companion.floor.overview.snapshots import said_by_table
from companion.kernel.messages import Message, message

log = logging.getLogger(__name__)

COMMANDS: Final = ("hold", "release")
VALID_S: Final = 60.0
MAX_LETTERS: Final = 300


@dataclass(frozen=True, slots=True)
class Order:
    """A command from the pit to a table.

    Attributes:
        id: its number in the house.
        until: expiry, monotonic time.
    """

    id: int
    table_id: int
    command: str
    who: str
    until: float


class Orders:
    """Unacknowledged commands. Thread-safe; a worker thread stores the acknowledgements.

    Args:
        connect: context manager that yields a database connection.
    """

    def __init__(self, connect: Connect) -> None:
        self._connect = connect
        self._lock = threading.Lock()
        self._open: dict[int, Order] = {}
        self._run_name = secrets.token_hex(8)
        "Namespaces the numbers: a new floor, or one with a recovered database, reuses numbers that tables have seen."
        self._answers: queue.SimpleQueue[tuple[Order, str] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="orders", daemon=True)

    def start(self) -> None:
        """Start the thread that stores acknowledgements."""
        self._thread.start()

    def close(self) -> None:
        """Store pending acknowledgements and stop."""
        self._answers.put(None)
        if self._thread.is_alive():
            self._thread.join(timeout=10)

    def queue(self, table_id: int, command: str, who: str) -> int:
        """Queue a command for a table; return its number.

        Raises:
            FloorError: no such table, or not a command that tables accept remotely.
        """
        if command not in COMMANDS:
            raise FloorError.coded("bad-request", "Tables take {commands}.", commands=", ".join(COMMANDS))
        with self._connect() as connection, connection.transaction():
            row = connection.execute(
                "INSERT INTO floor.table_order (table_id, command, who) SELECT id, %s, %s FROM floor.house_table "
                "WHERE id = %s RETURNING id",
                (command, who, table_id),
            ).fetchone()
            if row is None:
                raise FloorError.coded("bad-request", "There is no such table.")
            people.note(connection, who, f"asked a table to {command}", {"table": table_id, "order": row[0]})
        with self._lock:
            self._open[row[0]] = Order(row[0], table_id, command, who, time.monotonic() + VALID_S)
        return int(row[0])

    def outcome(self, number: int) -> dict[str, Any]:
        """Return whether a table has acknowledged a command, and the reason if it refused.

        Raises:
            FloorError: no such command.
        """
        query = "SELECT answered IS NOT NULL, refused, said FROM floor.table_order WHERE id = %s"
        with self._connect() as connection:
            row = connection.execute(query, (number,)).fetchone() if number < 2**31 else None
        if row is None:
            raise FloorError.coded("bad-request", "There is no order {number}.", number=str(number))
        return {"answered": row[0], "refused": said_by_table(row[2]) or row[1]}

    def pending(self, table_id: int) -> list[dict[str, Any]]:
        """Return the pending commands to send to a table."""
        with self._lock:
            if not self._open:
                return []
            now = time.monotonic()
            for order in [one for one in self._open.values() if one.until < now]:
                del self._open[order.id]
                self._answers.put((order, message("The table did not answer in time.")))
            mine = [order for order in self._open.values() if order.table_id == table_id]
            return [{"id": order.id, "run": self._run_name, "do": order.command} for order in mine]

    def acknowledge(self, table_id: int, told: object) -> None:
        """Process a table's acknowledgements: numbers, each with the reason if it refused. Ignores malformed ones."""
        if not isinstance(told, Sequence) or isinstance(told, str) or not told:
            return
        for one in told[:100]:
            number, refused = (one.get("id"), one.get("refused")) if isinstance(one, dict) else (None, None)
            if type(number) is not int or not isinstance(refused, str):
                continue
            if one.get("run", self._run_name) != self._run_name:  # tables of older versions send no run
                continue
            with self._lock:
                order = self._open.get(number)
                if order is None or order.table_id != table_id:
                    continue
                del self._open[number]
            self._answers.put((order, _reason(refused, one.get("said"))))

    # ---- the thread

    def _run(self) -> None:
        while (answer := self._answers.get()) is not None:
            order, refused = answer
            try:
                self._write(order, refused)
            except Exception as error:
                log.warning("The outcome of order %s could not be saved: %s", order.id, error)

    def _write(self, order: Order, refused: str) -> None:
        with self._connect() as connection, connection.transaction():
            said = refused.to_json() if isinstance(refused, Message) else None
            connection.execute(
                "UPDATE floor.table_order SET answered = now(), refused = %s, said = %s "
                "WHERE id = %s AND answered IS NULL",
                (refused or None, None if said is None else Jsonb(said), order.id),
            )
            did = f"did not {order.command}" if refused else f"did {order.command}"
            about: dict[str, object] = {"order": order.id, "table": order.table_id}
            why = {"why": refused} | ({} if said is None else {"said": said})
            people.note(connection, order.who, f"was told: the table {did}", about | (why if refused else {}))


def _reason(refused: str, said: object) -> str:
    """Return the reason for a refusal, as a translatable `Message` if the table sent one that this program knows."""
    known = said_by_table(said) if refused and said is not None else None
    if known is not None and known.isprintable():
        return known
    return "".join(letter for letter in refused if letter.isprintable())[:MAX_LETTERS]
