"""Kill a real ``companion run`` while clients submit over HTTP: what was acknowledged is there after every start."""

import contextlib
import http.client
import json
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.journal.store import FILE_NAME, JournalReader

from .conftest import Client, folded, random_commands

PIN = "4711"
NO_CAMERA = "97"  # a device that is not there: the table opens all the same
PLAYERS = ("Ann", "Bo", "Cy")
CONFIG = '[table]\nlayout = "grand"\n' + "".join(f'[[players]]\nname = "{name}"\ncoins = 1000\n' for name in PLAYERS)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class House:
    """A ``companion run`` on one data directory and port, started again and again."""

    def __init__(self, data_dir: Path, client: Client, camera: str) -> None:
        self.data_dir, self.client, self.camera = data_dir, client, camera
        self.port = free_port()
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        command = [sys.executable, "-m", "companion", "run", "--data", self.data_dir, "--camera", self.camera]
        command += ["--host", "127.0.0.1", "--port", str(self.port), "--pin", PIN]
        log = (self.data_dir.parent / "stderr.txt").open("a")
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        assert self.process.stdout is not None
        opened = self.process.stdout.readline()
        assert f"http://127.0.0.1:{self.port}" in opened, (opened, Path(log.name).read_text())

    def kill(self, how: signal.Signals = signal.SIGKILL) -> int:
        assert self.process is not None
        self.process.send_signal(how)
        return self.process.wait(15)

    def submit(self, key: str, record: dict[str, Any], timeout_s: float = 10.0) -> None:
        """Send one command over its own connection and note the answer; raises if there was none."""
        self.client.sent[key] = record
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout_s)
        headers = {"Authorization": f"Bearer {PIN}", "Content-Type": "application/json", "Idempotency-Key": key}
        try:
            connection.request("POST", "/api/v1/commands", json.dumps(record), headers)
            answer = connection.getresponse()
            said = json.loads(answer.read())
        finally:
            connection.close()
        if answer.status == 200:
            assert self.client.acknowledged.setdefault(key, said["seq"]) == said["seq"]
        else:
            assert answer.status in (400, 409, 422), (answer.status, said)
            self.client.refused.add(key)


@pytest.fixture
def house(tmp_path: Path, client: Client) -> Iterator[House]:
    data_dir = tmp_path / "data"
    data_dir.mkdir(mode=0o700)
    (data_dir / "companion.toml").write_text(CONFIG)
    client.prefix = "dealer:"
    house = House(data_dir, client, NO_CAMERA)
    yield house
    if house.process is not None:
        house.process.kill()
        house.process.wait()


def send_until_dead(house: House, seed: int, number: str) -> None:
    commands = random_commands(random.Random(seed), PLAYERS)
    with contextlib.suppress(OSError, http.client.HTTPException, json.JSONDecodeError):
        for place, record in enumerate(commands):
            house.submit(f"{number}-{place}", record)


def kill_often(house: House, kills: int, seed: int) -> None:
    rng = random.Random(seed)
    for kill in range(kills):
        house.start()
        for key in house.client.unanswered:
            house.submit(key, house.client.sent[key])
        threads = [
            threading.Thread(target=send_until_dead, args=(house, rng.random(), f"{kill}-{n}")) for n in range(3)
        ]
        for thread in threads:
            thread.start()
        time.sleep(rng.uniform(0.05, 0.7))
        house.kill()
        for thread in threads:
            thread.join(15)
        house.client.check(house.data_dir / FILE_NAME)
    assert len(house.client.acknowledged) > 10 * kills


def check_shown(house: House) -> None:
    """What the dashboard shows after the restart is the fold of the journal."""
    house.start()
    connection = http.client.HTTPConnection("127.0.0.1", house.port, timeout=10)
    connection.request("GET", "/api/v1/state")
    shown = json.loads(connection.getresponse().read())
    connection.close()
    with JournalReader.open(house.data_dir / FILE_NAME) as reader:
        table = folded(list(reader.entries()))
    expected = json.loads(json.dumps(table.view()))
    assert {key: shown[key] for key in expected} == expected


@pytest.mark.thorough
def test_three_kills_and_a_clean_stop(house: House) -> None:
    """Three kills; then a clean stop ends with 0 within two seconds and leaves one tidy file."""
    kill_often(house, kills=3, seed=3)
    check_shown(house)
    begun = time.monotonic()
    assert house.kill(signal.SIGTERM) == 0
    assert time.monotonic() - begun < 5  # two seconds, and a slow machine's share
    assert not (house.data_dir / f"{FILE_NAME}-wal").exists()
    house.client.check(house.data_dir / FILE_NAME)


def asked(house: House, path: str) -> tuple[int, dict[str, Any]]:
    connection = http.client.HTTPConnection("127.0.0.1", house.port, timeout=10)
    connection.request("GET", path)
    answer = connection.getresponse()
    with contextlib.closing(connection):
        return answer.status, json.loads(answer.read())


def test_a_journal_that_is_gone(house: House) -> None:
    """The table starts all the same, says what is missing, takes nothing, and goes on once that is accepted."""
    house.start()
    house.submit("first", {"do": "buy-in", "player": "Ann", "coins": 5})
    house.kill()
    for path in house.data_dir.glob(f"{FILE_NAME}*"):
        path.unlink()
    house.start()
    assert asked(house, "/readyz") == (503, asked(house, "/readyz")[1] | {"code": "journal-missing"})
    with pytest.raises(AssertionError, match="Nothing was played"):
        house.submit("second", {"do": "buy-in", "player": "Ann", "coins": 5})
    house.submit("third", {"do": "accept-loss"})
    house.submit("fourth", {"do": "buy-in", "player": "Ann", "coins": 7})
    assert asked(house, "/readyz")[0] == 200
    house.kill()
    house.start()
    (ann,) = (player for player in asked(house, "/api/v1/state")[1]["players"] if player["name"] == "Ann")
    assert ann["coins"] == 1007


@pytest.mark.slow
@pytest.mark.parametrize("camera", [NO_CAMERA, "demo"])
def test_forty_kills(house: House, camera: str) -> None:
    """Forty kills, also while the demo table deals and the camera reads its cards."""
    house.camera = camera
    kill_often(house, kills=40, seed=40)
    check_shown(house)
