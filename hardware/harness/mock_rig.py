"""The mock rig: gpiozero's mock pins and the rendered demo table, in this process, on a simulated clock."""

import functools
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from companion.journal.hash_chain import EntryJson
from companion.kernel.commands import Record
from companion.kernel.table import Table
from companion.objects.decks import Deck
from companion.objects.designs import DeckDesign
from companion.plugins.demo import PictureSource, ScriptedTable, ScriptedTableSetting
from companion.plugins.plugin import GamePlugin
from companion.plugins.registry import installed_games
from companion.service.snapshot import RoomView
from companion.service.table_service import TableService
from companion.tracking.sight import Sight
from companion.tracking.watch import Source
from companion.vision.frame import Frame
from hardware.cameras import ReconnectingCamera
from hardware.cameras.reconnecting import CameraStatus
from hardware.demo.camera import DemoCamera
from hardware.demo.card_table import CardTable
from hardware.demo.faces import Faces
from hardware.demo.printer import DeckPrinter
from hardware.harness import steps as s
from hardware.harness.card_world import deck_design, felt_for, start_laying, start_movement
from hardware.harness.fast_table import FastTable
from hardware.harness.rig import Change, Contact, RigError
from hardware.harness.scenario import Scenario
from hardware.harness.trace import Fields, Recorder, entry_fields, header_fields

MakeSight = Callable[[GamePlugin, Mapping[str, bytes]], Sight | None]
"""Creates the camera interpretation of a game, given the decks' keys by id; None if the game has none."""

MakePages = Callable[[TableService, Path], Callable[[str], str]]
"""Creates, for a table and its folder, a function that fetches a page as the dealer."""

SIZE: Final = (1280, 720)
FPS: Final = 10.0
STAGE_SIZE, STAGE_FPS = (1280, 720), 20.0
"""For a game's own rendered table without cards; a moving ball needs a higher frame rate."""
MAT_SIZE: Final = (1920, 1080)
"""For a game's own rendered table with cards on a mat."""
PACE: Final = 3.0
REST_S: Final = 0.3
_MAX_DURATION_S: Final = 120.0
_RAM_FOLDER: Final = "/dev/shm"
"""Folder of the journals. The simulated clock does not run during disk access, so RAM only saves real time."""
_FOREVER_S: Final = 1e9
_KEY: Final = b"the harness's key, 32 bytes long"


def harness_deck(design: DeckDesign) -> Deck:
    """Return the harness's deck, which has a fixed key."""
    return Deck("HARN", design, "Harness", _KEY, "2026-01-01T00:00:00.000+00:00")


@functools.cache
def harness_faces(design: DeckDesign) -> Faces:
    """Return the textures of the harness's deck; cached for all scenarios of a run."""
    return Faces(DeckPrinter(harness_deck(design)))


