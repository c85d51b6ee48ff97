"""What the floor reads of somebody who has not joined."""

import socket
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest
from floor_database import cluster, database  # noqa: F401  (fixtures)
from floor_wire import ServedHouse

from companion.floor.cluster import Cluster

LONG = 1 << 20


@pytest.fixture
def served(cluster: Cluster, database: str, tmp_path: Path) -> Iterator[ServedHouse]:  # noqa: F811
    with ServedHouse(cluster, database, tmp_path / "floor") as house:
        yield house


def answer_to(served: ServedHouse, head: bytes, tls: ssl.SSLContext | None) -> bytes:
    """Send a request's head, whose body never comes; return how the floor answers at once, empty where it waits."""
    with socket.create_connection(("127.0.0.1", served.port), timeout=5) as plain:
        sock = plain if tls is None else tls.wrap_socket(plain, server_hostname="127.0.0.1")
        sock.sendall(head)
        sock.settimeout(1.0)
        try:
            return sock.recv(4096).partition(b"\r\n")[0]
        except TimeoutError:
            return b""
        finally:
            sock.close()


@pytest.mark.parametrize("length", [b"Content-Length: %d" % LONG, b"Transfer-Encoding: chunked"])
@pytest.mark.parametrize("is_secure", [True, False])
def test_a_stranger_cannot_fill_the_memory_with_long_bodies(served: ServedHouse, length: bytes, is_secure: bool):
    head = b"POST /floor/v1/entries HTTP/1.1\r\nHost: 127.0.0.1\r\n" + length + b"\r\n\r\n"
    begun = b"%x\r\n" % LONG if b"chunked" in length else b""
    answer = answer_to(served, head + begun, served.blind if is_secure else None)
    assert answer.startswith(b"HTTP/1.1 413 ")


def test_a_table_that_has_joined_may_send_long_batches(served: ServedHouse, tmp_path: Path):
    member = served.join(tmp_path / "table")
    head = b"POST /floor/v1/entries HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n" % LONG
    assert answer_to(served, head, member.context()) == b""
