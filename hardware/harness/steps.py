"""The steps of a scenario: actions and expectations. One model per kind, named by its first key."""

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


# ---- what the world does


class Press(Step):
    """Press one button, or several ``apart_ms`` from each other; each contact bounces for so long at either end.

    ``after_ms`` is the moment that a hand needs before it. ``times`` presses again and again.
    """

    press: Buttons
    times: Annotated[int, Field(ge=1, le=1000)] = 1
    after_ms: Ms = 150
    for_ms: Ms = 80
    apart_ms: Ms = 0
    bounce_ms: Annotated[int, Field(ge=0, le=50)] = 0


class Down(Step):
    """Close a contact and leave it closed."""

    down: Button


class Up(Step):
    """Open a contact."""

    up: Button


class Noise(Step):
    """A contact flickers for a while without settling: interference, not a finger."""

    noise: Button
    for_ms: Ms = 100


class Command(Step):
    """Play a command as the dealer's page does; ``refused`` names the error code if it must be refused."""

    command: dict[str, JsonValue]
    refused: str | None = None


class Lay(Step):
    """Have cards dealt to their places, by hand or, with ``at_once``, without one."""

    lay: Names
    at_once: bool = False
    make: Literal["genuine", "forged", "foreign"] = "genuine"


class Take(Step):
    """Have cards taken off the table."""

    take: Names


class Gather(Step):
    """Have everything swept off the table."""

    gather: Literal[True]


class Hand(Step):
    """Have a hand reach over the table and back."""

    hand: Literal[True]


class Happen(Step):
    """Have something happen on the game's own demo table, in its words: ``spin 17``, ``throw 6-3-6``."""

    happen: str


class Camera(Step):
    """Unplug the camera, or plug it in again."""

    camera: Literal["lost", "back"]


class Wait(Step):
    """Let time pass."""

    wait_ms: Ms


class Kill(Step):
    """End the table's process without warning (SIGKILL), as a power cut does."""

    kill: Literal[True]


class Start(Step):
    """Start the process again on the same data."""

    start: Literal[True]


class Hang(Step):
    """Freeze the table's process (SIGSTOP), as a driver that never returns does."""

    hang: Literal[True]


# ---- what must be seen


class Expect(Step):
    """These values must stand in the dealer's view; a dotted name goes into objects and lists."""

    expect: dict[str, JsonValue]
    within_ms: Ms = 2000


class Journal(Step):
    """Exactly these commands must have been written since the last check, in this order; only the named keys count."""

    journal: tuple[dict[str, JsonValue], ...]
    within_ms: Ms = 2000


class Balances(Step):
    """What everybody has now; ``house`` and ``pot/6`` are accounts, too."""

    balances: dict[str, int]


class Lines(Step):
    """Lines that must be on or off within a time from the press (or card at rest) before, and then for a while."""

    lines: dict[str, bool]
    within_ms: Ms = 1000
    for_ms: Ms = 0


class Blinks(Step):
    """A line that must blink with a pattern of the configuration (``ripe``), or with these milliseconds."""

    blinks: str
    rhythm: str | tuple[int, ...]
    cycles: Annotated[int, Field(ge=1, le=50)] = 3
    slack_ms: Ms = 5


class Still(Step):
    """Lines that must not change for so long."""

    still: Names
    for_ms: Ms = 500


class Buzzes(Step):
    """The buzzer must say a cue since the cause before."""

    buzzes: str
    within_ms: Ms = 1000
    slack_ms: Ms = 5


class Page(Step):
    """A page, fetched as the dealer, must have a text, or lack one."""

    page: str
    has: str | None = None
    lacks: str | None = None
    within_ms: Ms = 2000


class Notice(Step):
    """A notice with this text must have been written."""

    notice: str
    within_ms: Ms = 2000


class Says(Step):
    """The display must show this text, over its pages."""

    says: str
    within_ms: Ms = 25000


class Log(Step):
    """The service's log must have this text."""

    log: str
    within_ms: Ms = 5000


KINDS: Final[Mapping[str, type[Step]]] = {
    next(iter(kind.model_fields)): kind
    for kind in (Press, Down, Up, Noise, Command, Lay, Take, Gather, Hand, Happen, Camera, Wait, Kill, Start, Hang,
                 Expect, Journal, Balances, Lines, Blinks, Still, Buzzes, Page, Notice, Says, Log)
}  # fmt: skip
"""Every kind of step by the key that names it."""
