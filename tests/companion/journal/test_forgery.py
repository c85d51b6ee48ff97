"""What a forger with the journal's file can do, and what detects it: signatures, the high-water mark, witnesses."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from forger import Row, forge, record, rewritten, with_coins

from companion.cli import run_command_line as run
from companion.journal.checkpoints import Checkpoint, read_checkpoint, write_checkpoint
from companion.journal.receipt import receipt
from companion.journal.store import FILE_NAME, Journal, JournalError, JournalReader
from companion.journal.trust.mark import Marked, write_mark
from companion.journal.trust.proof import Proof
from companion.journal.trust.signing import KeyBook, SeedSigner
from companion.journal.trust.witness import Statement, WitnessUnusable, add_to_witness, read_witness
from companion.journal.verify import Verdict, verify
from companion.kernel.errors import JournalDamaged, NotSaved
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header

HEADER = new_header("roche", (("Ann", 100), ("Bo", 100)))
ROUND = (
    {"do": "bet", "player": "Ann", "on": "cut/2", "amount": 10},
    {"do": "buy-in", "player": "Bo", "coins": 50},
    {"do": "no-more-bets"},
    {"do": "deal", "card": "2D1"},
    {"do": "deal", "card": "2D2"},
    {"do": "new-round"},
)


def play(path: Path, rounds: int = 1, **more: object) -> None:
    with TableService.open(path, HEADER, INSTALLED, **more) as service:  # type: ignore[arg-type]
        for command in ROUND * rounds:
            service.submit(command, source="dealer")


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data directory after an evening of two rounds."""
    folder = tmp_path_factory.mktemp("evening") / "data"
    play(folder / FILE_NAME, 2)
    return folder


@pytest.fixture
def path(evening: Path, tmp_path: Path) -> Path:
    """A copy of it for each test."""
    return Path(shutil.copytree(evening, tmp_path / "data")) / FILE_NAME


def verdict(path: Path) -> Verdict:
    with JournalReader.open(path) as reader:
        return verify(reader, INSTALLED)


