"""The exact odds compared with simulated rounds."""

from collections.abc import Iterable

import numpy as np
import pytest

from companion.games.blackjack.odds.cards import Counts, counts_of, full_shoe
from companion.games.blackjack.odds.command import ask
from companion.games.blackjack.odds.dealer import dealer_outcomes
from companion.games.blackjack.odds.edges import deviation, edges, every_rule_set
from companion.games.blackjack.odds.hands import lattice
from companion.games.blackjack.odds.play import HIT, STAND, Actions, draw_chances, play, stand_worth
from companion.games.blackjack.odds.rule_set import RuleSet
from companion.games.blackjack.odds.simulation import BLOCK, Plan, Rounds, deviation_of, plan_of
from companion.games.blackjack.odds.solver import solved
from companion.games.blackjack.odds.strategy import Action

MAX_ERROR = 4.5
"""Tolerance in standard errors, exceeded by chance once in 150,000 tests."""


def errors_off(figures: Iterable[np.ndarray], expected: float) -> float:
    found = np.concatenate(list(figures))
    return float((found.mean() - expected) / (found.std() / len(found) ** 0.5))


@pytest.mark.thorough
@pytest.mark.parametrize("rules", [RuleSet(), RuleSet(1, "hit", "early", "one-card")])
def test_dealt_rounds_come_to_the_edge(rules: RuleSet) -> None:
    check_edge(rules, 3)


@pytest.mark.slow
@pytest.mark.parametrize("rules", [RuleSet(), RuleSet(1, "hit"), RuleSet(2, "stand", "none", "one-card"), RuleSet(8)])
def test_many_dealt_rounds_come_to_the_edge(rules: RuleSet) -> None:
    check_edge(rules, 300)


def check_edge(rules: RuleSet, blocks: int) -> None:
    plan = plan_of(rules)
    random = np.random.default_rng(19)
    dealt = [Rounds(rules, plan, BLOCK, random).deal() for _ in range(blocks)]
    found = edges(rules)
    for figure, expected in enumerate((-found.edge, found.win, found.lose)):
        assert abs(errors_off((one[figure] for one in dealt), expected)) < MAX_ERROR


@pytest.mark.parametrize("rules", [RuleSet(), RuleSet(1, "hit", "early", "one-card")])
def test_dealt_rounds_spread_as_is_kept(rules: RuleSet) -> None:
    """With other random numbers than in the measurement; 200,000 rounds are precise to about 0.2 %."""
    assert deviation_of(rules, 3, np.random.default_rng(23)) == pytest.approx(deviation(rules), rel=0.01)


def test_how_far_rounds_spread_is_kept_for_every_rule_set() -> None:
    """A single hand of one coin ends between -1 and 1.5; doubles and splits make it more."""
    assert all(1.08 < deviation(rules) < 1.22 for rules in every_rule_set())


@pytest.mark.parametrize(("value", "up"), [(0, 5), (7, 9), (1, 4), (2, 6), (8, 7)])
def test_dealt_splits_come_to_what_a_split_is_worth(value: int, up: int) -> None:
    """A single deck, where single cards matter most; with resplits up to four hands."""
    rules = RuleSet(decks=1, soft17="hit")
    plan, random = plan_of(rules), np.random.default_rng(7)
    dealt = [Rounds(rules, plan, BLOCK, random).deal(up, value) for _ in range(2)]
    for figure, expected in enumerate(solved(rules)[up].splits[value].worth):
        assert abs(errors_off((one[figure] for one in dealt), expected)) < MAX_ERROR


def test_the_command_simulates() -> None:
    asked = ask("", [])
    wins = asked.simulate(200_000, np.random.default_rng(3), lambda done: None)
    for bet in asked.odds():
        chance = float(bet.probability)
        assert abs(wins[bet.on] - 200_000 * chance) < MAX_ERROR * (200_000 * chance * (1 - chance)) ** 0.5


# ---- the approximation: memory of the earlier hands of a split is ignored


@pytest.mark.slow
def test_memory_of_the_earlier_hands_of_a_split_is_worth_next_to_nothing() -> None:
    """Each hand of dealt splits is solved again with all cards known, which gains less than 0.005 % of a bet."""
    rules = RuleSet(decks=2)
    gained, error = value_of_memory(rules, 40)
    assert gained + 3 * error < 5e-5
    assert gained > 0


def value_of_memory(rules: RuleSet, splits: int) -> tuple[float, float]:
    """Return the mean gain of a bet if each hand of a split is played with all cards known, and its standard error.

    Args:
        splits: number of deals per pair and up-card against which it is split.
    """
    plan, random = plan_of(rules), np.random.default_rng(1)
    mean = variance = 0.0
    for up, one in enumerate(solved(rules)):
        offered = one.offered(one.worths, rules.surrender, rules.split_aces)
        names: list[Action] = list(offered)
        best = np.stack([offered[name][0] for name in names]).argmax(axis=0)
        for deal, chance, action in zip(one.deals, one.chances, best, strict=True):
            if names[action] == "split":
                value = deal.hand.index(2)
                gains = [gain_of_split(rules, plan, up, value, random) for _ in range(splits)]
                mean += chance * float(np.mean(gains))
                variance += (chance * float(np.std(gains))) ** 2 / splits
    return mean, variance**0.5


def gain_of_split(rules: RuleSet, plan: Plan, up: int, value: int, random: np.random.Generator) -> float:
    """Deal one split; return the total gain of its hands from knowing the hands before them."""
    shoe = np.array(full_shoe(rules.decks)) - np.array(counts_of(up, value, value))

    def draw() -> int:
        card = int(random.choice(10, p=shoe / shoe.sum()))
        shoe[card] -= 1
        return card

    gain, waiting, there = 0.0, 2, 2
    while waiting:
        second = draw()
        while second == value and there < plan.most[up, value]:
            waiting, there, second = waiting + 1, there + 1, draw()
        actions = plan.split[int(second == value), up, value]
        hand = counts_of(value, second)
        gain += gain_of_hand(rules, hand, up, shoe.astype(float), actions)
        row = lattice().find(hand)
        while row < len(lattice()) and actions[row] != STAND:
            doubled = actions[row] != HIT
            row = int(lattice().after[row, draw()])
            if doubled:
                break
        waiting -= 1
    return gain


def gain_of_hand(rules: RuleSet, hand: Counts, up: int, left: np.ndarray, actions: Actions) -> float:
    hands = lattice(hand)
    dealer = dealer_outcomes(up, rules.soft17 == "hit", left - hands.extra)
    chances, stand = draw_chances(hands, left[np.newaxis]), stand_worth(hands.totals, dealer[np.newaxis])[:1]
    forgetful = actions[(lattice().counts >= hand).all(axis=1)]
    known, unknown = play(hands, chances, stand), play(hands, chances, stand, forced=forgetful)
    return float(known.best[0, 0, -1] - unknown.best[0, 0, -1])
