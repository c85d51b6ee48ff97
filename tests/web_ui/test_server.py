"""The real server: streams without threads, slow and dead clients, ending, the port."""

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from flask import Flask

from companion.service.table_service import TableService
from web_ui import AccessStore, create_app
from web_ui.server import Server, ServerError

BET = {"do": "bet", "player": "Aubrey", "on": "cut/6", "amount": 1}


@pytest.fixture
def server(app: Flask) -> Iterator[Server]:
    with Server(app, "127.0.0.1", 0) as running:
        yield running


class Stream:
    """One connected client that reads events."""

    def __init__(self, port: int, path: str = "/api/v1/stream?as=room") -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        self.connection.request("GET", path)
        self.response = self.connection.getresponse()
        assert self.response.status == 200
        assert self.response.getheader("Content-Type") == "text/event-stream; charset=utf-8"

    def next(self, kind: str) -> dict[str, Any]:
        """Return the data of the next event of this kind."""
        found = ""
        while True:
            line = self.response.readline().decode().rstrip("\n")
            if line.startswith("event: "):
                found = line[7:]
            if line.startswith("data: ") and found == kind:
                data: dict[str, Any] = json.loads(line[6:])
                return data

    def close(self) -> None:
        self.connection.close()


@pytest.mark.thorough
def test_a_stream_gets_each_change_and_a_heartbeat(server: Server, service: TableService) -> None:
    stream = Stream(server.port)
    assert stream.next("view")["staked"] == 0
    service.submit(BET, source="test")
    assert stream.next("view")["staked"] == 1
    assert "at" in stream.next("heartbeat")
    stream.close()


@pytest.mark.thorough
def test_an_audience_is_told_the_time_of_what_it_sees(service: TableService, access: AccessStore) -> None:
    """Otherwise countdowns would end before the delayed view shows their subject."""
    late_app = create_app(service, access=access, test_config={"TESTING": True, "SPECTATOR_DELAY_S": 60})
    with Server(late_app, "127.0.0.1", 0) as server:
        late, prompt = Stream(server.port, "/api/v1/spectators"), Stream(server.port)
        for _ in range(2):
            at = [datetime.fromisoformat(one.next("heartbeat")["at"]) for one in (late, prompt)]
            assert 50 < (at[1] - at[0]).total_seconds() < 70
        late.close()
        prompt.close()


@pytest.mark.thorough
def test_more_streams_than_threads_and_requests_are_still_answered(server: Server, service: TableService) -> None:
    streams = [Stream(server.port) for _ in range(60)]
    for stream in streams:
        stream.next("view")
    threads = threading.active_count()
    service.submit(BET, source="test")
    assert {stream.next("view")["staked"] for stream in streams} == {1}
    assert get(server.port, "/healthz") == 200
    assert threads < 40
    for stream in streams:
        stream.close()


def get(port: int, path: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    connection.request("GET", path)
    status = connection.getresponse().status
    connection.close()
    return status


def test_a_client_that_never_reads_delays_nobody(server: Server, service: TableService) -> None:
    asleep = socket.create_connection(("127.0.0.1", server.port))
    asleep.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    asleep.sendall(b"GET /api/v1/stream?as=room HTTP/1.1\r\nHost: localhost\r\n\r\n")
    awake = Stream(server.port)
    awake.next("view")
    worst = 0.0
    for i in range(1, 80):
        began = time.monotonic()
        service.submit(BET, source="test")
        while awake.next("view")["staked"] < i:
            pass
        worst = max(worst, time.monotonic() - began)
    assert worst < 1.5
    awake.close()
    asleep.close()


def test_a_sleeper_that_wakes_gets_the_newest_view_not_a_queue(server: Server, service: TableService) -> None:
    stream = Stream(server.port)
    for _ in range(90):
        service.submit(BET, source="test")
    seen = [stream.next("view")["staked"]]
    while seen[-1] < 90:
        seen.append(stream.next("view")["staked"])
    assert seen == sorted(seen)
    stream.close()


def test_gone_clients_are_forgotten(server: Server, app: Flask, service: TableService) -> None:
    streams = [Stream(server.port) for _ in range(5)]
    assert eventually(lambda: app.extensions["stream_count"]() == 5)
    for stream in streams:
        stream.close()
    for _ in range(3):
        service.submit(BET, source="test")
        time.sleep(0.05)
    assert eventually(lambda: app.extensions["stream_count"]() == 0)


def eventually(holds: Any, within_s: float = 6.0) -> bool:
    end = time.monotonic() + within_s
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.05)
    return False


def test_an_old_client_without_chunks(server: Server) -> None:
    raw = socket.create_connection(("127.0.0.1", server.port), timeout=5)
    raw.sendall(b"GET /api/v1/stream?as=room HTTP/1.0\r\n\r\n")
    got = b""
    while b"\n\n" not in got.partition(b"event: view")[2]:
        got += raw.recv(4096)
    head, _, body = got.partition(b"\r\n\r\n")
    assert b"chunked" not in head
    assert body.startswith(b"retry: 1000\n\n")
    raw.close()


def test_a_refused_stream_is_an_ordinary_answer(server: Server) -> None:
    assert get(server.port, "/api/v1/stream?as=dealer") == 401


@pytest.mark.thorough
def test_it_ends_at_once_with_streams_open(app: Flask) -> None:
    server = Server(app, "127.0.0.1", 0)
    server.start()
    streams = [Stream(server.port) for _ in range(20)]
    for stream in streams:
        stream.next("view")
    began = time.monotonic()
    server.close()
    assert time.monotonic() - began < 2.0
    server.close()
    assert streams[0].response.read() is not None


def test_the_port_is_free_at_once_and_a_taken_one_is_named(app: Flask) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    with Server(app, "127.0.0.1", port):
        stream = Stream(port)
        stream.next("view")
        with pytest.raises(ServerError, match=rf"127\.0\.0\.1:{port}.*Choose another --port"):
            Server(app, "127.0.0.1", port)
    with Server(app, "127.0.0.1", port):
        assert get(port, "/healthz") == 200
