"""GPIO pins: an unavailable pin disables its part, with the reason and a remedy; all others work."""

from typing import Any

import pytest

from companion.config.panel import ButtonPins, PanelConfig
from hardware.panel.board import Pins
from hardware.panel.factories import NoPins, describe, no_permission, open_factory, pin_trouble
from hardware.panel.mock import MockPins


class Refusing(MockPins):
    """Mock pins of which one is refused with lgpio's error message."""

    def __init__(self, pin: int, error: Exception) -> None:
        super().__init__()
        self._refused, self._error = f"GPIO{pin}", error

    def pin(self, name: Any) -> Any:
        if str(name) in (self._refused, self._refused.removeprefix("GPIO")):
            raise self._error
        return super().pin(name)


class LgpioError(Exception):
    """Like ``lgpio.error``: the text in quotes."""


def test_a_busy_pin_leaves_one_part_out() -> None:
    with Pins(PanelConfig(), Refusing(5, LgpioError("'GPIO busy'"))) as board:
        assert board.troubles == (
            "GPIO5 is in use by another program, so the button DEAL is left out. "
            "End that program (sudo gpioinfo names it), or choose another pin for panel.buttons.deal.",
        )
        assert set(board.buttons) == {"play", "fold", "undo", "next", "hold"}
        assert len(board.lines) == 16


def test_without_permission_the_group_is_named() -> None:
    with Pins(PanelConfig(), Refusing(18, PermissionError(13, "Permission denied"))) as board:
        assert board.troubles == (
            "The buzzer on GPIO18 is left out. This user may not open /dev/gpiochip0. "
            "Join its group: sudo usermod -aG gpio $USER, then log in again.",
        )
        assert "buzzer" not in board.lines
        board.switch("buzzer", True)  # an unavailable part is ignored


def test_a_fault_of_the_plan_is_among_the_troubles() -> None:
    with Pins(PanelConfig(buttons=ButtonPins(deal=40)), MockPins()) as board:
        assert len(board.troubles) == 1
        assert board.troubles[0].startswith("The button DEAL is on GPIO40")


def test_edges_are_told_with_the_button_that_they_are_of() -> None:
    pins, told = MockPins(), []
    with Pins(PanelConfig(), pins) as board:
        board.listen(lambda button, is_down: told.append((button, is_down)))
        for pin in (5, 26):
            pins.drive(pin, False)
            pins.drive(pin, True)
    assert told == [("deal", True), ("deal", False), ("next", True), ("next", False)]


def test_a_button_that_is_down_at_the_start_is_seen() -> None:
    pins = MockPins()
    with Pins(PanelConfig(), pins) as board:
        pins.drive(5, False)
        assert board.is_down("deal")
        assert not board.is_down("play")


def test_everything_is_off_when_it_closes_and_it_may_be_closed_twice() -> None:
    pins = MockPins()
    board = Pins(PanelConfig(), pins)
    board.switch("lamp/deal", True)
    board.switch("status/red", True)
    assert pins.is_high(12)
    board.close()
    board.close()
    assert board.lines == frozenset()


def test_a_line_is_only_switched_when_it_changes() -> None:
    pins = MockPins()
    with Pins(PanelConfig(), pins) as board:
        for _ in range(5):
            board.switch("lamp/deal", True)
        assert [edge.is_high for edge in pins.edges() if edge.pin == 12] == [True]


# ---- pin factories


@pytest.mark.parametrize("wanted", ["auto", "lgpio", "rpigpio"])
def test_without_pins_every_reason_is_told(wanted: str) -> None:
    """On a machine without a header: the missing part and the remedy."""
    try:
        factory, name = open_factory(wanted)
    except NoPins as error:
        text = str(error)
        assert ("lgpio" in text) == (wanted != "rpigpio")
        assert ("RPi.GPIO" in text) == (wanted != "lgpio")
        for reason in ("is not installed. Install it: ", "finds no /dev/gpiochip", "may not open", "only be run on"):
            if reason in text:
                return
        pytest.fail(text)
    else:  # the tests may also run on a real Pi
        factory.close()
        assert name in ("lgpio", "RPi.GPIO")


def test_a_pin_that_is_refused_for_another_reason_says_it() -> None:
    told = pin_trouble("lamp DEAL", 12, "panel.lamps.deal", LgpioError("'bad GPIO number'"))
    assert told == (
        "GPIO12 cannot be used for the lamp DEAL, which is left out: bad GPIO number. "
        "Choose another pin for panel.lamps.deal."
    )
    assert no_permission("/dev/gpiochip4").startswith("This user may not open /dev/gpiochip4.")


def test_what_is_used_is_named_for_the_log() -> None:
    assert describe(MockPins(), "mock") == "mock"
    assert describe(MockPins(), "lgpio") == "lgpio of a Raspberry Pi 4B"
