"""The panel at a real table: pin edges, commands in the journal, lamps for legal actions."""

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from scripts import GAMES, actions_of, script

from companion.config.panel import BUTTONS, PanelConfig
from companion.kernel.errors import NoAnswer, NothingDone
from companion.plugins.panel import Moment
from companion.service.questions import Choice, Question
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header
from companion.tracking.dice.questions import about_unsure
from companion.tracking.dice.verdict import Verdict
from hardware.harness.fast_table import FastTable
from hardware.harness.rig import Contact
from hardware.panel.board import Pins
from hardware.panel.dispatcher import Dispatcher
from hardware.panel.mock import MockPins
from hardware.panel.panel import Panel

CONFIG = PanelConfig(lamp_test_s=0.0)
HELD = {"undo": 0.9, "hold": 0.9}


class Bench(FastTable):
    """A table with a panel."""

    def press(self, button: str, after_s: float = 1.2) -> bool:
        """Press a button; return whether the press counted."""
        self.run(self.t + after_s)
        before = self.panel.stats.presses
        self.play([Contact(button, True, 0.0), Contact(button, False, HELD.get(button, 0.08))])
        self.run(self.t + 0.05)
        return self.panel.stats.presses > before

    def do(self, *commands: str) -> None:
        for command in commands:
            verb, _, card = command.partition(" ")
            assert self.command({"do": verb, "card": card} if card else {"do": verb}) is None, command

    def view(self) -> dict[str, Any]:
        self.settle()
        return self.service.glance()

    def moment(self) -> Moment:
        self.settle()
        return self.service.moment()

    def commands(self) -> list[dict[str, Any]]:
        return [
            entry["record"] for entry in self.journal() if entry["source"] == "panel" and entry["kind"] == "command"
        ]

    def is_lit(self, button: str) -> bool:
        return self.bench.lines()[f"lamp/{button}"]


@pytest.fixture
def tables() -> Iterator[Any]:
    """Yield a factory of tables in memory, which are closed at the end."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(prefix="panel-", dir=memory if memory.is_dir() else None) as folder:
        made: list[Bench] = []

        def make(game: str, *players: str, options: Mapping[str, Any] | None = None, coins: int = 100) -> Bench:
            place = Path(folder) / str(len(made))
            place.mkdir()
            header = new_header(game, tuple((name, coins) for name in players), dict(options or {}))
            made.append(Bench(header, CONFIG, place, INSTALLED))
            return made[-1]

        yield make
        for table in made:
            table.close()


SEEDS = ("seed 6D1", "seed 6N1", "seed 5D1", "seed 7D1", "seed 7D2", "seed 2D1")


@pytest.mark.parametrize("game", GAMES)
def test_a_lamp_is_lit_if_and_only_if_the_press_counts(game: str, tables: Any) -> None:
    """Every button in every phase of a random game, on pins and with a journal."""
    header, records = script(game, 1, 36)
    table = tables(game, *(p["name"] for p in header["players"]), options=header["options"])
    for player in header["players"]:
        table.command({"do": "cash-out", "player": player["name"]})
        table.command({"do": "buy-in", "player": player["name"], "coins": player["coins"]})
    phases = set()
    for place, record in enumerate(records):
        if record["do"] not in ("undo", "redo"):
            table.command(record)
        phases.add(table.view()["phase"])
        button = BUTTONS[place % len(BUTTONS)]
        table.run(table.t + 1.2)
        is_lit, before = table.is_lit(button), len(table.journal())
        assert is_lit == (button in actions_of(table.moment(), table.panel._cursor))
        assert table.press(button) == is_lit, (table.view()["phase"], button)
        for entry in reversed(table.journal()[before:]):  # undo, so that the game continues as without the press
            if entry["kind"] == "command":
                table.command({"do": "redo" if entry["do"] == "undo" else "undo"})
    assert len(phases) > 1


# ---- turns that change during a press


def test_a_fold_that_was_meant_for_the_one_before_is_refused(tables: Any) -> None:
    """Ann folds by phone during the dealer's press: Bo is not folded."""
    table = tables("rochi", "Ann", "Bo", "Cy")
    table.do(*SEEDS)
    table.run(table.t + 2)
    table.contact("fold", True)
    table.command({"do": "fold", "player": "Ann"}, "seat/1")
    table.run(table.t + 0.1)
    assert table.view()["turn"] == "Bo"
    assert table.commands() == []
    assert any("The table changed as you pressed FOLD" in " ".join(both) for both in said(table))