def tamper(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as file, file:
        for statement in statements:
            file.execute(statement)


def test_an_honest_journal_is_whole_and_signed(path: Path) -> None:
    """Every entry is covered by a signature; the key is readable by its owner only, and not in the journal."""
    found = verdict(path)
    assert (found.wrong, found.entries, found.signed, found.is_trusted) == (None, 13, 13, True)
    key = path.parent / "signing-journal.key"
    assert key.stat().st_mode & 0o777 == 0o600
    private = json.loads(key.read_text())["private"]
    assert bytes.fromhex(private) not in path.read_bytes()


# ---- ten forgeries, each chained anew as well as the forger can


def raise_a_buy_in(rows: list[Row]) -> list[Row]:
    return [with_coins(row, 50, 500) if record(row).get("do") == "buy-in" else row for row in rows]


def invent_a_payout(rows: list[Row]) -> list[Row]:
    """Claim that other rules wrote the session, so that it is not replayed, and pay 7,777."""
    paid = '{"event":"Transfer","payer":"house","payee":"player/Ann","coins":7777,"why":"bet won"}'
    started = [rewritten(row, rules="0" * 16) if row["kind"] == "start" else row for row in rows]
    last = started[-1]
    return [*started[:-1], {**last, "events": f"{last['events'][:-1].rstrip('[')},{paid}]".replace("[,", "[")}]


def cut_off_the_end(rows: list[Row]) -> list[Row]:
    return rows[:-10]


def replace_the_times(rows: list[Row]) -> list[Row]:
    return [{**row, "at": "2020" + row["at"][4:]} for row in rows]


def replace_the_sources(rows: list[Row]) -> list[Row]:
    return [{**row, "source": "seat/1"} if row["source"] == "dealer" else row for row in rows]


def leave_it(rows: list[Row]) -> list[Row]:
    return rows


def add_an_entry(rows: list[Row]) -> list[Row]:
    return [*rows, rows[1]]


def take_one_out(rows: list[Row]) -> list[Row]:
    return [row for row in rows if record(row).get("do") != "buy-in"]


def swap_two(rows: list[Row]) -> list[Row]:
    return [rows[0], rows[2], rows[1], *rows[3:]]


FORGERIES: dict[str, Callable[[list[Row]], list[Row]]] = {
    "a buy-in raised": raise_a_buy_in,
    "a payout of 7,777 under other rules": invent_a_payout,
    "the last ten cut off": cut_off_the_end,
    "other times": replace_the_times,
    "other sources": replace_the_sources,
    "another journal's id": leave_it,
    "an entry added": add_an_entry,
    "an entry taken out": take_one_out,
    "two swapped": swap_two,
}
COVERED_UP = {"their signatures left", "with their signatures", "all signatures off", "as an old, unsigned journal"}


def cover_up(path: Path, how: str, last: int) -> None:
    """Do what somebody without the key can do about the signatures."""
    if how == "with their signatures":
        tamper(path, f"DELETE FROM signature WHERE seq > {last}")
    elif how != "their signatures left":
        tamper(path, "DELETE FROM signature", "DELETE FROM signer")
    if how == "as an old, unsigned journal":
        tamper(path, "DROP TABLE signature", "DROP TABLE signer", "PRAGMA user_version = 2")


@pytest.mark.parametrize("how", sorted(COVERED_UP))
@pytest.mark.parametrize("what", sorted(FORGERIES))
def test_a_forgery_is_found(path: Path, what: str, how: str) -> None:
    """Whatever was changed, and whatever was done about the signatures, verification fails."""
    forge(path, FORGERIES[what], journal="forged" if "id" in what else None)
    last = 3 if "cut" in what else 14
    cover_up(path, how, last)
    assert verdict(path).wrong is not None


@pytest.mark.parametrize("what", sorted(FORGERIES.keys() - {"an entry taken out", "two swapped"}))
def test_without_what_it_is_held_against_nothing_is_found(path: Path, what: str) -> None:
    """Chain and rules alone accept these forgeries: only signatures and high-water mark detect them."""
    forge(path, FORGERIES[what], journal="forged" if "id" in what else None)
    cover_up(path, "as an old, unsigned journal", 0)
    with JournalReader.open(path) as reader:
        assert verify(reader, INSTALLED, Proof()).wrong is None


def test_a_start_that_is_no_json_is_told(path: Path) -> None:
    """An entry with a valid hash but invalid content does not abort the check: it is named."""
    forge(path, lambda rows: [{**rows[0], "record": "roche"}, *rows[1:]])
    cover_up(path, "as an old, unsigned journal", 0)
    with JournalReader.open(path) as reader:
        found = verify(reader, INSTALLED, Proof())
    assert (found.wrong, found.seq) == (
        "this session cannot be understood (Expecting value: line 1 column 1 (char 0)).",
        1,
    )


def test_of_a_damaged_file_nothing_is_counted(path: Path) -> None:
    """SQLite's integrity check comes first: an unreadable file counts as no entries and no sessions."""
    tamper(path, "PRAGMA wal_checkpoint(TRUNCATE)")
    data = bytearray(path.read_bytes())
    data[-4096 + 8 : -4096 + 40] = b"\xff" * 32
    path.write_bytes(data)
    found = verdict(path)
    assert (found.wrong or "").startswith("the file is damaged (")
    assert (found.entries, found.sessions, found.head, found.seq) == (0, 0, "", None)


@pytest.mark.parametrize("what", sorted(FORGERIES))
def test_the_running_table_says_so_and_plays_nothing(path: Path, what: str) -> None:
    """A table started on a forged journal reports it, writes nothing, and is not ready."""
    forge(path, FORGERIES[what], journal="forged" if "id" in what else None)
    cover_up(path, "with their signatures", 3 if "cut" in what else 14)
    before = [tuple(row) for row in _rows(path)]
    with TableService.open(path, HEADER, INSTALLED) as service:
        assert service.view()["journal"]["can_accept"]
        with pytest.raises(Exception, match="could not be saved"):
            service.submit({"do": "hold"}, source="dealer")
    assert [tuple(row) for row in _rows(path)] == before


def _rows(path: Path) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as file:
        return file.execute("SELECT * FROM entry").fetchall()


def test_a_second_place_taken_away_is_told(path: Path) -> None:
    """The tenth case: the end is cut off, and the high-water mark deleted with it."""
    forge(path, cut_off_the_end)
    cover_up(path, "with their signatures", 3)
    (path.parent / "latest-journal.mark").unlink()
    assert "is gone: whether entries are missing" in (verdict(path).wrong or "")


def test_a_second_place_set_back_is_told(path: Path) -> None:
    """An older state cannot be forged without its MAC: a mark with a changed seq is not accepted."""
    forge(path, cut_off_the_end)
    cover_up(path, "with their signatures", 3)
    mark = path.parent / "latest-journal.mark"
    mark.write_bytes(mark.read_bytes().replace(b'"seq": 13', b'"seq": 3 ').replace(b'"seq": 12', b'"seq": 3 '))
    assert verdict(path).wrong is not None


FILES = {"journal": FILE_NAME, "key": "signing-journal.key", "mark": "latest-journal.mark"}


@pytest.mark.parametrize("what", ["journal", "journal key", "journal mark", "key", "mark", "key mark"])
def test_files_of_another_table_do_not_pass_for_ours(path: Path, tmp_path: Path, what: str) -> None:
    """Some of another table's files in place of ours are detected. With all three it is the other table's folder."""
    other = tmp_path / "other" / FILE_NAME
    play(other, 2)
    for name in what.split():
        shutil.copy(other.with_name(FILES[name]), path.with_name(FILES[name]))
    assert verdict(path).wrong is not None
    with TableService.open(path, HEADER, INSTALLED) as service:
        assert service.view()["journal"]["can_accept"]
        with pytest.raises(JournalDamaged):
            service.submit({"do": "hold"}, source="dealer")


@pytest.mark.parametrize("what", ["journal", "journal key"])
def test_an_older_copy_in_the_place_of_the_newest_is_told(path: Path, tmp_path: Path, what: str) -> None:
    """As when copied by hand from a backup: only the high-water mark knows that entries are missing."""
    shutil.copytree(path.parent, tmp_path / "older")
    play(path)
    for name in what.split():
        shutil.copy(tmp_path / "older" / FILES[name], path.with_name(FILES[name]))
    assert "Missing: 14 to 19" in (verdict(path).wrong or "")


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i"
IN_PLACE = {
    "a view without end": (
        "ALTER TABLE entry RENAME TO old",
        f"CREATE VIEW entry AS {ENDLESS} AS seq, '' AS at, 1 AS session, 'start' AS kind, '' AS source, NULL AS key, "
        "'{}' AS record, '[]' AS events, '' AS prev, '' AS hash FROM n",
    ),
    "a column that is computed": ("ALTER TABLE entry ADD COLUMN more TEXT GENERATED ALWAYS AS (upper(record))",),
    "a view of the signatures": ("ALTER TABLE signature RENAME TO s", "CREATE VIEW signature AS SELECT * FROM s"),
    "no signers": ("DROP TABLE signer", "CREATE TABLE signer (id, public, more)"),
}


@pytest.mark.parametrize("what", IN_PLACE)
def test_another_table_in_the_place_of_ours_is_refused(path: Path, what: str) -> None:
    """Refused before anything is read from it, as it may be endless."""
    tamper(path, *IN_PLACE[what])
    with pytest.raises(JournalError, match="somebody has put another table in the place of"):
        JournalReader.open(path)
    with pytest.raises(JournalError, match="somebody has put another table in the place of"):
        Journal.open(path)


def test_an_entry_that_takes_all_memory_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companion.journal.sqlite_file._LONGEST_VALUE", 100_000)
    tamper(path, "UPDATE entry SET record = hex(zeroblob(100000)) WHERE seq = 5")
    assert "the file is damaged (string or blob too big)" in (verdict(path).wrong or "")


PLANTED = (
    "BEFORE INSERT ON entry WHEN NEW.kind = 'command' BEGIN SELECT RAISE(IGNORE); END",
    "AFTER INSERT ON entry BEGIN UPDATE entry SET source = 'seat/1' WHERE seq = NEW.seq; END",
    "AFTER INSERT ON signature BEGIN DELETE FROM entry WHERE seq = NEW.seq; END",
    "AFTER INSERT ON entry BEGIN UPDATE entry SET source = 'seat/1' WHERE seq = NEW.seq - 1; END",
)


@pytest.mark.parametrize("what", PLANTED)
def test_nothing_is_acknowledged_that_a_planted_trigger_drops_or_changes(path: Path, what: str) -> None:
    """The file itself is hostile: the command is refused, and the existing entries are unchanged."""
    tamper(path, f"CREATE TRIGGER planted {what}")
    with TableService.open(path, HEADER, INSTALLED) as service:
        for _ in range(2):
            with pytest.raises(NotSaved, match="file is damaged"):
                service.submit({"do": "hold"}, source="dealer")
        assert service.view()["seq"] == 13
    found = verdict(path)
    assert (found.wrong, found.entries) == (None, 13)


# ---- a forger who has the key as well: what others have kept


@pytest.fixture
def kept(path: Path, tmp_path: Path) -> Path:
    """A witness with the evening's head."""
    assert run(["journal", "witness", str(tmp_path / "stick"), "--data", str(path.parent)]) == 0
    return tmp_path / "stick"


def forge_with_the_key(path: Path) -> None:
    """Play another evening with the table's key: all files beside the journal are consistent with it."""
    key = json.loads((path.parent / "signing-journal.key").read_text())
    for file in path.parent.iterdir():
        file.unlink()
    (path.parent / "signing-journal.key").write_text(json.dumps(key | {"journals": {}}))
    play(path, 1, new_id=lambda: next(iter(key["journals"])))


def check(path: Path, *arguments: str) -> int:
    return run(["journal", "verify", "--data", str(path.parent), *arguments])


def test_a_witness_tells_on_who_has_the_key(path: Path, kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Only heads stored elsewhere can reveal the forgery, and they show what differs."""
    assert check(path, "--witness", str(kept)) == 0
    forge_with_the_key(path)
    assert check(path) == 0
    assert check(path, "--witness", str(kept)) == 1
    assert "the witness knows entries up to 13: those from 8 on are missing" in capsys.readouterr().err


def test_a_hash_that_somebody_kept(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A hash, or its beginning, is in the journal, or the journal was rewritten."""
    head = verdict(path).head
    assert check(path, "--head", head) == check(path, "--head", head[:12]) == 0
    forge_with_the_key(path)
    assert check(path, "--head", head) == 1
    assert f"no entry has the hash {head}" in capsys.readouterr().err
    assert check(path, "--head", "abc") == 2


def test_a_receipt_that_somebody_kept(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A receipt's text and URL, of rounds that are and are not in the journal."""
    with TableService.open(path, HEADER, INSTALLED) as service:
        made = receipt(service.history, 1, 2)
    assert made is not None
    address = f"http://table.local:8080/history/1/2#head={made.head[:24]}"
    assert check(path, "--receipt", made.text, "--receipt", address) == 0
    assert check(path, "--receipt", made.text.replace("Ann+", "Ann+9")) == 1
    assert check(path, "--receipt", "a piece of paper") == 2
    forge_with_the_key(path)
    capsys.readouterr()
    assert check(path, "--receipt", address) == 1
    assert "there is no decided round 1-2, of which there is a receipt" in capsys.readouterr().err


def test_another_table_countersigns(path: Path, kept: Path, tmp_path: Path) -> None:
    """Its signature is stored with the head; if the head is altered, the countersignature is invalid."""
    play(tmp_path / "other" / FILE_NAME)
    call = ["journal", "countersign", str(kept), "--by", "table 2", "--data", str(tmp_path / "other")]
    assert run(call) == run(call) == 0
    statement = read_witness(kept)[0]
    assert [one.by for one in statement.countersigned] == ["table 2"]
    assert statement.is_signed
    kept.write_text(kept.read_text().replace("table 2", "table 3"))
    assert not read_witness(kept)[0].is_signed
    assert check(path, "--witness", str(kept)) == 1


def test_the_table_keeps_its_witness_and_is_held_against_it(path: Path, tmp_path: Path) -> None:
    """A configured witness gets the heads automatically; an older copy of the whole folder is detected at startup."""
    stick = tmp_path / "stick"
    shutil.copytree(path.parent, tmp_path / "older")
    play(path, 1, witness=stick)
    assert read_witness(stick)[-1].seq == 19
    shutil.rmtree(path.parent)
    shutil.copytree(tmp_path / "older", path.parent)
    assert verdict(path).wrong is None
    with TableService.open(path, HEADER, INSTALLED, witness=stick) as service:
        told = service.view()["journal"]
        assert (told["state"], told["first"], told["last"]) == ("tail-lost", 14, 19)
        service.submit({"do": "accept-loss"}, source="dealer")
        assert "journal" not in service.view()
    with TableService.open(path, HEADER, INSTALLED, witness=stick) as service:
        assert "journal" not in service.view()
    assert check(path, "--witness", str(stick)) == 0


def test_a_witness_that_is_none_stops_nothing(path: Path, tmp_path: Path) -> None:
    """An endless device or a pipe without a writer, on a prepared USB stick."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "endless").symlink_to("/dev/zero")
    for name in ("pipe", "endless"):
        with pytest.raises(WitnessUnusable, match="is no file of heads"):
            read_witness(tmp_path / name)
        with JournalReader.open(path) as reader, pytest.raises(OSError, match=r"seekable|no file"):
            add_to_witness(tmp_path / name, reader.statement())  # type: ignore[arg-type]
        play(path, 1, witness=tmp_path / name)


def test_a_witness_does_not_grow_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The latest heads stay, older ones are thinned out, countersigned ones are all kept."""
    monkeypatch.setattr("companion.journal.trust.witness.THINNED_FROM_BYTES", 20_000)
    kept, signer = tmp_path / "stick", SeedSigner(b"\1" * 32)
    heads = [Statement("j", seq, "ab" * 32, "", signer.public, "00") for seq in range(1, 1001)]
    heads[4] = heads[4].seen("table 2", "", SeedSigner(b"\2" * 32))
    for head in heads:
        add_to_witness(kept, head)
    found = read_witness(kept)
    assert kept.stat().st_size < 21_000
    assert [one.seq for one in found[-20:]] == [*range(981, 1001)]
    assert heads[4] in found
    assert list(found) == sorted(found, key=lambda one: one.seq)
    assert set(found) <= set(heads)


def test_a_torn_line_is_written_over(tmp_path: Path) -> None:
    """The stick was pulled out during a write; the complete lines stay, however many there are."""
    signer = SeedSigner(b"\1" * 32)
    heads = [Statement("j", seq, "ab" * 32, "", signer.public, "00" * 64) for seq in range(1, 401)]
    (tmp_path / "stick").write_text("".join(f"{head.to_line()}\n" for head in heads[:-1]) + '{"journal": "j", "se')
    add_to_witness(tmp_path / "stick", heads[-1])
    assert list(read_witness(tmp_path / "stick")) == heads


def test_a_forged_shortcut_is_left_aside(path: Path) -> None:
    """The checkpoint has the key's MAC: with other coins in it, it is ignored and everything is replayed."""
    with TableService.open(path, HEADER, INSTALLED) as service:
        coins = [player["coins"] for player in service.view()["players"]]
        checkpoint = Checkpoint(13, service.view()["head"], "", 0, "", ())
        code = service._files.journal.code
    shortcut = path.with_suffix(".shortcut")
    write_checkpoint(shortcut, checkpoint, code)
    assert read_checkpoint(shortcut, code) == checkpoint
    shortcut.write_text(shortcut.read_text().replace('"seq":13', '"seq":12'))
    assert read_checkpoint(shortcut, code) is None
    write_checkpoint(shortcut, checkpoint)  # a plain digest, as anybody can make
    assert read_checkpoint(shortcut, code) is None
    with TableService.open(path, HEADER, INSTALLED) as service:
        assert [player["coins"] for player in service.view()["players"]] == coins


# ---- a forger who cannot read the key, but can put other files into the folder


def replace_the_key(path: Path, public: str) -> None:
    """Cut the end off, play on with a new key, and list the table's key as a former one."""
    forge(path, cut_off_the_end)
    cover_up(path, "with their signatures", 3)
    key, mark = path.parent / "signing-journal.key", path.parent / "latest-journal.mark"
    with JournalReader.open(path) as reader:
        journals = {reader.id: 1}
    key.unlink()
    mark.unlink()
    own = KeyBook(key, seed=b"\7" * 32, former=(public,), journals=journals)
    own.write()
    with JournalReader.open(path) as reader:
        last = reader.latest(1)[0]
    write_mark(mark, Marked(next(iter(journals)), last.seq, last.hash, last.at, 1), SeedSigner(b"\7" * 32).mac)


def test_a_key_that_was_replaced_is_told(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the old key listed as former, all signatures are valid; but the owner never accepted the change."""
    public = str(KeyBook.beside(path).signer().public)  # type: ignore[union-attr]
    replace_the_key(path, public)
    with TableService.open(path, HEADER, INSTALLED) as service:
        assert "is not signed with this table's key" in service.view()["journal"]["text"]
    with monkeypatch.context() as careless:  # the forger's own program asks nobody
        careless.setattr("companion.journal.trust.guard._wrong_signature", lambda *_: None)
        play(path)
    found = verdict(path)
    assert (found.wrong, found.seq) == (
        "from here on another key signs, which the owner never accepted: the key was replaced.",
        4,
    )
    assert found.keys[0] == public
    with TableService.open(path, HEADER, INSTALLED) as service:
        told = service.view()["journal"]
        assert (told["state"], told["can_accept"]) == ("rewritten", True)
        assert "From entry 4 on another key signs the journal" in told["text"]
        with pytest.raises(JournalDamaged):
            service.submit({"do": "hold"}, source="dealer")
        service.submit({"do": "accept-loss"}, source="dealer")
    found = verdict(path)
    assert found.wrong is None
    assert len(found.losses) == 1


def test_a_key_that_the_owner_accepted_is_not(path: Path) -> None:
    """A key lost and replaced with the owner's acceptance, once or twice, is fine for verify and startup."""
    for _ in range(2):
        (path.parent / "signing-journal.key").unlink()
        with TableService.open(path, HEADER, INSTALLED) as service:
            service.submit({"do": "accept-loss"}, source="dealer")
            service.submit({"do": "hold"}, source="dealer")
            service.submit({"do": "release"}, source="dealer")
    found = verdict(path)
    assert (found.wrong, len(found.keys), len(found.losses)) == (None, 3, 2)
    with TableService.open(path, HEADER, INSTALLED) as service:
        assert "journal" not in service.view()


# ---- auditors


def test_a_copy_is_verified_with_the_public_key(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The journal alone cannot be trusted; with the public key it verifies, with another one it does not."""
    run(["journal", "key", "--data", str(path.parent)])
    public = capsys.readouterr().out.strip()
    copy = tmp_path / "copy" / FILE_NAME
    copy.parent.mkdir()
    shutil.copy(path, copy)
    assert check(copy) == 0
    assert "Use --key to check" in capsys.readouterr().out
    assert check(copy, "--key", public) == 0
    assert "Signed with this table's key" in capsys.readouterr().out
    assert check(copy, "--key", "ab" * 32) == 1


def test_an_old_journal_is_unsigned_and_not_forged(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It opens, is reported as unsigned, and is signed from then on."""
    cover_up(path, "as an old, unsigned journal", 0)
    for name in ("signing-journal.key", "latest-journal.mark"):
        (path.parent / name).unlink()
    assert check(path) == 0
    assert "It is unsigned" in capsys.readouterr().out
    play(path, 1)
    assert verdict(path).signed == 19
    forge(path, raise_a_buy_in)
    assert verdict(path).wrong is not None


def test_a_read_only_medium(path: Path, tmp_path: Path) -> None:
    """From a read-only disk, with or without a write-ahead log."""
    disk = tmp_path / "disk"
    disk.mkdir()
    with TableService.open(path, HEADER, INSTALLED) as service:
        service.submit({"do": "hold"}, source="dealer")
        shutil.copytree(path.parent, tmp_path / "killed")  # as a power cut leaves it
    if subprocess.run(["mount", "-t", "tmpfs", "tmpfs", disk], capture_output=True).returncode:
        pytest.skip("mounting needs root")
    try:
        shutil.copytree(path.parent, disk / "clean")
        shutil.copytree(tmp_path / "killed", disk / "killed", ignore=shutil.ignore_patterns("*-shm"))
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        assert [check(disk / name / FILE_NAME) for name in ("clean", "killed")] == [0, 0]
        assert [verdict(disk / name / FILE_NAME).entries for name in ("clean", "killed")] == [14, 14]
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


def test_sessions_of_other_rules_are_played_all_the_same(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A session that moves the same coins under the current rules is replayed; else it is reported with the reason."""
    monkeypatch.setattr("companion.journal.verify.rules_fingerprint", lambda rules: "newer rules")
    assert not verdict(path).why_unplayed
    monkeypatch.setattr("companion.games.roche.paytable.Price.winnings", lambda price, amount: 7 * amount)
    monkeypatch.setattr("companion.games.roche.audit.differences", lambda *_: ())
    found = verdict(path)
    assert (found.wrong, list(found.why_unplayed)) == (None, [1])
    assert found.why_unplayed[1].startswith(
        "it was played by other rules than those installed here: entry 6 moves other coins"
    )


def test_the_key_comes_from_the_service_manager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Passed as a credential, sealed by a TPM if there is one, the key is in no file."""
    (tmp_path / "journal-signing-key").write_text("5a" * 32)
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    play(tmp_path / "data" / FILE_NAME)
    assert verdict(tmp_path / "data" / FILE_NAME).is_trusted
    assert "5a5a" not in (tmp_path / "data" / "signing-journal.key").read_text()
    monkeypatch.delenv("CREDENTIALS_DIRECTORY")
    found = verdict(tmp_path / "data" / FILE_NAME)
    assert (found.wrong, found.is_trusted) == (None, True)  # an auditor at the machine, without the credential
    with TableService.open(tmp_path / "data" / FILE_NAME, HEADER, INSTALLED) as service:
        assert service.view()["journal"]["state"] == "key-missing"
