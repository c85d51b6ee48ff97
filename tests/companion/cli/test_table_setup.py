"""The set-up page's back end: saved settings, refused ones, and those that await a restart."""

import tomllib
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.app.setup.service import Refused, TableSetup
from companion.app.setup.shapes import StepWorth
from companion.app.setup.sheets import SheetWish
from companion.config.file import load_config
from companion.config.setup_keys import settable
from companion.journal.replay import is_undecided
from companion.journal.store import FILE_NAME, JournalReader
from companion.kernel.errors import CompanionError
from companion.objects.designs import UnknownKind
from companion.printing.seat_card import SeatCode
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header
from hardware.cameras import choose_camera


class NoEyes:
    """Cameras of a machine that has none."""

    def sources(self) -> list[dict[str, str]]:
        return []

    def view(self, source: str) -> dict[str, Any]:
        raise CompanionError("No camera.")

    shown = "none"

    def show_card(self, source: str, played: Collection[str]) -> dict[str, Any]:
        return {"status": self.shown, "card": "6D3", "deck": "K7QX", "is_own": False, "text": "…", "picture": None}

    def calibrate(self, mat: str | None) -> dict[str, Any]:
        return {"ok": False, "troubles": ["No camera."]}

    def check(self, source: str) -> None:
        choose_camera(source)


class NoDemo:
    """A demo that does nothing."""

    def pause(self) -> None: ...


@pytest.fixture
def service(tmp_path: Path) -> Iterator[TableService]:
    _, header = load_config(None, INSTALLED)
    with TableService.open(
        tmp_path / FILE_NAME, new_header(header.game, (("Ann", 50), ("Bob", 50))), INSTALLED
    ) as table:
        yield table


@pytest.fixture
def shop(tmp_path: Path, service: TableService) -> TableSetup:
    return TableSetup(tmp_path, tmp_path / "companion.toml", load_config(None, INSTALLED)[0], service, NoEyes())


def test_what_is_saved_waits_for_a_start_or_counts_at_once(shop: TableSetup, service: TableService) -> None:
    saved = shop.save({"table.layout": "grand", "table.practice": True})
    assert saved["waiting"] == ["table.layout"]
    assert service.settings.practice is True
    assert service.view()["practice"]
    assert shop.save({"table.layout": None})["waiting"] == [], "as it runs now"


def test_new_players_come_with_what_the_saved_game_asks_for(shop: TableSetup) -> None:
    """The game of the file, which the next start plays: 100 coins would be two blinds."""
    assert shop.settings()["usual_buy_in"] == 100
    assert shop.save({"table.game": "holdem", "holdem.big_blind": 200})["usual_buy_in"] == 8000
    assert shop.save({"table.game": "blackjack", "table.min": 20})["usual_buy_in"] == 600
    assert shop.save({"table.game": "roulette", "table.min": 2})["usual_buy_in"] == 100


def test_every_key_that_may_be_set_exists(shop: TableSetup) -> None:
    values = shop.settings()["values"]
    assert set(values) == set(settable(INSTALLED))
    assert {key: values[key] for key in ("table.game", "voice.on", "coins.chips")} == {
        "table.game": "roche", "voice.on": False, "coins.chips": [1, 5, 10],
    }  # fmt: skip


@pytest.mark.parametrize("key", ["table.paytable_file", "web.host", "table.insist", "players", "evidence.limit_mb"])
def test_paths_prices_and_addresses_cannot_be_set_from_a_page(shop: TableSetup, key: str) -> None:
    with pytest.raises(Refused, match="by hand"):
        shop.save({key: "/etc/passwd"})
    assert not shop.path.exists()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"camera.source": "gopher://x"}, "no address of a camera"),
        ({"table.deck_id": "ZZZZ"}, "no deck 'ZZZZ'"),
        ({"table.game": "captains", "rochi.leader": 12}, "rochi.leader"),
    ],
)
def test_what_the_table_could_not_start_with_is_refused(shop: TableSetup, changes: dict[str, Any], says: str) -> None:
    with pytest.raises(CompanionError, match=says):
        shop.save(changes)
    assert not shop.path.exists()


