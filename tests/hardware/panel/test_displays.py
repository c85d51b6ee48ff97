"""The two display lines: their texts, the real drivers with models of the hardware, and failing displays."""

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import RPLCD.i2c
from glass import Hd44780, Max7219
from scripts import actions_of, menu_of, seen

from companion.config.panel import DisplayConfig
from companion.kernel.table import Table
from companion.plugins.panel import Moment
from companion.testing import new_header
from hardware.panel.button_actions import NO_CURSOR
from hardware.panel.displays import (
    AsyncDisplay,
    FakeDisplay,
    LcdDisplay,
    LogDisplay,
    MatrixDisplay,
    NoDisplay,
    open_display,
)
from hardware.panel.texts import PAGE_S, page_at, pages, screen


@pytest.fixture
def glass(monkeypatch: pytest.MonkeyPatch) -> Hd44780:
    found = Hd44780()
    monkeypatch.setattr(RPLCD.i2c, "SMBus", lambda port: found)
    return found


def test_the_lcd_shows_both_lines(glass: Hd44780) -> None:
    """The real driver with a model of the display's controller, nibble by nibble."""
    lcd = LcdDisplay(16, 1, 0x27)
    lcd.show("Deal the next", "NEXT: no more")
    assert glass.lines == ("Deal the next   ", "NEXT: no more   ")
    lcd.show("Card", "NEXT: no more")
    assert glass.lines == ("Card            ", "NEXT: no more   ")
    lcd.close()
    assert glass.lines == (" " * 16, " " * 16)


def test_an_lcd_that_was_away_is_set_up_again(glass: Hd44780) -> None:
    """It loses its setup with its power."""
    lcd = LcdDisplay(16, 1, 0x27)
    lcd.show("One", "Two")
    glass.is_gone = True
    with pytest.raises(OSError, match="Remote"):
        lcd.show("Three", "Two")
    glass.__init__()  # type: ignore[misc]  # power returns
    lcd.show("Three", "Two")
    assert glass.lines == ("Three           ", "Two             ")


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (
            FileNotFoundError(2, "No such file"),
            "There is no /dev/i2c-1. Switch I2C on: sudo raspi-config nonint do_i2c 0.",
        ),
        (
            PermissionError(13, "Permission denied"),
            "This user may not open /dev/i2c-1. Join its group: sudo usermod -aG i2c $USER, then log in again.",
        ),
        (
            OSError(121, "Remote I/O error"),
            "No display answers on /dev/i2c-1 at address 0x27 (Remote I/O error). "
            "Look at the wires, and at `i2cdetect -y 1` for the address.",
        ),
    ],
)
def test_a_display_that_is_missing_is_told_exactly(error: OSError, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(port: int) -> None:
        raise error

    monkeypatch.setattr(RPLCD.i2c, "SMBus", refuse)
    with pytest.raises(NoDisplay) as raised:
        open_display(DisplayConfig(kind="lcd"))
    assert str(raised.value) == text


def test_the_matrix_shows_the_upper_line() -> None:
    """The real driver: dots for letters, different ones for different letters, none after the text."""
    spi = Max7219(4)
    matrix = MatrixDisplay(4, 0, serial=spi)
    assert matrix.columns == 8
    matrix.show("DEAL", "")
    one, rows = spi.dots, [list(row) for row in spi.rows]
    matrix.show("HOLD", "")
    assert one > 20
    assert rows != spi.rows
    matrix.show("", "")
    assert spi.dots == 0
    matrix.close()


def test_a_matrix_without_a_bus_is_told_with_the_mend() -> None:
    with pytest.raises(NoDisplay) as raised:
        MatrixDisplay(4, 0)
    text = str(raised.value)
    assert "/dev/spidev0.0" in text or "luma" in text
    assert "sudo raspi-config nonint do_spi 0" in text or "pip install" in text


def test_the_kind_is_chosen_by_the_configuration(caplog: pytest.LogCaptureFixture) -> None:
    assert open_display(DisplayConfig()) is None
    log = open_display(DisplayConfig(kind="log", columns=20))
    assert isinstance(log, LogDisplay)
    with caplog.at_level("INFO"):
        log.show("upper", "lower")
    assert "[upper" in caplog.text


# ---- failing displays


class Broken(FakeDisplay):
    """Fails slowly until it is repaired."""

    is_broken = True

    def show(self, upper: str, lower: str) -> None:
        if self.is_broken:
            raise OSError(121, "Remote I/O error")
        super().show(upper, lower)


def until(check: Callable[[], bool], seconds: float = 3.0) -> None:
    ends = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < ends
        time.sleep(0.005)


def test_a_display_that_fails_is_told_once_and_taken_up_again() -> None:
    told: list[str] = []
    display = Broken()
    patient = AsyncDisplay(display, retry_s=0.02, on_trouble=told.append)
    patient.show("one", "1")
    until(lambda: bool(told))
    time.sleep(0.1)
    assert told == ["The panel's display does not answer ([Errno 121] Remote I/O error). Look at its wires."]
    display.is_broken = False
    until(lambda: display.shown == [("one", "1")])
    patient.close()
    patient.close()


def test_a_slow_display_delays_nobody_and_shows_the_newest() -> None:
    gate = threading.Event()

    class Slow(FakeDisplay):
        def show(self, upper: str, lower: str) -> None:
            gate.wait(3)
            super().show(upper, lower)

    display = Slow()
    patient = AsyncDisplay(display)
    began = time.monotonic()
    for number in range(100):
        patient.show(str(number), "")
    assert time.monotonic() - began < 0.5
    gate.set()
    until(lambda: bool(display.shown) and display.shown[-1] == ("99", ""))
    assert len(display.shown) <= 3
    patient.close()


# ---- texts


def roche(*records: dict[str, Any]) -> Moment:
    table = Table(new_header("roche", (("Ann", 100),)))
    for record in records:
        table.do(record)
    return seen(table)


def shown(view: Moment, columns: int, said: str | None = None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return screen(view, menu_of(view), NO_CURSOR, actions_of(view), said, columns)


def test_it_says_what_to_do_and_what_the_buttons_do() -> None:
    view = roche()
    upper, lower = shown(view, 16)
    assert " ".join(upper) == view.prompt
    assert " ".join(" ".join(lower).split()) == "PLAY: more FOLD: burn a card NEXT: no more bets"


@pytest.mark.parametrize("columns", [8, 16, 20, 40])
def test_no_line_is_longer_than_the_display(columns: int) -> None:
    view = replace(roche(), prompt="Unbelievablylongword “quoted” – 3 × 4 …")
    for said in (None, "The table changed as you pressed NEXT. Look, then press again."):
        for lines in shown(view, columns, said):
            assert all(len(line) <= columns and line.isascii() for line in lines)


def test_a_long_text_is_turned_over_page_by_page() -> None:
    lines = pages("one two three four five six", 9)
    shown = [page_at(lines, step * PAGE_S + 0.01) for step in range(len(lines) + 1)]
    assert shown[:-1] == list(lines)
    assert shown[-1] == lines[0]


def test_on_hold_it_says_why() -> None:
    view = roche({"do": "hold"})
    upper, lower = shown(view, 40)
    assert upper == ("On hold: the dealer asked for it",)
    assert lower == ("HOLD: go on",)
    assert menu_of(view) is None
