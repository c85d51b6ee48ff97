"""What the pit sees of a table between its entries: sent beside them, over TLS, to a floor with a real database."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from floor_wire import JournalTable, ServedHouse, until

from companion.app.floor.snapshot_feed import SnapshotFeed, said_of
from companion.app.integrations.broadcaster import Broadcaster, Sensors
from companion.config.integrations import AlarmsConfig
from companion.floor.desk.disputes import SettledLine
from companion.floor.overview.snapshots import LiveSnapshot, LiveSnapshots, said_by_table
from companion.kernel.errors import TableError
from companion.kernel.events import to_json
from companion.kernel.messages import Message, joined
from companion.kernel.table import Header, Table
from companion.service.committing.checks import MAX_COINS_COUNTED
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header


def snapshot_feed(service: TableService, tmp_path: Path) -> tuple[SnapshotFeed, Broadcaster]:
    made = SnapshotFeed(lambda game: INSTALLED[game].title)
    broadcaster = Broadcaster(service, "T", AlarmsConfig(), Sensors(None, tmp_path))
    broadcaster.add(made)
    return made, broadcaster


def test_a_real_tables_picture_is_one_that_the_floor_takes(tmp_path: Path):
    with TableService.open(tmp_path / "journal", new_header("roulette", (("Ann", 50),)), INSTALLED) as service:
        made, broadcaster = snapshot_feed(service, tmp_path)
        assert made.latest() is None
        service.submit({"do": "bet", "player": "Ann", "on": "red", "amount": 5}, source="dealer")
        service.submit({"do": "hold"}, source="dealer")
        broadcaster.poll()
        picture, live = LiveSnapshot.model_validate(made.latest()), LiveSnapshots()
        live.take(1, json.loads(json.dumps(made.latest())))
    assert (picture.title, picture.in_play, picture.on_table, picture.disputed) == ("Roulette", 5, 50, False)
    assert picture.hold == "the dealer asked for it"
    held = live.pictures()[1].hold
    assert isinstance(held, Message), "so that the pit reads it in its own language"
    assert (held, json.loads(json.dumps(live.pictures()[1].model_dump()))["hold"]) == (picture.hold, picture.hold)
    assert [(one.name, one.coins, one.staked) for one in picture.players] == [("Ann", 45, 5)]


def test_the_picture_of_a_table_with_all_coins_that_it_counts_is_taken(tmp_path: Path):
    """It was left out, and the pit went on seeing an older one: no hold, no dispute, other coins."""
    coins = MAX_COINS_COUNTED // 2  # the cage has as many less
    rich = (("Ann", coins), ("Bo", 0))
    with TableService.open(tmp_path / "journal", new_header("roulette", rich), INSTALLED) as service:
        made, broadcaster = snapshot_feed(service, tmp_path)
        service.submit({"do": "bet", "player": "Ann", "on": "red", "amount": 10**15}, source="dealer")
        broadcaster.poll()
        picture = LiveSnapshot.model_validate(made.latest())
    assert (picture.on_table, picture.in_play) == (coins, 10**15)
    line = {"account": "Ann", "first": MAX_COINS_COUNTED, "second": -MAX_COINS_COUNTED}
    assert SettledLine.model_validate(line).first == MAX_COINS_COUNTED


def test_the_picture_of_a_crowd_is_taken_with_all_of_their_coins(tmp_path: Path):
    crowd = tuple((f"Player {number}", 5) for number in range(120))
    with TableService.open(tmp_path / "journal", new_header("roche", crowd), INSTALLED) as service:
        made, broadcaster = snapshot_feed(service, tmp_path)
        broadcaster.poll()
        picture = LiveSnapshot.model_validate(made.latest())
    assert (len(picture.players), picture.on_table) == (100, 600)


def steps() -> Iterator[Message]:
    """What the history says of each command in the recorded playthroughs of all games."""
    for script in sorted((Path(__file__).parents[3] / "playthroughs").glob("*/*.jsonl")):
        lines = [json.loads(line) for line in script.read_text().splitlines() if line.strip() and line[0] != "#"]
        try:
            table = Table(Header.parse(lines[0], INSTALLED))
            for record in lines[1:]:
                told = [text for event in table.do(record) if (text := to_json(event).get("text"))]
                yield joined(told, ". ")
        except TableError:
            continue


def test_the_pit_can_read_all_that_the_games_say_in_its_own_language():
    every = [one for one in steps() if one]
    assert len(every) > 1000
    sent = [(one, json.loads(json.dumps(said_of(one)))) for one in every]
    assert [one for one, told in sent if said_by_table(told, INSTALLED.packages) != one] == []


@pytest.mark.thorough
def test_the_newest_picture_arrives_and_again_at_a_floor_that_has_restarted(
    served: ServedHouse, table: JournalTable, tmp_path: Path
):
    with TableService.open(tmp_path / "journal", new_header("roulette", (("Ann", 50),)), INSTALLED) as service:
        made, broadcaster = snapshot_feed(service, tmp_path)
        broadcaster.poll()
        table.picture = made.latest()
        table.play(1)
        with table.follow(served.join(table.data_dir)):
            until(lambda: served.house.live.pictures())
            (line,) = served.house.board.lines()
            assert line.picture is not None
            assert line.picture.players[0].coins == 50
            service.submit({"do": "buy-in", "player": "Ann", "coins": 5}, source="dealer")
            broadcaster.poll()
            table.picture = made.latest()  # nothing new in the journal: it comes by itself
            until(lambda: served.house.live.pictures()[1].players[0].coins == 55, 3)
            served.__exit__()
            with ServedHouse(served.cluster, served.database, served.folder, served.port) as again:
                until(lambda: again.house.live.pictures(), 20)


def test_a_picture_that_cannot_be_read_holds_no_entry_up(served: ServedHouse, table: JournalTable):
    table.picture = {"players": 7}
    table.play(3)
    with table.follow(served.join(table.data_dir)):
        until(table.is_ok)
        until(lambda: served.house.board.lines()[0].seq == 3)
    assert served.house.live.pictures() == {}
