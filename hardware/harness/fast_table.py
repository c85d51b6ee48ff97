"""A whole table on a simulated clock: service, camera thread and panel, advanced event by event.

Nothing waits in real time but the journal's disk. So a minute of table takes a second, and the same contacts and
pictures at the same times always give the same commands and lights.
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
    """One table. Make it, `run` it to a time, inspect it, `close` it.

    Args:
        start: what the clock says at first, seconds.
        fps: how often the camera's watch turns by itself; 0 for only when told.
        turned: called before each turn of the watch.
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
        """Return this table's time."""
        return self.t

    def close(self) -> None:
        """End it. May be called twice."""
        if self.watch is not None:
            self.watch.close()
        self.panel.close()
        self.service.close()

    # ---- time

    def run(self, until: float) -> None:
        """Let time pass: the panel does what is due, the camera's watch turns."""
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
        """Let the camera's watch work through its next picture."""
        if self.watch is not None:
            self.watch.turn(0.0)
        self._due = self.panel.step()

    # ---- what is done to it

    def play(self, contacts: Sequence[Contact], note: Callable[[Contact, float], None] | None = None) -> float:
        """Play contacts, and return when the first was."""
        began = self.t
        for contact in contacts:
            self.run(began + contact.at)
            if note is not None:
                note(contact, self.t)
            self.contact(contact.button, contact.is_down)
        return began

    def contact(self, button: str, is_down: bool) -> None:
        """Close or open a contact now."""
        self.bench.contact(button, is_down)
        self._due = self.panel.step()

    def command(self, record: Record, source: str = SOURCE) -> str | None:
        """Play a command; return the error's code if it was refused."""
        try:
            self.service.submit(record, source=source)
        except TableError as error:
            return error.code
        finally:
            self._due = self.panel.step()
        return None

    # ---- what is seen

    def settle(self) -> None:
        """Wait until everything that was said so far is on the disk: a command that no game knows comes last."""
        try:
            self.service.submit(_BARRIER, source=SOURCE)
        except TableError:
            self._due = self.panel.step()

    def changes(self, after: int = 0) -> list[Change]:
        """Return the changes of lines since the ``after``-th."""
        return [Change(*change) for change in self.bench.changes(after)]

    def journal(self, after: int = 0) -> list[EntryJson]:
        """Return the journal's entries behind a number."""
        self.settle()
        return self.service.events(after, 1000, "dealer")
