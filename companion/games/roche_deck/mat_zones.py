"""Zones common to the mats of all games with this deck: one per stack, the deck and the discard pile."""

from collections.abc import Callable
from typing import Final

from companion.games.roche_deck.emblems import draw_emblem
from companion.kernel.messages import Message, message
from companion.kernel.words import SUITS
from companion.objects.geometry import STAGGER_MM, Box
from companion.printing.cards.palette import PALETTES, PAPER
from companion.printing.fonts import BOLD, TITLE
from companion.printing.mats.art import INK, outline, shrunk
from companion.printing.pen import Pen, mix, star


def draw_stack(pen: Pen, box: Box, rank_text: str) -> None:
    """Where a suit's cards are dealt, one below the other; a step for each, the last one is the cut."""
    rank = int(rank_text)
    palette, cx = PALETTES[rank], box.x + box.width / 2
    pen.fill(outline(box), mix(palette.light, palette.main, 0.3))
    pen.stroke(outline(box), palette.main, 0.9)
    draw_emblem(
        pen, rank, cx, box.y + 44, 22, mix(palette.light, palette.main, 0.55), mix(palette.light, palette.main, 0.3)
    )
    for step in range(rank):
        y = box.y + 4 + STAGGER_MM * step
        color = palette.dark if step == rank - 1 else palette.main
        pen.line(box.x, y, box.x + 4, y, color, 0.6)
        pen.line(box.x + box.width - 4, y, box.x + box.width, y, color, 0.6)
        pen.numeral(box.x + 2.6, y + 6, str(step + 1), 3.6, color, font=BOLD)
    pen.text(cx, box.y + box.height - 20, SUITS[rank], 10, palette.dark, font=TITLE, align="center", fit=box.width - 4)
    words = message("cut at {count}", count=rank)
    pen.text(cx, box.y + box.height - 9, words, 5.5, palette.dark, font=BOLD, align="center", fit=box.width - 4)


DECK: Final = message("Deck")
DISCARD: Final = message("Discard")


def pile(label: Message) -> Callable[[Pen, Box, str], None]:
    """Return what draws a place for a pile of cards."""

    def draw(pen: Pen, box: Box, _rest: str) -> None:
        pen.stroke(outline(box), INK, 0.7)
        pen.stroke(outline(shrunk(box, 1.8)), INK, 0.25)
        cx, cy = box.x + box.width / 2, box.y + box.height / 2
        pen.fill(star(cx, cy - 6, 11, 4, 8), mix(INK, PAPER, 0.82))
        pen.text(cx, cy + 16, label, 7, INK, font=TITLE, align="center", fit=box.width - 6)

    return draw
