"""A real PostgreSQL, started once per test process; every test has its own database."""

import itertools
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from companion.floor.cluster import OWNER, Cluster
from companion.floor.migrations import migrate

_NUMBERS = itertools.count(1)


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    folder = Path(tempfile.mkdtemp(prefix="floor-", dir="/tmp"))  # not pytest's folder: PostgreSQL's user needs access
    server = Cluster(folder, settings={"fsync": "off", "full_page_writes": "off"})  # no power loss during tests
    server.make()
    server.start()
    server.create_database()
    with psycopg.connect(server.dsn(OWNER), autocommit=True) as connection:
        migrate(connection)
    yield server
    server.stop(mode="immediate")
    shutil.rmtree(folder)


@pytest.fixture
def database(cluster: Cluster) -> Iterator[str]:
    name = f"test_{next(_NUMBERS)}"
    with psycopg.connect(cluster.dsn(OWNER, "postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE floor")
        yield name
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
