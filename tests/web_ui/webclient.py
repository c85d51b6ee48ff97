"""Actions of the tests' browsers: find the CSRF token in a page, log in, send a command."""

import re
import resource
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from flask import Flask
from flask.testing import FlaskClient
from jinja2 import BytecodeCache
from jinja2.bccache import Bucket

from web_ui.access.lockout import Guesser
from web_ui.access.store import AccessStore

PIN: Final = "4711"
PLAYERS: Final = (("Aubrey", 100), ("Benedict", 50))


class Compiled(BytecodeCache):
    """Templates that an application of this process has compiled: every test has an application of its own."""

    def __init__(self) -> None:
        self._by_key: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if bucket.key in self._by_key:
            bucket.bytecode_from_string(self._by_key[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._by_key[bucket.key] = bucket.bytecode_to_string()


Flask.jinja_options = {"bytecode_cache": Compiled()}


@dataclass
class FakeDemo:
    """A fake of the demo table's control: records the requested actions."""

    asked: list[tuple[Any, ...]] = field(default_factory=list)
    busy: bool = False
    "Whether its hand is over the table."

    def state(self) -> dict[str, Any]:
        return {
            "auto": True,
            "busy": self.busy,
            "text": "You deal.",
            "mischief": [{"kind": "lost", "label": "Camera lost"}],
        }

    def auto(self, on: bool) -> None:
        self.asked.append(("auto", on))

    def pause(self) -> None:
        self.asked.append(("pause",))

    def players(self, on: bool) -> None:
        self.asked.append(("players", on))

    def deal(self) -> None:
        self.asked.append(("deal",))

    def gather(self) -> None:
        self.asked.append(("gather",))

    def cause_incident(self, kind: str) -> str:
        self.asked.append(("mischief", kind))
        return "It happens now."


def csrf_of(client: FlaskClient, path: str) -> str:
    """Return the CSRF token in a page's form or data."""
    return csrf_in(client.get(path).get_data(as_text=True))


def csrf_in(page: str) -> str:
    """Return the token in a page's text."""
    found = re.search(r'name="csrf_token" value="([^"]+)"', page) or re.search(r'"csrf":"([^"]+)"', page)
    assert found, f"{page[:200]} carries no token"
    return found[1]


def log_in(client: FlaskClient, pin: str = PIN) -> Any:
    """Log in as the dealer."""
    return client.post("/dealer/login", data={"pin": pin, "csrf_token": csrf_of(client, "/dealer")})


def dealer_session(access: AccessStore) -> str:
    """Return the name of a new session of the dealer's, for a cookie."""
    return access.begin_session("dealer", Guesser("127.0.0.1"))


def seat_sessions(access: AccessStore, players: Mapping[str, str]) -> dict[str, str]:
    """Return the names of new sessions of seats' phones, by seat, for a cookie."""
    return {
        seat: access.begin_session(f"seat/{seat}", Guesser("127.0.0.1"), player=player)
        for seat, player in players.items()
    }


def bearer(pin: str = PIN) -> dict[str, str]:
    """Return the headers of a program with the PIN."""
    return {"Authorization": f"Bearer {pin}"}


def command(client: FlaskClient, record: Any, page: str = "/", **query: str) -> Any:
    """Send a command as a page of this browser does."""
    return client.post(
        "/api/v1/commands", json=record, headers={"X-CSRFToken": csrf_of(client, page)}, query_string=query
    )


@contextmanager
def full_disk() -> Iterator[None]:
    """Prevent this process from writing to files, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
