"""Slow, silent and greedy clients against the real server: all others are still served."""

import http.client
import json
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest
from flask import Flask
from slow_clients import half_requests, slow_bodies, slow_bytes
from webclient import bearer

from web_ui.server import STREAMS_LIMIT, Server
from web_ui.serving.front import USUAL, Patience

BET = {"do": "bet", "player": "Aubrey", "on": "cut/6", "amount": 1}


@pytest.fixture
def server(app: Flask) -> Iterator[Server]:
    with Server(app, "127.0.0.1", 0) as running:
        yield running


@pytest.fixture
def hasty(app: Flask) -> Iterator[Server]:
    """A server with short timeouts."""
    with Server(app, "127.0.0.1", 0, patience=Patience(0.2, 0.2, 0.2, 0.2, 0.2)) as running:
        yield running


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=30)


def command(port: int) -> int:
    """Send a command on a new connection; if the server hangs, the socket times out."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    head = {"Content-Type": "application/json", **bearer()}
    connection.request("POST", "/api/v1/commands", json.dumps(BET), head)
    status = connection.getresponse().status
    connection.close()
    return status


@pytest.mark.parametrize(("attack", "count"), [(slow_bytes, 16), (half_requests, 200), (slow_bodies, 30)])
def test_the_dealer_is_served_while_others_send_slowly(server: Server, attack: Any, count: int) -> None:
    with ExitStack() as stack:
        stack.enter_context(attack("127.0.0.1", server.port, count))
        assert [command(server.port) for _ in range(5)] == [200] * 5


def test_a_request_has_one_deadline_however_it_trickles(hasty: Server) -> None:
    with connect(hasty.port) as slow:
        for letter in b"GET / HTTP/1.1\r\nHost: localhost\r\n" * 3:
            try:
                slow.sendall(bytes([letter]))
            except OSError:
                break
            time.sleep(0.02)
            slow.setblocking(False)
            try:
                told = slow.recv(100)
                break
            except BlockingIOError:
                slow.settimeout(5)
        else:
            pytest.fail("nobody ended it")
    assert told.startswith(b"HTTP/1.1 408 ")


def test_a_silent_connection_ends_without_a_word(hasty: Server) -> None:
    with connect(hasty.port) as silent:
        assert silent.recv(100) == b""


def test_answers_that_nobody_reads_take_no_more_than_so_much_memory(app: Flask) -> None:
    """Long ones that are asked for again and again: the oldest end, the newest come whole, and others are served."""
    length = 8_000_000

    @app.get("/long")
    def long() -> bytes:
        return b"x" * length

    def deaf(port: int) -> socket.socket:
        sock = socket.socket()
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sock.settimeout(30)
        sock.connect(("127.0.0.1", port))
        sock.sendall(b"GET /long HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert sock.recv(12, socket.MSG_PEEK).startswith(b"HTTP/1.1")
        time.sleep(0.1)  # the rest of the answer waits in its turn, before the next one begins
        return sock

    with Server(app, "127.0.0.1", 0, limits=replace(USUAL, unread=5 * length // 2)) as server, ExitStack() as stack:
        socks = [stack.enter_context(deaf(server.port)) for _ in range(5)]
        assert command(server.port) == 200
        assert [_read_to_end(sock) > length for sock in socks] == [False] * 3 + [True] * 2


def _read_to_end(sock: socket.socket) -> int:
    found = 0
    try:
        while part := sock.recv(1 << 16):
            found += len(part)
    except ConnectionResetError:
        pass
    return found


def test_whoever_does_not_read_the_answer_is_let_go(hasty: Server, app: Flask) -> None:
    @app.get("/large")
    def large() -> bytes:
        return b"x" * 30_000_000

    with connect(hasty.port) as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.sendall(b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert command(hasty.port) == 200  # no thread waits for it
        assert deaf.recv(10).startswith(b"HTTP/1.1 ")


def test_a_crowd_at_the_same_address_pushes_nobody_out(app: Flask) -> None:
    """A command comes as headers, then a body; between the two, 60 others have begun to ask.

    On a busy machine that may take more than the usual second, after which the oldest may be ended.
    """
    body = json.dumps(BET).encode()
    head = b"POST /api/v1/commands HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    patience = Patience(request_s=60.0, grace_s=60.0)
    with Server(app, "127.0.0.1", 0, patience=patience) as server, ExitStack() as stack:
        dealer = stack.enter_context(connect(server.port))
        dealer.sendall(head + b"Authorization: Bearer 4711\r\nContent-Length: %d\r\n\r\n" % len(body))
        for _ in range(60):
            stack.enter_context(connect(server.port)).sendall(b"GET / HTTP/1.1\r\n")
        dealer.sendall(body)
        assert dealer.recv(100).startswith(b"HTTP/1.1 200 ")


def test_a_crowd_has_its_limit(server: Server) -> None:
    with ExitStack() as stack:
        many = [stack.enter_context(connect(server.port)) for _ in range(USUAL.crowd + 3)]
        assert many[0].recv(10) == b""
        assert command(server.port) == 200


def test_one_address_has_few_unfinished_connections_and_the_oldest_goes(app: Flask) -> None:
    with Server(app, "127.0.0.1", 0, patience=Patience(grace_s=0.0)) as server, ExitStack() as stack:
        halves = []
        for _ in range(USUAL.unfinished + 4):
            half = stack.enter_context(connect(server.port))
            half.sendall(b"GET / HTTP/1.1\r\n")
            halves.append(half)
            time.sleep(0.01)
        assert [half.recv(100) for half in halves[:4]] == [b""] * 4
        halves[-1].sendall(b"Host: localhost\r\n\r\n")
        assert halves[-1].recv(100).startswith(b"HTTP/1.1 200 ")


def test_one_address_has_few_idle_connections(server: Server) -> None:
    with ExitStack() as stack:
        idle = [stack.enter_context(connect(server.port)) for _ in range(USUAL.idle + 3)]
        assert idle[0].recv(10) == b""
        assert command(server.port) == 200


def test_an_answer_is_read_though_the_rest_of_the_request_never_was(server: Server) -> None:
    with connect(server.port) as greedy:
        greedy.sendall(
            b"POST /api/v1/commands HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999\r\n\r\n" + b"x" * 999
        )
        answer = http.client.HTTPResponse(greedy)
        answer.begin()
        assert (answer.status, json.loads(answer.read())["code"]) == (413, "too-large")


@pytest.mark.parametrize("size", [b"FFFFFFFFFFFFFFFF", b"7FFFFFFFFFFFFFFF", b"g", b""])
def test_a_chunk_of_any_size_is_no_fault_of_the_server(server: Server, size: bytes) -> None:
    with connect(server.port) as odd:
        head = b"POST /api/v1/commands HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        odd.sendall(head + size + b"\r\n")
        assert odd.recv(100).startswith(b"HTTP/1.1 400 ")


def test_a_program_that_waits_for_the_word_is_told(server: Server) -> None:
    body = json.dumps(BET).encode()
    with connect(server.port) as polite:
        head = b"POST /api/v1/commands HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        head += b"Authorization: Bearer 4711\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(body)
        polite.sendall(head)
        assert polite.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        polite.sendall(body)
        assert polite.recv(100).startswith(b"HTTP/1.1 200 ")


def test_two_requests_at_once_get_two_answers_in_order(server: Server) -> None:
    with connect(server.port) as eager:
        eager.sendall(
            b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n"
        )
        got = b""
        while got.count(b"HTTP/1.1 ") < 2:
            got += eager.recv(10_000)
    assert got.index(b"200 OK") < got.index(b"404 NOT FOUND")


@pytest.mark.thorough
def test_streams_of_another_address_are_counted(app: Flask) -> None:
    """The other address is this machine's own one in the network; loopback is not counted."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            pytest.skip("this machine is in no network")
        own = probe.getsockname()[0]
    with Server(app, own, 0) as server, ExitStack() as stack:
        answers = []
        for _ in range(STREAMS_LIMIT + 1):
            sock = stack.enter_context(socket.create_connection((own, server.port), timeout=30))
            sock.sendall(b"GET /api/v1/stream?as=room HTTP/1.1\r\nHost: %s\r\n\r\n" % own.encode())
            answers.append(sock.recv(12))
        assert answers == [b"HTTP/1.1 200"] * STREAMS_LIMIT + [b"HTTP/1.1 429"]
