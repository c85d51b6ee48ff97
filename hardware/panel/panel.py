"""The panel's main loop: turns button presses into commands, and the table's state into lights, sounds and text.

All work happens in `step`, which one thread calls whenever something is due; tests call it with their own clock.
A button's action is looked up when the press takes effect. If the table has changed since the button was touched, the
press is refused, because it was meant for another action.
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
from companion.plugins import panel as acts
from companion.plugins.panel import ButtonAction, Menu, Moment
from companion.service.table_service import TableService
from hardware.panel.board import Board
from hardware.panel.button_actions import Cursor, actions_of, menu_of, rare_menu
from hardware.panel.debouncer import ButtonEvent, Debouncer, Freed, Pressed, Stuck, Tapped, Together, timing_of
from hardware.panel.dispatcher import SOURCE as SOURCE
from hardware.panel.dispatcher import Dispatcher
from hardware.panel.displays import Display
from hardware.panel.led_driver import LedDriver
from hardware.panel.texts import NAMES, page_at, screen, together_words

log = logging.getLogger(__name__)

_MESSAGE_DURATION_S: Final = 4.0
"""How long the panel's own messages stay on the display."""
_REACTION_S: Final = 0.25
"""Human reaction time: a change of menu, turn or UNDO's target this shortly before a touch was not noticed."""
_TURN_OVERLAP_S: Final = 1.0
"""A press this soon after a change of turn was meant for the previous turn, not to open the next player's menu."""
_MENU_TIMEOUT_S: Final = 20.0
"""An opened menu closes after this time without a press."""
_MAX_WAIT_S: Final = 1.0
"""Maximum sleep of the panel's threads."""


@dataclass(slots=True)
class PressStats:
    """Press statistics.

    Attributes:
        presses: number of accepted presses.
        refused: number of refused presses.
        latencies: of the latest accepted presses, seconds from touch to completion, journal write included.
    """

    presses: int = 0
    refused: int = 0
    latencies: deque[float] = field(default_factory=lambda: deque(maxlen=500))


