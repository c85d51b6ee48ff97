"""A real table, its owner's page and a real restart: backup, restore, switch, safe mode and back."""

import http.cookiejar
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

PIN = "4711"
PATIENCE_S = 60.0


class Owner:
    """The owner's browser, at the machine itself."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
        self.post("/dealer/login", "/dealer", pin=PIN)

    def page(self, path: str = "/dealer/house") -> str:
        with self._opener.open(self.url + path, timeout=20) as answer:
            return str(answer.read().decode())

    def post(self, path: str, form: str = "/dealer/house", **fields: str) -> None:
        token = re.search(r'name="csrf_token" value="([^"]+)"', self.page(form))
        assert token
        data = urllib.parse.urlencode({**fields, "csrf_token": token[1]}).encode()
        self._opener.open(self.url + path, data, timeout=20).read()

    def state(self) -> Any:
        return json.loads(self.page("/api/v1/state"))

    def bet(self, amount: int) -> None:
        record = {"do": "bet", "player": "Aubrey", "on": "cut/2", "amount": amount}
        head = {"Content-Type": "application/json", "Authorization": f"Bearer {PIN}"}
        request = urllib.request.Request(f"{self.url}/api/v1/commands", json.dumps(record).encode(), head)
        self._opener.open(request, timeout=20).read()


def until(happened: Callable[[], Any]) -> Any:
    ends = time.monotonic() + PATIENCE_S
    while time.monotonic() < ends:
        try:
            if found := happened():
                return found
        except (OSError, urllib.error.URLError, AssertionError):
            pass
        time.sleep(0.2)
    raise AssertionError("it never happened")


def events(url: str) -> str:
    """Return what anybody can read of what happened."""
    with urllib.request.urlopen(f"{url}/api/v1/events?after=0&limit=1000", timeout=20) as answer:
        return str(answer.read().decode())


@pytest.fixture
def started(tmp_path: Path) -> Iterator[tuple[Path, str, Path]]:
    """A data folder, the address of its running table, and what it has printed."""
    data, said = tmp_path / "data", tmp_path / "said"
    data.mkdir()
    (data / "companion.toml").write_text('[table]\ngame = "roche"\n[[players]]\nname = "Aubrey"\ncoins = 100\n')
    from webhouse import free_port

    port = str(free_port())
    argv = ["--camera", "97", "--panel", "none", "--data", str(data), "--port", port, "--host", "127.0.0.1"]
    with said.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "companion", "run", *argv],
            stdout=out, stderr=out, env={**os.environ, "COMPANION_PIN": PIN},
        )  # fmt: skip
    yield data, f"http://127.0.0.1:{port}", said
    process.send_signal(signal.SIGTERM)
    process.wait(20)


@pytest.mark.thorough
def test_back_and_forth_on_the_owners_page(started: tuple[Path, str, Path]) -> None:
    data, url, said = started
    owner = until(lambda: Owner(url))
    owner.bet(3)
    owner.post("/dealer/house/backup")
    archive = until(lambda: next((data / "backups").glob("companion-*.tar.gz"), None))
    until(lambda: "The backup is made." in owner.page())
    owner.bet(4)
    owner.post("/dealer/house/restore", name=archive.name)
    until(lambda: "was checked and is sound" in owner.page())
    assert owner.state()["staked"] == 7
    assert "since this restore was asked for" not in owner.page()
    owner.bet(5)
    assert "since this restore was asked for: commands 1, decided rounds 0." in owner.page()
    boot = json.loads(owner.page("/readyz"))["boot"]
    owner.post("/dealer/house/restart")
    until(lambda: json.loads(owner.page("/readyz"))["boot"] != boot)
    assert owner.state()["staked"] == 3
    assert "Restored from" in said.read_text()
    told = until(lambda: re.search(r"commands: 1, decided rounds: 0\). It lies in the folder ([-\w]+)", events(url)))
    assert (data / told[1] / "journal.sqlite3").exists()
    page = until(lambda: Owner(url).page())
    assert re.search(r"Backups restored</th><td[^>]*>1<", page)
    assert re.search(r"Coins staked</th><td[^>]*>12<", page), "a restore makes the meters forget nothing"
    owner = Owner(url)
    boot = json.loads(owner.page("/readyz"))["boot"]
    owner.post("/dealer/house/restart", safe="1")
    until(lambda: json.loads(owner.page("/readyz"))["boot"] != boot)
    assert "Safe mode: no camera" in until(lambda: Owner(url).page())
    assert owner.state()["staked"] == 3
