"""Camera, perception and demo of the current game for ``companion run``, replaced when the game changes.

A thread watches the table service for a new session and starts the new game's equipment; pages, panel and process
keep running. If the equipment cannot be started, a notice says so, and the dealer enters everything by hand.
"""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Final, Self

from companion.app.die_axis import AxisSetting, with_axis
from companion.app.pipeline import Perception, choose_perception
from companion.closing import Closing
from companion.config.tables import Config
from companion.kernel.errors import CompanionError
from companion.kernel.messages import message
from companion.plugins.demo import DemoControl
from companion.service import night
from companion.service.night import Planned
from companion.service.one_session import OneSession
from companion.service.table_service import TableService
from companion.tracking.cards.enrollment import OwnDeckEnrollment
from companion.tracking.dice.axis_session import AxisSession
from companion.tracking.dice.enrollment import DieEnrollment
from companion.tracking.dice.shapes import AxisSource
from companion.tracking.dice.sight import DieSight
from companion.tracking.house_decks import HouseDecks
from companion.tracking.sight import NoSight
from companion.tracking.watch import TableWatch
from companion.vision.dice.axis import Axis, Lens
from companion.vision.frame import Frame
from hardware.cameras import CameraError
from hardware.cameras.absent import NoCamera

log = logging.getLogger("companion.run")

CHECK_S: Final = 1.0
"""How often the night's plan is checked."""
CAMERA: Final = "camera"
SAFE: Final = message("Safe mode: no camera and no panel. Enter by hand what happens.")


TRIAL_S: Final = 15.0
"""How long nothing is played after the last trial picture: time to remove a card that was only shown."""


class Trial:
    """A camera trial: somebody tests whether a card is read, so nothing in view is played.

    Args:
        clock: monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._ends = float("-inf")

    def begin(self) -> None:
        """Play nothing in view for `TRIAL_S` from now."""
        self._ends = self._clock() + TRIAL_S

    @property
    def is_open(self) -> bool:
        return self._clock() < self._ends


def local_now() -> datetime:
    """Return the table's local time, without a zone."""
    return datetime.now()


