"""What each role of the database may do: attempts on every table, so that a table that is added has to say so here."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from companion.floor.cluster import APP, AUDITOR, Cluster

KEPT_FOR_EVER = (
    "entry", "epoch", "house_table", "posting", "account", "audit", "countersignature", "day_close", "broker_access",
    "table_order", "alarm", "incident", "certificate", "invitation", "transfer", "player_card",
)  # fmt: skip
"""Of these nobody but the database's owner deletes anything."""
NEVER_CHANGED = ("entry", "epoch", "house_table", "posting", "account", "audit", "countersignature", "day_close")
SECRETS = {"person": "pin_hash", "broker_access": "hash", "invitation": "code_hash"}


@pytest.fixture
def roles(cluster: Cluster, database: str) -> Iterator[dict[str, psycopg.Connection[Any]]]:
    opened = {role: psycopg.connect(cluster.dsn(role, database), autocommit=True) for role in (APP, AUDITOR)}
    yield opened
    for connection in opened.values():
        connection.close()


def all_tables(connection: psycopg.Connection[Any]) -> list[str]:
    query = "SELECT tablename FROM pg_tables WHERE schemaname = 'floor' ORDER BY 1"
    return [name for (name,) in connection.execute(query)]


def columns(connection: psycopg.Connection[Any], table: str) -> list[str]:
    query = (
        "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped "
        "AND attidentity = ''"
    )
    return [name for (name,) in connection.execute(query, (f"floor.{table}",))]


def is_refused(connection: psycopg.Connection[Any], statement: str) -> bool:
    try:
        connection.execute(f"EXPLAIN {statement}".encode())
    except (psycopg.errors.InsufficientPrivilege, psycopg.errors.ReadOnlySqlTransaction):
        return True
    return False


def test_the_program_deletes_nothing_of_the_past(roles: dict[str, psycopg.Connection[Any]]):
    app = roles[APP]
    assert set(KEPT_FOR_EVER) <= set(all_tables(app))
    assert [name for name in KEPT_FOR_EVER if not is_refused(app, f"DELETE FROM floor.{name}")] == []
    for name in all_tables(app):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            app.execute(f"TRUNCATE floor.{name}".encode())


def test_the_program_changes_nothing_that_was_written(roles: dict[str, psycopg.Connection[Any]]):
    app = roles[APP]
    changed = [
        (name, column)
        for name in NEVER_CHANGED
        for column in columns(app, name)
        if not is_refused(app, f"UPDATE floor.{name} SET {column} = NULL")
    ]
    assert changed == []


def test_the_program_is_no_owner_and_gets_nowhere_else(roles: dict[str, psycopg.Connection[Any]]):
    app = roles[APP]
    for statement in (
        "SET ROLE floor_owner", "SET SESSION AUTHORIZATION floor_owner", "CREATE TABLE floor.mine (x int)",
        "CREATE TABLE public.mine (x int)", "ALTER TABLE floor.entry DISABLE ROW LEVEL SECURITY",
        "DROP TRIGGER post ON floor.posting", "CREATE ROLE somebody", "ALTER ROLE floor_app SUPERUSER",
        "COPY floor.audit TO PROGRAM 'cat'", "SELECT pg_read_file('/etc/passwd')", "ALTER SYSTEM SET fsync = off",
    ):  # fmt: skip
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            app.execute(statement.encode())


def test_an_auditor_reads_and_does_nothing_else(roles: dict[str, psycopg.Connection[Any]]):
    auditor = roles[AUDITOR]
    auditor.execute("SET default_transaction_read_only = off")  # as somebody does who wants to write
    for name in all_tables(auditor):
        assert is_refused(auditor, f"DELETE FROM floor.{name}"), name
        assert is_refused(auditor, f"INSERT INTO floor.{name} DEFAULT VALUES"), name
        for column in columns(auditor, name):
            assert is_refused(auditor, f"UPDATE floor.{name} SET {column} = NULL"), (name, column)
    for role in ("floor_app", "floor_table", "floor_owner"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            auditor.execute(f"SET ROLE {role}".encode())


@pytest.mark.parametrize(("table", "column"), SECRETS.items())
def test_an_auditor_sees_no_secret(roles: dict[str, psycopg.Connection[Any]], table: str, column: str):
    assert is_refused(roles[AUDITOR], f"SELECT {column} FROM floor.{table}")


def test_a_table_appends_rows_of_its_own_and_reads_nothing(roles: dict[str, psycopg.Connection[Any]]):
    app = roles[APP]
    with app.transaction(force_rollback=True):
        app.execute("SET LOCAL ROLE floor_table")
        for name in (one for one in all_tables(app) if one not in ("entry", "head", "countersignature")):
            for statement in (f"SELECT * FROM floor.{name}", f"INSERT INTO floor.{name} DEFAULT VALUES"):
                with app.transaction(force_rollback=True):
                    assert is_refused(app, statement), statement
        with app.transaction(force_rollback=True):
            assert is_refused(app, "SELECT * FROM floor.entry")
