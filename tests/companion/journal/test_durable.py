"""Small files are replaced durably and atomically."""

import errno
import os
from pathlib import Path

import pytest

from companion.journal.datalock import DataDirBusy, hold_data_dir, is_held
from companion.journal.durable import small_text, write_private


def test_a_file_is_written_over_whole_for_its_owner_alone(tmp_path: Path) -> None:
    for data in (b"a long secret", b"short"):
        write_private(tmp_path / "key", data)
        assert (tmp_path / "key").read_bytes() == data
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["key"]


def test_a_draft_that_was_left_or_planted_is_taken_away(tmp_path: Path) -> None:
    (tmp_path / "key.tmp").symlink_to(tmp_path / "elsewhere")
    write_private(tmp_path / "key", b"secret")
    assert not (tmp_path / "elsewhere").exists()
    assert not (tmp_path / "key").is_symlink()


def test_what_is_planted_in_the_last_moment_is_not_written_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the secret would end up where a planted link leads; nothing is written, and the previous file remains."""
    write_private(tmp_path / "key", b"old")
    (tmp_path / "key.tmp").symlink_to(tmp_path / "elsewhere")
    monkeypatch.setattr(Path, "unlink", lambda path, missing_ok: None)  # it is planted right behind it
    with pytest.raises(FileExistsError):
        write_private(tmp_path / "key", b"secret")
    assert not (tmp_path / "elsewhere").exists()
    assert (tmp_path / "key").read_bytes() == b"old"


def test_a_text_is_read_as_python_reads_it_and_never_without_end(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes("\ufeffä\r\nb\rc\n".encode())
    assert small_text(path, "utf-8-sig") == path.read_text(encoding="utf-8-sig")
    with pytest.raises(OSError, match="too large"):
        small_text(Path("/dev/zero"))


def test_the_data_directory_is_locked_on_a_full_disk_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise starting the table on a full disk would end with a traceback."""

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    with hold_data_dir(tmp_path):
        assert is_held(tmp_path)
        with pytest.raises(DataDirBusy, match="Another companion"), hold_data_dir(tmp_path):
            pass
    assert not is_held(tmp_path)
