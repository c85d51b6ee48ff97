"""The pin plan: every line of the configured panel, and the plan's faults. Pure.

Lines are named ``button/deal``, ``lamp/deal``, ``suit/6``, ``status/red`` and ``buzzer``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from companion.config.panel import BUTTONS, COLOURS, SUITS, PanelConfig
from companion.kernel.messages import Message, message
from companion.kernel.words import SUITS as SUIT_WORDS

HEADER_OF: Final[Mapping[int, int]] = {
    2: 3, 3: 5, 4: 7, 14: 8, 15: 10, 17: 11, 18: 12, 27: 13, 22: 15, 23: 16, 24: 18, 10: 19, 9: 21, 25: 22,
    11: 23, 8: 24, 7: 26, 0: 27, 1: 28, 5: 29, 6: 31, 12: 32, 13: 33, 19: 35, 16: 36, 26: 37, 20: 38, 21: 40,
}  # fmt: skip
"""BCM number -> position on the 40-pin header."""

GROUNDS: Final = (6, 9, 14, 20, 25, 30, 34, 39)
BUTTON_WORDS: Final = {"deal": "DEAL", "play": "PLAY", "fold": "FOLD", "undo": "UNDO", "next": "NEXT", "hold": "HOLD"}
LED_OHM: Final = 470
BLUE_OHM: Final = 150
GUARD_OHM: Final = 1000
LED_MA: Final = 2.8  # (3.3 V - 2.0 V) / 470 Ω
BLUE_MA: Final = 2.0  # (3.3 V - 3.0 V) / 150 Ω
MAX_TOTAL_MA: Final = 50.0
"""Maximum total current of a Pi's GPIO pins."""

_STATUS_WORDS: Final = {
    "red": message("status red"),
    "green": message("status green"),
    "blue": message("status blue"),
}
_HAT_PINS: Final = (0, 1)
_I2C_PINS: Final = {2: "SDA", 3: "SCL"}
_SPI_PINS: Final = {10: "MOSI", 11: "SCLK"}


@dataclass(frozen=True, slots=True)
class Wire:
    """One line of the panel.

    Attributes:
        line: name, ``lamp/deal``.
        part: user-visible name, ``lamp DEAL``.
        key: configuration key, ``panel.lamps.deal``.
        pin: BCM number.
        ohm: series resistor.
        ma: current drawn from the pin when on.
    """

    line: str
    part: Message
    key: str
    pin: int
    ohm: int
    ma: float = 0.0

    @property
    def header(self) -> int | None:
        """Position on the 40-pin header; None if there is no such pin."""
        return HEADER_OF.get(self.pin)

    @property
    def is_button(self) -> bool:
        return self.line.startswith("button/")

    def is_on(self, is_high: bool, active_high: bool) -> bool:
        """Whether the line is on, or the button down, at this pin level."""
        if self.is_button:
            return not is_high
        return is_high == (active_high or self.line == "buzzer")


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of the pin plan. ``line`` is the line left out because of it; None if no line is."""

    line: str | None
    text: Message


def wires(config: PanelConfig) -> tuple[Wire, ...]:
    """Return all configured lines, buttons first."""
    found = [
        _wire("button", name, config.buttons, message("button {button}", button=BUTTON_WORDS[name]), GUARD_OHM)
        for name in BUTTONS
    ]
    found += [
        _wire("lamp", name, config.lamps, message("lamp {button}", button=BUTTON_WORDS[name]), LED_OHM, LED_MA)
        for name in BUTTONS
    ]
    found += [
        _wire(
            "suit",
            name,
            config.suits,
            message("light {suit}", suit=SUIT_WORDS[rank]),
            LED_OHM,
            LED_MA,
            line=f"suit/{rank}",
        )
        for rank, name in SUITS.items()
    ]
    found += [
        _wire(
            "status",
            name,
            config.status,
            _STATUS_WORDS[name],
            *((LED_OHM, LED_MA) if name == "red" else (BLUE_OHM, BLUE_MA)),
        )
        for name in COLOURS
    ]
    found.append(_wire("buzzer", "pin", config.buzzer, message("buzzer"), GUARD_OHM, 2.6, line="buzzer"))
    return tuple(wire for wire in found if wire is not None)


_CONFIG_TABLES: Final = {"button": "buttons", "lamp": "lamps", "suit": "suits", "status": "status", "buzzer": "buzzer"}


def _wire(
    kind: str, name: str, pins: object, part: Message, ohm: int, ma: float = 0.0, *, line: str | None = None
) -> Wire | None:
    pin = getattr(pins, name)
    key = f"panel.{_CONFIG_TABLES[kind]}.{name}"
    return None if pin is None else Wire(line or f"{kind}/{name}", part, key, pin, ohm, ma)


def bus_pins(config: PanelConfig) -> dict[int, Message]:
    """Return the pins of the configured display's bus, with the purpose of each."""
    kind = config.display.kind
    if kind == "lcd":
        return (
            {pin: message("the display's {wire}", wire=name) for pin, name in _I2C_PINS.items()}
            if config.display.bus == 1
            else {}
        )
    if kind == "matrix":
        select = 8 if config.display.chip_select == 0 else 7
        return {
            pin: message("the display's {wire}", wire=name)
            for pin, name in {**_SPI_PINS, select: message("chip select")}.items()
        }
    return {}


