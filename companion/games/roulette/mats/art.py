"""Artwork of the roulette mats, printed to the layout in `zones`."""

from typing import Final

from companion.games.roulette.layout import PRICES
from companion.games.roulette.wheel import color_of
from companion.kernel.messages import joined, message
from companion.objects.geometry import Box
from companion.objects.mat import Mat
from companion.printing.cards.palette import BACK, PAPER
from companion.printing.fonts import BOLD, TITLE
from companion.printing.mats.art import INK, ornament, space
from companion.printing.pen import Pen, mix

_WHITE: Final = "#FFFFFF"
_FELT: Final = {"red": "#B3261E", "black": "#1C1B20", "green": "#17734F"}
_WORDS: Final = {
    "column": message("column"), "low": message("1 to 18"), "high": message("19 to 36"), "even": message("Even"),
    "odd": message("Odd"), "red": message("Red"), "black": message("Black"),
}  # fmt: skip
_INSIDE: Final = {
    "straight": message("straight {price}", price=str(PRICES["straight"])),
    "split": message("split {price}", price=str(PRICES["split"])),
    "street": message("street {price}", price=str(PRICES["street"])),
    "corner": message("corner {price}", price=str(PRICES["corner"])),
    "line": message("line {price}", price=str(PRICES["line"])),
}


def draw_roulette(pen: Pen, mat: Mat, _deck: str | None) -> None:
    """Draw the contents of a roulette mat, inside the frame."""
    for name, box in mat.zones.items():
        _, bet, *rest = name.split("/")
        if bet == "straight":
            _pocket(pen, box, rest[0])
        else:
            _outside(pen, box, bet, int(rest[0]) if rest else 0)
    middle = mat.width_mm / 2
    pen.text(middle, 40, message("Roulette"), 17, INK, font=TITLE, align="center", spacing=4)
    for x in (middle - 130, middle + 130):
        ornament(pen, x, 34, 9)
    prices = message("on a number, or on the line between several:  {prices}", prices=joined(_INSIDE.values(), "  ·  "))
    pen.text(middle, 60, prices, 6.2, INK, align="center", fit=mat.width_mm - 120)


def _pocket(pen: Pen, box: Box, pocket: str) -> None:
    space(pen, box, _FELT[color_of(pocket)], BACK.accent)
    pen.numeral(box.x + box.width / 2, box.y + box.height / 2 + 7, pocket, 14, _WHITE, font=TITLE)


def _outside(pen: Pen, box: Box, bet: str, which: int) -> None:
    is_color = bet in _FELT
    space(pen, box, _FELT[bet] if is_color else mix(BACK.light, PAPER, 0.4), BACK.accent)
    dozen = message("{first} to {last}", first=12 * which - 11, last=12 * which)
    words = dozen if bet == "dozen" else _WORDS[bet]
    ink, cx, cy = _WHITE if is_color else INK, box.x + box.width / 2, box.y + box.height / 2
    pen.text(cx, cy + 1, words, 9, ink, font=TITLE, align="center", fit=box.width - 4)
    pen.text(cx, cy + 12, str(PRICES[bet]), 7, ink, font=BOLD, align="center")
