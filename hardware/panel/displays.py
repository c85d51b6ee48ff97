"""Two-line text displays behind one protocol. A slow or broken display never delays a button."""

import logging
import threading
from collections.abc import Callable
from typing import Any, Final, Protocol

from companion.config.panel import DisplayConfig
from companion.kernel.errors import CompanionError
from companion.kernel.messages import message

log = logging.getLogger(__name__)

RETRY_S: Final = 10.0


class NoDisplay(CompanionError):
    """The configured display cannot be used; the message says why, and what to do."""


class Display(Protocol):
    """Two lines of ASCII text with a fixed number of columns."""

    @property
    def columns(self) -> int: ...
    def show(self, upper: str, lower: str) -> None: ...
    def close(self) -> None: ...


class FakeDisplay:
    """Records all texts that it was given; for tests."""

    def __init__(self, columns: int = 16) -> None:
        self.columns = columns
        self.shown: list[tuple[str, str]] = []

    def show(self, upper: str, lower: str) -> None:
        """Record the lines."""
        self.shown.append((upper, lower))

    def close(self) -> None:
        """Nothing to close."""


class LogDisplay:
    """Writes the lines to the log."""

    def __init__(self, columns: int) -> None:
        self.columns = columns

    def show(self, upper: str, lower: str) -> None:
        """Log the lines."""
        log.info("Panel: [%-*s] [%-*s]", self.columns, upper, self.columns, lower)

    def close(self) -> None:
        """Nothing to close."""


class LcdDisplay:
    """A character LCD (HD44780) behind a PCF8574 on I²C, through RPLCD.

    Raises:
        NoDisplay: the library is not installed, or the bus or the display does not respond.
    """

    def __init__(self, columns: int, bus: int, address: int) -> None:
        self.columns, self._bus, self._address = columns, bus, address
        self._lcd: Any = None
        self._shown = ("", "")
        try:
            self._open()
        except ImportError as error:
            raise NoDisplay.saying(
                "RPLCD is not installed. Install it: pip install 'table-companion[display]'."
            ) from error
        except OSError as error:
            raise NoDisplay(_no_lcd(bus, address, error)) from error

    def _open(self) -> None:
        """Initialise the display; repeated after each failure."""
        from RPLCD.i2c import CharLCD

        self._shown = ("", "")
        self._lcd = CharLCD("PCF8574", self._address, port=self._bus, cols=self.columns, rows=2, auto_linebreaks=False)

    def show(self, upper: str, lower: str) -> None:
        """Write the lines that have changed.

        Raises:
            OSError: the bus or the display does not respond.
        """
        if self._lcd is None:
            self._open()
        try:
            self._write(upper, lower)
        except OSError:
            self._lcd.bus.close()
            self._lcd = None
            raise

    def _write(self, upper: str, lower: str) -> None:
        for row, (text, before) in enumerate(zip((upper, lower), self._shown, strict=True)):
            if text != before:
                self._lcd.cursor_pos = (row, 0)
                self._lcd.write_string(text.ljust(self.columns)[: self.columns])
        self._shown = (upper, lower)

    def close(self) -> None:
        """Clear the display and release the bus."""
        if self._lcd is not None:
            self._lcd.close(clear=True)


def _no_lcd(bus: int, address: int, error: OSError) -> str:
    device = f"/dev/i2c-{bus}"
    if isinstance(error, FileNotFoundError):
        return message("There is no {device}. Switch I2C on: sudo raspi-config nonint do_i2c 0.", device=device)
    if isinstance(error, PermissionError):
        return message(
            "This user may not open {device}. Join its group: sudo usermod -aG i2c $USER, then log in again.",
            device=device,
        )
    return message(
        "No display answers on {device} at address {address} ({error}). Look at the wires, and at "
        "`i2cdetect -y {bus}` for the address.",
        device=device,
        address=f"{address:#04x}",
        error=error.strerror or str(error),
        bus=bus,
    )


