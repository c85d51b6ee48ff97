"""Live odds of the hand to act, given all cards visible on the table."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from companion.games.blackjack.odds.cards import ACE, TEN, Counts, counted, counts_of, full_shoe, value_of
from companion.games.blackjack.odds.dealer import BLACKJACK, dealer_outcomes
from companion.games.blackjack.odds.deals import surrendered
from companion.games.blackjack.odds.hands import Floats, lattice
from companion.games.blackjack.odds.play import Played, draw_chances, play, stand_worth
from companion.games.blackjack.odds.rule_set import MAX_HANDS, RuleSet
from companion.games.blackjack.odds.splits import Pair, gone_cards, split
from companion.games.blackjack.odds.strategy import Action

OUTCOMES: Final = ("17", "18", "19", "20", "21", "blackjack", "bust")


@dataclass(frozen=True, slots=True)
class Choice:
    """An action and its value with optimal play afterwards.

    Attributes:
        coins: expected coins per coin of the hand's stake; negative for a loss.
        win, push, lose: probabilities; after a split, for a random one of its hands. A surrendered hand is lost.
    """

    action: Action
    coins: float
    win: float
    push: float
    lose: float


@dataclass(frozen=True, slots=True)
class LiveOdds:
    """Odds of a hand to act.

    Attributes:
        choices: the allowed actions, best first.
        dealer: probabilities of 17 to 21, ``blackjack`` and ``bust``.
        insurance: expected coins per coin of insurance; None unless the dealer shows an ace.
    """

    choices: tuple[Choice, ...]
    dealer: Mapping[str, float]
    insurance: float | None


def live_odds(
    rules: RuleSet,
    hand: Sequence[str],
    up: str,
    seen: Iterable[str] = (),
    *,
    allowed: Collection[str],
    hands: int = 1,
) -> LiveOdds:
    """Return the odds of a hand's actions.

    Exact for the cards seen; splits as in `companion.games.blackjack.odds.splits`. Other hands of the same bet that
    still wait for a card, and may be split again, are ignored.

    Args:
        hand: its cards, such as ["TS", "6D"].
        up: the dealer's up-card.
        seen: all other visible cards: other boxes, other hands of the bet, face-up burn cards.
        allowed: legal verbs; verbs that are no action are ignored.
        hands: number of hands of the bet.

    Raises:
        ValueError: no action is allowed, or a card was seen more often than the shoe contains it.
    """
    known = (*hand, up, *seen)
    card, times = Counter(known).most_common(1)[0]
    if times > rules.decks:
        raise ValueError(f"{card} was seen {times} times in {rules.decks} decks")
    ranks = Counter(card[0] for card in known)
    left = tuple(a - b for a, b in zip(full_shoe(rules.decks), counted(known), strict=True))
    same = 4 * rules.decks - ranks[hand[0][0]]
    return _live(rules, counted(hand), value_of(up), left, same, frozenset(allowed), MAX_HANDS + 1 - hands)


@lru_cache(maxsize=256)
def _live(
    rules: RuleSet, hand: Counts, up: int, left: Counts, same: int, allowed: frozenset[str], most: int
) -> LiveOdds:
    """Return the odds of the actions; cached, since pages ask repeatedly.

    Args:
        left: the unseen cards.
        same: number of them with the rank of the hand's first card.
        most: maximum number of hands after splits.
    """
    shoe = np.array(left, float)
    played, dealer = _played(rules, hand, up, shoe)
    root = {"stand": played.stand, "hit": played.hit, "double": played.double}
    worths: dict[Action, Floats] = {
        action: root[action][:, 0, -1] for action in ("stand", "hit", "double") if action in allowed
    }
    if "split" in allowed:
        worths["split"] = _split_worth(rules, hand.index(2), up, shoe, same, most)
    if "surrender" in allowed:
        worths["surrender"] = surrendered(dealer[BLACKJACK : BLACKJACK + 1], rules.surrender)[:, 0]
    if not worths:
        raise ValueError(f"none of the actions is allowed: {', '.join(sorted(allowed)) or 'nothing is'}")
    choices = [
        Choice(action, float(coins), float(win), max(float(1 - win - lose), 0.0), float(lose))
        for action, (coins, win, lose) in worths.items()
    ]
    choices.sort(key=lambda choice: -choice.coins)
    insurance = 3 * left[TEN] / sum(left) - 1 if up == ACE else None
    return LiveOdds(tuple(choices), dict(zip(OUTCOMES, dealer.tolist(), strict=True)), insurance)


def _played(rules: RuleSet, hand: Counts, up: int, shoe: Floats) -> tuple[Played, Floats]:
    """Return the worths of hit, stand and double in all reachable hands, and the dealer's outcome probabilities."""
    hands = lattice(hand)
    dealer = dealer_outcomes(up, rules.soft17 == "hit", shoe - hands.extra)
    stand = stand_worth(hands.totals, dealer[np.newaxis])
    return play(hands, draw_chances(hands, shoe[np.newaxis]), stand), dealer[-1]


def _split_worth(rules: RuleSet, value: int, up: int, shoe: Floats, same: int, most: int) -> Floats:
    one_card = value == ACE and rules.split_aces == "one-card"
    most = 2 if one_card else most
    sets, rows = gone_cards(value, most)
    dealer = dealer_outcomes(up, rules.soft17 == "hit", shoe - sets)
    stand = stand_worth(lattice(counts_of(value)).totals, dealer[rows])
    return split(Pair(value, shoe, same, stand, hands=most, one_card=one_card)).worth
