"""Witnesses: lines of heads stored elsewhere, countersigned or not, and when the table adds to them."""

import json
import logging
from dataclasses import replace
from pathlib import Path

import pytest

from companion.journal.hash_chain import Head
from companion.journal.trust.signing import SeedSigner, head_text
from companion.journal.trust.witness import (
    EVERY_S,
    Statement,
    WitnessKeeper,
    WitnessUnusable,
    add_to_witness,
    countersign,
    first_unlike,
    keep_as_witness,
    read_witness,
)

OURS, OTHER, THIRD = (SeedSigner(bytes([number]) * 32) for number in (1, 2, 3))


def statement(seq: int, signer: SeedSigner = OURS, journal: str = "j") -> Statement:
    digest = f"{seq:02x}" * 32
    signature = signer.sign(head_text(journal, Head(seq, digest))).hex()
    return Statement(journal, seq, digest, f"at {seq}", signer.public, signature)


def test_a_line_is_read_as_it_was_written() -> None:
    made = statement(7).seen("table 2", "noon", OTHER)
    assert Statement.parse(made.to_line()) == made
    assert made.head == Head(7, "07" * 32)
    assert made.is_signed
    assert [(one.by, one.at, one.public) for one in made.countersigned] == [("table 2", "noon", OTHER.public)]


@pytest.mark.parametrize(
    "tail",
    [b"\0" * 512, b"\xff\xfe\x80", b'{"journal": "\xc3', b"\x85\x0c\x1d", b"\xe2\x80\xa8"],
    ids=["zeros", "garbage", "half a letter", "breaks", "separator"],
)
def test_what_a_pulled_stick_leaves_behind_the_last_line_makes_the_lines_before_it_no_worse(
    tmp_path: Path, tail: bytes
) -> None:
    """A block that was never written may contain anything; the heads before it must still be checked."""
    kept = tmp_path / "w"
    for seq in (7, 8):
        add_to_witness(kept, statement(seq))
    with kept.open("ab") as file:
        file.write(tail)
    assert [one.seq for one in read_witness(kept)] == [7, 8]
    add_to_witness(kept, statement(9))
    assert [one.seq for one in read_witness(kept)] == [7, 8, 9]


@pytest.mark.parametrize("changes", [{"seq": 8}, {"hash": "ab"}, {"journal": "k"}, {"public": OTHER.public}])
def test_a_statement_that_was_altered_is_not_signed(changes: dict[str, object]) -> None:
    assert not replace(statement(7), **changes).is_signed  # type: ignore[arg-type]


def test_every_countersignature_has_to_fit() -> None:
    made = statement(7).seen("table 2", "noon", OTHER).seen("phone", "one", THIRD)
    assert made.is_signed
    for changes in ({"by": "me"}, {"at": "late"}, {"public": THIRD.public}, {"signature": "zz"}, {"signature": ""}):
        assert not replace(
            made, countersigned=(replace(made.countersigned[0], **changes), made.countersigned[1])
        ).is_signed
    assert not replace(made, signature=statement(8).signature).is_signed


@pytest.mark.parametrize(
    "line",
    ["", "{", "5", "[]", "null", "{}", '{"journal": "j"}',
     json.dumps({**json.loads(statement(1).to_line()), "more": 1}),
     json.dumps({**json.loads(statement(1).to_line()), "signature": "xyz"}),
     json.dumps({**json.loads(statement(1).to_line()), "countersigned": [5]}),
     json.dumps({**json.loads(statement(1).to_line()), "seq": "x"})],
)  # fmt: skip
def test_a_line_that_is_no_head_is_named(tmp_path: Path, line: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        Statement.parse(line)
    (tmp_path / "w").write_text(f"{statement(1).to_line()}\n{line}\n{statement(2).to_line()}\n")
    with pytest.raises(WitnessUnusable, match=r"Line 2 of the witness .*w is no head of a journal\."):
        read_witness(tmp_path / "w")
    if line:
        (tmp_path / "w").write_text(line)
        with pytest.raises(WitnessUnusable, match="Line 1 of"):
            read_witness(tmp_path / "w")


def test_a_last_line_that_was_cut_off_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "w").write_text(f"{statement(1).to_line()}\n{statement(2).to_line()[:40]}")
    assert read_witness(tmp_path / "w") == (statement(1),)


def test_a_witness_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    with pytest.raises(WitnessUnusable, match=r"w cannot be read: No such file or directory\."):
        read_witness(tmp_path / "w")
    (tmp_path / "w").write_bytes(b"\xff\xfe")
    with pytest.raises(WitnessUnusable, match=r"w cannot be read: it is no text\."):
        read_witness(tmp_path / "w")


