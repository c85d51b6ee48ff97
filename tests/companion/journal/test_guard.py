"""Journal, high-water mark and key checked against each other, and the mark's two slots."""

import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from companion.journal.hash_chain import Head, genesis
from companion.journal.trust.guard import Guard, Trouble, compare, open_guard, replay_differs, wrong_mark
from companion.journal.trust.mark import Mark, Marked, MarkFound, mark_path, read_mark, write_mark
from companion.journal.trust.signing import KeyBook, SeedSigner, head_text

OURS, OTHER, THIRD = (SeedSigner(bytes([number]) * 32) for number in (1, 2, 3))
HASHES = ["aa" * 32, "bb" * 32, "cc" * 32]
BOOK = KeyBook(Path("signing-journal.key"), b"\1" * 32, journals={"j": 1})
HERE = Marked("j", 3, HASHES[2], "noon", 1)


@dataclass
class File:
    """Stands in for a journal's file."""

    id: str = "j"
    hashes: list[str] = field(default_factory=lambda: HASHES)
    signed: tuple[str, bytes] | None = None
    keys: frozenset[str] = frozenset({OURS.public})
    latest_at: str = "noon"

    @property
    def head(self) -> Head:
        return Head(len(self.hashes), self.hashes[-1] if self.hashes else genesis(self.id))

    def hash_at(self, seq: int) -> str | None:
        return ([genesis(self.id), *self.hashes])[seq] if seq <= len(self.hashes) else None

    def signature_at(self, seq: int) -> tuple[str, bytes] | None:
        return self.signed if seq == len(self.hashes) else None

    def signers(self) -> frozenset[str]:
        return self.keys


def by(signer: SeedSigner, last: int = 3) -> tuple[str, bytes]:
    return signer.public, signer.sign(head_text("j", Head(last, HASHES[last - 1])))


def found(latest: Marked | None = HERE, *, is_torn: bool = False, exists: bool = True) -> MarkFound:
    return MarkFound(latest, is_torn, exists)


# ---- the second place


@pytest.mark.parametrize(
    ("mark", "state", "first", "last", "told"),
    [
        (found(), None, None, None, ""),
        (found(Marked("j", 2, HASHES[1], "", 1)), None, None, None, ""),
        (found(Marked("j", 0, genesis("j"), "", 1)), None, None, None, ""),
        (found(Marked("j", 5, "ee" * 32, "noon", 1)), "tail-lost", 4, 5,
         "it has 3 entries, but 5 were acknowledged, the latest at noon. Missing: 4 to 5. "),
        (found(Marked("j", 3, "ee" * 32, "", 1)), "rewritten", None, 3, "Entry 3 of the journal is not the one that"),
        (found(Marked("k", 7, "ee" * 32, "noon", 1)), "journal-missing", 1, 7,
         "is gone: 7 entries, the latest written at noon. The one that lies in its place has 3."),
        (found(Marked("k", 0, "ee" * 32, "", 1)), None, None, None, ""),
        (found(is_torn=True), "mark-missing", None, None, "is damaged, so entries behind 3 may be missing"),
        (found(Marked("j", 2, HASHES[1], "", 1), is_torn=True), None, None, None, ""),
        (found(None), "mark-missing", None, None, "is damaged, or was written with another key"),
        (found(None, exists=False), "mark-missing", None, None, "goes is gone: whether entries"),
    ],
)  # fmt: skip
def test_a_journal_and_its_second_place(
    mark: MarkFound, state: str | None, first: int | None, last: int | None, told: str
) -> None:
    trouble = wrong_mark(File(), BOOK, mark)
    if state is None:
        assert trouble is None
        return
    assert trouble is not None
    assert (trouble.state, trouble.first, trouble.last) == (state, first, last)
    assert told in trouble.text
    assert trouble.text.endswith(
        "Restore a backup; or accept the loss on the dealer's page or with `companion journal accept`."
    )
    assert trouble.hash == (mark.latest.hash if mark.latest and state != "mark-missing" else None)


