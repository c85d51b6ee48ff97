"""The `Rig` protocol: a complete table whose buttons, cards and camera can be controlled, and whose lights observed.

- `mock`: this machine, with gpiozero's mock pins.
- `gpiosim`: a virtual machine, with the kernel's simulated pins.
- `loopback`: a real Pi, with jumper wires.

If the table is a separate process, everything but its pins and its world goes over HTTP
(`hardware.harness.http_table`).
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
    """The rig is broken or does not support a step; the message says what to do."""


class Change(NamedTuple):
    """A change of a line: the time (seconds of the rig's clock), the line, and whether it is on (a button: down)."""

    t: float
    line: str
    on: bool


class Contact(NamedTuple):
    """A button's contact closes or opens, ``at`` seconds after the start of the sequence."""

    button: str
    is_down: bool
    at: float


class Rig(Protocol):
    """A table under test. Not thread-safe. `open` it with a scenario, and `close` it afterwards."""

    name: str
    slack_ms: float
    "Tolerance for the rig's own timing errors."
    extra_timeout_ms: float
    "Added to the scenario's timeouts, for slow emulated machines. Times are reported as measured."
    poll_s: float
    "Polling interval of expectations; each poll also puts load on the table."

    def open(self, scenario: Scenario) -> None:
        """Set up the scenario's table, and wait until it is ready.

        Raises:
            RigError: it cannot be set up, or does not become ready.
        """
        ...

    def close(self) -> None:
        """Stop the table and remove everything it used. May be called twice."""
        ...

    # ---- time

    def now(self) -> float:
        """Return the time of the rig's clock in seconds."""
        ...

    def wait(self, seconds: float) -> None:
        """Wait on the rig's clock."""
        ...

    # ---- pins

    def play(self, contacts: Sequence[Contact]) -> float:
        """Play a sequence of contacts to its end; return its start time."""
        ...

    def changes(self, after: int) -> Sequence[Change]:
        """Return the changes of lines, contacts included, without the first ``after``."""
        ...

    def lines(self) -> Mapping[str, bool]:
        """Return whether each line is on."""
        ...

    def display_history(self) -> Sequence[tuple[str, str]] | None:
        """Return the texts shown on the display so far, upper and lower line; None without a display."""
        ...

    # ---- the table

    def view(self) -> RoomView:
        """Return the dealer's view."""
        ...

    def journal(self, after: int) -> Sequence[EntryJson]:
        """Return the journal entries after this sequence number."""
        ...

    def command(self, record: Record) -> str | None:
        """Submit a command as the dealer; return the error code if it was refused."""
        ...

    def page(self, path: str) -> str:
        """Return the content of a page, fetched as the dealer."""
        ...

    # ---- the world

    def move(self, step: Step) -> float:
        """Execute a step in the camera's view (lay, take, gather, hand, happen, camera); return when it was finished.

        For laid cards this is the time at which the last one came to rest.

        Raises:
            RigError: this rig does not support the step.
        """
        ...

    def kill(self) -> None:
        """Kill the table's process."""
        ...

    def start(self) -> None:
        """Restart it with the same data."""
        ...


@runtime_checkable
class Supervised(Protocol):
    """A rig whose table is a supervised service that can be frozen, and whose log can be read."""

    def hang(self) -> None:
        """Freeze the table's process without ending it."""
        ...

    def logged(self) -> str:
        """Return the service's log of this scenario."""
        ...
