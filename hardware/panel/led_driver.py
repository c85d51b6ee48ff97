"""Drives the panel's outputs: lamps, suit lights, status and buzzer, each with its rhythm, all on one clock."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from companion.config.panel import PanelConfig
from companion.plugins.panel import Duty, Moment, PanelPart
from hardware.panel.board import Board
from hardware.panel.lights import DARK, FAST, RED, SLOW, STEADY, Rhythm, cue_between, is_on, next_change, status_light

REFUSED_S: Final = 0.48
GAP_S: Final = 0.06
"""Between two cues, so that they are heard as two."""
_URGENT: Final = ("held", "refused", "question", "lost", "decided", "card", "accepted")
"""Cues, the most urgent first: one that is playing is only cut short by a more urgent one."""


@dataclass(frozen=True, slots=True)
class _Play:
    """A line's rhythm, and when it began."""

    rhythm: Rhythm
    since: float


class LedDriver:
    """Holds the pattern of every line and switches it when due. Not thread-safe."""

    def __init__(self, config: PanelConfig, board: Board, now: float) -> None:
        self._config, self._board = config, board
        self._lines = {line: _Play(DARK, now) for line in sorted(board.lines - {"buzzer"})}
        self._cue: tuple[str, float] | None = None
        self._test_ends = float("-inf")
        self._refused_until = float("-inf")
        self._status: tuple[frozenset[str], Rhythm] = (frozenset(), DARK)

    # ---- what is to be shown

    def show(self, part: PanelPart, moment: Moment, before: Moment | None, now: float) -> None:
        """Apply a new moment: suits, status, and the cue for what has changed."""
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

    def lamps(self, duties: Mapping[str, Duty], now: float) -> None:
        """Light the lamps of the buttons that would do something; that of a chosen one blinks."""
        for line in self._lines:
            kind, _, button = line.partition("/")
            if kind == "lamp":
                duty = duties.get(button)
                self._set(line, DARK if duty is None else SLOW if duty.is_chosen else STEADY, now)

    def refuse(self, now: float) -> None:
        """Flash the status light and say no."""
        self._refused_until = now + REFUSED_S
        self._set_status(now)
        self.cue("refused", now)

    def cue(self, name: str, now: float) -> None:
        """Begin a cue, unless a more urgent one plays."""
        playing = self._cue
        if playing is not None and self._is_playing(now) and _URGENT.index(playing[0]) < _URGENT.index(name):
            return
        self._cue = (name, now if playing is None else now + GAP_S)

    def test(self, now: float) -> None:
        """Light everything for a moment."""
        self._test_ends = now + self._config.lamp_test_s

    # ---- showing it

    def turn(self, now: float) -> float | None:
        """Switch every line to what it should be now; return when the next one changes."""
        if now >= self._refused_until > float("-inf"):
            self._refused_until = float("-inf")
            self._set_status(now)
        is_test = now < self._test_ends
        dues = [due for due in (self._test_ends, self._refused_until) if due > now]
        for line, play in self._lines.items():
            self._board.switch(line, is_test or is_on(play.rhythm, now - play.since))
            change = next_change(play.rhythm, now - play.since)
            if change is not None:
                dues.append(now + change)
        dues += self._buzz(now)
        return min(dues, default=None)

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
            self._lines[line] = _Play(rhythm, now)
