"""A card that was proven stays proven while it is followed: moved a little, its code blurred, its tag read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from companion.vision.decode import side_of
from companion.vision.sightings import CardSighting, Point

_MEMORY_S: Final = 0.5
_REACH: Final = 1.0  # of the card's longer side, from one reading to the next


@dataclass(frozen=True, slots=True)
class _Known:
    deck: str | None
    center: Point
    t: float


class Continuity:
    """Follows proven cards from frame to frame."""

    def __init__(self) -> None:
        self._known: dict[str, _Known] = {}

    def follow(self, cards: Sequence[CardSighting], t: float) -> tuple[CardSighting, ...]:
        """Return the cards, those known by tag made `ok` that were proven here a moment ago."""
        proven = {c.id for c in cards if c.status not in ("tag", "unreadable")}
        once = {c.id for c in cards if [d.id for d in cards].count(c.id) == 1}
        out = tuple(self._one(c, t) if c.id in once and c.id not in proven else c for c in cards)
        self._known = {k: v for k, v in self._known.items() if t - v.t <= _MEMORY_S}
        for card in out:
            if card.status == "ok" and card.id is not None:
                self._known[card.id] = _Known(card.deck, card.center, t)
        return out

    def _one(self, card: CardSighting, t: float) -> CardSighting:
        known = self._known.get(card.id or "")
        if card.status != "tag" or known is None or card.outline is None or t - known.t > _MEMORY_S:
            return card
        far = float(np.hypot(card.center[0] - known.center[0], card.center[1] - known.center[1]))
        if far > _REACH * 1.2 * side_of(card.outline):
            return card
        return replace(card, status="ok", deck=known.deck)
