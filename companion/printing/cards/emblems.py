"""Shared emblems: the sun, the moon, the French suits and the crown."""

import math
import pathlib
from typing import Final

from companion.printing.cards.palette import PAPER
from companion.printing.drawings import Drawings
from companion.printing.pen import Path, Pen, circle, polygon

_SIGNS: Final = Drawings(pathlib.Path(__file__).with_name("signs.svg"))
_ROUND: Final = 0.5522847498


def draw_sign(pen: Pen, name: str, cx: float, cy: float, radius: float, color: str) -> None:
    """Draw a French suit (its letter) or the ``crown`` inside a circle on paper."""
    with pen.at(cx, cy, scale=radius):
        _SIGNS.draw(pen, name, {"#000000": color, "#FFFFFF": PAPER})


def draw_sun(pen: Pen, cx: float, cy: float, radius: float, color: str, *, rays: int = 8) -> None:
    """Draw the day emblem: a disk with rays, ``radius`` to their tips."""
    pen.fill(circle(cx, cy, radius * 0.52), color)
    for i in range(rays):
        with pen.at(cx, cy, turn=360 * i / rays, scale=radius):
            pen.fill(polygon([(-0.13, -0.64), (0.13, -0.64), (0, -1.0)]), color)


def moon(cx: float, cy: float, radius: float, phase: float) -> Path:
    """Return the lit part of a waxing moon, from new (0) through half (0.5) to full (1)."""
    k, inner = radius * _ROUND, radius * math.cos(math.pi * phase)
    ki = inner * _ROUND
    return Path(
        (
            ("M", cx, cy - radius),
            ("C", cx + k, cy - radius, cx + radius, cy - k, cx + radius, cy),
            ("C", cx + radius, cy + k, cx + k, cy + radius, cx, cy + radius),
            ("C", cx + ki, cy + radius, cx + inner, cy + k, cx + inner, cy),
            ("C", cx + inner, cy - k, cx + ki, cy - radius, cx, cy - radius),
            ("Z",),
        )
    )


def draw_moon(pen: Pen, cx: float, cy: float, radius: float, color: str) -> None:
    """Draw the night emblem: a crescent."""
    with pen.at(cx - radius * 0.3, cy, turn=-25):
        pen.fill(moon(0, 0, radius, 0.3), color)
