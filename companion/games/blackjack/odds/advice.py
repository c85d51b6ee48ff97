"""Odds of the hand to act, and the basic strategy hint for a player's own phone.

Computed from the cards of this round only: every round starts with a full shoe.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from typing_extensions import TypedDict

from companion.games.blackjack.odds.cards import ACE, TEN, VALUES, counted, full_shoe
from companion.games.blackjack.odds.edges import edges
from companion.games.blackjack.odds.rule_set import RuleSet
from companion.games.blackjack.odds.strategy import Action
from companion.games.blackjack.state import Rules, State, choices

if TYPE_CHECKING:
    from companion.games.blackjack.odds.live import LiveOdds

_LABELS: Final = ("A", *map(str, range(2, 11)))


class ChoiceJson(TypedDict):
    """An action: expected coins per coin of the hand's stake, and its probabilities."""

    do: Action
    coins: float
    win: float
    push: float
    lose: float


class LiveJson(TypedDict):
    """The hand to act, its actions, best first, and the dealer's outcome probabilities."""

    player: str
    hand: int
    choices: Sequence[ChoiceJson]
    dealer: Mapping[str, float]
    insurance: float | None
    "Expected coins per coin of insurance; null unless the dealer shows an ace."


class HintJson(TypedDict):
    """Basic strategy for the hand; later actions are fallbacks if the player cannot afford the earlier ones."""

    hint: Sequence[Action]


def rules_of(rules: Rules) -> RuleSet:
    """Return the rules relevant to the odds."""
    return RuleSet(rules.decks, rules.soft17, rules.surrender, rules.split_aces)


def advice(state: State, viewer: str) -> Mapping[str, object]:
    """Return the odds of the hand to act, or on a phone the hint for the player's own hand; empty if no one is to act.

    If the house forbids hints, only the dealer gets them.

    Args:
        viewer: ``room``, ``dealer`` or ``seat/3``.
    """
    allowed, box = choices(state), state.box_of(state.turn or "")
    if box is None or not allowed or not (state.rules.hints or viewer == "dealer"):
        return {}
    if not viewer.startswith("seat/"):
        return live(state)
    return hint(state) if viewer == f"seat/{box.seat}" else {}


def live(state: State) -> LiveJson:
    """Return the odds of the hand to act, which must exist."""
    odds = _odds(state)
    return {
        "player": state.turn or "",
        "hand": state.at[1] + 1 if state.at else 0,
        "choices": [
            {"do": one.action, "coins": one.coins, "win": one.win, "push": one.push, "lose": one.lose}
            for one in odds.choices
        ],
        "dealer": odds.dealer,
        "insurance": odds.insurance,
    }


def _odds(state: State) -> LiveOdds:
    from companion.games.blackjack.odds.live import live_odds  # imported here because numpy is slow to load

    hand, box = state.hand, state.box_of(state.turn or "")
    assert hand is not None, "somebody decides"
    assert box is not None, "with a bet"
    up = state.dealer[0]
    others = Counter(state.seen) - Counter((*hand.cards, up))
    return live_odds(
        rules_of(state.rules), hand.cards, up, others.elements(), allowed=choices(state), hands=len(box.hands)
    )


def hint(state: State) -> HintJson:
    """Return the basic strategy for the hand to act, which must exist."""
    assert state.hand is not None, "somebody decides"
    cell = edges(rules_of(state.rules)).strategy.cell(state.hand.cards, state.dealer[0])
    return {"hint": [action for action in cell if action in choices(state)]}


class NextCard:
    """The probability of one card value, from the cards left in the shoe after this round's."""

    def __init__(self, value: int, left: int, cards: int) -> None:
        self._value, self._left, self._cards = value, left, cards

    def to_json(self) -> Mapping[str, object]:
        return {"card": _LABELS[self._value], "left": self._left, "float": self._left / self._cards}


def next_cards(state: State) -> Iterable[NextCard]:
    """Return the probability of each card value, ten-values combined. This is card counting."""
    known = counted(state.seen)
    left = [count - gone for count, gone in zip(full_shoe(state.rules.decks), known, strict=True)]
    return [NextCard(value, left[value], sum(left)) for value in (*range(1, VALUES - 1), TEN, ACE)]
