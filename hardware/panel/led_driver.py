"""Drives the panel's outputs: button lamps, suit lights, status light and buzzer, each with its rhythm."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from companion.config.panel import PanelConfig
from companion.plugins.panel import ButtonAction, Moment, PanelPart
from hardware.panel.board import Board
from hardware.panel.lights import DARK, FAST, RED, SLOW, STEADY, Rhythm, cue_between, is_on, next_change, status_light

_REFUSAL_FLASH_S: Final = 0.48
_CUE_GAP_S: Final = 0.06
"""Pause before a cue that interrupts another one, so that they are heard as two."""
_CUE_PRIORITY: Final = ("held", "refused", "question", "lost", "decided", "card", "accepted")
"""Cues by descending priority; a playing cue is interrupted only by one of the same or higher priority."""


@dataclass(frozen=True, slots=True)
class _Running:
    """A line's rhythm and its start time."""

    rhythm: Rhythm
    since: float


class LedDriver:
    """Holds the rhythm of each line and switches the lines when due. Not thread-safe."""

    def __init__(self, config: PanelConfig, board: Board, now: float) -> None:
        self._config, self._board = config, board
        self._lines = {line: _Running(DARK, now) for line in sorted(board.lines - {"buzzer"})}
        self._cue: tuple[str, float] | None = None
        self._test_ends = float("-inf")
        self._refused_until = float("-inf")
        self._status: tuple[frozenset[str], Rhythm] = (frozenset(), DARK)

    # ---- setting the outputs

    def show(self, part: PanelPart, moment: Moment, before: Moment | None, now: float) -> None:
        """Show a new state of the table: suit lights, status light, and the cue for the change.

        ``before`` is the previous state; None plays no cue.
        """
        patterns = self._config.patterns
        moods = part.lights(moment)
        for line in self._lines:
            kind, _, rank = line.partition("/")
            if kind == "suit":
                mood = moods.get(int(rank))
                self._set(line, DARK if mood is None else getattr(patterns, mood), now)
        self._status = status_light(part, moment)
        self._set_status(now)
        cue = None if before is None else cue_between(part, before, moment)
        if cue is not None:
            self.cue(cue, now)

    def lamps(self, actions: Mapping[str, ButtonAction], now: float) -> None:
        """Light the lamps of all buttons that have an action; chosen ones blink."""
        for line in self._lines:
            kind, _, button = line.partition("/")
            if kind == "lamp":
                action = actions.get(button)
                self._set(line, DARK if action is None else SLOW if action.is_chosen else STEADY, now)

    def refuse(self, now: float) -> None:
        """Flash the status light and play the refusal cue."""
        self._refused_until = now + _REFUSAL_FLASH_S
        self._set_status(now)
        self.cue("refused", now)

    def cue(self, name: str, now: float) -> None:
        """Start a cue, unless one of higher priority is playing."""
        playing = self._cue
        if (
            playing is not None
            and self._is_playing(now)
            and _CUE_PRIORITY.index(playing[0]) < _CUE_PRIORITY.index(name)
        ):
            return
        self._cue = (name, now if playing is None else now + _CUE_GAP_S)

    def test(self, now: float) -> None:
        """Start the lamp test: all lights on for ``lamp_test_s``."""
        self._test_ends = now + self._config.lamp_test_s

    # ---- switching the lines

    def update(self, now: float) -> float | None:
        """Switch each line to its current state; return the time of the next change."""
        if now >= self._refused_until > float("-inf"):
            self._refused_until = float("-inf")
            self._set_status(now)
        is_testing = now < self._test_ends
        due_times = [due for due in (self._test_ends, self._refused_until) if due > now]
        for line, play in self._lines.items():
            self._board.switch(line, is_testing or is_on(play.rhythm, now - play.since))
            change = next_change(play.rhythm, now - play.since)
            if change is not None:
                due_times.append(now + change)
        due_times += self._buzz(now)
        return min(due_times, default=None)

    def _buzz(self, now: float) -> list[float]:
        if not self._is_playing(now):
            self._cue = None
            self._board.switch("buzzer", False)
            return []
        assert self._cue is not None
        name, since = self._cue
        rhythm = self._rhythm_of(name)
        at = round((now - since) * 1000, 3)
        if at < 0:
            self._board.switch("buzzer", False)
            return [since]
        end = 0
        for place, part in enumerate(rhythm):
            end += part
            if at < end:
                self._board.switch("buzzer", place % 2 == 0)
                break
        return [since + end / 1000]

    def _rhythm_of(self, cue: str) -> Rhythm:
        rhythm: Rhythm = getattr(self._config.cues, cue)
        return rhythm

    def _is_playing(self, now: float) -> bool:
        if self._cue is None:
            return False
        name, since = self._cue
        return round((now - since) * 1000, 3) < sum(self._rhythm_of(name))

    def _set_status(self, now: float) -> None:
        colours, rhythm = (RED, FAST) if now < self._refused_until else self._status
        for line in self._lines:
            kind, _, colour = line.partition("/")
            if kind == "status":
                self._set(line, rhythm if colour in colours else DARK, now)

    def _set(self, line: str, rhythm: Rhythm, now: float) -> None:
        """Start a rhythm; one that is already playing continues."""
        rhythm = tuple(rhythm)
        if self._lines[line].rhythm != rhythm:
            self._lines[line] = _Running(rhythm, now)
