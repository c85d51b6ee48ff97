"""How a table mat looks: every zone printed where `companion.objects.mat` says it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from companion.games.roche.paytable import Paytable, RocheDeck, deck_ranks, load_paytable
from companion.games.roche_deck.emblems import draw_emblem
from companion.objects.cards import SUIT_CARDS, SUIT_NAMES
from companion.objects.geometry import STAGGER_MM, Box
from companion.objects.mat import MAT_TAG_QUIET_MM, Mat
from companion.printing.cards.emblems import draw_moon, draw_sun, moon
from companion.printing.cards.marks import draw_tag
from companion.printing.cards.palette import BACK, PALETTES, PAPER
from companion.printing.fonts import BOLD, TITLE
from companion.printing.pen import Path, Pen, circle, mix, rectangle, star

_INK: Final = BACK.dark
_TITLES: Final = {"roche": "Roche", "grand-roche": "Grand Roche", "rochi": "Rochi"}
_Draw = Callable[[Pen, Box, str, Paytable], None]


def draw_mat(pen: Pen, mat: Mat, prices: RocheDeck = "full") -> None:
    """Draw a mat with its top-left corner at the origin, with the prices of the full or the red deck."""
    table = load_paytable(prices)
    draw_ground(pen, mat)
    for name, box in mat.zones.items():
        kind, _, rest = name.partition("/")
        if _is_in_play(kind, rest, table):
            _ZONES[kind](pen, box, rest, table)
    _decoration(pen, mat)
    draw_corners(pen, mat)


def draw_ground(pen: Pen, mat: Mat) -> None:
    """Draw what every mat has below its zones: paper and a frame."""
    pen.fill(rectangle(0, 0, mat.width_mm, mat.height_mm), PAPER)
    for inset, width in ((3.0, 1.2), (5.4, 0.4)):
        edge = rectangle(inset, inset, mat.width_mm - 2 * inset, mat.height_mm - 2 * inset)
        pen.stroke(edge, _INK, width)


def draw_corners(pen: Pen, mat: Mat) -> None:
    """Draw the tags that the camera finds the mat by."""
    for number, box in mat.tags.items():
        draw_tag(pen, number, box, quiet=MAT_TAG_QUIET_MM)


def _is_in_play(kind: str, rest: str, table: Paytable) -> bool:
    """The red deck has no Mages: no stack, pot or bets for them."""
    if kind == "bet":
        return table.price(rest) is not None
    return kind not in ("stack", "pot") or int(rest) in deck_ranks(table.deck)


def _stack(pen: Pen, box: Box, rank_text: str, _table: Paytable) -> None:
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
    pen.text(cx, box.y + box.height - 20, SUIT_NAMES[rank], 10, palette.dark, font=TITLE, align="center")
    pen.text(cx, box.y + box.height - 9, f"cut at {rank}", 5.5, palette.dark, font=BOLD, align="center")


def _pile(label: str) -> _Draw:
    def draw(pen: Pen, box: Box, _rest: str, _table: Paytable) -> None:
        pen.stroke(outline(box), _INK, 0.7)
        pen.stroke(outline(shrunk(box, 1.8)), _INK, 0.25)
        cx, cy = box.x + box.width / 2, box.y + box.height / 2
        pen.fill(star(cx, cy - 6, 11, 4, 8), mix(_INK, PAPER, 0.82))
        pen.text(cx, cy + 16, label, 7, _INK, font=TITLE, align="center")

    return draw


def _pot(pen: Pen, box: Box, rank_text: str, _table: Paytable) -> None:
    rank = int(rank_text)
    palette, cx, cy = PALETTES[rank], box.x + box.width / 2, box.y + box.height / 2
    radius = min(box.width, box.height) / 2 - 2
    pen.fill(circle(cx, cy, radius), palette.light)
    pen.stroke(circle(cx, cy, radius), palette.main, 0.9)
    pen.stroke(circle(cx, cy, radius - 1.8), palette.main, 0.25)
    draw_emblem(pen, rank, cx, cy - 4, 15, mix(palette.light, palette.main, 0.4), palette.light)
    pen.numeral(cx, cy + 25, rank_text, 8, palette.main, font=TITLE)


def _seat(pen: Pen, box: Box, number: str, _table: Paytable) -> None:
    """A player's place, to be read from that side of the table."""
    pen.stroke(outline(box), _INK, 0.7)
    pen.stroke(outline(shrunk(box, 1.8)), _INK, 0.25)
    turn = {"3": 90, "4": 180, "5": 180, "6": -90}.get(number, 0)
    wide, high = (box.width, box.height) if turn in (0, 180) else (box.height, box.width)
    with pen.at(box.x + box.width / 2, box.y + box.height / 2, turn=turn):
        pen.numeral(0, 10, number, 24, mix(_INK, PAPER, 0.78), font=TITLE)
        label = f"Seat {number}  ·  Shields and tokens"
        pen.text(0, high / 2 - 8, label, 6, _INK, font=BOLD, align="center", fit=wide - 8)


