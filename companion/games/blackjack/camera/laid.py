"""Matches cards on the blackjack mat with the game state. Pure.

Each card of the state is looked up in its box; the rest is new, or becomes a question.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from companion.games.blackjack.mats.places import BOX, DEALER, PILES
from companion.games.blackjack.state import Place, State
from companion.objects.geometry import POKER
from companion.tracking.cards.hands import touch
from companion.tracking.cards.observations import LyingCard, TrackedTable
from companion.tracking.cards.zones import area

_CARD_SIZED: Final = (0.7, 1.3)
_CARD_MM2: Final = POKER.width * POKER.height
_SAME_PLACE: Final = 0.8
Ranks: TypeAlias = Mapping[int, tuple[bool, bool]]
"""Track -> (may count, has counted)."""


@dataclass(slots=True)
class Laid:
    """Cards on the mat, matched with the state.

    Attributes:
        hands: (box index, hand index) -> matched cards, visible or covered.
        dealer: matched cards of the dealer.
        hole: the face-down card, or None.
        extras: unmatched cards, in the order they came to rest.
        missing: (card, zone) of cards in the state that were not found.
    """

    hands: dict[Place, list[LyingCard]] = field(default_factory=dict)
    dealer: list[LyingCard] = field(default_factory=list)
    hole: LyingCard | None = None
    extras: list[LyingCard] = field(default_factory=list)
    missing: list[tuple[str, str]] = field(default_factory=list)

    @property
    def known(self) -> Iterator[LyingCard]:
        """Yield all matched cards."""
        for hand in self.hands.values():
            yield from hand
        yield from self.dealer


def matched_cards(tracked: TrackedTable, state: State, ignored: Set[int], counted: Set[int]) -> Laid:
    """Match the cards on the mat with a state.

    Args:
        ignored: tracks that do not count.
        counted: tracks that have counted in this round.
    """
    ranks = {card.track: (card.track not in ignored, card.track in counted) for card in tracked.lying}
    free = [card for card in tracked.lying if _may_count(card)]
    laid = Laid()
    for number, box in enumerate(state.boxes):
        zone = f"{BOX}{box.seat}"
        for place, hand in enumerate(box.hands):
            laid.hands[number, place] = _found(hand.cards, zone, free, ranks, laid)
    laid.dealer = _found(state.dealer, DEALER, free, ranks, laid)
    if state.has_hole and len(state.dealer) < 2:
        laid.hole = next((card for card in free if is_face_down(card) and card.zone == DEALER), None)
    laid.extras = [card for card in free if card is not laid.hole and card.track not in ignored]
    laid.extras.sort(key=lambda card: (card.rest_since, card.track))
    return laid


def is_face_down(card: LyingCard) -> bool:
    """Whether this is an unreadable card-sized object."""
    return card.status == "unreadable" and card.id is None


def lies_in(card: LyingCard, zone: str) -> bool:
    """Whether a card lies in a zone or across its edge."""
    return card.zone == zone or zone in card.astride


def _may_count(card: LyingCard) -> bool:
    """Whether this may be a card in play: on the mat, outside the piles, and card-sized."""
    if card.on_mat is None or card.zone in PILES or (card.zone is None and not card.astride and card.id is None):
        return False
    low, high = _CARD_SIZED
    return card.id is not None or (low <= area(card.on_mat) / _CARD_MM2 <= high and not card.is_absent)


def taken_up(tracked: TrackedTable) -> set[int]:
    """Return the tracks of cards that were picked up, or turned face down in place."""
    backs = {card.track for card in tracked.lying if is_face_down(card)}
    return {
        card.track
        for card in tracked.lying
        if card.is_absent and (card.where == "hidden" or (card.is_under and card.cover in backs))
    }


def _found(cards: Sequence[str], zone: str, free: list[LyingCard], ranks: Ranks, laid: Laid) -> list[LyingCard]:
    """Remove a hand's cards from ``free`` and return them; add those not found to ``laid.missing``.

    Among duplicates, prefer cards that are not ignored, then cards that counted before, then overlap with the hand.
    """
    hand: list[LyingCard] = []
    named = [card for card in free if card.id in cards and lies_in(card, zone)]
    for name in cards:
        here = [card for card in free if card.id == name and lies_in(card, zone)]
        if not here:
            laid.missing.append((name, zone))
            continue
        card = here[0]
        if len(here) > 1:
            card = max(here, key=lambda one: (*ranks[one.track], *_touches(one, hand, named), -one.rest_since))
        free.remove(card)
        hand.append(card)
    return hand


def _touches(card: LyingCard, hand: Sequence[LyingCard], named: Sequence[LyingCard]) -> tuple[float, float]:
    """Return a card's overlap with the cards found of its hand, and with other candidates."""
    return touch(card, hand), touch(card, [one for one in named if one is not card])


def lies_just_on(card: LyingCard, other: LyingCard) -> bool:
    """Whether a card lies in the same place as another."""
    return touch(card, (other,)) >= _SAME_PLACE