def test_another_game_while_coins_are_staked_is_refused_and_the_file_is_as_it_was(
    shop: TableSetup, service: TableService
) -> None:
    shop.save({"table.min": 2})
    before = shop.path.read_text()
    service.submit({"do": "bet", "player": "Ann", "on": "cut/6", "amount": 5}, source="test")
    with pytest.raises(Refused, match=r"5 coins are staked.*Nothing was saved"):
        shop.save({"table.game": "rugen-house"})
    assert shop.path.read_text() == before
    service.submit({"do": "take-back", "player": "Ann", "on": "cut/6"}, source="test")
    assert shop.save({"table.game": "rugen-house"})["waiting"] == ["table.game", "table.min"]


def test_a_game_with_too_few_places_is_refused_before_the_start(shop: TableSetup, service: TableService) -> None:
    service.submit({"do": "join", "player": "Cid", "coins": 5}, source="test")
    with pytest.raises(Refused, match="Nothing was saved"):
        shop.save({"table.game": "captains"})


def test_without_room_to_try_settings_out_that_is_said_and_nothing_is_saved(
    shop: TableSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: JournalReader, path: Path) -> None:
        raise OSError(28, "No space left on device", str(path))

    shop.save({"table.min": 2})
    before = shop.path.read_text()
    monkeypatch.setattr(JournalReader, "copy_to", full)
    with pytest.raises(Refused, match=r"cannot be written \(No space left on device\).*Nothing was saved"):
        shop.save({"table.layout": "grand"})
    assert shop.path.read_text() == before
    with pytest.raises(CompanionError, match="Make room on the disk"):
        shop.restart()


