"""Ships the journal to the floor in a background thread; the table is not affected by the network.

The floor acknowledges the last entry of its contiguous chain. Everything after it is sent again until acknowledged.
Heads that the floor countersigns are stored beside the journal, for ``journal verify``.
"""

import logging
import random
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from companion.app.floor.client import FloorClient, FloorRefused, FloorUnreachable
from companion.app.floor.orders import Orders
from companion.app.floor.snapshot_feed import APART_S, Shown
from companion.closing import Worker
from companion.journal.hash_chain import Entry, Head, genesis
from companion.journal.store import JournalError, JournalReader
from companion.journal.trust.proof import floor_witness
from companion.journal.trust.witness import Statement, keep_as_witness
from companion.kernel.messages import message
from companion.service.snapshot import FloorLink
from companion.service.table_service import TableService

log = logging.getLogger(__name__)

HEARTBEAT_S: Final = 2.0
"""Heartbeat interval: reports the journal's head even if there are no new entries."""
SIGN_EVERY_S: Final = 2.0
MAX_ENTRIES: Final = 500
MIN_ENTRIES: Final = 20
MAX_BYTES: Final = 1 << 20
_BACK_OFF_S: Final = (0.5, 15.0)
_POLL_S: Final = 0.25


class JournalShipper(Worker):
    """Ships a journal to the floor.

    Args:
        journal: its file; another process may be writing it.
        host: the table, which shows the link's status.
        client: the connection to the floor.
        on_link: called in this thread whenever the floor reports open transfers.
        on_directives: called in this thread with the floor's directives.
        picture: returns the snapshot for the pit's page; piggybacked on batches, never delays them.
        orders: executes the pit's commands.
    """

    def __init__(
        self,
        journal: Path,
        host: TableService,
        client: FloorClient,
        name: str,
        *,
        on_link: Callable[[], None] = lambda: None,
        on_directives: Callable[[Mapping[str, Any]], None] = lambda directives: None,
        picture: Callable[[], Shown | None] = lambda: None,
        orders: Orders | None = None,
        jitter: Callable[[float, float], float] = random.uniform,
    ) -> None:
        self._path = journal
        self._host = host
        self._client = client
        self._name = name
        self._on_link = on_link
        self._on_directives = on_directives
        self._picture = picture
        self._orders = orders
        self._jitter = jitter
        self._run_name = secrets.token_hex(8)
        self._reader: JournalReader | None = None
        self._epoch: int | None = None
        self._acknowledged = 0
        self._ticket = ""
        self._gather_s = 0.0
        self._sent_at = 0.0
        self._most = MAX_ENTRIES
        self._signed = Head(0, "")
        self._signed_at = -SIGN_EVERY_S
        self._shown: Shown | None = None
        self._shown_at = -APART_S
        super().__init__("floor", end_s=1.5)

    def close(self) -> None:
        """Stop; unacknowledged entries are sent after the next start. Idempotent."""
        self._stop.set()
        self._client.close()
        super().close()

    # ---- the thread

    def _run(self) -> None:
        failures = 0
        while not self._stop.is_set():
            version, self._sent_at = self._host.version, time.monotonic()
            try:
                is_more = self._exchange()
            except (FloorUnreachable, FloorRefused, JournalError) as error:
                failures += 1
                self._most = max(MIN_ENTRIES, self._most // 2)  # smaller batches for a slow floor
                self._tell_failure(error)
                longest = min(_BACK_OFF_S[1], _BACK_OFF_S[0] * 2.0 ** min(failures, 10))
                self._stop.wait(self._jitter(longest / 2, longest))
            except Exception:
                failures += 1
                log.exception("Internal error: the journal was not sent to the floor")
                self._stop.wait(_BACK_OFF_S[1])
            else:
                failures = 0
                self._most = min(MAX_ENTRIES, 2 * self._most)
                if not is_more:
                    self._rest(version)
        if self._reader is not None:
            self._reader.close()

    def _rest(self, version: int) -> None:
        """Wait for a new entry and for the batching interval to pass; at most one heartbeat."""
        ends = time.monotonic() + HEARTBEAT_S
        while not self._stop.is_set() and (left := ends - time.monotonic()) > 0:
            if self._host.wait(version, min(left, _POLL_S)) > version:
                self._stop.wait(min(left, max(0.0, self._sent_at + self._gather_s - time.monotonic())))
                return
            if self._due_picture() is not None:
                return

    def _exchange(self) -> bool:
        """Send one batch; return whether more can be sent at once."""
        reader = self._opened()
        if self._epoch is None:
            self._begin(reader)
        entries = _limited(list(reader.entries(self._acknowledged, self._most)))
        head = _head(reader)
        is_whole = not entries or entries[-1].seq >= head.seq
        statement = self._due_statement(reader) if is_whole else None
        picture = self._due_picture()
        answer = self._client.post(
            "/floor/v1/entries",
            {
                "epoch": self._epoch,
                "run": self._run_name,
                "ticket": self._ticket,
                "head": {"seq": head.seq, "hash": head.hash},
                "entries": entries,
                "statement": None if statement is None else statement.to_line(),
                "picture": picture,
                "orders": [] if self._orders is None else self._orders.done(),
            },
        )
        if picture is not None:
            self._shown, self._shown_at = picture, time.monotonic()
        if answer["again"]:  # a restarted floor has lost its snapshot
            self._shown = None
        self._take(answer, head)
        self._on_directives(answer.get("errands") or {})  # absent from older floors
        if self._orders is not None:
            self._orders.take(answer.get("orders", []))
        if answer.get("transfers", True):  # absent from older floors
            self._on_link()
        return bool(answer["again"]) or (self._acknowledged < head.seq and not answer["faults"])

    def _opened(self) -> JournalReader:
        if self._reader is None:
            self._reader = JournalReader.open(self._path)
        return self._reader

    def _take(self, answer: dict[str, Any], head: Head) -> None:
        self._acknowledged = int(answer["acknowledged"])
        self._ticket = str(answer["ticket"])
        self._gather_s = int(answer["gather_ms"]) / 1000
        if answer["statement"] is not None:
            self._keep(Statement.parse(answer["statement"]))
        behind = max(0, head.seq - self._acknowledged)
        faults: Sequence[dict[str, Any]] = answer["faults"]
        if faults:
            said = " ".join(str(fault["text"]) for fault in faults)
            text = message("The floor says of this table: {said} Call the pit.", said=said)
            self._tell("trouble", text, behind)
        elif behind:
            self._tell("behind", message("The floor is {count} entries behind this table.", count=behind), behind)
        else:
            self._tell("ok", message("The floor has everything of this table."), 0)

    def _due_picture(self) -> Shown | None:
        """Return the table's snapshot if it has changed and the last one is old enough."""
        if time.monotonic() - self._shown_at < APART_S:
            return None
        picture = self._picture()
        return None if picture == self._shown else picture

    def _due_statement(self, reader: JournalReader) -> Statement | None:
        if time.monotonic() - self._signed_at < SIGN_EVERY_S:
            return None
        self._signed_at = time.monotonic()
        statement = reader.statement()
        return None if statement is None or statement.head == self._signed else statement

    def _keep(self, statement: Statement) -> None:
        try:
            keep_as_witness(floor_witness(self._path.parent), statement)
        except OSError as error:
            log.warning("The floor's countersignature could not be saved: %s", error.strerror)
        else:
            self._signed = statement.head

    # ---- a new epoch

    def _begin(self, reader: JournalReader) -> None:
        """Find the common ancestor, and begin an epoch if this machine has just joined.

        Raises:
            FloorRefused: the floor has another journal for this table.
        """
        state = self._client.get("/floor/v1/state")
        known = state["known"]
        if state["epoch"] is None:
            fork = self._last_common(reader)
            told = {"journal": reader.id, "seq": fork.seq, "hash": fork.hash, "signer": _signer(reader)}
            began = self._client.post("/floor/v1/epochs", told)
            self._epoch, self._acknowledged = int(began["epoch"]), int(began["seq"])
            return
        if known is None or known["journal"] != reader.id:
            raise FloorRefused(
                "other-journal",
                message(
                    "The floor knows another journal of this table than this one. Ask the pit for a new code and run "
                    "companion join again."
                ),
            )
        self._epoch, self._acknowledged = int(state["epoch"]), int(known["seq"])

    def _last_common(self, reader: JournalReader) -> Head:
        """Return the last entry that this journal and the floor's copy have in common, found by comparing hashes.

        The floor may have it from earlier, and another machine's journal since.
        """
        common, unlike = Head(0, genesis(reader.id)), _head(reader).seq + 1
        while common.seq + 1 < unlike:
            middle = (common.seq + unlike) // 2
            (entry,) = reader.entries(middle - 1, 1)
            theirs = self._client.get(f"/floor/v1/hashes/{reader.id}/{middle}")["hash"]
            if theirs == entry.hash:
                common = Head(middle, entry.hash)
            else:
                unlike = middle
        return common

    # ---- status

    def _tell_failure(self, error: FloorUnreachable | FloorRefused | JournalError) -> None:
        if isinstance(error, FloorUnreachable):
            waiting = self._behind()
            text = message(
                "The floor does not answer. The table goes on; {count} entries wait to be sent. Purses cannot be used "
                "for buy-ins until it is back.",
                count=waiting,
            )
            self._tell("cut-off", text, waiting)
        else:
            self._epoch = None
            self._tell("trouble", error.message, self._behind())

    def _behind(self) -> int:
        try:
            return max(0, _head(self._opened()).seq - self._acknowledged)
        except JournalError:
            return 0

    def _tell(self, status: str, text: str, behind: int) -> None:
        self._host.set_floor(FloorLink(status, text, behind, self._name))


def _head(reader: JournalReader) -> Head:
    latest = reader.latest(1)
    return Head(latest[0].seq, latest[0].hash) if latest else Head(0, genesis(reader.id))


def _signer(reader: JournalReader) -> str:
    statement = reader.statement()
    if statement is None:
        raise JournalError("Nothing in this journal is signed yet. Play a command, then the table joins the floor.")
    return statement.public


def _limited(entries: list[Entry]) -> list[Entry]:
    """Return as many of the first entries as fit into one message, at least one."""
    size = 0
    for number, entry in enumerate(entries):
        size += sum(map(len, (entry.record, entry.events))) + 300
        if size > MAX_BYTES and number:
            return entries[:number]
    return entries
