"""Secret commands are sealed in the journal, survive a restart, and a reveal proves that none was changed."""

import shutil
import sqlite3

import pytest
from coin_toss import COIN_TOSS
from hidden_number import HIDDEN_NUMBER

from companion.journal import durable
from companion.journal.backups.backup import make_backup
from companion.journal.backups.restore import restore
from companion.journal.checkpoints import Checkpoints
from companion.journal.hash_chain import Head, entry_hash
from companion.journal.seals import (
    ENDING,
    PAST_ENDING,
    PROOF,
    SEALED,
    BrokenSeal,
    Seals,
    SecretMissing,
    is_something_sealed,
    opened,
    seal_of,
)
from companion.journal.store import FILE_NAME, JournalError, JournalReader
from companion.journal.trust.proof import Proof
from companion.journal.verify import verify
from companion.kernel.errors import BadScript, KeyReused, NotOffered, NotSaved, TableError
from companion.kernel.header import Header
from companion.kernel.table import SECRET, STEPS_KEPT, Table
from companion.plugins.registry import Games
from companion.service.table_service import TableService
from companion.testing import check_game

GAMES = Games((HIDDEN_NUMBER,))
HEADER = Header(HIDDEN_NUMBER.rules, (("Ann", 5), ("Bo", 5)), {})
PICKS = ({"do": "pick", "player": "Ann", "number": 7}, {"do": "pick", "player": "Bo", "number": 3})


@pytest.fixture
def path(tmp_path):
    (tmp_path / "data").mkdir()
    return tmp_path / "data" / FILE_NAME


@pytest.fixture
def start(path):
    running = []

    def begin():
        for service in running:
            service.close()
        running.append(TableService.open(path, HEADER, GAMES))
        return running[-1]

    yield begin
    for service in running:
        service.close()


def give(service, *records):
    return [service.submit(record, source="dealer") for record in records]


def entries(path):
    with JournalReader.open(path) as reader:
        return [entry.to_json() for entry in reader.entries()]


def test_the_toy_keeps_what_the_engine_relies_on():
    check_game(
        HIDDEN_NUMBER, [[HEADER.to_json(), *PICKS, {"do": "whisper", "player": "Bo", "text": "x"}, {"do": "show"}]]
    )


def test_a_box_opens_with_its_key_and_with_no_other(tmp_path):
    sealing = Seals(tmp_path / "secret")
    box, other = sealing.seal({"do": "pick"}), sealing.seal({"do": "pick"})
    assert box != other
    found = sealing.open(box)
    assert (found["do"], found["sealed_as"]["seal"]) == ("pick", box["seal"])
    with pytest.raises(BrokenSeal):
        opened(box, bytes.fromhex(sealing.open(other)["sealed_as"]["key"]))
    with pytest.raises(SecretMissing):
        Seals(tmp_path / "elsewhere").open(box)


def test_the_secret_is_the_owners_alone(tmp_path):
    Seals(tmp_path / "secret").seal({})
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o600


def test_a_damaged_secret_seals_nothing(tmp_path):
    """An empty secret is no secret: everybody could open what it seals."""
    (tmp_path / "secret").write_bytes(b"")
    Seals(tmp_path / "secret").seal({})
    assert len((tmp_path / "secret").read_bytes()) == 32


def test_a_secret_command_is_sealed_and_the_others_are_not(start, path):
    service = start()
    give(service, *PICKS, {"do": "buy-in", "player": "Ann", "coins": 1})
    records = [entry["record"] for entry in entries(path)[1:]]
    assert [record["do"] for record in records] == [SEALED, SEALED, "buy-in"]
    assert all(record.keys() == {"do", "by", "seal", "nonce", "box"} for record in records[:2])


def test_the_reveal_publishes_keys_that_open_the_boxes(start, path):
    service = start()
    give(service, *PICKS, {"do": "whisper", "player": "Bo", "text": "never"}, {"do": "show"})
    *sealed, last = entries(path)[1:]
    (event,) = [event for event in last["events"] if event["event"] == "Unsealed"]
    assert [one["record"] for one in event["openings"]] == list(PICKS)
    for entry, one in zip(sealed[:2], event["openings"], strict=True):
        assert opened(entry["record"], bytes.fromhex(one["key"])) == one["record"]


