"""A complete table on a simulated clock: service, camera watch and panel, advanced event by event.

Only the journal's disk takes real time. A minute of table time takes about a second, and the same contacts and frames
at the same times always give the same commands and lights.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from companion.config.panel import PanelConfig
from companion.journal.hash_chain import EntryJson
from companion.journal.store import FILE_NAME
from companion.kernel.commands import Record
from companion.kernel.errors import TableError
from companion.kernel.table import Header
from companion.plugins.registry import Games
from companion.service.table_service import TableService
from companion.tracking.sight import Sight
from companion.tracking.watch import Source, TableWatch
from hardware.harness.rig import Change, Contact
from hardware.panel.board import Pins
from hardware.panel.displays import FakeDisplay
from hardware.panel.mock import MockPins
from hardware.panel.panel import Panel
from hardware.panel.remote import MockPanel

SOURCE: Final = "dealer"
_BARRIER: Final = {"do": "is-everything-written"}


class FastTable:
    """One table. `run` it up to a time, inspect it, and finally `close` it.

    Args:
        header: the game, its players and options.
        config: the panel's configuration.
        folder: where the journal is created.
        games: the installed games.
        sight: the game's camera interpretation; None without a camera.
        camera: creates the camera from the table's clock; None without one.
        start: initial time of the clock, seconds.
        fps: frames processed per second of table time; 0: only when `turn` is called.
    """

    def __init__(
        self,
        header: Header,
        config: PanelConfig,
        folder: Path,
        games: Games,
        *,
        sight: Sight | None = None,
        camera: Callable[[Callable[[], float]], Source] | None = None,
        start: float = 100.0,
        fps: float = 10.0,
    ) -> None:
        self.t = start
        self._fps = fps
        self.pins = MockPins(self.clock)
        self.bench = MockPanel(self.pins, config)
        self.display = FakeDisplay(config.display.columns)
        self.service = TableService.open(folder / FILE_NAME, header, games)
        self.watch: TableWatch | None = None
        if sight is not None and camera is not None:
            self.watch = TableWatch(camera(self.clock), sight, self.service, clock=self.clock)
        self.panel = Panel(self.service, Pins(config, self.pins), config, display=self.display, clock=self.clock)
        self.panel.begin()
        self._next_turn = start if self.watch is not None and fps else float("inf")
        self._due = self.panel.step()

    def clock(self) -> float:
        """Return the simulated time in seconds."""
        return self.t

    def close(self) -> None:
        """Close the camera watch, the panel and the service. May be called twice."""
        if self.watch is not None:
            self.watch.close()
        self.panel.close()
        self.service.close()

    # ---- time

    def run(self, until: float) -> None:
        """Advance the clock, processing due panel events and frames in order."""
        while True:
            due = until if self._due is None else self._due
            self.t = max(self.t, min(until, due, self._next_turn))
            if self._next_turn <= self.t:
                self._next_turn += 1 / self._fps
                self.turn()
            else:
                self._due = self.panel.step()
            if self.t >= until and self._next_turn > until and (self._due is None or self._due > until):
                return

    def turn(self) -> None:
        """Process the camera's next frame."""
        if self.watch is not None:
            self.watch.turn(0.0)
        self._due = self.panel.step()

    # ---- inputs

    def play(self, contacts: Sequence[Contact], note: Callable[[Contact, float], None] | None = None) -> float:
        """Play a sequence of contacts; return its start time. ``note`` is called before each one with its time."""
        began = self.t
        for contact in contacts:
            self.run(began + contact.at)
            if note is not None:
                note(contact, self.t)
            self.contact(contact.button, contact.is_down)
        return began

    def contact(self, button: str, is_down: bool) -> None:
        """Close or open a button's contact now."""
        self.bench.contact(button, is_down)
        self._due = self.panel.step()

    def command(self, record: Record, source: str = SOURCE) -> str | None:
        """Submit a command; return the error code if it was refused."""
        try:
            self.service.submit(record, source=source)
        except TableError as error:
            return error.code
        finally:
            self._due = self.panel.step()
        return None

    # ---- outputs

    def settle(self) -> None:
        """Wait until all commands so far are journaled, by submitting one that every game refuses."""
        try:
            self.service.submit(_BARRIER, source=SOURCE)
        except TableError:
            self._due = self.panel.step()

    def changes(self, after: int = 0) -> list[Change]:
        """Return the changes of lines without the first ``after``."""
        return [Change(*change) for change in self.bench.changes(after)]

    def journal(self, after: int = 0) -> list[EntryJson]:
        """Return the journal entries after this sequence number, at most 1000."""
        self.settle()
        return self.service.events(after, 1000, "dealer")
