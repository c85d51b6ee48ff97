"""A process with nothing but the live table: reads commands from standard input, tells what was acknowledged.

One line in, ``{"key": …, "record": …}``, or ``{"key": …, "change": …}`` for another game; one line out as soon as the
table has answered, ``{"key": …, "seq": …}`` or ``{"key": …, "code": …}``. Eight threads submit at once, so that kills
meet group commits too.
"""

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from companion.kernel.errors import TableError
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header

HEADER = new_header("roche", (("Ann", 1000), ("Bo", 1000), ("Cy", 1000)), {"layout": "grand", "deck": "full"})


def main(path: Path) -> None:
    with TableService.open(path, HEADER, INSTALLED) as service, ThreadPoolExecutor(8) as pool:
        tell({"ready": service.view()["seq"], "game": service.header.game, "coins": coins_in(service)})
        for line in sys.stdin:
            pool.submit(answer, service, json.loads(line))


def answer(service: TableService, asked: dict[str, object]) -> None:
    try:
        key = str(asked["key"])
        if "change" in asked:
            accepted = service.change_game(new_header(str(asked["change"])), source="test", key=key)
        else:
            accepted = service.submit(asked["record"], source="test", key=key)  # type: ignore[arg-type]
        tell({"key": asked["key"], "seq": accepted.seq})
    except TableError as error:
        tell({"key": asked["key"], "code": error.code})


def coins_in(service: TableService) -> int:
    """Return all coins of the players and on the table, and what the bank has won over all games."""
    view = service.view()
    return sum(player["coins"] for player in view["players"]) + view["staked"] + view["house_evening"]


def tell(what: dict[str, object]) -> None:
    os.write(1, f"{json.dumps(what)}\n".encode())  # one write a line: a kill cannot tear two lines into one


if __name__ == "__main__":
    main(Path(sys.argv[1]))
