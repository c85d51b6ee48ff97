"""The checks beyond the chain, one by one: losses, heads, signatures, witnesses, receipt codes."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from companion.journal.hash_chain import Entry, Head, genesis
from companion.journal.trust.mark import Marked, MarkFound
from companion.journal.trust.proof import (
    Loss,
    Proof,
    ReceiptCode,
    Signatures,
    VerifiedChain,
    key_trouble,
    unexplained_key,
    witness_trouble,
)
from companion.journal.trust.signing import KeyBook, SeedSigner, brief, head_text
from companion.journal.trust.witness import Statement

OURS, OTHER = SeedSigner(b"\1" * 32), SeedSigner(b"\2" * 32)
HASHES = ["aa" * 32, "bb" * 32, "cc" * 32]
WALKED = VerifiedChain("j", HASHES)
BOOK = KeyBook(Path("signing-journal.key"), b"\1" * 32, journals={"j": 1})


def signed(seq: int, signer: SeedSigner = OURS) -> tuple[str, bytes]:
    return signer.public, signer.sign(head_text("j", Head(seq, HASHES[seq - 1])))


def statement(seq: int, digest: str | None = None, signer: SeedSigner = OURS, journal: str = "j") -> Statement:
    digest = digest or HASHES[seq - 1]
    signature = signer.sign(head_text(journal, Head(seq, digest))).hex()
    return Statement(journal, seq, digest, f"at {seq}", signer.public, signature)


def notice(data: object, kind: str = "notice") -> Entry:
    return Entry(9, "now", 1, kind, "dealer", None, json.dumps({"data": data}), "[]", "", "")  # type: ignore[arg-type]


# ---- losses


def test_a_loss_is_read_from_the_entry_that_accepts_it() -> None:
    told = {"loss": {"state": "tail-lost", "first": 4, "last": 6, "head": "ab"}}
    assert Loss.of(notice(told)) == Loss(9, "now", "tail-lost", 4, 6)
    assert Loss.of(notice(told, "command")) is None
    assert Loss.of(notice({"loss": "all of it"})) is None
    assert Loss.of(notice({"gain": 5})) is None
    assert Loss.of(notice({"loss": {}})) == Loss(9, "now", "None")


@pytest.mark.parametrize(
    ("state", "first", "last", "covered"),
    [
        ("tail-lost", 4, 6, [4, 5, 6]),
        ("rewritten", None, 3, [1, 2, 3]),
        ("rewritten", 2, None, []),
        ("mark-missing", 1, 9, []),
        ("key-missing", None, 9, []),
    ],
)
def test_a_loss_covers_what_was_given_up(state: str, first: int | None, last: int | None, covered: list[int]) -> None:
    loss = Loss(9, "now", state, first, last)
    assert [seq for seq in range(11) if loss.covers(seq)] == covered
    assert [seq for seq in range(11) if VerifiedChain("j", HASHES, [loss]).is_loss_accepted(seq)] == covered


def test_a_loss_is_told_with_its_entries_or_its_kind() -> None:
    assert Loss(9, "noon", "tail-lost", 4, 6).words == "entries 4 to 6, by entry 9 of noon"
    assert Loss(9, "noon", "key-missing").words == "key-missing, by entry 9 of noon"


def test_another_key_begins_only_with_a_loss() -> None:
    """Accepted after the old key's last entry and at the latest by the new key's first, or a loss that covers it."""
    changes = [(5, 7)]
    for accepted, explained in ((5, False), (6, True), (7, True), (8, False)):
        assert (unexplained_key(changes, [Loss(accepted, "", "key-missing")]) is None) is explained
    assert unexplained_key(changes, [Loss(20, "", "rewritten", None, 7)]) is None
    assert unexplained_key(changes, [Loss(20, "", "rewritten", None, 6)]) == 7
    assert unexplained_key([(5, 7), (9, 10)], [Loss(6, "", "key-missing")]) == 10
    assert unexplained_key([], []) is None
    trouble = key_trouble(changes, [])
    assert trouble is not None
    assert (trouble.state, trouble.last, trouble.first) == ("rewritten", 7, None)
    assert trouble.text.startswith("From entry 7 on another key signs the journal")
    assert key_trouble([], []) is None


# ---- the chain that was followed


def test_a_walked_journal_knows_its_hashes() -> None:
    assert WALKED.head == Head(3, HASHES[2])
    assert [WALKED.hash_at(seq) for seq in range(-1, 5)] == [None, genesis("j"), *HASHES, None]
    assert VerifiedChain("j", []).head == Head(0, genesis("j"))


# ---- signatures


UNSIGNED = "entries 1 to 3 are not signed: the table did not write them."


def followed(of: dict[int, tuple[str, bytes]], proof: Proof = Proof()) -> tuple[Signatures, list[str | None]]:  # noqa: B008
    signatures = Signatures("j", of, proof)
    return signatures, [signatures.wrong_at(seq, digest) for seq, digest in enumerate(HASHES, start=1)]


def test_signatures_are_followed_along_the_chain() -> None:
    signatures, wrong = followed({1: signed(1), 3: signed(3)})
    assert wrong == [None] * 3
    assert (signatures.covered, list(signatures.by), signatures.changes) == (3, [OURS.public], [])
    assert signatures.wrong_at_end(3) is None


def test_a_signature_that_does_not_fit_names_what_it_should_cover() -> None:
    _, wrong = followed({1: signed(1), 3: signed(2)})
    told = "its signature does not fit: what is written in entries 2 to 3 is not what the table wrote."
    assert wrong == [None, None, told]
    assert HASHES[2] not in told


def test_a_signature_by_a_key_that_is_not_the_tables() -> None:
    _, wrong = followed({2: signed(2, OTHER)}, Proof(keys=frozenset({OURS.public})))
    assert wrong[1] == f"it is signed with another key than this table's ({brief(OTHER.public)})."
    signatures, wrong = followed({1: signed(1), 3: signed(3, OTHER)})
    assert wrong == [None] * 3
    assert signatures.changes == [(1, 3)]
    told = "from here on another key signs, which the owner never accepted: the key was replaced."
    assert signatures.wrong_at_end(3) == (told, 3)
    assert signatures.wrong_at_end(3, [Loss(2, "", "key-missing")]) is None


@pytest.mark.parametrize(
    ("of", "last", "proof", "wrong"),
    [
        ({5: b""}, 3, Proof(), ("entries 4 to 5 were signed and are missing.", 4)),
        ({2: b""}, 3, Proof(), ("entries 3 to 3 are not signed: the table did not write them.", 3)),
        ({1: b""}, 3, Proof(), ("entries 2 to 3 are not signed: the table did not write them.", 3)),
        ({}, 3, Proof(book=BOOK), (UNSIGNED, 3)),
        ({}, 0, Proof(book=BOOK), None),
        ({}, 2, Proof(book=replace(BOOK, journals={"j": 3})), None),
        ({}, 3, Proof(book=replace(BOOK, journals={"j": 3})), (UNSIGNED, 3)),
        ({}, 3, Proof(), None),
        ({}, 3, Proof(book=replace(BOOK, journals={})), None),
        ({}, 3, Proof(must_be_signed=True), "nothing in it"),
        ({}, 0, Proof(must_be_signed=True), None),
        ({}, 1, Proof(book=replace(BOOK, journals={"another": 1})), "nothing in it"),
    ],
)  # fmt: skip
def test_what_is_not_signed_is_named(of: dict[int, bytes], last: int, proof: Proof, wrong: object) -> None:
    signatures = Signatures(
        "j", {seq: (OURS.public, value) for seq, value in of.items()}, proof, covered=min(of, default=0)
    )
    found = signatures.wrong_at_end(last)
    if wrong == "nothing in it":
        assert found is not None
        assert found == (
            "nothing in it is signed with this table's key: it is another journal, or was written anew.",
            None,
        )
    else:
        assert found == wrong


# ---- heads that others have kept


def test_a_hash_is_looked_for_by_its_beginning() -> None:
    for known in ("aa" * 32, "bb" * 10, "cc", genesis("j")):
        assert Proof(head=known).wrong_with(WALKED) is None
    wrong = Proof(head="dd" * 32).wrong_with(WALKED)
    assert wrong == (f"no entry has the hash {'dd' * 32}: it was written anew, cut off, or is another journal.", None)


@pytest.mark.parametrize(
    ("witness", "keys", "wrong"),
    [
        ([statement(1), statement(3)], {OURS.public}, None),
        ([statement(1), statement(2, signer=OTHER)], {OURS.public}, "line 2 of the witness is not signed with this"),
        ([statement(2, signer=OTHER)], set(), None),
        ([statement(1), statement(2, signer=OTHER, journal="k")], {OURS.public}, None),
        ([replace(statement(1), signature="00" * 64)], set(), "line 1 of the witness is not signed"),
        ([statement(1, journal="k")], set(), "the witness has no head of this journal: another one lies in its place."),
        ([], set(), "the witness has no head of this journal"),
        ([statement(1), statement(5, "ee" * 32), statement(4, "dd" * 32)], set(),
         "the witness knows entries up to 5: those from 4 on are missing."),
        ([statement(1), statement(2, "ee" * 32)], set(),
         "the witness has kept another entry 2, of at 2: it was written anew."),
    ],
)  # fmt: skip
def test_a_journal_is_held_against_a_witness(witness: list[Statement], keys: set[str], wrong: str | None) -> None:
    found = Proof(keys=frozenset(keys), witness=witness).wrong_with(WALKED)
    assert (found is None) if wrong is None else (found is not None and found[0].startswith(wrong))
    assert found is None or found[1] == (2 if "another entry 2" in found[0] else None)


def test_what_the_owner_gave_up_a_witness_may_know_otherwise() -> None:
    walked = replace(WALKED, losses=(Loss(3, "", "tail-lost", 4, 6),))
    assert Proof(witness=[statement(1), statement(5, "ee" * 32)]).wrong_with(walked) is None
    assert Proof(witness=[statement(1), statement(7, "ee" * 32)]).wrong_with(walked) is not None


def test_the_running_table_is_held_against_its_witness() -> None:
    heads = SimpleNamespace(id="j", head=WALKED.head, hash_at=WALKED.hash_at)
    assert witness_trouble([statement(1), statement(3), statement(9, "ee" * 32, journal="k")], heads, []) is None
    cut = witness_trouble([statement(1), statement(6, "ff" * 32), statement(5, "ee" * 32)], heads, [])
    assert cut is not None
    assert (cut.state, cut.first, cut.last, cut.hash) == ("tail-lost", 4, 6, "ff" * 32)
    assert (
        "entry 6, written at at 6, is missing here or is another one. It has kept entries up to 6, here are 3."
        in cut.text
    )
    other = witness_trouble([statement(2, "ee" * 32), statement(6, "ff" * 32)], heads, [])
    assert other is not None
    assert (other.state, other.first, other.last) == ("rewritten", 2, 6)
    last = witness_trouble([statement(3, "ee" * 32)], heads, [])
    assert last is not None
    assert (last.state, last.first) == ("rewritten", 3)
    assert witness_trouble([statement(6, "ff" * 32)], heads, [Loss(3, "", "tail-lost", 4, 6)]) is None


def test_the_second_place_is_compared_where_both_are_here() -> None:
    mark = MarkFound(Marked("j", 5, "ee" * 32, "noon", 1), exists=True)
    assert Proof(mark=mark).wrong_with(WALKED) is None
    assert Proof(book=BOOK).wrong_with(WALKED) is None
    wrong = Proof(book=BOOK, mark=mark).wrong_with(WALKED)
    assert wrong is not None
    assert wrong[0].startswith(
        "The end of the journal is lost: it has 3 entries, but 5 were acknowledged, the latest at noon."
    )
    assert wrong[1] == 4


def test_given_keys_count_and_the_journal_must_be_signed() -> None:
    proof = Proof(keys=frozenset({"a"}))
    assert proof.trusting([]) is proof
    assert proof.trusting(["b", "c"]) == Proof(keys=frozenset({"b", "c"}), must_be_signed=True)


# ---- receipts' codes


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("http://t:8080/history/1/7#head=abababababab", ReceiptCode(1, 7, "ab" * 6)),
        (f" http://t/history/12/345/receipt#head={'ab' * 32}\n", ReceiptCode(12, 345, "ab" * 32)),
        ("http://t/history/1/7#head=ababababab", None),
        ("http://t/history/1/7#head=abababababab?x", None),
        ("http://t/history/1/1234567890#head=abababababab", None),
        ("poker 1-7 noon Ann-5 #99 abababababab", ReceiptCode(1, 7, "ab" * 6, "poker 1-7 noon Ann-5 #99 abababababab")),
        ("poker 1-7 noon #99 ababababab", None),
        ("poker 1-7 noon Ann-5 abababababab", None),
        ("a piece of paper", None),
    ],
)
def test_a_receipts_code_is_read(code: str, found: ReceiptCode | None) -> None:
    assert ReceiptCode.parse(code) == found


def test_a_receipts_code_is_held_against_the_round() -> None:
    made = SimpleNamespace(head="ab" * 32, text="poker 1-7 …", texts=("poker 1-7 …", "poker 1-7 of old"))
    code = ReceiptCode(1, 7, "ab" * 6)
    assert code.wrong_with(made) is None
    assert code.wrong_with(None) == "there is no decided round 1-7, of which there is a receipt."
    other = SimpleNamespace(head="cd" * 32, text="")
    assert code.wrong_with(other) == (
        f"round 1-7 was decided by an entry with the hash {'cd' * 6}, the receipt says {'ab' * 6}."
    )
    for text in made.texts:
        assert replace(code, text=text).wrong_with(made) is None
    assert replace(code, text="poker 2").wrong_with(made) == "the receipt says poker 2, the journal poker 1-7 …."