def _bet(pen: Pen, box: Box, rest: str, table: Paytable) -> None:
    family, _, what = rest.partition("/")
    _BETS[family](pen, box, what, str(table.price(rest) or ""))


def _half(pen: Pen, box: Box, rank: str, price: str, *, day: bool) -> None:
    palette = PALETTES[int(rank)]
    ground, ink = (palette.light, palette.main) if day else (palette.dark, palette.light)
    space(pen, box, ground, palette.main)
    cx, size = box.x + box.width / 2, min(box.width, box.height)
    with_sign = box.y + box.height * 0.36
    if day:
        draw_sun(pen, cx, with_sign, size * 0.2, PALETTES[int(rank)].accent, rays=12)
    else:
        draw_moon(pen, cx, with_sign, size * 0.17, palette.accent)
    pen.text(cx, box.y + box.height * 0.74, "Day" if day else "Night", size * 0.13, ink, font=TITLE, align="center")
    pen.text(cx, box.y + box.height * 0.92, price, size * 0.14, ink, font=BOLD, align="center", fit=box.width - 3)


def _day(pen: Pen, box: Box, rank: str, price: str) -> None:
    _half(pen, box, rank, price, day=True)


def _night(pen: Pen, box: Box, rank: str, price: str) -> None:
    _half(pen, box, rank, price, day=False)


def _cut(pen: Pen, box: Box, rank: str, price: str) -> None:
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
        f"{SUIT_NAMES[int(rank)]} cuts  ·  {price}",
        size * 0.14,
        palette.light,
        font=BOLD,
        align="center",
        fit=box.width - 4,
    )


def _starlight(pen: Pen, box: Box, rank: str, price: str) -> None:
    palette = PALETTES[int(rank)]
    space(pen, box, PAPER, palette.main)
    cy = box.y + box.height / 2
    for dx, size in ((9, 6.0), (16, 2.8), (box.width - 9, 6.0), (box.width - 16, 2.8)):
        pen.fill(star(box.x + dx, cy, size, size * 0.28, 4), palette.accent)
    pen.text(box.x + box.width / 2, cy - 0.5, "Starlight", 6, palette.main, font=TITLE, align="center")
    pen.text(box.x + box.width / 2, cy + 7.5, price, 6, palette.main, font=BOLD, align="center")


def _card(pen: Pen, box: Box, card_id: str, price: str) -> None:
    card = SUIT_CARDS[card_id]
    palette, day = PALETTES[card.rank], card.half == "day"
    ground, ink = (palette.light, palette.main) if day else (palette.dark, palette.light)
    space(pen, box, ground, palette.main)
    cx, cy = box.x + box.width / 2, box.y + box.height / 2
    (draw_sun if day else draw_moon)(pen, cx - 10, cy - 3, 5.5, palette.accent)
    pen.numeral(cx + 8, cy + 3, str(card.number), 12, ink, font=TITLE)
    pen.text(cx, box.y + box.height - 2.6, f"{card_id} · {price}", 4.6, ink, font=BOLD, align="center")


def _small(label: str) -> Callable[[Pen, Box, str, str], None]:
    def draw(pen: Pen, box: Box, card_id: str, price: str) -> None:
        palette = PALETTES[int(card_id[0])]
        space(pen, box, PAPER, palette.main)
        cx = box.x + box.width / 2
        pen.text(cx, box.y + 6.4, label, 4, palette.main, font=BOLD, align="center", fit=box.width - 2)
        pen.text(cx, box.y + 13, price, 4.6, palette.main, font=BOLD, align="center")

    return draw


