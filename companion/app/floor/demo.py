"""Demo tables of a floor: each is a process with its own data directory that joins the floor."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final, Self

from companion.app.floor.membership import Address, Membership, join
from companion.floor.house import House
from companion.plugins.registry import installed_games

_STOP_S: Final = 5.0


class DemoTables:
    """Runs demo tables, with the installed games in turn. A context manager.

    Args:
        folder: contains their data directories, reused at the next start.
        address: returns the join address for a one-time code.
    """

    def __init__(self, house: House, folder: Path, address: Callable[[str], str], count: int) -> None:
        self._house = house
        self._folder = folder
        self._address = address
        self._count = count
        self._running: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        games = installed_games()
        names = [name for name in games if games.named(name).demo is not None]
        for number in range(1, self._count + 1):
            data_dir = self._folder / str(number)
            data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
            if Membership.of(data_dir) is None:
                address = Address.parse(self._address(self._house.invite(f"Demo {number}", "demo")))
                join(data_dir, address, address.code or "")
            self._running.append(self._start(data_dir, names[(number - 1) % len(names)]))
        return self

    def _start(self, data_dir: Path, game: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "companion", "run", "--camera", "demo", "--game", game, "--panel", "none",
                   "--host", "127.0.0.1", "--port", "0", "--data", str(data_dir)]  # fmt: skip
        with (data_dir / "log").open("ab") as log:
            return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def __exit__(self, *_: object) -> None:
        for process in self._running:
            process.terminate()
        for process in self._running:
            try:
                process.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()
