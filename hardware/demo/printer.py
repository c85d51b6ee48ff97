"""Prints cards and tokens for the demo table with the drawing code of `companion print`."""

from dataclasses import replace

import numpy as np

from companion.objects.chips import CHIPS
from companion.objects.decks import Deck
from companion.objects.designs import DeckDesign
from companion.printing.chips import chip_pieces
from companion.printing.pieces import Piece, back_piece, card_pieces, token_pieces
from companion.printing.raster import render
from hardware.demo.chips import chip_piece
from hardware.demo.faces import BACK, CHIP, Make
from hardware.demo.layers import Image


class DeckPrinter:
    """Renders the pieces of a deck, genuine, forged, or of a foreign deck.

    Args:
        deck: the deck in play.
    """

    def __init__(self, deck: Deck) -> None:
        forger = bytes(byte ^ 0x5A for byte in deck.key)
        self._decks: dict[Make, Deck] = {
            "genuine": deck,
            "forged": replace(deck, key=forger),
            "foreign": replace(deck, id=_another_id(deck.id), key=forger),
        }

    def __call__(self, side: str, make: Make) -> Image:
        """Render the face of a card, token or chip, or the card back, at 300 dpi, uint8 (H, W, 3) BGR."""
        return draw(self._piece(side, make))

    def _piece(self, side: str, make: Make) -> Piece:
        deck = self._decks[make]
        if side == BACK:
            return back_piece()
        if side.startswith(CHIP):
            return chip_piece(int(side.removeprefix(CHIP)))
        if side in CHIPS:
            return chip_pieces((side,))[0]
        if side in deck.tokens:
            return token_pieces(deck, only=(side,))[0][0]
        return card_pieces(deck, only=(side,))[0]


def draw(piece: Piece) -> Image:
    """Render a piece, uint8 (H, W, 3) BGR."""
    [picture] = render([piece])
    return np.ascontiguousarray(np.asarray(picture)[:, :, ::-1])


def standalone_deck(design: DeckDesign) -> Deck:
    """Return a deck with a fixed key, for demo tables without a data directory."""
    return Deck("DEMA", design, "Demo", b"no secret: the demo table", "2026-01-01T00:00:00.000+00:00")


def _another_id(deck_id: str) -> str:
    return "".join("Z" if char != "Z" else "Y" for char in deck_id)