class MatrixDisplay:
    """A chain of 8 × 8 LED modules (MAX7219) on SPI, through luma.led_matrix; it has room for the upper line only.

    Args:
        modules: number of modules in the chain.
        chip_select: SPI device, 0 or 1.
        serial: luma's serial interface; None for SPI port 0.

    Raises:
        NoDisplay: the library is not installed, or the bus cannot be used.
    """

    def __init__(self, modules: int, chip_select: int, serial: Any = None) -> None:
        self.columns = modules * 2  # the tiny font is four dots wide
        try:
            from luma.core.error import DeviceNotFoundError, DevicePermissionError
            from luma.core.interface.serial import noop, spi
            from luma.led_matrix.device import max7219
        except ImportError as error:
            raise NoDisplay.saying(
                "luma.led_matrix is not installed. Install it: pip install 'table-companion[display]'."
            ) from error
        try:
            bus = serial or spi(port=0, device=chip_select, gpio=noop())
            self._matrix: Any = max7219(bus, cascaded=modules, block_orientation=-90)
        except (DeviceNotFoundError, DevicePermissionError, ImportError, OSError) as error:
            raise NoDisplay.saying(
                "The display on /dev/spidev0.{device} cannot be used: {error}. Switch SPI on: sudo raspi-config "
                "nonint do_spi 0; join its group: sudo usermod -aG spi $USER.",
                device=chip_select,
                error=str(error),
            ) from error

    def show(self, upper: str, lower: str) -> None:
        """Show the upper line."""
        from luma.core.legacy import text
        from luma.core.legacy.font import TINY_FONT
        from luma.core.render import canvas

        with canvas(self._matrix) as draw:
            text(draw, (0, 1), upper, fill="white", font=TINY_FONT)

    def close(self) -> None:
        """Clear the display and release the bus."""
        self._matrix.cleanup()


def open_display(config: DisplayConfig) -> Display | None:
    """Open the configured display; None if none is configured.

    Raises:
        NoDisplay: the display cannot be used; the message gives the reason and the remedy.
    """
    if config.kind == "lcd":
        return LcdDisplay(config.columns, config.bus, config.address)
    if config.kind == "matrix":
        return MatrixDisplay(config.modules, config.chip_select)
    return LogDisplay(config.columns) if config.kind == "log" else None


class AsyncDisplay:
    """Drives a display on its own thread; texts that arrive while it is busy replace each other.

    Args:
        retry_s: delay before the next attempt after a failure.
        on_trouble: called with the problem, once per outage.
    """

    def __init__(
        self, display: Display, *, retry_s: float = RETRY_S, on_trouble: Callable[[str], None] = log.warning
    ) -> None:
        self.columns = display.columns
        self._display, self._retry_s, self._on_trouble = display, retry_s, on_trouble
        self._next: tuple[str, str] | None = None
        self._bell = threading.Condition()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="panel-display", daemon=True)
        self._thread.start()

    def show(self, upper: str, lower: str) -> None:
        """Show the lines as soon as the display is ready; returns at once."""
        with self._bell:
            self._next = (upper, lower)
            self._bell.notify()

    def close(self) -> None:
        """Stop the thread and close the display. May be called twice."""
        with self._bell:
            first = not self._stop.is_set()
            self._stop.set()
            self._bell.notify()
        self._thread.join(2)
        if first and not self._thread.is_alive():
            try:
                self._display.close()
            except OSError as error:
                log.info("The display disconnected before it was closed: %s", error)

    def _run(self) -> None:
        is_reported = False
        while (text := self._wait()) is not None:
            try:
                self._display.show(*text)
                is_reported = False
            except OSError as error:
                if not is_reported:
                    self._on_trouble(
                        message("The panel's display does not answer ({error}). Look at its wires.", error=str(error))
                    )
                is_reported = True
                self._stop.wait(self._retry_s)
                with self._bell:
                    self._next = self._next or text

    def _wait(self) -> tuple[str, str] | None:
        with self._bell:
            self._bell.wait_for(lambda: self._next is not None or self._stop.is_set())
            text, self._next = self._next, None
            return None if self._stop.is_set() else text
