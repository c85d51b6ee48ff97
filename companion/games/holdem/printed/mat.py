"""Hold'em mat, in millimetres (see `companion.objects.mat`): ten seats around the board, the dealer at the top.

``seat/3`` holds a player's two cards, face down or shown; seats go clockwise from the dealer's left. ``board`` holds
the five community cards, ``burn`` and ``muck`` are face-down piles. Chips may lie anywhere, the circles ``pot/main``
and ``pot/side-1`` … are meant for them; ``button/3`` is a place for the dealer button.
"""

from typing import Final

from companion.games.holdem.printed.measures import BOARD_STEP_MM
from companion.objects.geometry import POKER, Box
from companion.objects.mat import Mat, corner_tags
from companion.on_demand import OnDemand

_ART: Final = OnDemand("companion.games.holdem.printed.mat_art:draw_holdem")
SIZE: Final = (860.0, 480.0)
SEATS: Final = range(1, 11)
_SEAT: Final = (BOARD_STEP_MM + POKER.width + 9.0, POKER.height + 10.0)
_EDGE: Final = 14.0
_RIGHT, _BOTTOM = SIZE[0] - _EDGE - _SEAT[0], SIZE[1] - _EDGE - _SEAT[1]
_LOW: Final = tuple(126.0 + 154.0 * place for place in range(4))
_SEAT_AT: Final = (
    (662.0, _EDGE), (_RIGHT, 122.0), (_RIGHT, 228.0), *((x, _BOTTOM) for x in reversed(_LOW)),
    (_EDGE, 228.0), (_EDGE, 122.0), (SIZE[0] - 662.0 - _SEAT[0], _EDGE),
)  # fmt: skip
_BUTTON: Final = 44.0
_BOARD: Final = Box(252.0, 138.0, 356.0, 98.0)


def zones() -> dict[str, Box]:
    """Return the zones, card zones first."""
    cards = {f"seat/{seat}": Box(*at, *_SEAT) for seat, at in zip(SEATS, _SEAT_AT, strict=True)}
    piles = {"deck": Box(270, 16, 70, 94), "burn": Box(348, 16, 70, 94), "muck": Box(426, 16, 166, 94)}
    pots = {"pot/main": Box(396, 246, 68, 68)}
    pots |= {f"pot/side-{n}": Box(x, 256, 48, 48) for n, x in ((1, 340), (2, 472), (3, 284), (4, 528))}
    return {"board": _BOARD, **cards, **piles, **pots, **{f"button/{seat}": _button(seat) for seat in SEATS}}


def _button(seat: int) -> Box:
    """Return the button's zone: beside the cards at the top and side seats, above them at the bottom ones."""
    x, y = _SEAT_AT[seat - 1]
    if y == _EDGE:
        return Box(x - _BUTTON - 6 if x > SIZE[0] / 2 else x + _SEAT[0] + 6, y + 22, _BUTTON, _BUTTON)
    if y == _BOTTOM:
        return Box(x + (_SEAT[0] - _BUTTON) / 2, y - _BUTTON - 5, _BUTTON, _BUTTON)
    return Box(x - _BUTTON - 6 if x > SIZE[0] / 2 else x + _SEAT[0] + 6, y + 27, _BUTTON, _BUTTON)


HOLDEM_MAT: Final = Mat("holdem", *SIZE, corner_tags(36, *SIZE), zones(), _ART.get)
