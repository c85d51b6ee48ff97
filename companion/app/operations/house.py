"""Backend of the owner's page: backups, restores, restarts, and their status."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Protocol

from companion.app.integrations.link import LinkState
from companion.app.operations.backups import BackupFile, Backups, JobState, Refused
from companion.app.operations.housekeeper import Housekeeper
from companion.app.operations.release import installed_version
from companion.app.operations.self_check import SelfCheck, accept_key
from companion.app.operations.update import RECENT, Installed
from companion.journal.backups.pending import ArchiveError, Pending
from companion.journal.backups.staged_restore import drop_restore, played_since
from companion.kernel.errors import os_reason


class AskRestart(Protocol):
    """Requests that the table closes and starts again."""

    def __call__(self, overridden: Sequence[str], *, safe: bool = False) -> None: ...


@dataclass(frozen=True, slots=True)
class HouseState:
    """Status of the installation."""

    is_safe: bool
    checked: SelfCheck | None
    meters: dict[str, int]
    job: JobState
    files: list[BackupFile]
    away: Path | None
    "Folder on the second medium, if configured."
    is_away_there: bool
    pending: Pending | None
    "A verified backup that takes effect at the next restart."
    installed: Installed
    "The program and how it is updated."
    undecided: str = ""
    "What is undecided in the current round; empty between rounds."
    links: Sequence[LinkState] = ()
    "MQTT and webhook links."

    @property
    def version(self) -> str:
        """The running version; empty if not installed."""
        return self.installed.version

    def is_backed_up(self, now: datetime) -> bool:
        """Whether a backup is recent enough for an update."""
        return any(timedelta() <= now - one.made <= RECENT for one in self.files)


class House:
    """The owner's operations. Each method may raise a `CompanionError` that says what to do.

    Args:
        restart: restarts the table unconditionally.
        rehearsed: restarts it if it can open with the settings in the file.
        links: returns the state of the MQTT and webhook links.
    """

    def __init__(
        self,
        data_dir: Path,
        keeper: Housekeeper,
        restart: AskRestart,
        rehearsed: Callable[[], None],
        *,
        is_safe: bool,
        links: Callable[[], Sequence[LinkState]] = tuple,
    ) -> None:
        self._data_dir, self._keeper, self._is_safe = data_dir, keeper, is_safe
        self._restart, self._rehearsed, self._links = restart, rehearsed, links
        self._installed = Installed.found(installed_version())

    @property
    def _backups(self) -> Backups:
        return self._keeper.backups

    def state(self) -> HouseState:
        """Return the status."""
        backups = self._backups
        return HouseState(
            self._is_safe, self._keeper.checked, self._keeper.meters.counts, backups.state,
            backups.files(), backups.away, backups.is_away_there, self._pending(), self._installed,
            self._keeper.undecided, self._links(),
        )  # fmt: skip

    @property
    def checked(self) -> SelfCheck | None:
        """Result of the self-check of the installed files; None until it is done."""
        return self._keeper.checked

    def accept_key(self) -> None:
        """Trust the signer of this installation from now on."""
        if (found := self._keeper.checked) is None or found.state != "other-key":
            raise Refused.saying("The program is signed as before.")
        try:
            accept_key(self._data_dir, found)
        except OSError as error:
            raise Refused.saying("It cannot be saved: {reason}.", reason=os_reason(error)) from error
        self._keeper.verify_files()

    def _pending(self) -> Pending | None:
        """Return the pending restore and what it would replace; None while one is being unpacked."""
        try:
            pending = Pending.read(self._data_dir)
            return None if pending is None else played_since(self._data_dir, pending)
        except ArchiveError:
            return None

    def back_up(self, *, away: bool) -> None:
        """Start a backup."""
        self._backups.back_up(away=away)

    def restore(self, name: str, *, away: bool) -> None:
        """Start verifying a backup; the next start switches to it."""
        self._backups.restore(name, away=away)

    def drop_restore(self) -> None:
        """Cancel the pending restore."""
        if self._backups.state.is_running:
            raise Refused.saying("Something is under way already. Wait until it is done.")
        drop_restore(self._data_dir)

    def restart(self, *, safe: bool) -> None:
        """Close and restart the table."""
        if self._backups.state.is_running:
            raise Refused.saying("Something is under way already. Wait until it is done.")
        if safe or self._pending() is not None:
            self._restart([], safe=safe)
        else:
            self._rehearsed()
