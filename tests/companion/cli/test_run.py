"""``companion run`` as a real process: it starts, prints its URLs, refuses invalid input, and stops cleanly."""

import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from companion.cli.run import _open_table, _say_addresses
from companion.config.tables import Config
from companion.journal.evidence import EvidenceRing, Exhibit
from companion.journal.store import FILE_NAME
from companion.testing import INSTALLED, new_header
from web_ui.access.lockout import FREE_GUESSES_TOGETHER, Guesser
from web_ui.access.store import AccessError, AccessStore

NO_CAMERA = "97"  # a device that is not there now

Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def start(tmp_path: Path, port: int) -> Iterator[Start]:
    """Starts `companion run` processes, and ends them after the test."""
    running: list[subprocess.Popen[str]] = []

    def run(*arguments: object, camera: str = NO_CAMERA, **environment: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "companion", "run", "--data", tmp_path / "data", "--camera", camera]
        command += ["--host", "127.0.0.1", "--port", port, *arguments]
        env = {name: value for name, value in os.environ.items() if name != "NOTIFY_SOCKET"} | environment
        process = subprocess.Popen(
            [str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env
        )
        running.append(process)
        guard = threading.Timer(60, process.kill)
        guard.daemon = True
        guard.start()
        return process

    yield run
    for process in running:
        process.kill()
        process.wait()


def opened(process: subprocess.Popen[str]) -> str:
    """Wait until it says that the table is open."""
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        pytest.fail(f"it ended with {process.wait()}: {process.stderr.read()}")  # type: ignore[union-attr]
    return line


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Wait for the end; return the exit code and the last line on stderr."""
    _, err = process.communicate(timeout=60)
    return process.returncode, err.strip().splitlines()[-1] if err.strip() else ""


def get(port: int, path: str) -> Any:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
        return json.loads(answer.read())


def test_who_sits_at_the_machine_gets_a_link_without_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    """The other one, for phones and screens, leads to a certificate that no browser trusts yet."""
    _say_addresses("0.0.0.0", 8080, "ABCD2345", is_secured=True)
    said = capsys.readouterr().out.splitlines()
    assert re.match(r"First start: choose the dealer's PIN at https?://[^/]+:8080/setup\?code=ABCD2345, ", said[-1])
    assert said[-1].endswith(", or on this machine at http://localhost:8080/setup?code=ABCD2345")


@pytest.mark.thorough
def test_opens_without_its_camera_and_stops_cleanly(start: Start, port: int) -> None:
    """The table also starts with the camera unplugged; SIGTERM ends it cleanly and soon, with exit code 0."""
    process = start()
    assert opened(process) == f"The table is open: http://127.0.0.1:{port}\n"
    assert process.stdout is not None
    assert re.fullmatch(
        rf"First start: choose the dealer's PIN at http://127\.0\.0\.1:{port}/setup\?code=\w+\n",
        process.stdout.readline(),
    )
    assert process.stdout.readline() == (
        "The bank is 2,000: all bets of a round together may win no more; "
        "at most 200 on a spot (a tenth of the bank), no win above 200 (a tenth of the bank).\n"
    )
    assert get(port, "/healthz")["status"] == "ok"
    deadline = time.monotonic() + 10
    while get(port, "/api/v1/state")["camera"]["status"] != "lost" and time.monotonic() < deadline:
        time.sleep(0.1)
    assert get(port, "/api/v1/state")["camera"]["status"] == "lost"
    begun = time.monotonic()
    process.send_signal(signal.SIGTERM)
    code, _ = ended(process)
    assert code == 0
    assert time.monotonic() - begun < 5  # two seconds, and a slow machine's share


@pytest.mark.thorough
def test_a_pin_from_the_command_line_needs_no_link(start: Start, port: int) -> None:
    """With --pin there is no set-up link; an invalid PIN is refused."""
    process = start("--pin", "2468")
    opened(process)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 0
    assert "setup" not in out
    code, said = ended(start("--pin", "11"))
    assert (code, said) == (2, "companion: A PIN has 4 to 12 digits. Choose another one.")


def test_one_table_for_one_data_directory(start: Start, port: int, tmp_path: Path) -> None:
    """A second run on the same data directory says which process has it; the first goes on."""
    first = start()
    opened(first)
    code, said = ended(start("--port", 0))
    assert code == 1
    where = tmp_path / "data"
    assert said == (
        f"companion: Another companion (process {first.pid}) runs on {where}. Stop it, or choose another --data."
    )
    assert get(port, "/healthz")["status"] == "ok"


@pytest.mark.thorough
def test_a_killed_one_leaves_nothing_in_the_way(start: Start, port: int) -> None:
    """After kill -9 the data directory and the port are available immediately."""
    first = start()
    opened(first)
    first.kill()
    first.wait()
    opened(start())


@pytest.mark.thorough
def test_a_busy_port(start: Start, port: int, tmp_path: Path) -> None:
    """A port in use: exit 1, with the option for another one, and no journal is created."""
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", port))
        other.listen()
        code, said = ended(start())
    assert code == 1
    assert said == (
        f"companion: The dashboard cannot listen on 127.0.0.1, port {port}: Address already in use. "
        f"Choose another port, such as --port {port + 1}."
    )
    assert not (tmp_path / "data" / FILE_NAME).exists()


@pytest.mark.thorough
def test_an_address_that_no_camera_can_have(start: Start) -> None:
    """It never becomes one, so the table does not open to wait for it."""
    code, said = ended(start(camera="ftp://attic/camera"))
    assert code != 0
    assert "ftp:// is no address of a camera. Use one of http, https, rtsp" in said


@pytest.mark.thorough
def test_a_camera_name_that_means_nothing(start: Start) -> None:
    """A file that does not exist is bad usage, not a camera to wait for."""
    code, said = ended(start(camera="no-such-file.mp4"))
    assert code == 2
    assert said.startswith("companion: There is no camera, file or folder 'no-such-file.mp4'.")


@pytest.mark.thorough
def test_a_broken_picture_folder_does_not_end_it(start: Start, port: int, tmp_path: Path) -> None:
    """Invalid picture files as a camera are reported on the dashboard, and the table is open."""
    folder = tmp_path / "pictures"
    folder.mkdir()
    (folder / "1.jpg").write_bytes(b"not a picture")
    process = start(camera=str(folder))
    opened(process)
    assert get(port, "/api/v1/state")["phase"] == "betting"
    time.sleep(1.5)
    assert process.poll() is None


def test_a_wrong_configuration(start: Start, tmp_path: Path) -> None:
    """Wrong TOML: exit 2, with file, line and key."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "companion.toml").write_text("[table]\nmin = 5\nmaxx = 3\n")
    code, said = ended(start())
    assert code == 2
    assert said == (
        f"companion: {tmp_path / 'data' / 'companion.toml'}, line 3: table.maxx: there is no such key. "
        "Did you mean 'max'?"
    )


@pytest.mark.thorough
def test_an_empty_configuration_is_told_at_the_terminal_and_to_the_dealer(start: Start, tmp_path: Path) -> None:
    """As after a full disk: the house's limits are lost, which would go unnoticed."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "companion.toml").write_text("\ufeff\n \n")
    process = start()
    opened(process)
    process.terminate()
    _, err = process.communicate(timeout=60)
    said = f"{tmp_path / 'data' / 'companion.toml'} is empty: all settings have their defaults"
    assert said in err
    with sqlite3.connect(tmp_path / "data" / FILE_NAME) as file:
        told = [json.loads(record) for (record,) in file.execute("SELECT record FROM entry WHERE kind = 'notice'")]
    assert [one["private"] for one in told if "is empty: all settings" in json.dumps(one)] == [True]


@pytest.mark.thorough
def test_an_altered_journal_is_not_played(start: Start, tmp_path: Path) -> None:
    """A broken chain: exit 1 with the entry at fault, and the file as it was."""
    first = start()
    opened(first)
    first.kill()
    first.wait()
    journal = tmp_path / "data" / FILE_NAME
    with sqlite3.connect(journal) as file:
        file.execute("UPDATE entry SET at = '2020-01-01T00:00:00.000Z' WHERE seq = 1")
    code, said = ended(start())
    assert code == 1
    assert "entry 1: its contents were altered" in said


@pytest.mark.thorough
def test_the_configured_players_and_game(start: Start, port: int, tmp_path: Path) -> None:
    """The configuration's players sit down, and its options hold."""
    (tmp_path / "own.toml").write_text(
        '[table]\nlayout = "grand"\ndeck = "red"\n[[players]]\nname = "Ann"\ncoins = 7\n'
    )
    opened(start("--config", tmp_path / "own.toml"))
    state = get(port, "/api/v1/state")
    assert (state["layout"], state["deck"], state["players"][0]["name"], state["players"][0]["coins"]) == (
        "grand", "red", "Ann", 7,
    )  # fmt: skip


@pytest.mark.thorough
def test_systemd_is_told(start: Start, tmp_path: Path) -> None:
    """READY once it is open, WATCHDOG while it is running, STOPPING at the end."""
    path = tmp_path / "notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(path))
        manager.settimeout(20)
        process = start(NOTIFY_SOCKET=str(path))
        assert manager.recv(100) == b"READY=1"
        assert manager.recv(100) == b"WATCHDOG=1"
        process.send_signal(signal.SIGTERM)
        while (said := manager.recv(100)) == b"WATCHDOG=1":
            pass
        assert said == b"STOPPING=1"


@pytest.mark.slow
def test_the_demo_table_deals_by_itself(start: Start, port: int) -> None:
    """The demo: four players with coins, and within a minute a card that the camera read."""
    process = start(camera="demo")
    opened(process)
    assert len(get(port, "/api/v1/state")["players"]) == 4
    deadline = time.monotonic() + 55
    while time.monotonic() < deadline and not get(port, "/api/v1/state")["dealt"]:
        time.sleep(0.5)
    assert get(port, "/api/v1/state")["dealt"]
    assert {e["source"] for e in get(port, "/api/v1/events")["events"] if e["do"] == "deal"} == {"camera"}


@pytest.mark.thorough
def test_a_start_with_the_same_pin_changes_nothing_while_all_are_locked_out(start: Start, tmp_path: Path) -> None:
    """The PIN is not set again, no browser is logged out, and the PIN is not in the process list."""
    (tmp_path / "data").mkdir()
    store = AccessStore(tmp_path / "data")
    store.set_pin("2468")
    session, epoch = store.begin_session("dealer", Guesser("10.0.0.1")), store.epoch
    for number in range(FREE_GUESSES_TOGETHER):
        with pytest.raises(AccessError):
            store.check_pin("9999", Guesser(f"10.0.0.{number}"))
    process = start("--pin", "2468")
    opened(process)
    assert b"2468" not in Path(f"/proc/{process.pid}/cmdline").read_bytes()
    assert store.epoch == epoch
    assert store.session(session) is not None
    with pytest.raises(AccessError, match="Wait"):
        store.check_pin("2468", Guesser("10.0.1.1"))


def test_the_table_that_is_opened_brings_evidence_to_the_disk_before_it_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = SimpleNamespace(data_dir=tmp_path, config=Config(), games=INSTALLED, header=new_header("roche", ()))
    exhibit = Exhibit.of(datetime(2026, 3, 1, tzinfo=UTC), "6D3", 1, b"\xff\xd8", {"id": "6D3"})
    EvidenceRing(tmp_path / "evidence").keep(exhibit)
    synced: list[str] = []
    real = os.fsync

    def fsync(handle: int) -> None:
        synced.append(Path(os.readlink(f"/proc/self/fd/{handle}")).name)
        real(handle)

    with _open_table(plan, is_demo=False) as service:  # type: ignore[arg-type]
        monkeypatch.setattr(os, "fsync", fsync)
        service.submit({"do": "no-more-bets"}, source="dealer")
        assert f"{exhibit.name}.jpg" not in synced
        service.submit({"do": "deal", "card": "6D3", "evidence": exhibit.name}, source="camera")
    assert {f"{exhibit.name}.jpg", f"{exhibit.name}.json", "evidence"} <= set(synced)


def test_a_command_is_imported_without_collecting_garbage() -> None:
    """Objects created by imports stay alive: garbage collection during imports took a sixth of the startup."""
    program = (
        "import gc\nfrom companion.cli import cli\ncollected = []\n"
        "gc.callbacks.append(lambda phase, about: collected.append(phase))\n"
        "cli.get_command(None, 'run')\n"
        "print(len(collected), gc.isenabled(), gc.get_freeze_count() > 10_000)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout == "0 True True\n", done.stderr
