"""A card that was proven stays proven while it is followed: moved a little, half covered, its tag read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from companion.vision.decoders.qr import side_of
from companion.vision.sightings import CardSighting, Point

_MEMORY_S: Final = 0.5  # a card not seen at all for longer has to be proven again
_REACH: Final = 1.2  # sides of a card, from one reading to the next
_UNMOVED: Final = 0.25  # sides of a card, from where it was proven


@dataclass(frozen=True, slots=True)
class _Known:
    deck: str | None
    proven_at: Point
    proven: float
    center: Point
    t: float


class Continuity:
    """Follows proven cards from frame to frame.

    Args:
        trust_s: how long a card that has moved away from where its code was read is believed without
            its code. One that only got covered where it lies needs no new proof.
    """

    def __init__(self, trust_s: float = 2.0) -> None:
        self.trust_s = trust_s
        self._known: dict[str, _Known] = {}

    def follow(self, cards: Sequence[CardSighting], t: float) -> tuple[CardSighting, ...]:
        """Return the cards; those known by tag become `ok` that were proven here a moment ago."""
        ids = [c.id for c in cards]
        out = tuple(self._one(c, t) if ids.count(c.id) == 1 else c for c in cards)
        for before, card in zip(cards, out, strict=True):
            if card.id is not None and card.status == "ok" and card.visible > 0:
                self._known[card.id] = self._seen(card, before.status == "ok", t)
        self._known = {k: v for k, v in self._known.items() if t - v.t <= _MEMORY_S}
        return out

    def _one(self, card: CardSighting, t: float) -> CardSighting:
        known = self._known.get(card.id or "")
        if card.status != "tag" or known is None or card.outline is None or t - known.t > _MEMORY_S:
            return card
        side = side_of(card.outline)
        unmoved = _far(card.center, known.proven_at) < _UNMOVED * side
        if _far(card.center, known.center) > _REACH * side or not (unmoved or t - known.proven <= self.trust_s):
            return card
        return replace(card, status="ok", deck=known.deck)

    def _seen(self, card: CardSighting, proven: bool, t: float) -> _Known:
        before = self._known.get(card.id or "")
        if proven or before is None:
            return _Known(card.deck, card.center, t, card.center, t)
        return replace(before, center=card.center, t=t)


def _far(a: Point, b: Point) -> float:
    return float(np.hypot(a[0] - b[0], a[1] - b[1]))
