"""Monte Carlo simulation of blackjack, card by card from real shoes, to check the exact odds.

Run after changing the rules: python -m companion.games.blackjack.odds.simulation, which measures the standard deviation
of a round for every rule set.

Hands follow the solver's play, one after the other as at a table, with the cards of earlier ones removed.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from companion.games.blackjack.odds.bets import HAND, INSURANCE
from companion.games.blackjack.odds.cards import ACE, LIMIT, TEN, VALUES, counts_of, full_shoe
from companion.games.blackjack.odds.edges import DEVIATIONS, every_rule_set, key_of
from companion.games.blackjack.odds.hands import Floats, Ints, lattice
from companion.games.blackjack.odds.play import DOUBLE, HIT, STAND, Actions
from companion.games.blackjack.odds.rule_set import MAX_HANDS, RuleSet
from companion.games.blackjack.odds.solver import solved
from companion.games.blackjack.odds.strategy import Action

BLOCK: Final = 65_536
SPLIT: Final = 3
SURRENDER: Final = 4
_CODES: Final[dict[Action, int]] = {
    "stand": STAND,
    "hit": HIT,
    "double": DOUBLE,
    "split": SPLIT,
    "surrender": SURRENDER,
}
_NATURAL_TOTAL: Final = LIMIT + 1
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """The solver's strategy as tables over the hands of `lattice()`; the up-card is the first axis unless noted.

    Attributes:
        first: int (10, H), action with the first two cards.
        later: int (10, H), action in an unsplit hand.
        split: int (2, 10, 10, H), action after a split: second card of another or the same rank, up-card, pair.
        most: int (10, 10), number of hands up to which a pair is split.
    """

    first: Actions
    later: Actions
    split: Actions
    most: Ints


def plan_of(rules: RuleSet) -> Plan:
    """Return the optimal plan for a rule set."""
    every = lattice()
    first, later = (np.zeros((VALUES, len(every)), np.int8) for _ in range(2))
    split = np.zeros((2, VALUES, VALUES, len(every)), np.int8)
    most = np.full((VALUES, VALUES), 2)
    for up, one in enumerate(solved(rules)):
        later[up] = one.actions
        offered = one.offered(one.worths, rules.surrender, rules.split_aces)
        names = list(offered)
        best = np.stack([offered[name][0] for name in names]).argmax(axis=0)
        for deal, action in zip(one.deals, best, strict=True):
            first[up, every.find(deal.hand)] = _CODES[names[action]]  # of two ten-values, the last: no pair
        for value, play in enumerate(one.splits):
            one_card = value == ACE and rules.split_aces == "one-card"
            chosen = one.one_card if one_card else play
            most[up, value] = chosen.most
            split[0, up, value, every.counts[:, value] > 0] = chosen.actions
            split[1, up, value, every.counts[:, value] > 1] = chosen.paired
    return Plan(first, later, split, most)


class Rounds:
    """A batch of rounds, each dealt from its own shoe."""

    def __init__(self, rules: RuleSet, plan: Plan, count: int, random: np.random.Generator) -> None:
        self._rules, self._plan, self._random = rules, plan, random
        self._every = lattice()
        self._shoes = np.tile(np.array(full_shoe(rules.decks)), (count, 1))
        self._single = np.array([self._every.find(counts_of(value)) for value in range(VALUES)])
        self._all = np.arange(count)
        self.totals = np.zeros((count, MAX_HANDS), np.int64)
        "Total of each hand; 0 for a bust."
        self.stakes = np.zeros((count, MAX_HANDS))
        "Stake of each hand in coins; 0 for unused slots."

    def deal(self, up: int | None = None, pair: int | None = None) -> tuple[Floats, Floats, Floats]:
        """Deal the rounds, optionally all with a given up-card and a given pair that is split.

        Returns:
            Three float (B): coins won, share of the round's hands that win, share that lose.
        """
        everybody = self._all
        ups = self._draw(everybody, up)
        hand = self._with(self._single[self._draw(everybody, pair)], self._draw(everybody, pair))
        holes = self._draw(everybody)
        first = self._plan.first[ups, hand]
        if pair is not None:
            first[:] = SPLIT
        natural = (self._every.totals[hand] == LIMIT) & (first != SPLIT)
        first[natural] = STAND
        self.stakes[:, 0] = 1
        one = everybody[first < SPLIT]
        self._play(one, 0, hand[one], self._plan.later[ups[one]])
        self._split(everybody[first == SPLIT], hand, ups)
        surrendered = first == SURRENDER
        dealer = self._dealer(ups, holes)
        return self._settled(dealer, natural, surrendered)

    def _draw(self, who: Ints, value: int | None = None) -> Ints:
        """Draw a card for each round, random or of a given value."""
        drawn = np.full(len(who), value or 0)
        if value is None:
            shoes = self._shoes[who]
            picked = self._random.random(len(who)) * shoes.sum(axis=1)
            drawn = (np.cumsum(shoes, axis=1) <= picked[:, np.newaxis]).sum(axis=1)
        self._shoes[who, drawn] -= 1
        return drawn

    def _with(self, hands: Ints, drawn: Ints) -> Ints:
        return np.asarray(self._every.after[hands, drawn])

    def _play(self, who: Ints, slot: int | Ints, hands: Ints, plan: Actions) -> None:
        """Play one hand of each round by its row of the plan."""
        slots = np.broadcast_to(slot, who.shape)
        rows = np.arange(len(who))
        while who.size:
            actions = plan[rows, hands]
            self.totals[who, slots] = self._every.totals[hands]
            goes_on = actions != STAND
            who, slots, rows, hands, actions = (part[goes_on] for part in (who, slots, rows, hands, actions))
            hands = self._with(hands, self._draw(who))
            self.stakes[who[actions == DOUBLE], slots[actions == DOUBLE]] = 2
            self.totals[who, slots] = np.append(self._every.totals, 0)[hands]
            goes_on = (actions == HIT) & (hands < len(self._every))
            who, slots, rows, hands = (part[goes_on] for part in (who, slots, rows, hands))

    def _split(self, who: Ints, hand: Ints, ups: Ints) -> None:
        values = self._every.counts[hand[who]].argmax(axis=1)
        ups, most = ups[who], self._plan.most[ups[who], values]
        count = np.full(len(who), 2)
        for slot in range(MAX_HANDS):
            here = np.flatnonzero(count > slot)
            second = np.zeros(len(who), np.int64)
            waits = here
            while waits.size:
                second[waits] = self._draw(who[waits])
                again = (second[waits] == values[waits]) & (count[waits] < most[waits])
                waits = waits[again]
                count[waits] += 1
            self.stakes[who[here], slot] = 1
            hands = self._with(self._single[values[here]], second[here])
            is_same = (second[here] == values[here]).astype(np.int64)
            self._play(who[here], slot, hands, self._plan.split[is_same, ups[here], values[here]])

    def _dealer(self, ups: Ints, holes: Ints) -> Ints:
        """Play the dealer's hand of each round; return the totals, 0 for a bust."""
        hands = self._with(self._single[ups], holes)
        is_natural = self._every.totals[hands] == LIMIT
        waits = self._all
        while waits.size:
            now = hands[waits]
            points = np.append(self._every.totals, LIMIT)[now]
            soft = np.append(self._every.is_soft, False)[now]
            draws = (points < 17) | ((points == 17) & soft & (self._rules.soft17 == "hit"))
            waits = waits[draws]
            hands[waits] = self._with(hands[waits], self._draw(waits))
        return np.where(is_natural, _NATURAL_TOTAL, np.append(self._every.totals, 0)[hands])

    def _settled(self, dealer: Ints, natural: Bools, surrendered: Bools) -> tuple[Floats, Floats, Floats]:
        against = dealer[:, np.newaxis]
        is_there = self.stakes > 0
        wins = is_there & (self.totals > 0) & (self.totals > against)
        loses = is_there & ((self.totals == 0) | (self.totals < against))
        wins[natural, 0], loses[natural, 0] = dealer[natural] < _NATURAL_TOTAL, False
        wins[surrendered, 0], loses[surrendered, 0] = False, True
        coins = ((wins * 1.0 - loses) * self.stakes).sum(axis=1)
        coins[natural] *= 1.5
        kept = (dealer < _NATURAL_TOTAL) | (self._rules.surrender == "early")
        coins[surrendered & kept] = -0.5
        hands = is_there.sum(axis=1)
        return coins, wins.sum(axis=1) / hands, loses.sum(axis=1) / hands


