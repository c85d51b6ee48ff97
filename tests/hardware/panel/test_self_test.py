"""A panel that is tried out: its lights obey the tester, its buttons only report, and afterwards all is as before."""

from dataclasses import dataclass

import pytest

from companion.config.panel import PanelConfig
from hardware.panel.board import Pins
from hardware.panel.mock import MockPins
from hardware.panel.remote import Bench
from hardware.panel.self_test import BLINK_S, IDLE_S, SelfTest


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Trial:
    bench: SelfTest
    wires: Bench
    clock: Clock
    heard: list[tuple[str, bool]]

    @property
    def lit(self) -> list[str]:
        return sorted(line for line, on in self.wires.lines().items() if on and not line.startswith("button"))


@pytest.fixture
def trial() -> Trial:
    """A panel on mock pins, with a light on that the table wanted. No thread: `turn` is called by the test."""
    config, pins, clock = PanelConfig(), MockPins(), Clock()
    bench = SelfTest(Pins(config, pins), clock=clock)
    heard: list[tuple[str, bool]] = []
    bench.listen(lambda button, is_down: heard.append((button, is_down)))
    bench.switch("suit/6", True)
    return Trial(bench, Bench(pins, config), clock, heard)


def test_one_line_blinks_and_all_others_are_dark(trial: Trial) -> None:
    trial.bench.blink("lamp/deal")
    assert trial.lit == ["lamp/deal"]
    trial.clock.now += BLINK_S
    trial.bench.turn()
    assert trial.lit == []
    trial.clock.now += BLINK_S
    trial.bench.turn()
    assert trial.lit == ["lamp/deal"]


def test_in_the_end_the_lights_show_what_the_table_wants_by_now(trial: Trial) -> None:
    trial.bench.blink("lamp/deal")
    trial.bench.switch("suit/6", False)
    trial.bench.switch("status/green", True)
    assert trial.lit == ["lamp/deal"], "the table does not disturb the test"
    trial.bench.end()
    assert trial.lit == ["status/green"]


def test_buttons_report_and_play_nothing(trial: Trial) -> None:
    trial.bench.blink(None)
    for button in ("deal", "undo"):
        trial.wires.contact(button, True)
        trial.wires.contact(button, False)
    assert trial.bench.state()["pressed"] == ["deal", "undo"]
    assert trial.heard == []
    trial.bench.end()
    trial.wires.contact("deal", True)
    assert trial.heard == [("deal", True)]


def test_a_button_held_before_the_test_is_let_go_for_the_table_too(trial: Trial) -> None:
    trial.wires.contact("hold", True)
    trial.bench.blink(None)
    trial.wires.contact("hold", False)
    assert trial.heard == [("hold", True), ("hold", False)]


def test_a_test_that_nobody_goes_on_with_ends_by_itself(trial: Trial) -> None:
    trial.bench.blink("buzzer")
    trial.clock.now += IDLE_S
    trial.bench.turn()
    assert trial.bench.state()["testing"] is False
    assert trial.lit == ["suit/6"]


def test_each_test_begins_with_no_button_pressed(trial: Trial) -> None:
    trial.bench.blink(None)
    trial.wires.contact("deal", True)
    trial.wires.contact("deal", False)
    trial.bench.end()
    assert trial.bench.blink(None)["pressed"] == []


def test_a_line_that_there_is_not_blinks_nothing(trial: Trial) -> None:
    assert trial.bench.blink("lamp/nothing")["line"] is None
    assert trial.lit == []
