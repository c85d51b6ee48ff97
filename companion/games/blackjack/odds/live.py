"""Live odds: what the box to act may do, and what each of it is worth with every card on the table known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from companion.games.blackjack.odds.cards import ACE, TEN, counted, counts_of, full_shoe, value_of
from companion.games.blackjack.odds.dealer import BLACKJACK, dealer_outcomes
from companion.games.blackjack.odds.deals import surrendered
from companion.games.blackjack.odds.hands import Floats, lattice
from companion.games.blackjack.odds.play import Played, draw_chances, play, stand_worth
from companion.games.blackjack.odds.rule_set import MOST_HANDS, RuleSet
from companion.games.blackjack.odds.splits import Pair, gone_cards, split
from companion.games.blackjack.odds.strategy import Action

OUTCOMES: Final = ("17", "18", "19", "20", "21", "blackjack", "bust")


@dataclass(frozen=True, slots=True)
class Choice:
    """One action and what it is worth, if the hand is played best afterwards.

    Attributes:
        coins: won on average for each coin of the hand's stake; below zero they are lost.
        win, push, lose: chances; of a split, for one of its hands, any. A surrendered hand is lost.
    """

    action: Action
    coins: float
    win: float
    push: float
    lose: float


@dataclass(frozen=True, slots=True)
class LiveOdds:
    """What a hand can do now.

    Attributes:
        choices: the allowed actions, the best first.
        dealer: chances of 17 to 21, ``blackjack`` and ``bust``.
        insurance: what each coin of insurance wins on average; None if the dealer's card is no ace.
    """

    choices: tuple[Choice, ...]
    dealer: Mapping[str, float]
    insurance: float | None

    @property
    def best(self) -> Action:
        """The hint."""
        return self.choices[0].action


def live_odds(
    rules: RuleSet,
    hand: Sequence[str],
    up: str,
    seen: Iterable[str] = (),
    *,
    allowed: Collection[str],
    hands: int = 1,
) -> LiveOdds:
    """Return what a hand's actions are worth.

    Exact for the cards seen; a split as in `companion.games.blackjack.odds.splits`. Another hand of the same bet that
    waits for a card, and may be split itself, is not taken into account.

    Args:
        hand: its cards, such as ["TS", "6D"].
        up: the dealer's card.
        seen: all other cards on the table: of other boxes, of the bet's other hands, burnt face up.
        allowed: the verbs that are possible now; others may be among them.
        hands: how many hands the bet has.

    Raises:
        ValueError: nothing is allowed, or a card was seen more often than it is in the shoe.
    """
    known = (*hand, up, *seen)
    card, times = Counter(known).most_common(1)[0]
    if times > rules.decks:
        raise ValueError(f"{card} was seen {times} times in {rules.decks} decks")
    left = np.array(full_shoe(rules.decks), float) - np.array(counted(known))
    played, dealer = _played(rules, hand, up, left)
    root = {"stand": played.stand, "hit": played.hit, "double": played.double}
    worths: dict[Action, Floats] = {
        action: root[action][:, 0, -1] for action in ("stand", "hit", "double") if action in allowed
    }
    if "split" in allowed:
        ranks = Counter(card[0] for card in known)
        worths["split"] = _split_worth(
            rules, hand, up, left, 4 * rules.decks - ranks[hand[0][0]], MOST_HANDS + 1 - hands
        )
    if "surrender" in allowed:
        worths["surrender"] = surrendered(dealer[BLACKJACK : BLACKJACK + 1], rules.surrender)[:, 0]
    if not worths:
        raise ValueError(f"none of the actions is allowed: {', '.join(sorted(allowed)) or 'nothing is'}")
    choices = [
        Choice(action, float(coins), float(win), max(float(1 - win - lose), 0.0), float(lose))
        for action, (coins, win, lose) in worths.items()
    ]
    choices.sort(key=lambda choice: -choice.coins)
    insurance = float(3 * left[TEN] / left.sum() - 1) if value_of(up) == ACE else None
    return LiveOdds(tuple(choices), dict(zip(OUTCOMES, dealer.tolist(), strict=True)), insurance)


def _played(rules: RuleSet, hand: Sequence[str], up: str, left: Floats) -> tuple[Played, Floats]:
    """Return the worth of hit, stand and double in all hands that this one can become, and the dealer's chances."""
    hands = lattice(counted(hand))
    dealer = dealer_outcomes(value_of(up), rules.soft17 == "hit", left - hands.extra)
    stand = stand_worth(hands.totals, dealer[np.newaxis])
    return play(hands, draw_chances(hands, left[np.newaxis]), stand), dealer[-1]


def _split_worth(rules: RuleSet, hand: Sequence[str], up: str, left: Floats, same: int, most: int) -> Floats:
    value = value_of(hand[0])
    one_card = value == ACE and rules.split_aces == "one-card"
    most = 2 if one_card else most
    sets, rows = gone_cards(value, most)
    dealer = dealer_outcomes(value_of(up), rules.soft17 == "hit", left - sets)
    stand = stand_worth(lattice(counts_of(value)).totals, dealer[rows])
    return split(Pair(value, left, same, stand, hands=most, one_card=one_card)).worth
