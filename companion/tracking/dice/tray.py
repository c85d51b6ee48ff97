"""Tracks one die in its tray: rolling, at rest, lifted, thrown, put down. Pure: motion and detections are passed in.

A *lie* is one rest of the die in one place. What matters is how the die got there: it was thrown only if it was picked
up (or came from outside) and then moved freely, without a hand.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, Literal

from companion.tracking.dice.motion import Rect, TrayMovement

Origin = Literal["thrown", "placed", "bumped", "found", "there"]
"""How a die got to its place: ``thrown``; ``placed`` by a hand; ``bumped``: moved without being picked up; ``found``:
its arrival was not seen; ``there``: already in the tray when the camera started."""

State = Literal["empty", "moving", "hand", "settling", "at rest", "two dice"]
"""What the tray holds; ``settling``: a die has stopped, but its place is not confirmed yet."""

SETTLE_S: Final = 0.1  # without motion, before the first detection
GAP_S: Final = 1.0  # frames farther apart: what happened in between is unknown
RECHECK_S: Final = 0.4
GONE_CHECKS: Final = 3
_MIN_FREE_FRAMES: Final = 4
_MIN_FREE_FRAMES_SLOW: Final = 2
_SLOW_FRAME_STEP_S: Final = 0.12  # between frames
_MIN_FREE_PATH: Final = 2.0  # in die sizes: length of the path, bounces off walls included
_MIN_FREE_DISTANCE: Final = 0.8  # in die sizes: straight distance to the place of rest
_BACK: Final = 0.1
_HELD_S: Final = 0.25
_WINDOW_S: Final = 2.5
_SAME_PLACE: Final = 0.18  # of the die's size
_MAX_JITTER: Final = 0.06


@dataclass(frozen=True, slots=True)
class Spot:
    """A detected die: its bounding box, px in the tray's picture."""

    box: Rect

    @property
    def middle(self) -> tuple[float, float]:
        x, y, w, h = self.box
        return x + w / 2, y + h / 2

    @property
    def size(self) -> float:
        return float(max(self.box[2], self.box[3], 1))

    def apart(self, other: Spot) -> float:
        """Return the distance of the centres, in sizes of this die."""
        return math.dist(self.middle, other.middle) / self.size


@dataclass(frozen=True, slots=True)
class Lie:
    """One rest of the die. ``id`` is a running number; ``since`` is when it came to rest."""

    id: int
    origin: Origin
    since: float
    spot: Spot
    alone: bool = True
    "Whether no other die lay in the tray when this one came to rest."


Sample = tuple[float, tuple[float, float]]
"""A time, and the die's centre at that time."""


@dataclass(slots=True)
class _Journey:
    """The die's path since its last rest: positions without a hand, and movements with one."""

    picked_up: bool
    free: deque[Sample] = field(default_factory=deque)
    held: deque[tuple[float, TrayMovement]] = field(default_factory=deque)

    def note(self, t: float, movement: TrayMovement) -> None:
        if movement.hand is not None:
            self.held.append((t, movement))
        if movement.die is not None:
            x, y, w, h = movement.die
            self.free.append((t, (x + w / 2, y + h / 2)))
        for samples in (self.free, self.held):
            while samples and t - samples[0][0] > _WINDOW_S:
                samples.popleft()

    def left_by_itself(self) -> bool:
        """Whether the die still moved after the last frame with a hand."""
        return self._alone() >= _MIN_FREE_FRAMES

    def may_have_left(self) -> bool:
        """Whether the die may have left freely, but the frame rate is too low to be sure."""
        return (
            len(self.free) >= _MIN_FREE_FRAMES
            and self._alone() >= _MIN_FREE_FRAMES_SLOW
            and _step(self.free) > _SLOW_FRAME_STEP_S
        )

    def _alone(self) -> int:
        """Return the number of frames in which the die moved after the last one with a hand."""
        held = self.held[-1][0] if self.held else -math.inf
        return sum(t > held for t, _ in self.free)


Find = Callable[[], Sequence[Spot]]
"""Detects dice in the current frame; called only when needed."""
Alike = Callable[[Spot], bool]
"""Returns whether the die looks unchanged since it was last seen there."""