def test_each_reveal_opens_what_came_since_the_last_one(start, path):
    service = start()
    give(service, PICKS[0], {"do": "show"}, PICKS[1], {"do": "show"}, {"do": "show"})
    opened_ = [
        [one["record"] for event in entry["events"] for one in event.get("openings", ())] for entry in entries(path)
    ]
    assert [found for found in opened_ if found] == [[PICKS[0]], [PICKS[1]]]


def test_something_is_sealed_from_the_first_secret_to_the_reveal():
    """A choice replaced by a later one is still sealed; before the first and after the reveal nothing is."""
    pick, show, other = {"do": "pick", PROOF: {}}, {"do": "show"}, {"do": "buy-in"}
    reveals = {"show": frozenset({"pick"})}
    closed = [is_something_sealed(records, reveals) for records in ([], [other], [other, pick], [pick, other])]
    assert closed == [False, False, True, True]
    after = [is_something_sealed(records, reveals) for records in ([pick, show], [pick, show, other], [show, pick])]
    assert after == [False, False, True]


def test_a_restart_amid_secrets_brings_them_back(start):
    give(start(), *PICKS, {"do": "undo"}, {"do": "redo"})
    service = start()
    assert service.view("seat/1")["secrets"] == {"numbers": [7]}
    (shown,) = give(service, {"do": "show"})
    assert shown.events[0]["result"]["numbers"] == {"Ann": 7, "Bo": 3}
    assert len(shown.events[-1]["openings"]) == 2


def test_the_history_shows_later_rounds_as_they_were(start):
    service = start()
    give(service, *PICKS, {"do": "show"}, PICKS[0])
    views = [step.view["picked"] for step in service.history.steps(1, 1) if step.view]
    assert views == [0, 1, 2, 0, 1]


def test_a_key_given_again_gets_the_same_answer_and_another_command_is_refused(start, path):
    service = start()
    first = service.submit(PICKS[0], source="seat/1", key="k")
    assert service.submit(PICKS[0], source="seat/1", key="k") == first
    with pytest.raises(KeyReused) as refused:
        service.submit({**PICKS[0], "number": 8}, source="seat/1", key="k")
    assert "number" not in refused.value.message
    assert len(entries(path)) == 2


def test_nobody_gives_a_sealed_command(start):
    with pytest.raises(TableError):
        give(start(), {"do": SEALED, "seal": "", "nonce": "", "box": ""})


def test_a_secret_command_that_claims_a_seal_of_its_own_gets_the_right_one(start):
    service = start()
    give(service, {**PICKS[0], "sealed_as": {"seal": "0", "key": "0"}})
    (shown,) = give(service, {"do": "show"})
    assert shown.events[-1]["openings"][0]["seal"] != "0"


def rewritten(path, change):
    """Change an entry's record or events as a forger would, and rebuild all later hashes."""
    with sqlite3.connect(path) as db:
        rows = db.execute("SELECT seq, at, session, kind, source, key, record, events, prev FROM entry ORDER BY seq")
        prev = None
        for seq, at, session, kind, source, key, record, events, old in rows.fetchall():
            prev = old if prev is None else prev
            record, events = change(seq, record, events)
            digest = entry_hash(prev, seq, at, session, kind, source, key, record, events)
            db.execute(
                "UPDATE entry SET record=?, events=?, prev=?, hash=? WHERE seq=?", (record, events, prev, digest, seq)
            )
            prev = digest
        db.execute("DELETE FROM signature")


def test_verify_finds_a_reveal_of_something_else_than_was_sealed(start, path):
    service = start()
    give(service, *PICKS, {"do": "show"})
    service.close()
    with JournalReader.open(path) as reader:
        assert verify(reader, GAMES).wrong is None
    rewritten(path, lambda seq, record, events: (record, events.replace('"number":7', '"number":8')))
    with JournalReader.open(path) as reader:
        verdict = verify(reader, GAMES, Proof())
    assert "something else was sealed" in verdict.wrong
    assert verdict.seq == 4


def test_a_box_that_was_exchanged_is_found(start, path):
    service = start()
    give(service, *PICKS)
    service.close()
    boxes = [entry["record"]["box"] for entry in entries(path)[1:]]
    rewritten(path, lambda seq, record, events: (record.replace(boxes[0], boxes[1]) if seq == 2 else record, events))
    with JournalReader.open(path) as reader:
        assert "not what was sealed" in verify(reader, GAMES, Proof()).wrong


