"""The `Rig` protocol: a whole table that can be pressed, observed, and laid cards on.

The `mock` rig is this machine with gpiozero's mock pins. `gpiosim` is a virtual machine with a kernel's own simulated
pins; `loopback` a real Pi with jumper wires. Where the table is another process, everything but its pins and its world
goes over HTTP (`hardware.harness.http_table`).
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from companion.journal.hash_chain import EntryJson
from companion.kernel.commands import Record
from companion.kernel.errors import CompanionError
from companion.service.snapshot import RoomView
from hardware.harness.scenario import Scenario
from hardware.harness.steps import Step


class RigError(CompanionError):
    """The rig itself is broken, or cannot do what a step asks; the message says what to do."""


class Change(NamedTuple):
    """A line changed: when (the rig's clock, seconds), which, and whether it is on (a button: down) now."""

    t: float
    line: str
    on: bool


class Contact(NamedTuple):
    """A button's contact closes or opens, so many seconds after the first."""

    button: str
    is_down: bool
    at: float


class Rig(Protocol):
    """A table under test. Not thread-safe. `open` it with a scenario, `close` it after."""

    name: str
    slack_ms: float
    "How much a measured time may be off because of the rig itself."
    patience_ms: float
    "Extra waiting time beyond a scenario's own: an emulated machine is slow. Times are reported as measured."
    poll_s: float
    "Polling interval of an expectation: each poll is work for the table, too."

    def open(self, scenario: Scenario) -> None:
        """Set the table up as the scenario wants it, and wait until it is ready.

        Raises:
            RigError: it cannot be.
        """
        ...

    def close(self) -> None:
        """End it and take everything away. May be called twice."""
        ...

    # ---- time

    def now(self) -> float:
        """Return the time of the rig's clock, seconds."""
        ...

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        ...

    # ---- pins

    def play(self, contacts: Sequence[Contact]) -> float:
        """Play contacts; return when the first was played, once the last is."""
        ...

    def changes(self, after: int) -> Sequence[Change]:
        """Return every change of a line since the ``after``-th, the contacts among them."""
        ...

    def lines(self) -> Mapping[str, bool]:
        """Return what every line shows now."""
        ...

    def said(self) -> Sequence[tuple[str, str]] | None:
        """Return what the display has shown so far; None for a rig without one."""
        ...

    # ---- the table

    def view(self) -> RoomView:
        """Return the dealer's view."""
        ...

    def journal(self, after: int) -> Sequence[EntryJson]:
        """Return the journal's entries behind this number."""
        ...

    def command(self, record: Record) -> str | None:
        """Play a command as the dealer; return the error's code if it was refused."""
        ...

    def page(self, path: str) -> str:
        """Return a page as the dealer gets it."""
        ...

    # ---- the world

    def move(self, step: Step) -> float:
        """Do what a step of the world says (lay, take, gather, hand, camera); return when it was done.

        For a card that is laid this is the moment when it came to rest.

        Raises:
            RigError: this rig has no such world.
        """
        ...

    def kill(self) -> None:
        """End the table's process without warning."""
        ...

    def start(self) -> None:
        """Start it again on the same data."""
        ...


@runtime_checkable
class Supervised(Protocol):
    """A rig whose table is a supervised service: it can hang, and its log can be read."""

    def hang(self) -> None:
        """Stop the table's process where it stands, without ending it."""
        ...

    def logged(self) -> str:
        """Return what the service has logged in this scenario."""
        ...