def test_heads_are_added_for_their_owner_alone(tmp_path: Path) -> None:
    for seq in (1, 2):
        add_to_witness(tmp_path / "w", statement(seq))
    assert read_witness(tmp_path / "w") == (statement(1), statement(2))
    assert (tmp_path / "w").stat().st_mode & 0o777 == 0o600
    with pytest.raises(OSError, match="No such file"):
        add_to_witness(tmp_path / "none" / "w", statement(1))


def test_a_newest_head_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    keep_as_witness(tmp_path / "w", statement(1))
    keep_as_witness(tmp_path / "w", statement(4, journal="k"))
    keep_as_witness(tmp_path / "w", statement(2))
    assert read_witness(tmp_path / "w") == (statement(4, journal="k"), statement(2))
    (tmp_path / "w").write_text("damaged")
    keep_as_witness(tmp_path / "w", statement(3))
    assert read_witness(tmp_path / "w") == (statement(3),)


def test_another_table_countersigns_what_is_not_its_own_once(tmp_path: Path) -> None:
    (tmp_path / "w").write_text(
        "".join(f"{one.to_line()}\n" for one in (statement(1), statement(2, OTHER), statement(3)))
    )
    assert countersign(tmp_path / "w", "table 2", "noon", OTHER) == 2
    assert countersign(tmp_path / "w", "table 2", "one", OTHER) == 0
    assert countersign(tmp_path / "w", "phone", "two", THIRD) == 3
    assert [[one.by for one in kept.countersigned] for kept in read_witness(tmp_path / "w")] == [
        ["table 2", "phone"], ["phone"], ["table 2", "phone"],
    ]  # fmt: skip
    assert all(one.is_signed for one in read_witness(tmp_path / "w"))


def test_nobody_countersigns_what_is_not_signed(tmp_path: Path) -> None:
    lines = f"{statement(1).to_line()}\n{replace(statement(2), seq=3).to_line()}\n"
    (tmp_path / "w").write_text(lines)
    with pytest.raises(WitnessUnusable, match=r"Line 2 of the witness .* is not signed as it says\."):
        countersign(tmp_path / "w", "table 2", "noon", OTHER)
    assert (tmp_path / "w").read_text() == lines


def test_the_first_head_that_is_not_in_the_journal() -> None:
    mine, others = [statement(1), statement(2), statement(3)], statement(9, journal="k")
    hashes = {one.seq: one.hash for one in mine}
    assert first_unlike([*mine, others], "j", 3, hashes.get) is None
    assert first_unlike([*mine, others], "j", 2, hashes.get) == mine[2]
    assert first_unlike(mine, "j", 3, {**hashes, 2: "ff"}.get) == mine[1]


def test_the_table_adds_a_head_every_few_seconds_and_at_the_end(tmp_path: Path) -> None:
    now, path = [100.0], tmp_path / "w"
    keeper = WitnessKeeper(path, lambda: now[0])

    def keep(seq: int, *, is_last: bool = False) -> int:
        keeper.keep(lambda: statement(seq), Head(seq, statement(seq).hash), is_last=is_last)
        keeper.wait()
        return len(read_witness(path))

    assert keep(1) == 1
    assert keep(2) == 1  # too early
    now[0] += EVERY_S
    assert keep(2) == 2
    now[0] += EVERY_S
    assert keep(2) == 2  # nothing is new
    assert keep(3) == 3
    assert keep(4) == 3
    assert keep(4, is_last=True) == 4
    assert [one.seq for one in read_witness(path)] == [1, 2, 3, 4]


def test_a_stick_that_is_away_is_told_once_and_again_when_it_is_back(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    now, path = [0.0], tmp_path / "stick" / "w"
    keeper = WitnessKeeper(path, lambda: now[0])

    def keep(seq: int) -> list[str]:
        caplog.clear()
        keeper.keep(lambda: statement(seq), Head(seq, statement(seq).hash))
        keeper.wait()
        now[0] += EVERY_S
        return [record.getMessage() for record in caplog.records]

    assert keep(1) == [f"The witness file {path} cannot be written: No such file or directory. Retrying."]
    assert keep(1) == []
    path.parent.mkdir()
    assert keep(1) == [f"The witness file {path} can be written again."]
    assert keep(2) == []
    assert [one.seq for one in read_witness(path)] == [1, 2]


def test_without_a_witness_or_a_signature_nothing_is_written(tmp_path: Path) -> None:
    keeper = WitnessKeeper(None)
    keeper.keep(lambda: pytest.fail("nobody asked"), Head(1, "ab"))
    keeper = WitnessKeeper(tmp_path / "w")
    keeper.keep(lambda: None, Head(1, "ab"))
    keeper.wait()
    assert not (tmp_path / "w").exists()
