"""The steps of a scenario: actions and expectations. One model per kind, identified by its first key."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue

from companion.config.panel import BUTTONS

Ms = Annotated[int, Field(ge=0, le=600_000)]
Button = Literal["deal", "play", "fold", "undo", "next", "hold"]
Names = Annotated[tuple[str, ...], BeforeValidator(lambda value: (value,) if isinstance(value, str) else value)]
Buttons = Annotated[tuple[Button, ...], BeforeValidator(lambda value: (value,) if isinstance(value, str) else value)]
assert set(BUTTONS) == set(Button.__args__)  # type: ignore[attr-defined]


class Step(BaseModel):
    """Base of all steps: frozen, no unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


# ---- actions


class Press(Step):
    """Press one or several buttons.

    Attributes:
        press: the buttons.
        times: number of repetitions.
        after_ms: pause before each press, as a human hand needs it.
        for_ms: how long each button is held.
        apart_ms: delay between the presses of several buttons.
        bounce_ms: how long each contact bounces when it closes and opens.
    """

    press: Buttons
    times: Annotated[int, Field(ge=1, le=1000)] = 1
    after_ms: Ms = 150
    for_ms: Ms = 80
    apart_ms: Ms = 0
    bounce_ms: Annotated[int, Field(ge=0, le=50)] = 0


class Down(Step):
    """Close a button's contact and leave it closed."""

    down: Button


class Up(Step):
    """Open a button's contact."""

    up: Button


class Noise(Step):
    """Toggle a contact rapidly, as interference does; it is open at the end."""

    noise: Button
    for_ms: Ms = 100


class Command(Step):
    """Submit a command as the dealer's page does; ``refused`` is the expected error code, if any."""

    command: dict[str, JsonValue]
    refused: str | None = None


class Lay(Step):
    """Deal cards to their places; with ``at_once``, place them without the hand."""

    lay: Names
    at_once: bool = False
    make: Literal["genuine", "forged", "foreign"] = "genuine"


class Take(Step):
    """Take cards off the table."""

    take: Names


class Gather(Step):
    """Sweep all cards off the table."""

    gather: Literal[True]


class Hand(Step):
    """Reach over the table with the hand, and back."""

    hand: Literal[True]


class Happen(Step):
    """Trigger an event of the game's own demo table, in its vocabulary: ``spin 17``, ``throw 6-3-6``."""

    happen: str


class Camera(Step):
    """Unplug the camera, or plug it in again."""

    camera: Literal["lost", "back"]


class Wait(Step):
    """Wait."""

    wait_ms: Ms


class Kill(Step):
    """Kill the table's process (SIGKILL), like a power cut."""

    kill: Literal[True]


class Start(Step):
    """Restart the process with the same data."""

    start: Literal[True]


class Hang(Step):
    """Freeze the table's process (SIGSTOP), like a driver call that never returns."""

    hang: Literal[True]


# ---- expectations


class Expect(Step):
    """Values in the dealer's view; keys are dotted paths into objects and lists."""

    expect: dict[str, JsonValue]
    within_ms: Ms = 2000


class Journal(Step):
    """Exactly the commands journaled since the last check, in order; only the given keys are compared."""

    journal: tuple[dict[str, JsonValue], ...]
    within_ms: Ms = 2000


class Balances(Step):
    """Account balances: player names, ``house``, and pots such as ``pot/6``."""

    balances: dict[str, int]


class Lines(Step):
    """States of lines that must be reached in time after the preceding cause, and then hold for ``for_ms``."""

    lines: dict[str, bool]
    within_ms: Ms = 1000
    for_ms: Ms = 0


class Blinks(Step):
    """A line that must blink with a configured pattern (``ripe``), or with these on and off times in milliseconds."""

    blinks: str
    rhythm: str | tuple[int, ...]
    cycles: Annotated[int, Field(ge=1, le=50)] = 3
    slack_ms: Ms = 5


class Still(Step):
    """Lines that must not change during this time."""

    still: Names
    for_ms: Ms = 500


class Buzzes(Step):
    """A cue that the buzzer must have played since the preceding cause."""

    buzzes: str
    within_ms: Ms = 1000
    slack_ms: Ms = 5


class Page(Step):
    """Text that must, or must not, be on a page fetched as the dealer."""

    page: str
    has: str | None = None
    lacks: str | None = None
    within_ms: Ms = 2000


class Notice(Step):
    """Text of a notice that must have been recorded."""

    notice: str
    within_ms: Ms = 2000


class Says(Step):
    """Text that the display must show, possibly spread over several pages."""

    says: str
    within_ms: Ms = 25000


class Log(Step):
    """Text that must be in the service's log."""

    log: str
    within_ms: Ms = 5000


KINDS: Final[Mapping[str, type[Step]]] = {
    next(iter(kind.model_fields)): kind
    for kind in (Press, Down, Up, Noise, Command, Lay, Take, Gather, Hand, Happen, Camera, Wait, Kill, Start, Hang,
                 Expect, Journal, Balances, Lines, Blinks, Still, Buzzes, Page, Notice, Says, Log)
}  # fmt: skip
"""Step models by their identifying key."""