def test_a_journal_that_was_never_signed_needs_no_second_place() -> None:
    fresh = KeyBook(BOOK.path)
    assert wrong_mark(File(), fresh, found(None, exists=False)) is None
    another = KeyBook(BOOK.path, journals={"k": 1})
    trouble = wrong_mark(File(), another, found(None, exists=False))
    assert trouble is not None
    assert (trouble.state, trouble.first, trouble.last) == ("journal-missing", None, None)
    assert trouble.text.startswith("The journal of this table is gone, another one lies in its place.")


# ---- key and signature


@pytest.mark.parametrize(
    ("file", "book", "state"),
    [
        (File(signed=by(OURS)), BOOK, None),
        (File(signed=by(OTHER)), BOOK, "rewritten"),
        (File(signed=(OURS.public, by(OTHER)[1])), BOOK, "rewritten"),
        (File(signed=by(OURS, 2)), BOOK, "rewritten"),
        (File(signed=None), BOOK, "rewritten"),
        (File(signed=by(OTHER)), KeyBook(BOOK.path, b"\1" * 32, (OTHER.public,), {"j": 1}), "rewritten"),
        (File(signed=by(THIRD)), KeyBook(BOOK.path, b"\1" * 32, (THIRD.public,), {"j": 1}), "rewritten"),
        (File(signed=None), KeyBook(BOOK.path, b"\1" * 32, journals={"j": 4}), None),
        (File(signed=None), KeyBook(BOOK.path, b"\1" * 32, journals={"j": 3}), "rewritten"),
        (File(signed=by(OURS)), KeyBook(BOOK.path, None, journals={"j": 1}), "key-missing"),
        (File(signed=by(OURS)), KeyBook(BOOK.path), "key-missing"),
        (File(signed=by(OURS), keys=frozenset({OTHER.public})), KeyBook(BOOK.path, b"\1" * 32), "key-missing"),
        (File(signed=None, keys=frozenset()), KeyBook(BOOK.path), None),
        (File(signed=None, keys=frozenset()), KeyBook(BOOK.path, b"\1" * 32, journals={"k": 1}), None),
        (File(hashes=[], keys=frozenset({OTHER.public})), KeyBook(BOOK.path), None),
    ],
)
def test_the_last_entry_is_signed_with_the_key_in_use(file: File, book: KeyBook, state: str | None) -> None:
    mark = found(Marked("j", len(file.hashes), file.head.hash, "", 1))
    trouble = compare(file, book, mark, book.signer())
    assert (None if trouble is None else trouble.state) == state
    if state == "rewritten":
        assert trouble is not None
        assert (trouble.last, trouble.first) == (3, None)
        assert trouble.text.startswith("The journal's last entry, 3, is not signed with this table's key")
    if state == "key-missing":
        assert trouble is not None
        assert trouble.text.startswith("The key with which this journal was signed is gone. Restore a backup;")


def test_the_second_place_is_told_first() -> None:
    trouble = compare(File(signed=None), BOOK, found(None), BOOK.signer())
    assert trouble is not None
    assert trouble.state == "mark-missing"


def test_what_ends_by_itself_cannot_be_accepted() -> None:
    assert not Trouble("gone", "").can_accept
    assert not Trouble("unsaved", "").can_accept
    assert Trouble("tail-lost", "").can_accept
    assert Trouble("tail-lost", "", 4, 6, "ab").to_json() == {"state": "tail-lost", "first": 4, "last": 6, "head": "ab"}
    assert Trouble("gone", "").to_json() == {"state": "gone"}


def test_a_replay_that_differs_names_the_entry() -> None:
    trouble = replay_differs(7, "moves other coins")
    assert (trouble.state, trouble.last, trouble.first) == ("replay-differs", 7, None)
    assert trouble.text.startswith("Entry 7 of the journal says something else than the rules that wrote it: it moves")


# ---- guarding