@pytest.mark.parametrize(("before_s", "counts"), [(0.03, False), (0.4, True)])
def test_an_undo_does_not_take_back_what_was_not_seen_yet(tables: Any, before_s: float, counts: bool) -> None:
    """If the camera deals during a press of UNDO, it is refused with a cue and a message, and nothing is undone."""
    table = tables("roche", "Ann")
    assert table.command({"do": "no-more-bets"}) is None
    table.run(table.t + 2)
    assert table.command({"do": "deal", "card": "6D3"}, "camera") is None
    table.settle()
    table.panel.step()
    refused = table.panel.stats.refused
    assert table.press("undo", before_s) is counts
    assert table.view()["dealt"] == ([] if counts else ["6D3"])
    assert table.panel.stats.refused == refused + (not counts)
    if not counts:
        assert any("The table changed as you pressed UNDO" in " ".join(both) for both in said(table))


def test_an_undo_that_is_overtaken_on_its_way_takes_nothing_back(tables: Any) -> None:
    """The card counts after the panel's last check and before the table gets the undo."""
    table = tables("roche", "Ann")
    assert table.command({"do": "no-more-bets"}) is None
    table.run(table.t + 2)
    action = actions_of(table.moment())["undo"]
    assert table.command({"do": "deal", "card": "6D3"}, "camera") is None
    with pytest.raises(NothingDone, match="Something came in between, so this was not played"):
        Dispatcher(table.service).submit(action.act.record, action.act.after)
    assert table.view()["dealt"] == ["6D3"]


def said(table: Bench) -> list[tuple[str, str]]:
    table.run(table.t + 6)
    upper = " ".join(line for line, _ in table.display.shown)
    lower = " ".join(line for _, line in table.display.shown)
    whole = " ".join(f"{a} {b}" for a, b in table.display.shown)
    return [(upper, lower), (whole, "")]


def test_a_fold_too_soon_after_the_turn_came_is_refused(tables: Any) -> None:
    table = tables("rochi", "Ann", "Bo", "Cy")
    table.do(*SEEDS)
    table.command({"do": "fold", "player": "Ann"}, "seat/1")
    assert not table.press("fold", after_s=0.1)
    assert table.press("fold", after_s=0.5)
    assert table.commands() == [{"do": "fold", "player": "Bo"}]


def test_next_just_after_a_turn_ended_by_itself_opens_no_menu(tables: Any) -> None:
    """It was meant to end the turn, which the second card has ended already."""
    table = tables("rochi", "Ann", "Bo", "Cy")
    table.do(*SEEDS, "play 6D2", "deal 3D1")
    assert table.view()["turn"] == "Bo"
    assert not table.press("next", after_s=0.4)
    assert table.press("next", after_s=1.5)
    assert table.commands() == []


def test_even_a_command_that_is_under_way_cannot_hit_the_next_player(tables: Any) -> None:
    """The turn changes between the panel's last check and the table's thread: the table itself refuses."""
    table = tables("rochi", "Ann", "Bo", "Cy")
    table.do(*SEEDS)
    table.service.submit({"do": "fold"}, source="seat/1")
    with pytest.raises(Exception, match="It is Bo's turn"):
        Dispatcher(table.service).submit({"do": "fold", "player": "Ann"})