def test_a_backup_has_no_secret_and_keeps_the_coins(start, path, tmp_path):
    service = start()
    give(service, *PICKS, {"do": "buy-in", "player": "Ann", "coins": 4})
    made = make_backup(path.parent, tmp_path / "b.tar", GAMES)
    assert not [name for name in made.files if name.endswith(ENDING)]
    service.close()
    restore(tmp_path / "b.tar", tmp_path / "new", GAMES)
    with TableService.open(tmp_path / "new" / FILE_NAME, HEADER, GAMES) as again:
        assert [player["coins"] for player in again.view()["players"]] == [9, 5]
        assert again.view()["picked"] == 0


def test_a_backup_after_a_reveal_goes_on_where_it_was_and_lacks_only_what_is_still_secret(start, path, tmp_path):
    service = start()
    give(service, *PICKS, {"do": "whisper", "player": "Bo", "text": "never"}, {"do": "show"})
    give(service, PICKS[0], {"do": "buy-in", "player": "Ann", "coins": 4})
    make_backup(path.parent, tmp_path / "b.tar", GAMES)
    service.close()
    restore(tmp_path / "b.tar", tmp_path / "new", GAMES)
    with TableService.open(tmp_path / "new" / FILE_NAME, HEADER, GAMES) as again:
        view = again.view()
        assert (view["rounds"], view["picked"], view["session"]) == (1, 0, 1)
        assert [player["coins"] for player in view["players"]] == [9, 5]
        give(again, {"do": "undo"}, {"do": "undo"}, PICKS[1])
        again.close()
    with TableService.open(tmp_path / "new" / FILE_NAME, HEADER, GAMES) as again:
        assert again.view("seat/2")["secrets"] == {"numbers": [3]}
        assert again.view()["players"][0]["coins"] == 5
    with JournalReader.open(tmp_path / "new" / FILE_NAME) as reader:
        assert verify(reader, GAMES).wrong is None


def test_a_backup_that_copies_a_reveal_has_what_it_opened(start, path, tmp_path, monkeypatch):
    """The first reveal happens during the backup: the file of past secrets did not exist at its beginning."""
    service, whole = start(), JournalReader.copy_to
    give(service, *PICKS)

    def revealed_meanwhile(reader, target, progress=None):
        give(service, {"do": "show"})
        whole(reader, target, progress)

    with monkeypatch.context() as busy:
        busy.setattr(JournalReader, "copy_to", revealed_meanwhile)
        make_backup(path.parent, tmp_path / "b.tar", GAMES)
    restore(tmp_path / "b.tar", tmp_path / "new", GAMES)
    with JournalReader.open(tmp_path / "new" / FILE_NAME) as reader:
        assert "unplayed" not in verify(reader, GAMES).to_json()


def test_verify_says_what_it_cannot_play_without_the_secret(start, path, tmp_path):
    give(start(), *PICKS)
    start().close()
    with JournalReader.open(path) as reader:
        assert "unplayed" not in verify(reader, GAMES).to_json()
    shutil.copy(path, tmp_path / FILE_NAME)
    with JournalReader.open(tmp_path / FILE_NAME) as reader:
        found = verify(reader, GAMES).to_json()
    assert (found["ok"], found["unplayed"]) == (True, [1])


def test_each_reveal_retires_the_secret(start, path):
    service, current = start(), path.with_suffix(ENDING)
    give(service, PICKS[0])
    first = current.read_bytes()
    give(service, {"do": "show"})
    assert not current.exists()
    give(service, PICKS[1])
    assert current.read_bytes() != first
    assert path.with_suffix(PAST_ENDING).read_text() == first.hex() + "\n"
    assert {file.stat().st_mode & 0o777 for file in (current, path.with_suffix(PAST_ENDING))} == {0o600}


def test_a_copy_of_the_whole_folder_opens_its_secrets(start, path, tmp_path):
    give(start(), *PICKS)
    start().close()
    shutil.copytree(path.parent, tmp_path / "copy")
    with TableService.open(tmp_path / "copy" / FILE_NAME, HEADER, GAMES) as again:
        assert again.view("seat/2")["secrets"] == {"numbers": [3]}


def test_no_position_with_secrets_is_written_beside_the_journal(tmp_path):
    for game, is_written in ((HIDDEN_NUMBER.rules, False), (COIN_TOSS.rules, True)):
        table = Table(Header(game, (("Ann", 5),), {}))
        for _ in range(3):
            table.do({"do": "buy-in", "player": "Ann", "coins": 1})
        checkpoints = Checkpoints(tmp_path / game.name, worth_it=1)
        checkpoints.keep(table, Head(3, "hash"), "rules")
        checkpoints.wait()
        assert (tmp_path / game.name).exists() == is_written


