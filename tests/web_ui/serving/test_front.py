"""Connections during a worker's handling of a request: more data may arrive, and the socket may be closed elsewhere."""

import queue
import socket
import time
from collections.abc import Iterator

import pytest

from web_ui.serving.framing import WholeRequest
from web_ui.serving.front import Connection, Front

REQUEST = b"GET /%d HTTP/1.1\r\nHost: here\r\n\r\n"
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

Given = queue.SimpleQueue[tuple[Connection, WholeRequest]]


@pytest.fixture
def given() -> Given:
    """The requests passed to the workers."""
    return queue.SimpleQueue()


@pytest.fixture
def port_and_front(given: Given) -> Iterator[tuple[int, Front]]:
    listener = socket.create_server(("127.0.0.1", 0))
    front = Front(listener, lambda connection, request: given.put((connection, request)), body_limit=1000)
    front.start()
    yield listener.getsockname()[1], front
    front.close()


def path(request: WholeRequest) -> bytes:
    return request.head.lines[0].split()[1]


def test_what_comes_before_the_answer_waits_for_it(port_and_front: tuple[int, Front], given: Given) -> None:
    port, front = port_and_front
    with socket.create_connection(("127.0.0.1", port), timeout=5) as client:
        client.sendall(REQUEST % 1)
        connection, first = given.get(timeout=5)
        client.sendall(REQUEST % 2)
        began, used = time.monotonic(), time.process_time()
        time.sleep(0.5)
        assert time.process_time() - used < 0.5 * (time.monotonic() - began), "nobody looks at it again and again"
        assert given.empty()
        front.give(connection, ANSWER, keeps=True)
        assert client.recv(1000) == ANSWER
        connection, second = given.get(timeout=5)
        front.give(connection, ANSWER, keeps=True)
        assert client.recv(1000) == ANSWER
    assert (path(first), path(second)) == (b"/1", b"/2")


def test_a_client_that_goes_before_its_answer_is_let_go(port_and_front: tuple[int, Front], given: Given) -> None:
    port, front = port_and_front
    with socket.create_connection(("127.0.0.1", port), timeout=5) as client:
        client.sendall(REQUEST % 1)
        connection, _ = given.get(timeout=5)
    front.give(connection, ANSWER, keeps=True)
    ends = time.monotonic() + 5
    while connection.sock.fileno() >= 0:
        assert time.monotonic() < ends, "the connection stays open"
        time.sleep(0.01)


def test_a_socket_that_somebody_else_has_closed_gives_its_number_to_the_next(
    port_and_front: tuple[int, Front], given: Given
) -> None:
    port, front = port_and_front
    for number in range(50):
        with socket.create_connection(("127.0.0.1", port), timeout=5) as client:
            client.sendall(REQUEST % number)
            connection, request = given.get(timeout=5)
            assert path(request) == b"/%d" % number
            front.forget(connection)
            connection.sock.close()
    with socket.create_connection(("127.0.0.1", port), timeout=5) as client:
        client.sendall(REQUEST % 99)
        connection, _ = given.get(timeout=5)
        front.give(connection, ANSWER, keeps=False)
        assert client.recv(1000) == ANSWER


def test_a_long_answer_goes_on_when_the_client_reads(port_and_front: tuple[int, Front], given: Given) -> None:
    port, front = port_and_front
    body = b"x" * 20_000_000
    with socket.create_connection(("127.0.0.1", port), timeout=5) as client:
        client.sendall(REQUEST % 1)
        connection, _ = given.get(timeout=5)
        front.give(connection, b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body, keeps=True)
        time.sleep(0.2)
        got = 0
        while got < len(body):
            got += len(client.recv(1 << 20))
        client.sendall(REQUEST % 2)
        assert path(given.get(timeout=5)[1]) == b"/2"
