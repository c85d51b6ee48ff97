"""Measures the latency from a command to every screen: 200 event streams on the real server, fast, slow and dead ones.

    python tests/bench/bench_web.py [--clients 200] [--commands 200]

Prints the table's own time for a command with no streams and with all of them, the time until all clients have the
new view (p50, p99), and the memory per client. The clients run in a separate process.
"""

import argparse
import multiprocessing
import os
import selectors
import socket
import tempfile
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path

from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header
from web_ui import AccessStore, create_app
from web_ui.server import Server

REQUEST = b"GET /api/v1/stream?as=room HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
PAUSE_S = 0.03
DEAD = 10


def clients(port: int, count: int, say: Connection) -> None:
    """Keep the streams open; send (version, time of the last arrival) for each version received by all clients."""
    selector = selectors.DefaultSelector()
    for _ in range(count):
        sock = socket.create_connection(("127.0.0.1", port))
        sock.sendall(REQUEST)
        sock.setblocking(False)
        selector.register(sock, selectors.EVENT_READ, [b""])
    seen: dict[int, int] = {}
    while True:
        for key, _ in selector.select():
            try:
                got = key.fileobj.recv(65536)  # type: ignore[union-attr]
            except BlockingIOError:
                continue
            if not got:
                return
            for version in versions(key.data, got):
                seen[version] = seen.get(version, 0) + 1
                if seen[version] == count:
                    say.send((version, time.monotonic()))


def versions(rest: list[bytes], got: bytes) -> list[int]:
    """Return the versions of the views that have now arrived completely."""
    *whole, rest[0] = (rest[0] + got).split(b"\n\n")
    ids = (event.partition(b"id: ")[2].partition(b"\n")[0] for event in whole if b"event: view" in event)
    return [int(found) for found in ids]


def sleepers(port: int) -> list[socket.socket]:
    """Open clients that never read, like sleeping phones."""
    asleep = []
    for _ in range(DEAD):
        sock = socket.socket()
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        sock.connect(("127.0.0.1", port))
        sock.sendall(REQUEST)
        asleep.append(sock)
    return asleep


def play(service: TableService, commands: int) -> tuple[list[float], dict[int, float]]:
    """Bet and take back; return the duration of each command (s), and version -> time of its commit."""
    took, committed = [], {}
    for i in range(commands):
        verb = {"do": "bet", "amount": 1} if i % 2 == 0 else {"do": "take-back"}
        began = time.monotonic()
        service.submit({**verb, "player": "P1", "on": f"cut/{2 + i // 2 % 6}"}, source="bench")
        committed[service.version] = began
        took.append(time.monotonic() - began)
        time.sleep(PAUSE_S)
    return took, committed


def memory_kb() -> int:
    """Return this process's resident memory."""
    with open(f"/proc/{os.getpid()}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def line(name: str, times: Sequence[float]) -> None:
    ordered = sorted(times)
    p50, p99 = ordered[len(ordered) // 2], ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
    print(f"{name:<46}{p50 * 1000:9.1f}{p99 * 1000:9.1f}{ordered[-1] * 1000:9.1f}")


def measure(service: TableService, server: Server, options: argparse.Namespace) -> None:
    alone, _ = play(service, options.commands)
    before = memory_kb()
    hear, say = multiprocessing.Pipe(duplex=False)
    others = multiprocessing.get_context("spawn").Process(target=clients, args=(server.port, options.clients, say))
    others.start()
    asleep = sleepers(server.port)
    time.sleep(3.0)
    together, committed = play(service, options.commands)
    time.sleep(1.0)
    arrived: dict[int, float] = {}
    while hear.poll():
        version, at = hear.recv()
        arrived[version] = at
    after = memory_kb()
    print(f"{options.clients} streams, {DEAD} more that never read, {options.commands} commands; ms")
    print(f"{'':<46}{'p50':>9}{'p99':>9}{'worst':>9}")
    line("command to durable, no stream", alone)
    line("command to durable, all streams", together)
    pushed = [arrived[version] - began for version, began in committed.items() if version in arrived]
    line("command to the view at the last client", pushed)
    print(f"{len(pushed)} of {len(committed)} versions reached every client as such (the others as a newer one)")
    print(f"memory a stream: {(after - before) / (options.clients + DEAD):.0f} kB")
    others.terminate()
    others.join()
    for sock in asleep:
        sock.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--commands", type=int, default=200)
    options = parser.parse_args()
    players = [(f"P{i}", 100) for i in range(1, 9)]
    with tempfile.TemporaryDirectory() as folder:
        access = AccessStore(Path(folder))
        with (
            TableService.open(Path(folder) / "journal.db", new_header("roche", tuple(players)), INSTALLED) as service,
            Server(create_app(service, access=access), "127.0.0.1", 0) as server,
        ):
            measure(service, server, options)


if __name__ == "__main__":
    main()
