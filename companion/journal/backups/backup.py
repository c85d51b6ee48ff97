"""Backup and restore of the whole data directory as one tar.gz, consistent while the table runs.

An archive is fully checked before anything is changed: every name, every checksum, and the journal's hash chain.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Final

from companion.journal.datalock import FILE_NAME as LOCK_NAME
from companion.journal.durable import DAMAGED, sync_folder, write_private
from companion.journal.seals import ENDING as SEAL_ENDING
from companion.journal.store import FILE_NAME as JOURNAL_NAME
from companion.journal.store import JournalError, JournalReader, mark_restored
from companion.journal.trust.mark import mark_path
from companion.journal.trust.proof import Proof
from companion.journal.trust.signing import KeyUnusable
from companion.journal.verify import Verdict, verify
from companion.kernel.errors import CompanionError
from companion.kernel.game import Rulebook

ROOT: Final = "companion"
MANIFEST: Final = "MANIFEST.json"
VERSION: Final = 1
BACKUPS: Final = "backups"
"""The folder of backups in the data directory: no backup holds the others."""
ACCESS: Final = "access.json"
"""Of the pages: PIN, sessions and codes."""
_OF_AN_EVENING: Final = ("sessions", "codes", "login_code")
METERS: Final = "meters.json"
"""The lifetime meters: a restore leaves them in place."""
PENDING: Final = "restore.pending"
RESTORED: Final = "restored"
BEFORE: Final = "before-restore-"
"""Beginning of the names of folders with the data from before a restore."""
MOST_BYTES: Final = 64 * 2**30  # of all files together: a bomb is refused before it fills the disk
_NOT_KEPT: Final = (LOCK_NAME, f"{JOURNAL_NAME}-wal", f"{JOURNAL_NAME}-shm", JOURNAL_NAME)
_NOT_ENDING: Final = (".draft", ".shortcut", ".tmp", SEAL_ENDING, mark_path(Path(JOURNAL_NAME)).suffix)

Progress = Callable[[int, int], None]


class ArchiveError(CompanionError):
    """A backup that failed, or an archive that cannot be trusted. Nothing was changed."""


@dataclass(frozen=True, slots=True)
class Archived:
    """The contents of an archive: files with their sizes, and the state of its journal."""

    files: Mapping[str, int]
    made: str
    journal: Verdict | None


# ---- making one


def make_backup(
    data_dir: Path, target: Path, games: Rulebook, progress: Progress = lambda done, total: None
) -> Archived:
    """Write the data directory into ``target``, readable by its owner only; it appears whole or not at all.

    Args:
        progress: called with bytes done and total bytes.

    Raises:
        ArchiveError: no data there, or the target cannot be written.
        JournalError: the journal cannot be read.
    """
    if not data_dir.is_dir() or not any(data_dir.iterdir()):
        raise ArchiveError(f"There is nothing in {data_dir} to back up. Check --data.")
    if target.is_dir():
        raise ArchiveError(f"{target} is a directory. Name a file, such as {target / 'table.tar.gz'}.")
    if target.exists() and not target.is_file():  # it would be replaced: /dev/null, a whole disk
        raise ArchiveError(f"{target} is a device, no file. Name a file, such as table.tar.gz.")
    draft = target.with_name(f".{target.name}.draft")
    try:
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".backup-") as folder:
            made = _write(data_dir, draft, Path(folder), games, progress)
        draft.replace(target)
        sync_folder(target.parent)
    except OSError as error:
        raise ArchiveError(
            f"The backup {target} cannot be written: {error.strerror or error}. Choose another."
        ) from error
    finally:
        draft.unlink(missing_ok=True)
    return made


def _write(data_dir: Path, draft: Path, folder: Path, games: Rulebook, progress: Progress) -> Archived:
    files = dict(_files(data_dir))
    verdict = None
    if (data_dir / JOURNAL_NAME).exists():
        files[JOURNAL_NAME] = folder / JOURNAL_NAME
        with JournalReader.open(data_dir / JOURNAL_NAME) as reader:
            reader.copy_to(files[JOURNAL_NAME])
        with JournalReader.open(files[JOURNAL_NAME]) as reader:
            verdict = verify(reader, games, Proof.beside(data_dir / JOURNAL_NAME, with_mark=False))
    sizes, sums = {}, {}
    total, done = sum(_size(path) for path in files.values()), 0
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as raw, tarfile.open(fileobj=raw, mode="w:gz", compresslevel=6) as tar:
        for name, path in sorted(files.items()):
            try:
                data = path.read_bytes()
            except FileNotFoundError:  # the ring of evidence drops its oldest while we write
                continue
            _add(tar, name, data)
            sizes[name], sums[name] = len(data), hashlib.sha256(data).hexdigest()
            done += len(data)
            progress(done, max(total, done))
        made = datetime.now(UTC).isoformat(timespec="seconds")
        manifest = {"version": VERSION, "made": made, "files": sums}
        _add(tar, MANIFEST, json.dumps(manifest, indent=1).encode())
        tar.close()
        raw.flush()
        os.fsync(raw.fileno())
    return Archived(sizes, made, verdict)


def _files(data_dir: Path) -> Iterator[tuple[str, Path]]:
    """Yield the files to keep, by their name in the archive. Links are not followed out of the directory."""
    for path in sorted(data_dir.rglob("*")):
        name = path.relative_to(data_dir).as_posix()
        if path.is_symlink() or not path.is_file():
            continue
        first = name.partition("/")[0]
        if first in (BACKUPS, PENDING, RESTORED) or first.startswith(BEFORE):
            continue
        if name not in _NOT_KEPT and not path.name.endswith(_NOT_ENDING) and not path.name.startswith("."):
            yield name, path


def _size(path: Path) -> int:
    with suppress(FileNotFoundError):
        return path.stat().st_size
    return 0


def _add(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    info = tarfile.TarInfo(f"{ROOT}/{name}")
    info.size, info.mode, info.mtime = len(data), 0o600, int(datetime.now(UTC).timestamp())
    tar.addfile(info, io.BytesIO(data))


# ---- bringing it back


def restore(
    archive: Path,
    data_dir: Path,
    games: Rulebook,
    *,
    force: bool = False,
    progress: Progress = lambda done, total: None,
) -> Path | None:
    """Put an archive's content in place of the data directory, once all of it was checked.

    Args:
        force: a directory that is not empty is moved aside first.

    Returns:
        Where the old data went, if there was any.

    Raises:
        ArchiveError: the archive is damaged or not one, or the directory is not empty; nothing was changed.
    """
    is_full = data_dir.exists() and (not data_dir.is_dir() or any(p.name != LOCK_NAME for p in data_dir.iterdir()))
    if is_full and not force:
        raise ArchiveError(
            f"{data_dir} is not empty. Give --force to move what is there aside, or choose another --data."
        )
    try:
        data_dir.absolute().parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(dir=data_dir.absolute().parent, prefix=f".{data_dir.name}-restore-"))
        try:
            unpack_checked(archive, fresh, games, progress)
            if (fresh / JOURNAL_NAME).exists():
                mark_restored(fresh / JOURNAL_NAME)
            with suppress(FileNotFoundError):
                shutil.copy(data_dir / METERS, fresh / METERS)
            return _swap(fresh, data_dir, is_full)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
    except OSError as error:
        raise ArchiveError(f"{data_dir} cannot be restored: {error.strerror or error}. Nothing was changed.") from error


def _swap(fresh: Path, data_dir: Path, is_full: bool) -> Path | None:
    aside = None
    if is_full:
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
        aside = data_dir.with_name(f"{data_dir.name}.before-restore-{stamp}")
        data_dir.rename(aside)
    elif data_dir.exists():
        shutil.rmtree(data_dir)  # empty, but for our lock
    try:
        fresh.rename(data_dir)
    except OSError:
        if aside is not None:
            aside.rename(data_dir)
        raise
    sync_folder(data_dir.absolute().parent)
    return aside


def unpack_checked(
    archive: Path, folder: Path, games: Rulebook, progress: Progress = lambda done, total: None
) -> Archived:
    """Unpack an archive into an empty folder and check all of it.

    Raises:
        ArchiveError: it is no backup of ours, is damaged or cut short, or its journal is broken.
    """
    try:
        with archive.open("rb") as raw, gzip.open(raw) as plain, tarfile.open(fileobj=plain, mode="r:") as tar:
            size, sums = archive.stat().st_size, {}
            room = min(MOST_BYTES, shutil.disk_usage(folder).free)
            for member in tar:
                name = _safe_name(archive, member)
                room -= member.size
                if room < 0:
                    raise ArchiveError(f"There is not enough room to unpack {archive}. Make room first.")
                sums[name] = _extract(tar, member, folder / name)
                progress(raw.tell(), size)
            while plain.read(1 << 20):  # to the very end: only then is gzip's own checksum compared
                pass
    except (tarfile.TarError, gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ArchiveError(
            f"{archive} is damaged or cut short ({error}). Use another backup; nothing was changed."
        ) from error
    except OSError as error:
        if isinstance(error, FileNotFoundError | PermissionError | IsADirectoryError):
            raise ArchiveError(f"{archive} cannot be read: {error.strerror}. Check the path.") from error
        raise ArchiveError(f"{archive} cannot be unpacked: {error.strerror or error}. Nothing was changed.") from error
    made = _check_manifest(archive, folder, sums)
    sizes = {name: (folder / name).stat().st_size for name in sums}
    _end_sessions(folder / ACCESS)
    return Archived(sizes, made, _check_journal(archive, folder, games))


def _safe_name(archive: Path, member: tarfile.TarInfo) -> str:
    """Return a member's name below the root; refuse everything that could leave it, or is no plain file."""
    parts = PurePosixPath(member.name).parts
    is_inside = len(parts) > 1 and parts[0] == ROOT and ".." not in parts and "\\" not in member.name
    if not is_inside or not member.isreg():
        raise ArchiveError(f"{archive} holds {member.name[:80]!r}, which no backup of ours does. Nothing was changed.")
    return "/".join(parts[1:])


