"""Measures the MQTT adapter: latency from the journal's commit to a client of a real mosquitto, cost and throughput.

    python tests/bench/bench_mqtt.py [--commands 400] [--rate 20] [--events 5000]

A table of eight players bets at a steady rate; a client in a separate process records when each state arrives. Prints
the time from a command's answer (it is durable then) to its state and its event at the client, the duration of commands
with and without the adapter, the CPU time of the adapter's two threads, the share of a burst of commands that is
published, and the acknowledged messages per second over one connection. ``TMPDIR=/dev/shm`` excludes the disk.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from multiprocessing.connection import Connection
from pathlib import Path

from bench_web import line
from mosquitto import Client, Mosquitto

from companion.app.integrations.public_events import PublicEventJson
from companion.app.integrations.wiring import start_integrations
from companion.app.mqtt.publisher import Publisher
from companion.config.integrations import MqttConfig
from companion.config.tables import Config
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header

ROOT = "companion/table-1"
PLAYERS = tuple((f"P{number}", 1_000_000) for number in range(1, 9))
THREADS = ("outside", "mqtt")


def watch(port: int, say: Connection, is_over: Connection) -> None:
    """Record when the state and the event of each entry arrive, until stopped; runs in a separate process."""
    with Client(port) as client:
        say.send("ready")
        is_over.recv()
        states: dict[int, float] = {}
        events: dict[int, float] = {}
        for at, message in client.received:
            if message.topic == f"{ROOT}/state":
                states.setdefault(json.loads(message.payload)["seq"], at)
            elif message.topic == f"{ROOT}/event":
                events.setdefault(json.loads(message.payload)["data"]["seq"], at)
        say.send((states, events))


class Watcher:
    """The client's process; a context manager."""

    def __init__(self, port: int) -> None:
        spawn = multiprocessing.get_context("spawn")
        self._hear, say = spawn.Pipe(duplex=False)
        is_over, self._tell = spawn.Pipe(duplex=False)
        self._process = spawn.Process(target=watch, args=(port, say, is_over), daemon=True)

    def __enter__(self) -> Watcher:
        self._process.start()
        assert self._hear.recv() == "ready"
        return self

    def times(self) -> tuple[dict[int, float], dict[int, float]]:
        """Return the arrival times of each entry's state and event."""
        time.sleep(1.0)
        self._tell.send("over")
        found: tuple[dict[int, float], dict[int, float]] = self._hear.recv()
        return found

    def __exit__(self, *_: object) -> None:
        self._process.join(5)


def cpu_s(names: Sequence[str]) -> dict[str, float]:
    """Return thread name -> CPU seconds used, for threads of this process."""
    found = {}
    for thread in threading.enumerate():
        if thread.name in names:
            fields = Path(f"/proc/self/task/{thread.native_id}/stat").read_text().rpartition(")")[2].split()
            found[thread.name] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return found


def play(service: TableService, commands: int, rate: float) -> tuple[list[float], dict[int, float]]:
    """Bet at a steady rate, 0 for as fast as possible; return each command's duration and each entry's commit time."""
    took, durable = [], {}
    for number in range(commands):
        began = time.perf_counter()
        accepted = service.submit(
            {"do": "bet", "player": f"P{number % 8 + 1}", "on": "cut/6", "amount": 1}, source="bench"
        )
        durable[accepted.seq] = time.perf_counter()
        took.append(durable[accepted.seq] - began)
        if rate:
            time.sleep(max(0.0, 1 / rate - took[-1]))
    return took, durable


def delays(durable: dict[int, float], arrived: dict[int, float]) -> list[float]:
    """Return the seconds from each commit to the first arrival of that entry or a newer one."""
    newest, late = float("inf"), []
    for seq in sorted({*durable, *arrived}, reverse=True):
        newest = min(newest, arrived.get(seq, float("inf")))
        if seq in durable and newest < float("inf"):
            late.append(max(0.0, newest - durable[seq]))
    return late


def table(stack: ExitStack, folder: Path, port: int | None) -> TableService:
    """Open a table, with the adapter unless ``port`` is None."""
    folder.mkdir()
    header = new_header("roche", PLAYERS)
    service = stack.enter_context(TableService.open(folder / "journal.sqlite3", header, INSTALLED))
    mqtt = MqttConfig(host=None if port is None else "127.0.0.1", port=port, tls=False)
    start_integrations(stack, Config(mqtt=mqtt), folder, service, None)
    return service


def measure(folder: Path, commands: int, rate: float) -> None:
    with ExitStack() as stack:
        alone, _ = play(table(stack, folder / "alone", None), commands, rate)
    with ExitStack() as stack:
        broker = stack.enter_context(Mosquitto(folder))
        watcher = stack.enter_context(Watcher(broker.port))
        service = table(stack, folder / "told", broker.port)
        time.sleep(1.0)
        before, began = cpu_s(THREADS), time.perf_counter()
        together, durable = play(service, commands, rate)
        used, passed = cpu_s(THREADS), time.perf_counter() - began
        fast_began = time.perf_counter()
        fast, _ = play(service, 10 * commands, 0)
        fast_s = time.perf_counter() - fast_began
        states, events = watcher.times()
    print(f"{commands} commands, {rate:g} a second{'p50':>20}{'p99':>9}{'worst':>9}  (ms)")
    line("command to durable, nobody told", alone)
    line("command to durable, broker told", together)
    line("durable to the client's state", delays(durable, states))
    line("durable to the client's event", delays(durable, events))
    share = {name: (used[name] - before[name]) / passed for name in THREADS}
    print(f"adapter at {rate:g} commands a second: {100 * sum(share.values()):.1f} % of a core "
          f"(follows {100 * share['outside']:.1f} %, sends {100 * share['mqtt']:.1f} %)")  # fmt: skip
    first = max(durable)
    shown, told = sum(seq > first for seq in states), sum(seq > first for seq in events)
    print(f"as fast as the table goes: {len(fast) / fast_s:.0f} commands/s, {shown} states shown, {told} events told")


def flood(folder: Path, events: int) -> None:
    """Publish events as fast as the broker acknowledges them."""
    with Mosquitto(folder) as broker:
        config = MqttConfig(host="127.0.0.1", port=broker.port, tls=False, discovery="")
        with Publisher(config, "bench").start() as publisher:
            while publisher.link.state != "up" or not publisher.outbox.is_empty:
                time.sleep(0.01)
            happened: PublicEventJson = {
                "type": "announcement", "timestamp": "2026-05-01T12:00:00.000Z", "id": "msg_1",
                "data": {"table": "table-1", "game": "roche", "seq": 1, "text": "P1 bets 1 on Kin to cut"},
            }  # fmt: skip
            began, left = time.perf_counter(), events
            while left:
                for _ in range(min(left, 100)):
                    publisher.on_event(happened)
                left -= min(left, 100)
                while publisher.outbox.waiting > 200:
                    time.sleep(0.001)
            while not publisher.outbox.is_empty:
                time.sleep(0.001)
            passed = time.perf_counter() - began
            assert publisher.outbox.lost == 0
    print(f"acknowledged messages (QoS 1) through one connection: {events / passed:,.0f} a second")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--commands", type=int, default=400)
    parser.add_argument("--rate", type=float, default=20.0)
    parser.add_argument("--events", type=int, default=5000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), asked.commands, asked.rate)
        flood(Path(folder), asked.events)


if __name__ == "__main__":
    main()
