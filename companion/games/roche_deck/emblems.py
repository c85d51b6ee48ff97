"""The suits' emblems: silhouettes that remain distinguishable at 3 mm and in grey."""

import pathlib
from typing import Final

from companion.printing.drawings import Drawings
from companion.printing.pen import Pen

_DRAWINGS: Final = Drawings(pathlib.Path(__file__).with_name("emblems.svg"))


def draw_emblem(pen: Pen, rank: int, cx: float, cy: float, radius: float, color: str, ground: str) -> None:
    """Draw a suit's emblem inside a circle; ``ground`` is the colour it stands on (for its openings)."""
    with pen.at(cx, cy, scale=radius):
        _DRAWINGS.draw(pen, f"suit-{rank}", {"currentColor": color, "var(--ground,#fff)": ground})
