"""Artwork of the Roche and Grand Roche mats, printed to the layout in `zones`."""

from collections.abc import Callable
from typing import Final

from companion.games.roche.paytable import Paytable, deck_ranks, load_paytable
from companion.games.roche_deck.design import RED
from companion.games.roche_deck.emblems import draw_emblem
from companion.games.roche_deck.mat_zones import DECK, DISCARD, draw_stack, pile
from companion.kernel.messages import Message, message
from companion.kernel.price import Price
from companion.kernel.words import SUITS
from companion.objects.cards import SUIT_CARDS
from companion.objects.geometry import Box
from companion.objects.mat import Mat
from companion.printing.cards.emblems import draw_moon, draw_sun
from companion.printing.cards.palette import BACK, PALETTES, PAPER
from companion.printing.fonts import BOLD, TITLE
from companion.printing.mats.art import INK, ornament, space
from companion.printing.pen import Pen, mix, star

_TITLES: Final = {"roche": message("Roche"), "grand-roche": message("Grand Roche")}
_LEGEND_MM: Final = 180.0
"""Width of the free space below the small suits."""
_HALVES: Final = {True: message("Day"), False: message("Night")}


def draw_mat(pen: Pen, mat: Mat, deck: str | None) -> None:
    """Draw the mat's contents, inside the frame, with the prices of the full or the red deck."""
    table = load_paytable("red" if deck == RED.kind else "full")
    for name, box in mat.zones.items():
        kind, _, rest = name.partition("/")
        if kind == "bet":
            _bet(pen, box, rest, table)
        elif kind != "stack" or int(rest) in deck_ranks(table.deck):
            _PLACES[kind](pen, box, rest)
    _decoration(pen, mat)


def _bet(pen: Pen, box: Box, rest: str, table: Paytable) -> None:
    price = table.price(rest)
    if price is not None:  # the red deck has no bets on Mages
        family, _, what = rest.partition("/")
        _BETS[family](pen, box, what, _words(price))


def _words(price: Price) -> Message:
    return Message("{win}:{per}", {"win": price.win, "per": price.per})


def _half(pen: Pen, box: Box, rank: str, price: Message, *, day: bool) -> None:
    palette = PALETTES[int(rank)]
    ground, ink = (palette.light, palette.main) if day else (palette.dark, palette.light)
    space(pen, box, ground, palette.main)
    cx, size = box.x + box.width / 2, min(box.width, box.height)
    with_sign = box.y + box.height * 0.36
    if day:
        draw_sun(pen, cx, with_sign, size * 0.2, PALETTES[int(rank)].accent, rays=12)
    else:
        draw_moon(pen, cx, with_sign, size * 0.17, palette.accent)
    pen.text(cx, box.y + box.height * 0.74, _HALVES[day], size * 0.13, ink, font=TITLE, align="center")
    pen.text(cx, box.y + box.height * 0.92, price, size * 0.14, ink, font=BOLD, align="center", fit=box.width - 3)


def _day(pen: Pen, box: Box, rank: str, price: Message) -> None:
    _half(pen, box, rank, price, day=True)


def _night(pen: Pen, box: Box, rank: str, price: Message) -> None:
    _half(pen, box, rank, price, day=False)


def _cut(pen: Pen, box: Box, rank: str, price: Message) -> None:
    palette = PALETTES[int(rank)]
    space(pen, box, palette.main, palette.dark)
    size = min(box.width, box.height)
    cx, cy = box.x + box.width / 2, box.y + box.height / 2
    pen.numeral(cx - box.width * 0.2, cy + size * 0.12, rank, size * 0.42, palette.light, font=TITLE)
    radius = min(size * 0.24, box.width * 0.19)
    draw_emblem(pen, int(rank), cx + box.width * 0.21, cy - size * 0.1, radius, palette.light, palette.main)
    pen.text(
        cx,
        cy + size * 0.39,
        message("{suit} cuts  ·  {price}", suit=SUITS[int(rank)], price=price),
        size * 0.14,
        palette.light,
        font=BOLD,
        align="center",
        fit=box.width - 4,
    )


def _starlight(pen: Pen, box: Box, rank: str, price: Message) -> None:
    palette = PALETTES[int(rank)]
    space(pen, box, PAPER, palette.main)
    cy = box.y + box.height / 2
    for dx, size in ((9, 6.0), (16, 2.8), (box.width - 9, 6.0), (box.width - 16, 2.8)):
        pen.fill(star(box.x + dx, cy, size, size * 0.28, 4), palette.accent)
    pen.text(
        box.x + box.width / 2,
        cy - 0.5,
        message("Starlight"),
        6,
        palette.main,
        font=TITLE,
        align="center",
        fit=box.width - 42,
    )
    pen.text(box.x + box.width / 2, cy + 7.5, price, 6, palette.main, font=BOLD, align="center")