def _cavalry(pen: Pen, box: Box, _what: str, price: str) -> None:
    space(pen, box, _INK, BACK.accent)
    cx = box.x + box.width / 2
    for i, (rank, palette) in enumerate(PALETTES.items()):
        x, y = cx + (i % 3 - 1) * 21, box.y + 22 + 22 * (i // 3)
        draw_emblem(pen, rank, x, y, 8, mix(palette.main, palette.light, 0.6), _INK)
    pen.text(cx, box.y + 76, "Cavalry", 11, BACK.accent, font=TITLE, align="center")
    pen.text(cx, box.y + 85, "all one card short of the cut", 4.6, BACK.light, align="center", fit=box.width - 6)
    pen.text(cx, box.y + 99, price, 10, BACK.accent, font=BOLD, align="center")


def space(pen: Pen, box: Box, ground: str, edge: str) -> None:
    """Fill a bet's space, with an edge in another colour."""
    pen.fill(outline(box), ground)
    pen.stroke(outline(shrunk(box, 0.4)), edge, 0.5)


def outline(box: Box) -> Path:
    """Return a box as a path."""
    return rectangle(box.x, box.y, box.width, box.height)


def shrunk(box: Box, by: float) -> Box:
    """Return a box that is smaller by so much on every side."""
    return Box(box.x + by, box.y + by, box.width - 2 * by, box.height - 2 * by)


def _decoration(pen: Pen, mat: Mat) -> None:
    """The game's name: along the sides, or above the stacks where those leave a strip."""
    title = _TITLES[mat.name]
    if mat.name == "grand-roche":
        _legend(pen, 103, 602)
    if mat.name == "rochi":
        pen.text(157, 362, title, 17, _INK, font=TITLE, align="center", fit=68)
        ornament(pen, 157, 396, 18)
        return
    pen.text(mat.width_mm / 2, 27, title, 17, _INK, font=TITLE, align="center", spacing=4)
    for x in (mat.width_mm / 2 - 150, mat.width_mm / 2 + 150):
        ornament(pen, x, 21, 9)
    for x in (51.5, mat.width_mm - 51.5):
        ornament(pen, x, 220 if mat.name == "grand-roche" else 330, 26)


def _legend(pen: Pen, x: float, y: float) -> None:
    """What the bets of Grand Roche mean, in the corner that the small suits leave."""
    lines = (
        ("Cut", "the suit is the first of which half has been dealt"),
        ("Day, Night", "it cuts, and all of its cards are of that half"),
        ("Sun or moon and number", "it cuts, and that card is among them"),
        ("Terminus", "it cuts, and that card is the last one dealt"),
        ("Oscura", "it cuts, and that card is not among them"),
        ("Starlight", "no card of the suit is dealt at all"),
    )
    for i, (bet, meaning) in enumerate(lines):
        pen.text(x, y + 15 * i, bet, 6.4, _INK, font=TITLE)
        pen.text(x, y + 15 * i + 6.2, meaning, 5.4, _INK)


def ornament(pen: Pen, cx: float, cy: float, radius: float) -> None:
    """The back's star between two moons."""
    for turn in (0, 180):
        with pen.at(cx, cy, turn=turn):
            pen.fill(moon(0, 0, radius, 0.2), _INK)
    pen.fill(star(cx, cy, radius * 0.62, radius * 0.26, 16), BACK.accent)
    pen.fill(circle(cx, cy, radius * 0.16), PAPER)


_BETS: Final[dict[str, Callable[[Pen, Box, str, str], None]]] = {
    "day": _day,
    "night": _night,
    "cut": _cut,
    "starlight": _starlight,
    "card": _card,
    "terminus": _small("Terminus"),
    "oscura": _small("Oscura"),
    "cavalry": _cavalry,
}
_ZONES: Final[dict[str, _Draw]] = {
    "stack": _stack,
    "deck": _pile("Deck"),
    "discard": _pile("Discard"),
    "pot": _pot,
    "seat": _seat,
    "bet": _bet,
}
