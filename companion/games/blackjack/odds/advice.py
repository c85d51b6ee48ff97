"""What the hand to act can do, and what each of it is worth; for a player's own phone, what basic strategy says.

Reckoned from the cards of this round alone: every round starts from a full shoe.
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
    """One action: coins won on average for each coin of the hand's stake, and its chances."""

    do: Action
    coins: float
    win: float
    push: float
    lose: float


class LiveJson(TypedDict):
    """Whose hand decides, what it can do, the best first, and how the dealer's hand will end."""

    player: str
    hand: int
    choices: Sequence[ChoiceJson]
    dealer: Mapping[str, float]
    insurance: float | None
    "What each coin of insurance wins on average; null where the dealer's card is no ace."


class HintJson(TypedDict):
    """What basic strategy says; a further action is for whoever has too few coins for the one before."""

    hint: Sequence[Action]


def rules_of(rules: Rules) -> RuleSet:
    """Return the rules that odds depend on."""
    return RuleSet(rules.decks, rules.soft17, rules.surrender, rules.split_aces)


def advice(state: State, viewer: str) -> Mapping[str, object]:
    """Return the odds of the hand to act, or on a phone the hint for its own hand; nothing where nobody decides.

    A house that forbids hints shows neither, but to the dealer.

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
    """Return what the hand to act can do. Somebody has to decide."""
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
    from companion.games.blackjack.odds.live import live_odds  # only here: numpy takes a while to load

    hand, box = state.hand, state.box_of(state.turn or "")
    assert hand is not None, "somebody decides"
    assert box is not None, "with a bet"
    up = state.dealer[0]
    others = Counter(state.seen) - Counter((*hand.cards, up))
    return live_odds(
        rules_of(state.rules), hand.cards, up, others.elements(), allowed=choices(state), hands=len(box.hands)
    )


def hint(state: State) -> HintJson:
    """Return what the printed card says for the hand to act. Somebody has to decide."""
    assert state.hand is not None, "somebody decides"
    cell = edges(rules_of(state.rules)).strategy.cell(state.hand.cards, state.dealer[0])
    return {"hint": [action for action in cell if action in choices(state)]}


class NextCard:
    """The chance of one card value: what is left of it in the shoe, from the cards of this round."""

    def __init__(self, value: int, left: int, cards: int) -> None:
        self._value, self._left, self._cards = value, left, cards

    def to_json(self) -> Mapping[str, object]:
        return {"card": _LABELS[self._value], "left": self._left, "float": self._left / self._cards}


def next_cards(state: State) -> Iterable[NextCard]:
    """Return the chance of each card value, the ten-values together: who watches it, counts cards."""
    known = counted(state.seen)
    left = [count - gone for count, gone in zip(full_shoe(state.rules.decks), known, strict=True)]
    return [NextCard(value, left[value], sum(left)) for value in (*range(1, VALUES - 1), TEN, ACE)]
