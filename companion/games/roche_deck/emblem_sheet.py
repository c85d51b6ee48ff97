"""Generates ``emblems.svg``, the emblems shown on pages, with the code that prints them on the cards.

``python -m companion.games.roche_deck.emblem_sheet`` rewrites it; a test fails when it is out of date. So the service
need not load the printing code.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from companion.games.roche_deck.design import EMBLEMS
from companion.games.roche_deck.emblems import draw_emblem
from companion.objects.cards import RANKS, SUIT_NAMES
from companion.printing.cards.emblems import draw_moon, draw_sun

FIGURE: Final = "currentColor"
GROUND: Final = "var(--ground,#fff)"


def emblem_sheet() -> str:
    """Return one hidden SVG with a symbol for each suit (``suit-6``), the sun and the moon."""
    symbols = []
    for rank in RANKS:
        pen: Any = SvgPen()
        draw_emblem(pen, rank, 0, 0, 1, FIGURE, GROUND)
        symbols.append(svg_symbol(f"suit-{rank}", pen, SUIT_NAMES[rank]))
    for name, draw in (("day", draw_sun), ("night", draw_moon)):
        pen = SvgPen()
        draw(pen, 0, 0, 1, FIGURE)
        symbols.append(svg_symbol(f"half-{name}", pen, name))
    return '<svg class="sheet" aria-hidden="true" width="0" height="0">\n' + "\n".join(symbols) + "\n</svg>\n"


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
    return f'<symbol id="{name}" viewBox="-1.04 -1.04 2.08 2.08"><desc>{what}</desc>{"".join(pen.parts)}</symbol>'


if __name__ == "__main__":
    EMBLEMS.write_text(emblem_sheet(), encoding="utf-8")
    print(f"{EMBLEMS.name}: {EMBLEMS.stat().st_size} bytes")
