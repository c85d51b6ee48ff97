"""Manual and scheduled backups, and restores, each verified and run in a process of its own."""

import json
import logging
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from companion.config.tables import BackupConfig
from companion.journal.backups.backup import BACKUPS
from companion.kernel.errors import CompanionError, os_reason
from companion.kernel.messages import message, unpacked

KEPT_HERE: Final = 5
"""Backups kept in the data directory; for the second medium the configuration sets the number."""
_NAME: Final = re.compile(r"companion-(\d{8}T\d{6}Z)\.tar\.gz")
_STAMP: Final = "%Y%m%dT%H%M%SZ"
_NICE: Final = 10
_UNKNOWN: Final = message("The reason is not known; see the log.")

log = logging.getLogger("companion.backup")


class Refused(CompanionError):
    """The job cannot start; the message says why."""


@dataclass(frozen=True, slots=True)
class BackupFile:
    """A backup: its file, its time, and whether it is on the second medium."""

    path: Path
    made: datetime
    size: int
    is_away: bool


@dataclass(frozen=True, slots=True)
class JobState:
    """The current or last job: ``backup`` or ``restore``, progress, and error.

    Attributes:
        done: fraction from 0 to 1; None while unknown.
        error: why it failed; None while running or after success.
    """

    kind: str = ""
    is_running: bool = False
    done: float | None = None
    error: str | None = None


Run = Callable[[Sequence[str], Callable[[float], None]], str | None]
"""Runs a companion command, reports progress, and returns the error, if any."""


def run_companion(argv: Sequence[str], tell: Callable[[float], None]) -> str | None:
    """Run a companion command in a low-priority process; return why it failed."""
    command = [sys.executable, "-m", "companion", *argv, "--progress"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        with suppress(OSError):  # not permitted: runs at normal priority
            os.setpriority(os.PRIO_PROCESS, process.pid, _NICE)
        assert process.stdout is not None
        assert process.stderr is not None
        why: str | None = None
        for line in process.stdout:
            done, _, total = line.partition("/")
            if done.isdigit() and total.strip().isdigit():
                tell(int(done) / max(1, int(total)))
            elif line.startswith("{"):
                why = json.loads(line, object_hook=unpacked)["failed"]
        said = process.stderr.read().strip().splitlines()
    if process.returncode == 0:
        return None
    return why or (said[-1].removeprefix("companion: ") if said else _UNKNOWN)


class Backups:
    """Creates, lists and restores backups, one job at a time. Thread-safe.

    Args:
        on_done: called with the kind of each job that succeeded.
    """

    def __init__(
        self,
        data_dir: Path,
        config: BackupConfig,
        *,
        run: Run = run_companion,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        on_done: Callable[[str], None] = lambda kind: None,
    ) -> None:
        self._data_dir, self._config = data_dir, config
        self._run, self._now, self._on_done = run, now, on_done
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._is_away_missing = False
        self.state = JobState()

    # ---- files

    @property
    def away(self) -> Path | None:
        """The folder on the second medium, if configured."""
        return None if self._config.folder is None else Path(self._config.folder)

    @property
    def is_away_there(self) -> bool:
        """Whether the second medium is mounted. Its folder is never created: that would put it on this disk."""
        return self.away is not None and self.away.is_dir()

    def files(self) -> list[BackupFile]:
        """Return all backups, latest first; future dates stem from a wrong clock and sort last."""
        found = [*self._files_in(self._data_dir / BACKUPS, is_away=False)]
        if self.away is not None:
            found += self._files_in(self.away, is_away=True)
        return _latest_first(found, self._now())

    def _files_in(self, folder: Path, *, is_away: bool) -> list[BackupFile]:
        try:
            named = [(path, _NAME.fullmatch(path.name)) for path in folder.iterdir()]
            return [
                BackupFile(path, datetime.strptime(f"{found[1]}+0000", f"{_STAMP}%z"), path.stat().st_size, is_away)
                for path, found in named
                if found
            ]
        except (OSError, ValueError):
            return []

    # ---- jobs

    def back_up(self, *, away: bool) -> None:
        """Start a backup.

        Raises:
            Refused: another job is running, or the second medium is missing.
        """
        if away and not self.is_away_there:
            raise Refused.saying("The folder for backups is not there. Plug its medium in, then try again.")
        folder = self.away if away and self.away is not None else self._data_dir / BACKUPS
        self._begin("backup", lambda: self._make(folder, self._config.keep if away else KEPT_HERE))

    def restore(self, name: str, *, away: bool) -> None:
        """Start unpacking and verifying a backup beside the data; the next start switches to it.

        Raises:
            Refused: no such backup, or another job is running.
        """
        found = next((one for one in self.files() if one.path.name == name and one.is_away == away), None)
        if found is None:
            raise Refused.saying("There is no such backup any more. Load the page again.")
        argv = ("restore", str(found.path), "--stage", "--data", str(self._data_dir))
        self._begin("restore", lambda: self._run(argv, self._tell))

    def _begin(self, kind: str, work: Callable[[], str | None]) -> None:
        with self._lock:
            if self.state.is_running:
                raise Refused.saying("Something is under way already. Wait until it is done.")
            self.state = JobState(kind, is_running=True)
        self._thread = threading.Thread(target=self._work, args=(kind, work), name=kind, daemon=True)
        self._thread.start()

    def _work(self, kind: str, work: Callable[[], str | None]) -> None:
        try:
            error = work()
        except OSError as failed:
            error = os_reason(failed)
        if error is None:
            log.info("Done: %s", kind)
            self._on_done(kind)
        else:
            log.warning("The %s failed: %s", kind, error)
        self.state = JobState(kind, done=1.0 if error is None else None, error=error)

    def _tell(self, done: float) -> None:
        self.state = JobState(self.state.kind, is_running=True, done=done)

    def _make(self, folder: Path, keep: int) -> str | None:
        if folder == self._data_dir / BACKUPS:
            folder.mkdir(exist_ok=True, mode=0o700)
        now = self._now()
        target = folder / f"companion-{now.strftime(_STAMP)}.tar.gz"
        error = self._run(("backup", str(target), "--data", str(self._data_dir)), self._tell)
        if error is None:
            self._forget_old(folder, keep, now)
        return error

    def _forget_old(self, folder: Path, keep: int, now: datetime) -> None:
        for old in _latest_first(self._files_in(folder, is_away=False), now)[keep:]:
            old.path.unlink(missing_ok=True)

    def wait(self, timeout_s: float = 60.0) -> None:
        """Wait for the running job."""
        if self._thread is not None:
            self._thread.join(timeout_s)

    # ---- schedule

    def start_if_due(self) -> None:
        """Start a scheduled backup to the second medium if one is due."""
        if self.away is None or not self._config.every_hours or self.state.is_running:
            return
        if not self.is_away_there:
            if not self._is_away_missing:
                log.warning(
                    "The backup folder %s does not exist. Connect its disk; until then no backup is copied there.",
                    self.away,
                )
            self._is_away_missing = True
            return
        self._is_away_missing = False
        now = self._now()
        latest = max((one.made for one in self.files() if one.is_away and one.made <= now), default=None)
        if latest is None or now - latest >= timedelta(hours=self._config.every_hours):
            self.back_up(away=True)


def _latest_first(found: Iterable[BackupFile], now: datetime) -> list[BackupFile]:
    return sorted(found, key=lambda one: (one.made <= now, one.made), reverse=True)
