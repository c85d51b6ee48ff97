"""Live odds: what the box to act may do, and what each of it is worth with every card on the table known."""

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
    ranks = Counter(card[0] for card in known)
    left = tuple(a - b for a, b in zip(full_shoe(rules.decks), counted(known), strict=True))
    same = 4 * rules.decks - ranks[hand[0][0]]
    return _live(rules, counted(hand), value_of(up), left, same, frozenset(allowed), MOST_HANDS + 1 - hands)


@lru_cache(maxsize=256)
def _live(
    rules: RuleSet, hand: Counts, up: int, left: Counts, same: int, allowed: frozenset[str], most: int
) -> LiveOdds:
    """Return what the actions are worth: the pages ask again and again.

    Args:
        left: the unseen cards.
        same: how many of them are of the rank of the hand's first card.
        most: into how many hands it may be split.
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
    """Return the worth of hit, stand and double in all hands that this one can become, and the dealer's chances."""
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
