"""Keeps verified cards verified while they are tracked: slightly moved, half covered, or read by tag only.

A card found forged or foreign stays so: its tags alone never turn it into a card whose code was simply not read.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

from companion.vision.decoders.qr import side_of
from companion.vision.sightings import CardSighting, CardStatus, Point

_MEMORY_S: Final = 0.5  # a card not seen at all for longer has to be proven again
_REACH: Final = 1.2  # sides of a card, from one reading to the next
_UNMOVED: Final = 0.25  # sides of a card, from where it was proven
_SAME_LAY: Final = 0.08
_SAME_CARD: Final = 0.5
_REFUTED: Final = ("forged", "foreign")
_REFUTED_S: Final = 2.0  # unseen, and for as long after a cut


@dataclass(frozen=True, slots=True)
class _Known:
    deck: str | None
    proven_at: Point
    proven: float
    center: Point
    t: float


@dataclass(frozen=True, slots=True)
class _Refuted:
    """A forged or foreign card; `is_cut` once its identity is no longer certain."""

    id: str | None
    status: CardStatus
    deck: str | None
    tags: tuple[int, ...]
    center: Point
    side: float
    t: float
    is_cut: bool = False

    @classmethod
    def of(cls, card: CardSighting, t: float) -> _Refuted:
        return cls(card.id, card.status, card.deck, card.tags, card.center, _side(card), t)

    def may_be(self, card: CardSighting) -> bool:
        """Say whether a card known by tag only is this one."""
        is_named = any(number in self.tags for number in card.tags) or not self.tags
        return is_named and _far(card.center, self.center) < _SAME_CARD * self.side


class Continuity:
    """Tracks verified cards from frame to frame.

    Args:
        trust_s: how long a card that has moved away from where its code was read is believed without
            its code. One that only got covered where it lies needs no new proof.
    """

    def __init__(self, trust_s: float = 2.0) -> None:
        self.trust_s = trust_s
        self._known: dict[str, _Known] = {}
        self._refuted: list[_Refuted] = []

    def cut(self, t: float) -> None:
        """The next picture does not continue the one before: nothing that was proven then holds any more."""
        self._known = {}
        self._refuted = [replace(r, is_cut=True, t=t) for r in self._refuted]

    def follow(self, cards: Sequence[CardSighting], t: float, denied: Collection[str] = ()) -> tuple[CardSighting, ...]:
        """Return the cards; those known by tag become `ok` that were proven here a moment ago.

        A card that was forged, but may be another by now, is left out for a while if only its tag was read since.

        Args:
            denied: cards whose code has made way for another at its place.
        """
        self._refuted = [replace(r, is_cut=True, t=t) if r.id in denied else r for r in self._refuted]
        self._known = {k: v for k, v in self._known.items() if k not in denied or _moves(cards, k, v)}
        count = Counter(c.id for c in cards)
        out = [self._one(c, t) if count[c.id] == 1 else c for c in cards]
        for before, card in zip(cards, out, strict=True):
            if card.id is not None and card.status == "ok" and card.visible > 0:
                self._known[card.id] = self._seen(card, before.status == "ok", t)
        self._known = {k: v for k, v in self._known.items() if t - v.t <= _MEMORY_S}
        return self._judged(out, t)

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
            center = card.center
            return _Known(card.deck, center, t, center, t)
        return replace(before, center=card.center, t=t)

    # ---- forged and foreign cards

    def _judged(self, cards: Sequence[CardSighting], t: float) -> tuple[CardSighting, ...]:
        """Return the cards, the tags of those that were refuted here told as what they are."""
        self._refuted = [r for r in self._refuted if t - r.t <= _REFUTED_S]
        out: list[CardSighting] = []
        for card in cards:
            known = next((r for r in self._refuted if card.status == "tag" and r.may_be(card)), None)
            if known is None:
                out.append(card)
            elif not known.is_cut:
                out.append(replace(card, status=known.status, deck=known.deck))
        self._note(out, t)
        return tuple(out)

    def _note(self, cards: Sequence[CardSighting], t: float) -> None:
        judged = [c for c in cards if c.status == "ok" or c.status in _REFUTED]
        for card in judged:
            known = self._known.get(card.id or "")
            if known is not None and card.status in _REFUTED and _far(card.center, known.center) < _side(card) / 2:
                del self._known[card.id or ""]  # what lies there now is not what was proven there
        kept = [r for r in self._refuted if not any(_far(c.center, r.center) < r.side / 2 for c in judged)]
        self._refuted = kept + [_Refuted.of(c, t) for c in judged if c.status in _REFUTED]


def _moves(cards: Sequence[CardSighting], id_: str, known: _Known) -> bool:
    """Say whether the card is seen anywhere but just where it was proven."""
    here = [c for c in cards if c.id == id_ and c.outline is not None]
    return not any(_far(c.center, known.proven_at) < _SAME_LAY * _side(c) for c in here)


def _side(card: CardSighting) -> float:
    return side_of(card.outline or card.corners)


def _far(a: Point, b: Point) -> float:
    return math.dist(a, b)
