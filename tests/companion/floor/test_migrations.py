"""The database of whatever version comes to this program's, whole or not at all."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from companion.floor.cluster import OWNER, Cluster
from companion.floor.migrations import SchemaTooNew, migrate, migrations

EMPTY = "migrated"


@pytest.fixture
def empty(cluster: Cluster) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(cluster.dsn(OWNER, "postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {EMPTY}")
        try:
            with psycopg.connect(cluster.dsn(OWNER, EMPTY), autocommit=True) as made:
                yield made
        finally:
            connection.execute(f"DROP DATABASE {EMPTY} WITH (FORCE)")


def shape(connection: psycopg.Connection[Any]) -> list[tuple[Any, ...]]:
    """Return every column with its type and who may do what with it, and every view and function as it is."""
    columns = (
        "SELECT a.attrelid::regclass::text, a.attname, format_type(a.atttypid, a.atttypmod), a.attacl::text, "
        "c.relacl::text FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid "
        "WHERE c.relnamespace = 'floor'::regnamespace AND a.attnum > 0 ORDER BY 1, 2"
    )
    views = "SELECT viewname, definition FROM pg_views WHERE schemaname = 'floor' ORDER BY 1"
    functions = "SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'floor'::regnamespace ORDER BY 1"
    return [row for query in (columns, views, functions) for row in connection.execute(query)]


def numbers(connection: psycopg.Connection[Any]) -> list[int]:
    return [number for (number,) in connection.execute("SELECT number FROM floor.migration ORDER BY number")]


def test_each_number_is_used_once():
    assert len({number for number, _ in migrations()}) == len(migrations())


def test_a_database_that_was_brought_up_to_date_version_by_version_is_as_a_new_one(
    cluster: Cluster, database: str, empty: psycopg.Connection[Any]
):
    for count in range(1, len(migrations()) + 1):
        assert migrate(empty, migrations()[:count]) == migrations()[count - 1][0]
    with psycopg.connect(cluster.dsn(OWNER, database), autocommit=True) as new:
        assert shape(empty) == shape(new)
    assert migrate(empty) == migrations()[-1][0], "and once more changes nothing"


def test_an_update_that_is_cut_off_has_changed_nothing_and_is_done_the_next_time(empty: psycopg.Connection[Any]):
    migrate(empty, migrations()[:3])
    before = shape(empty), numbers(empty)
    cut = [*migrations()[:4], (migrations()[4][0], f"{migrations()[4][1]}; SELECT 1 / 0")]
    with pytest.raises(psycopg.errors.DivisionByZero):
        migrate(empty, cut)
    assert (shape(empty), numbers(empty)) == before
    assert migrate(empty) == numbers(empty)[-1] == migrations()[-1][0]


@pytest.mark.parametrize("later", [6, 999])
def test_a_database_that_a_later_version_has_written_is_left_alone_by_this_one(
    empty: psycopg.Connection[Any], later: int
):
    """Also where the later version has used a number between ours."""
    migrate(empty, migrations()[:8])
    empty.execute("INSERT INTO floor.migration (number) VALUES (%s)", (later,))
    before = shape(empty), numbers(empty)
    with pytest.raises(SchemaTooNew, match=f"has version {later}"):
        migrate(empty)
    assert (shape(empty), numbers(empty)) == before
