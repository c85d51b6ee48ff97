"""Felt layout of a Roche table: a lane for every suit of the deck."""

from collections.abc import Sequence
from typing import Final

from companion.objects.cards import RANKS, SUIT_NAMES, cards_of_suit
from companion.plugins.demo import Felt, Lane

LANE_X: Final = {rank: -321.0 + 92.0 * i for i, rank in enumerate(RANKS)}
LANE_Y: Final = -119.0


def felt_of(cards: Sequence[str]) -> Felt:
    """Return the felt for a deck with these cards.

    >>> [lane.title for lane in felt_of(["3D1", "7N2"]).lanes]
    ['3', '7']
    """
    ranks = sorted({int(card[0]) for card in cards})
    lanes = (
        Lane(cards_of_suit(rank), LANE_X[rank], LANE_Y, rank, str(rank), SUIT_NAMES[rank].upper()) for rank in ranks
    )
    return Felt(tuple(lanes), "ROCHE", "NO MORE BETS ONCE THE FIRST CARD IS TURNED")