class Tray:
    """The tray of one die. Times are seconds and never go back."""

    def __init__(self) -> None:
        self.state: State = "empty"
        self.lie: Lie | None = None
        "The current rest, or while the die moves the previous one; None once the tray was found empty."
        self.others: tuple[Spot, ...] = ()
        "All dice in the tray if there is more than one."
        self.flown_off: float | None = None
        "When a freely moving die turned out to have left the tray; None once a die lies in it again."
        self.is_flown = False
        "Whether `flown_off` is certain, even if the die is not seen outside."
        self._journey: _Journey | None = None
        self._t: float | None = None
        self._moved = -math.inf
        self._checked_at = -math.inf
        self._candidate: tuple[float, Spot] | None = None
        self._missing = 0
        self._count = 0
        self._is_unseen = True  # until the tray's content was established since the last gap
        self._is_new = True  # until the tray was seen once, empty or not
        self._had_several = False

    def update(self, t: float, movement: TrayMovement, find: Find, alike: Alike = lambda spot: False) -> Lie | None:
        """Process a frame and return the lie that has just begun, or None."""
        if self._t is not None and t - self._t > GAP_S:
            self._handle_gap()
        self._t = t
        if movement.moves or movement.hand is not None:
            self._handle_motion(t, movement)
            return None
        if t - self._moved < SETTLE_S:
            self.state = "settling" if self.lie is None and self._journey is not None else self.state
            return None
        if self.lie is not None and self._journey is None and t - self._checked_at < RECHECK_S:
            return None
        if self.lie is None and self._journey is None and t - self._checked_at < RECHECK_S / 2 and not self._candidate:
            return None
        self._checked_at = t
        return self._check(t, find(), alike)

    def _handle_gap(self) -> None:
        """Handle a gap between frames: what happened is unknown; a die seen twice in one place counts as at rest."""
        self._is_unseen, self._journey = True, None
        self._moved = -math.inf

    # ---- in motion

    def _handle_motion(self, t: float, movement: TrayMovement) -> None:
        self.state = "hand" if movement.hand is not None else "moving"
        self._candidate = None
        if movement.moves:
            self._moved = t
        if self._journey is None:
            self._journey = _Journey(self.lie is None)
        self._journey.note(t, movement)
        if self.lie is not None and movement.covers(self.lie.spot.middle):
            self._journey.picked_up = True

    # ---- still

    def _check(self, t: float, found: Sequence[Spot], alike: Alike) -> Lie | None:
        if not found:
            self._handle_empty(t)
            return None
        self._missing = 0
        if len(found) > 1:
            self._handle_several(t, found)
            return None
        self.others = ()
        return self._handle_single(t, found[0], alike)

    def _handle_empty(self, t: float) -> None:
        self._candidate = None
        self._missing += 1
        if self.lie is not None and self._missing < GONE_CHECKS:
            return  # the detector may have missed it
        if self.lie is not None:
            self.lie = None
        self.state, self.others, self._had_several = "empty", (), False
        self._is_unseen = self._is_new = False
        if self._journey is not None and t - self._moved > GAP_S:
            self.is_flown = self._journey.left_by_itself()
            if self.is_flown or self._journey.may_have_left():
                self.flown_off = t
            self._journey = None

    def _handle_several(self, t: float, found: Sequence[Spot]) -> None:
        self.state, self._had_several, self._candidate = "two dice", True, None
        self.others, self.flown_off = tuple(found), None
        if self._journey is not None and t - self._moved > GAP_S:
            self._journey = _Journey(False)

    def _handle_single(self, t: float, spot: Spot, alike: Alike) -> Lie | None:
        if self.lie is not None and self._is_current_lie(spot, alike):
            self._journey, self._candidate, self._had_several, self.state = None, None, False, "at rest"
            self._is_unseen = False
            return None
        since, before = self._candidate or (t, spot)
        if spot.apart(before) > _MAX_JITTER:
            since = t
        self._candidate = since, spot
        self.state = "settling"
        if self._candidate[0] == t:
            return None
        return self._begin(since, spot)

    def _is_current_lie(self, spot: Spot, alike: Alike) -> bool:
        """Whether this is the current lie: in the same place, and not picked up since."""
        assert self.lie is not None
        lifted = self._journey is not None and (self._journey.picked_up or bool(self._journey.free))
        near = self.lie.spot.apart(spot) < _SAME_PLACE and not lifted
        return near and (not self._is_unseen or alike(spot))

    def _begin(self, since: float, spot: Spot) -> Lie:
        rest = max(self._moved, 0.0) if math.isfinite(self._moved) else since
        self._count += 1
        self.lie = Lie(self._count, self._origin(spot), min(rest, since), spot, not self._had_several)
        self._journey = self._candidate = None
        self._is_unseen, self._had_several, self.state, self.flown_off = False, False, "at rest", None
        self._is_new = False
        return self.lie

    def _origin(self, spot: Spot) -> Origin:
        journey = self._journey
        if self._is_unseen or journey is None:
            return "there" if self._is_new else "found"
        if self.lie is not None and not journey.picked_up:
            return "bumped"
        return "thrown" if _moved_freely(journey, spot) else "placed"


def _moved_freely(journey: _Journey, spot: Spot) -> bool:
    """Whether the die moved freely to its place of rest, with no hand over it at the end."""
    run = _final_path(journey.free, spot)
    if len(run) < _MIN_FREE_FRAMES:
        return False
    ended = run[-1][0]
    if any(t > ended - _HELD_S and movement.covers(spot.middle) for t, movement in journey.held):
        return False
    path = sum(math.dist(a[1], b[1]) for a, b in pairwise(run))
    return path >= _MIN_FREE_PATH * spot.size or _approached_steadily(run, spot)


def _approached_steadily(run: Sequence[Sample], spot: Spot) -> bool:
    """Whether it steadily approached its place: a short throw, hidden by the hand at first.

    A hand that has put a die down moves away from it instead.
    """
    far = [math.dist(at, spot.middle) / spot.size for _, at in run]
    return far[0] >= _MIN_FREE_DISTANCE and all(after <= before + _BACK for before, after in pairwise(far))


def _final_path(free: Sequence[Sample], spot: Spot) -> list[Sample]:
    """Return the last unbroken part of the path that ends where the die lies; single missed frames are allowed."""
    run: list[Sample] = []
    gap = max(_HELD_S, 2.2 * _step(free))
    for sample in reversed(free):
        if not run and math.dist(sample[1], spot.middle) > spot.size:
            continue
        if run and run[-1][0] - sample[0] > gap:
            break
        run.append(sample)
    return run[::-1]


def _step(samples: Sequence[Sample]) -> float:
    """Return the shortest time between consecutive samples, s; 0 with fewer than two."""
    return min((b[0] - a[0] for a, b in pairwise(samples)), default=0.0)
