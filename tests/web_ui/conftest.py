"""A real table with its journal, and the dashboard around it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from flask import Flask
from flask.testing import FlaskClient
from webclient import PIN, PLAYERS, csrf_of, log_in

from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header
from web_ui import AccessStore, create_app


@dataclass
class Clock:
    """A clock controlled by the test."""

    now: float = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def quick_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hashing of PINs is fast here; `access/test_counting.py` tests the real cost."""
    monkeypatch.setattr("web_ui.access.store.HASHER", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def access(tmp_path: Path, clock: Clock) -> AccessStore:
    """Access data with a PIN."""
    store = AccessStore(tmp_path, clock=clock)
    store.set_pin(PIN)
    return store


@pytest.fixture
def service(tmp_path: Path) -> Iterator[TableService]:
    with TableService.open(tmp_path / "journal.db", new_header("roche", PLAYERS), INSTALLED) as table:
        yield table


@pytest.fixture
def app(service: TableService, access: AccessStore) -> Flask:
    return create_app(service, access=access, test_config={"TESTING": True})


@pytest.fixture
def room(app: Flask) -> FlaskClient:
    """A browser that is not logged in."""
    return app.test_client()


@pytest.fixture
def dealer(app: Flask) -> FlaskClient:
    """A browser logged in as the dealer."""
    client = app.test_client()
    log_in(client)
    return client


@pytest.fixture
def phone(app: Flask, access: AccessStore) -> FlaskClient:
    """Aubrey's phone, in seat 1."""
    client = app.test_client()
    form = {"code": access.seat_code(1), "csrf_token": csrf_of(client, "/seat/1")}
    assert client.post("/seat/1/join", data=form).status_code == 302
    return client
