"""The panel's main loop: button presses become commands, the table's state becomes light, sound and two lines of text.

Everything happens in `step`, which one thread calls whenever something is due; a test calls it with a clock of its
own. A button's action is looked up when it takes effect; a press meant for something else, because the table has
changed meanwhile, is ignored and reported.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final, Self

from companion.closing import Closing
from companion.config.panel import PanelConfig
from companion.kernel.errors import CompanionError
from companion.kernel.messages import message
from companion.plugins import panel as does
from companion.plugins.panel import Duty, Menu, Moment
from companion.service.table_service import TableService
from hardware.panel.board import Board
from hardware.panel.button_actions import Cursor, duties, menu_of, rare_menu
from hardware.panel.dispatcher import SOURCE as SOURCE
from hardware.panel.dispatcher import Dispatcher
from hardware.panel.displays import Display
from hardware.panel.led_driver import LedDriver
from hardware.panel.presses import Freed, Happening, Pressed, Presses, Stuck, Tapped, Together, timing_of
from hardware.panel.texts import NAMES, page_at, screen, together_words

log = logging.getLogger(__name__)

MESSAGE_S: Final = 4.0
UNSEEN_S: Final = 0.25
"""Changes this short before a touch were not seen: a menu, a turn, the target of UNDO."""
UNASKED_S: Final = 1.0
"""NEXT this soon after the end of a turn was meant for that turn, not for the next player's menu."""
MENU_S: Final = 20.0
"""An opened menu closes after this time without a press."""
_IDLE_S: Final = 1.0


@dataclass(slots=True)
class PressStats:
    """How many presses were acted on and refused, and the latest times from touch to the disk, seconds."""

    presses: int = 0
    refused: int = 0
    latencies: deque[float] = field(default_factory=lambda: deque(maxlen=500))


