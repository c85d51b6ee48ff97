"""Positions on the demo's Rochi mat, in table millimetres with the origin at the mat's centre (see `pinhole`).

Seat coordinates: u to the player's right, v towards the player, from the centre of the seat's zone.
"""

import math
from dataclasses import dataclass
from typing import Final

from companion.games.rochi.mats.zones import MAT
from companion.objects.geometry import Box
from hardware.demo.layout import Pose

SEATS: Final = (1, 2, 3, 4, 5, 6)
CENTRE: Final = "centre"

STEP_MM: Final = 22.0  # card spacing in a stack: seven fit the zone, and a crooked card hides no tag
_FIRST_MM: Final = 46.0  # from the top of a stack's zone to the centre of its first card
_ROWS: Final = 7  # further cards of a locked suit lie on top of each other
_SIDE_DEG: Final = {1: 0.0, 2: 0.0, 3: 90.0, 4: 180.0, 5: 180.0, 6: -90.0}
_TOKEN_COLUMNS: Final = (-20.0, -62.0, -104.0)
_TOKEN_ROWS: Final = (-24.0, 24.0)
_SHIELD_FROM: Final = 33.0
_SHIELD_STEP: Final = 20.0
_SHIELDS_SIDE_BY_SIDE: Final = 4
_CHIP_PLACES: Final = {1: (20.0, -18.0), 5: (22.0, 8.0), 10: (-6.0, 22.0)}
_OWN_CHIPS_U: Final = {1: 68.0, 5: 93.0, 10: 118.0}


@dataclass(frozen=True, slots=True)
class SeatPlace:
    """A seat: its zone's centre, and the direction its player faces (0 is up in the image, 90 right)."""

    x: float
    y: float
    angle_deg: float

    def at(self, u: float, v: float, turn_deg: float = 0.0) -> Pose:
        """Return the pose at seat coordinates (u, v)."""
        turn = math.radians(self.angle_deg)
        c, s = math.cos(turn), math.sin(turn)
        return Pose(self.x + u * c - v * s, self.y + u * s + v * c, self.angle_deg + turn_deg)


def middle(zone: str) -> tuple[float, float]:
    """Return the centre of a mat zone.

    >>> middle("deck")
    (-223.0, -103.5)
    """
    box = MAT.zones[zone]
    return box.x + box.width / 2 - MAT.width_mm / 2, box.y + box.height / 2 - MAT.height_mm / 2


def seat_place(seat: int) -> SeatPlace:
    """Return a seat's place."""
    return SeatPlace(*middle(f"seat/{seat}"), _SIDE_DEG[seat])


def stack_slot(rank: int, count: int) -> Pose:
    """Return the pose of a suit's next card after ``count`` cards in its stack."""
    box: Box = MAT.zones[f"stack/{rank}"]
    top = box.y - MAT.height_mm / 2 + _FIRST_MM
    return Pose(middle(f"stack/{rank}")[0], top + STEP_MM * min(count, _ROWS - 1))


def shield_slot(seat: int, count: int) -> Pose:
    """Return the pose of a player's next Shield after ``count`` Shields."""
    step = min(count, _SHIELDS_SIDE_BY_SIDE - 1)
    return seat_place(seat).at(_SHIELD_FROM + _SHIELD_STEP * step, 0.0)


def token_slots(seat: int) -> tuple[Pose, ...]:
    """Return a player's token positions in order of use; the last is for the leader button."""
    place = seat_place(seat)
    return tuple(place.at(u, v) for u in _TOKEN_COLUMNS for v in _TOKEN_ROWS)


def token_home(rank: int) -> Pose:
    """Return the pose of an unclaimed token: in its suit's pot, beside the coins."""
    x, y = middle(f"pot/{rank}")
    return Pose(x - 13.0, y - 13.0)


def lock_place(card: Pose) -> Pose:
    """Return the pose of a locked suit's token on its last card: below the code, beside the tag."""
    return Pose(card.x - 11.0, card.y + 18.0)


def hand_slot(seat: int, index: int) -> Pose:
    """Return the pose of a face-down hand card, at the mat's edge in front of the player."""
    return seat_place(seat).at(-105.0 + 20.0 * index, 101.0)


def chip_place(where: str, value: int) -> Pose:
    """Return the pose of the chips of a value, for ``pot/6`` or ``seat/2``."""
    if where.startswith("seat/"):
        return seat_place(int(where[5:])).at(_OWN_CHIPS_U[value], 77.0)
    x, y = middle(where)
    dx, dy = _CHIP_PLACES[value]
    return Pose(x + dx, y + dy)


def home_of(seat: int) -> tuple[float, float]:
    """Return the resting position of a seat's hand, outside the image."""
    pose = seat_place(seat).at(90.0, 300.0)
    return pose.x, pose.y


def shoulder_of(seat: int) -> tuple[float, float]:
    """Return the position of a seat's shoulder."""
    pose = seat_place(seat).at(70.0, 520.0)
    return pose.x, pose.y
