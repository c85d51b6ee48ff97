"""The demo tables: render what a camera above a real table would see, for a house without a camera."""

from __future__ import annotations

from companion.cards import LEADER_BUTTON
from companion.decks import Deck
from hardware.demo.camera import DemoCamera
from hardware.demo.chips import VALUES, chip_name
from hardware.demo.dealer import DemoHouse, Timing
from hardware.demo.faces import Faces
from hardware.demo.printer import DeckPrinter, strange_deck
from hardware.demo.rochi_house import DemoRochi, RochiTiming
from hardware.demo.rochi_table import DemoRochiTable
from hardware.demo.table import DemoError, DemoTable

__all__ = [
    "DemoCamera",
    "DemoError",
    "DemoHouse",
    "DemoRochi",
    "DemoRochiTable",
    "DemoTable",
    "RochiTiming",
    "Timing",
    "new_rochi_table",
    "new_table",
    "strange_deck",
]


def new_table(deck: Deck, *, size: tuple[int, int] = (1920, 1080), seed: int = 1, pace: float = 1.0) -> DemoTable:
    """Return a demo table for Roche with this deck's real printed cards; they are drawn in the background."""
    faces = Faces(DeckPrinter(deck))
    table = DemoTable(faces, size=size, seed=seed, pace=pace, cards=deck.cards)
    faces.draw_ahead(deck.cards)
    return table


def new_rochi_table(
    deck: Deck, *, size: tuple[int, int] = (1920, 1080), seed: int = 1, pace: float = 1.0
) -> DemoRochiTable:
    """Return a demo table for Rochi or Captain's Rochi with this deck's real printed cards and tokens."""
    faces = Faces(DeckPrinter(deck))
    chips = [chip_name(value) for value in VALUES]
    table = DemoRochiTable(faces, size=size, seed=seed, pace=pace, cards=deck.cards)
    faces.draw_ahead([*chips, *deck.tokens, LEADER_BUTTON, *deck.cards])
    return table
