"""The game's equipment for ``companion run``: camera, perception and demo, exchanged when another game begins.

The table's service is the authority. A thread sees that another session is on and takes the equipment of its game
into use; pages, panel and process go on. What cannot be set up for a game is said, and entered by hand.
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
"""How often the plan of the night is looked at."""
CAMERA: Final = "camera"
SAFE: Final = message("Safe mode: no camera and no panel. Enter by hand what happens.")


TRIAL_S: Final = 15.0
"""So long after the last look nothing counts: time to take a card away that was only shown."""


class Trial:
    """Somebody tries out whether the camera reads a card; what lies there is not played.

    Args:
        clock: seconds, never going back.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._ends = float("-inf")

    def begin(self) -> None:
        """Let nothing count from now on, for `TRIAL_S`."""
        self._ends = self._clock() + TRIAL_S

    @property
    def is_open(self) -> bool:
        return self._clock() < self._ends


def local_now() -> datetime:
    """Return the table's local time, without a zone."""
    return datetime.now()


class GameRig(Closing):
    """The equipment of the game that is on. Thread-safe; a context manager.

    It stands for the camera's watch of whatever game is on: pages ask it for the picture.

    Args:
        config: the configuration of this process.
        clock: the local time.
        is_safe: no camera, no perception and no demo, whatever is configured.
        house_decks: the decks of the house's other tables.
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
        self._is_auto = True
        self._trial = Trial()
        self.camera_source = ""
        "The setting that the camera in use comes from: the table's, or the tray's own. Empty where none is in use."
        self.enrollment: DieEnrollment | None = None
        "The enrollment of dice; None where they cannot be read."
        self.axis_session: AxisSession | None = None
        "What finds how the camera looks at the tray; None where the game's camera looks at none."
        self._perception: Perception | None = None
        self._axis_lock = threading.Lock()
        self._last_enrollment: DieEnrollment | None = None  # stays while a game is played by hand
        self.deck_enrollment: OwnDeckEnrollment | None = None

    # ---- life

    def start(self, chosen: Perception | None) -> Self:
        """Take the first game's equipment into use, and follow the table from now on.

        Args:
            chosen: what the configuration asks for; used if its game is the one that is on.

        Raises:
            DeckError: the configured deck does not exist.
        """
        if self._is_safe:
            self._by_hand(SAFE)
        elif chosen is not None and chosen.plugin.name == self._service.header.game:
            self._take(chosen, may_seat=not self._config.players)
        else:
            self._change()
        self._show_night()
        self._thread.start()
        return self

    def follow(self, on_change: Callable[[], None]) -> None:
        """Tell somebody when the equipment has changed, and once now."""
        self._on_change = on_change
        self._tell()

    def _tell(self) -> None:
        self._on_change()
        self._show_demo()

    def _show_demo(self) -> None:
        """Show whether there is a demo, and whether it deals by itself or somebody has taken over."""
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
                    self._tell()
                self._show_demo()
                self._show_night()
            except Exception:  # our own mistake must not take the table's eyes away for the rest of the evening
                log.exception("The equipment stumbled; the table goes on")
                self._stop.wait(CHECK_S)

    # ---- the equipment

    def _change(self) -> None:
        """Exchange the equipment for that of the game that is on."""
        self._changing_since = time.monotonic()
        try:
            self._stack.close()
            self._stack = ExitStack()
            self._demo, self.enrollment, self.axis_session, self.deck_enrollment = None, None, None, None
            self._service.set_sight({})
            try:
                if self._is_safe:
                    self._by_hand(SAFE)
                    return
                self._take(self._chosen(), may_seat=self._may_seat())
            except CompanionError as error:
                self._by_hand(error.message)
            except Exception:
                log.exception("The game's camera cannot be used")
                self._by_hand(message("The camera's pictures cannot be worked through; see the log. Tap the cards."))
        finally:
            self._changing_since = None

    def _chosen(self) -> Perception:
        """Choose the picture source and perception of the game that is on.

        Raises:
            CameraError: there is no demo of this game.
        """
        header = self._service.header
        changes = {"game": header.game, **({"deck": header.options["deck"]} if "deck" in header.options else {})}
        table = self._config.table.model_copy(update=changes)
        config = self._config.model_copy(update={"table": table})
        if config.camera.source == "demo" and self._service.games.named(header.game).demo is None:
            raise CameraError.saying("There is no demo of {game}: enter by hand what happens.", game=header.rules.title)
        return choose_perception(self._data_dir, config, self._service.games, self._house_decks)

    def keep_auto(self, is_auto: bool) -> None:
        """Have the demo of the next game play by itself, or wait for whoever took over from the last one."""
        self._is_auto = is_auto

    def _may_seat(self) -> bool:
        """Whether a demo's players may act: they never sit down among people who go on to another game."""
        demo = self._service.games.named(self._service.header.game).demo
        names = {player["name"] for player in self._service.view("room")["players"]}
        return not self._config.players and (not names or demo is None or not names.isdisjoint(demo.players))

    def _take(self, chosen: Perception, *, may_seat: bool) -> None:
        service = OneSession(self._service)
        self._session = service.number
        self.camera_source = chosen.config.camera.source
        self.watch, self._demo = chosen.start(self._stack, service, may_seat=may_seat)
        self.enrollment = chosen.enrollment(self.watch)
        if self.enrollment is not None and self._last_enrollment is not None:
            self.enrollment.go_on(self._last_enrollment)
        self._last_enrollment = self.enrollment
        self.axis_session = chosen.axis_session(self.watch)
        self.deck_enrollment = chosen.deck_enrollment(self.watch, self.enrollment, self.axis_session, self._trial)
        with self._axis_lock:
            self._perception = chosen
            self._look_as_told()
        if self._demo is not None and not self._is_auto:
            self._demo.auto(False)

    def _by_hand(self, why: str) -> None:
        """Go on without a camera, and say why."""
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

    # ---- how the camera looks at the tray

    def look_by(self, axis: AxisSetting, view: float | None) -> None:
        """Take the camera to look at the tray so from the next throw on, as ``[die]`` of the configuration says.

        What was told applies to the games that follow, too.
        """
        with self._axis_lock:
            self._config = with_axis(self._config, axis, view)
            self._look_as_told()

    def _look_as_told(self) -> None:
        """Have what is in use look by the setting: it may have been changed while the game was."""
        chosen, die = self._perception, self._config.die
        if chosen is None or (chosen.config.die.axis, chosen.config.die.view) == (die.axis, die.view):
            return
        self._perception = chosen = replace(chosen, config=with_axis(chosen.config, die.axis, die.view))
        axis = chosen.die_axis()
        if isinstance(self.watch.sight, DieSight):
            self.watch.sight.look_by(axis)
        if self.enrollment is not None:
            self.enrollment.look_by(axis)
        if self.axis_session is not None:
            self.axis_session.look_through(chosen.lens())

    @property
    def view_deg(self) -> float | None:
        """The camera's angle of view as it is set; None: it is not."""
        return self._config.die.view

    @property
    def axis_now(self) -> tuple[AxisSource, Axis | None]:
        """By what dice are read, and who says so."""
        axis = self.enrollment.axis if self.enrollment is not None else None
        if self._perception is not None and self._perception.is_demo:
            return "demo", axis
        if isinstance(self._config.die.axis, tuple):
            return "told", Axis(*self._config.die.axis, Lens.of_view(self._config.die.view))
        return ("none", None) if axis is None else ("mat", axis)

    # ---- the night's plan

    def replan(self, config: Config) -> None:
        """Follow another plan of the night from now on."""
        self._plan = config.plan
        self._show_night()

    def _show_night(self) -> None:
        if not self._service.evening:  # the journal is gone, and nobody has accepted that yet
            return
        began = datetime.fromisoformat(self._service.began).astimezone().replace(tzinfo=None)
        game = self._service.evening[-1].game
        self._service.set_night(night.shown(self._plan, self._clock(), game, began))

    # ---- for pages

    @property
    def demo(self) -> DemoControl | None:
        """The demo's control; None where a real table is played, and until the demo of a new game is there."""
        return self._demo if self._session == self._service.session else None

    @property
    def beat(self) -> float:
        """When the camera's thread last came round (monotonic seconds); while it is exchanged, when that began."""
        return self._changing_since or self.watch.beat

    @property
    def camera_name(self) -> str:
        """What the camera is called: a device's path, once it is open."""
        return self.watch.camera_name

    def frame(self) -> Frame | None:
        """Return the newest frame as the camera sent it; None before the first."""
        return self.watch.frame()

    def pause(self) -> None:
        """Let nothing that lies before the camera count for a while: it is tried out."""
        self._trial.begin()

    def picture(self) -> bytes | None:
        """Return the newest frame as JPEG with what is recognised drawn on it; None before the first."""
        return self.watch.picture()

    def stats(self) -> Mapping[str, float]:
        """Return the watch's numbers."""
        return self.watch.stats()
