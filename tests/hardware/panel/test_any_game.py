"""A game without panel code of its own can be run from the panel, on pins, from its legal commands alone."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from stones import Stones

from companion.config.panel import BUTTONS, PanelConfig
from companion.kernel.header import Header
from companion.plugins.plugin import GamePlugin
from companion.plugins.registry import Games
from companion.service.questions import Choice, Question
from hardware.harness.fast_table import FastTable
from hardware.harness.rig import Contact

CONFIG = PanelConfig.model_validate({"lamp_test_s": 0.0, "display": {"columns": 40}})
HELD = {"undo": 0.9, "hold": 0.9}


class StonesTable(FastTable):
    """A table of Stones with Ann, who is rich, and Bo."""

    def press(self, *buttons: str, after_s: float = 1.2) -> None:
        for button in buttons:
            self.run(self.t + after_s)
            self.play([Contact(button, True, 0.0), Contact(button, False, HELD.get(button, 0.08))])
            self.run(self.t + 0.05)

    @property
    def given(self) -> list[str]:
        """Return the panel's commands."""
        return [entry["do"] for entry in self.journal() if entry["source"] == "panel" and entry["kind"] == "command"]

    @property
    def lit(self) -> set[str]:
        """Return the lamps and lights that are on."""
        return {line.removeprefix("lamp/") for line, on in self.bench.lines().items() if on}

    @property
    def text(self) -> str:
        """Return all pages of the lower display line."""
        return " ".join(lower for _, lower in self.display.shown)


@pytest.fixture
def table() -> Iterator[StonesTable]:
    with tempfile.TemporaryDirectory(prefix="stones-") as folder:
        games = Games([GamePlugin(rules=Stones())])
        made = StonesTable(Header(games.rules("stones"), (("Ann", 50), ("Bo", 10))), CONFIG, Path(folder), games)
        yield made
        made.close()


def test_next_gives_the_command_that_needs_nothing_said(table: StonesTable) -> None:
    table.run(table.t + 1)
    assert {"next", "hold", "status/green"} <= table.lit
    assert "NEXT: heap up" in table.text
    table.press("next", "next")
    assert table.given == ["heap-up", "take-stone"]
    assert table.service.moment().turn == "Bo"
    assert "status/blue" in table.lit
    assert not any(line.startswith("suit/") for line in table.lit)


def test_play_turns_to_the_other_commands_and_deal_gives_the_one_shown(table: StonesTable) -> None:
    """Nothing is shown at first, so that DEAL cannot do anything unseen."""
    table.press("next")
    assert "deal" not in table.lit
    table.press("deal")
    assert table.given == ["heap-up"]
    table.press("play", "play", "deal")
    assert table.given == ["heap-up", "swap"]


def test_what_the_rules_would_refuse_is_not_offered(table: StonesTable) -> None:
    """Bo cannot pay for a swap: one choice is left, and scrolling shows it again."""
    table.press("next", "next", "play", "play", "deal")
    assert table.given == ["heap-up", "take-stone", "wait"]


def test_who_comes_and_goes_is_in_the_menu_of_rare_things(table: StonesTable) -> None:
    table.press("fold", "play", "deal")
    assert table.given == ["join"]
    assert [player.name for player in table.service.moment().players] == ["Ann", "Bo", "Guest 1"]
    table.press("next")  # nobody joins or leaves during a round
    assert "fold" not in table.lit


def test_undo_takes_back_and_hold_stops_the_table(table: StonesTable) -> None:
    table.press("next", "undo")
    assert table.service.moment().phase == "resting"
    table.press("hold")
    assert table.service.moment().hold is not None
    assert table.lit & set(BUTTONS) == {"hold", "undo"}
    assert "status/red" in table.lit
    table.press("next")
    assert "HOLD to go on." in table.text, "the main button says what ends the hold"
    table.press("hold")
    assert table.given == ["heap-up", "undo", "hold", "release"]


def test_a_press_just_after_the_turn_changed_was_meant_for_the_one_before(table: StonesTable) -> None:
    table.press("next")
    table.run(table.t + 2)
    assert table.command({"do": "take-stone"}, "seat/1") is None
    table.press("next", after_s=0.1)
    assert table.given == ["heap-up"]
    assert table.service.moment().turn == "Bo"


def test_a_lamp_is_lit_if_and_only_if_the_press_counts(table: StonesTable) -> None:
    for place in range(4 * len(BUTTONS)):
        button = BUTTONS[place % len(BUTTONS)]
        table.run(table.t + 1.2)
        is_lit, before = button in table.lit, table.panel.stats.presses
        table.press(button)
        assert (table.panel.stats.presses > before) == is_lit, (place, button)


def test_a_questions_answers_come_first(table: StonesTable) -> None:
    answers: tuple[Any, ...] = (Choice("no", "Leave it"), Choice("yes", "Heap them up", {"do": "heap-up"}))
    table.service.set_questions("camera", [Question("q", "early", "Are those stones?", answers, blocks=True)])
    table.run(table.t + 0.5)
    table.press("play", "deal")
    assert table.given == ["heap-up"]
