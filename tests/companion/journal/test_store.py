"""The journal: a hash chain on disk, exact about any fault."""

import os
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from companion.journal.hash_chain import Draft, Entry, HashChain, entry_hash, genesis
from companion.journal.store import Journal, JournalError, JournalReader, mark_restored
from companion.journal.trust.mark import mark_path
from companion.journal.trust.signing import KeyBook

NOON = datetime(2026, 5, 1, 12, 0, 0, 123_000, tzinfo=UTC)


def draft(text: str, key: str | None = None) -> Draft:
    return Draft("notice", 1, "test", f'{{"text":"{text}"}}', key=key)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.sqlite3"


@pytest.fixture
def journal(path: Path) -> Iterator[Journal]:
    with Journal.open(path, clock=lambda: NOON, new_id=lambda: "table-1") as opened:
        yield opened


def read(path: Path) -> list[Entry]:
    with JournalReader.open(path) as reader:
        return list(reader.entries())


def tamper(path: Path, sql: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(sql, values)


def broken(path: Path) -> str:
    with JournalReader.open(path) as reader:
        return str(next(filter(None, map(HashChain(genesis(reader.id)).check, reader.entries())), None))


def test_entries_come_back_as_written(journal: Journal, path: Path) -> None:
    """Appended entries are read back unchanged, numbered from 1, each with the hash of the one before."""
    first, second = journal.append([draft("a", "key-a"), draft("ö — 🂡")])
    assert read(path) == [first, second]
    assert (first.seq, first.prev, first.at) == (1, genesis("table-1"), "2026-05-01T12:00:00.123Z")
    assert (second.seq, second.prev) == (2, first.hash)
    assert broken(path) == "None"


def test_the_same_entries_give_the_same_hashes(tmp_path: Path) -> None:
    """With the same clock and id, a journal is identical to the last character; another id gives another chain."""
    heads = []
    for place, name in enumerate(("one", "one", "two")):
        with Journal.open(tmp_path / f"{place}", clock=lambda: NOON, new_id=lambda name=name: name) as journal:
            journal.append([draft("a")])
            heads.append(journal.head.hash)
    assert heads[0] == heads[1] != heads[2]


def test_goes_on_where_it_stopped(journal: Journal, path: Path) -> None:
    """A reopened journal is chained to its last entry."""
    journal.append([draft("a")])
    journal.close()
    with Journal.open(path, clock=lambda: NOON) as again:
        again.append([draft("b")])
    assert [e.seq for e in read(path)] == [1, 2]
    assert broken(path) == "None"


def test_an_entry_is_found_by_its_key(journal: Journal) -> None:
    """A client's key leads to its entry; an unknown key to none."""
    (entry,) = journal.append([draft("a", "key-a")])
    assert journal.by_key("key-a") == entry
    assert journal.by_key("key-b") is None


def test_nothing_of_a_group_is_written_if_one_cannot(journal: Journal, path: Path) -> None:
    """A group is written entirely or not at all, and the journal remains usable."""
    journal.append([draft("a", "same")])
    with pytest.raises(JournalError, match="cannot be used"):
        journal.append([draft("b"), draft("c", "same")])
    assert [e.seq for e in read(path)] == [1]
    journal.append([draft("d")])
    assert broken(path) == "None"


def test_durability_settings(journal: Journal) -> None:
    """WAL mode, and every commit waits for the disk."""
    asked = {
        name: journal._connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")
    }
    assert asked == {"journal_mode": "wal", "synchronous": 2}


def test_only_the_owner_may_read(journal: Journal, path: Path) -> None:
    """The journal contains names and coins: the file and SQLite's helper files are readable by their owner only."""
    journal.append([draft("a")])
    assert {p.name: p.stat().st_mode & 0o777 for p in path.parent.iterdir()} == dict.fromkeys(
        (
            "journal.sqlite3",
            "journal.sqlite3-wal",
            "journal.sqlite3-shm",
            "signing-journal.key",
            "latest-journal.mark",
        ),
        0o600,
    )


# ---- broken chains


@pytest.fixture
def three(journal: Journal, path: Path) -> Path:
    journal.append([draft("a", "key-a"), draft("b"), draft("c")])
    journal.close()
    return path


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("at", "2026-05-01T12:00:00.124Z"),
        ("session", 2),
        ("kind", "command"),
        ("source", "dealer"),
        ("key", "other"),
        ("record", '{"text":"B"}'),
        ("events", "[1]"),
        ("hash", "0" * 64),
    ],
)
def test_an_altered_entry_is_named(three: Path, column: str, value: object) -> None:
    """An alteration is found at the entry, whatever was altered."""
    tamper(three, f"UPDATE entry SET {column} = ? WHERE seq = 2", value)
    assert broken(three).startswith("entry 2: its contents were altered: they hash to ")


