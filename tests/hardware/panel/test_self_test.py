"""The panel's self-test: lights follow the tester, buttons only report, and afterwards everything is as before."""

from dataclasses import dataclass

import pytest

from companion.config.panel import PanelConfig
from hardware.panel.board import Pins
from hardware.panel.mock import MockPins
from hardware.panel.remote import MockPanel
from hardware.panel.self_test import BLINK_INTERVAL_S, TIMEOUT_S, SelfTest


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Trial:
    self_test: SelfTest
    mock: MockPanel
    clock: Clock
    heard: list[tuple[str, bool]]

    @property
    def lit(self) -> list[str]:
        return sorted(line for line, on in self.mock.lines().items() if on and not line.startswith("button"))


@pytest.fixture
def trial() -> Trial:
    """A panel on mock pins with one light on by the table. Without a thread: the test calls `update`."""
    config, pins, clock = PanelConfig(), MockPins(), Clock()
    self_test = SelfTest(Pins(config, pins), clock=clock)
    heard: list[tuple[str, bool]] = []
    self_test.listen(lambda button, is_down: heard.append((button, is_down)))
    self_test.switch("suit/6", True)
    return Trial(self_test, MockPanel(pins, config), clock, heard)


def test_one_line_blinks_and_all_others_are_dark(trial: Trial) -> None:
    trial.self_test.blink("lamp/deal")
    assert trial.lit == ["lamp/deal"]
    trial.clock.now += BLINK_INTERVAL_S
    trial.self_test.update()
    assert trial.lit == []
    trial.clock.now += BLINK_INTERVAL_S
    trial.self_test.update()
    assert trial.lit == ["lamp/deal"]


def test_in_the_end_the_lights_show_what_the_table_wants_by_now(trial: Trial) -> None:
    trial.self_test.blink("lamp/deal")
    trial.self_test.switch("suit/6", False)
    trial.self_test.switch("status/green", True)
    assert trial.lit == ["lamp/deal"], "the table does not disturb the test"
    trial.self_test.end()
    assert trial.lit == ["status/green"]


def test_buttons_report_and_play_nothing(trial: Trial) -> None:
    trial.self_test.blink(None)
    for button in ("deal", "undo"):
        trial.mock.contact(button, True)
        trial.mock.contact(button, False)
    assert trial.self_test.state()["pressed"] == ["deal", "undo"]
    assert trial.heard == []
    trial.self_test.end()
    trial.mock.contact("deal", True)
    assert trial.heard == [("deal", True)]


def test_a_button_held_before_the_test_is_let_go_for_the_table_too(trial: Trial) -> None:
    trial.mock.contact("hold", True)
    trial.self_test.blink(None)
    trial.mock.contact("hold", False)
    assert trial.heard == [("hold", True), ("hold", False)]


def test_a_test_that_nobody_goes_on_with_ends_by_itself(trial: Trial) -> None:
    trial.self_test.blink("buzzer")
    trial.clock.now += TIMEOUT_S
    trial.self_test.update()
    assert trial.self_test.state()["testing"] is False
    assert trial.lit == ["suit/6"]


def test_each_test_begins_with_no_button_pressed(trial: Trial) -> None:
    trial.self_test.blink(None)
    trial.mock.contact("deal", True)
    trial.mock.contact("deal", False)
    trial.self_test.end()
    assert trial.self_test.blink(None)["pressed"] == []


def test_a_line_that_there_is_not_blinks_nothing(trial: Trial) -> None:
    assert trial.self_test.blink("lamp/nothing")["line"] is None
    assert trial.lit == []
