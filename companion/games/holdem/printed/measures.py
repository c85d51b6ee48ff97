"""How far cards lie from each other on hold'em's mat, mm."""

from typing import Final

BOARD_CARDS: Final = 5
BOARD_STEP_MM: Final = 70.0
"""From one card of the board to the next, and from one card of a hand to the other."""
