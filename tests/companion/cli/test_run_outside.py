"""``companion run`` with a broker and a webhook in its settings: a real process, its demo table, and its end."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from mosquitto import Client, Mosquitto, free_port

sys.path.insert(0, str(Path(__file__).parents[1] / "app" / "webhooks"))

from receiver import SECRET, Receiver

ROOT = "companion/table-7"
PIN = "4711"
BY_MACHINE = (f"{ROOT}/health", f"{ROOT}/alarm")
"""What is told of the machine differs by how busy it is."""
SPEAKS = """#!/bin/sh
{ echo "$@"; cat; echo; } >> "$0.said"
"""
"""In the place of espeak-ng: writes down how it is called, and what it is to say."""
AT_RANDOM = re.compile(r"[0-9a-f]{12,}|[A-Za-z0-9+/]{200,}=*|20\d\d-[-:.\dTZ+]+|(?<=disk_free_mb\":)\d+")
KINGS = ("Ann", "Bo", "Cy", "Dee")
VOTES = [{"do": "vote", "player": name, "for": "Ann"} for name in KINGS]


@contextmanager
def companion(data: Path, *arguments: str, camera: str = "demo", **more: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "companion", "run", "--data", str(data), "--host", "127.0.0.1"]
    port = () if "--port" in arguments else ("--port", str(free_port()))
    process = subprocess.Popen([*command, *port, "--camera", camera, *arguments], env={**os.environ, **more})
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


def sealed(text: str, one: Sequence[int], guess: str, spaces: Mapping[str, object], cover: Mapping[str, object]) -> Any:
    """Return the secrets of a round, up to its reveal."""
    bets = [{"do": "bet", "player": name, "space": space} for name, space in spaces.items()]
    rule = {"do": "rule", "text": text, "one": list(one), "two": 3}
    return [
        {"do": "buy-bonus", "player": "Cy"},
        rule,
        {"do": "guess", "range": guess},
        *bets,
        {"player": "Cy", **cover},
    ]


FIRST = sealed("xylophones pay", (1, 2), "0-1", {"Bo": 1, "Cy": 3, "Dee": "king"}, {"do": "use-bonus"})
SECOND = sealed("zz" * 99, (6, 4), "2-3", {"Bo": "king", "Cy": 2, "Dee": 6}, {"do": "bet", "player": "Bo", "space": 2})


def told_of(folder: Path, secrets: Sequence[Mapping[str, object]]) -> tuple[list[str], list[str], str]:
    """Play a round up to its reveal; return what is told to a broker, said aloud, and kept for everybody to read."""
    data, said, port = folder / "data", folder / "espeak-ng.said", free_port()
    data.mkdir(parents=True)
    (folder / "espeak-ng").write_text(SPEAKS)
    (folder / "espeak-ng").chmod(0o755)
    players = "".join(f'[[players]]\nname = "{name}"\ncoins = 9\n' for name in KINGS)
    with Mosquitto(folder) as broker, Client(broker.port) as reader:
        (data / "companion.toml").write_text(
            f'[table]\ngame = "king-of-roulette"\n{players}[voice]\non = true\n[mqtt]\nhost = "127.0.0.1"\n'
            f'port = {broker.port}\ntls = false\ntable = "table-7"\n'
        )
        lines = {"COMPANION_PIN": PIN, "PATH": f"{folder}:{os.environ['PATH']}"}
        with companion(data, "--port", str(port), "--panel", "none", camera="97", **lines):
            reader.wait(lambda: reader.field(f"{ROOT}/state", "seq"), 60)
            first = reader.field(f"{ROOT}/state", "seq")
            url = f"http://127.0.0.1:{port}"
            until(lambda: read(f"{url}/readyz"))
            for number, record in enumerate([*VOTES, *secrets, {"do": "undo"}, {"do": "redo"}], start=1):
                heard = size(said)
                read(f"{url}/api/v1/commands", record)
                reader.wait(lambda seq=first + number: reader.field(f"{ROOT}/state", "seq") == seq, 20)
                until(lambda heard=heard: size(said) > heard)
                until(lambda: size(said) == (time.sleep(1.0), size(said))[1])  # it has said all
            kept = read(f"{url}/api/v1/events?after=0&limit=1000")
        reader.wait(lambda: reader.last(f"{ROOT}/status") == "offline", 20)
        told = {f"{one.topic} {one.payload.decode()}" for _, one in reader.received if one.topic not in BY_MACHINE}
    told = {line for line in told if '"type":"alarm.' not in line}  # of the machine, too: there is no camera
    aloud = {line for line in said.read_text().splitlines() if line}
    return sorted(map(plain, told)), sorted(aloud), plain(kept)


def read(url: str, record: Mapping[str, object] | None = None) -> str:
    """Get a page, or give a command as the dealer."""
    data = None if record is None else json.dumps(record).encode()
    head = {"Content-Type": "application/json", "Authorization": f"Bearer {PIN}"} if data else {}
    with urllib.request.urlopen(urllib.request.Request(url, data, head), timeout=20) as answer:
        return str(answer.read().decode())


def size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


def until(happened: Callable[[], Any]) -> None:
    ends = time.monotonic() + 60
    while True:
        try:
            if happened():
                return
        except OSError:
            pass
        assert time.monotonic() < ends, "it never happened"
        time.sleep(0.1)


def plain(text: str) -> str:
    """Return a text in which what is random is as long as it was."""
    return AT_RANDOM.sub(lambda found: "#" * len(found[0]), text)


@pytest.mark.thorough
def test_secrets_are_neither_told_nor_said_before_they_are_revealed(tmp_path: Path) -> None:
    """Two real tables that differ only in what is secret tell and say the same, to the letter and the length."""
    one, other = (told_of(tmp_path / str(n), secrets) for n, secrets in enumerate((FIRST, SECOND)))
    for mine, its in zip(one, other, strict=True):
        assert mine == its
    told, aloud, _ = one
    assert any("Cy has made a secret choice" in line for line in told)
    assert "Cy has made a secret choice" in aloud
    assert "A secret choice was made or changed" in aloud
    assert "Undone: a secret choice" in aloud