def _card(pen: Pen, box: Box, card_id: str, price: Message) -> None:
    card = SUIT_CARDS[card_id]
    palette, day = PALETTES[card.rank], card.half == "day"
    ground, ink = (palette.light, palette.main) if day else (palette.dark, palette.light)
    space(pen, box, ground, palette.main)
    cx, cy = box.x + box.width / 2, box.y + box.height / 2
    (draw_sun if day else draw_moon)(pen, cx - 10, cy - 3, 5.5, palette.accent)
    pen.numeral(cx + 8, cy + 3, str(card.number), 12, ink, font=TITLE)
    pen.text(
        cx,
        box.y + box.height - 2.6,
        Message("{card} · {price}", {"card": card_id, "price": price}),
        4.6,
        ink,
        font=BOLD,
        align="center",
    )


def _small(label: Message) -> Callable[[Pen, Box, str, Message], None]:
    def draw(pen: Pen, box: Box, card_id: str, price: Message) -> None:
        palette = PALETTES[int(card_id[0])]
        space(pen, box, PAPER, palette.main)
        cx = box.x + box.width / 2
        pen.text(cx, box.y + 6.4, label, 4, palette.main, font=BOLD, align="center", fit=box.width - 2)
        pen.text(cx, box.y + 13, price, 4.6, palette.main, font=BOLD, align="center")

    return draw


def _cavalry(pen: Pen, box: Box, _what: str, price: Message) -> None:
    space(pen, box, INK, BACK.accent)
    cx = box.x + box.width / 2
    for i, (rank, palette) in enumerate(PALETTES.items()):
        x, y = cx + (i % 3 - 1) * 21, box.y + 22 + 22 * (i // 3)
        draw_emblem(pen, rank, x, y, 8, mix(palette.main, palette.light, 0.6), INK)
    pen.text(cx, box.y + 76, message("Cavalry"), 11, BACK.accent, font=TITLE, align="center", fit=box.width - 6)
    all_short = message("all one card short of the cut")
    pen.text(cx, box.y + 85, all_short, 4.6, BACK.light, align="center", fit=box.width - 6)
    pen.text(cx, box.y + 99, price, 10, BACK.accent, font=BOLD, align="center")


def _decoration(pen: Pen, mat: Mat) -> None:
    """Draw the title, ornaments and legend."""
    if mat.name == "grand-roche":
        _legend(pen, 103, 602)
    pen.text(mat.width_mm / 2, 27, _TITLES[mat.name], 17, INK, font=TITLE, align="center", spacing=4)
    for x in (mat.width_mm / 2 - 150, mat.width_mm / 2 + 150):
        ornament(pen, x, 21, 9)
    for x in (51.5, mat.width_mm - 51.5):
        ornament(pen, x, 220 if mat.name == "grand-roche" else 330, 26)


def _legend(pen: Pen, x: float, y: float) -> None:
    """Draw the legend of Grand Roche's bets, in the corner below the small suits."""
    lines = (
        (message("Cut"), message("the suit is the first of which half has been dealt")),
        (message("Day, Night"), message("it cuts, and all of its cards are of that half")),
        (message("Sun or moon and number"), message("it cuts, and that card is among them")),
        (message("Terminus"), message("it cuts, and that card is the last one dealt")),
        (message("Oscura"), message("it cuts, and that card is not among them")),
        (message("Starlight"), message("no card of the suit is dealt at all")),
    )
    for i, (bet, meaning) in enumerate(lines):
        pen.text(x, y + 15 * i, bet, 6.4, INK, font=TITLE, fit=_LEGEND_MM)
        pen.text(x, y + 15 * i + 6.2, meaning, 5.4, INK, fit=_LEGEND_MM)


_BETS: Final[dict[str, Callable[[Pen, Box, str, Message], None]]] = {
    "day": _day,
    "night": _night,
    "cut": _cut,
    "starlight": _starlight,
    "card": _card,
    "terminus": _small(message("Terminus")),
    "oscura": _small(message("Oscura")),
    "cavalry": _cavalry,
}
_PLACES: Final[dict[str, Callable[[Pen, Box, str], None]]] = {
    "stack": draw_stack,
    "deck": pile(DECK),
    "discard": pile(DISCARD),
}
