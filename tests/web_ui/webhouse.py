"""A table with its dashboard on a port, for tests that use a real browser."""

from __future__ import annotations

import socket
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from webclient import PIN, PLAYERS

from companion.kernel.header import Header
from companion.plugins.registry import Games
from companion.service.table_service import TableService
from companion.testing import INSTALLED
from web_ui import AccessStore, create_app
from web_ui.server import Server


@dataclass
class House:
    """A table with its dashboard, which a test may stop and start again on the same port."""

    folder: Path
    port: int
    players: tuple[tuple[str, int], ...] = PLAYERS
    options: dict[str, Any] = field(default_factory=dict)
    game: str = "roche"
    games: Games = field(default_factory=lambda: INSTALLED)

    def __post_init__(self) -> None:
        self.access = AccessStore(self.folder)
        if not self.access.has_pin:
            self.access.set_pin(PIN)
        self.start()

    def start(self) -> None:
        header = Header(self.games.rules(self.game), self.players, self.options)
        self.service = TableService.open(self.folder / "journal.db", header, self.games)
        self.server = Server(create_app(self.service, access=self.access), "127.0.0.1", self.port)
        self.server.start()

    def stop(self) -> None:
        self.server.close()
        self.service.close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def do(self, **record: Any) -> None:
        self.service.submit(record, source="camera")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])
