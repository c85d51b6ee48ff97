"""The database of `tests/companion/floor`, and a floor that is served with it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from floor_database import cluster, database  # noqa: F401  (fixtures)
from floor_wire import JournalTable, ServedHouse

from companion.floor.cluster import Cluster


@pytest.fixture
def served(cluster: Cluster, database: str, tmp_path: Path) -> Iterator[ServedHouse]:  # noqa: F811
    with ServedHouse(cluster, database, tmp_path / "floor") as house:
        yield house


@pytest.fixture
def table(tmp_path: Path) -> Iterator[JournalTable]:
    made = JournalTable(tmp_path / "table")
    yield made
    made.close()
