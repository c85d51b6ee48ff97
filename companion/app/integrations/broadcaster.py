"""Polls the table for integrations in a background thread; neither the table nor this thread waits for listeners."""

from __future__ import annotations

import logging
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Final, Protocol, Self

from companion.app.integrations.alarms import Alarms
from companion.app.integrations.public_events import Kinds, PublicEventJson, events_between, events_of
from companion.app.integrations.public_snapshot import (
    AlarmJson,
    ChangeTimes,
    Instant,
    Machine,
    PublicSnapshot,
    WaitTimes,
    asked_json,
    bets_open,
    health_json,
    state_json,
)
from companion.closing import Worker
from companion.config.integrations import AlarmsConfig, EventType
from companion.journal.hash_chain import EntryJson, iso
from companion.journal.store import JournalError
from companion.kernel.errors import CompanionError
from companion.service.snapshot import RoomView
from companion.service.table_service import TableService

if TYPE_CHECKING:
    from hardware.panel.self_test import SelfTest

TICK_S: Final = 1.0
"""Polling interval for alarms and the machine, even while the table is idle."""
APART_S: Final = 0.02
"""Throttling: shortest time between states passed on, at most fifty a second."""
MAX_ENTRIES: Final = 200
"""Most journal entries processed in one poll."""

log = logging.getLogger("companion.outside")


class Listener(Protocol):
    """An integration. Neither method may block, and buffers must be bounded."""

    def show(self, snapshot: PublicSnapshot) -> None:
        """Receive the current state; it supersedes earlier ones."""
        ...

    def on_event(self, happened: PublicEventJson) -> None:
        """Receive an event."""
        ...


def free_bytes(folder: Path) -> int:
    """Return the free space on a folder's disk; 0 if the disk is gone."""
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return 0


@dataclass(frozen=True, slots=True)
class Sensors:
    """Sources of measurements.

    Attributes:
        panel: None if there is none.
        data_dir: the disk whose free space is measured.
        free_bytes: returns the free space there.
        monotonic: seconds, comparable with the service's ``beat``.
        now: seconds since 1970.
        new_id: generates an event id.
    """

    panel: SelfTest | None
    data_dir: Path
    free_bytes: Callable[[Path], int] = free_bytes
    monotonic: Callable[[], float] = time.monotonic
    now: Callable[[], float] = time.time
    new_id: Callable[[], str] = lambda: f"msg_{token_hex(12)}"


class Broadcaster(Worker):
    """Passes the table's state and events to listeners. A context manager.

    Args:
        table: the table's name in messages.
        language: of the messages.
    """

    def __init__(
        self,
        service: TableService,
        table: str,
        alarms: AlarmsConfig,
        instruments: Sensors,
        language: str = "en",
    ) -> None:
        self._service, self._table = service, table
        self._listeners: list[Listener] = []
        self._config, self._alarms, self._since, self._asked = alarms, Alarms(alarms), ChangeTimes(), WaitTimes()
        self._tools, self._language = instruments, language
        self._shown: PublicSnapshot | None = None
        self._seq = 0
        super().__init__("outside", end_s=0.0)  # must not delay the table's shutdown

    def add(self, listener: Listener) -> None:
        """Add a listener; call before the start."""
        self._listeners.append(listener)

    def start(self) -> Self:
        """Pass on the current state, and continue in a thread."""
        self._catch_up()
        return super().start()

    def _run(self) -> None:
        version = -1
        while not self._stop.wait(APART_S):
            version = self._service.wait(version, TICK_S)
            if not self._catch_up():
                self._stop.wait(TICK_S)

    def _catch_up(self) -> bool:
        """Poll until nothing is left; return False after an exception, which must not end or delay the evening."""
        try:
            while not self._stop.is_set() and self.poll():
                pass
        except (CompanionError, OSError) as error:
            log.warning("Integrations were not notified: %s", error)
        except Exception:
            if not self._stop.is_set():  # during shutdown failures are expected
                log.exception("Internal error: integrations were not notified of the table's events")
        else:
            return True
        return False

    def poll(self) -> bool:
        """Pass on the current state and new events; return whether there are more."""
        view = self._service.glance()
        before, snapshot = self._shown, self.snapshot(view)
        self._shown = snapshot
        for listener in self._listeners:
            listener.show(snapshot)
        if before is None or view["seq"] < self._seq:  # the journal's end was lost and the loss accepted
            self._seq = view["seq"]
        if before is None:
            return False
        entries = self._entries() if view["seq"] > self._seq else []
        for entry in entries:
            self._seq = entry["seq"]
            played = before if entry["session"] == before.state["session"] else snapshot
            self._tell(events_of(entry, self.say), played.state["game"], entry["at"], entry["seq"])
        self._tell_now(events_between(before, snapshot), snapshot)
        return len(entries) == MAX_ENTRIES

    def _entries(self) -> list[EntryJson]:
        """Return the journal's next entries; none while it is unreadable, which the state reports."""
        try:
            return self._service.events(self._seq, MAX_ENTRIES, "room")
        except JournalError as error:
            log.debug("The journal cannot be read: %s", error)
            return []

    def report(self, kind: EventType, data: dict[str, object]) -> None:
        """Publish an event that neither journal nor state shows. Thread-safe, after the start."""
        if self._shown is not None:
            self._tell_now(iter([(kind, data)]), self._shown)

    def snapshot(self, view: RoomView) -> PublicSnapshot:
        """Return the public state; takes the dealer's view, of which only public parts are read."""
        tools = self._tools
        now = Instant(tools.now(), tools.monotonic())
        state = state_json(self._table, view)
        state["hold"] = None if view["hold"] is None else self.say(view["hold"])
        questions = view.get("questions", [])
        is_open = bets_open(view, self._service.games.named(view["game"]).rules.verbs)
        asked = self._asked.oldest([one["id"] for one in questions], now)
        troubles = None if tools.panel is None else tools.panel.troubles
        machine = Machine(troubles, tools.free_bytes(tools.data_dir), now.monotonic_s - self._service.beat)
        health = health_json(view, machine, self._config.disk_mb)
        alarms = self._alarms.on(asked=asked, hold=view["hold"], health=health, now=now)
        since: dict[str, str] = {kind: _iso(at.wall_s) for kind, at in alarms.items()}
        return PublicSnapshot(
            state,
            {"open": is_open, "since": _iso(self._since.of("bets", is_open, now).wall_s)},
            asked_json(questions, None if asked is None else _iso(asked.wall_s)),
            health,
            AlarmJson(count=len(since), alarms=since),
            view["hold"],
        )

    def _tell_now(self, kinds: Kinds, snapshot: PublicSnapshot) -> None:
        self._tell(kinds, snapshot.state["game"], _iso(self._tools.now()), snapshot.state["seq"])

    def _tell(self, kinds: Kinds, game: str, at: str, seq: int) -> None:
        about = {"table": self._table, "game": game, "seq": seq}
        for kind, data in kinds:
            happened: PublicEventJson = {
                "type": kind,
                "timestamp": at,
                "id": self._tools.new_id(),
                "data": {**about, **data},
            }
            for listener in self._listeners:
                listener.on_event(happened)

    def say(self, text: str) -> str:
        """Return a message in the house's language."""
        return self._service.translator(text, self._language)


def _iso(at: float) -> str:
    return iso(datetime.fromtimestamp(at, UTC))
