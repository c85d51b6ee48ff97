"""The printable pieces of a deck: each has a name, a size and a drawing function."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from companion.kernel.errors import CompanionError
from companion.objects.decks import Deck
from companion.objects.designs import DeckArt
from companion.objects.geometry import CARD_GEOMETRY, TOKEN_MM, CardGeometry, CardSize, geometry_of
from companion.printing.cards.back import draw_back
from companion.printing.cards.marks import draw_codes, draw_token_code, draw_token_tag
from companion.printing.cards.stickers import STICKER_WIDTH, draw_sticker, label_height
from companion.printing.pen import Pen


class PrintError(CompanionError):
    """An invalid print order."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One thing to cut out. ``draw`` draws it with its top-left corner at the pen's origin; sizes in mm."""

    name: str
    width: float
    height: float
    draw: Callable[[Pen], None]


def card_pieces(
    deck: Deck, size: CardSize = "poker", only: Sequence[str] = (), style: str | None = None
) -> tuple[Piece, ...]:
    """Return the faces of a deck's cards, or of the cards in ``only``.

    Args:
        style: one of the design's `styles`; None for the default.

    Raises:
        PrintError: the deck has no such card or style.
    """
    geometry = geometry_of(size, deck.design.layouts[0])
    chosen = _chosen(deck, deck.design.all_cards, only, "card")
    draw = partial(_draw_face, art=_art(deck, style), geometry=geometry, deck=deck)
    return tuple(Piece(c, geometry.width, geometry.height, partial(draw, card=c)) for c in chosen)


def _draw_face(pen: Pen, *, art: DeckArt, geometry: CardGeometry, deck: Deck, card: str) -> None:
    art.face(pen, geometry, card)
    if art.mark is not None:
        art.mark(pen, geometry, deck.id)
    draw_codes(pen, geometry, deck.code(card), deck.tag(card))


def back_piece(size: CardSize = "poker") -> Piece:
    """Return the card back, the same for all cards of this size."""
    geometry = CARD_GEOMETRY[size]
    return Piece("back", geometry.width, geometry.height, partial(draw_back, geometry=geometry))


def token_pieces(deck: Deck, only: Sequence[str] = ()) -> tuple[tuple[Piece, Piece], ...]:
    """Return (face, back) of each of a deck's tokens, including the leader button.

    Raises:
        PrintError: the deck has no tokens.
    """
    art = deck.design.art()
    if not deck.tokens or art.token_face is None or art.token_back is None:
        raise PrintError.saying(
            "Deck {deck} is a {kind} deck and has no tokens. Name a deck of another kind.", deck=deck.id, kind=deck.kind
        )
    face = partial(_draw_token_face, draw=art.token_face, deck=deck)
    back = partial(_draw_token_back, draw=art.token_back, deck=deck)
    chosen = _chosen(deck, deck.tokens, only, "token")
    return tuple(
        (
            Piece(t, TOKEN_MM, TOKEN_MM, partial(face, token=t)),
            Piece(f"{t}-back", TOKEN_MM, TOKEN_MM, partial(back, token=t)),
        )
        for t in chosen
    )


def _draw_token_face(pen: Pen, *, draw: Callable[[Pen, str], None], deck: Deck, token: str) -> None:
    draw(pen, token)
    draw_token_tag(pen, deck.tag(token))


def _draw_token_back(pen: Pen, *, draw: Callable[[Pen, str], None], deck: Deck, token: str) -> None:
    draw(pen, token)
    draw_token_code(pen, deck.code(token))


def sticker_pieces(deck: Deck, only: Sequence[str] = (), style: str | None = None) -> tuple[Piece, ...]:
    """Return one label per card, with code, tag and index, and the separate second tag."""
    chosen = _chosen(deck, deck.design.all_cards, only, "card")
    draw = partial(draw_sticker, deck=deck, art=_art(deck, style))
    return tuple(Piece(c, STICKER_WIDTH, label_height(deck), partial(draw, card=c)) for c in chosen)


def _art(deck: Deck, style: str | None) -> DeckArt:
    styles = deck.design.styles
    if style is None:
        return deck.design.art()
    if style not in styles:
        known = f"Choose {', '.join(styles)}, or leave --style out." if styles else "Leave --style out."
        raise PrintError(f"A {deck.kind} deck has no style {style!r}. {known}")
    return styles[style]()


def _chosen(deck: Deck, pieces: Sequence[str], only: Sequence[str], what: str) -> tuple[str, ...]:
    strangers = [name for name in only if name not in pieces]
    if strangers:
        example = ", ".join(pieces[:3])
        raise PrintError(
            f"Deck {deck.id} ({deck.kind}) has no {what} {', '.join(strangers)}. Its {what}s are named like {example}."
        )
    return tuple(dict.fromkeys(only)) or tuple(pieces)