def test_a_missing_entry_is_named(three: Path) -> None:
    """A deleted entry leaves a gap."""
    tamper(three, "DELETE FROM entry WHERE seq = 2")
    assert broken(three) == "entry 3: entry 2 is missing before it"


def test_a_missing_beginning_is_named(three: Path) -> None:
    """The chain starts at entry 1."""
    tamper(three, "DELETE FROM entry WHERE seq = 1")
    assert broken(three) == "entry 2: entry 1 is missing before it"


def test_an_entry_written_anew_breaks_the_next_link(three: Path) -> None:
    """Altering an entry together with its hash only moves the break to the next entry."""
    entry = read(three)[1]
    text = '{"text":"forged"}'
    forged = entry_hash(entry.prev, 2, entry.at, entry.session, entry.kind, entry.source, entry.key, text, entry.events)
    tamper(three, "UPDATE entry SET record = ?, hash = ? WHERE seq = 2", text, forged)
    assert broken(three) == (
        f"entry 3: it does not follow entry 2: it names {entry.hash[:12]}… as the hash before it, "
        f"which is {forged[:12]}…"
    )


# ---- files and disks that cannot be used


def refusal(path: Path) -> str:
    with pytest.raises(JournalError) as caught:
        Journal.open(path)
    return str(caught.value)


def test_a_newer_journal_is_left_alone(three: Path) -> None:
    """A journal of a later version asks for an update, and not a byte of it changes."""
    tamper(three, "PRAGMA user_version = 7")
    before = three.read_bytes()
    assert refusal(three) == (
        f"The journal {three} was written by a newer companion (version 7, this one knows 3). "
        "Update the companion; the journal is left as it is."
    )
    assert three.read_bytes() == before


def test_an_older_journal_is_left_alone(three: Path) -> None:
    """A journal from before decisions had a common form says what to do, to readers too; nothing changes."""
    tamper(three, "PRAGMA user_version = 1")
    before = three.read_bytes()
    said = (
        f"The journal {three} is from before the first release (version 1, this one knows 3) and cannot be read any "
        "more. Move it out of the data directory; a new one begins with everybody's buy-in."
    )
    assert refusal(three) == said
    with pytest.raises(JournalError) as caught:
        JournalReader.open(three)
    assert str(caught.value) == said
    assert three.read_bytes() == before


def test_another_programs_file_is_left_alone(path: Path) -> None:
    """An SQLite file of another program is not taken over."""
    tamper(path, "CREATE TABLE songs (name)")
    assert refusal(path) == f"{path} is an SQLite file of something else, not a journal. Move it out of the way."


def test_a_file_that_is_no_database(path: Path) -> None:
    """Any other file is reported as damaged, and left unchanged."""
    path.write_text("These are not the bytes you are looking for.\n" * 100)
    before = path.read_bytes()
    assert "the file is damaged (file is not a database). Nothing was changed." in refusal(path)
    assert path.read_bytes() == before


def test_a_damaged_page_is_told(journal: Journal, path: Path) -> None:
    """A file with an overwritten page gives an exact error when it is read."""
    journal.append([draft("x" * 500) for _ in range(200)])
    journal.close()
    data = bytearray(path.read_bytes())
    data[12 * 4096 : 13 * 4096] = os.urandom(4096)
    path.write_bytes(data)
    with JournalReader.open(path) as reader, pytest.raises(JournalError, match="the file is damaged"):
        list(reader.entries())


