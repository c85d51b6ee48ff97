"""Groups cards on a mat into hands: cards that overlap belong together. Millimetres on the mat; pure.

A dealer lays each card of a hand over the previous one, leaving its corner visible; another hand in the same zone lies
clear of it. A card that barely touches a hand, or lies on two hands, is ambiguous.
"""

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np

from companion.tracking.cards.card_geometry import quad_rotation
from companion.tracking.cards.observations import LyingCard
from companion.vision.sightings import Quad

ON: Final = 0.15
"""Minimum overlap, as a share of the card, to lie on another."""
BESIDE: Final = 0.02
"""Maximum overlap, as a share of the card, to lie beside another."""
_MAX_SECOND_OVERLAP: Final = 0.4  # maximum overlap with a second hand, relative to the first
_STRAIGHT_DEG: Final = 30.0


def overlap(card: Quad, other: Quad) -> float:
    """Return the share of a card's area that overlaps another card.

    >>> overlap(((0, 0), (10, 0), (10, 10), (0, 10)), ((5, 0), (15, 0), (15, 10), (5, 10)))
    0.5
    """
    mine, theirs = (np.array(quad, np.float32) for quad in (card, other))
    shared, _ = cv2.intersectConvexConvex(mine, theirs)
    return float(shared) / max(1e-9, float(cv2.contourArea(mine)))


def touch(card: LyingCard, hand: Sequence[LyingCard]) -> float:
    """Return the card's largest overlap, as a share of it, with a card of the hand; 0 without a known mat."""
    mine = card.on_mat
    if mine is None:
        return 0.0
    return max((overlap(mine, one.on_mat) for one in hand if one.on_mat is not None), default=0.0)


def hand_of(card: LyingCard, hands: Sequence[Sequence[LyingCard]]) -> int | None:
    """Return the index of the hand that a card lies on; None if it lies on none or two, or barely touches one."""
    shares = sorted(((touch(card, hand), place) for place, hand in enumerate(hands)), reverse=True)
    (most, place), (next_to, _) = (*shares, (0.0, -1), (0.0, -1))[:2]
    return place if most >= ON and next_to <= _MAX_SECOND_OVERLAP * most else None


def lies_across(card: LyingCard, over: LyingCard) -> bool | None:
    """Whether a card lies crosswise to another; None at an oblique angle, or without a known mat."""
    if card.on_mat is None or over.on_mat is None:
        return None
    turn = abs(quad_rotation(card.on_mat) - quad_rotation(over.on_mat)) % 180.0
    turn = min(turn, 180.0 - turn)
    return False if turn <= _STRAIGHT_DEG else True if turn >= 90.0 - _STRAIGHT_DEG else None
