"""Kill a table while its game is changed: after every start exactly one of the two games is on, and no coin is lost."""

import contextlib
import http.client
import json
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.journal.evening import SessionStart, after
from companion.journal.store import FILE_NAME, JournalReader
from companion.journal.verify import verify
from companion.testing import INSTALLED

from .conftest import Client
from .table_process import HEADER
from .test_kill_run import House

PROCESS = Path(__file__).with_name("table_process.py")
GAMES = ("roulette", "rugen-house", "roche")
SPOTS = ("red", "day/3", "cut/6")
COINS = 3000


def check(journal: Path, acknowledged: dict[str, int]) -> SessionStart:
    """The journal is whole, all sessions are one evening, every acknowledged change is in it; return the last one."""
    with JournalReader.open(journal) as reader:
        found = verify(reader, INSTALLED)
        entries = list(reader.entries())
    assert found.wrong is None, found
    starts = {entry.seq: SessionStart.of(entry) for entry in entries if entry.kind == "start"}
    evening: tuple[SessionStart, ...] = ()
    for start in starts.values():
        evening = after(evening, start)
    assert len(evening) == len(starts), "they are more evenings than one"
    keys = {entry.key: entry.seq for entry in entries if entry.key}
    for key, seq in acknowledged.items():
        assert keys[key] == seq
    return evening[-1]


def coins_in(view: dict[str, Any]) -> int:
    """All coins of the players and on the table, and what the bank has won over all games."""
    return sum(player["coins"] for player in view["players"]) + view["staked"] + int(view["house_evening"])


# ---- the table alone, killed often


@pytest.mark.thorough
def test_killed_while_the_game_changes_again_and_again(tmp_path: Path) -> None:
    """Eight kills at random moments, bets and changes in flight."""
    journal, rng = tmp_path / FILE_NAME, random.Random(7)
    acknowledged: dict[str, int] = {}
    changed: dict[str, str] = {}
    for kill in range(8):
        process = subprocess.Popen(
            [sys.executable, PROCESS, journal], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert process.stdin is not None
        assert process.stdout is not None
        ready = json.loads(process.stdout.readline())
        if kill:
            last = check(journal, acknowledged)
            assert ready["game"] == last.game
            assert ready["coins"] == COINS
        listener = threading.Thread(target=listen, args=(process, acknowledged))
        listener.start()
        ends = time.monotonic() + rng.uniform(0.02, 0.4)
        with contextlib.suppress(BrokenPipeError):
            for number in range(10**6):
                if time.monotonic() > ends:
                    break
                key = f"{kill}-{number}"
                asked = wanted(rng)
                changed |= {key: asked["change"]} if "change" in asked else {}
                process.stdin.write(json.dumps({"key": key, **asked}) + "\n")
                process.stdin.flush()
                time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        process.wait(10)
        listener.join(10)
    last = check(journal, acknowledged)
    assert last.session > 5, "too few changes came through to prove anything"
    assert len(set(acknowledged) & set(changed)) > 5


def wanted(rng: random.Random) -> dict[str, Any]:
    """Return a change, or a bet that some of the games take, or its end."""
    if rng.random() < 0.4:
        return {"change": rng.choice(GAMES)}
    player, spot = rng.choice([name for name, _ in HEADER.players]), rng.choice(SPOTS)
    if rng.random() < 0.3:
        return {"record": {"do": "bet", "player": player, "on": spot, "amount": 3}}
    return {"record": {"do": "take-back", "player": player, "on": spot}}


def listen(process: subprocess.Popen[str], acknowledged: dict[str, int]) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        with contextlib.suppress(json.JSONDecodeError):  # a line cut by the kill was not heard
            told = json.loads(line)
            if "seq" in told:
                acknowledged[told["key"]] = told["seq"]


# ---- the whole companion, with its camera thread and pages


@pytest.fixture
def house(tmp_path: Path, client: Client) -> Iterator[House]:
    data_dir = tmp_path / "data"
    data_dir.mkdir(mode=0o700)
    players = "".join(f'[[players]]\nname = "{name}"\ncoins = 1000\n' for name in ("Ann", "Bo", "Cy"))
    (data_dir / "companion.toml").write_text(players)
    house = House(data_dir, client, "97")
    yield house
    if house.process is not None:
        house.process.kill()
        house.process.wait()


def ask(house: House, path: str, body: dict[str, Any] | None = None, key: str = "") -> dict[str, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", house.port, timeout=10)
    headers = {
        "Authorization": "Bearer 4711",
        "Content-Type": "application/json",
        **({"Idempotency-Key": key} if key else {}),
    }
    try:
        connection.request("GET" if body is None else "POST", path, json.dumps(body) if body else None, headers)
        found: dict[str, Any] = json.loads(connection.getresponse().read())
        return found
    finally:
        connection.close()


@pytest.mark.thorough
def test_the_companion_killed_in_the_middle_of_a_change(house: House) -> None:
    """A really killed `companion run`: the same command line starts it again with the game that was on."""
    rng, acknowledged = random.Random(3), {}
    for kill in range(3):
        house.start()
        view = ask(house, "/api/v1/state")
        if kill:
            assert view["game"] == check(house.data_dir / FILE_NAME, acknowledged).game
        assert coins_in(view) == COINS
        killer = threading.Timer(rng.uniform(0.1, 0.8), house.kill)
        killer.start()
        with contextlib.suppress(OSError, http.client.HTTPException, json.JSONDecodeError):
            for number in range(1000):
                key = f"{kill}-{number}"
                told = ask(house, "/api/v1/game", {"game": GAMES[number % 3]}, key)
                acknowledged[f"game:{key}"] = told["seq"]
        killer.join()
    last = check(house.data_dir / FILE_NAME, acknowledged)
    assert last.session > 3
    house.start()
    view = ask(house, "/api/v1/state")
    assert (view["game"], view["session"], coins_in(view)) == (last.game, last.session, COINS)
