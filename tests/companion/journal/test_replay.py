"""The restored table equals the live table: properties over random play."""

import json
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, make_dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.games.roche_deck.design import FULL_DECK
from companion.journal.checkpoints import Checkpoint, pack, read_checkpoint, unpack, write_checkpoint
from companion.journal.hash_chain import HashChain, genesis
from companion.journal.replay import (
    coins_written,
    count,
    dumps,
    latest_session,
    play_back,
    rules_fingerprint,
    start_draft,
)
from companion.journal.store import FILE_NAME, Journal, JournalReader
from companion.journal.verify import verify
from companion.kernel import table as table_module
from companion.kernel.errors import TableError
from companion.kernel.events import to_json
from companion.kernel.messages import Message, message
from companion.kernel.table import Header, Position, Table
from companion.kernel.values import changed
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header

HEADER = new_header("roche", (("Ann", 40), ("Bo", 40)), {"layout": "grand"})

players = st.sampled_from(["Ann", "Bo", "Cy"])
spots = st.sampled_from(["cut/2", "cut/7", "day/2", "card/2D1", "terminus/2D2", "starlight/7", "cavalry"])
cards = st.sampled_from(["2D1", "2D2", "2N1", "3D1", "3D2", "3N1", "4D1", "7N7"])
verb = {
    "bet": st.builds(
        lambda p, on, n: {"do": "bet", "player": p, "on": on, "amount": n}, players, spots, st.integers(1, 9)
    ),
    "take": st.builds(lambda p, on: {"do": "take-back", "player": p, "on": on}, players, spots),
    "deal": st.builds(lambda card: {"do": "deal", "card": card}, cards),
    "burn": st.builds(lambda n: {"do": "burn", "count": n}, st.integers(1, 3)),
    "join": st.builds(lambda seat: {"do": "join", "player": "Cy", "coins": 9, "seat": seat}, st.integers(3, 5)),
    "cage": st.builds(
        lambda p, do: {"do": do, "player": p, "coins": 7}, players, st.sampled_from(["buy-in", "cash-out"])
    ),
    "plain": st.sampled_from(["no-more-bets", "new-round", "hold", "release", "undo", "undo", "undo", "redo"]).map(
        lambda do: {"do": do}
    ),
}
plays = st.lists(st.one_of(verb["deal"], verb["deal"], verb["plain"], verb["plain"], *verb.values()), max_size=60)


def write(path: Path, plays: list[dict[str, Any]], marks: tuple[int, ...] = ()) -> tuple[Table, list[Checkpoint]]:
    """Play all accepted commands into a journal; return the table, and checkpoints made after some commands."""
    table, checkpoints = Table(HEADER), []
    with Journal.open(path) as journal:
        journal.append([start_draft(HEADER, 1)])
        for place, record in enumerate(plays):
            with suppress(TableError):
                events = dumps([to_json(event) for event in table.do(record)])
                journal.append([_draft(record, events)])
            if place in marks:
                head = journal.head
                count, position, results = table.earliest_retained()
                rules = rules_fingerprint(table.game)
                checkpoints.append(Checkpoint(head.seq, head.hash, rules, count, pack(position), results))
    return table, checkpoints


def _draft(record: dict[str, Any], events: str) -> Any:
    from companion.journal.hash_chain import Draft

    return Draft("command", 1, "test", dumps(record), events)


def everything(table: Table) -> tuple[Any, ...]:
    """Return everything observable of a table, now and after any number of undos and redos."""
    return table.position, table.records, table.results, table.view()


def undone_all_the_way(table: Table) -> Iterator[tuple[Any, ...]]:
    while table.records:
        table.do({"do": "undo"})
        yield everything(table)


@pytest.fixture
def few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retain so few steps that undo often has to replay."""
    monkeypatch.setattr(table_module, "STEPS_KEPT", 3)


quick = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@quick
@given(plays=plays, marks=st.tuples(st.integers(0, 60), st.integers(0, 60)))
def test_back_from_the_journal_is_the_live_table(
    plays: list[dict[str, Any]], marks: tuple[int, int], few_steps: None
) -> None:
    """Replayed, and from any checkpoint: same position, results and redo, and the same at every undo to the start."""
    with tempfile.TemporaryDirectory() as folder:
        live, checkpoints = write(Path(folder) / FILE_NAME, plays, marks)
        with JournalReader.open(Path(folder) / FILE_NAME) as reader:
            entries = list(reader.entries())
            backs = [latest_session(reader, INSTALLED, checkpoint) for checkpoint in (None, *checkpoints)]
        expected = [everything(live), *undone_all_the_way(live)]
        for back in backs:
            assert back is not None
            assert [everything(back.table), *undone_all_the_way(back.table)] == expected
        assert coins_written(entries, INSTALLED).total == 0


@quick
@given(plays=plays)
def test_the_coins_written_down_are_the_coins(plays: list[dict[str, Any]]) -> None:
    """The ledger computed from the events alone is the rules' ledger, and a sound journal verifies."""
    with tempfile.TemporaryDirectory() as folder:
        live, _ = write(Path(folder) / FILE_NAME, plays)
        with JournalReader.open(Path(folder) / FILE_NAME) as reader:
            written = coins_written(list(reader.entries()), INSTALLED)
            assert verify(reader, INSTALLED).wrong is None
        held = {account: coins for account, coins in written.accounts.items() if coins}
        assert held == {account: coins for account, coins in live.position.ledger.accounts.items() if coins}