class MockRig:
    """See `hardware.harness.rig.Rig`.

    Args:
        make_sight: creates the camera interpretation.
        make_pages: creates the access to the pages.
        recorder: records a trace of one scenario.
    """

    name = "mock"
    slack_ms = 0.0
    extra_timeout_ms = 0.0
    poll_s = 0.01

    def __init__(self, make_sight: MakeSight, make_pages: MakePages, recorder: Recorder | None = None) -> None:
        self._make_sight, self._make_pages, self._recorder = make_sight, make_pages, recorder
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._table: FastTable | None = None
        self._demo: CardTable | None = None
        self._stage: ScriptedTable | None = None
        self._get: Callable[[str], str] | None = None

    # ---- start and stop

    def open(self, scenario: Scenario) -> None:
        if scenario.process:
            raise RigError("This scenario kills the table's process. Run it with `companion hil run`.")
        design = deck_design(scenario)
        deck = None if design is None else harness_deck(design)
        keys = {} if deck is None else {deck.id: deck.key}
        is_seen = _needs_scripted_table(scenario) or (deck is not None and scenario.plugin.felt is not None)
        sight = self._make_sight(scenario.plugin, keys) if is_seen else None
        self._folder = tempfile.TemporaryDirectory(
            prefix="hil-", dir=_RAM_FOLDER if Path(_RAM_FOLDER).is_dir() else None
        )
        self._write_header(scenario, None if design is None else design.kind)
        self._table = FastTable(
            scenario.header, scenario.panel, Path(self._folder.name), installed_games(),
            sight=sight, camera=None if sight is None else partial(self._camera, scenario, deck),
            fps=self._fps(scenario),
        )  # fmt: skip
        self.wait(max(1.0, scenario.panel.lamp_test_s + 0.2))

    def _camera(self, scenario: Scenario, deck: Deck | None, clock: Callable[[], float]) -> Source:
        filmed: PictureSource
        if deck is None or _needs_scripted_table(scenario):
            filmed = self._stage = new_scripted_table(scenario, clock, deck)
        else:
            felt = felt_for(scenario, deck)
            demo = CardTable(harness_faces(deck.design), deck.cards, felt, size=SIZE, pace=PACE, clock=clock)
            filmed = self._demo = demo
        fps = self._fps(scenario)
        steady = ReconnectingCamera(
            lambda: DemoCamera(filmed, fps, paced=False, clock=clock), name="demo table", clock=clock
        )
        return steady if self._recorder is None else RecordingCamera(steady, self._recorder, clock)

    def _fps(self, scenario: Scenario) -> float:
        is_running = _needs_scripted_table(scenario) and deck_design(scenario) is None
        return STAGE_FPS if is_running else FPS

    def _write_header(self, scenario: Scenario, deck: str | None) -> None:
        if self._recorder is not None:
            self._recorder.write("header", 100.0, **header_fields(scenario, "fast", deck))

    def close(self) -> None:
        table, self._table, self._get = self._table, None, None
        if table is not None:
            self._write_outcome(table)
            table.close()
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def _write_outcome(self, table: FastTable) -> None:
        if self._recorder is None:
            return
        for change in table.changes():
            if not change.line.startswith("button/"):
                self._recorder.write("line", change.t, line=change.line, on=change.on)
        for entry in table.journal():
            self._recorder.write("entry", table.t, **entry_fields(entry))
        self._recorder.write("end", table.t)
        self._recorder.close()

    @property
    def table(self) -> FastTable:
        """The table under test."""
        if self._table is None:
            raise RigError("The mock rig is not open. Open it with a scenario first.")
        return self._table

    # ---- time and pins

    def now(self) -> float:
        return self._table.t if self._table is not None else 0.0

    def wait(self, seconds: float) -> None:
        self.table.run(self.table.t + seconds)

    def play(self, contacts: Sequence[Contact]) -> float:
        return self.table.play(contacts, self._write_contact)

    def _write_contact(self, contact: Contact, t: float) -> None:
        if self._recorder is not None:
            self._recorder.write("contact", t, button=contact.button, down=contact.is_down)

    def changes(self, after: int) -> Sequence[Change]:
        return self.table.changes(after)

    def lines(self) -> Mapping[str, bool]:
        return self.table.bench.lines()

    def display_history(self) -> Sequence[tuple[str, str]] | None:
        return self.table.display.shown

    # ---- the table

    def view(self) -> RoomView:
        self.table.settle()
        return self.table.service.view("dealer")

    def journal(self, after: int) -> Sequence[EntryJson]:
        return self.table.journal(after)

    def command(self, record: Record) -> str | None:
        if self._recorder is not None:
            self._recorder.write("command", self.table.t, record=dict(record))
        return self.table.command(record)

    def page(self, path: str) -> str:
        self.table.settle()
        if self._get is None:
            assert self._folder is not None, "the rig is open"
            self._get = self._make_pages(self.table.service, Path(self._folder.name))
        return self._get(path)

    # ---- the world

    def move(self, step: s.Step) -> float:
        table, demo = self._stage or self._demo, self._demo
        if table is None or self.table.watch is None:
            raise RigError("No camera can see this game on the mock rig yet. Give the command instead.")
        if isinstance(step, s.Camera):
            table.lose_camera(_FOREVER_S) if step.camera == "lost" else table.restore_camera()
            return self.now()
        if self._stage is not None and isinstance(step, s.Happen):
            self._stage.happen(step.happen)
        elif demo is None:
            raise RigError("There are no cards on this game's table. Say what happens with `happen`.")
        elif isinstance(step, s.Lay):
            return self._lay(demo, step)
        else:
            start_movement(demo, step)
        return self._until_calm(table)

    def _lay(self, demo: CardTable, step: s.Lay) -> float:
        """Lay cards; return when the last one came to rest, though the hand may still be above it."""
        before = len(demo.lying)
        start_laying(demo, step)
        ends = self.now() + _MAX_DURATION_S
        while len(demo.lying) < before + len(step.lay):
            self._frame(ends)
        rested = self.now()
        self._until_calm(demo)
        return rested

    def _until_calm(self, demo: CardTable | ScriptedTable) -> float:
        ends = self.now() + _MAX_DURATION_S
        self._frame(ends)
        while not demo.is_at_rest:
            self._frame(ends)
        calm = self.now()
        self.wait(REST_S)
        return calm

    def _frame(self, ends: float) -> None:
        if self.now() > ends:
            raise RigError(f"The demo table did not come to rest in {_MAX_DURATION_S:.0f} s. Is its camera lost?")
        self.wait(1 / FPS)

    def kill(self) -> None:
        raise RigError("Only a process can be killed. Write process = true in the scenario.")

    def start(self) -> None:
        raise RigError("Only a process can be started. Write process = true in the scenario.")


def _needs_scripted_table(scenario: Scenario) -> bool:
    return any(isinstance(placed.step, s.Happen) for placed in scenario.steps)


def new_scripted_table(scenario: Scenario, clock: Callable[[], float], deck: Deck | None = None) -> ScriptedTable:
    """Return the game's own rendered table, for scenarios with `Happen` steps.

    Raises:
        RigError: the game has none.
    """
    demo = scenario.plugin.demo
    if demo is None or demo.scripted_table is None:
        raise RigError(f"Nothing can happen by itself at the demo table of {scenario.plugin.title}. Give the command.")
    state = Table(scenario.header).situation().state
    return demo.scripted_table(ScriptedTableSetting(state, STAGE_SIZE if deck is None else MAT_SIZE, PACE, clock, deck))


class RecordingCamera:
    """A camera that records every frame in a trace, and returns it as recorded."""

    def __init__(self, camera: ReconnectingCamera, recorder: Recorder, clock: Callable[[], float]) -> None:
        self._camera, self._recorder, self._clock = camera, recorder, clock

    @property
    def name(self) -> str:
        return self._camera.name

    @property
    def status(self) -> CameraStatus:
        return self._camera.status

    def read(self, timeout_s: float) -> Frame | None:
        """Return the next frame, as decoded from the trace's JPEG."""
        frame = self._camera.read(timeout_s)
        status = self._camera.status
        seen: Fields = {"camera": self.name, "state": status.state, "text": status.text}
        if frame is not None:
            name, frame = self._recorder.picture(frame)
            seen |= {"picture": name, "frame_t": frame.t, "number": frame.number}
        self._recorder.write("turn", self._clock(), **seen)
        return frame

    def close(self) -> None:
        """Close the camera."""
        self._camera.close()
