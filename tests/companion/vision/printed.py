"""The product's printed faces, for the tables of `table_scene`."""

from collections.abc import Sequence

import cv2
import numpy as np
from table_scene import Face, card_face

from companion.objects.decks import Deck
from companion.objects.geometry import CardSize
from companion.printing.pieces import back_piece, card_pieces
from companion.printing.raster import render
from companion.testing import DECKS

KEY = bytes(range(32))
DECK = Deck("K7QX", DECKS["roche"], "Test deck", KEY, "2026-01-01T00:00:00.000+00:00")
STANDARD = Deck("AC4D", DECKS["standard"], "Test cards", KEY[::-1], "2026-01-01T00:00:00.000+00:00")
KEYS = {DECK.id: DECK.key, STANDARD.id: STANDARD.key}


def printed(deck: Deck, only: Sequence[str] = (), size: CardSize = "poker") -> dict[str, np.ndarray]:
    """Return printed faces by id, uint8 BGR at 300 dpi."""
    pieces = card_pieces(deck, size, tuple(only))
    pictures = render(pieces)
    return {p.name: cv2.cvtColor(np.array(i), cv2.COLOR_RGB2BGR) for p, i in zip(pieces, pictures, strict=True)}


def faces(deck: Deck, only: Sequence[str] = (), size: CardSize = "poker") -> dict[str, Face]:
    """Return printed faces by id, as faces for `table_scene`."""
    return {name: card_face(image, size, deck.design.layouts[0]) for name, image in printed(deck, only, size).items()}


def back(size: CardSize = "poker") -> Face:
    """Return a printed back."""
    return card_face(cv2.cvtColor(np.array(next(iter(render([back_piece(size)])))), cv2.COLOR_RGB2BGR), size)
