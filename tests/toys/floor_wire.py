"""A floor served over TLS, and a table with a real journal that follows it."""

import shutil
import ssl
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from companion.app.floor.journal_shipper import JournalShipper
from companion.app.floor.membership import Address, Membership, join
from companion.app.floor.snapshot_feed import Shown
from companion.floor.cluster import APP, Cluster
from companion.floor.house import House
from companion.journal.hash_chain import Draft, Entry
from companion.journal.store import FILE_NAME, Journal
from companion.service.snapshot import FloorLink
from web_ui.floor.app import create_floor_app
from web_ui.floor.server import FloorServer, floor_certificates


def until(what: Callable[[], Any], timeout_s: float = 15.0) -> Any:
    """Wait until a condition is truthy, and return its value."""
    ends = time.monotonic() + timeout_s
    while not (found := what()):
        assert time.monotonic() < ends, "it never came to that"
        time.sleep(0.02)
    return found


class ServedHouse:
    """A floor on a free port of this machine."""

    def __init__(self, cluster: Cluster, database: str, folder: Path, port: int = 0) -> None:
        self.cluster, self.database, self.folder, self.port = cluster, database, folder, port

    def __enter__(self) -> Self:
        self._stack = ExitStack()
        self.house = self._stack.enter_context(House(self.cluster.dsn(APP, self.database), self.folder))
        certificates = floor_certificates(self.folder, "127.0.0.1")
        self.authority = certificates.authority
        self.app = create_floor_app(self.house, self.authority, lambda code: str(self.address(code)))
        server = FloorServer(self.house, self.app, certificates, "127.0.0.1", self.port)
        self.server = self._stack.enter_context(server)
        self.port = server.port
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def address(self, code: str = "") -> Address:
        fingerprint = self.authority.fingerprint.replace(":", "").lower()
        return Address(f"https://127.0.0.1:{self.port}", fingerprint, code)

    def join(self, data_dir: Path, name: str = "Table 1") -> Membership:
        return join(data_dir, self.address(), self.house.invite(name, "Owner"))

    def purse_of(self, player: str, coins: int, who: str = "Pit") -> int:
        """Open a purse for a player, sell coins into it, and return its number."""
        number = self.house.cashier.open_purse(player, who)
        self.house.cashier.pay(number, coins, who, f"opened/{number}")
        return number

    @property
    def blind(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=self.authority.path)


class JournalTable:
    """A table that consists of its journal only: a real journal with invented entries."""

    def __init__(self, data_dir: Path) -> None:
        self.data_dir = data_dir
        self.path = data_dir / FILE_NAME
        self.journal = Journal.open(self.path)
        self.link: FloorLink | None = None
        self.picture: Shown | None = None
        self.version = 0
        self._bell = threading.Condition()

    def play(self, count: int = 1) -> tuple[Entry, ...]:
        drafts = [Draft("command", 1, "dealer", f'{{"do":"bet","number":{number}}}') for number in range(count)]
        entries = self.journal.append(drafts)
        with self._bell:
            self.version += 1
            self._bell.notify_all()
        return entries

    def wait(self, after_version: int, timeout_s: float) -> int:
        with self._bell:
            self._bell.wait_for(lambda: self.version > after_version, timeout_s)
            return self.version

    def set_floor(self, link: FloorLink) -> None:
        self.link = link

    def follow(self, member: Membership) -> JournalShipper:
        return JournalShipper(self.path, self, member.client(), member.name, picture=lambda: self.picture).start()

    def is_ok(self) -> bool:
        return self.link is not None and self.link.status == "ok"

    def backup(self) -> Path:
        """Return a copy of the whole table."""
        place = Path(tempfile.mkdtemp(dir=self.data_dir.parent))
        self.journal.flush_wal()
        shutil.copytree(self.data_dir, place, dirs_exist_ok=True)
        return place

    def close(self) -> None:
        self.journal.close()