def test_a_guard_makes_key_and_second_place_and_signs_from_the_next_entry_on(tmp_path: Path) -> None:
    path, file = tmp_path / "journal.sqlite3", File(keys=frozenset())
    guard = open_guard(path, file)
    assert guard.trouble is None
    book = KeyBook.beside(path)
    signer = book.signer()
    assert signer is not None
    assert dict(book.journals) == {"j": 4}
    assert read_mark(mark_path(path), signer.mac) == MarkFound(Marked("j", 3, HASHES[2], "noon", 1), False, True)
    head = Head(4, "dd" * 32)
    guard.committed(head, "later")
    assert read_mark(mark_path(path), signer.mac) == MarkFound(Marked("j", 4, "dd" * 32, "later", 2), False, True)
    assert guard.signature(head) == (signer.public, signer.sign(head_text("j", head)))
    assert guard.code(b"text") == signer.mac(b"text")
    guard.close()
    guard.close()
    again = open_guard(
        path, File(hashes=[*HASHES, "dd" * 32], signed=guard.signature(head), keys=frozenset({signer.public}))
    )
    assert again.trouble is None
    assert read_mark(mark_path(path), signer.mac).latest == Marked(
        "j", 4, "dd" * 32, "later", 2
    )  # nothing was to be said
    again.committed(Head(5, "ee" * 32), "last")
    assert read_mark(mark_path(path), signer.mac).latest == Marked("j", 5, "ee" * 32, "last", 3)
    again.close()


def test_a_second_place_that_is_behind_is_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite3"
    KeyBook(path.with_name("signing-journal.key"), b"\1" * 32, journals={"j": 1}).write()
    write_mark(mark_path(path), Marked("j", 2, HASHES[1], "morning", 7), OURS.mac)
    guard = open_guard(path, File(signed=by(OURS)))
    assert guard.trouble is None
    assert read_mark(mark_path(path), OURS.mac).latest == Marked("j", 3, HASHES[2], "noon", 8)
    guard.close()


def test_a_guard_in_trouble_writes_nothing(tmp_path: Path) -> None:
    guard = Guard(tmp_path / "journal.sqlite3", KeyBook(tmp_path / "k"), File(), Trouble("tail-lost", ""))
    assert guard.signature(Head(1, "")) is None
    assert guard.code(b"x") == ""
    guard.committed(Head(4, "dd" * 32), "later")
    assert list(tmp_path.iterdir()) == []


# ---- the two slots


def test_the_slots_are_written_in_turn_and_a_torn_one_leaves_the_other(tmp_path: Path) -> None:
    """Even if the first write had an even counter, the next one goes into the other slot."""
    path = tmp_path / "mark"
    for turn in (1, 2, 3):
        write_mark(path, Marked("j", 1, "aa", "", turn), OURS.mac)
        assert path.stat().st_size == 8192
        mark = Mark(path, turn, OURS.mac)
        for more in (1, 2, 3):
            before = path.read_bytes()
            mark.write("j", Head(1 + more, "bb"), f"at {more}")
            newest = Marked("j", 1 + more, "bb", f"at {more}", turn + more)
            assert read_mark(path, OURS.mac) == MarkFound(newest, False, True)
            changed = [at for at in (0, 1) if path.read_bytes()[at * 4096 :][:4096] != before[at * 4096 :][:4096]]
            assert len(changed) == 1
            torn = bytearray(path.read_bytes())
            torn[changed[0] * 4096 + 70] ^= 1
            (tmp_path / "torn").write_bytes(torn)
            left = read_mark(tmp_path / "torn", OURS.mac)
            assert (left.is_torn, left.exists) == (True, True)
            assert left.latest is not None
            assert left.latest.turn == turn + more - 1
        mark.close()


def test_a_mark_is_read_without_the_key_but_not_with_another(tmp_path: Path) -> None:
    path = tmp_path / "mark"
    write_mark(path, HERE, OURS.mac)
    assert read_mark(path, None).latest == read_mark(path, OURS.mac).latest == HERE
    assert read_mark(path, OTHER.mac) == MarkFound(None, True, True)
    assert read_mark(tmp_path / "none", OURS.mac) == MarkFound(None, False, False)
    path.write_bytes(b"")
    assert read_mark(path, OURS.mac) == MarkFound(None, True, True)
    assert HERE.head == Head(3, HASHES[2])
    assert mark_path(Path("/data/journal.sqlite3")) == Path("/data/latest-journal.mark")
    write_mark(path, HERE, OURS.mac)
    assert path.stat().st_mode & 0o777 == 0o600
    told = json.loads(path.read_bytes().strip(b"\0").split(b" ", 1)[1])
    assert told == {"journal": "j", "seq": 3, "hash": HASHES[2], "at": "noon", "turn": 1}
