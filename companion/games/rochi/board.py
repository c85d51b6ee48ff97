"""Stacks of Rochi and Captain's Rochi: the face-up cards of each suit, and its owner.

A suit of rank r has 2r cards and is cut by r of them in its stack. Source: "Each Turn" to "Locked Suits" of the Rochi
rules 1.3, with rulings 3 and 4 on Rochi.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

from companion.games.roche.paytable import RocheDeck
from companion.games.roche_deck.design import FULL_DECK, RED_DECK, RED_RANKS
from companion.kernel.errors import CardSeen, UnknownCard
from companion.kernel.values import changed, quick
from companion.objects.cards import RANKS as FULL_RANKS
from companion.objects.cards import SUIT_CARDS

RANKS: Final[dict[RocheDeck, tuple[int, ...]]] = {"full": FULL_RANKS, "red": RED_RANKS}
SUIT_OF: Final[dict[RocheDeck, dict[str, int]]] = {
    "full": {card: SUIT_CARDS[card].rank for card in FULL_DECK},
    "red": {card: SUIT_CARDS[card].rank for card in RED_DECK},
}
"""The suit of each card of a deck: 54 of them, or 50 without the Mages."""


@quick
class Shield:
    """A card in front of a player, played when its suit was ripe."""

    holder: str
    card: str


@quick
class Stack:
    """One suit on the table: its cards in the order they came, its token's owner, its lock and its Shields.

    >>> kin = Stack(6, ("6D1", "6D2", "6D3", "6D4", "6D5"), owner="Benedict")
    >>> kin.is_ripe, kin.price_for("Aubrey"), kin.with_played("6D6", "Aubrey").shields
    (True, 5, (Shield(holder='Benedict', card='6D6'),))
    """

    suit: int
    cards: tuple[str, ...] = ()
    owner: str | None = None
    is_locked: bool = False
    shields: tuple[Shield, ...] = ()

    @property
    def is_ripe(self) -> bool:
        """Whether the suit is one card short of its cut."""
        return not self.is_locked and len(self.cards) == self.suit - 1

    @property
    def is_cut(self) -> bool:
        """Whether an owned suit has r cards in its stack."""
        return self.owner is not None and len(self.cards) == self.suit

    def price_for(self, player: str) -> int:
        """Return what a card played here costs: the number of cards in the stack after the play.

        A ripe stack takes no played card, so it costs r - 1. A locked suit, and one's own, cost nothing.
        """
        if self.is_locked or self.owner == player:
            return 0
        return min(len(self.cards) + 1, self.suit - 1)

    def shield_for(self, player: str) -> str | None:
        """Return who gets a card played here as a Shield; None if it goes into the stack.

        That is the previous owner, or the player if the suit is unclaimed or already theirs.
        """
        return (self.owner or player) if self.is_ripe else None

    def with_played(self, card: str, player: str) -> Stack:
        """Return the stack after a card from a player's hand. It can never cut the suit."""
        if self.is_locked:
            return changed(self, cards=(*self.cards, card))
        if self.is_ripe:
            shield = Shield(self.owner or player, card)
            return Stack(self.suit, self.cards, player, False, (*self.shields, shield))
        return Stack(self.suit, (*self.cards, card), player, False, self.shields)

    def with_dealt(self, card: str) -> Stack:
        """Return the stack after a card from the deck. One that brings an unclaimed suit to r locks it."""
        cards = (*self.cards, card)
        locks = self.is_locked or (self.owner is None and len(cards) == self.suit)
        return Stack(self.suit, cards, self.owner, locks, self.shields)

    def without(self, player: str) -> Stack:
        """Return the stack without a folded player's token and Shields."""
        if self.owner != player and not self.shields_of(player):
            return self
        owner = None if self.owner == player else self.owner
        return changed(self, owner=owner, shields=tuple(s for s in self.shields if s.holder != player))

    def shields_of(self, player: str) -> int:
        """Return the number of a player's Shields of this suit."""
        return sum([shield.holder == player for shield in self.shields]) if self.shields else 0

    @property
    def open_cards(self) -> tuple[str, ...]:
        """All face-up cards of the suit: the stack, then the Shields."""
        return (*self.cards, *(shield.card for shield in self.shields)) if self.shields else self.cards


Stacks = tuple[Stack, ...]
"""All suits in play, the lowest first."""


@cache
def fresh_stacks(deck: RocheDeck) -> Stacks:
    """Return empty, unclaimed stacks for every suit of a deck."""
    return tuple(Stack(rank) for rank in RANKS[deck])


def stack_of(stacks: Stacks, suit: int) -> Stack:
    """Return the stack of a suit in play."""
    return stacks[suit - stacks[0].suit]


def with_stack(stacks: Stacks, stack: Stack) -> Stacks:
    """Return the stacks with one of them in its new state."""
    at = stack.suit - stacks[0].suit
    return (*stacks[:at], stack, *stacks[at + 1 :])


def checked_stack(stacks: Stacks, deck: RocheDeck, card: str, gone: Sequence[str]) -> Stack:
    """Return the stack that a card belongs to.

    Args:
        gone: face-up cards on the discard pile.

    Raises:
        UnknownCard: the deck in play has no such card.
        CardSeen: the card is already on the table or the discard pile.
    """
    suit = SUIT_OF[deck].get(card)
    if suit is None:
        raise UnknownCard.saying(
            "{card} is not in this deck. Take it off the table and use another card.", card=repr(card)
        )
    stack = stack_of(stacks, suit)
    if card in stack.open_cards:
        raise CardSeen.saying(
            "{card} lies on the table already. Take one of the two cards away, or undo the wrong one.", card=card
        )
    if card in gone:
        raise CardSeen.saying(
            "{card} was discarded already. Take one of the two cards away, or undo the wrong one.", card=card
        )
    return stack


def locked_suits(stacks: Stacks) -> tuple[int, ...]:
    """Return the suits that nobody can buy or win, the lowest first."""
    return tuple(stack.suit for stack in stacks if stack.is_locked)


def owned_by(stacks: Stacks, player: str) -> tuple[Stack, ...]:
    """Return the stacks of the suits a player owns."""
    return tuple(stack for stack in stacks if stack.owner == player)


def condition(stack: Stack, gone: Sequence[str] = ()) -> str:
    """Return a suit's condition, from face-up cards only.

    ``cut``; ``locked``; ``dead`` (too many cards are Shields or gone for it to be cut); ``rotten`` (a quarter of the
    suit or more are Shields or gone); ``ripe``; ``fresh`` (unclaimed, with at most one card); ``open``. The first
    that applies is returned.

    Args:
        gone: discarded cards that do not come back.

    >>> mages = Stack(2, ("2D1",), "Ann", False, (Shield("Bo", "2D2"), Shield("Bo", "2N1")))
    >>> condition(mages), condition(mages, gone=("2N2",))
    ('rotten', 'dead')
    """
    if stack.is_cut:
        return "cut"
    if stack.is_locked:
        return "locked"
    away = len(stack.shields) + sum(int(card[0]) == stack.suit for card in gone)
    if away > stack.suit:  # of 2r cards, fewer than r are left for the stack
        return "dead"
    if 2 * away >= stack.suit:
        return "rotten"
    if stack.is_ripe:
        return "ripe"
    return "fresh" if stack.owner is None and len(stack.cards) <= 1 else "open"