def test_no_journal_to_read(path: Path) -> None:
    """Reading does not create a journal."""
    with pytest.raises(JournalError, match="There is no journal"):
        JournalReader.open(path)
    assert not path.exists()


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    """A path through a file is reported with the system's own reason."""
    (tmp_path / "file").write_text("")
    assert "Not a directory" in refusal(tmp_path / "file" / "journal.sqlite3")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system of 1 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], capture_output=True)
    if mounted.returncode:
        pytest.skip("mounting needs root")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def fill_up(ballast: Path) -> None:
    with ballast.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(b"x" * 512)


def test_a_full_disk_loses_nothing(small_disk: Path) -> None:
    """On a full disk an append is refused and earlier entries remain; with space again it works."""
    path = small_disk / "journal.sqlite3"
    with Journal.open(path) as journal:
        journal.append([draft("kept")])
        ballast = small_disk / "ballast"
        fill_up(ballast)
        with pytest.raises(JournalError, match="the disk is full"):
            journal.append([draft("y" * 5000) for _ in range(5)])
        assert [e.seq for e in read(path)] == [1]
        ballast.unlink()
        journal.append([draft("after")])
    assert [e.record for e in read(path)] == ['{"text":"kept"}', '{"text":"after"}']
    assert broken(path) == "None"


def test_a_read_only_disk_is_found_at_the_start(small_disk: Path) -> None:
    """A journal on a disk that became read-only is refused at startup, not at the first bet."""
    path = small_disk / "journal.sqlite3"
    Journal.open(path).close()
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    assert refusal(path) == (
        f"The journal {path} cannot be written: Read-only file system. Fix this, then start the table again."
    )


def test_a_file_of_somebody_else_is_not_called_a_read_only_disk(three: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companion.journal.sqlite_file.os.access", lambda path, mode: False)  # root may do all
    assert refusal(three) == (
        f"The journal {three} cannot be written: Permission denied. Fix this, then start the table again."
    )


def test_only_a_nearly_full_disk_is_written_to_for_a_look(journal: Journal, path: Path, small_disk: Path) -> None:
    """With more than a megabyte free, no test write is made, so a program that holds the file does no harm."""
    with Journal.open(small_disk / "journal.sqlite3") as cramped:
        for one in (journal, cramped):
            one._connection.execute("PRAGMA busy_timeout=0")
            with closing(sqlite3.connect(one.path, isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                if one is journal:
                    one.check()
                else:
                    with pytest.raises(JournalError, match="another program holds it"):
                        one.check()
        cramped.check()


def test_a_restored_journal_has_a_second_place_unless_a_strange_key_signed_it(journal: Journal, path: Path) -> None:
    """The table's former keys are not strange, even if they have signed nothing in this journal."""
    journal.append([draft("a")])
    journal.close()
    book = KeyBook.beside(path)
    replace(book, former=("ab" * 32,)).write()
    mark_restored(path)
    assert mark_path(path).exists()
    replace(book, seed=b"\2" * 32).write()
    mark_restored(path)
    assert not mark_path(path).exists()


def test_how_far_a_copy_is_told_in_pages(journal: Journal, path: Path, tmp_path: Path) -> None:
    """With several steps, the first is not the whole copy; the last is."""
    journal.append([draft("x" * 1_000_000) for _ in range(9)])
    told: list[tuple[int, int]] = []
    with JournalReader.open(path) as reader:
        reader.copy_to(tmp_path / "copy.sqlite3", lambda done, total: told.append((done, total)))
    pages = (tmp_path / "copy.sqlite3").stat().st_size // 4096
    assert told == [(2000, pages), (pages, pages)]


def test_a_copy_is_whole_while_writing_goes_on(journal: Journal, path: Path, tmp_path: Path) -> None:
    """A copy made while the journal is open is a single consistent file."""
    journal.append([draft("a"), draft("b")])
    copy = tmp_path / "copy.sqlite3"
    with JournalReader.open(path) as reader:
        reader.copy_to(copy)
    journal.append([draft("c")])
    assert [e.seq for e in read(copy)] == [1, 2]
    assert broken(copy) == "None"
    assert not (tmp_path / "copy.sqlite3-wal").exists()
