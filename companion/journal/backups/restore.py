"""Restores a backup: unpacked beside the data directory, fully checked, and only then put in its place."""

import gzip
import hashlib
import json
import os
import shutil
import tarfile
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Final

from companion.journal.backups.backup import (
    ACCESS,
    GIVEN_UP,
    MANIFEST,
    METERS,
    ROOT,
    VERSION,
    Archived,
    Progress,
    is_kept,
)
from companion.journal.backups.pending import BEFORE, ArchiveError, Pending, Stage
from companion.journal.backups.untrusted_tar import UNREADABLE, UntrustedTar
from companion.journal.datalock import FILE_NAME as LOCK_NAME
from companion.journal.durable import DAMAGED, sync_folder, write_private
from companion.journal.store import FILE_NAME as JOURNAL_NAME
from companion.journal.store import JournalError, JournalReader, mark_restored
from companion.journal.trust.proof import Proof
from companion.journal.trust.signing import KeyUnusable
from companion.journal.verify import Verdict, verify
from companion.kernel.errors import os_reason
from companion.kernel.game import Rulebook
from companion.kernel.messages import message

MAX_BYTES: Final = 64 * 2**30  # of all files together, against decompression bombs
_BLOCK: Final = 4096  # bytes counted for every file, even an empty one
_MAX_LIST_BYTES: Final = 256 * 2**20  # of the manifest and of the access file, which are read into memory
_LOGIN_FIELDS: Final = ("sessions", "codes", "login_code")


def restore(
    archive: Path,
    data_dir: Path,
    games: Rulebook,
    *,
    force: bool = False,
    progress: Progress = lambda done, total: None,
) -> Path | None:
    """Replace the data directory by an archive's content, after checking all of it.

    Args:
        force: move existing data aside instead of refusing.
        progress: called with bytes done and total bytes.

    Returns:
        The folder to which the old data was moved, or None.

    Raises:
        ArchiveError: the archive is damaged or not a backup, or the directory is not empty; nothing was changed.
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
            made = unpack_checked(archive, fresh, games, progress)
            if (fresh / JOURNAL_NAME).exists():
                mark_restored(fresh / JOURNAL_NAME)
            pending_restore(archive, made, stage="in").write(fresh)
            for stays in (METERS, GIVEN_UP):
                with suppress(FileNotFoundError):
                    shutil.copy(data_dir / stays, fresh / stays)
            return _swap(fresh, data_dir, is_full)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
    except OSError as error:
        raise ArchiveError(f"{data_dir} cannot be restored: {error.strerror or error}. Nothing was changed.") from error


def pending_restore(archive: Path, made: Archived, stage: Stage = "ready") -> Pending:
    """Return the record by which the next startup finishes a restore and reports it in the journal.

    Args:
        stage: ``in`` if nothing is left to be moved.
    """
    entries = made.journal.entries if made.journal else 0
    return Pending(archive.name, made.made, entries, f"{BEFORE}{_stamp()}", stage)


def _stamp() -> str:
    return datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")


def _swap(fresh: Path, data_dir: Path, is_full: bool) -> Path | None:
    aside = None
    if is_full:
        aside = data_dir.with_name(f"{data_dir.name}.{BEFORE}{_stamp()}")
        data_dir.rename(aside)
    elif data_dir.exists():
        shutil.rmtree(data_dir)  # empty except for our lock
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
        ArchiveError: not a backup, damaged or truncated, or its journal is broken.
    """
    try:
        with archive.open("rb") as raw, gzip.open(raw) as plain:
            size, sums = archive.stat().st_size, {}
            room = min(MAX_BYTES, shutil.disk_usage(folder).free)
            tar = UntrustedTar(plain)
            for member in tar:
                name = _safe_name(archive, member)
                room -= member.size + _BLOCK
                if room < 0:
                    raise ArchiveError.saying(
                        "There is not enough room to unpack {file}. Make room first.", file=str(archive)
                    )
                if name in (MANIFEST, ACCESS) and member.size > _MAX_LIST_BYTES:
                    raise damaged(archive, message("{name} is too long", name=name))
                sums[name] = _extract(tar.pieces(member), folder / name)
                progress(raw.tell(), size)
            tar.finish()
    except UNREADABLE as error:
        raise ArchiveError.saying(
            "{file} is damaged or cut short ({error}). Use another backup; nothing was changed.",
            file=str(archive),
            error=str(error),
        ) from error
    except OSError as error:
        if isinstance(error, FileNotFoundError | PermissionError | IsADirectoryError):
            raise ArchiveError.saying(
                "{file} cannot be read: {why}. Check the path.", file=str(archive), why=os_reason(error)
            ) from error
        raise not_unpacked(archive, error) from error
    made = _check_manifest(archive, folder, sums)
    for name in [name for name in sums if not is_kept(name)]:
        (folder / name).unlink()
        del sums[name]
    sizes = {name: (folder / name).stat().st_size for name in sums}
    _end_sessions(folder / ACCESS)
    return Archived(sizes, made, _check_journal(archive, folder, games))


