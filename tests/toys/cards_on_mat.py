"""Tracked cards on a mat."""

from typing import Any

import numpy as np

from companion.objects.geometry import POKER
from companion.tracking.cards.observations import LyingCard
from companion.vision.sightings import Quad


def quad(at: tuple[float, float], turn: float = 0.0) -> Quad:
    """Return the corners of a card centred at a point, mm or px."""
    c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    corners = [(u * POKER.width / 2, v * POKER.height / 2) for u, v in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    a, b, c_, d = ((float(at[0] + c * x - s * y), float(at[1] + s * x + c * y)) for x, y in corners)
    return a, b, c_, d


def lying(track: int, card: str | None, at: tuple[float, float], turn: float = 0.0, **more: Any) -> LyingCard:
    """Return a card at rest centred at a point of the mat, mm; its arrival time in seconds is its track number."""
    here, t = quad(at, turn), float(more.pop("t", track))
    status = more.pop("status", "ok" if card is not None else "unreadable")
    deck = more.pop("deck", "K7QX" if status == "ok" else None)
    return LyingCard(track, card, deck, status, here, here, t, t, t, t, 5, on_mat=here, **more)
