"""What a pen draws as SVG, for pages: the same code draws a thing on paper and on a screen."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

FIGURE: Final = "currentColor"
GROUND: Final = "var(--ground,#fff)"


class SvgPen:
    """Draws what `companion.printing.pen.Pen` draws, as SVG elements."""

    def __init__(self) -> None:
        self.parts: list[str] = []

    @contextmanager
    def at(
        self, x: float = 0, y: float = 0, *, turn: float = 0, scale: float = 1, flip: bool = False
    ) -> Iterator[None]:
        steps = [f"translate({_n(x)} {_n(y)})"] if x or y else []
        steps += [f"rotate({_n(turn)})"] if turn else []
        steps += [f"scale({_n(-scale if flip else scale)} {_n(scale)})"] if scale != 1 or flip else []
        self.parts.append(f'<g transform="{" ".join(steps)}">' if steps else "<g>")
        yield
        self.parts.append("</g>")

    def fill(self, path: Any, color: str, *, even_odd: bool = False) -> None:
        rule = ' fill-rule="evenodd"' if even_odd else ""
        self.parts.append(f'<path fill="{color}"{rule} d="{_d(path)}"/>')

    def stroke(self, path: Any, color: str, width: float, *, dash: Any = (), cap: int = 0) -> None:
        ends = ' stroke-linecap="round"' if cap else ""
        self.parts.append(f'<path fill="none" stroke="{color}" stroke-width="{_n(width)}"{ends} d="{_d(path)}"/>')

    def line(self, x1: float, y1: float, x2: float, y2: float, color: str, width: float, *, cap: int = 0) -> None:
        ends = ' stroke-linecap="round"' if cap else ""
        points = f'd="M{_n(x1)} {_n(y1)}L{_n(x2)} {_n(y2)}"'
        self.parts.append(f'<path fill="none" stroke="{color}" stroke-width="{_n(width)}"{ends} {points}/>')


def _n(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".") or "0"


def _d(path: Any) -> str:
    return "".join(kind + " ".join(_n(v) for v in xy) for kind, *xy in path.steps)


def svg_symbol(name: str, pen: SvgPen, what: str) -> str:
    """Return what was drawn in a circle of radius 1 as a symbol."""
    body = "".join(pen.parts).replace('<g transform="">', "<g>")
    return f'<symbol id="{name}" viewBox="-1.04 -1.04 2.08 2.08"><desc>{what}</desc>{body}</symbol>'
