"""Controls companion.service with systemctl and journalctl, as an owner would."""

import os
import pwd
import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from hardware.harness.rig import RigError

UNIT: Final = "companion.service"
USER: Final = "companion"
DATA_DIR: Final = Path("/var/lib/companion")
CONFIG_DIR: Final = Path("/etc/companion")
PORT: Final = 8080
PIN: Final = "4711"
_CALL_S: Final = 300.0
_NO_REASON: Final = ("Starting ", "Failed to start ", f"{UNIT}: Consumed ", f"{UNIT}: Failed with result ")


class Unit:
    """The service on this machine, restarted for every scenario. systemd keeps its log."""

    def __init__(self) -> None:
        self._since = "0"

    # ---- what stands before a start

    def clear(self) -> None:
        """Empty its data folder."""
        for path in DATA_DIR.iterdir() if DATA_DIR.is_dir() else ():
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    def settle(self, configuration: str, folder: Path) -> None:
        """Write its settings and the dealer's PIN, and give it what lies in its data folder."""
        (folder / "companion.toml").write_text(configuration)
        (folder / "environment").write_text(f"COMPANION_PIN={PIN}\n")
        user = pwd.getpwnam(USER)
        for path in (DATA_DIR, *DATA_DIR.rglob("*")):
            os.chown(path, user.pw_uid, user.pw_gid)

    # ---- life

    def start(self, limit_s: float) -> None:
        """Start it, and wait until it says that it is ready.

        Raises:
            RigError: it is not, in time; with its last words.
        """
        self._since = _call(["date", "+%s.%N"]).strip()
        done = _try(["systemctl", "start", UNIT], limit_s)
        if done.returncode:
            raise RigError(f"{UNIT} does not start: {self._last_words()}")

    def stop(self) -> None:
        """End it, and forget how often it was started."""
        _call(["systemctl", "kill", "--signal=SIGCONT", UNIT], may_fail=True)
        _call(["systemctl", "stop", UNIT])
        _call(["systemctl", "reset-failed", UNIT], may_fail=True)

    def signal(self, name: str) -> None:
        """Send its main process a signal."""
        _call(["systemctl", "kill", "--kill-whom=main", f"--signal={name}", UNIT])

    def restarts(self) -> int:
        """Return how often systemd has started it again."""
        return int(self._property("NRestarts") or 0)

    def wait_restart(self, before: int, limit_s: float) -> None:
        """Wait until systemd has started it again, and it is ready.

        Raises:
            RigError: it is not, in time.
        """
        ends = time.monotonic() + limit_s
        while self.restarts() <= before or self._property("ActiveState") != "active":
            if time.monotonic() > ends:
                raise RigError(f"systemd has not started {UNIT} again in {limit_s:.0f} s: {self._last_words()}")
            time.sleep(0.5)

    def why_dead(self) -> str | None:
        """Say why waiting for it is of no use any more; None while it is."""
        return f"{UNIT} has failed: {self._last_words()}" if self._property("ActiveState") == "failed" else None

    # ---- what it says

    def logged(self) -> str:
        """Return its log since it was started."""
        return _call(["journalctl", "-u", UNIT, "-o", "cat", "--no-pager", f"--since=@{self._since}"])

    def has_logged(self, text: str) -> bool:
        """Say whether its log has a text."""
        return text in self.logged()

    def _last_words(self) -> str:
        lines = [line for line in self.logged().strip().splitlines() if not line.startswith(_NO_REASON)]
        return " / ".join(lines[-6:]) or "it said nothing"

    def _property(self, name: str) -> str:
        return _call(["systemctl", "show", UNIT, "--value", "-p", name]).strip()


def _try(words: Sequence[str], limit_s: float = _CALL_S) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(words, capture_output=True, text=True, timeout=limit_s, check=False)
    except subprocess.TimeoutExpired as error:
        raise RigError(f"`{' '.join(words)}` took more than {limit_s:.0f} s. Is the machine overloaded?") from error
    except OSError as error:
        raise RigError(f"`{words[0]}` cannot be run: {error}. Is this the bench's machine?") from error


def _call(words: Sequence[str], *, may_fail: bool = False) -> str:
    done = _try(words)
    if done.returncode and not may_fail:
        raise RigError(f"`{' '.join(words)}` failed: {done.stderr.strip() or done.returncode}.")
    return done.stdout