class Panel(Closing):
    """Buttons, lights, buzzer and display of one table. Make one, `start` it, `close` it; it closes its board too.

    Args:
        service: the table.
        board: the pins.
        config: patterns, cues and times.
        display: two lines of text, None for none.
        clock: seconds, never going back.
    """

    def __init__(
        self,
        service: TableService,
        board: Board,
        config: PanelConfig,
        *,
        display: Display | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._service, self._board, self._display, self._clock = service, board, display, clock
        self._dispatcher = Dispatcher(service)
        self._presses = Presses(board.buttons, timing_of(config))
        self._leds = LedDriver(config, board, clock())
        self._edges: deque[tuple[str, bool, float]] = deque()
        self._version = -1
        self._moment: Moment = service.moment()
        self._part = service.games.named(self._moment.rules.name).panel
        self._duties: dict[str, Duty] = {}
        self._duty_since: dict[str, float] = {}
        self._menu: Menu | None = None
        self._menu_since: tuple[str, float] = ("", float("-inf"))
        self._turn_since = self._prompt_since = float("-inf")
        self._cursor = Cursor()
        self._menu_until = float("inf")
        self._message: tuple[str, float] | None = None
        self._text: tuple[tuple[tuple[str, ...], tuple[str, ...]], float] = ((("",), ("",)), clock())
        self._on_display: tuple[str, str] | None = None
        self._bell = threading.Condition()
        self._stop = threading.Event()
        self._threads = [
            threading.Thread(target=self._run, name="panel", daemon=True),
            threading.Thread(target=self._watch, name="panel-view", daemon=True),
        ]
        self.stats = PressStats()
        for button in board.buttons:
            if board.is_down(button):
                self._presses.begin(button, clock())
        board.listen(self.edge)

    # ---- life

    def start(self) -> Self:
        """Test the lamps, report missing parts, and start."""
        self.begin()
        for thread in self._threads:
            thread.start()
        return self

    def begin(self) -> None:
        """Test the lamps and tell what is left out. `start` does it; a test that calls `step` itself does it, too."""
        self._leds.test(self._clock())
        for trouble in self._board.troubles:
            log.warning("%s", trouble)
            self._dispatcher.notice(trouble, {"panel": "left-out"})

    def close(self) -> None:
        """Stop, switch everything off. May be called twice."""
        self._stop.set()
        with self._bell:
            self._bell.notify_all()
        for thread in self._threads:
            if thread.is_alive() and thread is not threading.current_thread():
                thread.join(3)
        self._board.close()
        if self._display is not None:
            self._display.close()

    def _run(self) -> None:
        while not self._stop.is_set():
            due = self._safe_step()
            with self._bell:
                wait = _IDLE_S if due is None else due - self._clock()
                if not self._edges and self._version == self._service.version and wait > 0:
                    self._bell.wait(min(wait, _IDLE_S))

    def _safe_step(self) -> float | None:
        try:
            return self.step()
        except Exception:  # our own mistake must not take the buttons away for the rest of the evening
            log.exception("The panel stumbled; it goes on")
            self._stop.wait(0.5)
            return None

    def _watch(self) -> None:
        version = self._version
        while not self._stop.is_set():
            version = self._service.wait(version, _IDLE_S)
            if version != self._version:
                with self._bell:
                    self._bell.notify_all()

    def edge(self, button: str, is_down: bool) -> None:
        """Receive an edge of a contact, from the pins' own thread."""
        with self._bell:
            self._edges.append((button, is_down, self._clock()))
            self._bell.notify_all()

    # ---- one step

    def step(self) -> float | None:
        """Do everything that is due. Return the next due time, None until an edge or a new view."""
        now = self._clock()
        self._refresh(now)
        while self._edges:
            button, is_down, t = self._edges.popleft()
            self._react(self._presses.turn(t))
            self._presses.edge(button, is_down, t)
        self._react(self._presses.turn(now))
        self._refresh(self._clock())
        if self._cursor.opened and self._clock() >= self._menu_until:
            self._show_menu("")
        dues = [
            self._presses.due(),
            self._end(self._clock()),
            self._leds.turn(self._clock()),
            self._write(self._clock()),
        ]
        if self._cursor.opened:
            dues.append(self._menu_until)
        return min((due for due in dues if due is not None), default=None)

    def _refresh(self, now: float) -> None:
        """Fetch the newest moment, if there is a new one."""
        version = self._service.version
        if version == self._version:
            return
        before, self._moment = self._moment, self._service.moment()
        self._version = version
        is_other = before.rules is not self._moment.rules
        if is_other:
            self._change_game()
        if before.turn != self._moment.turn:
            self._turn_since = now
        if (before.turn, before.prompt) != (self._moment.turn, self._moment.prompt):  # a player may have two hands
            self._prompt_since = now
        self._update_menu(now)
        self._leds.show(self._part, self._moment, None if is_other else before, now)

    def _change_game(self) -> None:
        """Take another game's buttons and lights into use; no button means what it meant before."""
        self._part = self._service.games.named(self._moment.rules.name).panel
        self._dispatcher.forget()
        self._cursor, self._menu, self._duties = Cursor(), None, {}

    def _update_menu(self, now: float) -> None:
        """Recompute menu and button actions, and note which of them changed."""
        menu = menu_of(self._part, self._moment, self._cursor)
        key = "" if menu is None else menu.key
        if key != self._menu_since[0]:
            self._menu_since = (key, now)
        if self._cursor.opened and key != self._cursor.opened:
            self._cursor = Cursor()
        self._menu = menu
        found = duties(self._part, self._moment, self._cursor)
        for button in {*found, *self._duties}:
            if _act(found.get(button)) != _act(self._duties.get(button)):
                self._duty_since[button] = now
        self._duties = found
        self._leds.lamps(found, now)

    # ---- presses

    def _react(self, happened: Iterable[Happening]) -> None:
        for what in happened:
            if isinstance(what, Pressed):
                self._press(what)
            elif isinstance(what, Tapped):
                self._tap(what)
            else:
                self._tell_trouble(what)

    def _press(self, pressed: Pressed) -> None:
        self._refresh(self._clock())
        duty = self._duties.get(pressed.button)
        if duty is None and self._moment.hold is not None:
            self._refuse(message("On hold: {why}. Hold HOLD to go on.", why=self._moment.hold))
        elif duty is None:
            self._refuse(message("{button} does nothing now.", button=NAMES[pressed.button]))
        elif self._is_surprise(pressed):
            self._refuse(
                message(
                    "The table changed as you pressed {button}. Look, then press again.", button=NAMES[pressed.button]
                )
            )
        else:
            self._do(duty, pressed)

    def _is_surprise(self, pressed: Pressed) -> bool:
        """Whether the button's action has changed since it was touched, or its menu has just opened."""
        key, since = self._menu_since
        is_menu = bool(key) and pressed.button in ("deal", "play")
        duty = self._duties[pressed.button]
        changed = (
            self._duty_since.get(pressed.button, 0.0) + (UNSEEN_S if pressed.button == "undo" else 0.0),
            self._turn_since + UNASKED_S if isinstance(duty.act, does.Open) else 0.0,
            self._prompt_since + UNSEEN_S if duty.is_of_turn else 0.0,
            since + UNSEEN_S if is_menu else 0.0,
        )
        return max(changed) > pressed.since

    def _do(self, duty: Duty, pressed: Pressed) -> None:
        try:
            self._carry_out(duty)
        except CompanionError as error:
            self._refuse(error.message)
            return
        self._menu_until = self._clock() + MENU_S
        self.stats.presses += 1
        self.stats.latencies.append(self._clock() - pressed.since)
        self._message = None
        self._leds.cue("accepted", self._clock())

    def _carry_out(self, duty: Duty) -> None:
        act = duty.act
        if isinstance(act, does.Do):
            self._dispatcher.submit(act.record, self._moment.seq if duty.is_of_turn else act.after)
            self._cursor = Cursor()
        elif isinstance(act, does.Finish):
            self._dispatcher.finish(act, self._moment, self._mark(), self._clock())
        elif isinstance(act, does.Answer):
            self._dispatcher.answer(act.question, act.choice, act.mark)
        elif isinstance(act, does.Intend):
            self._dispatcher.intend(act.what)
        elif isinstance(act, does.Turn):
            if self._menu is not None:
                self._cursor = self._cursor.turned(self._menu)
                self._update_menu(self._clock())
        else:
            rare = rare_menu(self._part, self._moment)
            self._show_menu(rare.key if rare is not None and isinstance(act, does.Open) else "")

    def _show_menu(self, key: str) -> None:
        """Open the menu of rare things, or close it."""
        self._cursor, self._menu_since = Cursor(opened=key), (key, float("-inf"))
        self._update_menu(self._clock())

    def _end(self, now: float) -> float | None:
        """End the turn that waits for its card; return when to come again."""
        try:
            return self._dispatcher.turn(self._moment, self._mark(), now)
        except CompanionError as error:
            self._refuse(error.message)
            return None

    def _mark(self) -> object:
        """Return what changes when a card counts."""
        moment = self._moment
        return moment.turn, self._part.on_table(moment), moment.phase, moment.rounds

    def _tap(self, tapped: Tapped) -> None:
        """A guarded button was only tapped: say what holding it would do; HOLD tests the lamps as well."""
        name, duty = NAMES[tapped.button], self._duties.get(tapped.button)
        self._say(f"{name} does nothing now." if duty is None else f"Hold {name} to {duty.label}.")
        if tapped.button == "hold":
            self._leds.test(self._clock())

    def _tell_trouble(self, what: Together | Stuck | Freed) -> None:
        if isinstance(what, Together):
            text = together_words(what)
            self._refuse(text)
        elif isinstance(what, Stuck):
            text = message(
                "{button} has been down for long. It sticks, or something leans on it; free it.",
                button=NAMES[what.button],
            )
            self._refuse(text)
        else:
            text = message("{button} is free again.", button=NAMES[what.button])
            self._say(text)
        kind = type(what).__name__.lower()
        self._dispatcher.notice(
            text, {"panel": kind, "buttons": [*getattr(what, "buttons", (getattr(what, "button", ""),))]}
        )

    def _refuse(self, why: str) -> None:
        self.stats.refused += 1
        log.info("Panel: %s", why)
        self._say(why)
        self._leds.refuse(self._clock())

    def _say(self, text: str) -> None:
        self._message = (text, self._clock() + MESSAGE_S)

    # ---- the display

    def _write(self, now: float) -> float | None:
        """Show the page that is due; return when the next one is."""
        if self._message is not None and now >= self._message[1]:
            self._message = None
        if self._display is None:
            return None
        message_text = self._message[0] if self._message else None
        text = screen(self._moment, self._menu, self._cursor, self._duties, message_text, self._display.columns)
        if text != self._text[0]:
            self._text = (text, now)
        pages, since = self._text
        shown = (page_at(pages[0], now - since), page_at(pages[1], now - since))
        if shown != self._on_display:
            self._display.show(*shown)
            self._on_display = shown
        return now + 0.25 if max(map(len, pages)) > 1 or message_text else None


def _act(duty: Duty | None) -> object:
    """The identity of a button's action. Undo's changes with every command."""
    return None if duty is None or isinstance(duty.act, does.Turn) else duty.act
