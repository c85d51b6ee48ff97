"""Slow clients that occupy a server, for tests and benchmarks."""

import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

HALF = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
BODY = b"POST /api/v1/commands HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
BODY += b"Content-Length: 900\r\n\r\n{"


@contextmanager
def half_requests(host: str, port: int, count: int) -> Iterator[None]:
    """Keep connections open that have sent half a request, then nothing; closed ones are reopened."""
    with _clients(host, port, count, HALF, b"", 0.5):
        yield


@contextmanager
def slow_bytes(host: str, port: int, count: int) -> Iterator[None]:
    """Keep connections open that endlessly send a request byte by byte."""
    with _clients(host, port, count, HALF, b"x", 0.05):
        yield


@contextmanager
def slow_bodies(host: str, port: int, count: int) -> Iterator[None]:
    """Keep connections open that send a command's body byte by byte, without a PIN."""
    with _clients(host, port, count, BODY, b" ", 0.05):
        yield


@contextmanager
def _clients(host: str, port: int, count: int, first: bytes, more: bytes, pause_s: float) -> Iterator[None]:
    stop = threading.Event()
    connected = [threading.Event() for _ in range(count)]

    def attack(number: int) -> None:
        while not stop.is_set():
            with suppress(OSError), ExitStack() as stack:
                sock = stack.enter_context(socket.create_connection((host, port), timeout=5))
                sock.sendall(first)
                connected[number].set()
                sock.settimeout(pause_s)
                while not stop.wait(pause_s if more else 0):
                    with suppress(TimeoutError):
                        if more:
                            sock.sendall(more)
                        if not more and not sock.recv(1000):
                            break

    threads = [threading.Thread(target=attack, args=(number,), daemon=True) for number in range(count)]
    for thread in threads:
        thread.start()
    for one in connected:
        one.wait(5)
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join(6)
