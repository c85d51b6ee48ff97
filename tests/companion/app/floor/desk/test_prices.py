"""The floor's prices at a table: checked, followed between rounds, in the journal, and there after a start."""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from companion.app.floor.desk.prices import TablePrices
from companion.app.game_changer import GameChanger
from companion.app.setup.service import Refused, TableSetup
from companion.config.file import load_config
from companion.config.price_list import GamePrices, PriceList
from companion.journal.replay import latest_session
from companion.journal.store import FILE_NAME, JournalReader
from companion.kernel.errors import BadScript, OverLimit, TableError
from companion.service.table_service import TableService
from companion.testing import INSTALLED

CONFIG = '[table]\ngame = "roulette"\nbank = 0\nmin = 1\n[[players]]\nname = "Ann"\ncoins = 100\n'


def list_of(version: int, **games: dict[str, object]) -> PriceList:
    return {game: GamePrices(version, "Pia", "2026-05-01 20:00:00+00", keys) for game, keys in games.items()}


def sent(list_: PriceList) -> object:
    return json.loads(json.dumps({game: asdict(one) for game, one in list_.items()}))


class Joined:
    """A table that has joined a floor, on its own folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "companion.toml"
        if not self.path.exists():
            self.path.write_text(CONFIG)
        (folder / "floor").mkdir(exist_ok=True)
        config, header = load_config(self.path, INSTALLED)
        self.prices = TablePrices(self.path, INSTALLED, folder / "floor")
        self.service = TableService.open(folder / FILE_NAME, self.prices.configured(header), INSTALLED)
        self.setup = TableSetup(folder, self.path, config, self.service, None, floor_prices=self.prices)  # type: ignore[arg-type]

    def hear(self, list_: PriceList) -> object:
        self.prices.take(sent(list_), self.service, "roulette")
        return self.prices.follow(self.service)

    def do(self, verb: str, **record: object) -> None:
        self.service.submit({"do": verb, **record}, source="dealer")


@pytest.fixture
def joined(tmp_path: Path) -> Iterator[Joined]:
    made = Joined(tmp_path)
    yield made
    made.service.close()


@pytest.fixture
def again(joined: Joined) -> Iterator[Callable[[], Joined]]:
    """Start the table again, as after a power cut."""
    opened: list[Joined] = []

    def start() -> Joined:
        (opened[-1] if opened else joined).service.close()
        opened.append(Joined(joined.folder))
        return opened[-1]

    yield start
    for one in opened:
        one.service.close()


def test_new_prices_hold_at_once_between_rounds_and_are_in_the_journal(joined: Joined):
    assert joined.hear(list_of(3, roulette={"table.max": 20})) is None
    assert (joined.service.options["max"], joined.service.header.prices) == (20, 3)
    with pytest.raises(OverLimit):
        joined.do("bet", player="Ann", on="red", amount=21)
    with JournalReader.open(joined.folder / FILE_NAME) as reader:
        start = [entry for entry in reader.entries(0, 100) if entry.kind == "start"][-1]
        assert (json.loads(start.record)["prices"], start.source) == (3, "floor")
        replayed = latest_session(reader, INSTALLED, None)
        assert replayed is not None
        assert replayed.table.header.options == joined.service.options
        assert replayed.table.view()["players"] == joined.service.view("room")["players"]
    log = [line["text"] for line in joined.service.view("dealer")["log"]]
    assert "The floor's prices of version 3 hold from now on." in log


DAMAGE = [b"", b"\0" * 80, b"[]", b"\xef\xbb\xbf{}", '{"roulette": {"who": "Päm'.encode()[:-2]]


@pytest.mark.parametrize("damage", DAMAGE, ids=["empty", "zeros", "list", "mark", "cut"])
def test_a_list_that_a_power_cut_has_damaged_does_not_bring_back_the_table_s_own_prices(
    joined: Joined, again: Callable[[], Joined], caplog: pytest.LogCaptureFixture, damage: bytes
):
    """Until the floor sends it again the table plays by the list with which it began the session."""
    joined.hear(list_of(3, roulette={"table.max": 20}))
    session = joined.service.session
    (joined.folder / "floor" / "price_list.json").write_bytes(damage)
    started = again()
    assert (started.service.session, started.service.options["max"]) == (session, 20)
    assert "price_list.json is damaged" in caplog.text
    started.hear(list_of(4, roulette={"table.max": 30}))
    assert again().service.options["max"] == 30


def test_a_round_under_way_is_played_to_its_end_by_the_old_prices(joined: Joined):
    joined.do("bet", player="Ann", on="red", amount=50)
    said = joined.hear(list_of(3, roulette={"table.max": 20}))
    assert said == "New prices from the floor from the next round: version 3, set by Pia."
    joined.do("bet", player="Ann", on="black", amount=30)
    joined.do("no-more-bets")
    assert joined.prices.follow(joined.service) == said
    joined.do("spin", pocket="3")
    assert joined.prices.follow(joined.service) is None
    assert joined.service.options["max"] == 20
    assert joined.prices.follow(joined.service) is None


def test_a_dealer_who_pays_by_the_sheet_keeps_it_to_the_end(joined: Joined):
    joined.do("join", player="Bo", coins=50)
    for player, on in (("Ann", "red"), ("Bo", "black")):
        joined.do("bet", player=player, on=on, amount=10)
    joined.do("no-more-bets")
    joined.do("spin", pocket="3")
    sheet = joined.service.view("dealer")["pay_sheet"]
    assert sheet is not None
    first, *others = (step["key"] for step in sheet["steps"] if step["can_tick"])
    assert others
    joined.service.tick(sheet["id"], [first], is_paid=True, source="dealer")
    assert "from the next round" in str(joined.hear(list_of(3, roulette={"table.max": 20})))
    assert joined.service.view("dealer")["pay_sheet"]["left"] == len(others)
    joined.service.tick(sheet["id"], others, is_paid=True, source="dealer")
    assert joined.prices.follow(joined.service) is None
    assert joined.service.options["max"] == 20


def test_a_list_that_a_table_cannot_play_changes_nothing(joined: Joined):
    joined.path.write_text(CONFIG.replace("min = 1", "min = 30"))
    before = joined.service.header
    with pytest.raises(Exception, match="above the maximum"):
        joined.hear(list_of(3, roulette={"table.max": 20}))
    assert joined.service.header == before
    joined.do("bet", player="Ann", on="red", amount=40)


@pytest.mark.parametrize("told", [None, [], {"roulette": {}}, {"roulette": {"version": "3"}}, {"roulette": 5}, "x"])
def test_what_is_no_list_is_refused(joined: Joined, told: object):
    with pytest.raises(BadScript):
        joined.prices.take(told, joined.service, "roulette")
    assert joined.prices.list_ == {}


def test_a_table_that_comes_back_plays_by_the_list_that_it_got_before(joined: Joined, again: Callable[[], Joined]):
    joined.do("bet", player="Ann", on="red", amount=50)
    joined.hear(list_of(3, roulette={"table.max": 20}))
    first = again()
    assert first.service.options.get("max") is None, "the round under way is played to its end"
    first.do("no-more-bets")
    first.do("spin", pocket="3")
    second = again()
    assert (second.service.options["max"], second.service.header.prices) == (20, 3)
    session = second.service.session
    assert again().service.session == session, "nothing begins anew when nothing has changed"


def test_what_the_dealer_chose_for_tonight_stays_when_prices_change(joined: Joined, again: Callable[[], Joined]):
    changer = GameChanger(joined.setup)
    changer.change("roulette", {"roulette.wheel": "american"}, session=None, source="dealer", key=None)
    joined.hear(list_of(3, roulette={"table.max": 20}))
    assert (joined.service.options["wheel"], joined.service.options["max"]) == ("american", 20)
    joined.hear(list_of(4, roulette={"table.min": 2}))
    assert joined.service.options["wheel"] == "american"
    assert joined.service.options["min"] == 2
    assert "max" not in joined.service.options
    back = again()
    assert (back.service.options["wheel"], back.service.header.prices) == ("american", 4)


def test_another_game_is_begun_by_the_floors_prices_and_back_again(joined: Joined):
    joined.hear(list_of(3, roulette={"table.max": 20}, blackjack={"table.min": 60}))
    changer = GameChanger(joined.setup)
    offers = {one["id"]: one for one in changer.offers()["games"]}
    assert offers["roulette"]["floor"] == ["table.max"]
    assert offers["roulette"]["values"]["table.max"] == 20
    changer.change("blackjack", {}, session=None, source="dealer", key=None)
    assert (joined.service.options["min"], joined.service.header.prices) == (60, 3)
    joined.hear(list_of(5, roulette={"table.max": 10}) | list_of(3, blackjack={"table.min": 60}))
    assert joined.service.header.prices == 3
    changer.change_back(session=None, source="dealer", key=None)
    assert joined.service.options["max"] == 10
    with pytest.raises(Refused, match="set by the floor: version 5 of the price list, by Pia"):
        changer.change("roulette", {"table.max": 500}, session=None, source="dealer", key=None)


def test_the_set_up_says_what_the_floor_sets_and_changes_nothing_of_it(joined: Joined):
    joined.hear(list_of(3, roulette={"table.max": 20}))
    told = joined.setup.settings()["floor"]
    assert told["roulette"] == {"table.max": {"value": 20, "version": 3, "who": "Pia"}}
    assert told["blackjack"] == {}
    with pytest.raises(Refused, match="set by the floor"):
        joined.setup.save({"table.max": 50})
    assert "max" not in joined.path.read_text()
    joined.setup.save({"table.min": 2})
    assert "min = 2" in joined.path.read_text()


def test_a_table_without_a_floor_has_no_prices_but_its_own(tmp_path: Path):
    path = tmp_path / "companion.toml"
    path.write_text(CONFIG)
    prices = TablePrices(path, INSTALLED)
    header = load_config(path, INSTALLED)[1]
    assert prices.configured(header) is header
    assert prices.header("roulette") == replace(header, players=())
    with TableService.open(tmp_path / FILE_NAME, header, INSTALLED) as service:
        assert prices.follow(service) is None
        assert "prices" not in json.loads(JournalReader.open(tmp_path / FILE_NAME).latest(1)[0].record)


def test_a_price_list_of_a_game_that_is_not_on_waits_for_it(joined: Joined):
    session = joined.service.session
    assert joined.hear(list_of(2, blackjack={"table.min": 60})) is None
    assert joined.service.session == session
    with pytest.raises(TableError):
        joined.do("bet", player="Ann", on="nowhere", amount=1)
