"""Trace of a laid card: which arm laid it, when, and whether that arm was at the deck before."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from companion.games.rochi.mats.zones import MAT
from companion.tracking.cards.observations import LyingCard, MotionLog, Movement
from companion.vision.sightings import Point

_BEFORE_S: Final = 1.0  # time a hand takes to lay a card
_AFTER_S: Final = 0.3
_REACH_S: Final = 3.5  # from the deck, or from the player's hand of cards, to the stack
_DWELL_S: Final = 0.2
_AWAY_S: Final = 1.0
_MARGIN_MM: Final = 15.0
_DECK: Final = MAT.zones["deck"]


@dataclass(frozen=True, slots=True)
class Trace:
    """How a card was laid, as far as observed.

    Attributes:
        laid: time of the hand's last motion at the card's place, s.
        arm: seat of the hand; None if unknown.
        from_deck: whether the hand was at the deck before; None if unclear.
    """

    laid: float
    arm: int | None = None
    from_deck: bool | None = None


def trace_of(card: LyingCard, motion: MotionLog, after: float) -> Trace:
    """Return how a card was laid.

    Args:
        motion: log of the last seconds.
        after: when the previous card was laid; motion until then is ignored.
    """
    if card.zone is None:
        return Trace(card.rest_since)
    there = [s for s in motion.log if after < s.t <= card.rest_since + _AFTER_S and s.share(card.zone)]
    if not there:
        return Trace(card.rest_since)
    laid = there[-1].t
    seats = Counter(s.seat for s in there if s.seat is not None and s.t >= laid - _BEFORE_S)
    arm = seats.most_common(1)[0][0] if seats else None
    return Trace(min(laid, card.rest_since), arm, _from_deck(motion.log, arm, max(after, laid - _REACH_S), laid))


def _from_deck(log: Sequence[Movement], arm: int | None, since: float, until: float) -> bool | None:
    """Return whether a hand was at the deck; None if it only passed near, or was not tracked from its start.

    An arm passing over the deck has its fingertips elsewhere; a hand taking a card stays for a moment.
    """
    if arm is None or not log or log[0].t > until - 1.0:
        return None
    mine = [s for s in log if since <= s.t <= until and s.seat == arm]
    there = [s.t for s in mine if s.tip is not None and _at_deck(s.tip)]
    if not there:
        return False
    times = [there[-1], *(s.t for s in mine if s.t > there[-1]), until]
    if any(b - a > _AWAY_S for a, b in pairwise(times)):
        return None  # it was away in between, so it may have taken another card from the deck
    return True if there[-1] - there[0] >= _DWELL_S - 1e-6 else None


def _at_deck(point: Point) -> bool:
    return (
        _DECK.x - _MARGIN_MM <= point[0] <= _DECK.x + _DECK.width + _MARGIN_MM
        and _DECK.y - _MARGIN_MM <= point[1] <= _DECK.y + _DECK.height + _MARGIN_MM
    )
