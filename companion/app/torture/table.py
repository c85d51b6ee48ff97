"""The table under simulation: the real service, panel and camera watch, without threads of their own.

A caller that waits for a response runs one iteration of the loop, which also processes whatever else is queued.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from companion.app.torture.command_fuzzer import Drawn, draw_command
from companion.app.torture.model import Model
from companion.config.panel import BUTTONS, PanelConfig
from companion.journal.store import Journal, JournalReader
from companion.kernel.commands import Record
from companion.kernel.errors import CompanionError
from companion.kernel.header import Header
from companion.kernel.situation import Situation
from companion.plugins.plugin import GamePlugin
from companion.service.committing.jobs import Accepted, Job, command_text, short_text
from companion.service.questions import Choice, Intention, Question
from companion.service.table_service import TableService
from companion.tracking.sight import NoSight, SightProposal
from companion.tracking.watch import TableWatch
from companion.vision.frame import Frame
from hardware.panel.board import OnEdge
from hardware.panel.panel import Panel


class SimulatedService(TableService):
    """The table's service, whose loop runs when a caller waits for a response."""

    model: Model | None = None
    "Records requests; None during startup."
    before_turn: Callable[[], None] | None = None
    "Hook that lets concurrent clients go first."

    def _begin(self) -> None:
        """Start no thread: `turn` is called instead."""

    def _finish(self) -> bool:
        while self.turn(0.0):
            pass
        self._loop.end()
        return True

    def turn(self, timeout_s: float) -> bool:
        """Run one iteration of the loop; False once the table is closing."""
        return self._loop.turn(timeout_s)

    @property
    def journal(self) -> Journal:
        """The journal that the loop writes."""
        return self._files.journal

    @property
    def reader(self) -> JournalReader:
        """A reader of the same journal."""
        return self._files.reader

    def _queue(self, *jobs: Job) -> None:
        super()._queue(*jobs)
        for job in jobs:
            if self.model is not None:
                self.model.record_request(job)

    def _wait_for(self, job: Job, timeout_s: float) -> Accepted:
        self._queue(job)
        if self.before_turn is not None:
            self.before_turn()
        for _ in range(3):  # the service's own writes may have been deferred
            if not job.future.done():
                self.turn(0.0)
        return job.future.result(0)

    def wait(self, after_version: int, timeout_s: float) -> int:
        """Return at once: nothing happens while a caller waits here."""
        return self.version

    def send(self, record: Record, *, source: str, key: str | None) -> None:
        """Send a command without waiting for the response."""
        self._queue(Job("command", command_text(record), short_text(source, "source"), key))


class Buttons:
    """A panel board without pins: see `hardware.panel.board.Board`."""

    buttons = tuple(BUTTONS)
    lines: frozenset[str] = frozenset()
    troubles: tuple[str, ...] = ()

    def __init__(self) -> None:
        self._tell: OnEdge | None = None
        self.down: set[str] = set()
        "Buttons currently pressed."

    def listen(self, on_edge: OnEdge) -> None:
        self._tell = on_edge

    def is_down(self, button: str) -> bool:
        return button in self.down

    def switch(self, line: str, on: bool) -> None: ...
    def close(self) -> None: ...

    def move(self, button: str) -> None:
        """Toggle a button."""
        self.down ^= {button}
        if self._tell is not None:
            self._tell(button, button in self.down)


class Camera:
    """A camera that delivers noise, or nothing: see `companion.tracking.watch.Source`."""

    name = "simulated camera"

    def __init__(self, rng: random.Random, clock: Callable[[], float]) -> None:
        self._noise, self._clock = np.random.default_rng(rng.getrandbits(32)), clock
        self._number = 0
        self.is_lost = False

    def read(self, timeout_s: float) -> Frame | None:
        if self.is_lost:
            raise CompanionError("The simulated camera was pulled out.")
        self._number += 1
        level = 60 + 10 * (self._number % 12)
        image = self._noise.integers(level - 20, level + 20, (27, 48, 3), np.uint8)
        return Frame(image, self._clock(), self._number)

    def close(self) -> None: ...


class SomethingSeen(NoSight):
    """Fake vision: proposes a command for the current state until it is played or given up."""

    def __init__(self, plugin: Callable[[], GamePlugin], moment: Callable[[], Any], rng: random.Random) -> None:
        self._plugin, self._moment, self.rng = plugin, moment, rng
        self._seen: Drawn | None = None
        self._number = 0
        self._tries = 0

    def look(self) -> None:
        """Place something new on the table."""
        self._seen, self._tries = draw_command(self._plugin(), self._moment(), self.rng), 0
        self._number += 1

    def propose(self, now: Situation) -> SightProposal:
        questions: tuple[Question, ...] = ()
        if self._seen is not None and self._tries > 2:
            choices = (Choice("yes", "Yes", self._seen), Choice("no", "No"))
            questions = (Question(f"seen-{self._number}", "unsure", "Is it so?", choices),)
        command = self._seen if self._tries <= 2 else None
        return SightProposal(command, str(self._number), questions)

    def played(self, proposal: SightProposal, before: Situation) -> None:
        self._seen = None

    def refused(self, proposal: SightProposal) -> None:
        self._tries += 1

    def answered(self, question: Question, choice: Choice) -> None:
        self._seen = None

    def intend(self, intention: Intention) -> None: ...


@dataclass
class SimulatedTable:
    """One process lifetime of the table, with panel and camera.

    Attributes:
        clock: monotonic seconds.
    """

    service: SimulatedService
    clock: Callable[[], float]
    rng: random.Random
    buttons: Buttons = field(default_factory=Buttons)

    def __post_init__(self) -> None:
        self.camera = Camera(self.rng, self.clock)
        self.sight = SomethingSeen(lambda: self.plugin, self.service.moment, self.rng)
        self.watch = TableWatch(self.camera, self.sight, self.service, clock=self.clock)
        self.panel = Panel(self.service, self.buttons, PanelConfig(), clock=self.clock)
        self.panel.begin()

    @property
    def plugin(self) -> GamePlugin:
        """The current game."""
        return self.service.games.named(self.service.header.game)

    def draw(self, rng: random.Random) -> Drawn:
        """Return a command for the current state."""
        return draw_command(self.plugin, self.service.moment(), rng)

    def change_game(self, header: Header) -> None:
        """Switch to another game; a refusal changes nothing."""
        self.service.change_game(header, source="dealer")

    def view(self) -> Mapping[str, Any]:
        """Return the room's view."""
        return self.service.view()

    def open_questions(self) -> Sequence[Mapping[str, Any]]:
        """Return the dealer's open questions."""
        return list(self.service.view("dealer")["questions"])
