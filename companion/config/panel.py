"""``[panel]``: which GPIO pin each button, lamp and light uses, blink rhythms and buzzer signals.

Pins are BCM numbers, as printed on pinouts ("GPIO17" is 17). A non-existent pin, or one used twice, does not make the
file invalid: the table starts with the remaining parts and reports the others (`hardware.panel.pin_map`).
"""

from typing import Annotated, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

BUTTONS: Final = ("deal", "play", "fold", "undo", "next", "hold")
"""DEAL or confirm, PLAY, FOLD or pass, UNDO, NO MORE BETS or next, and the guarded HOLD."""

SUITS: Final = {2: "mages", 3: "realm", 4: "world", 5: "valor", 6: "kin", 7: "commons"}
"""The suit lights by rank."""

COLOURS: Final = ("red", "green", "blue")

Pin = Annotated[
    Annotated[int, Field(ge=0, le=99)] | None, BeforeValidator(lambda value: None if value is False else value)
]
"""A BCM number; None (``false`` in the file) for a part that is not wired."""

Rhythm = Annotated[tuple[Annotated[int, Field(ge=10, le=10_000)], ...], Field(strict=False, max_length=16)]
"""Alternating on and off times in milliseconds, starting with on."""


class PanelTable(BaseModel):
    """Base of the panel's tables: frozen, strict about types, no unknown keys."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class ButtonPins(PanelTable):
    """``[panel.buttons]``: each connects its pin to ground when pressed."""

    deal: Pin = 5
    play: Pin = 6
    fold: Pin = 13
    undo: Pin = 19
    next: Pin = 26
    hold: Pin = 21


class LampPins(PanelTable):
    """``[panel.lamps]``: the lamp in each button."""

    deal: Pin = 12
    play: Pin = 16
    fold: Pin = 20
    undo: Pin = 25
    next: Pin = 24
    hold: Pin = 23


class SuitPins(PanelTable):
    """``[panel.suits]``: a light beside each stack; games without suits use them for something else."""

    mages: Pin = 4
    realm: Pin = 17
    world: Pin = 27
    valor: Pin = 22
    kin: Pin = 10
    commons: Pin = 9


class StatusPins(PanelTable):
    """``[panel.status]``: an RGB LED with a common cathode."""

    red: Pin = 11
    green: Pin = 8
    blue: Pin = 7


class BuzzerPin(PanelTable):
    """``[panel.buzzer]``: an active buzzer driven through a transistor."""

    pin: Pin = 18


class DisplayConfig(PanelTable):
    """``[panel.display]``: an optional display with two lines of text.

    ``lcd`` is a character LCD behind a PCF8574 on I²C, ``matrix`` a chain of MAX7219 modules on SPI, ``log`` writes
    the lines to the log.
    """

    kind: Literal["none", "lcd", "matrix", "log"] = "none"
    columns: Annotated[int, Field(ge=8, le=40)] = 16
    bus: Annotated[int, Field(ge=0, le=30)] = 1
    "I²C: /dev/i2c-N."
    address: Annotated[int, Field(ge=3, le=0x77)] = 0x27
    modules: Annotated[int, Field(ge=1, le=16)] = 4
    "MAX7219: number of 8 × 8 modules in the chain."
    chip_select: Annotated[int, Field(ge=0, le=1)] = 0


class Patterns(PanelTable):
    """``[panel.patterns]``: the blink pattern for each state of a suit. Empty is off; a single number is always on."""

    free: Rhythm = ()
    owned: Rhythm = (1000,)
    ripe: Rhythm = (600, 600)
    cut: Rhythm = (120, 120)
    locked: Rhythm = (120, 180, 120, 980)


class Cues(PanelTable):
    """``[panel.cues]``: buzzer signals. Empty is silent."""

    accepted: Rhythm = (40,)
    card: Rhythm = (15,)
    refused: Rhythm = (60, 60, 60, 60, 220)
    question: Rhythm = (90, 120, 90)
    decided: Rhythm = (60, 50, 60, 50, 320)
    held: Rhythm = (400,)
    lost: Rhythm = (250, 150, 250)


class PanelConfig(PanelTable):
    """``[panel]``: the whole table; missing keys have defaults."""

    factory: Literal["auto", "lgpio", "rpigpio"] = "auto"
    chip: Annotated[int, Field(ge=0, le=15)] | None = None
    "The GPIO chip for lgpio, N of /dev/gpiochipN; None: the board's usual one."
    active_high: bool = True
    "Whether a lamp or light is on when its pin is high."
    debounce_ms: Annotated[int, Field(ge=1, le=100)] = 10
    "Time that a contact must be stable before a press counts."
    together_ms: Annotated[int, Field(ge=1, le=200)] = 15
    "Buttons pressed within this time count as pressed together and are ignored."
    hold_undo_ms: Annotated[int, Field(ge=100, le=5000)] = 700
    "How long UNDO must be held down."
    hold_guard_ms: Annotated[int, Field(ge=100, le=5000)] = 700
    "How long HOLD must be held down, so that brushing it with a sleeve does not stop the table."
    stuck_s: Annotated[float, Field(ge=2, le=600)] = 15.0
    "A button held down longer than this is reported as stuck."
    lamp_test_s: Annotated[float, Field(ge=0, le=10)] = 0.6
    "Duration of the lamp test at the start and after a short press of HOLD."
    buttons: ButtonPins = ButtonPins()
    lamps: LampPins = LampPins()
    suits: SuitPins = SuitPins()
    status: StatusPins = StatusPins()
    buzzer: BuzzerPin = BuzzerPin()
    display: DisplayConfig = DisplayConfig()
    patterns: Patterns = Patterns()
    cues: Cues = Cues()