@quick
@given(plays=plays)
def test_a_command_that_was_not_saved_never_was(plays: list[dict[str, Any]], few_steps: None) -> None:
    """Rolling back to earlier marks leaves the table as it was, undo and redo included."""
    table = Table(HEADER)
    for place, record in enumerate(plays):
        before, mark = everything(table), table.mark()
        with suppress(TableError):
            table.do(record)
            if place % 2:
                table.back_to(mark)
                assert everything(table) == before
    again = Table(HEADER)
    for record in table.records:
        again.do(record)
    assert everything(again)[:3] == everything(table)[:3]


@settings(max_examples=15, deadline=None)
@given(plays=plays)
def test_the_live_view_is_the_replay_of_the_journal(plays: list[dict[str, Any]]) -> None:
    """The service shows what a replay of its journal gives, before and after a restart."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / FILE_NAME
        with TableService.open(path, HEADER, INSTALLED) as service:
            for record in plays:
                with suppress(TableError):
                    service.submit(record, source="test")
            shown = service.view()
            with JournalReader.open(path) as reader:
                replayed = play_back(list(reader.entries()), INSTALLED, compare=True)[0].view()
        with TableService.open(path, HEADER, INSTALLED) as service:
            again = service.view()
    assert {key: shown[key] for key in replayed} == replayed
    assert {**again, "version": 0} == {**shown, "version": 0}


# ---- checkpoints


@pytest.fixture
def long_evening(tmp_path: Path) -> tuple[Path, Table, Checkpoint]:
    """A journal of many rounds, and a checkpoint from its end."""
    rounds = []
    for place in range(150):
        rounds += [
            {"do": "bet", "player": "Ann", "on": "cut/2", "amount": 1},
            {"do": "no-more-bets"},
            {"do": "deal", "card": FULL_DECK[place % 4]},
            {"do": "deal", "card": FULL_DECK[(place + 1) % 4]},
            {"do": "new-round"},
        ]
    live, checkpoints = write(tmp_path / FILE_NAME, rounds, (len(rounds) - 1,))
    return tmp_path / FILE_NAME, live, checkpoints[0]


def test_a_shortcut_comes_back_from_its_file(long_evening: tuple[Path, Table, Checkpoint], tmp_path: Path) -> None:
    """Written and read again, it is equal; and only its owner may read the file."""
    _, _, checkpoint = long_evening
    assert checkpoint.count == 250
    write_checkpoint(tmp_path / "x.shortcut", checkpoint)
    assert read_checkpoint(tmp_path / "x.shortcut") == checkpoint
    assert (tmp_path / "x.shortcut").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("change", ["head", "rules", "torn", "garbage", "count"])
def test_a_shortcut_that_does_not_fit_is_left_aside(
    long_evening: tuple[Path, Table, Checkpoint], tmp_path: Path, change: str
) -> None:
    """A checkpoint of another journal or version, or a damaged one, changes nothing."""
    path, live, checkpoint = long_evening
    file = tmp_path / "x.shortcut"
    write_checkpoint(file, checkpoint)
    text = file.read_text()
    if change == "torn":
        file.write_text(text[: len(text) // 2])
    elif change == "garbage":
        file.write_bytes(b"\xff\x00" * 50)
    elif change == "count":
        file.write_text(text.replace('"count":250', '"count":251'))
    found = read_checkpoint(file)
    if change in ("head", "rules"):
        assert found is not None
        values = {name: getattr(found, name) for name in found.__slots__}
        found = Checkpoint(**(values | {change: "0" * 64}))
    else:
        assert found is None
    with JournalReader.open(path) as reader:
        session = latest_session(reader, INSTALLED, found)
    assert session is not None
    assert not session.is_short
    assert everything(session.table) == everything(live)


def test_undo_below_a_shortcut_leaves_it_aside(long_evening: tuple[Path, Table, Checkpoint]) -> None:
    """If more was undone since than the checkpoint covers, everything is replayed."""
    path, live, checkpoint = long_evening
    with Journal.open(path) as journal:
        for _ in range(600):
            live.do({"do": "undo"})
            journal.append([_draft({"do": "undo"}, "[]")])
        live.do({"do": "hold"})
        journal.append([_draft({"do": "hold"}, "[]")])
    with JournalReader.open(path) as reader:
        session = latest_session(reader, INSTALLED, checkpoint)
    assert session is not None
    assert not session.is_short
    assert everything(session.table) == everything(live)


def test_a_shortcut_is_of_use(long_evening: tuple[Path, Table, Checkpoint]) -> None:
    """A matching checkpoint is used."""
    path, live, checkpoint = long_evening
    with JournalReader.open(path) as reader:
        session = latest_session(reader, INSTALLED, checkpoint)
    assert session is not None
    assert session.is_short
    assert everything(session.table) == everything(live)


def test_a_position_comes_back_from_its_text() -> None:
    """Only for the right game, and the reason for a hold is still translatable."""
    table = Table(HEADER)
    table.do({"do": "bet", "player": "Ann", "on": "cut/2", "amount": 5})
    position = changed(table.position, hold=message("{n} coins differ", n=3))
    found = unpack(pack(position), type(position.state))
    assert found == position
    assert found is not None
    assert isinstance(found.hold, Message)
    assert found.hold.values == {"n": 3}
    assert unpack(pack(position), Header) is None
    assert unpack(pack(position).replace("player/Ann", "no account"), type(position.state)) is None


def test_what_would_come_back_as_something_else_is_not_kept() -> None:
    """A state whose fields have no types: a wrong position would pay wrongly."""

    @dataclass(frozen=True)
    class Vague:
        bets: Any = ((1, 2),)

    with pytest.raises(TypeError, match=r"^A Vague cannot be kept in a checkpoint: give every field its type\.$"):
        pack(Position(Vague(), Table(HEADER).position.ledger))


@pytest.mark.parametrize(("declared", "value"), [(int, True), (int, 1.0), (bool, 1)])
def test_what_only_equals_its_declared_type_is_not_kept(declared: type, value: object) -> None:
    """Equal, but written differently: the next start would have another position than the last one wrote."""
    state = make_dataclass("State", [("bets", declared)], frozen=True)(value)
    with pytest.raises(TypeError, match=r"^A State cannot be kept"):
        pack(Position(state, Table(HEADER).position.ledger))


@pytest.mark.parametrize("text", ["", "5", "null", "[]", "{}", '{"state": 5}', '"state"'])
def test_a_position_that_is_none_is_told_by_none(text: str) -> None:
    assert unpack(text, type(Table(HEADER).position.state)) is None


# ---- verify finds what the chain alone does not


def test_verify_plays_the_commands_again(tmp_path: Path) -> None:
    """An entry whose events do not follow from its command is named, although the chain is valid."""
    path = tmp_path / FILE_NAME
    bet = {"do": "bet", "player": "Ann", "on": "cut/2", "amount": 5}
    events = json.loads(dumps([to_json(event) for event in Table(HEADER).do(bet)]))
    events[1]["coins"] = 3
    with Journal.open(path) as journal:
        journal.append([start_draft(HEADER, 1), _draft(bet, dumps(events))])
    with JournalReader.open(path) as reader:
        assert not any(map(HashChain(genesis(reader.id)).check, reader.entries()))
        found = verify(reader, INSTALLED)
    assert found.seq == 2
    assert "moves other coins now" in str(found.wrong)


def test_verify_names_a_command_that_could_not_be(tmp_path: Path) -> None:
    """A command that the rules refuse cannot have come through the table."""
    path = tmp_path / FILE_NAME
    with Journal.open(path) as journal:
        journal.append([start_draft(HEADER, 1), _draft({"do": "deal", "card": "2D1"}, "[]")])
    with JournalReader.open(path) as reader:
        found = verify(reader, INSTALLED)
    assert (found.seq, found.entries) == (2, 2)
    assert "is refused now" in str(found.wrong)


def test_undone_and_redone_commands_are_counted_without_the_rules(tmp_path: Path) -> None:
    """Undo and redo are followed without the rules."""
    path = tmp_path / FILE_NAME
    plays = [{"do": "hold"}, {"do": "release"}, {"do": "undo"}, {"do": "undo"}, {"do": "redo"}]
    write(path, plays)
    with JournalReader.open(path) as reader:
        counted = count(reader.entries())
    assert [record["do"] for _, record in counted.done] == ["hold"]
    assert [record["do"] for _, record in counted.undone] == ["release"]