def test_the_seal_binds_the_key_too():
    assert seal_of(b"a" * 32, b"x") != seal_of(b"b" * 32, b"x")


@pytest.mark.parametrize("verb", [["pick"], {}, None, 7])
def test_a_verb_that_is_no_text_is_refused_and_the_table_goes_on(start, verb):
    service = start()
    with pytest.raises(BadScript):
        give(service, {"do": verb})
    give(service, *PICKS)


def test_all_boxes_have_one_length_however_much_is_in_them(start, path):
    give(start(), {"do": "whisper", "player": "Bo", "text": "x"}, {"do": "whisper", "player": "Bo", "text": "👑" * 200})
    records = [entry["record"] for entry in entries(path)[1:]]
    assert len({len(record["box"]) for record in records}) == 1


def test_a_secret_too_long_for_a_box_is_refused_with_what_to_do(start, path):
    service = start()
    with pytest.raises(BadScript, match=r"has room for 2,048 letters, this one has [\d,]+. Say it in fewer"):
        give(service, {"do": "whisper", "player": "Bo", "text": "x" * 2048})
    assert len(entries(path)) == 1


def test_the_same_command_never_gives_the_same_box(tmp_path):
    sealing = Seals(tmp_path / "secret")
    boxes = [sealing.seal(PICKS[0]) for _ in range(50)]
    assert all(len({box[field] for box in boxes}) == 50 for field in ("nonce", "seal", "box"))


@pytest.mark.parametrize("field", ["by", "nonce", "seal", "box"])
@pytest.mark.parametrize("value", [None, "", "zz", "00" * 8])
def test_a_box_that_was_damaged_is_no_crash(tmp_path, field, value):
    sealing = Seals(tmp_path / "secret")
    with pytest.raises(BrokenSeal):
        sealing.open({**sealing.seal(PICKS[0]), field: value})


def test_a_reveal_that_could_not_be_saved_retires_nothing(start, path, monkeypatch):
    service = start()
    give(service, *PICKS)

    def full(drafts):
        raise JournalError("The disk is full.")

    with monkeypatch.context() as broken:
        broken.setattr(service._files.journal, "append", full)
        with pytest.raises(NotSaved):
            give(service, {"do": "show"})
    assert path.with_suffix(ENDING).exists()
    assert not path.with_suffix(PAST_ENDING).exists()
    give(service, {"do": "show"})
    assert path.with_suffix(PAST_ENDING).exists()


def test_a_secret_that_cannot_be_written_refuses_the_command_and_the_table_goes_on(start, path, monkeypatch):
    service = start()

    def full(folder):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(durable, "sync_folder", full)
        with pytest.raises(NotSaved, match="No space left"):
            give(service, PICKS[0])
    give(service, *PICKS)
    assert [entry["record"]["do"] for entry in entries(path)[1:]] == [SEALED, SEALED]


def test_a_restart_retires_what_a_power_cut_left(start, path, monkeypatch):
    service = start()
    with monkeypatch.context() as cut:
        cut.setattr(Seals, "retire", lambda self: None)
        give(service, *PICKS, {"do": "show"})
        service.close()
    assert path.with_suffix(ENDING).exists()
    start()
    assert not path.with_suffix(ENDING).exists()


def test_a_restart_amid_secrets_retires_nothing_even_if_they_are_undone(start, path):
    give(start(), PICKS[0], {"do": "undo"})
    give(start(), {"do": "redo"})
    start()
    assert path.with_suffix(ENDING).exists()
    assert not path.with_suffix(PAST_ENDING).exists()


def test_a_secret_that_was_half_retired_seals_nothing_more(tmp_path):
    sealing = Seals(tmp_path / "secret.seal")
    first = sealing.seal(PICKS[0])
    kept = (tmp_path / "secret.seal").read_bytes()
    sealing.retire()
    (tmp_path / "secret.seal").write_bytes(kept)  # the power went between the two files
    assert sealing.seal(PICKS[0])["by"] != first["by"]
    assert Seals(tmp_path / "secret.seal").open(first)["number"] == 7


def test_another_reader_finds_a_secret_that_is_retired_meanwhile(tmp_path):
    sealing, reader = Seals(tmp_path / "secret.seal"), Seals(tmp_path / "secret.seal")
    for _ in range(3):
        box = sealing.seal(PICKS[0])
        sealing.retire()
        assert reader.open(box)["number"] == 7


