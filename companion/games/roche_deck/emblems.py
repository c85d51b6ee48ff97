"""The suits' emblems: silhouettes that remain distinguishable at 3 mm and in grey."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from companion.printing.cards.emblems import crown
from companion.printing.pen import Path, Pen, circle, ellipse, polygon, rectangle, star


def draw_emblem(pen: Pen, rank: int, cx: float, cy: float, radius: float, color: str, ground: str) -> None:
    """Draw a suit's emblem inside a circle; ``ground`` is the colour it stands on (for its openings)."""
    with pen.at(cx, cy, scale=radius):
        _EMBLEMS[rank](pen, color, ground)


def _mages(pen: Pen, color: str, ground: str) -> None:
    """An eye in a star."""
    pen.fill(star(0, 0, 1.0, 0.52, 8), color)
    pen.fill(_almond(0.55, 0.36), ground)
    pen.fill(circle(0, 0, 0.21), color)


def _almond(half_width: float, half_height: float) -> Path:
    w, h = half_width, half_height * 1.3
    return Path((("M", -w, 0), ("C", -w / 3, -h, w / 3, -h, w, 0), ("C", w / 3, h, -w / 3, h, -w, 0), ("Z",)))


def _world(pen: Pen, color: str, ground: str) -> None:
    """A globe with its meridians."""
    pen.fill(circle(0, 0, 0.95), color)
    pen.stroke(ellipse(0, 0, 0.42, 0.95), ground, 0.13)
    pen.line(0, -0.95, 0, 0.95, ground, 0.13)
    for y, half in ((-0.42, 0.84), (0.0, 0.95), (0.42, 0.84)):
        pen.line(-half, y, half, y, ground, 0.13)
    pen.stroke(circle(0, 0, 0.9), color, 0.16)


def _valor(pen: Pen, color: str, ground: str) -> None:
    """A shield with a sword."""
    shield = Path(
        (
            ("M", -0.8, -0.9),
            ("L", 0.8, -0.9),
            ("L", 0.8, -0.05),
            ("C", 0.8, 0.5, 0.4, 0.82, 0, 1.0),
            ("C", -0.4, 0.82, -0.8, 0.5, -0.8, -0.05),
            ("Z",),
        )
    )
    pen.fill(shield, color)
    pen.fill(polygon([(0, 0.82), (-0.13, 0.6), (-0.13, -0.28), (0.13, -0.28), (0.13, 0.6)]), ground)
    pen.fill(rectangle(-0.45, -0.4, 0.9, 0.17), ground)
    pen.fill(rectangle(-0.09, -0.62, 0.18, 0.24), ground)
    pen.fill(circle(0, -0.66, 0.13), ground)


def _kin(pen: Pen, color: str, ground: str) -> None:
    """A tree with its roots."""
    for x, y, r in ((0, -0.55, 0.42), (-0.5, -0.22, 0.4), (0.5, -0.22, 0.4), (0, -0.05, 0.45)):
        pen.fill(circle(x, y, r), color)
    trunk = Path(
        (
            ("M", -0.14, 0.0),
            ("L", 0.14, 0.0),
            ("C", 0.14, 0.6, 0.3, 0.82, 0.72, 0.95),
            ("L", -0.72, 0.95),
            ("C", -0.3, 0.82, -0.14, 0.6, -0.14, 0.0),
            ("Z",),
        )
    )
    pen.fill(trunk, color)
    for x, y in ((0, -0.55), (-0.46, -0.2), (0.46, -0.2)):
        pen.fill(circle(x, y, 0.13), ground)


def _commons(pen: Pen, color: str, ground: str) -> None:
    """An ear of wheat."""
    pen.line(0, -0.5, 0, 1.0, color, 0.13, cap=1)
    for y in (-0.42, 0.0, 0.42):
        for turn in (-38.0, 38.0):
            with pen.at(0, y + 0.12, turn=turn):
                pen.fill(_grain(0.21, 0.56), color)
    with pen.at(0, -0.42):
        pen.fill(_grain(0.2, 0.58), color)


def _grain(half_width: float, length: float) -> Path:
    w, h = half_width, length
    return Path(
        (("M", 0, 0), ("C", w * 1.4, -h * 0.3, w, -h * 0.8, 0, -h), ("C", -w, -h * 0.8, -w * 1.4, -h * 0.3, 0, 0))
    )


_EMBLEMS: Final[dict[int, Callable[[Pen, str, str], None]]] = {
    2: _mages,
    3: crown,
    4: _world,
    5: _valor,
    6: _kin,
    7: _commons,
}
