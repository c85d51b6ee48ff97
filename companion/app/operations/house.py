"""What the owner's page may do with the installation: backups, restores, restarts, and what it shows of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Protocol

from companion.app.operations.backups import BackupFile, Backups, JobState, Refused
from companion.app.operations.housekeeper import Housekeeper
from companion.app.operations.release import installed_version
from companion.app.operations.self_check import SelfCheck, accept_key
from companion.app.operations.update import RECENT, Installed
from companion.app.outside.link import LinkState
from companion.journal.backups.pending import ArchiveError, Pending
from companion.journal.backups.staged_restore import drop_restore, played_since
from companion.kernel.errors import os_reason


class AskRestart(Protocol):
    """Closes the table soon and begins again."""

    def __call__(self, overridden: Sequence[str], *, safe: bool = False) -> None: ...


@dataclass(frozen=True, slots=True)
class HouseState:
    """What the owner sees of the installation."""

    is_safe: bool
    checked: SelfCheck | None
    meters: dict[str, int]
    job: JobState
    files: list[BackupFile]
    away: Path | None
    "The folder on the second medium, if one is configured."
    is_away_there: bool
    pending: Pending | None
    "A backup that is checked and waits for a restart."
    installed: Installed
    "The program, and how it is updated."
    undecided: str = ""
    "What is undecided in the round that is being played; empty between two rounds."
    links: Sequence[LinkState] = ()
    "The broker and the webhooks that the table tells what happens."

    @property
    def version(self) -> str:
        """The version that runs; empty where nobody has installed it."""
        return self.installed.version

    def is_backed_up(self, now: datetime) -> bool:
        """Whether there is a backup that is new enough to update on."""
        return any(timedelta() <= now - one.made <= RECENT for one in self.files)


class House:
    """The owner's operations. Each method raises a `CompanionError` that says what to do.

    Args:
        restart: starts the table again, whatever the settings are.
        rehearsed: the same, if the table can open with the settings of the file.
        links: returns how the broker and the webhooks fare.
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
        """Return what there is and what is being done."""
        backups = self._backups
        return HouseState(
            self._is_safe, self._keeper.checked, self._keeper.meters.counts, backups.state,
            backups.files(), backups.away, backups.is_away_there, self._pending(), self._installed,
            self._keeper.undecided, self._links(),
        )  # fmt: skip

    @property
    def checked(self) -> SelfCheck | None:
        """What the self-check of the installed files found; None until it is done."""
        return self._keeper.checked

    def accept_key(self) -> None:
        """Programs of whoever has signed this one are this table's from now on."""
        if (found := self._keeper.checked) is None or found.state != "other-key":
            raise Refused.saying("The program is signed as before.")
        try:
            accept_key(self._data_dir, found)
        except OSError as error:
            raise Refused.saying("It cannot be saved: {reason}.", reason=os_reason(error)) from error
        self._keeper.look_at_files()

    def _pending(self) -> Pending | None:
        """Return the restore that waits, and what its switch would put aside; while one is unpacked there is none."""
        try:
            pending = Pending.read(self._data_dir)
            return None if pending is None else played_since(self._data_dir, pending)
        except ArchiveError:
            return None

    def back_up(self, *, away: bool) -> None:
        """Begin a backup."""
        self._backups.back_up(away=away)

    def restore(self, name: str, *, away: bool) -> None:
        """Begin to check a backup; the next start switches to it."""
        self._backups.restore(name, away=away)

    def drop_restore(self) -> None:
        """Go on with the data that there is."""
        if self._backups.state.is_running:
            raise Refused.saying("Something is under way already. Wait until it is done.")
        drop_restore(self._data_dir)

    def restart(self, *, safe: bool) -> None:
        """Close the table and start it again."""
        if self._backups.state.is_running:
            raise Refused.saying("Something is under way already. Wait until it is done.")
        if safe or self._pending() is not None:
            self._restart([], safe=safe)
        else:
            self._rehearsed()
