"""What is kept in the data directory is there as a whole after a power cut, old or new."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from companion.objects.keeping import keep_folder, kept_folders

OLD, NEW = {"a.txt": b"old", "b.txt": b"old too"}, {"a.txt": b"new"}
CUT_OFF = """
import os, sys
from pathlib import Path
from companion.objects.keeping import keep_folder

rename, left = Path.rename, int(sys.argv[2])

def renamed_or_cut_off(self, target):
    global left
    if left == 0:
        os._exit(9)
    left -= 1
    return rename(self, target)

Path.rename = renamed_or_cut_off
keep_folder(Path(sys.argv[1]), {"a.txt": b"new"})
"""


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize(("renames", "kept"), [(0, OLD), (1, NEW)])
def test_a_folder_is_old_or_new_whenever_its_writer_is_killed(
    tmp_path: Path, renames: int, kept: dict[str, bytes]
) -> None:
    folder = tmp_path / "deck"
    keep_folder(folder, OLD)
    done = subprocess.run([sys.executable, "-c", CUT_OFF, str(folder), str(renames)])
    assert done.returncode == 9
    assert [(each.name, contents(each)) for each in kept_folders(tmp_path)] == [("deck", kept)]
    shutil.rmtree(folder)
    assert kept_folders(tmp_path) == [], "what is deleted comes back"
    keep_folder(folder, OLD)
    assert contents(folder) == OLD
    assert kept_folders(tmp_path) == [folder]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["deck"]


def test_the_next_write_keeps_what_the_one_before_lost_too(tmp_path: Path) -> None:
    """It may fail: then the folder must be as it was before the cut."""
    folder = tmp_path / "deck"
    keep_folder(folder, OLD)
    subprocess.run([sys.executable, "-c", CUT_OFF, str(folder), "1"])
    assert not folder.exists()
    keep_folder(folder, {"c.txt": b"third"})
    assert contents(folder) == {"c.txt": b"third"}
    assert not list(tmp_path.glob(".*"))


def test_a_folder_whose_first_write_was_cut_off_is_none(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", CUT_OFF, str(tmp_path / "deck"), "0"])
    assert kept_folders(tmp_path) == []
