"""Labels that make an ordinary card readable by the camera.

The large label is the code area of a printed poker card: with the label 4 mm from the card's top and left edges, tag
and QR code are where they are on a printed card. Below them is the card's name, if it has one, readable at arm's
length. The small label is the second tag, for the opposite corner, 4 mm from both edges.
"""

from typing import Final

from companion.kernel.messages import message
from companion.objects.decks import Deck
from companion.objects.designs import DeckArt
from companion.objects.geometry import MARGIN_MM, POKER, QR_MM, QR_QUIET_MM, TAG_MM, TAG_QUIET_MM, Box
from companion.printing.cards.marks import draw_qr, draw_tag
from companion.printing.cards.palette import INK
from companion.printing.fonts import BOLD, TITLE
from companion.printing.pen import Pen, polygon, rectangle

LABEL_WIDTH: Final = POKER.width - 2 * MARGIN_MM
LABEL_HEIGHT: Final = QR_MM + 2 * QR_QUIET_MM
TAG_LABEL: Final = TAG_MM + 2 * TAG_QUIET_MM
LABEL_GAP: Final = 3.0
STICKER_WIDTH: Final = LABEL_WIDTH + LABEL_GAP + TAG_LABEL
NAME_MM: Final = 7.6
"""Height of the band with the name."""
NAME_EM_MM: Final = 5.2
"""Type size of the name; its capitals are 3.6 mm tall: 20 minutes of arc from 60 cm."""
HOW_TO_STICK: Final = message(
    "Stick the large label 4 mm from the card's left and top edges, "
    "the small one 4 mm from its right and bottom edges, arrow up."
)
_CUT_GREY: Final = "#B9B9C0"


def label_height(deck: Deck) -> float:
    """Return the height of a deck's large labels."""
    return LABEL_HEIGHT + (NAME_MM if deck.design.names else 0.0)


def draw_sticker(pen: Pen, *, deck: Deck, art: DeckArt, card: str) -> None:
    """Draw both labels of a card, with the large one's top-left corner at the origin."""
    tag = deck.tag(card)
    tall = label_height(deck)
    small = Box(LABEL_WIDTH + LABEL_GAP, tall - TAG_LABEL, TAG_LABEL, TAG_LABEL)
    with pen.at(-MARGIN_MM, -MARGIN_MM):
        art.index(pen, POKER, card)
        draw_tag(pen, tag, POKER.first_tag)
        draw_qr(pen, deck.code(card), POKER.qr)
    inner = Box(small.x + TAG_QUIET_MM, small.y + TAG_QUIET_MM, TAG_MM, TAG_MM)
    draw_tag(pen, tag, inner, upside_down=True)
    if name := deck.design.names.get(card):
        _name(pen, name)
    for label in (Box(0, 0, LABEL_WIDTH, tall), small):
        pen.stroke(rectangle(label.x, label.y, label.width, label.height), _CUT_GREY, 0.12)
    _arrow(pen, small.x + TAG_LABEL / 2, small.y - 2.2, card)


def _name(pen: Pen, name: str) -> None:
    foot = LABEL_HEIGHT + NAME_MM - 2.2
    pen.text(LABEL_WIDTH / 2, foot, name, NAME_EM_MM, INK, font=TITLE, align="center", fit=LABEL_WIDTH - 2)


def _arrow(pen: Pen, x: float, y: float, name: str) -> None:
    """Draw next to the small label which card it belongs to, and which side is up."""
    pen.text(x, y - 2.4, name, 4.4, "#4A4A52", font=BOLD, align="center")
    pen.fill(polygon([(x - 1.1, y), (x + 1.1, y), (x, y - 1.6)]), "#6A6A72")
