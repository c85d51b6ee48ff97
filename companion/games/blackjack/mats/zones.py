"""Zones of the blackjack mat, in millimetres (see `companion.objects.mat`): the dealer at the top, boxes below.

Box 1 is the first from the dealer's left and acts first. ``box/1`` holds the cards of seat 1, hands side by side after
a split, and ``bet/1`` its chips; a chip on the ``insurance`` line insures its seat.
"""

from typing import Final

from companion.games.blackjack.mats.places import BET, BOX, BOXES, DEALER, INSURANCE
from companion.objects.geometry import Box
from companion.objects.mat import Mat, corner_tags
from companion.on_demand import OnDemand

_ART: Final = OnDemand("companion.games.blackjack.mats.art:draw_blackjack")
SIZE: Final = (1050.0, 570.0)
_WIDE: Final = 142.0
_STEP: Final = 148.0
_LEFT: Final = 10.0


def _zones() -> dict[str, Box]:
    zones = {
        DEALER: Box(330, 20, 390, 124),
        "shoe": Box(890, 24, 100, 116),
        "discard": Box(60, 24, 100, 116),
        INSURANCE: Box(_LEFT, 152, SIZE[0] - 2 * _LEFT, 30),
    }
    for seat in BOXES:
        x = _LEFT + (BOXES[-1] - seat) * _STEP
        zones |= {f"{BOX}{seat}": Box(x, 188, _WIDE, 280), f"{BET}{seat}": Box(x, 474, _WIDE, 44)}
    return zones


MAT: Final = Mat("blackjack", *SIZE, corner_tags(24, *SIZE), _zones(), _ART.get, places=BOX.rstrip("/"))
