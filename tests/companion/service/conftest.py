"""Fixtures: a table service on a journal of its own; see `service_words` for the commands."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from service_words import NOON, TWO

from companion.journal.store import FILE_NAME
from companion.kernel.table import Header
from companion.service.table_service import TableService
from companion.testing import INSTALLED


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / FILE_NAME


Start = Callable[..., TableService]


@pytest.fixture
def start(path: Path) -> Iterator[Start]:
    """Opens the service on the test's journal, any number of times; closes them all."""
    opened: list[TableService] = []

    def open_(header: Header = TWO) -> TableService:
        for service in opened:
            service.close()
        opened.append(TableService.open(path, header, INSTALLED, clock=lambda: NOON, new_id=lambda: "test"))
        return opened[-1]

    yield open_
    for service in opened:
        service.close()


@pytest.fixture
def service(start: Start) -> TableService:
    return start()
