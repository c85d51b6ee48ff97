"""Detects dice that touch the tray's wall: from above a leaning die looks much like a flat one."""

from typing import Final

import cv2

from companion.vision.dice.boxes import DieBox
from companion.vision.frame import Points

AT_WALL: Final = "against the wall: it may lean"
_TOUCHES: Final = 0.56  # distance of its center to the wall, in die sizes: half is the die, the rest wall uncertainty


def is_at_wall(die: DieBox, tray: Points) -> bool:
    """Return whether a die inside a tray touches its wall.

    Args:
        tray: its inner outline, float32 (n, 2), px.

    >>> import numpy as np
    >>> tray = np.float32([[0, 0], [500, 0], [500, 300], [0, 300]])
    >>> is_at_wall(DieBox((2, 100, 96, 100), 1.0), tray), is_at_wall(DieBox((40, 100, 96, 100), 1.0), tray)
    (True, False)
    """
    return cv2.pointPolygonTest(tray, die.center, True) < _TOUCHES * die.size_px
