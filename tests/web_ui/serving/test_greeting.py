"""TLS handshakes take more CPU time than requests: a client that keeps starting them must not block the others."""

import socket
import time

import pytest

from web_ui.serving import front as serving
from web_ui.serving.framing import RequestReader
from web_ui.serving.front import Connection, Front
from web_ui.serving.sockets import ClientSocket


@pytest.fixture
def front() -> Front:
    return Front(socket.create_server(("127.0.0.1", 0)), lambda *_: None, body_limit=100)


def greeting(address: str) -> Connection:
    return Connection(ClientSocket(socket.socket()), address, 1, "127.0.0.1", RequestReader(100), 0.0)


def test_one_address_that_greets_all_the_time_waits_for_itself(front: Front, monkeypatch: pytest.MonkeyPatch) -> None:
    """The dealer's single handshake among hundreds of others' is at most the second; the rest is deferred."""
    served: list[str] = []

    def serve(connection: Connection) -> None:
        served.append(connection.address)
        time.sleep(serving.GREETING_S / 4)

    monkeypatch.setattr(front, "_serve", serve)
    front._greet([greeting("10.0.0.1") for _ in range(300)])
    assert 1 <= len(served) <= 6
    served.clear()
    front._greet([*(greeting("10.0.0.1") for _ in range(300)), greeting("10.0.0.2")])
    assert served[0] == "10.0.0.2"
    assert len(served) <= 6
    front.close()


def test_addresses_greet_in_turns(front: Front, monkeypatch: pytest.MonkeyPatch) -> None:
    served: list[str] = []
    monkeypatch.setattr(front, "_serve", lambda connection: served.append(connection.address))
    monkeypatch.setattr(serving, "GREETING_S", 60.0)
    front._greet([greeting(f"10.0.0.{number}") for number in (1, 1, 1, 2, 2, 3)])
    assert served == [f"10.0.0.{number}" for number in (1, 2, 3, 1, 2, 1)]
    front.close()


def test_a_slow_machine_greets_one_at_a_time(front: Front, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if one handshake exceeds the time slice, there is progress."""
    served: list[str] = []
    monkeypatch.setattr(front, "_serve", lambda connection: served.append(connection.address))
    monkeypatch.setattr(serving, "GREETING_S", -1.0)
    front._greet([greeting("10.0.0.1"), greeting("10.0.0.2")])
    assert served == ["10.0.0.1"]
    front.close()
