"""Keeps verified cards verified while they are tracked: slightly moved, half covered, or read by tag only.

A card found to be forged or foreign stays so: its tags alone never make it a card whose code was just not read.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

from companion.vision.decoders.qr import side_of
from companion.vision.sightings import CardSighting, CardStatus, Point

_MEMORY_S: Final = 0.5  # a card that was not seen at all for longer has to be verified again
# Distances, in mean sides of a card:
_MAX_STEP: Final = 1.2  # from one reading to the next
_MAX_UNMOVED: Final = 0.25  # from where it was verified
_SAME_PLACE: Final = 0.08
_SAME_CARD: Final = 0.5
_REFUTED: Final = ("forged", "foreign")
_REFUTED_S: Final = 2.0  # remembered for this long after it was last seen, and after a cut


@dataclass(frozen=True, slots=True)
class _Known:
    """A verified card: where and when its code was last read, and where and when it was last seen."""

    deck: str | None
    verified_at: Point
    verified: float
    center: Point
    t: float


@dataclass(frozen=True, slots=True)
class _Refuted:
    """A forged or foreign card; `is_cut` once another card may lie in its place."""

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
        """Whether a card known by tag only may be this one."""
        is_named = any(number in self.tags for number in card.tags) or not self.tags
        return is_named and _distance(card.center, self.center) < _SAME_CARD * self.side


class Continuity:
    """Tracks verified cards from frame to frame.

    Args:
        trust_s: how long a card that has moved away from where its code was read stays verified without its code. A
            card that was only covered in its place stays verified for as long as it is seen.
    """

    def __init__(self, trust_s: float = 2.0) -> None:
        self.trust_s = trust_s
        self._known: dict[str, _Known] = {}
        self._refuted: list[_Refuted] = []

    def cut(self, t: float) -> None:
        """Forget all verified cards: the next picture does not continue the previous one."""
        self._known = {}
        self._refuted = [replace(r, is_cut=True, t=t) for r in self._refuted]

    def follow(
        self, cards: Sequence[CardSighting], t: float, contradicted: Collection[str] = ()
    ) -> tuple[CardSighting, ...]:
        """Return the cards; those known by tag that were verified here a moment ago become `ok`.

        A card in the place of a forged or foreign one is left out for a while if only its tag was read since a cut.

        Args:
            contradicted: ids of cards in whose place other code modules are visible now.
        """
        self._refuted = [replace(r, is_cut=True, t=t) if r.id in contradicted else r for r in self._refuted]
        self._known = {k: v for k, v in self._known.items() if k not in contradicted or _moves(cards, k, v)}
        count = Counter(c.id for c in cards)
        out = [self._tracked(c, t) if count[c.id] == 1 else c for c in cards]
        for before, card in zip(cards, out, strict=True):
            if card.id is not None and card.status == "ok" and card.visible > 0:
                self._known[card.id] = self._updated(card, before.status == "ok", t)
        self._known = {k: v for k, v in self._known.items() if t - v.t <= _MEMORY_S}
        return self._with_refuted(out, t)

    def _tracked(self, card: CardSighting, t: float) -> CardSighting:
        known = self._known.get(card.id or "")
        if card.status != "tag" or known is None or card.outline is None or t - known.t > _MEMORY_S:
            return card
        side = side_of(card.outline)
        unmoved = _distance(card.center, known.verified_at) < _MAX_UNMOVED * side
        if _distance(card.center, known.center) > _MAX_STEP * side or not (
            unmoved or t - known.verified <= self.trust_s
        ):
            return card
        return replace(card, status="ok", deck=known.deck)

    def _updated(self, card: CardSighting, verified: bool, t: float) -> _Known:
        before = self._known.get(card.id or "")
        if verified or before is None:
            center = card.center
            return _Known(card.deck, center, t, center, t)
        return replace(before, center=card.center, t=t)

    # ---- forged and foreign cards

    def _with_refuted(self, cards: Sequence[CardSighting], t: float) -> tuple[CardSighting, ...]:
        """Return the cards; those known by tag in the place of a forged or foreign card get its status."""
        self._refuted = [r for r in self._refuted if t - r.t <= _REFUTED_S]
        out: list[CardSighting] = []
        for card in cards:
            known = next((r for r in self._refuted if card.status == "tag" and r.may_be(card)), None)
            if known is None:
                out.append(card)
            elif not known.is_cut:
                out.append(replace(card, status=known.status, deck=known.deck))
        self._note_refuted(out, t)
        return tuple(out)

    def _note_refuted(self, cards: Sequence[CardSighting], t: float) -> None:
        judged = [c for c in cards if c.status == "ok" or c.status in _REFUTED]
        for card in judged:
            known = self._known.get(card.id or "")
            if known is not None and card.status in _REFUTED and _distance(card.center, known.center) < _side(card) / 2:
                del self._known[card.id or ""]  # another card lies there now
        kept = [r for r in self._refuted if not any(_distance(c.center, r.center) < r.side / 2 for c in judged)]
        self._refuted = kept + [_Refuted.of(c, t) for c in judged if c.status in _REFUTED]


def _moves(cards: Sequence[CardSighting], id_: str, known: _Known) -> bool:
    """Whether the card is seen anywhere but exactly where it was verified."""
    here = [c for c in cards if c.id == id_ and c.outline is not None]
    return not any(_distance(c.center, known.verified_at) < _SAME_PLACE * _side(c) for c in here)


def _side(card: CardSighting) -> float:
    return side_of(card.outline or card.corners)


def _distance(a: Point, b: Point) -> float:
    return math.dist(a, b)
