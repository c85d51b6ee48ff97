"""Exact probabilities that the next card from the deck cuts each suit of Rochi, given the face-up cards.

All other cards are unseen: the rest of the deck, the hands, the discarded hands of folded players. Given only the open
cards, every unseen card is equally likely to be on top of the deck; the number of cards in hands does not matter, since
a card is equally likely to be in any unseen place (the hypergeometric argument for a single draw). So the next card
cuts a ripe suit with probability

    unseen cards of the suit / all unseen cards

and any other suit with 0. Players may know more: in Captain's Rochi, which discards were shuffled back into the deck;
or what a play reveals about a hand.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from typing_extensions import TypedDict

from companion.games.rochi import state as rochi
from companion.games.rochi.board import Stacks
from companion.games.rochi.captains import state as captains
from companion.odds.bet_odds import fraction_text


class CutChanceJson(TypedDict):
    suit: int
    probability: str
    float: float
    locks: bool


"""JSON form of `CutChance`."""


@dataclass(frozen=True, slots=True)
class CutChance:
    """Probability that the next dealt card cuts a suit; ``locks``: it is unclaimed, so it would be locked instead."""

    suit: int
    probability: Fraction
    locks: bool

    def to_json(self) -> CutChanceJson:
        """Return the chance."""
        text = fraction_text(self.probability)
        return {"suit": self.suit, "probability": text, "float": float(self.probability), "locks": self.locks}


def cut_chances(stacks: Stacks, gone: Sequence[str] = ()) -> tuple[CutChance, ...]:
    """Return the probabilities of all suits, lowest first.

    Args:
        gone: face-up cards on the discard pile.
    """
    unseen = {stack.suit: 2 * stack.suit - len(stack.open_cards) for stack in stacks}
    for card in gone:
        unseen[int(card[0])] -= 1
    total = sum(unseen.values())
    return tuple(
        CutChance(
            stack.suit,
            Fraction(unseen[stack.suit], total) if stack.is_ripe and total else Fraction(0),
            stack.owner is None and not stack.is_locked,
        )
        for stack in stacks
    )


def next_cuts(state: rochi.State) -> tuple[CutChance, ...]:
    """Return the probabilities for Rochi; empty if no card can be dealt."""
    is_open = state.phase in (rochi.Phase.TURNS, rochi.Phase.LAST_PLAYER)
    return cut_chances(state.hand.stacks, state.hand.gone) if is_open else ()


def next_captains_cuts(state: captains.State) -> tuple[CutChance, ...]:
    """Return the probabilities for Captain's Rochi; empty if no card can be dealt."""
    is_open = state.phase is captains.Phase.TURNS and state.deck > 0
    return cut_chances(state.stacks, state.discards) if is_open else ()
