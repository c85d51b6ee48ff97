"""A floor and a table as separate processes, which tests can kill.

Run as a program, it is a table that endlessly writes entries, buys in from a purse, and follows its floor.
"""

import subprocess
import sys
import time
from pathlib import Path

from companion.app.floor.journal_shipper import JournalShipper
from companion.app.floor.membership import Membership
from companion.app.floor.purse_cashier import PurseCashier
from companion.journal.store import FILE_NAME
from companion.kernel.errors import TableError
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header

PLAYER = "Ann"


def start_floor(folder: Path, port: int, *more: str) -> subprocess.Popen[str]:
    """Start a floor, with a broker on any port, and return once it is open."""
    command = [sys.executable, "-m", "companion", "floor", "--data", str(folder), "--host", "127.0.0.1"]
    ports = ["--port", str(port), "--broker-port", "0"]
    process = subprocess.Popen([*command, *ports, *more], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line.startswith("The floor is open"), line
    return process


def start_table(data_dir: Path, purse: int) -> subprocess.Popen[bytes]:
    """Start a table that has joined the floor."""
    return subprocess.Popen([sys.executable, __file__, str(data_dir), str(purse)])


def open_table(data_dir: Path) -> TableService:
    """Open the table's journal as its process would."""
    return TableService.open(data_dir / FILE_NAME, new_header("roche", ((PLAYER, 0), ("Bo", 10))), INSTALLED)


def main(data_dir: Path, purse: int) -> None:
    member = Membership.of(data_dir)
    assert member is not None
    with open_table(data_dir) as service:
        cashier = PurseCashier(service, member.client())
        with JournalShipper(
            data_dir / FILE_NAME, service, member.client(), member.name, on_link=cashier.settle_open
        ).start():
            number = 0
            while True:
                number += 1
                try:
                    if number % 3 == 0:
                        cashier.cash_out(PLAYER, purse)
                    else:
                        cashier.buy_in(PLAYER, purse, 5)
                except TableError:
                    time.sleep(0.05)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
