"""The thread that follows the table for everybody outside. The table never waits for it, nor it for a listener."""

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

from companion.app.outside.alarms import Alarms
from companion.app.outside.happenings import HappeningJson, Kinds, told_between, told_by
from companion.app.outside.picture import (
    AlarmJson,
    Instant,
    Machine,
    Picture,
    Since,
    Waiting,
    asked_json,
    bets_open,
    health_json,
    state_json,
)
from companion.closing import Worker
from companion.config.outside import AlarmsConfig, EventType
from companion.journal.hash_chain import EntryJson, iso
from companion.journal.store import JournalError
from companion.kernel.errors import CompanionError
from companion.service.snapshot import RoomView
from companion.service.table_service import TableService

if TYPE_CHECKING:
    from hardware.panel.self_test import SelfTest

TICK_S: Final = 1.0
"""How often alarms and the machine are looked at, whether anything happens at the table or not."""
APART_S: Final = 0.02
"""Pictures that follow one another sooner are one: fifty a second are enough for anybody."""
MOST_ENTRIES: Final = 200
"""Entries of the journal at one look; the rest come at the next one."""

log = logging.getLogger("companion.outside")


class Listener(Protocol):
    """Somebody outside. Neither method may block, nor keep more than it has room for."""

    def show(self, picture: Picture) -> None:
        """Take what is so now; what was shown before is of no interest any more."""
        ...

    def tell(self, happened: HappeningJson) -> None:
        """Take something that has happened."""
        ...


def free_bytes(folder: Path) -> int:
    """Return how much is free on a folder's disk: nothing, if the disk is gone."""
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return 0


@dataclass(frozen=True, slots=True)
class Instruments:
    """What measures the machine.

    Attributes:
        panel: None where there is none.
        data_dir: of whose disk the free room counts.
        free_bytes: returns how much is free there.
        monotonic: seconds, as the service's ``beat`` has them.
        now: seconds since 1970.
        new_id: names something that happened.
    """

    panel: SelfTest | None
    data_dir: Path
    free_bytes: Callable[[Path], int] = free_bytes
    monotonic: Callable[[], float] = time.monotonic
    now: Callable[[], float] = time.time
    new_id: Callable[[], str] = lambda: f"msg_{token_hex(12)}"


class Follower(Worker):
    """Hands listeners what is so at the table, and what happens. A context manager.

    Args:
        table: the table's name in all that is told.
        language: of the sentences.
    """

    def __init__(
        self,
        service: TableService,
        table: str,
        alarms: AlarmsConfig,
        instruments: Instruments,
        language: str = "en",
    ) -> None:
        self._service, self._table = service, table
        self._listeners: list[Listener] = []
        self._config, self._alarms, self._since, self._asked = alarms, Alarms(alarms), Since(), Waiting()
        self._tools, self._language = instruments, language
        self._shown: Picture | None = None
        self._seq = 0
        super().__init__("outside", end_s=0.0)  # the table closes: nobody waits for it

    def add(self, listener: Listener) -> None:
        """Tell somebody, too; before the start."""
        self._listeners.append(listener)

    def start(self) -> Self:
        """Show what is so now, and go on in a thread."""
        self._catch_up()
        return super().start()

    def _run(self) -> None:
        version = -1
        while not self._stop.wait(APART_S):
            version = self._service.wait(version, TICK_S)
            if not self._catch_up():
                self._stop.wait(TICK_S)

    def _catch_up(self) -> bool:
        """Look until everything is told; False if that failed, which neither ends the evening nor delays its start."""
        try:
            while not self._stop.is_set() and self.look():
                pass
        except (CompanionError, OSError) as error:
            log.warning("Nobody outside was told: %s", error)
        except Exception:
            if not self._stop.is_set():  # else the table closes in between
                log.exception("Our own mistake: what happens at the table was not told outside")
        else:
            return True
        return False

    def look(self) -> bool:
        """Show what is so now, tell what has happened since the last look; return whether there is more to tell."""
        view = self._service.glance()
        before, picture = self._shown, self.picture(view)
        self._shown = picture
        for listener in self._listeners:
            listener.show(picture)
        if before is None or view["seq"] < self._seq:  # the latter: the end of a journal is lost, and that accepted
            self._seq = view["seq"]
        if before is None:
            return False
        entries = self._entries() if view["seq"] > self._seq else []
        for entry in entries:
            self._seq = entry["seq"]
            played = before if entry["session"] == before.state["session"] else picture
            self._tell(told_by(entry, self.say), played.state["game"], entry["at"], entry["seq"])
        self._tell_now(told_between(before, picture), picture)
        return len(entries) == MOST_ENTRIES

    def _entries(self) -> list[EntryJson]:
        """Return the journal's next entries; none while it cannot be read, which the picture says."""
        try:
            return self._service.events(self._seq, MOST_ENTRIES, "room")
        except JournalError as error:
            log.debug("The journal cannot be read: %s", error)
            return []

    def report(self, kind: EventType, data: dict[str, object]) -> None:
        """Tell something that neither the journal nor the picture shows; from any thread, after the start."""
        if self._shown is not None:
            self._tell_now(iter([(kind, data)]), self._shown)

    def picture(self, view: RoomView) -> Picture:
        """Return everything that is told of a table, from the dealer's view, of which only public parts are read."""
        tools = self._tools
        now = Instant(tools.now(), tools.monotonic())
        state = state_json(self._table, view)
        state["hold"] = None if view["hold"] is None else self.say(view["hold"])
        questions = view.get("questions", [])
        is_open = bets_open(view, self._service.games.named(view["game"]).rules.verbs)
        asked = self._asked.oldest([one["id"] for one in questions], now)
        troubles = None if tools.panel is None else tools.panel.troubles
        machine = Machine(troubles, tools.free_bytes(tools.data_dir), now.passed - self._service.beat)
        health = health_json(view, machine, self._config.disk_mb)
        alarms = self._alarms.on(asked=asked, hold=view["hold"], health=health, now=now)
        since: dict[str, str] = {kind: _iso(at.called) for kind, at in alarms.items()}
        return Picture(
            state,
            {"open": is_open, "since": _iso(self._since.of("bets", is_open, now).called)},
            asked_json(questions, None if asked is None else _iso(asked.called)),
            health,
            AlarmJson(count=len(since), alarms=since),
            view["hold"],
        )

    def _tell_now(self, kinds: Kinds, picture: Picture) -> None:
        self._tell(kinds, picture.state["game"], _iso(self._tools.now()), picture.state["seq"])

    def _tell(self, kinds: Kinds, game: str, at: str, seq: int) -> None:
        about = {"table": self._table, "game": game, "seq": seq}
        for kind, data in kinds:
            happened: HappeningJson = {
                "type": kind,
                "timestamp": at,
                "id": self._tools.new_id(),
                "data": {**about, **data},
            }
            for listener in self._listeners:
                listener.tell(happened)

    def say(self, text: str) -> str:
        """Return a sentence of the table in the house's language."""
        return self._service.translator(text, self._language)


def _iso(at: float) -> str:
    return iso(datetime.fromtimestamp(at, UTC))
