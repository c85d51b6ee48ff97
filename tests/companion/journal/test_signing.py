"""The signing key's file: its content, damage to it, and a key from the service manager."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from companion.journal.hash_chain import Head
from companion.journal.trust.signing import (
    HeadCheck,
    KeyBook,
    KeyUnusable,
    SeedSigner,
    brief,
    head_text,
)

SEED = b"\1" * 32
OURS, OTHER = SeedSigner(SEED), SeedSigner(b"\2" * 32)


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("CREDENTIALS_DIRECTORY", raising=False)
    return tmp_path / "journal.sqlite3"


def write(journal: Path, **told: object) -> None:
    whole = {"private": SEED.hex(), "former": [], "journals": {"j": 1}, **told}
    journal.with_name("signing-journal.key").write_text(json.dumps(whole))


def test_a_head_is_signed_with_its_journal_number_and_hash() -> None:
    head = Head(7, "ab" * 32)
    assert head_text("j", head) == b"companion head j 7 " + b"ab" * 32
    signature = OURS.sign(head_text("j", head))
    check = HeadCheck("j")
    assert [check.is_right(head, OURS.public, signature) for _ in range(2)] == [True, True]
    assert not check.is_right(Head(8, head.hash), OURS.public, signature)
    assert not check.is_right(head, OTHER.public, signature)
    assert not check.is_right(head, OURS.public, signature[:-1])
    assert not HeadCheck("k").is_right(head, OURS.public, signature)
    assert not check.is_right(head, "no key", signature)
    assert not check.is_right(head, "ab", signature)


def test_a_code_needs_the_key() -> None:
    assert OURS.mac(b"a") == SeedSigner(SEED).mac(b"a") != OTHER.mac(b"a")
    assert OURS.mac(b"a") != OURS.mac(b"b")
    assert len(OURS.mac(b"a")) == 64


def test_a_key_is_shown_in_fours() -> None:
    assert brief("0123456789abcdef" * 4) == "0123 4567 89ab cdef"


def test_no_file_is_an_empty_book(journal: Path) -> None:
    book = KeyBook.beside(journal)
    assert (book.seed, book.former, dict(book.journals), book.is_external) == (None, (), {}, False)
    assert book.path == journal.with_name("signing-journal.key")
    assert book.is_empty
    assert book.signer() is None
    assert book.trusted() == frozenset()


def test_a_book_comes_back_as_it_was_written(journal: Path) -> None:
    book = KeyBook.beside(journal).with_key(lambda size: bytes([size]) * size)
    assert book.seed == b"\x20" * 32
    assert book.with_key() is book
    book = book.signing("j", 4, frozenset({"b", "a"}))
    book.write()
    assert KeyBook.beside(journal) == book
    assert book.path.stat().st_mode & 0o777 == 0o600
    assert (book.former, dict(book.journals), book.is_empty) == (("a", "b"), {"j": 4}, False)
    signer = book.signer()
    assert signer is not None
    assert book.trusted() == {"a", "b", signer.public}
    assert book.signing("k", 9, frozenset({"a", "c"})).former == ("a", "b", "c")
    assert dict(book.signing("k", 9).journals) == {"j": 4, "k": 9}


@pytest.mark.parametrize(
    "told",
    [
        {"private": "xyz"}, {"private": "ab" * 31}, {"private": "ab" * 33}, {"private": 5}, {"former": 5},
        {"journals": [1]}, {"journals": {"j": "x"}}, {"journals": None},
    ],
)  # fmt: skip
def test_a_damaged_book_is_told(journal: Path, told: dict[str, object]) -> None:
    write(journal, **told)
    with pytest.raises(KeyUnusable, match=r"signing-journal\.key is damaged\. Bring it back from a backup\."):
        KeyBook.beside(journal)


def test_a_book_that_cannot_be_read_is_told(journal: Path) -> None:
    journal.with_name("signing-journal.key").mkdir()
    with pytest.raises(
        KeyUnusable, match=r"cannot be read: Is a directory\. Only the user who runs the table may; give"
    ):
        KeyBook.beside(journal)


def test_a_book_without_the_secret_verifies_but_signs_nothing(journal: Path) -> None:
    write(journal, private=None, former=["ab"])
    book = KeyBook.beside(journal)
    assert (book.signer(), book.trusted(), book.is_empty) == (None, {"ab"}, False)


def test_the_service_managers_key_is_in_no_file(journal: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    handed = journal.parent / "credentials"
    handed.mkdir()
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(handed))
    assert KeyBook.beside(journal).seed is None  # nothing is handed over
    (handed / "journal-signing-key").write_text(f" {SEED.hex()}\n")
    book = KeyBook.beside(journal)
    assert (book.seed, book.is_external) == (SEED, True)
    book = book.signing("j", 1)
    assert book.former == (OURS.public,)  # who has only the files still knows the public key
    book.write()
    assert json.loads(book.path.read_text()) == {"private": None, "former": [OURS.public], "journals": {"j": 1}}
    assert KeyBook.beside(journal) == book
    write(journal, private="02" * 32)
    assert KeyBook.beside(journal).seed == SEED  # it goes before the file's own
    (handed / "journal-signing-key").write_text("no key")
    with pytest.raises(KeyUnusable, match="The credential journal-signing-key is no key: it is 64 hexadecimal digits"):
        KeyBook.beside(journal)
    (handed / "journal-signing-key").write_text("ab")
    with pytest.raises(KeyUnusable, match="is damaged"):
        KeyBook.beside(journal)


def test_a_key_in_the_file_is_not_named_as_a_former_one(journal: Path) -> None:
    write(journal)
    assert KeyBook.beside(journal).signing("k", 2).former == ()
    assert replace(KeyBook.beside(journal), seed=None).signing("k", 2).former == ()
