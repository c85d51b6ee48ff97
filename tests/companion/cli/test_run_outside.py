"""``companion run`` with a broker and a webhook in its settings: a real process, its demo table, and its end."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from mosquitto import Client, Mosquitto, free_port

sys.path.insert(0, str(Path(__file__).parents[1] / "app" / "webhooks"))

from receiver import SECRET, Receiver

ROOT = "companion/table-7"


@contextmanager
def companion(data: Path, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "companion", "run", "--data", str(data), "--host", "127.0.0.1"]
    process = subprocess.Popen([*command, "--port", str(free_port()), "--camera", "demo", *arguments])
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def settings(data: Path, port: int, url: str) -> None:
    data.mkdir()
    (data / "secret").write_text(f"whsec_{SECRET}")
    (data / "companion.toml").write_text(f"""
        [mqtt]
        host = "127.0.0.1"
        port = {port}
        tls = false
        table = "table-7"
        commands = true
        [[webhooks]]
        url = "{url}"
        secret_file = "{data / "secret"}"
        events = ["table.held"]
    """)


@pytest.mark.thorough
def test_the_demo_table_on_a_broker(tmp_path: Path) -> None:
    """The demo bets and deals; a hold stops it; a killed table is offline, and so is one that is stopped."""
    data = tmp_path / "data"
    with Mosquitto(tmp_path) as broker, Client(broker.port) as reader, Receiver() as receiver:
        settings(data, broker.port, receiver.url)
        with companion(data) as process:
            reader.wait(lambda: reader.field(f"{ROOT}/state", "in_play"), 60)
            reader.wait(lambda: reader.field(f"{ROOT}/health", "camera") == "ok", 30)
            reader.publish(f"{ROOT}/command", "hold")
            reader.wait(lambda: reader.field(f"{ROOT}/state", "hold"))
            [held] = receiver.wait(1)
            assert held.is_genuine()
            assert held.event["data"]["source"] == "mqtt"
            coins = reader.field(f"{ROOT}/state", "on_table") + reader.field(f"{ROOT}/state", "house")
            process.kill()
            reader.wait(lambda: reader.last(f"{ROOT}/status") == "offline")
        with companion(data) as process:
            reader.wait(lambda: reader.last(f"{ROOT}/status") == "online", 60)
            state = reader.last(f"{ROOT}/state")
            assert state["hold"]
            assert state["on_table"] + state["house"] == coins
            process.send_signal(signal.SIGTERM)
            reader.wait(lambda: reader.last(f"{ROOT}/status") == "offline")
            assert process.wait(10) == 0


@pytest.mark.thorough
def test_safe_mode_tells_nobody(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with Mosquitto(tmp_path) as broker, Client(broker.port) as reader, Receiver() as receiver:
        settings(data, broker.port, receiver.url)
        with companion(data, "--safe") as process:
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(8)
            assert reader.received == []