class GameRig(Closing):
    """The equipment of the current game. Thread-safe; a context manager.

    Pages get pictures and statistics here, whichever game's `TableWatch` is running.

    Args:
        config: the configuration of this process.
        clock: the local time.
        is_safe: run without camera, perception and demo, whatever is configured.
        house_decks: the decks of the floor's other tables.
    """

    def __init__(
        self,
        data_dir: Path,
        config: Config,
        service: TableService,
        *,
        clock: Callable[[], datetime] = local_now,
        is_safe: bool = False,
        house_decks: HouseDecks | None = None,
    ) -> None:
        self._is_safe, self._house_decks = is_safe, house_decks
        self._data_dir, self._config, self._service, self._clock = data_dir, config, service, clock
        self._stack = ExitStack()
        self._session = 0
        self._changing_since: float | None = None
        self._on_change: Callable[[], None] = lambda: None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="game-rig", daemon=True)
        self._plan: tuple[Planned, ...] = config.plan
        self._demo: DemoControl | None = None
        self._trial = Trial()
        self.camera_source = ""
        "The source setting of the camera in use: the table's, or the tray's own. Empty without a camera."
        self.enrollment: DieEnrollment | None = None
        "Dice enrollment; None if this installation cannot read dice."
        self.axis_session: AxisSession | None = None
        "Session that determines the camera's axis; None in games without a dice tray."
        self._perception: Perception | None = None
        self._axis_lock = threading.Lock()
        self._last_enrollment: DieEnrollment | None = None  # kept during games without a camera
        self.deck_enrollment: OwnDeckEnrollment | None = None

    # ---- lifecycle

    def start(self, chosen: Perception | None) -> Self:
        """Start the current game's equipment, and follow game changes from now on.

        Args:
            chosen: the configured perception; used if it is for the current game.

        Raises:
            DeckError: the configured deck does not exist.
        """
        if self._is_safe:
            self._run_without_camera(SAFE)
        elif chosen is not None and chosen.plugin.name == self._service.header.game:
            self._start_equipment(chosen, may_seat=not self._config.players)
        else:
            self._change()
        self._show_night()
        self._thread.start()
        return self

    def follow(self, on_change: Callable[[], None]) -> None:
        """Set the callback for changes of the equipment, and call it once."""
        self._on_change = on_change
        self._notify()

    def _notify(self) -> None:
        self._on_change()
        self._show_demo()

    def _show_demo(self) -> None:
        """Publish whether there is a demo, and whether it is in automatic mode."""
        demo = self.demo
        self._service.set_demo(demo is not None, plays=demo is not None and demo.is_auto)

    def close(self) -> None:
        """Stop; closes camera and demo. May be called twice."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout=2)
        self._stack.close()

    def _run(self) -> None:
        version = self._service.version
        while not self._stop.is_set():
            version = self._service.wait(version, CHECK_S)
            try:
                if self._service.session != self._session and not self._stop.is_set():
                    self._change()
                    self._notify()
                self._show_demo()
                self._show_night()
            except Exception:  # a bug must not disable the camera for the rest of the session
                log.exception("Internal error while setting up the game's camera or demo; the table continues")
                self._stop.wait(CHECK_S)

    # ---- the equipment

    def _change(self) -> None:
        """Replace the equipment with that of the current game."""
        self._changing_since = time.monotonic()
        try:
            self._stack.close()
            self._stack = ExitStack()
            self._demo, self.enrollment, self.axis_session, self.deck_enrollment = None, None, None, None
            self._service.set_sight({})
            try:
                if self._is_safe:
                    self._run_without_camera(SAFE)
                    return
                self._start_equipment(self._chosen(), may_seat=self._may_seat())
            except CompanionError as error:
                self._run_without_camera(error.message)
            except Exception:
                log.exception("The game's camera setup failed")
                self._run_without_camera(
                    message("The camera's pictures cannot be worked through; see the log. Tap the cards.")
                )
        finally:
            self._changing_since = None

    def _chosen(self) -> Perception:
        """Choose the picture source and perception of the current game.

        Raises:
            CameraError: the camera is the demo, and this game has none.
        """
        header = self._service.header
        changes = {"game": header.game, **({"deck": header.options["deck"]} if "deck" in header.options else {})}
        table = self._config.table.model_copy(update=changes)
        config = self._config.model_copy(update={"table": table})
        if config.camera.source == "demo" and self._service.games.named(header.game).demo is None:
            raise CameraError.saying("There is no demo of {game}: enter by hand what happens.", game=header.rules.title)
        return choose_perception(self._data_dir, config, self._service.games, self._house_decks)

    def _may_seat(self) -> bool:
        """Whether simulated players may sit down: never among real players who change games."""
        demo = self._service.games.named(self._service.header.game).demo
        names = {player["name"] for player in self._service.view("room")["players"]}
        return not self._config.players and (not names or demo is None or not names.isdisjoint(demo.players))

    def _start_equipment(self, chosen: Perception, *, may_seat: bool) -> None:
        service = OneSession(self._service)
        self._session = service.number
        self.camera_source = chosen.config.camera.source
        self.watch, self._demo = chosen.start(self._stack, service, may_seat=may_seat)
        self.enrollment = chosen.enrollment(self.watch)
        if self.enrollment is not None and self._last_enrollment is not None:
            self.enrollment.take_over(self._last_enrollment)
        self._last_enrollment = self.enrollment
        self.axis_session = chosen.axis_session(self.watch)
        self.deck_enrollment = chosen.deck_enrollment(self.watch, self.enrollment, self.axis_session, self._trial)
        with self._axis_lock:
            self._perception = chosen
            self._apply_axis()

    def _run_without_camera(self, why: str) -> None:
        """Continue without a camera, with a notice that says why."""
        log.warning("%s", why)
        self._stack.close()
        self._stack = ExitStack()
        service = OneSession(self._service)
        self._session = service.number
        self.camera_source = ""
        self._perception = None
        self.watch = TableWatch(NoCamera(), NoSight(), service)
        self._stack.enter_context(self.watch).start()
        self._service.notice(why, source=CAMERA)

    # ---- the camera's axis

    def set_axis(self, axis: AxisSetting, view: float | None) -> None:
        """Set ``axis`` and ``view`` of ``[die]``, from the next throw on and for later games."""
        with self._axis_lock:
            self._config = with_axis(self._config, axis, view)
            self._apply_axis()

    def _apply_axis(self) -> None:
        """Apply the axis setting to the running equipment; the setting may have changed during a game change."""
        chosen, die = self._perception, self._config.die
        if chosen is None or (chosen.config.die.axis, chosen.config.die.view) == (die.axis, die.view):
            return
        self._perception = chosen = replace(chosen, config=with_axis(chosen.config, die.axis, die.view))
        axis = chosen.die_axis()
        if isinstance(self.watch.sight, DieSight):
            self.watch.sight.set_axis(axis)
        if self.enrollment is not None:
            self.enrollment.set_axis(axis)
        if self.axis_session is not None:
            self.axis_session.set_lens(chosen.lens())

    @property
    def view_deg(self) -> float | None:
        """The configured angle of view; None if not set."""
        return self._config.die.view

    @property
    def axis_now(self) -> tuple[AxisSource, Axis | None]:
        """The axis in use, and where it comes from."""
        axis = self.enrollment.axis if self.enrollment is not None else None
        if self._perception is not None and self._perception.is_demo:
            return "demo", axis
        if isinstance(self._config.die.axis, tuple):
            return "told", Axis(*self._config.die.axis, Lens.of_view(self._config.die.view))
        return ("none", None) if axis is None else ("mat", axis)

    # ---- the night's plan

    def replan(self, config: Config) -> None:
        """Follow a new plan for the night."""
        self._plan = config.plan
        self._show_night()

    def _show_night(self) -> None:
        if not self._service.evening:  # the journal is lost, and the dealer has not accepted the loss yet
            return
        began = datetime.fromisoformat(self._service.began).astimezone().replace(tzinfo=None)
        game = self._service.evening[-1].game
        self._service.set_night(night.shown(self._plan, self._clock(), game, began))

    # ---- for pages

    @property
    def demo(self) -> DemoControl | None:
        """The demo's control; None at a real table, and while a game change is in progress."""
        return self._demo if self._session == self._service.session else None

    @property
    def beat(self) -> float:
        """Monotonic time of the camera thread's last loop; during a game change, the start of that."""
        return self._changing_since or self.watch.beat

    @property
    def camera_name(self) -> str:
        """The camera's name: the device path once it is open."""
        return self.watch.camera_name

    def frame(self) -> Frame | None:
        """Return the newest unprocessed frame; None before the first."""
        return self.watch.frame()

    def pause(self) -> None:
        """Start a camera trial: nothing in view is played for a while."""
        self._trial.begin()

    def picture(self) -> bytes | None:
        """Return the newest frame as JPEG with detections drawn in; None before the first."""
        return self.watch.picture()

    def stats(self) -> Mapping[str, float]:
        """Return the watch's statistics."""
        return self.watch.stats()
