"""``companion pin``, and PINs hidden from the machine's other users."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from companion.cli.access.pin import command
from web_ui.access.lockout import FREE_GUESSES_TOGETHER, Guesser
from web_ui.access.store import AccessError, AccessStore


def pin(tmp_path: Path, *argv: str, typed: str = "") -> tuple[int, str]:
    done = CliRunner().invoke(command, [*argv, "--data", str(tmp_path)], input=typed)
    return done.exit_code if done.exception is None or done.exit_code else 0, done.output


def test_it_asks_twice_and_shows_nothing(tmp_path: Path) -> None:
    code, said = pin(tmp_path, typed="2468\n2468\n")
    assert code == 0
    assert "The PIN is set" in said
    assert "2468" not in said
    AccessStore(tmp_path).check_pin("2468", Guesser("10.0.0.1"))


def test_it_reads_a_file_or_the_standard_input(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("2468\n")
    assert pin(tmp_path, "--pin-file", str(tmp_path / "secret"))[0] == 0
    assert AccessStore(tmp_path).is_pin("2468")
    assert pin(tmp_path, "--pin-file", "-", typed="8642\n")[0] == 0
    assert AccessStore(tmp_path).is_pin("8642")
    assert pin(tmp_path, "--pin-file", "-", typed="\n")[0] == 2


def test_a_pin_that_cannot_be_is_not_set(tmp_path: Path) -> None:
    store = AccessStore(tmp_path)
    store.set_pin("2468")
    done = CliRunner().invoke(command, ["--pin-file", "-", "--data", str(tmp_path)], input="12\n")
    assert isinstance(done.exception, AccessError)
    assert store.is_pin("2468")


def test_it_is_the_way_out_whatever_is_locked(tmp_path: Path) -> None:
    running = AccessStore(tmp_path)
    running.set_pin("2468")
    told = json.loads(pin(tmp_path, "--pin-file", "-", "--json", typed="8642\n")[1])
    for number in range(FREE_GUESSES_TOGETHER):  # the attack goes on
        with pytest.raises(AccessError):
            running.check_pin("9999", Guesser(f"10.0.0.{number}"))
    fresh = Guesser("10.0.1.1")
    with pytest.raises(AccessError, match="Wait"):
        running.check_pin("8642", fresh)
    running.check_pin(told["login_code"], fresh)
    running.check_pin("8642", fresh)  # known from now on


@pytest.mark.parametrize("argv", [["--pin", "246813"], ["--pin=246813"]])
def test_a_pin_on_the_command_line_is_hidden_in_the_list_of_processes(argv: list[str]) -> None:
    code = """
import sys
from pathlib import Path
from companion.cli.access.pin import hide_argument
hide_argument(sys.argv[-3].removeprefix("--pin="))
print(Path("/proc/self/cmdline").read_bytes())
print(sys.argv)
"""
    command_line = [sys.executable, "-c", code, "run", *argv, "--port", "0"]
    seen, own = subprocess.run(command_line, capture_output=True, text=True, check=True).stdout.splitlines()
    assert "246813" not in seen
    assert "******" in seen
    assert "246813" in own


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_what_root_sets_stays_the_services_own(tmp_path: Path) -> None:
    os.chown(tmp_path, 12345, 12345)
    for _ in range(2):
        assert pin(tmp_path, "--pin-file", "-", typed="2468\n")[0] == 0
        assert (tmp_path / "access.json").stat().st_uid == 12345
