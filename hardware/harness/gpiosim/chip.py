"""The kernel's simulated GPIO chip (gpio-sim), driven and observed by the rig: inside the virtual machine only.

Contacts are the chip's pull attributes; outputs are read back from its value attributes, with times from the kernel's
own trace on the monotonic clock: no polling, no guessing.
"""

import contextlib
import importlib
import os
import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from hardware.harness.rig import RigError

CONFIG: Final = Path("/sys/kernel/config/gpio-sim/pi")
DEVICE: Final = Path("/dev/gpiochip0")
TRACING: Final = Path("/sys/kernel/tracing")
GPIO_LIST: Final = Path("/sys/kernel/debug/gpio")
LINES: Final = 54
LABEL: Final = "pinctrl-bcm2711"
_SET: Final = re.compile(r"\s(\d+\.\d+): gpio_value: (\d+) set ([01])\s*$")
_FIRST: Final = re.compile(r"^gpiochip\d+: (?:GPIOs )?(\d+)-", re.MULTILINE)


class Edge(NamedTuple):
    """The table drove a pin: when (monotonic seconds), which (BCM number), and how."""

    t: float
    pin: int
    is_high: bool


def read_edges(lines: Sequence[str], base: int) -> Iterator[Edge]:
    """Yield the edges that lines of the kernel's trace tell of; pins are counted from ``base``.

    >>> list(read_edges(["  panel-12  [001] .....  12.500000: gpio_value: 529 set 1"], 512))
    [Edge(t=12.5, pin=17, is_high=True)]
    """
    for line in lines:
        found = _SET.search(line)
        if found is not None and 0 <= (pin := int(found[2]) - base) < LINES:
            yield Edge(float(found[1]), pin, found[3] == "1")


def first_number(listing: str) -> int:
    """Return the kernel's number of a chip's first pin, from ``/sys/kernel/debug/gpio``.

    Raises:
        RigError: no such chip is listed.
    """
    for block in re.split(r"\n(?=gpiochip)", listing):
        found = _FIRST.search(block)
        if found is not None and (LABEL in block.splitlines()[0] or "gpio-sim" in block.splitlines()[0]):
            return int(found[1])
    raise RigError("The kernel lists no simulated GPIO chip. Is gpio-sim loaded?")


class SimChip:
    """A chip with a Pi's 54 pins. Made once for a machine's life; the table opens it as ``/dev/gpiochip0``.

    Raises:
        RigError: this kernel cannot do it.
    """

    def __init__(self) -> None:
        try:
            self._folder = _make()
            self._base = first_number(GPIO_LIST.read_text())
            self._pipe = _trace()
        except OSError as error:
            raise RigError(f"The simulated GPIO chip cannot be made: {error}. Is this the bench's machine?") from error
        self._taken: int | None = None
        self._mode: int | None = None
        self._rest = ""
        self._level: dict[int, bool] = {}

    def pull(self, pin: int, up: bool) -> None:
        """Let a contact pull its pin up (open) or down to ground (closed)."""
        (self._folder / f"sim_gpio{pin}" / "pull").write_text("pull-up" if up else "pull-down")

    def take(self, pins: Sequence[int]) -> None:
        """Have pins as another program would, until `give`; through lgpio, as the table's own."""
        if pins:
            lgpio = importlib.import_module("lgpio")
            self._taken = lgpio.gpiochip_open(0)
            for pin in pins:
                lgpio.gpio_claim_input(self._taken, pin)

    def give(self) -> None:
        """Let the pins go, and everybody in again. May be called twice."""
        taken, self._taken = self._taken, None
        if taken is not None:
            importlib.import_module("lgpio").gpiochip_close(taken)
        if self._mode is not None:
            DEVICE.chmod(self._mode)
            self._mode = None

    def bar(self) -> None:
        """Let nobody but root open the chip, until `give`."""
        self._mode = stat.S_IMODE(DEVICE.stat().st_mode)
        DEVICE.chmod(0)

    def is_high(self, pin: int) -> bool:
        """Say what a pin shows now."""
        return (self._folder / f"sim_gpio{pin}" / "value").read_text().strip() == "1"

    def edges(self) -> list[Edge]:
        """Return what the table changed since the last call."""
        with contextlib.suppress(BlockingIOError):
            while more := os.read(self._pipe, 1 << 16):
                self._rest += more.decode("ascii", "replace")
        *whole, self._rest = self._rest.split("\n")
        return [edge for edge in read_edges(whole, self._base) if self._is_news(edge)]

    def _is_news(self, edge: Edge) -> bool:
        was, self._level[edge.pin] = self._level.get(edge.pin, False), edge.is_high
        return was != edge.is_high

    def forget(self) -> None:
        """The table is gone, and all lines with it: the next one begins with all of them low."""
        self.edges()
        self._level.clear()

    def close(self) -> None:
        """Stop watching. May be called twice; the chip stays."""
        if self._pipe >= 0:
            os.close(self._pipe)
            self._pipe = -1


def _make() -> Path:
    """Make the chip, if it is not there yet; return its folder in sysfs."""
    bank = CONFIG / "bank0"
    if not bank.is_dir():
        bank.mkdir(parents=True)
        (bank / "num_lines").write_text(str(LINES))
        (bank / "label").write_text(LABEL)
        (CONFIG / "live").write_text("1")
    device, chip = (CONFIG / "dev_name").read_text().strip(), (bank / "chip_name").read_text().strip()
    return Path("/sys/devices/platform") / device / chip


def _trace() -> int:
    """Have the kernel note every pin that is set; return the open end of its notes."""
    (TRACING / "trace_clock").write_text("mono")
    (TRACING / "buffer_size_kb").write_text("4096")
    event = TRACING / "events" / "gpio" / "gpio_value"
    (event / "filter").write_text("get == 0")
    (event / "enable").write_text("1")
    return os.open(TRACING / "trace_pipe", os.O_RDONLY | os.O_NONBLOCK)
