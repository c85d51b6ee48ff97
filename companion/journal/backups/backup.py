"""Backs up the whole data directory into one tar.gz, consistently even while the table runs."""

import hashlib
import io
import json
import os
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from companion.journal.backups.pending import BEFORE, PENDING, RESTORED, ArchiveError
from companion.journal.datalock import FILE_NAME as LOCK_NAME
from companion.journal.durable import sync_folder
from companion.journal.seals import ENDING as SEAL_ENDING
from companion.journal.store import FILE_NAME as JOURNAL_NAME
from companion.journal.store import JournalReader
from companion.journal.trust.mark import mark_path
from companion.journal.trust.proof import Proof
from companion.journal.verify import Verdict, verify
from companion.kernel.errors import os_reason
from companion.kernel.game import Rulebook

ROOT: Final = "companion"
MANIFEST: Final = "MANIFEST.json"
VERSION: Final = 1
BACKUPS: Final = "backups"
"""Folder of backups in the data directory; left out of backups."""
ACCESS: Final = "access.json"
"""The pages' PINs, login sessions and codes."""
METERS: Final = "meters.json"
"""The lifetime meters: a restore leaves them in place."""
GIVEN_UP: Final = "given-up.json"
"""Refused buy-ins not yet reported to the house's floor: left out of backups, and left in place by a restore."""
_EXCLUDED: Final = (LOCK_NAME, f"{JOURNAL_NAME}-wal", f"{JOURNAL_NAME}-shm")
_COPY_PREFIX: Final = ".backup-"
"""Prefix of the temporary folder for the journal's copy, which may be in the data directory."""
_EXCLUDED_SUFFIXES: Final = (".draft", ".shortcut", ".tmp", SEAL_ENDING, mark_path(Path(JOURNAL_NAME)).suffix)

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Archived:
    """The contents of an archive: files with their sizes, and the state of its journal."""

    files: Mapping[str, int]
    made: str
    journal: Verdict | None


# ---- creating a backup


def make_backup(
    data_dir: Path, target: Path, games: Rulebook, progress: Progress = lambda done, total: None
) -> Archived:
    """Write the data directory to the archive ``target``, atomically and readable by its owner only.

    Args:
        progress: called with bytes done and total bytes.

    Raises:
        ArchiveError: there is no data, or the target cannot be written.
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
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=_COPY_PREFIX) as folder:
            made = _write(data_dir, draft, Path(folder), games, progress)
        draft.replace(target)
        sync_folder(target.parent)
    except OSError as error:
        raise ArchiveError.saying(
            "The backup {file} cannot be written: {why}. Fix this, or choose another place for it.",
            file=str(target),
            why=os_reason(error),
        ) from error
    finally:
        draft.unlink(missing_ok=True)
    return made


def _write(data_dir: Path, draft: Path, folder: Path, games: Rulebook, progress: Progress) -> Archived:
    verdict, copy = None, folder / JOURNAL_NAME
    if (data_dir / JOURNAL_NAME).exists():
        with JournalReader.open(data_dir / JOURNAL_NAME) as reader:
            reader.copy_to(copy)
        with JournalReader.open(copy) as reader:
            verdict = verify(reader, games, Proof.beside(data_dir / JOURNAL_NAME, with_mark=False))
    files = dict(_files(data_dir))  # after the journal, so that files its latest entries refer to exist
    if copy.exists():
        files[JOURNAL_NAME] = copy
    sizes, sums = {}, {}
    total, done = sum(_size(path) for path in files.values()), 0
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as raw, tarfile.open(fileobj=raw, mode="w:gz", compresslevel=6) as tar:
        for name, path in sorted(files.items()):
            try:
                data = path.read_bytes()
            except FileNotFoundError:  # the evidence ring may delete its oldest meanwhile
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
    """Yield archive name and path of the files to back up, except the journal. Symbolic links are skipped."""
    for path in sorted(data_dir.rglob("*")):
        name = path.relative_to(data_dir).as_posix()
        if path.is_symlink() or not path.is_file():
            continue
        if name != JOURNAL_NAME and is_kept(name):
            yield name, path


def is_kept(name: str) -> bool:
    """Whether a file of the data directory belongs in a backup, and may be restored from one.

    A manipulated backup must not plant a pending restore, or a checkpoint that startup would trust.
    """
    first, last = name.partition("/")[0], name.rpartition("/")[2]
    if first in (BACKUPS, GIVEN_UP, PENDING, RESTORED) or first.startswith(BEFORE):
        return False
    if any(part.startswith(_COPY_PREFIX) for part in name.split("/")):
        return False
    return name not in _EXCLUDED and not last.endswith(_EXCLUDED_SUFFIXES) and not last.startswith(".")


def _size(path: Path) -> int:
    with suppress(FileNotFoundError):
        return path.stat().st_size
    return 0


def _add(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    info = tarfile.TarInfo(f"{ROOT}/{name}")
    info.size, info.mode, info.mtime = len(data), 0o600, int(datetime.now(UTC).timestamp())
    tar.addfile(info, io.BytesIO(data))
