"""Writes ``emblems.svg``, the emblems that pages show, with the very code that prints them on the cards.

``python -m companion.games.roche_deck.emblem_sheet`` writes it anew; a test says when that is due. So the service does
not carry the printing code around.
"""

from __future__ import annotations

from typing import Any

from companion.games.roche_deck.design import EMBLEMS
from companion.games.roche_deck.emblems import draw_emblem
from companion.objects.cards import RANKS, SUIT_NAMES
from companion.printing.cards.emblems import draw_moon, draw_sun
from companion.printing.svg import FIGURE, GROUND, SvgPen, svg_symbol


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


if __name__ == "__main__":
    EMBLEMS.write_text(emblem_sheet(), encoding="utf-8")
    print(f"{EMBLEMS.name}: {EMBLEMS.stat().st_size} bytes")