def split(tables: Any) -> Bench:
    """A table at which Ann decides on the first of two hands; NEXT stands."""
    table: Bench = tables("blackjack", "Ann", coins=1000)
    assert table.command({"do": "bet", "player": "Ann", "amount": 100}) is None
    for to, card in (("Ann", "8S"), ("dealer", "TD"), ("Ann", "8H")):
        assert table.command({"do": "deal", "to": to, "card": card}) is None
    table.do("hole")
    assert table.command({"do": "split", "cards": ["2C", "3C"]}) is None
    return table


def test_a_button_for_one_hand_is_none_for_the_same_players_next(tables: Any) -> None:
    """The dealer's page stands on the first hand during the press."""
    table = split(tables)
    table.run(table.t + 2)
    table.do("stand")
    assert not table.press("next", after_s=0.1)
    assert table.press("next", after_s=0.5)


def test_a_press_is_overtaken_on_its_way_by_another_device(tables: Any) -> None:
    table = split(tables)
    submit = table.service.submit

    def overtaken(record: Any, **how: Any) -> Any:
        table.service.submit = submit  # type: ignore[method-assign]
        submit({"do": "stand"}, source="dealer")
        return submit(record, **how)

    table.service.submit = overtaken  # type: ignore[method-assign]
    assert not table.press("next")
    assert table.commands() == []


# ---- an undecided card


def waits(table: Bench, text: str | None) -> None:
    table.service.set_sight({"waits_for": text})
    table.run(table.t + 0.1)


def test_next_counts_the_card_that_lies_there_then_ends_the_turn(tables: Any) -> None:
    table = tables("rochi", "Ann", "Bo", "Cy")
    table.do(*SEEDS)
    waits(table, "Realm day 1: played or dealt?")
    assert not table.is_lit("fold")
    assert table.press("next")
    assert table.service.take_intentions() == (("deal", "panel"),)
    assert table.commands() == []
    table.command({"do": "deal", "card": "3D1"}, "camera")
    table.run(table.t + 0.05)
    assert table.commands() == [{"do": "end", "player": "Ann"}]
    assert table.view()["turn"] == "Bo"


def test_if_the_card_ends_the_turn_by_itself_nobody_else_is_ended(tables: Any) -> None:
    table = tables("rochi", "Ann", "Bo", "Cy")
    table.do(*SEEDS, "play 6D2")
    waits(table, "Realm day 1: played or dealt?")
    assert table.press("next")
    table.command({"do": "deal", "card": "3D1"}, "camera")
    table.run(table.t + 3)
    assert table.commands() == []
    assert table.view()["turn"] == "Bo"


def test_a_card_that_is_not_understood_is_told_and_the_turn_goes_on(tables: Any) -> None:
    table = tables("rochi", "Ann", "Bo", "Cy")
    table.do(*SEEDS)
    waits(table, "Realm day 1: played or dealt?")
    assert table.press("next")
    table.run(table.t + 2.6)
    assert table.panel.stats.refused == 1
    assert table.view()["turn"] == "Ann"
    assert "The card on the table is not understood yet" in said(table)[1][0]


def test_an_undo_is_no_card_that_counts(tables: Any) -> None:
    """While NEXT waits for the second card, a page undoes the first one: the turn, now empty, is not ended."""
    table = tables("rochi", "Ann", "Bo", "Cy")
    table.do(*SEEDS, "play 6D2")
    waits(table, "a card lies there")
    assert table.press("next")
    assert table.command({"do": "undo"}) is None
    table.run(table.t + 0.5)
    assert (table.view()["turn"], table.commands()) == ("Ann", [])


def test_an_undo_is_no_card_that_counts_though_something_else_was_done_since(tables: Any) -> None:
    """There is nothing to redo, but the turn is as empty as after the undo, and ending it would be a fold."""
    table = tables("rochi", "Ann", "Bo", "Cy")
    table.do(*SEEDS, "play 6D2")
    waits(table, "a card lies there")
    assert table.press("next")
    for record in ({"do": "undo"}, {"do": "buy-in", "player": "Cy", "coins": 5}):
        table.service.submit(record, source="dealer")
    table.run(table.t + 0.5)
    assert (table.view()["turn"], table.commands()) == ("Ann", [])