def count_wins(
    rules: RuleSet, rounds: int, random: np.random.Generator, progress: Callable[[int], object]
) -> dict[str, int]:
    """Return the number of rounds each bet won; after a split for a random hand, for insurance given an ace."""
    plan = plan_of(rules)
    wins = {HAND: 0, INSURANCE: 0}
    under_ace = np.array(full_shoe(rules.decks)) - np.array(counts_of(ACE))
    for start in range(0, rounds, BLOCK):
        count = min(BLOCK, rounds - start)
        share = Rounds(rules, plan, count, random).deal()[1]
        wins[HAND] += int((random.random(count) < share).sum())
        wins[INSURANCE] += int(random.binomial(count, under_ace[TEN] / under_ace.sum()))
        progress(count)
    return wins


def deviation_of(rules: RuleSet, blocks: int, random: np.random.Generator) -> float:
    """Return the standard deviation of a round's result at one coin, from ``blocks`` blocks of rounds."""
    plan = plan_of(rules)
    return float(np.concatenate([Rounds(rules, plan, BLOCK, random).deal()[0] for _ in range(blocks)]).std())


if __name__ == "__main__":
    measured = {key_of(one): round(deviation_of(one, 4, np.random.default_rng(7)), 3) for one in every_rule_set()}
    lines = (f"{json.dumps(key)}: {figure}" for key, figure in measured.items())
    DEVIATIONS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