def _safe_name(archive: Path, member: tarfile.TarInfo) -> str:
    """Return a member's path below the root.

    Raises:
        ArchiveError: its path leads outside the root, or it is not a regular file.
    """
    parts = PurePosixPath(member.name).parts
    is_inside = len(parts) > 1 and parts[0] == ROOT and ".." not in parts and not {"\\", "\0"} & set(member.name)
    if not is_inside or not member.isreg() or member.issparse():
        raise ArchiveError.saying(
            "{file} holds {name}, which no backup of ours does. Nothing was changed.",
            file=str(archive),
            name=repr(member.name[:80]),
        )
    return "/".join(parts[1:])


def _extract(pieces: Iterable[bytes], path: Path) -> str:
    """Write one file; return its SHA-256 checksum."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    digest = hashlib.sha256()
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as target:
        for piece in pieces:
            digest.update(piece)
            target.write(piece)
        target.flush()
        os.fsync(target.fileno())
    return digest.hexdigest()


def _check_manifest(archive: Path, folder: Path, sums: dict[str, str]) -> str:
    """Compare the checksums with the manifest, and return the time of the backup.

    The manifest is the archive's last file, so it is missing if the archive is truncated.

    Raises:
        ArchiveError: the manifest is missing or from a newer version, or a file differs.
    """
    sums.pop(MANIFEST, None)
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
        wanted, version, made = dict(manifest["files"]), int(manifest["version"]), str(manifest["made"])
    except (OSError, *DAMAGED) as error:
        raise ArchiveError.saying(
            "{file} has no list of its files: not a backup of ours, or cut short.", file=str(archive)
        ) from error
    if version > VERSION:
        raise ArchiveError.saying(
            "{file} was made by a newer companion. Update this one, then restore.", file=str(archive)
        )
    wrong = sorted(name for name in wanted.keys() | sums.keys() if wanted.get(name) != sums.get(name))
    if wrong:
        raise damaged(archive, message("{name} is not as it was saved", name=wrong[0]))
    (folder / MANIFEST).unlink()
    return made


def _end_sessions(path: Path) -> None:
    """Remove login sessions and codes: a restore must not revive those that have ended since the backup."""
    try:
        access = json.loads(path.read_bytes())
    except (OSError, *DAMAGED):
        return  # reported by the pages
    if isinstance(access, dict) and access.keys() & set(_LOGIN_FIELDS):
        kept = {name: value for name, value in access.items() if name not in _LOGIN_FIELDS}
        write_private(path, json.dumps(kept).encode())


def _check_journal(archive: Path, folder: Path, games: Rulebook) -> Verdict | None:
    path = folder / JOURNAL_NAME
    if not path.exists():
        return None
    try:
        with JournalReader.open(path) as reader:
            verdict = verify(reader, games, Proof.beside(path, with_mark=False))
    except (JournalError, KeyUnusable) as error:
        raise ArchiveError.saying(
            "The journal in {file} cannot be used. Use another backup; nothing was changed.", file=str(archive)
        ) from error
    if verdict.wrong is not None:
        raise ArchiveError.saying(
            "The journal in {file} is broken: {wrong} Use another; nothing was changed.",
            file=str(archive),
            wrong=wrong_words(verdict),
        )
    return verdict


def wrong_words(verdict: Verdict) -> str:
    """Return the message about a broken journal: what is wrong, and where."""
    wrong = verdict.wrong or ""
    return wrong if verdict.seq is None else message("entry {seq}: {wrong}", seq=str(verdict.seq), wrong=wrong)


def damaged(archive: Path, why: str) -> ArchiveError:
    """Return the error for a damaged archive."""
    return ArchiveError.saying(
        "{file} is damaged: {why}. Use another; nothing was changed.", file=str(archive), why=why
    )


def not_unpacked(archive: Path, error: OSError) -> ArchiveError:
    """Return the error for an archive that cannot be unpacked."""
    return ArchiveError.saying(
        "{file} cannot be unpacked: {why}. Nothing was changed.", file=str(archive), why=os_reason(error)
    )
