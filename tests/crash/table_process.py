"""A process with nothing but the live table: reads commands from standard input, tells what was acknowledged.

One line in, ``{"key": …, "record": …}``; one line out as soon as the table has answered, ``{"key": …, "seq": …}`` or
``{"key": …, "code": …}``. Eight threads submit at once, so that kills meet group commits too.
"""

from __future__ import annotations

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
        tell({"ready": service.view()["seq"]})
        for line in sys.stdin:
            pool.submit(answer, service, json.loads(line))


def answer(service: TableService, asked: dict[str, object]) -> None:
    try:
        accepted = service.submit(asked["record"], source="test", key=asked["key"])  # type: ignore[arg-type]
        tell({"key": asked["key"], "seq": accepted.seq})
    except TableError as error:
        tell({"key": asked["key"], "code": error.code})


def tell(what: dict[str, object]) -> None:
    os.write(1, f"{json.dumps(what)}\n".encode())  # one write a line: a kill cannot tear two lines into one


if __name__ == "__main__":
    main(Path(sys.argv[1]))
