"""The figures in the pictures: one by day and one by night for each suit.

A motif stands with its foot at the origin, fits a box 1 wide and 1 high above it (a few lean out a
little), and is drawn in the four tones it is given.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from companion.objects.cards import Half
from companion.printing.cards.emblems import moon
from companion.printing.pen import Path, Pen, circle, ellipse, polygon, rectangle, star


@dataclass(frozen=True, slots=True)
class Tones:
    """``body`` and ``shade`` make the form, ``trim`` its edges, ``glow`` what shines."""

    body: str
    shade: str
    trim: str
    glow: str


Motif = Callable[[Pen, Tones], None]


def _standing_stone(pen: Pen, t: Tones) -> None:
    """Mages by day: a standing stone with a rune, and a spark above it."""
    pen.fill(polygon([(-0.24, 0.02), (-0.2, -0.52), (-0.06, -0.72), (0.15, -0.64), (0.24, 0.02)]), t.body)
    pen.fill(polygon([(0.02, 0.02), (0.04, -0.7), (0.15, -0.64), (0.24, 0.02)]), t.shade)
    pen.stroke(circle(-0.03, -0.36, 0.1), t.glow, 0.035)
    pen.line(-0.03, -0.52, -0.03, -0.16, t.glow, 0.035, cap=1)
    pen.fill(star(-0.03, -0.9, 0.15, 0.045, 4), t.glow)


def _spire(pen: Pen, t: Tones) -> None:
    """Mages by night: a spire with one lit window."""
    pen.fill(polygon([(-0.15, 0.02), (-0.11, -0.6), (0.11, -0.6), (0.15, 0.02)]), t.body)
    pen.fill(polygon([(0.02, 0.02), (0.02, -0.6), (0.11, -0.6), (0.15, 0.02)]), t.shade)
    pen.fill(polygon([(-0.17, -0.58), (0, -1.0), (0.17, -0.58)]), t.trim)
    pen.fill(polygon([(0.02, -0.58), (0, -1.0), (0.17, -0.58)]), t.shade)
    pen.fill(_arch(0, -0.34, 0.055, 0.13), t.glow)
    pen.fill(star(0, -1.06, 0.1, 0.03, 4), t.glow)


def _keep(pen: Pen, t: Tones) -> None:
    """A round tower with battlements."""
    pen.fill(rectangle(-0.2, -0.62, 0.4, 0.64), t.body)
    pen.fill(rectangle(0.05, -0.62, 0.15, 0.64), t.shade)
    pen.fill(rectangle(-0.25, -0.68, 0.5, 0.1), t.trim)
    for x in (-0.25, -0.06, 0.13):
        pen.fill(rectangle(x, -0.76, 0.12, 0.1), t.trim)


def _flag_tower(pen: Pen, t: Tones) -> None:
    """Realm by day: a tower that flies its flag."""
    _keep(pen, t)
    pen.line(0, -0.7, 0, -1.08, t.trim, 0.03)
    pen.fill(polygon([(0.01, -1.08), (0.34, -1.0), (0.24, -0.95), (0.34, -0.88), (0.01, -0.86)]), t.glow)
    pen.fill(_arch(-0.05, -0.3, 0.06, 0.16), t.trim)


def _watch_tower(pen: Pen, t: Tones) -> None:
    """Realm by night: a tower with lit windows under a pointed roof."""
    _keep(pen, t)
    pen.fill(polygon([(-0.22, -0.72), (0, -1.08), (0.22, -0.72)]), t.trim)
    for x, y in ((-0.07, -0.42), (0.07, -0.42), (0.0, -0.16)):
        pen.fill(_arch(x, y, 0.04, 0.12), t.glow)


def _peak(pen: Pen, t: Tones) -> None:
    """World by day: a mountain with snow on it."""
    pen.fill(
        polygon([(-0.62, 0.02), (-0.3, -0.42), (-0.2, -0.4), (0, -0.98), (0.22, -0.5), (0.32, -0.5), (0.66, 0.02)]),
        t.body,
    )
    pen.fill(polygon([(0, -0.98), (0.22, -0.5), (0.32, -0.5), (0.66, 0.02), (0.16, 0.02), (0.02, -0.4)]), t.shade)
    pen.fill(polygon([(0, -0.98), (-0.13, -0.62), (-0.05, -0.67), (0.0, -0.56), (0.07, -0.68), (0.14, -0.67)]), t.glow)


def _sail(pen: Pen, t: Tones) -> None:
    """World by night: a boat under sail with a lantern."""
    pen.fill(
        Path(
            (
                ("M", -0.4, -0.16),
                ("L", 0.42, -0.16),
                ("C", 0.36, 0.02, 0.2, 0.06, 0, 0.06),
                ("C", -0.2, 0.06, -0.34, 0.02, -0.4, -0.16),
                ("Z",),
            )
        ),
        t.trim,
    )
    pen.line(0, -0.16, 0, -0.98, t.trim, 0.035)
    pen.fill(Path((("M", 0.04, -0.95), ("C", 0.34, -0.7, 0.4, -0.45, 0.36, -0.22), ("L", 0.04, -0.22), ("Z",))), t.body)
    pen.fill(
        Path((("M", -0.04, -0.86), ("C", -0.24, -0.6, -0.32, -0.4, -0.34, -0.22), ("L", -0.04, -0.22), ("Z",))), t.shade
    )
    pen.fill(circle(-0.34, -0.25, 0.07), t.glow)


def _sword(pen: Pen, t: Tones) -> None:
    """Valor by day: a sword planted in the ground."""
    pen.fill(polygon([(-0.055, 0.04), (-0.07, -0.66), (0.07, -0.66), (0.055, 0.04)]), t.body)
    pen.fill(polygon([(0, 0.04), (0, -0.66), (0.07, -0.66), (0.055, 0.04)]), t.shade)
    pen.fill(
        Path(
            (
                ("M", -0.26, -0.62),
                ("C", -0.1, -0.7, 0.1, -0.7, 0.26, -0.62),
                ("L", 0.24, -0.7),
                ("C", 0.1, -0.77, -0.1, -0.77, -0.24, -0.7),
                ("Z",),
            )
        ),
        t.trim,
    )
    pen.fill(rectangle(-0.035, -0.92, 0.07, 0.2), t.trim)
    pen.fill(circle(0, -0.95, 0.07), t.glow)
    pen.fill(ellipse(0, 0.03, 0.16, 0.035), t.shade)


def _brazier(pen: Pen, t: Tones) -> None:
    """Valor by night: a watch fire."""
    for x in (-0.2, 0.2):
        pen.line(x, 0.02, -x * 0.4, -0.44, t.trim, 0.045, cap=1)
    pen.fill(polygon([(-0.22, -0.5), (0.22, -0.5), (0.13, -0.34), (-0.13, -0.34)]), t.trim)
    pen.fill(_flame(0, -0.48, 0.2, 0.52), t.body)
    pen.fill(_flame(0.01, -0.48, 0.12, 0.32), t.glow)


def _tree(pen: Pen, t: Tones) -> None:
    """Kin by day: a round tree with fruit."""
    pen.fill(polygon([(-0.05, 0.02), (-0.035, -0.45), (0.035, -0.45), (0.05, 0.02)]), t.trim)
    for x, y, r in ((-0.18, -0.46, 0.2), (0.18, -0.46, 0.2), (0, -0.7, 0.26), (0, -0.46, 0.2)):
        pen.fill(circle(x, y, r), t.body)
    pen.fill(
        Path(
            (
                ("M", 0.02, -0.96),
                ("C", 0.3, -0.94, 0.3, -0.7, 0.24, -0.62),
                ("C", 0.46, -0.54, 0.38, -0.26, 0.17, -0.26),
                ("C", 0.22, -0.5, 0.16, -0.8, 0.02, -0.96),
                ("Z",),
            )
        ),
        t.shade,
    )
    for x, y in ((-0.12, -0.72), (0.05, -0.56), (-0.2, -0.44), (0.17, -0.42), (0.08, -0.8)):
        pen.fill(circle(x, y, 0.04), t.glow)


def _house(pen: Pen, t: Tones) -> None:
    """Kin by night: a house with its light on and smoke from the chimney."""
    pen.fill(rectangle(-0.32, -0.42, 0.64, 0.44), t.body)
    pen.fill(rectangle(0.14, -0.86, 0.1, 0.3), t.trim)
    pen.fill(polygon([(-0.42, -0.4), (0, -0.82), (0.42, -0.4)]), t.trim)
    pen.fill(rectangle(-0.22, -0.3, 0.16, 0.16), t.glow)
    pen.line(-0.14, -0.3, -0.14, -0.14, t.body, 0.025)
    pen.fill(_arch(0.13, 0.02, 0.08, 0.3), t.glow)
    smoke = Path((("M", 0.19, -0.9), ("C", 0.3, -1.0, 0.08, -1.06, 0.22, -1.2)))
    pen.stroke(smoke, t.shade, 0.05, cap=1)


def _sheaf(pen: Pen, t: Tones) -> None:
    """Commons by day: a bound sheaf."""
    for lean in (-0.34, -0.17, 0.0, 0.17, 0.34):
        pen.stroke(
            Path((("M", lean * 0.75, 0.02), ("C", lean * 0.1, -0.3, lean * 0.2, -0.4, lean * 1.15, -0.78))),
            t.shade,
            0.055,
            cap=1,
        )
        with pen.at(lean * 1.15, -0.7, turn=lean * 70):
            pen.fill(ellipse(0, -0.1, 0.075, 0.18), t.body)
            pen.line(0, -0.2, 0, -0.36, t.shade, 0.025)
    pen.fill(rectangle(-0.16, -0.36, 0.32, 0.1), t.glow)


def _lantern(pen: Pen, t: Tones) -> None:
    """Commons by night: a lantern on its post."""
    pen.line(-0.16, 0.02, -0.16, -0.98, t.trim, 0.05)
    pen.stroke(Path((("M", -0.16, -0.94), ("C", -0.1, -1.02, 0.1, -1.02, 0.12, -0.86))), t.trim, 0.045)
    pen.fill(circle(0.12, -0.62, 0.26), t.shade)
    pen.fill(polygon([(-0.01, -0.78), (0.25, -0.78), (0.21, -0.48), (0.03, -0.48)]), t.glow)
    pen.fill(polygon([(-0.05, -0.76), (0.12, -0.88), (0.29, -0.76)]), t.trim)
    pen.fill(rectangle(-0.01, -0.5, 0.26, 0.05), t.trim)


def _arch(cx: float, foot: float, half: float, height: float) -> Path:
    """A window with a round top."""
    top = foot - height
    return Path(
        (
            ("M", cx - half, foot),
            ("L", cx - half, top + half),
            ("C", cx - half, top - half * 0.2, cx + half, top - half * 0.2, cx + half, top + half),
            ("L", cx + half, foot),
            ("Z",),
        )
    )


def _flame(cx: float, foot: float, half: float, height: float) -> Path:
    return Path(
        (
            ("M", cx, foot),
            ("C", cx - half * 1.6, foot - height * 0.1, cx - half * 0.7, foot - height * 0.6, cx, foot - height),
            ("C", cx + half * 0.1, foot - height * 0.7, cx + half * 1.9, foot - height * 0.3, cx, foot),
            ("Z",),
        )
    )


MOTIFS: Final[dict[tuple[int, Half], Motif]] = {
    (2, "day"): _standing_stone,
    (2, "night"): _spire,
    (3, "day"): _flag_tower,
    (3, "night"): _watch_tower,
    (4, "day"): _peak,
    (4, "night"): _sail,
    (5, "day"): _sword,
    (5, "night"): _brazier,
    (6, "day"): _tree,
    (6, "night"): _house,
    (7, "day"): _sheaf,
    (7, "night"): _lantern,
}


def draw_bird(pen: Pen, color: str) -> None:
    """Draw a bird far off, 2 wide."""
    wings = Path((("M", -1, -0.2), ("C", -0.7, -0.6, -0.2, -0.5, 0, 0), ("C", 0.2, -0.5, 0.7, -0.6, 1, -0.2)))
    pen.stroke(wings, color, 0.22, cap=1)


def draw_cloud(pen: Pen, color: str) -> None:
    """Draw a flat-bottomed cloud, 2 wide."""
    for x, y, r in ((-0.5, -0.2, 0.28), (0.02, -0.34, 0.42), (0.5, -0.22, 0.3)):
        pen.fill(circle(x, y, r), color)
    pen.fill(rectangle(-0.5, -0.25, 1.0, 0.33), color)
    pen.fill(circle(-0.62, -0.08, 0.16), color)
    pen.fill(circle(0.66, -0.08, 0.16), color)


def draw_half_moon(pen: Pen, cx: float, cy: float, radius: float, phase: float, lit: str, unlit: str) -> None:
    """Draw a moon in its phase with its dark part faintly seen."""
    pen.fill(circle(cx, cy, radius), unlit)
    pen.fill(moon(cx, cy, radius, phase), lit)
