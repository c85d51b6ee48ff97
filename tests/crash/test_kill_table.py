"""Kill the table's process at any moment and start it again: the same table, nothing acknowledged lost."""

from __future__ import annotations

import contextlib
import json
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from companion.journal.store import FILE_NAME, JournalReader
from companion.service.table_service import TableService
from companion.testing import INSTALLED

from .conftest import Client, folded, random_commands
from .table_process import HEADER

PROCESS = Path(__file__).with_name("table_process.py")
PLAYERS = ("Ann", "Bo", "Cy")


class Running:
    """The table's process, with a thread that notes what it acknowledges."""

    def __init__(self, journal: Path, client: Client, kill_after: int | None = None) -> None:
        self.client = client
        self.heard = 0
        self.kill_after = kill_after
        "Kill in the very moment when so many answers have come: if one of them came too early, it is caught."
        self.process = subprocess.Popen(
            [sys.executable, PROCESS, journal], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        ready = self.process.stdout.readline()
        assert "ready" in ready, ready
        self._listener = threading.Thread(target=self._listen)
        self._listener.start()

    def send(self, key: str, record: dict[str, Any]) -> None:
        self.client.sent[key] = record
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"key": key, "record": record}) + "\n")
        self.process.stdin.flush()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.heard += 1
            if self.heard == self.kill_after:
                self.process.send_signal(signal.SIGKILL)
            with contextlib.suppress(json.JSONDecodeError):  # a line cut by the kill was not heard
                told = json.loads(line)
                if "seq" in told:
                    seq = self.client.acknowledged.setdefault(told["key"], told["seq"])
                    assert seq == told["seq"]
                else:
                    self.client.refused.add(told["key"])

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(10)
        self._listener.join(10)

    def finish(self) -> None:
        """Let it answer everything and end by itself."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        assert self.process.wait(20) == 0
        self._listener.join(10)


def run_until_killed(running: Running, rng: random.Random, commands: Any, start_at: int) -> int:
    """Send commands as fast as they go until it is killed, by itself or at a random moment; return the next number."""
    moment = time.monotonic() + rng.uniform(0.02, 0.5)
    number = start_at
    with contextlib.suppress(BrokenPipeError):
        while time.monotonic() < moment:
            number += 1  # first: a key whose sending fails is never another command's
            running.send(f"k{number}", next(commands))
            time.sleep(rng.choice([0, 0, 0.001]))
    running.kill()
    return number


def kill_often(path: Path, client: Client, kills: int, seed: int) -> None:
    rng = random.Random(seed)
    commands, number = random_commands(rng, PLAYERS), 0
    for _ in range(kills):
        running = Running(path, client, kill_after=rng.choice([None, rng.randint(1, 300)]))
        for key in client.unanswered:  # the answer was lost: ask again with the same key
            with contextlib.suppress(BrokenPipeError):
                running.send(key, client.sent[key])
        number = run_until_killed(running, rng, commands, number)
        client.check(path)
    last = Running(path, client)
    for key in [*client.unanswered, *rng.sample(sorted(client.acknowledged), min(50, len(client.acknowledged)))]:
        last.send(key, client.sent[key])
    last.finish()
    client.check(path)
    assert not client.unanswered
    assert len(client.acknowledged) > 20 * kills, "too little was going on for the kills to mean something"
    check_same_table(path)


def check_same_table(path: Path) -> None:
    """The table after the restart is the fold of the journal, to the last coin and card."""
    with JournalReader.open(path) as reader:
        table = folded(list(reader.entries()))
    with TableService.open(path, HEADER, INSTALLED) as service:
        view = service.view()
        assert {key: view[key] for key in table.view()} == table.view()


def test_six_kills(tmp_path: Path, client: Client) -> None:
    """Six kills, a few thousand commands."""
    kill_often(tmp_path / FILE_NAME, client, kills=6, seed=6)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_a_hundred_kills(tmp_path: Path, client: Client, seed: int) -> None:
    """A hundred kills in each of four evenings."""
    kill_often(tmp_path / FILE_NAME, client, kills=100, seed=seed)