@pytest.mark.parametrize("ending", [ENDING, PAST_ENDING])
def test_secrets_that_are_there_and_cannot_be_read_are_said_in_one_line(start, path, ending):
    """They are not treated as missing: the round would lose its choices, and the game begin anew at its reveal."""
    service = start()
    give(service, *PICKS, {"do": "show"}, *PICKS)
    service.close()
    secret = path.with_suffix(ending)
    kept = secret.rename(path.parent / "kept")
    secret.mkdir()
    with pytest.raises(JournalError) as refused:
        start()
    assert str(refused.value) == (
        f"{secret}, which opens the table's sealed commands, cannot be read: Is a directory. Make it a file that the "
        "table's user can read, or put its copy back. If there is none, move it out of the data directory: everybody "
        "keeps their coins, but what is still sealed is lost, and a game that needs it begins anew."
    )
    with JournalReader.open(path) as reader:
        assert verify(reader, GAMES).to_json()["unplayed"] == [1]
    secret.rmdir()
    assert [player["coins"] for player in start().view()["players"]] == [5, 5], "as the line says"
    kept.rename(secret)
    assert start().view("seat/2")["secrets"] == {"numbers": [3]}


def test_retired_secrets_that_cannot_be_read_are_not_written_over(start, path, caplog):
    """Nor treated as empty, which would keep only the newest: commands never revealed need the others at a restart."""
    service, past = start(), path.with_suffix(PAST_ENDING)
    give(service, *PICKS, {"do": "whisper", "player": "Bo", "text": "never"}, {"do": "show"}, *PICKS)
    kept = past.read_text()
    past.write_text(f"{kept}no secret\n")
    give(service, {"do": "show"})
    assert "it is damaged" in caplog.text
    assert past.read_text() == f"{kept}no secret\n"
    service.close()
    with pytest.raises(JournalError, match="cannot be read: it is damaged"):
        start()
    past.write_text(kept)
    start()
    assert past.read_text().startswith(kept)


def test_a_key_of_somebody_else_tells_nothing_of_a_secret(start):
    """A right guess gets the same answer as a wrong one: else a key could be used to try out what was sealed."""
    service = start()
    service.submit(PICKS[0], source="seat/1", key="k")
    for number in (7, 8):
        with pytest.raises(KeyReused):
            service.submit({**PICKS[0], "number": number}, source="dealer", key="k")


def test_a_key_of_an_open_command_still_tells_values_apart(start):
    service = start()
    service.submit({"do": "buy-in", "player": "Ann", "coins": 1}, source="dealer", key="k")
    with pytest.raises(KeyReused):
        service.submit({"do": "buy-in", "player": "Ann", "coins": 1.0}, source="dealer", key="k")


def test_rules_that_refuse_a_sealed_command_now_do_not_say_what_was_in_it(start, path, monkeypatch):
    service = start()
    give(service, *PICKS)
    service.close()

    def refuse(self, state, command, ledger):
        raise NotOffered(f"{command.number} is not offered any more.")

    monkeypatch.setattr(type(HIDDEN_NUMBER.rules), "apply", refuse)
    with JournalReader.open(path) as reader:
        wrong = verify(reader, GAMES).wrong
    assert "is refused now (not-offered)" in wrong
    told = start().view("room")
    assert told["journal"]["state"] == "replay-differs"
    assert "not-offered" in told["trouble"]
    assert "any more" not in str(told)


def test_the_history_of_a_restored_backup_goes_on_beyond_what_nobody_can_open(start, path, tmp_path):
    service = start()
    give(service, *PICKS, {"do": "buy-in", "player": "Ann", "coins": 4})
    make_backup(path.parent, tmp_path / "b.tar", GAMES)
    restore(tmp_path / "b.tar", tmp_path / "new", GAMES)
    with TableService.open(tmp_path / "new" / FILE_NAME, HEADER, GAMES) as again:
        steps = again.history.steps(1, 1)
        assert [step.view["picked"] for step in steps] == [0, 0, 0, 0]
        assert steps[-1].view["players"][0]["coins"] == 9


def test_an_undo_far_back_goes_past_what_nobody_can_open():
    table = Table(HEADER)
    table.skip({"do": SECRET})
    for _ in range(STEPS_KEPT + 5):
        table.do({"do": "buy-in", "player": "Ann", "coins": 1})
    for _ in range(STEPS_KEPT + 5):
        table.do({"do": "undo"})
    assert table.records == [{"do": SECRET}]
