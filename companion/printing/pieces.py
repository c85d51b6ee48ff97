"""What can be printed from a deck: each piece has a name, a size and one way to be drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from companion.kernel.errors import CompanionError
from companion.objects.cards import ROCHE_CARDS
from companion.objects.decks import Deck
from companion.objects.geometry import CARD_GEOMETRY, TOKEN_MM, CardGeometry, CardSize
from companion.printing.cards.back import draw_back
from companion.printing.cards.roche_face import draw_roche_face
from companion.printing.cards.standard_face import draw_standard_face
from companion.printing.cards.stickers import STICKER_HEIGHT, STICKER_WIDTH, draw_sticker
from companion.printing.cards.token_face import draw_token_back, draw_token_face
from companion.printing.pen import Pen


class PrintError(CompanionError):
    """Something was asked for that cannot be printed."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One thing to cut out. ``draw`` draws it with its top-left corner at the pen's origin; sizes in mm."""

    name: str
    width: float
    height: float
    draw: Callable[[Pen], None]


def card_pieces(deck: Deck, size: CardSize = "poker", only: Sequence[str] = ()) -> tuple[Piece, ...]:
    """Return the faces of a deck's cards, or of some of them."""
    geometry = CARD_GEOMETRY[size]
    chosen = _chosen(deck, deck.cards, only, "card")
    return tuple(Piece(c, geometry.width, geometry.height, _face(deck, geometry, c)) for c in chosen)


def _face(deck: Deck, geometry: CardGeometry, card: str) -> Callable[[Pen], None]:
    draw = draw_roche_face if card in ROCHE_CARDS else draw_standard_face
    return partial(_draw_face, draw=draw, geometry=geometry, deck=deck, card=card)


def _draw_face(pen: Pen, *, draw: Callable[..., None], geometry: CardGeometry, deck: Deck, card: str) -> None:
    draw(pen, geometry, deck.code(card))


def back_piece(size: CardSize = "poker") -> Piece:
    """Return the back that all cards of this size share."""
    geometry = CARD_GEOMETRY[size]
    return Piece("back", geometry.width, geometry.height, partial(draw_back, geometry=geometry))


def token_pieces(deck: Deck, only: Sequence[str] = ()) -> tuple[tuple[Piece, Piece], ...]:
    """Return face and back of a deck's tokens and leader button.

    Raises:
        PrintError: the deck has no tokens.
    """
    if not deck.tokens:
        raise PrintError(f"Deck {deck.id} is a {deck.kind} deck and has no tokens. Name a roche or red deck.")
    chosen = _chosen(deck, deck.tokens, only, "token")
    return tuple(
        (
            Piece(t, TOKEN_MM, TOKEN_MM, partial(draw_token_face, token=t)),
            Piece(f"{t}-back", TOKEN_MM, TOKEN_MM, partial(draw_token_back, code=deck.code(t))),
        )
        for t in chosen
    )


def sticker_pieces(deck: Deck, only: Sequence[str] = ()) -> tuple[Piece, ...]:
    """Return one label sheet cell a card: code, tag and index, and the loose second tag."""
    chosen = _chosen(deck, deck.cards, only, "card")
    return tuple(Piece(c, STICKER_WIDTH, STICKER_HEIGHT, partial(draw_sticker, code=deck.code(c))) for c in chosen)


def _chosen(deck: Deck, pieces: Sequence[str], only: Sequence[str], what: str) -> tuple[str, ...]:
    strangers = [name for name in only if name not in pieces]
    if strangers:
        example = ", ".join(pieces[:3])
        raise PrintError(
            f"Deck {deck.id} ({deck.kind}) has no {what} {', '.join(strangers)}. Its {what}s are named like {example}."
        )
    return tuple(dict.fromkeys(only)) or tuple(pieces)
