"""Restores a backup while the table runs: unpacks and checks it now, and switches to it at the next startup.

The switch consists of many renames, so its progress is recorded: after a power cut the next startup continues it. The
table never opens with a mixture of old and restored data.
"""

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from companion.journal.backups.backup import BACKUPS, GIVEN_UP, METERS, Archived, Progress
from companion.journal.backups.pending import BEFORE, PENDING, RESTORED, ArchiveError, Pending
from companion.journal.backups.restore import not_unpacked, pending_restore, unpack_checked
from companion.journal.datalock import FILE_NAME as LOCK_NAME
from companion.journal.durable import sync_folder
from companion.journal.history.results import decision_in
from companion.journal.store import FILE_NAME as JOURNAL_NAME
from companion.journal.store import JournalError, JournalReader, mark_restored
from companion.kernel.game import Rulebook

_LEFT_IN_PLACE: Final = (LOCK_NAME, PENDING, BACKUPS, METERS, GIVEN_UP)
_KEPT_IF_MISSING: Final = ("https",)
"""Kept if the backup has none: phones trust the certificate in it."""


def stage_restore(
    archive: Path, data_dir: Path, games: Rulebook, progress: Progress = lambda done, total: None
) -> Archived:
    """Unpack and check a backup within the data directory; the next startup switches to it.

    Raises:
        ArchiveError: the backup is damaged, or does not fit on the disk. Nothing was changed.
    """
    drop_restore(data_dir)
    fresh, asked_at = data_dir / RESTORED, _last_entry(data_dir)
    try:
        fresh.mkdir(mode=0o700)
        made = unpack_checked(archive, fresh, games, progress)
        if (fresh / JOURNAL_NAME).exists():
            mark_restored(fresh / JOURNAL_NAME)
        replace(pending_restore(archive, made), asked_at=asked_at).write(data_dir)
    except OSError as error:
        shutil.rmtree(fresh, ignore_errors=True)
        raise not_unpacked(archive, error) from error
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    return made


def drop_restore(data_dir: Path) -> None:
    """Discard a pending restore.

    Raises:
        ArchiveError: the switch has begun; the next startup finishes it.
    """
    pending = Pending.read(data_dir)
    if pending is not None and pending.stage != "ready":
        raise ArchiveError.saying("The switch to a backup has begun. Start the table again to finish it.")
    (data_dir / PENDING).unlink(missing_ok=True)
    shutil.rmtree(data_dir / RESTORED, ignore_errors=True)


def finish_restore(data_dir: Path, move: Callable[[Path, Path], None] = os.replace) -> Pending | None:
    """Switch to a pending restore, or continue an interrupted switch. Call at startup, holding the data lock.

    Args:
        move: renames a file or folder.

    Returns:
        The finished restore; None if none was pending.

    Raises:
        ArchiveError: the switch cannot be finished; the next startup tries again.
    """
    pending = Pending.read(data_dir)
    if pending is None:
        return None
    fresh, aside = data_dir / RESTORED, data_dir / pending.aside
    try:
        if pending.stage != "in":
            if pending.stage == "ready":
                pending = replace(played_since(data_dir, pending), stage="out")
                pending.write(data_dir)
            aside.mkdir(exist_ok=True, mode=0o700)
            _move_all(data_dir, aside, move, lambda name: _is_moved_out(name, fresh))
            sync_folder(aside)
            replace(pending, stage="in").write(data_dir)
        _move_all(fresh, data_dir, move, lambda name: name not in _LEFT_IN_PLACE or _is_missing_meters(data_dir, name))
        sync_folder(data_dir)
        (data_dir / PENDING).unlink()
        shutil.rmtree(fresh, ignore_errors=True)
        sync_folder(data_dir)
    except OSError as error:
        raise ArchiveError(
            f"The switch to the backup {pending.archive} cannot be finished in {data_dir}: {error.strerror or error}. "
            "Fix this, then start the table again: the switch continues where it stopped."
        ) from error
    return pending


def played_since(data_dir: Path, pending: Pending) -> Pending:
    """Return a pending restore with the number of commands and rounds played since it was requested.

    Undone ones are counted as well, as in the lifetime meters.
    """
    if pending.asked_at is None:
        return pending
    try:
        with JournalReader.open(data_dir / JOURNAL_NAME) as reader:
            played = [entry for entry in reader.entries(pending.asked_at) if entry.kind == "command"]
    except JournalError:  # which may be the reason for the restore
        return pending
    return replace(pending, commands=len(played), rounds=sum(decision_in(entry) is not None for entry in played))


def _last_entry(data_dir: Path) -> int | None:
    """Return the seq of the journal's last entry; None if it cannot be read."""
    try:
        with JournalReader.open(data_dir / JOURNAL_NAME) as reader:
            return max((entry.seq for entry in reader.latest(1)), default=0)
    except JournalError:
        return None


def _is_moved_out(name: str, fresh: Path) -> bool:
    stays = name in _LEFT_IN_PLACE or name == RESTORED or name.startswith(BEFORE)
    return not stays and (name not in _KEPT_IF_MISSING or (fresh / name).exists())


def _is_missing_meters(data_dir: Path, name: str) -> bool:
    return name == METERS and not (data_dir / METERS).exists()


def _move_all(source: Path, target: Path, move: Callable[[Path, Path], None], is_wanted: Callable[[str], bool]) -> None:
    for path in sorted(source.iterdir()) if source.is_dir() else ():
        if is_wanted(path.name):
            move(path, target / path.name)
