"""Signs that several things are printed with: the sun, the moon and the crown."""

from __future__ import annotations

import math
from typing import Final

from companion.printing.pen import Path, Pen, circle, polygon, rectangle

_ROUND: Final = 0.5522847498


def draw_crown(pen: Pen, cx: float, cy: float, radius: float, color: str, ground: str) -> None:
    """Draw a crown inside a circle; ``ground`` is the colour it stands on (for its opening)."""
    with pen.at(cx, cy, scale=radius):
        crown(pen, color, ground)


def crown(pen: Pen, color: str, ground: str) -> None:
    """Draw a crown inside a circle of radius 1 at the origin."""
    points = [(-0.78, 0.42), (-0.95, -0.42), (-0.45, 0.02), (0, -0.68), (0.45, 0.02), (0.95, -0.42), (0.78, 0.42)]
    pen.fill(polygon(points), color)
    pen.fill(rectangle(-0.78, 0.52, 1.56, 0.26), color)
    for x, y in ((-0.93, -0.52), (0, -0.8), (0.93, -0.52)):
        pen.fill(circle(x, y, 0.16), color)
    pen.fill(polygon([(0, -0.12), (0.16, 0.12), (0, 0.34), (-0.16, 0.12)]), ground)


def draw_sun(pen: Pen, cx: float, cy: float, radius: float, color: str, *, rays: int = 8) -> None:
    """Draw the sign of day: a disk with its rays, ``radius`` to their tips."""
    pen.fill(circle(cx, cy, radius * 0.52), color)
    for i in range(rays):
        with pen.at(cx, cy, turn=360 * i / rays, scale=radius):
            pen.fill(polygon([(-0.13, -0.64), (0.13, -0.64), (0, -1.0)]), color)


def moon(cx: float, cy: float, radius: float, phase: float) -> Path:
    """Return the lit part of a waxing moon, from new (0) over half (0.5) to full (1)."""
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
    """Draw the sign of night: a crescent."""
    with pen.at(cx - radius * 0.3, cy, turn=-25):
        pen.fill(moon(0, 0, radius, 0.3), color)
