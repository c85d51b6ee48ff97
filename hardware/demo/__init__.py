"""The demo tables: render what a camera above a real table would see, for a house without a camera."""

from __future__ import annotations

from companion.games.roche.demo.dealer import DemoHouse, Timing
from companion.games.roche.demo.table import DemoError, DemoTable
from companion.games.rochi.demo.house import DemoRochi, RochiTiming
from companion.games.rochi.demo.table import DemoRochiTable
from companion.objects.cards import LEADER_BUTTON
from companion.objects.decks import Deck
from hardware.demo.camera import DemoCamera
from hardware.demo.chips import VALUES, chip_name
from hardware.demo.faces import Faces
from hardware.demo.printer import DeckPrinter, strange_deck

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
