"""The kernel's simulated GPIO chip (gpio-sim), controlled by the rig; only inside the virtual machine.

Contacts are simulated by the pull attributes, and levels are read from the value attributes. Changes of outputs come
from the kernel's trace, with exact times on the monotonic clock and without polling.
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
_VALUE_SET: Final = re.compile(r"\s(\d+\.\d+): gpio_value: (\d+) set ([01])\s*$")
_FIRST_PIN: Final = re.compile(r"^gpiochip\d+: (?:GPIOs )?(\d+)-", re.MULTILINE)


class Edge(NamedTuple):
    """The table set an output: the time (monotonic seconds), the pin (BCM number) and the level."""

    t: float
    pin: int
    is_high: bool


def read_edges(lines: Sequence[str], base: int) -> Iterator[Edge]:
    """Parse lines of the kernel's trace; ``base`` is the kernel's number of the chip's first pin.

    >>> list(read_edges(["  panel-12  [001] .....  12.500000: gpio_value: 529 set 1"], 512))
    [Edge(t=12.5, pin=17, is_high=True)]
    """
    for line in lines:
        found = _VALUE_SET.search(line)
        if found is not None and 0 <= (pin := int(found[2]) - base) < LINES:
            yield Edge(float(found[1]), pin, found[3] == "1")


def first_number(listing: str) -> int:
    """Return the kernel's number of the simulated chip's first pin, from ``/sys/kernel/debug/gpio``.

    Raises:
        RigError: no simulated chip is listed.
    """
    for block in re.split(r"\n(?=gpiochip)", listing):
        found = _FIRST_PIN.search(block)
        if found is not None and (LABEL in block.splitlines()[0] or "gpio-sim" in block.splitlines()[0]):
            return int(found[1])
    raise RigError("The kernel lists no simulated GPIO chip. Is gpio-sim loaded?")


class SimChip:
    """A chip with a Pi's 54 pins, which the table opens as ``/dev/gpiochip0``. Created once per boot of the machine.

    Raises:
        RigError: this kernel does not support it.
    """

    def __init__(self) -> None:
        try:
            self._folder = _create_chip()
            self._base = first_number(GPIO_LIST.read_text())
            self._pipe = _start_trace()
        except OSError as error:
            raise RigError(f"The simulated GPIO chip cannot be made: {error}. Is this the bench's machine?") from error
        self._claimed_by: int | None = None
        self._mode: int | None = None
        self._partial_line = ""
        self._level: dict[int, bool] = {}

    def pull(self, pin: int, up: bool) -> None:
        """Set a pin's pull: up for an open contact, down for a closed one."""
        (self._folder / f"sim_gpio{pin}" / "pull").write_text("pull-up" if up else "pull-down")

    def claim(self, pins: Sequence[int]) -> None:
        """Claim pins through lgpio, like another program, until `release`."""
        if pins:
            lgpio = importlib.import_module("lgpio")
            self._claimed_by = lgpio.gpiochip_open(0)
            for pin in pins:
                lgpio.gpio_claim_input(self._claimed_by, pin)

    def release(self) -> None:
        """Release the claimed pins, and restore the permissions. May be called twice."""
        taken, self._claimed_by = self._claimed_by, None
        if taken is not None:
            importlib.import_module("lgpio").gpiochip_close(taken)
        if self._mode is not None:
            DEVICE.chmod(self._mode)
            self._mode = None

    def deny_access(self) -> None:
        """Deny everyone but root access to the chip, until `release`."""
        self._mode = stat.S_IMODE(DEVICE.stat().st_mode)
        DEVICE.chmod(0)

    def is_high(self, pin: int) -> bool:
        """Whether a pin's level is high."""
        return (self._folder / f"sim_gpio{pin}" / "value").read_text().strip() == "1"

    def edges(self) -> list[Edge]:
        """Return the table's changes of outputs since the last call."""
        with contextlib.suppress(BlockingIOError):
            while more := os.read(self._pipe, 1 << 16):
                self._partial_line += more.decode("ascii", "replace")
        *whole, self._partial_line = self._partial_line.split("\n")
        return [edge for edge in read_edges(whole, self._base) if self._is_change(edge)]

    def _is_change(self, edge: Edge) -> bool:
        was, self._level[edge.pin] = self._level.get(edge.pin, False), edge.is_high
        return was != edge.is_high

    def reset_levels(self) -> None:
        """Assume all outputs to be low, after the table's process has ended; discard pending edges."""
        self.edges()
        self._level.clear()

    def close(self) -> None:
        """Stop reading the trace; the chip remains. May be called twice."""
        if self._pipe >= 0:
            os.close(self._pipe)
            self._pipe = -1


def _create_chip() -> Path:
    """Create the chip unless it exists; return its folder in sysfs."""
    bank = CONFIG / "bank0"
    if not bank.is_dir():
        bank.mkdir(parents=True)
        (bank / "num_lines").write_text(str(LINES))
        (bank / "label").write_text(LABEL)
        (CONFIG / "live").write_text("1")
    device, chip = (CONFIG / "dev_name").read_text().strip(), (bank / "chip_name").read_text().strip()
    return Path("/sys/devices/platform") / device / chip


def _start_trace() -> int:
    """Make the kernel trace every set output; return the file descriptor of the trace pipe."""
    (TRACING / "trace_clock").write_text("mono")
    (TRACING / "buffer_size_kb").write_text("4096")
    event = TRACING / "events" / "gpio" / "gpio_value"
    (event / "filter").write_text("get == 0")
    (event / "enable").write_text("1")
    return os.open(TRACING / "trace_pipe", os.O_RDONLY | os.O_NONBLOCK)
