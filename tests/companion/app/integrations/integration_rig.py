"""A table whose broadcaster a test moves by hand, with clocks that it sets."""

from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from companion.app.integrations.broadcaster import Broadcaster, Sensors
from companion.app.integrations.public_events import PublicEventJson
from companion.app.integrations.public_snapshot import PublicSnapshot
from companion.config.integrations import AlarmsConfig
from companion.kernel.header import Header
from companion.service.questions import Choice, Question
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
ASKED = Question("q1", "duplicate", "6D3 was read twice.", (Choice("ok", "OK"),), "6D3", blocks=True)
ROCHE = new_header("roche", (("Ann", 100), ("Bo", 100)))


class Ears:
    """Keeps what it is shown and told."""

    def __init__(self) -> None:
        self.shown: list[PublicSnapshot] = []
        self.told: list[PublicEventJson] = []

    def show(self, snapshot: PublicSnapshot) -> None:
        self.shown.append(snapshot)

    def on_event(self, happened: PublicEventJson) -> None:
        self.told.append(happened)

    def kinds(self) -> list[str]:
        return [one["type"] for one in self.told if one["type"] != "announcement"]


class Panel:
    def __init__(self) -> None:
        self.troubles: tuple[str, ...] = ()


class IntegrationRig:
    """A table, and the broadcaster that looks when it is told to."""

    def __init__(
        self, folder: Path, header: Header = ROCHE, alarms: AlarmsConfig | None = None, language: str = "en"
    ) -> None:
        self.now, self.monotonic, self.free_bytes = NOON.timestamp(), 0.0, 50_000_000_000
        numbers = count(1)
        self.panel = Panel()
        folder.mkdir(parents=True, exist_ok=True)
        self.service = TableService.open(
            folder / "journal.sqlite3", header, INSTALLED,
            clock=lambda: datetime.fromtimestamp(self.now, UTC), new_id=lambda: "test", random=bytes,
            elapsed=lambda: self.monotonic,
        )  # fmt: skip
        tools = Sensors(
            self.panel, folder, lambda path: self.free_bytes, lambda: self.monotonic, lambda: self.now,
            lambda: f"msg_{next(numbers):024}",
        )  # fmt: skip
        self.ears = Ears()
        self.broadcaster = Broadcaster(self.service, "table-1", alarms or AlarmsConfig(), tools, language)
        self.broadcaster.add(self.ears)
        self.broadcaster.poll()

    def do(self, source: str = "dealer", **record: Any) -> None:
        self.service.submit(record, source=source)

    def look(self, after_s: float = 0.0) -> PublicSnapshot:
        """Look after some seconds in which the table's thread came round, too."""
        self.now += after_s
        self.monotonic += after_s
        self.service._loop.beat = self.monotonic
        while self.broadcaster.poll():
            pass
        return self.ears.shown[-1]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.service.close()
