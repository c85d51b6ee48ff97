"""A floor with a database of its own for every test."""

from collections.abc import Iterator

import pytest
from floor_database import cluster, database  # noqa: F401  (fixtures)
from floor_house import House

from companion.floor.cluster import Cluster


@pytest.fixture
def house(cluster: Cluster, database: str) -> Iterator[House]:  # noqa: F811
    with House(cluster, database) as made:
        yield made
