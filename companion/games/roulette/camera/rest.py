"""Decides whether the ball rests in a pocket of the turning rotor, and in which one.

Two cues from the same views: the pixel difference from the remembered rotor, and the network that recognizes a ball.
They must agree; if one is very sure, it suffices that the other does not contradict it.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from math import log2
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.games.roulette.camera.finding import Floats
from companion.games.roulette.camera.heat import (
    BallHeat,
    Peak,
    columns_near,
    highest,
    middle_odds,
    new_ring,
    ring_odds,
)
from companion.games.roulette.camera.memory import Difference, Memory, View, lasting, thirds_of
from companion.games.roulette.camera.reader import BALL_HIGH, Wheel, parallax

_SAME: Final = 0.3  # pockets
_MIN_SHARE: Final = 0.4
_AGREE: Final = 0.6  # share of the first and of the last views
_ALWAYS: Final = 0.15  # the share of all views must exceed it by this
_NOISE_PLACE: Final = 0.15
_HIGH_SPREAD: Final = 0.03
_STEADY: Final = 0.2  # pockets; deviation from an even rotation
_BORDER: Final = 0.34  # pockets; distance from a pocket's center, of which a resting ball has up to 0.15
_TURNED: Final = 1.3  # pockets; a rotation that separates the ball from fixed reflections
_SHIFTED: Final = 0.5  # share of the parallax of the new spot that applies to the ball's center, below its highlight
_MIN_CONTRAST: Final = 12.0
_CLEAR: Final = 1.3
_NOISE: Final = 4.0
_POSSIBLE: Final = -1.2  # log-odds
_APART: Final = 0.75  # log-odds above the rival; novelty adds to it
_RATHER: Final = 0.0  # log-odds from which a ball is more likely than not
_RATHER_APART: Final = 1.5
_NOT_DENIED: Final = -0.7  # log-odds in the worst third
_LIKELY: Final = 0.3  # sum of the log-odds of all views and of the worst third
_FAINT_CONTRAST: Final = 4.0
_FAINT_NOISE: Final = 2.0
_FAINT_AGREE: Final = 0.3
_FAINT_CLEAR: Final = 0.4


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence for the most ball-like place in some views, or for the newest one without a network.

    Attributes:
        difference: the ball's presumed place, and its contrast to the remembered rotor.
        strongest: the place with the largest difference, in pockets.
        always: share of views in which the ball is there, in the worst third.
        foot: where the ball touches the rotor, in pockets from the start of the zero's.
        turned: the rotor's rotation during the views, in pockets.
        peak: the network's result.
        odds: the network's log-odds in the first, middle and last third.
    """

    difference: Difference
    strongest: float
    always: float
    foot: float
    turned: float
    peak: Peak | None
    odds: tuple[float, ...]


def weigh(
    wheel: Wheel, memory: Memory, views: Sequence[View], heat: BallHeat | None
) -> Generator[None, None, Evidence]:
    """Collect the evidence in steps of some milliseconds each, one per frame."""
    parts = thirds_of(views)
    now = lasting(*parts)
    difference_map = memory.difference_map(now)
    difference = strongest = difference_map.strongest()
    peak: Peak | None = None
    odds: tuple[float, ...] = ()
    if heat is not None:
        peak = highest((yield from ring_odds(heat, "rest", new_ring(now, memory.usual))))
        yield
        difference = difference_map.near(peak.place)
        near = columns_near(peak.place, len(wheel.rim))
        rings = np.stack([new_ring(part[:, near], memory.usual[:, near]) for part in parts])
        odds = tuple(float(each) for each in middle_odds(heat, "rest", rings, _SAME))
    places, shares = memory.traces(views, difference)
    turned = turns(views, len(wheel.rim))
    seen = (shares > _MIN_SHARE) & (np.abs(places - np.median(places)) < _SAME)
    third = len(views) // 3
    always = min(seen.mean() - _ALWAYS, seen[:third].mean(), seen[-third:].mean())
    foot = _foot(difference.place + places, parallax(wheel, difference.place, difference.radius, turned))
    if peak is not None:  # the difference includes the ball's highlight and shadow, to one side of it
        foot = peak.place + _SHIFTED * (foot - difference.place)
    return Evidence(difference, strongest.place, float(always), foot, float(np.ptp(turned)), peak, odds)


