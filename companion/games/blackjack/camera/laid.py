"""What lies on the blackjack mat, held against what the table knows. Pure.

Each known card is looked for in its box; whatever is left over has to mean something new, or be asked about.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from companion.games.blackjack.mats.places import BOX, DEALER, PILES
from companion.games.blackjack.state import Place, State
from companion.objects.geometry import POKER
from companion.tracking.cards.hands import touch
from companion.tracking.cards.observations import Lying, TrackedTable
from companion.tracking.cards.zones import area

_CARD_SIZED: Final = (0.7, 1.3)
_CARD_MM2: Final = POKER.width * POKER.height
_SAME_PLACE: Final = 0.8
Ranks: TypeAlias = Mapping[int, tuple[bool, bool]]
"""Of each track whether it may count, and whether it has."""


@dataclass(slots=True)
class Laid:
    """The cards on the mat.

    Attributes:
        hands: of each hand, by box and place, the known cards that are seen or were seen under others.
        dealer: the dealer's known cards.
        hole: the face-down card.
        extras: cards that the table does not know, the first to come to rest first.
        missing: known cards that are not seen where they belong, each with its zone.
    """

    hands: dict[Place, list[Lying]] = field(default_factory=dict)
    dealer: list[Lying] = field(default_factory=list)
    hole: Lying | None = None
    extras: list[Lying] = field(default_factory=list)
    missing: list[tuple[str, str]] = field(default_factory=list)

    @property
    def known(self) -> Iterator[Lying]:
        """Return every card that stands for one the table knows."""
        for hand in self.hands.values():
            yield from hand
        yield from self.dealer


def held_against(tracked: TrackedTable, state: State, ignored: Set[int], counted: Set[int]) -> Laid:
    """Return what lies on the mat, held against a state.

    Args:
        ignored: tracks of what does not count.
        counted: tracks of what has counted in this round.
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


def is_face_down(card: Lying) -> bool:
    """Say whether something of a card's size lies there that cannot be read."""
    return card.status == "unreadable" and card.id is None


def lies_in(card: Lying, zone: str) -> bool:
    """Say whether a card lies in a zone, or half in it."""
    return card.zone == zone or zone in card.astride


def _may_count(card: Lying) -> bool:
    """Say whether something may be a card in play: on the mat, in no pile, of a card's size."""
    if card.on_mat is None or card.zone in PILES or (card.zone is None and not card.astride and card.id is None):
        return False
    low, high = _CARD_SIZED
    return card.id is not None or (low <= area(card.on_mat) / _CARD_MM2 <= high and not card.is_absent)


def taken_up(tracked: TrackedTable) -> set[int]:
    """Return the tracks of cards that were taken up, or turned face down where they lay: nothing of them is seen."""
    backs = {card.track for card in tracked.lying if is_face_down(card)}
    return {
        card.track
        for card in tracked.lying
        if card.is_absent and (card.where == "hidden" or (card.is_under and card.cover in backs))
    }


def _found(cards: Sequence[str], zone: str, free: list[Lying], ranks: Ranks, laid: Laid) -> list[Lying]:
    """Take known cards from those that lie there.

    Of two that are equal: one that does not count last, one that has counted first, else the one that lies on the rest
    of its hand.
    """
    hand: list[Lying] = []
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


def _touches(card: Lying, hand: Sequence[Lying], named: Sequence[Lying]) -> tuple[float, float]:
    """Return how much of a card lies on what was found of its hand, and on cards that may belong to it."""
    return touch(card, hand), touch(card, [one for one in named if one is not card])


def lies_just_on(card: Lying, other: Lying) -> bool:
    """Say whether a card lies just where another does, or did."""
    return touch(card, (other,)) >= _SAME_PLACE