def _extract(tar: tarfile.TarFile, member: tarfile.TarInfo, path: Path) -> str:
    """Write one file and return its checksum."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    source = tar.extractfile(member)
    assert source is not None, "a plain file has content"
    digest = hashlib.sha256()
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as target:
        while chunk := source.read(1 << 20):
            digest.update(chunk)
            target.write(chunk)
        target.flush()
        os.fsync(target.fileno())
    return digest.hexdigest()


def _check_manifest(archive: Path, folder: Path, sums: dict[str, str]) -> str:
    """Compare with the list that the backup wrote last: it is missing in an archive that was cut short."""
    sums.pop(MANIFEST, None)
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
        wanted, version, made = dict(manifest["files"]), int(manifest["version"]), str(manifest["made"])
    except (OSError, *DAMAGED) as error:
        raise ArchiveError(f"{archive} has no list of its files: not a backup of ours, or cut short.") from error
    if version > VERSION:
        raise ArchiveError(f"{archive} was made by a newer companion. Update this one, then restore.")
    wrong = sorted(name for name in wanted.keys() | sums.keys() if wanted.get(name) != sums.get(name))
    if wrong:
        raise ArchiveError(
            f"{archive} is damaged: {wrong[0]} is not as it was saved. Use another; nothing was changed."
        )
    (folder / MANIFEST).unlink()
    return made


def _end_sessions(path: Path) -> None:
    """Have everybody log in anew: a session or a code that has ended since the backup must not come back with it."""
    try:
        access = json.loads(path.read_bytes())
    except (OSError, *DAMAGED):
        return  # the pages say what is wrong with it
    if isinstance(access, dict) and access.keys() & set(_OF_AN_EVENING):
        kept = {name: value for name, value in access.items() if name not in _OF_AN_EVENING}
        write_private(path, json.dumps(kept).encode())


def _check_journal(archive: Path, folder: Path, games: Rulebook) -> Verdict | None:
    path = folder / JOURNAL_NAME
    if not path.exists():
        return None
    try:
        with JournalReader.open(path) as reader:
            verdict = verify(reader, games, Proof.beside(path, with_mark=False))
    except (JournalError, KeyUnusable) as error:
        raise ArchiveError(
            f"The journal in {archive} cannot be used. Use another backup; nothing was changed."
        ) from error
    if verdict.wrong is not None:
        where = f"entry {verdict.seq}: " if verdict.seq is not None else ""
        raise ArchiveError(
            f"The journal in {archive} is broken: {where}{verdict.wrong} Use another; nothing was changed."
        )
    return verdict