def pocket_of(found: Evidence, rim: Sequence[str]) -> str | None:
    """Return the pocket that the evidence establishes, or None."""
    stands = abs(found.foot % 1 - 0.5) <= _BORDER and found.turned >= _TURNED
    pocket = pocket_at(rim, found.foot)
    if found.peak is not None and pocket_at(rim, found.peak.place) != pocket:
        return None  # an error in its height could move it across a border
    return pocket if stands and _agree(found, len(rim)) else None


def _agree(found: Evidence, pockets: int) -> bool:
    """Whether both cues locate the ball in one place, with enough confidence."""
    difference, peak = found.difference, found.peak
    stays = found.always >= _AGREE or (peak is not None and min(found.odds) >= _RATHER)
    is_new = (
        difference.contrast >= max(_MIN_CONTRAST, _NOISE * difference.noise) and difference.clear >= _CLEAR and stays
    )
    if peak is None:
        return is_new
    off = abs((found.strongest - difference.place + pockets / 2) % pockets - pockets / 2)
    apart = peak.odds - peak.rival
    if is_new:
        # the rival may be a second ball, no matter how new this one is
        speaks = apart + (log2(difference.clear) if peak.rival < _RATHER else 0.0)
        return off < _SAME and peak.odds >= _POSSIBLE and speaks >= _APART
    is_rather_new = (
        difference.contrast >= max(_FAINT_CONTRAST, _FAINT_NOISE * difference.noise)
        and difference.clear >= _FAINT_CLEAR
    )
    worst = min(found.odds)
    is_ball = peak.odds >= _RATHER and worst >= _NOT_DENIED and peak.odds + worst >= _LIKELY
    return is_rather_new and is_ball and apart >= _RATHER_APART and found.always >= _FAINT_AGREE


def pocket_at(rim: Sequence[str], place: float) -> str:
    """Return the pocket at a place on the rim, in pockets from the start of the first.

    >>> [pocket_at(("0", "32", "15"), place) for place in (-0.2, 0.2, 2.9, 3.1)]
    ['15', '0', '15', '0']
    """
    return rim[int(np.floor(place)) % len(rim)]


def _foot(places: Floats, lean: NDArray[np.floating]) -> float:
    """Return where the ball touches its pocket, estimating its height from the parallax as the rotor turns.

    Args:
        places: apparent positions of the ball's center, in pockets, for each view.
        lean: parallax in pockets per unit of height, for each view.
    """
    off = lean - lean.mean()
    trust = (_NOISE_PLACE / _HIGH_SPREAD) ** 2
    high = (off @ (places - places.mean()) + trust * BALL_HIGH) / (off @ off + trust)
    return float(np.median(places - high * lean))


def turns(views: Sequence[View], pockets: int) -> np.ndarray:
    """Return the rotor's unwrapped rotation in consecutive views, in pockets."""
    return np.unwrap([view.turn for view in views], period=pockets)


def even(views: Sequence[View], pockets: int) -> list[View]:
    """Return the views in which the rotor turns evenly; none if they are too few."""
    if len(views) < 3:
        return []
    t, turn = np.array([view.t for view in views]), turns(views, pockets)
    i, k = np.triu_indices(len(t), 2)
    speed = np.median((turn[k] - turn[i]) / (t[k] - t[i]))
    off = turn - speed * t
    fits = np.abs(off - np.median(off)) < _STEADY
    return [view for view, fit in zip(views, fits, strict=True) if fit] if fits.mean() >= 0.8 else []