class Panel(Closing):
    """Buttons, lights, buzzer and display of one table. Closing the panel also closes its board and display.

    Args:
        service: the table.
        board: the pins.
        config: light patterns, buzzer cues and times.
        display: the text display; None without one.
        clock: monotonic seconds.
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
        self._debouncer = Debouncer(board.buttons, timing_of(config))
        self._leds = LedDriver(config, board, clock())
        self._edges: deque[tuple[str, bool, float]] = deque()
        self._version = -1
        self._moment: Moment = service.moment()
        self._part = service.games.named(self._moment.rules.name).panel
        self._actions: dict[str, ButtonAction] = {}
        self._action_since: dict[str, float] = {}
        self._menu: Menu | None = None
        self._menu_since: tuple[str, float] = ("", float("-inf"))
        self._turn_since = self._prompt_since = float("-inf")
        self._cursor = Cursor()
        self._menu_until = float("inf")
        self._message: tuple[str, float] | None = None
        self._pages: tuple[tuple[tuple[str, ...], tuple[str, ...]], float] = ((("",), ("",)), clock())
        self._on_display: tuple[str, str] | None = None
        self._wake = threading.Condition()
        self._stop = threading.Event()
        self._threads = [
            threading.Thread(target=self._run, name="panel", daemon=True),
            threading.Thread(target=self._watch_table, name="panel-view", daemon=True),
        ]
        self.stats = PressStats()
        for button in board.buttons:
            if board.is_down(button):
                self._debouncer.begin(button, clock())
        board.listen(self.edge)

    # ---- start and stop

    def start(self) -> Self:
        """Run `begin` and start the threads."""
        self.begin()
        for thread in self._threads:
            thread.start()
        return self

    def begin(self) -> None:
        """Start the lamp test and report disabled parts. Called by `start`, or by tests that call `step` directly."""
        self._leds.test(self._clock())
        for trouble in self._board.troubles:
            log.warning("%s", trouble)
            self._dispatcher.notice(trouble, {"panel": "left-out"})

    def close(self) -> None:
        """Stop the threads and switch everything off. May be called twice."""
        self._stop.set()
        with self._wake:
            self._wake.notify_all()
        for thread in self._threads:
            if thread.is_alive() and thread is not threading.current_thread():
                thread.join(3)
        self._board.close()
        if self._display is not None:
            self._display.close()

    def _run(self) -> None:
        while not self._stop.is_set():
            due = self._step_safely()
            with self._wake:
                wait = _MAX_WAIT_S if due is None else due - self._clock()
                if not self._edges and self._version == self._service.version and wait > 0:
                    self._wake.wait(min(wait, _MAX_WAIT_S))

    def _step_safely(self) -> float | None:
        try:
            return self.step()
        except Exception:  # a bug in one step must not disable the buttons for the rest of the evening
            log.exception("Internal error in the panel; it continues")
            self._stop.wait(0.5)
            return None

    def _watch_table(self) -> None:
        version = self._version
        while not self._stop.is_set():
            version = self._service.wait(version, _MAX_WAIT_S)
            if version != self._version:
                with self._wake:
                    self._wake.notify_all()

    def edge(self, button: str, is_down: bool) -> None:
        """Queue an edge of a button's contact; called from the pins' thread."""
        with self._wake:
            self._edges.append((button, is_down, self._clock()))
            self._wake.notify_all()

    # ---- one step

    def step(self) -> float | None:
        """Do everything that is due. Return the next due time; None: nothing until an edge or a change of the table."""
        now = self._clock()
        self._refresh(now)
        while self._edges:
            button, is_down, t = self._edges.popleft()
            self._handle_events(self._debouncer.poll(t))
            self._debouncer.edge(button, is_down, t)
        self._handle_events(self._debouncer.poll(now))
        self._refresh(self._clock())
        if self._cursor.opened and self._clock() >= self._menu_until:
            self._show_menu("")
        due_times = [
            self._debouncer.due(),
            self._poll_dispatcher(self._clock()),
            self._leds.update(self._clock()),
            self._update_display(self._clock()),
        ]
        if self._cursor.opened:
            due_times.append(self._menu_until)
        return min((due for due in due_times if due is not None), default=None)

    def _refresh(self, now: float) -> None:
        """Adopt the table's newest state, if it has changed."""
        version = self._service.version
        if version == self._version:
            return
        before, self._moment = self._moment, self._service.moment()
        self._version = version
        is_new_game = before.rules is not self._moment.rules
        if is_new_game:
            self._change_game()
        if before.turn != self._moment.turn:
            self._turn_since = now
        if (before.turn, before.prompt) != (self._moment.turn, self._moment.prompt):  # a player may have two hands
            self._prompt_since = now
        self._update_menu(now)
        self._leds.show(self._part, self._moment, None if is_new_game else before, now)

    def _change_game(self) -> None:
        """Switch to another game's panel part, and forget everything that belongs to the previous game."""
        self._part = self._service.games.named(self._moment.rules.name).panel
        self._dispatcher.forget()
        self._cursor, self._menu, self._actions = Cursor(), None, {}

    def _update_menu(self, now: float) -> None:
        """Recompute the menu and the button actions, with the time of each change."""
        menu = menu_of(self._part, self._moment, self._cursor)
        key = "" if menu is None else menu.key
        if key != self._menu_since[0]:
            self._menu_since = (key, now)
        if self._cursor.opened and key != self._cursor.opened:
            self._cursor = Cursor()
        self._menu = menu
        actions = actions_of(self._part, self._moment, self._cursor)
        for button in {*actions, *self._actions}:
            if _identity(actions.get(button)) != _identity(self._actions.get(button)):
                self._action_since[button] = now
        self._actions = actions
        self._leds.lamps(actions, now)

    # ---- presses

    def _handle_events(self, events: Iterable[ButtonEvent]) -> None:
        for what in events:
            if isinstance(what, Pressed):
                self._press(what)
            elif isinstance(what, Tapped):
                self._tap(what)
            else:
                self._report(what)

    def _press(self, pressed: Pressed) -> None:
        self._refresh(self._clock())
        action = self._actions.get(pressed.button)
        if action is None and self._moment.hold is not None:
            self._refuse(message("On hold: {why}. Hold HOLD to go on.", why=self._moment.hold))
        elif action is None:
            self._refuse(message("{button} does nothing now.", button=NAMES[pressed.button]))
        elif self._is_outdated(pressed):
            self._refuse(
                message(
                    "The table changed as you pressed {button}. Look, then press again.", button=NAMES[pressed.button]
                )
            )
        else:
            self._act(action, pressed)

    def _is_outdated(self, pressed: Pressed) -> bool:
        """Whether the button's action changed after the touch, or too shortly before it to be noticed."""
        key, since = self._menu_since
        is_menu = bool(key) and pressed.button in ("deal", "play")
        action = self._actions[pressed.button]
        changed = (
            self._action_since.get(pressed.button, 0.0) + (_REACTION_S if pressed.button == "undo" else 0.0),
            self._turn_since + _TURN_OVERLAP_S if isinstance(action.act, acts.OpenMenu) else 0.0,
            self._prompt_since + _REACTION_S if action.is_of_turn else 0.0,
            since + _REACTION_S if is_menu else 0.0,
        )
        return max(changed) > pressed.since

    def _act(self, action: ButtonAction, pressed: Pressed) -> None:
        try:
            self._perform(action)
        except CompanionError as error:
            self._refuse(error.message)
            return
        self._menu_until = self._clock() + _MENU_TIMEOUT_S
        self.stats.presses += 1
        self.stats.latencies.append(self._clock() - pressed.since)
        self._message = None
        self._leds.cue("accepted", self._clock())

    def _perform(self, action: ButtonAction) -> None:
        act = action.act
        if isinstance(act, acts.Do):
            self._dispatcher.submit(act.record, self._moment.seq if action.is_of_turn else act.after)
            self._cursor = Cursor()
        elif isinstance(act, acts.DoOnceCounted):
            self._dispatcher.finish(act, self._moment, self._progress(), self._clock())
        elif isinstance(act, acts.Answer):
            self._dispatcher.answer(act.question, act.choice, act.mark)
        elif isinstance(act, acts.DeclareCard):
            self._dispatcher.intend(act.what)
        elif isinstance(act, acts.ShowNext):
            if self._menu is not None:
                self._cursor = self._cursor.turned(self._menu)
                self._update_menu(self._clock())
        else:
            rare = rare_menu(self._part, self._moment)
            self._show_menu(rare.key if rare is not None and isinstance(act, acts.OpenMenu) else "")

    def _show_menu(self, key: str) -> None:
        """Open the menu of rare actions with this key; '' closes it."""
        self._cursor, self._menu_since = Cursor(opened=key), (key, float("-inf"))
        self._update_menu(self._clock())

    def _poll_dispatcher(self, now: float) -> float | None:
        """End a turn that was waiting for its card to count; return the time of the next check."""
        try:
            return self._dispatcher.poll(self._moment, self._progress(), now)
        except CompanionError as error:
            self._refuse(error.message)
            return None

    def _progress(self) -> object:
        """Return a value that changes when a card counts."""
        moment = self._moment
        return moment.turn, self._part.on_table(moment), moment.phase, moment.rounds

    def _tap(self, tapped: Tapped) -> None:
        """Show what holding the tapped button would do. Tapping HOLD also starts the lamp test."""
        name, action = NAMES[tapped.button], self._actions.get(tapped.button)
        self._say(f"{name} does nothing now." if action is None else f"Hold {name} to {action.label}.")
        if tapped.button == "hold":
            self._leds.test(self._clock())

    def _report(self, what: Together | Stuck | Freed) -> None:
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
        self._message = (text, self._clock() + _MESSAGE_DURATION_S)

    # ---- the display

    def _update_display(self, now: float) -> float | None:
        """Show the current page of the text; return the time of the next check."""
        if self._message is not None and now >= self._message[1]:
            self._message = None
        if self._display is None:
            return None
        message_text = self._message[0] if self._message else None
        text = screen(self._moment, self._menu, self._cursor, self._actions, message_text, self._display.columns)
        if text != self._pages[0]:
            self._pages = (text, now)
        pages, since = self._pages
        shown = (page_at(pages[0], now - since), page_at(pages[1], now - since))
        if shown != self._on_display:
            self._display.show(*shown)
            self._on_display = shown
        return now + 0.25 if max(map(len, pages)) > 1 or message_text else None


def _identity(action: ButtonAction | None) -> object:
    """Return what identifies a button's action; an undo differs with every command, all `ShowNext` are the same."""
    return None if action is None or isinstance(action.act, acts.ShowNext) else action.act
