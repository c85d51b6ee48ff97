"""The demo table: renders what a camera above a real Roche table would see, for a house without a camera."""

from __future__ import annotations

from companion.decks import Deck
from hardware.demo.camera import DemoCamera
from hardware.demo.dealer import DemoHouse, Timing
from hardware.demo.faces import Faces
from hardware.demo.printer import DeckPrinter, strange_deck
from hardware.demo.table import DemoError, DemoTable

__all__ = ["DemoCamera", "DemoError", "DemoHouse", "DemoTable", "Timing", "new_table", "strange_deck"]


def new_table(deck: Deck, *, size: tuple[int, int] = (1920, 1080), seed: int = 1, pace: float = 1.0) -> DemoTable:
    """Return a demo table with this deck's real printed cards; they are drawn in the background."""
    faces = Faces(DeckPrinter(deck))
    table = DemoTable(faces, size=size, seed=seed, pace=pace, cards=deck.cards)
    faces.draw_ahead(deck.cards)
    return table
