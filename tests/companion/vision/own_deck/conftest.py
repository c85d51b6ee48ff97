"""Fixtures with an enrolled ordinary deck and pictures of it; `ordinary_deck` is a helper module in this folder."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from ordinary_deck import drawn, face_of, look
from table_scene import Placed, photograph

from companion.objects.cards import STANDARD_CARDS
from companion.vision.own_deck.faces import DeckFaces
from companion.vision.own_deck.reader import DeckReader


@pytest.fixture(scope="session")
def faces() -> DeckFaces:
    """The deck as stored by enrollment."""
    return DeckFaces.of({card: face_of(card) for card in STANDARD_CARDS})


@pytest.fixture(scope="session")
def reader(faces: DeckFaces) -> DeckReader:
    return DeckReader(faces)


Lay = Callable[..., np.ndarray]


@pytest.fixture
def lay() -> Lay:
    """Photograph cards: ``lay([("AS", x_mm, y_mm, turn_deg), ...], seed)``."""

    def take(cards: Sequence[tuple[str, float, float, float]], seed: int = 1, **fixed: object) -> np.ndarray:
        placed = [Placed(card, drawn(card), x, y, turn) for card, x, y, turn in cards]
        return photograph(placed, look(**fixed), np.random.default_rng(seed))[0]  # type: ignore[arg-type]

    return take
