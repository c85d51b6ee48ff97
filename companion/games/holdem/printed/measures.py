"""Card spacing on the hold'em mat, mm."""

from typing import Final

BOARD_CARDS: Final = 5
BOARD_STEP_MM: Final = 70.0
"""Centre distance of neighbouring board cards, and of the two hole cards."""
