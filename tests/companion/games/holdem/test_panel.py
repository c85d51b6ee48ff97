"""A hand of hold'em on the dealer's panel: how to declare a misdeal, which cannot happen by accident."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.config.panel import PanelConfig
from companion.games.holdem.camera.questions import about_too_many
from companion.testing import INSTALLED, new_header
from hardware.harness.fast_table import FastTable
from hardware.harness.rig import Contact

CONFIG = PanelConfig.model_validate({"lamp_test_s": 0.0, "display": {"columns": 40}})
PLAYERS = (("Ann", 1000), ("Bo", 1000), ("Cy", 1000))


class Table(FastTable):
    def press(self, *buttons: str) -> None:
        for button in buttons:
            self.run(self.t + 1.2)
            self.play([Contact(button, True, 0.0), Contact(button, False, 0.08)])
            self.run(self.t + 0.05)

    @property
    def coins(self) -> list[int]:
        return [player.coins for player in self.service.moment().players]

    @property
    def phase(self) -> str:
        return self.service.moment().phase

    @property
    def lit(self) -> set[str]:
        return {line.removeprefix("lamp/") for line, on in self.bench.lines().items() if on}

    def shown(self) -> str:
        """Return all pages of both display lines since the last call."""
        text = " / ".join(" ".join(lines) for lines in self.display.shown)
        self.display.shown.clear()
        return text


@pytest.fixture(params=["holdem", "holdem-tournament"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Table]:
    made = Table(new_header(request.param, PLAYERS, {}), CONFIG, tmp_path, INSTALLED)
    yield made
    made.close()


def until_betting(table: Table) -> None:
    table.press("next", "next", "next", "next")
    assert table.phase == "preflop"


def test_during_the_deal_fold_opens_the_menu_and_deal_takes_the_hand_back(table: Table) -> None:
    before = table.coins
    table.press("next", "next", "fold")
    table.shown()
    table.press("play")
    assert "misdeal: the hand is taken back" in table.shown()
    assert table.phase == "hole"
    table.press("deal")
    assert (table.phase, table.coins) == ("ready", before)
    assert table.journal()[-1]["record"]["text"].startswith("Misdeal")


def test_while_players_bet_deal_opens_the_menu_and_next_leaves_it(table: Table) -> None:
    before = table.coins
    until_betting(table)
    assert {"deal", "play", "fold", "next"} <= table.lit
    table.press("deal", "next")
    assert table.phase == "preflop"
    table.press("deal", "deal")
    assert table.phase == "preflop", "nothing is shown at first, so a second press does nothing"
    table.press("play", "deal")
    assert (table.phase, table.coins) == ("ready", [sum(before) // len(before)] * 3)


def test_no_size_of_a_bet_is_a_misdeal(table: Table) -> None:
    """Scrolling too far selects another bet size, nothing else."""
    until_betting(table)
    table.shown()
    table.press(*["play"] * 12)
    assert "misdeal" not in table.shown()


def test_at_the_showdown_fold_mucks_and_play_opens_the_menu(table: Table) -> None:
    until_betting(table)
    for _ in PLAYERS:
        table.press("next")
    for cards in (["AS", "KD", "7H"], ["2C"], ["3C"]):
        assert table.command({"do": "board", "cards": cards}) is None
        table.press("next", "next", "next")
    assert table.phase == "showdown"
    before = table.coins
    table.press("play", "play", "deal")
    assert table.phase == "ready"
    assert sum(table.coins) > sum(before)


def test_the_cameras_question_about_a_third_card_offers_it_too(table: Table) -> None:
    before = table.coins
    table.press("next")
    asked = about_too_many((), "Ann", is_dealing=True)
    table.service.set_questions("camera", [asked.question])
    table.settle()
    table.press("play", "deal")
    assert (table.phase, table.coins) == ("ready", before)


def test_between_hands_there_is_none(table: Table) -> None:
    table.press("fold")
    table.shown()
    table.press(*["play"] * 9)
    assert "misdeal" not in table.shown()