def test_a_turn_is_not_ended_where_its_card_is_undone_as_the_panel_says_so(tables: Any) -> None:
    """The undo comes between the panel's check of the table and its command."""
    table = tables("rochi", "Ann", "Bo", "Cy")
    table.do(*SEEDS)
    waits(table, "Realm day 1: played or dealt?")
    assert table.press("next")
    submit = table.service.submit

    def overtaken(record: Any, **how: Any) -> Any:
        table.service.submit = submit
        submit({"do": "undo"}, source="dealer")
        return submit(record, **how)

    submit({"do": "deal", "card": "3D1"}, source="camera")
    table.service.submit = overtaken
    table.run(table.t + 0.5)
    assert table.service.submit == submit, "the panel has seen the card"
    assert (table.view()["turn"], table.commands()) == ("Ann", [])


# ---- questions, faces, stakes


def test_a_die_that_is_not_sure_is_decided_by_deal_and_play(tables: Any) -> None:
    """The most likely face is shown first, PLAY shows the other one, DEAL counts it."""
    table = tables("rugen-house", "Ann")
    question = about_unsure(7, Verdict(None, likely=("3d", "4n")), None)
    table.service.set_questions("camera", [question])
    table.run(table.t + 0.5)
    assert table.press("play")
    assert table.press("deal")
    assert table.view()["chain"] == ["4n"]
    assert table.view()["questions"] == []


def test_an_answer_that_nobody_asks_for_any_more_is_refused(tables: Any) -> None:
    table = tables("roche", "Ann")
    question = Question("q1", "early", "Count it?", (Choice("yes", "Yes", {"do": "no-more-bets"}),), blocks=True)
    table.service.set_questions("camera", [question])
    table.run(table.t + 0.5)
    table.contact("deal", True)
    table.service.set_questions("camera", [])
    table.run(table.t + 0.1)
    assert table.view()["phase"] == "betting"
    assert table.panel.stats.refused == 1


def buys(coins: int) -> Question:
    choice = Choice("yes", f"Buy in {coins}", {"do": "buy-in", "player": "Ann", "coins": coins})
    return Question("q1", "unsure", "Count it?", (choice,))


def test_an_answer_whose_button_does_something_else_by_now_is_refused(tables: Any) -> None:
    """During the press, and after the panel's last check."""
    table = tables("roche", "Ann")
    table.service.set_questions("camera", [buys(10)])
    table.run(table.t + 0.5)
    action = actions_of(table.moment())["deal"]
    table.contact("deal", True)
    table.service.set_questions("camera", [buys(500)])
    table.run(table.t + 0.1)
    table.contact("deal", False)
    assert table.panel.stats.refused == 1
    with pytest.raises(NothingDone, match="This question is not open any more"):
        Dispatcher(table.service).answer(action.act.question, action.act.choice, action.act.mark)
    assert table.view()["players"][0]["coins"] == 100
    assert table.press("deal")
    assert table.view()["players"][0]["coins"] == 600


# ---- HOLD and the lamp test


def test_hold_is_guarded_and_a_tap_tests_the_lamps(tmp_path: Path) -> None:
    table = Bench(new_header("roche", (("Ann", 100),)), PanelConfig(lamp_test_s=0.5), tmp_path, INSTALLED)
    try:
        table.run(table.t + 2)
        table.play([Contact("hold", True, 0.0), Contact("hold", False, 0.2)])
        table.run(table.t + 0.1)
        lines = table.bench.lines()
        assert all(on for line, on in lines.items() if line.split("/")[0] in ("lamp", "suit", "status"))
        assert table.view()["hold"] is None
        table.run(table.t + 1)
        assert not all(table.bench.lines().values())
        assert table.press("hold")
        assert table.view()["hold"] == "the dealer asked for it"
        assert table.press("hold")
        assert table.view()["hold"] is None
    finally:
        table.close()


