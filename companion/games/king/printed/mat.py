"""Mat of King of Roulette, in millimetres (see `companion.objects.mat`): the spaces, with the king's cards above.

``rule/1`` holds the two 1-point cards, ``rule/2`` the 2-point card and ``guess`` the guess, face down until the reveal.
``bet/3`` and ``bet/king`` are spaces, where bets are laid at the reveal.
"""

from typing import Final

from companion.games.king.spaces import SPACES
from companion.objects.geometry import Box
from companion.objects.mat import Mat, corner_tags
from companion.on_demand import OnDemand

_ART: Final = OnDemand("companion.games.king.printed.mat_art:draw_king")
SIZE: Final = (760.0, 420.0)
_SPACE: Final = (84.0, 180.0)
_GAP: Final = 8.0
_LEFT, _TOP = 62.0, 190.0
_KINGS: Final = {"rule/1": Box(212, 56, 140, 94), "rule/2": Box(364, 56, 72, 94), "guess": Box(476, 56, 72, 94)}


def zones() -> dict[str, Box]:
    """Return the zones: the king's first, then the spaces from left to right."""
    step = _SPACE[0] + _GAP
    return {**_KINGS, **{f"bet/{space}": Box(_LEFT + i * step, _TOP, *_SPACE) for i, space in enumerate(SPACES)}}


KING_MAT: Final = Mat("king-of-roulette", *SIZE, corner_tags(28, *SIZE), zones(), _ART.get)