def faults(config: PanelConfig) -> tuple[Fault, ...]:
    """Return the faults of the plan: invalid pins, pins used twice, too much current."""
    configured = wires(config)
    found = [fault for wire in configured if (fault := _invalid_pin_fault(wire)) is not None]
    taken: dict[int, Message] = bus_pins(config)
    for wire in configured:
        if wire.header is None:
            continue
        if wire.pin in taken:
            found.append(Fault(wire.line, _duplicate_text(wire, taken[wire.pin])))
        else:
            taken[wire.pin] = message("the {part}", part=wire.part)
    total = sum(wire.ma for wire in configured)
    if total > MAX_TOTAL_MA:
        found.append(Fault(None, _overload_text(total)))
    return tuple(found)


def _invalid_pin_fault(wire: Wire) -> Fault | None:
    if wire.header is None:
        text = message(
            "The {part} is on GPIO{pin}, which a Raspberry Pi does not have, and is left out. Choose a pin from 2 to "
            "27 for {key}.", part=wire.part, pin=wire.pin, key=wire.key
        )  # fmt: skip
    elif wire.pin in _HAT_PINS:
        text = message(
            "The {part} is on GPIO{pin}, which belongs to the HAT's memory, and is left out. Choose a pin from 2 to "
            "27 for {key}.", part=wire.part, pin=wire.pin, key=wire.key
        )  # fmt: skip
    else:
        return None
    return Fault(wire.line, text)


def _duplicate_text(wire: Wire, other: Message) -> Message:
    return message(
        "GPIO{pin} is given to {other} and to the {part}, which is left out. Choose another pin for {key}, or false "
        "for none.",
        pin=wire.pin,
        other=other,
        part=wire.part,
        key=wire.key,
    )


def _overload_text(total: float) -> Message:
    return message(
        "All lights together draw {total} mA, more than the {most} mA of a Pi's pins. Use larger resistors.",
        total=f"{total:.0f}",
        most=f"{MAX_TOTAL_MA:.0f}",
    )


def usable_wires(config: PanelConfig) -> tuple[Wire, ...]:
    """Return the configured lines without those that have a fault."""
    left_out = {fault.line for fault in faults(config)}
    return tuple(wire for wire in wires(config) if wire.line not in left_out)


def free_pins(configured: Sequence[Wire], config: PanelConfig) -> tuple[int, ...]:
    """Return the pins that are used neither by these lines nor by the display's bus, nor reserved for HATs."""
    taken = {wire.pin for wire in configured} | set(bus_pins(config)) | set(_HAT_PINS)
    return tuple(pin for pin in sorted(HEADER_OF) if pin not in taken)