# ---- faults


def test_a_button_that_sticks_is_written_down_and_the_rest_works(tables: Any) -> None:
    table = tables("roche", "Ann")
    table.contact("deal", True)
    table.run(table.t + 20)
    assert table.press("next")
    told = [notice["text"] for notice in table.view()["notices"]]
    assert "DEAL has been down for long. It sticks, or something leans on it; free it." in told
    table.contact("deal", False)
    table.run(table.t + 1)
    assert "DEAL is free again." in [notice["text"] for notice in table.view()["notices"]]


def test_parts_that_are_left_out_are_told_at_the_start(tables: Any, tmp_path: Path) -> None:
    config = PanelConfig.model_validate({"buttons": {"deal": 40}})
    table = Bench(new_header("roche", (("Ann", 100),)), config, tmp_path, INSTALLED)
    try:
        told = [notice["text"] for notice in table.view()["notices"]]
        assert told[0].startswith("The button DEAL is on GPIO40, which a Raspberry Pi does not have")
        assert table.press("next")
        assert table.view()["phase"] == "dealing"
    finally:
        table.close()


class Deaf:
    """A table that does not answer the first time, although the command counts."""

    def __init__(self) -> None:
        self.keys: list[str | None] = []

    def submit(self, record: Mapping[str, Any], *, key: str | None, **how: Any) -> None:
        self.keys.append(key)
        if len(self.keys) == 1:
            raise NoAnswer("The table did not answer.")


def test_a_command_without_an_answer_is_asked_again_under_the_same_key() -> None:
    table = Deaf()
    dispatcher = Dispatcher(table)  # type: ignore[arg-type]
    dispatcher.submit({"do": "no-more-bets"})
    dispatcher.submit({"do": "burn", "count": 1})
    assert table.keys[0] == table.keys[1] != table.keys[2]


def test_with_its_own_threads_a_press_is_a_command(tmp_path: Path) -> None:
    """In real time, as in `companion run`; closing twice is harmless."""
    pins, config = MockPins(), PanelConfig(lamp_test_s=0.0)
    with TableService.open(tmp_path / "journal.db", new_header("roche", (("Ann", 100),)), INSTALLED) as service:
        with Panel(service, Pins(config, pins), config).start() as panel:
            version = service.version
            pins.drive(config.buttons.next or 0, False)
            service.wait(version, 5.0)
            pins.drive(config.buttons.next or 0, True)
            panel.close()
        assert service.glance()["phase"] == "dealing"
        assert service.events(0, 10, "dealer")[-1]["source"] == "panel"


# ---- another game


def test_another_games_lamps_and_buttons(tables: Any) -> None:
    """After a change of game every lamp is lit if and only if its press counts in the new game."""
    table = tables("roche", "Ann", "Bo", "Cy")
    before = [button for button in BUTTONS if table.is_lit(button)]
    for game in ("rochi", "rugen-house", "roche"):
        table.settle()
        table.service.change_game(new_header(game), source="dealer")
        table.run(table.t + 1.2)
        lit = [button for button in BUTTONS if table.is_lit(button)]
        assert lit == [button for button in BUTTONS if button in actions_of(table.moment(), table.panel._cursor)], game
    assert lit == before


def test_a_press_that_was_meant_for_the_game_before_is_refused(tables: Any) -> None:
    """If the game changes during a press, nothing happens, and the display gives the reason."""
    table = tables("roche", "Ann", "Bo", "Cy")
    button = next(button for button in BUTTONS if table.is_lit(button) and button not in HELD)
    table.run(table.t + 2)
    table.contact(button, True)
    table.service.change_game(new_header("rugen-house"), source="dealer")
    table.run(table.t + 0.1)
    table.contact(button, False)
    table.run(table.t + 0.2)
    assert table.commands() == []
