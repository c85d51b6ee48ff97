"""A real table and a real floor: what the pit decides comes to the table, and what the table knows comes to the pit."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest
import segno
from floor_database import cluster, database  # noqa: F401  (fixtures)
from floor_wire import ServedHouse, until

from companion.app.floor.snapshot_feed import SnapshotFeed
from companion.app.floor.wiring import FloorMembership, FloorServices, start_floor_services
from companion.app.integrations.broadcaster import Broadcaster, Sensors
from companion.config.file import load_config
from companion.config.integrations import AlarmsConfig
from companion.floor.cluster import OWNER, Cluster
from companion.floor.desk.prices import Scope
from companion.floor.errors import FloorError
from companion.floor.overview.snapshots import said_by_table
from companion.journal.evidence import EvidenceRing, Exhibit
from companion.journal.store import FILE_NAME
from companion.kernel.errors import NoAnswer, NotOffered, NotSaved
from companion.locale import Translator
from companion.objects.decks import Deck, DeckStore
from companion.service.questions import Choice, Question
from companion.service.table_service import TableService
from companion.testing import INSTALLED
from companion.vision.draw import to_jpeg

CONFIG = '[table]\ngame = "{game}"\nbank = 0\n[[players]]\nname = "Ann"\ncoins = 100\n'


@pytest.fixture
def served(cluster: Cluster, database: str, tmp_path: Path) -> Iterator[ServedHouse]:  # noqa: F811
    with ServedHouse(cluster, database, tmp_path / "floor") as house:
        for name, role in (("Dan", "dealer"), ("Pia", "pit"), ("Aud", "auditor")):
            house.house.set_person(name, role, "1234", "test")  # type: ignore[arg-type]
        yield house


class LiveSnapshots:
    """A table that follows the floor."""

    def __init__(self, served: ServedHouse, folder: Path, name: str, game: str = "roulette") -> None:
        folder.mkdir()
        self.folder, self.name = folder, name
        path = folder / "companion.toml"
        path.write_text(CONFIG.format(game=game))
        config, header = load_config(path, INSTALLED)
        served.join(folder, name)
        side = FloorMembership.of(folder, path, config, INSTALLED)
        assert side is not None
        self.side = side
        self.stack = ExitStack()
        self.service = self.stack.enter_context(
            TableService.open(folder / FILE_NAME, side.desk.prices.configured(header), INSTALLED)
        )
        self.floor: FloorServices = start_floor_services(self.stack, folder, self.service, side)

    def do(self, verb: str, **record: object) -> None:
        self.service.submit({"do": verb, **record}, source="dealer")

    def told(self) -> dict[str, object]:
        return dict(self.service.view("dealer").get("floor", {}))


@pytest.fixture
def seated(served: ServedHouse, tmp_path: Path) -> Iterator[Callable[..., LiveSnapshots]]:
    made: list[LiveSnapshots] = []

    def make(name: str = "Table 1", game: str = "roulette") -> LiveSnapshots:
        made.append(LiveSnapshots(served, tmp_path / f"table-{len(made)}", name, game))
        return made[-1]

    yield make
    for one in made:
        one.stack.close()


@pytest.mark.thorough
def test_prices_come_to_the_table_between_rounds_and_the_pit_sees_which_it_plays_by(
    served: ServedHouse, seated: Callable[..., LiveSnapshots]
):
    table, house = seated(), served.house
    until(lambda: table.told().get("status") == "ok")
    table.do("bet", player="Ann", on="red", amount=50)
    house.prices.set_games(Scope("house"), "roulette", {"table.max": 20}, base=0, who="Pia")
    said = until(lambda: table.told().get("prices"))
    assert said == "New prices from the floor from the next round: version 1, set by Pia."

    def runs() -> tuple[object, object] | None:
        (line,) = house.board.lines()
        return None if line.prices is None else (line.prices.runs, line.prices.wanted)

    until(lambda: runs() == (None, 1))
    table.do("no-more-bets")
    table.do("spin", pocket="3")
    until(lambda: table.service.options.get("max") == 20)
    until(lambda: runs() == (1, 1))
    until(lambda: "prices" not in table.told())
    with house.connection() as connection:
        row = connection.execute("SELECT table_name, game, version FROM floor.prices_in_use").fetchone()
    assert row == ("Table 1", "roulette", 1)


@pytest.mark.thorough
def test_a_table_that_was_cut_off_applies_what_it_missed(served: ServedHouse, seated: Callable[..., LiveSnapshots]):
    table, house = seated(), served.house
    until(lambda: table.told().get("status") == "ok")
    table.floor.directives._client.close()  # type: ignore[union-attr]
    served.server.__exit__()
    for number, most in enumerate((30, 40)):
        house.prices.set_games(Scope("table", "Table 1"), "roulette", {"table.max": most}, base=number, who="Pia")
    assert "max" not in table.service.options
    from web_ui.floor.server import FloorServer, floor_certificates

    certificates = floor_certificates(served.folder, "127.0.0.1")
    with FloorServer(house, served.app, certificates, "127.0.0.1", served.port):
        until(lambda: table.service.options.get("max") == 40, 40)
    assert table.service.header.prices == 2


@pytest.mark.thorough
def test_a_version_that_a_recovered_floor_gives_again_is_not_the_one_that_the_table_plays_by(
    served: ServedHouse, seated: Callable[..., LiveSnapshots]
):
    table = seated()
    served.house.prices.set_games(Scope("house"), "roulette", {"table.max": 20}, base=0, who="Pia")
    until(lambda: table.service.options.get("max") == 20)
    served.__exit__()
    with psycopg.connect(served.cluster.dsn(OWNER, served.database), autocommit=True) as owner:
        owner.execute("DELETE FROM floor.price_list")  # a backup from before is the floor's now
    with ServedHouse(served.cluster, served.database, served.folder, served.port) as again:
        again.house.prices.set_games(Scope("house"), "roulette", {"table.max": 30}, base=0, who="Pia")
        until(lambda: table.service.options.get("max") == 30, 25)
        session = table.service.session
        until(lambda: table.told().get("status") == "ok")
        assert (table.service.header.prices, table.service.session) == (1, session)


def test_a_list_that_a_table_cannot_play_is_refused_there_and_the_pit_hears_why(
    served: ServedHouse, seated: Callable[..., LiveSnapshots]
):
    table, house = seated(), served.house
    (table.folder / "companion.toml").write_text(
        CONFIG.format(game="roulette").replace("bank = 0", "bank = 0\nmin = 30")
    )
    house.prices.set_games(Scope("house"), "roulette", {"table.max": 20}, base=0, who="Pia")
    assert "cannot hold at this table" in until(lambda: str(table.told().get("prices", "")))
    assert "max" not in table.service.options
    refused = until(lambda: table.service.floor_news.refused)
    assert "above the maximum" in refused
    snapshot_feed = SnapshotFeed(lambda game: game, lambda: refused)
    broadcaster = Broadcaster(table.service, "T", AlarmsConfig(), Sensors(None, table.folder))
    broadcaster.add(snapshot_feed)
    broadcaster.poll()
    house.live.take(1, json.loads(json.dumps(snapshot_feed.latest())))
    shown = house.live.pictures()[1].prices_refused
    assert "Das Minimum 30 liegt über dem Maximum 20." in Translator([])(shown, "de"), "as each reader says it"


def test_prices_that_could_not_be_written_down_at_first_hold_all_the_same(
    served: ServedHouse, seated: Callable[..., LiveSnapshots], monkeypatch: pytest.MonkeyPatch
):
    """The disk was full for a moment, or the table too slow."""
    table = seated()
    change, errors = table.service.change_game, [NotSaved("the disk is full"), NoAnswer("too slow")]

    def change_at_last(*told: Any, **more: Any) -> object:
        if errors:
            raise errors.pop()
        return change(*told, **more)

    monkeypatch.setattr(table.service, "change_game", change_at_last)
    served.house.prices.set_games(Scope("house"), "roulette", {"table.max": 20}, base=0, who="Pia")
    until(lambda: table.service.options.get("max") == 20)
    until(lambda: table.service.floor_news.refused is None)


@pytest.mark.thorough
def test_dealers_sign_on_at_the_table_with_their_pin(served: ServedHouse, seated: Callable[..., LiveSnapshots]):
    table, house = seated(), served.house
    directives = table.floor.directives
    assert directives is not None
    until(lambda: table.told().get("status") == "ok")
    assert directives.duty() == {"dealer": None, "dealers": ["Dan", "Pia"]}
    for name, pin in (("Dan", "9999"), ("Aud", "1234"), ("Nobody", "1234")):
        with pytest.raises(NotOffered):
            directives.sign(name, pin)
    directives.sign("Dan", "1234")
    until(lambda: house.duty.now() == {1: "Dan"})
    assert table.told()["dealer"] == "Dan"
    assert "Dan signs on as the dealer." in [line["text"] for line in table.service.view("dealer")["log"]]
    with pytest.raises(NotOffered):
        directives.sign("Dan", "1234")
    house.duty.sign("Table 1", "Pia", "Pia")
    until(lambda: table.told().get("dealer") == "Pia")
    directives.sign(None, "")
    until(lambda: house.duty.now() == {})
    assert [(one.dealer, one.who) for one in house.duty.shifts()] == [("Pia", "Pia"), ("Dan", "Dan")]


def picture_with(deck: Deck, card: str, forged: bool) -> tuple[np.ndarray, tuple[tuple[float, float], ...]]:
    code = deck.code(card).text
    code = code[:-1] + ("A" if code[-1] != "A" else "B") if forged else code
    modules = np.array(segno.make(code, micro=False, error="q", version=1).matrix, np.uint8)
    dark = np.kron(np.pad(modules, 4), np.ones((6, 6), np.uint8))
    image = np.full((600, 800, 3), 255, np.uint8)
    image[100 : 100 + dark.shape[0], 200 : 200 + dark.shape[1]][dark == 1] = 0
    low, high = 24.0, 24.0 + 21 * 6
    corners = ((200 + low, 100 + low), (200 + high, 100 + low), (200 + high, 100 + high), (200 + low, 100 + high))
    return image, corners


@pytest.mark.thorough
@pytest.mark.parametrize(("forged", "worth"), [(False, "genuine"), (True, "forged")])
def test_a_card_of_another_table_is_named_there_and_its_own_table_knows_whether_it_is_genuine(
    served: ServedHouse, seated: Callable[..., LiveSnapshots], forged: bool, worth: str
):
    third, fifth = seated("Table 3"), seated("Table 5")
    deck = DeckStore(third.folder, INSTALLED.decks).new("roche", "Blue deck")
    until(lambda: fifth.side.desk.decks.owner(deck.id) == ("Table 3", "Blue deck"))
    assert third.side.desk.decks.owner(deck.id) is None, "its own deck is no other table's"
    assert deck.key.hex() not in (fifth.folder / "floor" / "decks.json").read_text()
    fifth.side.desk.decks.met(*picture_with(deck, "6D3", forged), deck.id)  # type: ignore[arg-type]
    (found,) = until(lambda: served.house.decks.strangers())
    assert (found.table, found.owner, found.deck_name, found.card) == ("Table 5", "Table 3", "Blue deck", "6D3")
    assert found.worth == worth


def test_the_pit_sees_a_question_with_the_evidence_and_hidden_cards_stay(
    served: ServedHouse, seated: Callable[..., LiveSnapshots]
):
    table, house = seated(), served.house
    until(lambda: table.told().get("status") == "ok")
    ring = EvidenceRing(table.folder / "evidence")
    name = "20260301T201507.120-3-1"
    ring.keep(Exhibit(name, to_jpeg(np.zeros((40, 30, 3), np.uint8), 80), {"id": "3", "votes": 9, "confidence": 0.98}))
    table.do("bet", player="Ann", on="red", amount=5)
    table.do("no-more-bets")
    table.do("spin", pocket="3", evidence=name)
    question = Question("q-1", "unsure", "Which pocket was it?", (Choice("a", "3"), Choice("b", "26")))
    table.service.set_questions("test", [question])
    assert house.disputes.look(1) is None
    kept = until(lambda: house.disputes.look(1))
    told = kept.dossier
    assert [(one.text, one.choices) for one in told.questions] == [("Which pocket was it?", ["3", "26"])]
    (spin,) = [one for one in told.settlements if any(line.second is not None for line in one.lines)]
    assert all(line.first == line.second for line in spin.lines)
    known = said_by_table(told.said[spin.text], INSTALLED.packages)
    assert known == spin.text, "the pit says it in its own language"
    (seen,) = told.pictures
    assert (seen.facts["votes"], seen.facts["confidence"]) == ("9", "0.9800")
    assert house.disputes.picture(1, seen.seq).startswith(b"\xff\xd8\xff")
    with pytest.raises(FloorError):
        house.disputes.picture(1, 10**6)


@pytest.mark.thorough
def test_a_damaged_deck_keeps_no_evidence_from_the_pit(served: ServedHouse, seated: Callable[..., LiveSnapshots]):
    """And the pit hears of a picture that is not the one that was kept."""
    table, house = seated(), served.house
    until(lambda: table.told().get("status") == "ok")
    (table.folder / "decks").mkdir(exist_ok=True)
    (table.folder / "decks" / "K7QX.json").write_text("{")
    jpeg = to_jpeg(np.zeros((40, 30, 3), np.uint8), 80)
    kept = Exhibit.of(datetime(2026, 3, 1, tzinfo=UTC), "3", 1, jpeg, {"id": "3"})
    ring = EvidenceRing(table.folder / "evidence")
    ring.keep(kept)
    ring.keep(replace(kept, facts={"id": "4"}))
    table.do("no-more-bets")
    table.do("spin", pocket="3", evidence=kept.name)
    assert house.disputes.look(1) is None
    told = until(lambda: house.disputes.look(1)).dossier
    assert [one.facts for one in told.pictures] == [{"trouble": "changed since the camera read it"}]


@pytest.mark.thorough
def test_a_game_of_hidden_cards_tells_the_pit_of_no_card(served: ServedHouse, seated: Callable[..., LiveSnapshots]):
    table, house = seated(game="holdem"), served.house
    until(lambda: table.told().get("status") == "ok")
    choices = (Choice("a", "the ace of spades"),)
    table.service.set_questions("test", [Question("q-1", "unsure", "Is this the ace of spades?", choices, card="AS")])
    house.disputes.look(1)
    kept = until(lambda: house.disputes.look(1))
    (asked,) = kept.dossier.questions
    assert (asked.kind, asked.text, asked.choices) == ("unsure", "", [])
    assert kept.dossier.pictures == []
