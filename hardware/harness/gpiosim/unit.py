"""Controls companion.service through systemctl and journalctl."""

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
_CALL_TIMEOUT_S: Final = 300.0
_UNINFORMATIVE: Final = ("Starting ", "Failed to start ", f"{UNIT}: Consumed ", f"{UNIT}: Failed with result ")


class Unit:
    """The table's service on this machine."""

    def __init__(self) -> None:
        self._since = "0"

    # ---- preparation

    def clear(self) -> None:
        """Empty the data folder."""
        for path in DATA_DIR.iterdir() if DATA_DIR.is_dir() else ():
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    def write_settings(self, configuration: str, folder: Path) -> None:
        """Write the configuration and the dealer's PIN, and make the service's user own the data folder."""
        (folder / "companion.toml").write_text(configuration)
        (folder / "environment").write_text(f"COMPANION_PIN={PIN}\n")
        user = pwd.getpwnam(USER)
        for path in (DATA_DIR, *DATA_DIR.rglob("*")):
            os.chown(path, user.pw_uid, user.pw_gid)

    # ---- start and stop

    def start(self, limit_s: float) -> None:
        """Start the service and wait until it reports that it is ready.

        Raises:
            RigError: it fails or is not ready in time; the message has the end of its log.
        """
        self._since = _call(["date", "+%s.%N"]).strip()
        done = _run(["systemctl", "start", UNIT], limit_s)
        if done.returncode:
            raise RigError(f"{UNIT} does not start: {self._log_tail()}")

    def stop(self) -> None:
        """Stop the service, even a frozen one, and reset its restart counter."""
        _call(["systemctl", "kill", "--signal=SIGCONT", UNIT], may_fail=True)
        _call(["systemctl", "stop", UNIT])
        _call(["systemctl", "reset-failed", UNIT], may_fail=True)

    def signal(self, name: str) -> None:
        """Send a signal to the main process."""
        _call(["systemctl", "kill", "--kill-whom=main", f"--signal={name}", UNIT])

    def restarts(self) -> int:
        """Return the number of restarts by systemd."""
        return int(self._property("NRestarts") or 0)

    def wait_restart(self, before: int, limit_s: float) -> None:
        """Wait until systemd has restarted the service and it is ready.

        Args:
            before: the number of restarts before the failure.

        Raises:
            RigError: this takes too long.
        """
        ends = time.monotonic() + limit_s
        while self.restarts() <= before or self._property("ActiveState") != "active":
            if time.monotonic() > ends:
                raise RigError(f"systemd has not started {UNIT} again in {limit_s:.0f} s: {self._log_tail()}")
            time.sleep(0.5)

    def failure_text(self) -> str | None:
        """Return the reason if the service has failed, otherwise None."""
        return f"{UNIT} has failed: {self._log_tail()}" if self._property("ActiveState") == "failed" else None

    # ---- log

    def logged(self) -> str:
        """Return the log since `start`."""
        return _call(["journalctl", "-u", UNIT, "-o", "cat", "--no-pager", f"--since=@{self._since}"])

    def has_logged(self, text: str) -> bool:
        """Whether the log since `start` contains a text."""
        return text in self.logged()

    def _log_tail(self) -> str:
        lines = [line for line in self.logged().strip().splitlines() if not line.startswith(_UNINFORMATIVE)]
        return " / ".join(lines[-6:]) or "it said nothing"

    def _property(self, name: str) -> str:
        return _call(["systemctl", "show", UNIT, "--value", "-p", name]).strip()


def _run(words: Sequence[str], limit_s: float = _CALL_TIMEOUT_S) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(words, capture_output=True, text=True, timeout=limit_s, check=False)
    except subprocess.TimeoutExpired as error:
        raise RigError(f"`{' '.join(words)}` took more than {limit_s:.0f} s. Is the machine overloaded?") from error
    except OSError as error:
        raise RigError(f"`{words[0]}` cannot be run: {error}. Is this the bench's machine?") from error


def _call(words: Sequence[str], *, may_fail: bool = False) -> str:
    done = _run(words)
    if done.returncode and not may_fail:
        raise RigError(f"`{' '.join(words)}` failed: {done.stderr.strip() or done.returncode}.")
    return done.stdout
