"""Zone names of the blackjack mat; ``box/3`` and ``bet/3`` belong to seat 3."""

from typing import Final

BOXES: Final = range(1, 8)
BOX: Final = "box/"
BET: Final = "bet/"
DEALER: Final = "dealer"
INSURANCE: Final = "insurance"
PILES: Final = ("shoe", "discard")
"""Zones whose cards are not in play."""
