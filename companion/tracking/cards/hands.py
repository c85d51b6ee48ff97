"""Hands of cards on a mat: cards that overlap belong together. Millimetres on the mat; pure.

A dealer lays the next card of a hand over the last one, so that its corner still shows; another hand in the same place
lies clear of it. A card that just touches a hand, or two hands, may be meant for either: nobody can say.
"""

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np

from companion.tracking.cards.card_geometry import turn_of
from companion.tracking.cards.observations import Lying
from companion.vision.sightings import Quad

ON: Final = 0.15
"""Of a card: from here on it lies on another."""
BESIDE: Final = 0.02
"""Of a card: up to here it lies beside."""
_CLEAR: Final = 0.4  # of the share that lies on one hand: so much at most on another
_STRAIGHT_DEG: Final = 30.0


def overlap(card: Quad, other: Quad) -> float:
    """Return which share of a card lies on another.

    >>> overlap(((0, 0), (10, 0), (10, 10), (0, 10)), ((5, 0), (15, 0), (15, 10), (5, 10)))
    0.5
    """
    mine, theirs = (np.array(quad, np.float32) for quad in (card, other))
    shared, _ = cv2.intersectConvexConvex(mine, theirs)
    return float(shared) / max(1e-9, float(cv2.contourArea(mine)))


def touch(card: Lying, hand: Sequence[Lying]) -> float:
    """Return the largest share of a card that lies on, or under, a card of a hand."""
    mine = card.on_mat
    if mine is None:
        return 0.0
    return max((overlap(mine, one.on_mat) for one in hand if one.on_mat is not None), default=0.0)


def hand_of(card: Lying, hands: Sequence[Sequence[Lying]]) -> int | None:
    """Return the place of the one hand that a card lies on; None where it lies on none, on two, or just touches one."""
    shares = sorted(((touch(card, hand), place) for place, hand in enumerate(hands)), reverse=True)
    (most, place), (next_to, _) = (*shares, (0.0, -1), (0.0, -1))[:2]
    return place if most >= ON and next_to <= _CLEAR * most else None


def lies_across(card: Lying, over: Lying) -> bool | None:
    """Say whether a card lies at a right angle to another; None where nobody can say."""
    if card.on_mat is None or over.on_mat is None:
        return None
    turn = abs(turn_of(card.on_mat) - turn_of(over.on_mat)) % 180.0
    turn = min(turn, 180.0 - turn)
    return False if turn <= _STRAIGHT_DEG else True if turn >= 90.0 - _STRAIGHT_DEG else None
