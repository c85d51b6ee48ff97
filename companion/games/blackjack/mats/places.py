"""Names of the places on the blackjack mat; ``box/3`` and ``bet/3`` are those of seat 3."""

from typing import Final

BOXES: Final = range(1, 8)
BOX: Final = "box/"
BET: Final = "bet/"
DEALER: Final = "dealer"
INSURANCE: Final = "insurance"
PILES: Final = ("shoe", "discard")
"""Here no card is in play."""
