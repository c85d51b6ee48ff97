"""Positions on the demo table, in table millimetres (see `pinhole`)."""

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.objects.geometry import POKER, STAGGER_MM
from companion.plugins.demo import Felt

STEP_MM: Final = STAGGER_MM + 3.0
"""Distance of the cards in a lane; a crooked card must not cover the previous card's tag."""
ROW: Final = 8
"""Cards per row, for cards without a lane."""
ROWS: Final = 3
DECK: Final = (300.0, -10.0)
CARD_THICKNESS_MM: Final = 0.31
CORNER_MM: Final = 3.2


@dataclass(frozen=True, slots=True)
class Pose:
    """The pose of a flat object.

    Attributes:
        x, y: centre, mm.
        angle_deg: rotation, clockwise in the image.
        z: height of the centre above the felt, mm.
        roll_deg: rotation about its own long axis; 180 shows the other side.
    """

    x: float
    y: float
    angle_deg: float = 0.0
    z: float = 0.0
    roll_deg: float = 0.0

    def corners(self, width: float = POKER.width, height: float = POKER.height) -> NDArray[np.float64]:
        """Return the object's corners, (4, 3) table points: top left, top right, bottom right, bottom left."""
        c, s = math.cos(math.radians(self.angle_deg)), math.sin(math.radians(self.angle_deg))
        across, up = math.cos(math.radians(self.roll_deg)), math.sin(math.radians(self.roll_deg))
        points = []
        for u, v in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
            dx, dy = u * width / 2 * across, v * height / 2
            points.append((self.x + c * dx - s * dy, self.y + s * dx + c * dy, self.z + u * width / 2 * up))
        return np.array(points)


def slot(felt: Felt, card_id: str, lying: Collection[str], taken: Collection[Pose] = ()) -> Pose:
    """Return the place of the next card: the next free one in its lane, otherwise the next one in the rows.

    Args:
        lying: ids of the cards on the felt.
        taken: their poses. In a lane, the place after the last card is used, even if earlier ones are free again.

    >>> from companion.plugins.demo import Lane
    >>> slot(Felt((Lane(("6D1", "6D2"), -321.0, -119.0, 6),)), "6D2", ["6D1"])
    Pose(x=-321.0, y=-95.0, angle_deg=0.0, z=0.0, roll_deg=0.0)
    """
    for lane in felt.lanes:
        if card_id in lane.cards:
            column = [pose.y - lane.y for pose in taken if abs(pose.x - lane.x) < STEP_MM / 2]
            last = round(max(column, default=-STEP_MM) / STEP_MM)
            steps = max(last + 1, sum(card in lane.cards for card in lying))
            return Pose(lane.x, lane.y + STEP_MM * steps)
    return row_slot(len(lying))


def row_slot(count: int) -> Pose:
    """Return the place of a card without a lane, by the number of cards on the felt.

    Rows hold `ROW` cards; after `ROWS` rows the first one is used again.

    >>> row_slot(9)
    Pose(x=-242.0, y=-25.0, angle_deg=0.0, z=0.0, roll_deg=0.0)
    """
    row, column = divmod(count, ROW)
    return Pose(-320.0 + 78.0 * column, -130.0 + 105.0 * (row % ROWS))
