"""Where things lie on the demo table, in table millimetres (see `pinhole`)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.objects.cards import RANKS
from companion.objects.geometry import POKER, STAGGER_MM

STACK_X: Final = {rank: -321.0 + 92.0 * i for i, rank in enumerate(RANKS)}
STACK_Y: Final = -119.0  # the middle of a stack's first card
STEP_MM: Final = STAGGER_MM + 3.0  # a crooked card must not cover the tag of the one before it
DECK: Final = (300.0, -10.0)
CARD_THICKNESS_MM: Final = 0.31
CORNER_MM: Final = 3.2


@dataclass(frozen=True, slots=True)
class Pose:
    """Where a flat thing is.

    Attributes:
        x, y: its middle, mm.
        angle_deg: clockwise in the picture.
        z: height of its middle above the felt, mm.
        roll_deg: turned about its own long axis; 180 shows the other side.
    """

    x: float
    y: float
    angle_deg: float = 0.0
    z: float = 0.0
    roll_deg: float = 0.0

    def corners(self, width: float = POKER.width, height: float = POKER.height) -> NDArray[np.float64]:
        """Return (4, 3) table points: top left, top right, bottom right, bottom left of the thing."""
        c, s = math.cos(math.radians(self.angle_deg)), math.sin(math.radians(self.angle_deg))
        across, up = math.cos(math.radians(self.roll_deg)), math.sin(math.radians(self.roll_deg))
        points = []
        for u, v in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
            dx, dy = u * width / 2 * across, v * height / 2
            points.append((self.x + c * dx - s * dy, self.y + s * dx + c * dy, self.z + u * width / 2 * up))
        return np.array(points)


def slot(rank: int, count: int) -> Pose:
    """Return where the next card of a suit belongs when ``count`` cards lie in its stack.

    >>> slot(2, 1)
    Pose(x=-321.0, y=-95.0, angle_deg=0.0, z=0.0, roll_deg=0.0)
    """
    return Pose(STACK_X[rank], STACK_Y + STEP_MM * count)
