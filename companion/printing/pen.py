"""A small drawing layer over a reportlab canvas: millimeters, x to the right, y down, as on the table.

Both PDF and PNG output are drawn through a `Pen`, so the tests read the same drawing that the printer gets.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, Literal

from reportlab.lib.colors import HexColor
from reportlab.lib.units import mm
from reportlab.lib.utils import simpleSplit

from companion.kernel.messages import Message, Translate
from companion.objects.geometry import Box
from companion.printing.fonts import CAP_HEIGHT, TEXT, can_write, printable, register_fonts, text_width

Point = tuple[float, float]
Align = Literal["left", "center", "right"]
LEADING: Final = 1.22
"""Line spacing of paragraphs, in ems."""
_ROUND: Final = 0.5522847498  # control point of a quarter circle


@dataclass(frozen=True, slots=True)
class Path:
    """A shape: steps ``("M", x, y)``, ``("L", x, y)``, ``("C", x1, y1, x2, y2, x, y)`` and ``("Z",)``, mm."""

    steps: tuple[tuple[Any, ...], ...] = ()

    def __add__(self, other: Path) -> Path:
        return Path(self.steps + other.steps)


def polygon(points: Iterable[Point], *, closed: bool = True) -> Path:
    """Return straight lines through the points."""
    first, *rest = points
    steps: list[tuple[Any, ...]] = [("M", *first), *(("L", *p) for p in rest)]
    return Path((*steps, ("Z",)) if closed else tuple(steps))


def rectangle(x: float, y: float, width: float, height: float) -> Path:
    """Return an upright rectangle."""
    return polygon(Box(x, y, width, height).corners)


def circle(cx: float, cy: float, r: float) -> Path:
    """Return a circle."""
    return ellipse(cx, cy, r, r)


def ellipse(cx: float, cy: float, rx: float, ry: float) -> Path:
    """Return an axis-aligned ellipse made of four curves."""
    kx, ky = rx * _ROUND, ry * _ROUND
    return Path(
        (
            ("M", cx + rx, cy),
            ("C", cx + rx, cy + ky, cx + kx, cy + ry, cx, cy + ry),
            ("C", cx - kx, cy + ry, cx - rx, cy + ky, cx - rx, cy),
            ("C", cx - rx, cy - ky, cx - kx, cy - ry, cx, cy - ry),
            ("C", cx + kx, cy - ry, cx + rx, cy - ky, cx + rx, cy),
            ("Z",),
        )
    )


def smooth(points: Sequence[Point]) -> Path:
    """Return a curve through all the points (Catmull-Rom)."""
    steps: list[tuple[Any, ...]] = [("M", *points[0])]
    round_them = (points[0], *points, points[-1])
    for p0, p1, p2, p3 in zip(round_them, round_them[1:], round_them[2:], round_them[3:], strict=False):
        a = (p1[0] + (p2[0] - p0[0]) / 6, p1[1] + (p2[1] - p0[1]) / 6)
        b = (p2[0] - (p3[0] - p1[0]) / 6, p2[1] - (p3[1] - p1[1]) / 6)
        steps.append(("C", *a, *b, *p2))
    return Path(tuple(steps))


def star(cx: float, cy: float, outer: float, inner: float, points: int) -> Path:
    """Return a star with one point up."""
    corners = []
    for i in range(2 * points):
        radius = outer if i % 2 == 0 else inner
        angle = math.radians(180 * i / points - 90)
        corners.append((cx + radius * math.cos(angle), cy + radius * math.sin(angle)))
    return polygon(corners)


class Pen:
    """Draws on a canvas whose page is ``height`` mm tall; ``say`` translates messages in texts."""

    def __init__(self, canvas: Any, height: float, say: Translate = str) -> None:
        register_fonts()
        self.canvas = canvas
        self._height, self._say = height, say

    @contextmanager
    def page(self) -> Iterator[Pen]:
        """Draw one page, with the origin in its top-left corner; then start the next."""
        self.canvas.saveState()
        self.canvas.translate(0, self._height * mm)
        self.canvas.scale(mm, -mm)
        yield self
        self.canvas.restoreState()
        self.canvas.showPage()

    def once(self, name: str, draw: Callable[[Pen], None]) -> None:
        """Draw a recurring element, stored in the document only once."""
        if not self.canvas.hasForm(name):
            self.canvas.beginForm(name)
            draw(self)
            self.canvas.endForm()
        self.canvas.doForm(name)

    @contextmanager
    def at(
        self, x: float = 0, y: float = 0, *, turn: float = 0, scale: float = 1, flip: bool = False
    ) -> Iterator[None]:
        """Move the origin, then turn clockwise by degrees, then scale (``flip`` mirrors left and right)."""
        self.canvas.saveState()
        self.canvas.translate(x, y)
        if turn:
            self.canvas.rotate(turn)
        if scale != 1 or flip:
            self.canvas.scale(-scale if flip else scale, scale)
        yield
        self.canvas.restoreState()

    @contextmanager
    def clip(self, path: Path) -> Iterator[None]:
        """Draw only inside the path."""
        self.canvas.saveState()
        self.canvas.clipPath(self._pdf(path), stroke=0, fill=0)
        yield
        self.canvas.restoreState()

    def fill(self, path: Path, color: str) -> None:
        """Fill a path."""
        self.canvas.setFillColor(_color(color))
        self.canvas.drawPath(self._pdf(path), stroke=0, fill=1, fillMode=1)

    def stroke(self, path: Path, color: str, width: float, *, dash: Sequence[float] = (), cap: int = 0) -> None:
        """Draw a path's outline, ``width`` mm thick."""
        self.canvas.setStrokeColor(_color(color))
        self.canvas.setLineWidth(width)
        self.canvas.setLineCap(cap)
        self.canvas.setLineJoin(1 if cap else 0)
        self.canvas.setDash(list(dash))
        self.canvas.drawPath(self._pdf(path), stroke=1, fill=0)

    def line(self, x1: float, y1: float, x2: float, y2: float, color: str, width: float, *, cap: int = 0) -> None:
        """Draw a straight line."""
        self.stroke(polygon([(x1, y1), (x2, y2)], closed=False), color, width, cap=cap)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        color: str,
        *,
        font: str = TEXT,
        align: Align = "left",
        spacing: float = 0.0,
        fit: float | None = None,
        capitals: bool = False,
    ) -> float:
        """Write a line with its baseline at y and return its width.

        Args:
            size: the em, mm.
            spacing: extra space after each letter, mm.
            fit: maximum width, mm; a wider line is scaled down.
            capitals: convert to capitals, after translation.
        """
        text = self.said(text)
        text = printable(text.upper() if capitals else text, font)
        width = text_width(text, font, size) + spacing * max(len(text) - 1, 0)
        shrink = min(1.0, fit / width) if fit and width else 1.0
        start = x - {"left": 0.0, "center": 0.5, "right": 1.0}[align] * width * shrink
        self.canvas.saveState()
        self.canvas.translate(start, y)
        self.canvas.scale(shrink, -shrink)
        self.canvas.setFillColor(_color(color))
        self.canvas.setFont(font, size)
        self.canvas.drawString(0, 0, text, charSpace=spacing)
        self.canvas.restoreState()
        return width * shrink

    def said(self, text: str) -> str:
        """Return a text in the language of the sheet."""
        return self._say(text) if isinstance(text, Message) else text

    def name(self, x: float, y: float, name: str, size: float, color: str, *, font: str, fit: float) -> None:
        """Write a person's name; if the font lacks some of its letters, draw a line for writing it by hand."""
        if can_write(name, font):
            self.text(x, y, name, size, color, font=font, fit=fit)
        else:  # replacement characters would make names look the same
            self.line(x, y + 0.2 * size, x + fit, y + 0.2 * size, color, 0.25)

    def paragraph(
        self, x: float, y: float, text: str, size: float, color: str, width: float, *, font: str = TEXT
    ) -> float:
        """Write a wrapped text, its first baseline at y; return the baseline after the last line."""
        for line in lines_of(text, font, size, width):
            self.text(x, y, line, size, color, font=font, fit=width)
            y += LEADING * size
        return y

    def numeral(self, cx: float, y: float, text: str, height: float, color: str, *, font: str) -> float:
        """Write a text with capitals ``height`` mm tall, centered on cx, with its baseline at y."""
        return self.text(cx, y, text, height / CAP_HEIGHT[font], color, font=font, align="center")

    def _pdf(self, path: Path) -> Any:
        drawn = self.canvas.beginPath()
        for kind, *xy in path.steps:
            if kind == "M":
                drawn.moveTo(*xy)
            elif kind == "L":
                drawn.lineTo(*xy)
            elif kind == "C":
                drawn.curveTo(*xy)
            else:
                drawn.close()
        return drawn


def _color(value: str) -> HexColor:
    return HexColor(value)


def lines_of(text: str, font: str, size: float, width: float) -> list[str]:
    """Wrap a text into lines of at most ``width`` mm.

    >>> lines_of("one two three", TEXT, 4.0, 15.0)
    ['one two', 'three']
    """
    register_fonts()
    return list(simpleSplit(printable(text, font), font, size, width))


def mix(first: str, second: str, share: float) -> str:
    """Return the color a fraction ``share`` of the way from the first to the second.

    >>> mix("#000000", "#FFFFFF", 0.5)
    '#808080'
    """
    pairs = zip(bytes.fromhex(first[1:]), bytes.fromhex(second[1:]), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02X}" for a, b in pairs)
