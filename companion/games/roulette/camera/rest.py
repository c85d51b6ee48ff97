"""Decides whether a ball rests in a pocket of the turning rotor, and in which: what is new, and what looks like a ball.

Two looks at the same views: the counted difference to the rotor as it was remembered, and the network that knows what
balls look like. They have to agree; where one is very sure, the other need only not contradict it.
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
from companion.games.roulette.camera.memory import Memory, News, View, lasting, thirds_of
from companion.games.roulette.camera.reader import BALL_HIGH, Wheel, parallax

_SAME: Final = 0.3  # pockets
_LEAST_SHARE: Final = 0.4
_AGREE: Final = 0.6  # of the first and the last views
_ALWAYS: Final = 0.15  # more than that of all
_NOISE_PLACE: Final = 0.15
_HIGH_SPREAD: Final = 0.03
_STEADY: Final = 0.2  # pockets off an even turning
_BORDER: Final = 0.34  # pockets off the middle of one; a ball rests within 0.15 of it
_TURNED: Final = 1.3  # pockets: a rotor that turned so far left reflections behind
_SHIFTED: Final = 0.5  # of how far what is new seems shifted by its height: the ball's middle by less than its shine
_LEAST_CONTRAST: Final = 12.0
_CLEAR: Final = 1.3
_NOISE: Final = 4.0
_POSSIBLE: Final = -1.2  # log-odds
_APART: Final = 0.75  # the more it is new, the less it has to be the likeliest ball
_RATHER: Final = 0.0  # log-odds of what is rather a ball than none
_RATHER_APART: Final = 1.5
_NOT_DENIED: Final = -0.7  # of the worst third
_LIKELY: Final = 0.3  # of all views and of the worst third, added up
_FAINT_CONTRAST: Final = 4.0
_FAINT_NOISE: Final = 2.0
_FAINT_AGREE: Final = 0.3
_FAINT_CLEAR: Final = 0.4


@dataclass(frozen=True, slots=True)
class Evidence:
    """What some views say of the place that looks most like a ball, or is newest where no network is asked.

    Attributes:
        news: how new the place is.
        newest: the place that is newest, in pockets.
        always: the share of views in which it is there, of the worst part of them.
        foot: where the ball touches the rotor, in pockets from where the zero's begins.
        turned: how far the rotor turned, in pockets.
        peak: what the network says.
        odds: the network's log-odds in the first, the middle and the last views.
    """

    news: News
    newest: float
    always: float
    foot: float
    turned: float
    peak: Peak | None
    odds: tuple[float, ...]


def weigh(
    wheel: Wheel, memory: Memory, views: Sequence[View], heat: BallHeat | None
) -> Generator[None, None, Evidence]:
    """Find the evidence in steps that take some milliseconds each, for pictures that come one after another."""
    parts = thirds_of(views)
    now = lasting(*parts)
    newness = memory.newness(now)
    news = newest = newness.newest()
    peak: Peak | None = None
    odds: tuple[float, ...] = ()
    if heat is not None:
        peak = highest((yield from ring_odds(heat, "rest", new_ring(now, memory.usual))))
        yield
        news = newness.near(peak.place)
        near = columns_near(peak.place, len(wheel.rim))
        rings = np.stack([new_ring(part[:, near], memory.usual[:, near]) for part in parts])
        odds = tuple(float(each) for each in middle_odds(heat, "rest", rings, _SAME))
    places, shares = memory.traces(views, news)
    turned = turns(views, len(wheel.rim))
    seen = (shares > _LEAST_SHARE) & (np.abs(places - np.median(places)) < _SAME)
    third = len(views) // 3
    always = min(seen.mean() - _ALWAYS, seen[:third].mean(), seen[-third:].mean())
    foot = _foot(news.place + places, parallax(wheel, news.place, news.radius, turned))
    if peak is not None:  # what is new is the ball's shine and shadow, too, which lie to one side of it
        foot = peak.place + _SHIFTED * (foot - news.place)
    return Evidence(news, newest.place, float(always), foot, float(np.ptp(turned)), peak, odds)


def pocket_of(found: Evidence, rim: Sequence[str]) -> str | None:
    """Return the pocket that the evidence proves; None where it does not."""
    stands = abs(found.foot % 1 - 0.5) <= _BORDER and found.turned >= _TURNED
    pocket = pocket_at(rim, found.foot)
    if found.peak is not None and pocket_at(rim, found.peak.place) != pocket:
        return None  # its height, badly told, would move it over a border
    return pocket if stands and _agree(found, len(rim)) else None


def _agree(found: Evidence, pockets: int) -> bool:
    """Whether what is new and what looks like a ball are in one place, and are sure of it."""
    news, peak = found.news, found.peak
    stays = found.always >= _AGREE or (peak is not None and min(found.odds) >= _RATHER)
    is_new = news.contrast >= max(_LEAST_CONTRAST, _NOISE * news.noise) and news.clear >= _CLEAR and stays
    if peak is None:
        return is_new
    off = abs((found.newest - news.place + pockets / 2) % pockets - pockets / 2)
    apart = peak.odds - peak.rival
    if is_new:
        # a place that looks like a ball by itself may be a second one, however new this one is
        speaks = apart + (log2(news.clear) if peak.rival < _RATHER else 0.0)
        return off < _SAME and peak.odds >= _POSSIBLE and speaks >= _APART
    is_rather_new = news.contrast >= max(_FAINT_CONTRAST, _FAINT_NOISE * news.noise) and news.clear >= _FAINT_CLEAR
    worst = min(found.odds)
    is_ball = peak.odds >= _RATHER and worst >= _NOT_DENIED and peak.odds + worst >= _LIKELY
    return is_rather_new and is_ball and apart >= _RATHER_APART and found.always >= _FAINT_AGREE


def pocket_at(rim: Sequence[str], place: float) -> str:
    """Return the pocket at a place on the rim, in pockets from where the first begins.

    >>> [pocket_at(("0", "32", "15"), place) for place in (-0.2, 0.2, 2.9, 3.1)]
    ['15', '0', '15', '0']
    """
    return rim[int(np.floor(place)) % len(rim)]


def _foot(places: Floats, lean: NDArray[np.floating]) -> float:
    """Return where the ball touches its pocket: the higher its middle, the more it seems to move as the rotor turns.

    Args:
        places: where the ball's middle seems to be in some views, in pockets.
        lean: by how many pockets it seems shifted in each for a unit of its height.
    """
    off = lean - lean.mean()
    trust = (_NOISE_PLACE / _HIGH_SPREAD) ** 2
    high = (off @ (places - places.mean()) + trust * BALL_HIGH) / (off @ off + trust)
    return float(np.median(places - high * lean))


def turns(views: Sequence[View], pockets: int) -> np.ndarray:
    """Return how far the rotor is turned in views one after another, in pockets, going on past a revolution."""
    return np.unwrap([view.turn for view in views], period=pockets)


def even(views: Sequence[View], pockets: int) -> list[View]:
    """Return those of some views in which the rotor turns evenly; none where too few do."""
    if len(views) < 3:
        return []
    t, turn = np.array([view.t for view in views]), turns(views, pockets)
    i, k = np.triu_indices(len(t), 2)
    speed = np.median((turn[k] - turn[i]) / (t[k] - t[i]))
    off = turn - speed * t
    fits = np.abs(off - np.median(off)) < _STEADY
    return [view for view, fit in zip(views, fits, strict=True) if fit] if fits.mean() >= 0.8 else []