def test_settings_are_tried_out_before_the_file_has_them(
    shop: TableSetup, service: TableService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a power cut or a full disk in between would leave settings that prevent the next start."""
    shop.save({"table.min": 2})
    before = shop.path.read_text()
    service.submit({"do": "bet", "player": "Ann", "on": "cut/6", "amount": 5}, source="test")
    whole, seen = JournalReader.copy_to, []

    def copied(self: JournalReader, path: Path) -> None:
        seen.append(shop.path.read_text())
        whole(self, path)

    monkeypatch.setattr(JournalReader, "copy_to", copied)
    with pytest.raises(Refused, match="Nothing was saved"):
        shop.save({"table.game": "rugen-house"})
    assert seen == [before]
    assert shop.path.read_text() == before

    def cut(self: JournalReader, path: Path) -> None:
        raise SystemExit

    monkeypatch.setattr(JournalReader, "copy_to", cut)
    with pytest.raises(SystemExit):
        shop.save({"table.layout": "grand"})
    assert shop.path.read_text() == before


def test_the_real_journal_is_not_touched_by_the_rehearsal(shop: TableSetup, service: TableService) -> None:
    before = service.view()["seq"]
    shop.save({"table.layout": "grand"})
    assert service.view()["seq"] == before


def test_a_restart_leaves_out_the_options_that_were_overruled(shop: TableSetup) -> None:
    asked: list[list[str]] = []
    shop.request_restart = lambda overridden: asked.append(list(overridden))
    shop.save({"camera.source": "demo"})
    shop.restart()
    assert asked == [["--camera"]]


def test_a_table_without_a_file_of_settings_starts_again(shop: TableSetup) -> None:
    """As a table does that was never set up: the page refused, for want of the file."""
    asked: list[list[str]] = []
    shop.request_restart = lambda overridden: asked.append(list(overridden))
    assert not shop.path.exists()
    shop.restart()
    assert asked == [[]]
    assert not shop.path.exists()


def test_a_restart_is_tried_with_the_game_that_the_command_line_names(
    shop: TableSetup, service: TableService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is what the start will play; the file's game would have to wait for the coins that are staked."""
    monkeypatch.setattr("sys.argv", ["companion", "run", "--game", "roche"])
    shop.path.write_text('[table]\ngame = "rugen-house"\n')
    service.submit({"do": "bet", "player": "Ann", "on": "cut/6", "amount": 5}, source="test")
    asked: list[list[str]] = []
    shop.request_restart = lambda overridden: asked.append(list(overridden))
    shop.restart()
    assert asked == [[]]
    assert shop.save({"table.practice": True})["values"]["table.practice"] is True
    with pytest.raises(Refused, match=r"5 coins are staked.*Nothing was saved"):
        shop.save({"table.game": "rugen-house"})


@pytest.mark.parametrize(
    ("game", "commands"),
    [
        ("rugen-house", ({"do": "bet", "player": "Ann", "on": "center/3", "amount": 3}, {"do": "throw", "face": "3d"})),
        ("blackjack", ({"do": "bet", "player": "Ann", "amount": 50}, {"do": "deal", "to": "Ann", "card": "AS"},
                       {"do": "deal", "to": "Ann", "card": "AH"}, {"do": "deal", "to": "dealer", "card": "5S"},
                       {"do": "hole"}, *({"do": "hit", "card": card} for card in ("KS", "9S", "5C")))),
    ],
)  # fmt: skip
def test_the_demos_round_is_taken_back_also_where_no_coin_is_staked(
    tmp_path: Path, game: str, commands: tuple[dict[str, Any], ...]
) -> None:
    """Its result is still to come, so another game would be refused; nobody minds at the demo's table."""
    players = (("Ann", 50), ("Bob", 50))
    with TableService.open(tmp_path / FILE_NAME, new_header(game, players), INSTALLED) as table:
        shop = TableSetup(tmp_path, tmp_path / "companion.toml", load_config(None, INSTALLED)[0], table, NoEyes())
        for record in commands:
            table.submit(record, source="dealer")
        assert not is_undecided(table.ledger)
        with pytest.raises(Refused, match="then change the game"):
            shop.save({"camera.source": "demo"})
        shop.demo = NoDemo()
        shop.save({"camera.source": "demo"})
        shop.restart()
        assert table.view()["undo"] is None


def test_the_demos_game_is_kept_where_no_other_one_follows(tmp_path: Path) -> None:
    """A restart for another reason undoes the open bets, but nothing else."""
    players = (("Ann", 50), ("Bob", 50))
    with TableService.open(tmp_path / FILE_NAME, new_header("rugen-house", players), INSTALLED) as table:
        shop = TableSetup(tmp_path, tmp_path / "companion.toml", load_config(None, INSTALLED)[0], table, NoEyes())
        shop.demo = NoDemo()
        shop.save({"table.game": "rugen-house"})
        for record in ({"do": "bet", "player": "Ann", "on": "center/3", "amount": 3}, {"do": "throw", "face": "3d"},
                       {"do": "bet", "player": "Bob", "on": "day/2", "amount": 2}):  # fmt: skip
            table.submit(record, source="dealer")
        shop.restart()
        assert (table.view()["chain"], table.view()["staked"]) == (["3d"], 0)


def test_a_game_with_secrets_is_rehearsed_with_what_opens_them(tmp_path: Path) -> None:
    """Otherwise the page would save another game with which the table does not start."""
    four = tuple((name, 10) for name in ("Ann", "Bo", "Cy", "Di"))
    with TableService.open(tmp_path / FILE_NAME, new_header("king-of-roulette", four), INSTALLED) as table:
        shop = TableSetup(tmp_path, tmp_path / "companion.toml", load_config(None, INSTALLED)[0], table, NoEyes())
        shop.save({"table.game": "king-of-roulette"})
        rule = {"do": "rule", "text": "So be it", "one": [1, 2], "two": 3}
        bets = [{"do": "bet", "player": name, "space": 4} for name in ("Bo", "Cy", "Di")]
        for record in ({"do": "vote", "player": name, "for": "Ann"} for name, _ in four):
            table.submit(record, source="dealer")
        for commands in ([rule], [{"do": "guess", "range": "0-1"}, *bets, {"do": "reveal"},
                                  {"do": "elect", "player": "Ann"}, rule]):  # fmt: skip
            for record in commands:
                table.submit(record, source="dealer")
            with pytest.raises(Refused, match="secret choices are not revealed"):
                shop.save({"table.game": "roche"})
            assert tomllib.loads(shop.path.read_text())["table"] == {"game": "king-of-roulette"}


def test_edges_stand_beside_each_choice_and_are_those_of_the_odds(shop: TableSetup) -> None:
    found = shop.edges("rugen-house", {"chain_day_night": "all"})
    by_reading = {choice["value"]: choice["most"] for choice in found["choices"]["chain_day_night"]}
    assert by_reading["all"] == pytest.approx(0.703, abs=0.001)
    assert by_reading["own"] == pytest.approx(0.203, abs=0.001)
    assert shop.edges("rochi", {}) == {"now": [], "choices": {}}
    with pytest.raises(CompanionError):
        shop.edges("roche", {"layout": "huge"})
    with pytest.raises(Refused):
        shop.edges("whist", {})


def test_each_installed_game_says_which_fields_it_has(shop: TableSetup) -> None:
    found = {game["id"]: [field["key"] for field in game["fields"]] for game in shop.games()}
    limits = ["table.bank", "table.min", "table.max", "table.cap"]
    assert found == {
        "roche": ["table.layout", "table.deck", *limits],
        "rochi": ["table.deck", "rochi.join_fee", "rochi.credit", "rochi.locked_discards", "rochi.marker",
                  "table.chances", "table.turn_seconds"],
        "captains": ["table.deck", "table.chances", "table.turn_seconds"],
        "rugen-house": ["rugen-house.late_chain", "rugen-house.chain_day_night", "rugen-house.better_half", *limits],
        "rugen-street": ["rugen-street.minimum"],
        "rugen-capital": ["rugen-capital.schedule", *limits],
        "chinchirorin": ["chinchirorin.banker", "table.turn_seconds"],
        "blackjack": ["blackjack.decks", "blackjack.soft17", "blackjack.surrender", "blackjack.split_aces",
                      "blackjack.hints", *limits, "table.chances", "table.turn_seconds"],
        "holdem": ["holdem.small_blind", "holdem.big_blind", "holdem.min_chip", "holdem.button", "table.chances",
                   "table.turn_seconds"],
        "holdem-tournament": [*(f"holdem-tournament.{key}" for key in (
            "min_chip", "minutes", "antes", "big_blind_ante", "breaks_after", "break_minutes", "rebuy_until", "add_on",
            "buy_in", "prizes", "button")), "table.chances", "table.turn_seconds"],
        "king-of-roulette": ["king-of-roulette.rounds", "king-of-roulette.buy_in"],
        "roulette": ["roulette.wheel", "roulette.zero_rule", *limits],
    }  # fmt: skip
    assert {key for keys in found.values() for key in keys} <= set(settable(INSTALLED))


def test_the_limits_of_settings_that_are_not_saved_yet(shop: TableSetup) -> None:
    """By the bank where the owner leaves them out; without a bank, what one bet of the richest player can cost."""
    found = shop.limits({})["limits"]
    assert {key: found[key] for key in ("min", "max", "cap", "bank", "from_bank", "one_bet")} == {
        "min": None, "max": 200, "cap": 200, "bank": 2000, "from_bank": ["max", "cap"], "one_bet": None,
    }  # fmt: skip
    assert found["closed"] == [f"{half}/{rank}" for rank in (4, 5, 6, 7) for half in ("day", "night")]
    none = shop.limits({"table.bank": 0, "table.max": 30})["limits"]
    assert none["one_bet"] == {"on": "day/7", "coins": 30, "win": 300_000}
    assert none["closed"] == []
    assert shop.limits({"table.game": "rochi"}) == {"limits": None}
    capital = shop.limits({"table.game": "rugen-capital", "rugen-capital.schedule": "high", "table.bank": 1500})
    assert capital["limits"]["closed"] == ["take/4"], "one unit wins 155, the cap is 150"
    with pytest.raises(CompanionError, match="above the maximum"):
        shop.limits({"table.min": 9, "table.max": 3})
    with pytest.raises(Refused, match="by hand"):
        shop.limits({"web.host": "x"})
    assert not shop.path.exists()


def test_decks_are_made_and_printed(shop: TableSetup) -> None:
    made = shop.new_deck("roche", "Blue")
    assert shop.decks()[0] == made
    assert "key" not in made
    for right in (
        SheetWish("tokens", made["id"], copies=2),
        SheetWish("slips", game="king-of-roulette"),
        SheetWish("rules", game="roche", language="de"),
        SheetWish("coins", paper="letter"),
        SheetWish("test", offset=(1.0, -0.5)),
        SheetWish("seats", seats=(SeatCode(2, "https://table.local/seat/2", "ABCD-EFGH"),)),
    ):
        assert shop.sheet(right).startswith(b"%PDF"), right.what
    for wrong in (
        SheetWish("deck", "NONE"),
        SheetWish("deck", made["id"], "napkin"),
        SheetWish("deck", made["id"], size="bridge"),
        SheetWish("napkins"),
        SheetWish("mat", game="whist"),
        SheetWish("tokens", made["id"], copies=21),
        SheetWish("tokens", made["id"], offset=(7.0, 0.0)),
        SheetWish("rules", game="whist"),
        SheetWish("slips", game="roche"),
        SheetWish("slips", game="king-of-roulette", size="a5"),
        SheetWish("slips", "full", game="king-of-roulette"),
        SheetWish("seats"),
    ):
        with pytest.raises(CompanionError):
            shop.sheet(wrong)
    with pytest.raises(UnknownKind, match="Choose roche, red"):
        shop.new_deck("uno", "")


def worth(steps: list[StepWorth]) -> dict[str, str]:
    return {one["step"]: one["status"] for one in steps}


def test_a_step_passes_only_by_what_is_there(shop: TableSetup) -> None:
    assert shop.steps() == []
    for step in ("game", "deck", "camera", "card", "panel", "room", "players"):
        shop.mark(step, {})
    assert worth(shop.steps()) == {
        "game": "passed", "deck": "not-good", "camera": "not-good", "card": "not-good", "panel": "skipped",
        "room": "passed", "players": "passed",
    }  # fmt: skip
    shop.new_deck("roche", "Blue")
    assert worth(shop.mark("deck", {}))["deck"] == "passed"
    assert worth(shop.mark("mat", {}, skip=True))["mat"] == "skipped"
    shop.save({"table.game": "roulette"})
    assert worth(shop.steps()) == {"panel": "skipped", "room": "passed"}, "verified for another game"
    assert worth(shop.mark("deck", {}))["deck"] == "skipped", "played without cards"
    with pytest.raises(Refused):
        shop.mark("coffee", {})


def test_the_demo_table_verifies_nothing(shop: TableSetup) -> None:
    shop.save({"camera.source": "demo"})
    for step in ("camera", "mat", "card"):
        assert worth(shop.mark(step, {}))[step] == "skipped"
    shop.save({"camera.source": "auto"})
    shop.demo = NoDemo()
    found = {one["step"]: one for one in shop.mark("camera", {})}["camera"]
    assert found["status"] == "not-good"
    assert "demo table stands in" in found["why"][0]


def test_a_card_that_was_just_read_need_not_be_shown_again(shop: TableSetup) -> None:
    eyes = shop.setup_cameras
    assert isinstance(eyes, NoEyes)
    eyes.shown = "ok"
    assert shop.show_card()["status"] == "ok"
    eyes.shown = "none"
    assert worth(shop.mark("card", {}))["card"] == "passed"
    made = shop.new_deck("roche", "Red")
    shop.save({"table.deck_id": made["id"]})
    assert worth(shop.mark("card", {}))["card"] == "not-good", "of another deck"


def test_the_end_writes_what_was_confirmed_and_says_what_the_file_holds(shop: TableSetup) -> None:
    assert shop.settings()["written"] == {}
    shop.mark("finish", {})
    assert shop.settings()["written"] == {
        "table.game": "roche", "camera.source": "auto", "web.language": "auto", "voice.on": False,
    }  # fmt: skip
    assert tomllib.loads(shop.path.read_text())["table"] == {"game": "roche"}
    before = shop.path.read_bytes()
    shop.mark("finish", {})
    assert shop.path.read_bytes() == before


def test_the_end_is_written_while_the_tables_own_camera_is_unplugged(tmp_path: Path, service: TableService) -> None:
    """The table tries it again and again; another one that is not there is refused as before."""
    config = load_config(None, INSTALLED)[0]
    running = config.model_copy(update={"camera": config.camera.model_copy(update={"source": "/dev/video99"})})
    path = tmp_path / "companion.toml"
    path.write_text('[camera]\nsource = "/dev/video99"\n')
    shop = TableSetup(tmp_path, path, running, service, NoEyes())
    shop.mark("camera", {}, skip=True)
    assert worth(shop.mark("finish", {}))["finish"] == "passed"
    path.unlink()
    assert shop.save({"camera.source": "/dev/video99"})["written"]["camera.source"] == "/dev/video99"
    with pytest.raises(CompanionError, match="/dev/video98"):
        shop.save({"camera.source": "/dev/video98"})


def test_without_panel_or_voice_it_says_what_to_do(shop: TableSetup) -> None:
    assert shop.panel_state() is None
    with pytest.raises(Refused, match="--panel gpio"):
        shop.panel_test("lamp/deal")
    with pytest.raises(Refused, match="sudo apt install espeak-ng"):
        shop.speak("Hello", "en")
