"""Dealer, play and splits verified by brute force: card by card in table order, on small shoes."""

from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from companion.games.blackjack.odds.cards import ACE, TEN, Counts, counts_of, full_shoe, total
from companion.games.blackjack.odds.dealer import dealer_outcomes
from companion.games.blackjack.odds.hands import Lattice, lattice
from companion.games.blackjack.odds.play import DOUBLE, HIT, STAND, Actions, draw_chances, play, stand_worth
from companion.games.blackjack.odds.splits import Pair, Split, gone_cards, split

SMALL: Counts = (2, 1, 1, 1, 2, 3, 2, 3, 2, 5)
"""A shoe small enough for brute force."""
BLACKJACK, BUST = 22, 0


def without(shoe: Counts, value: int) -> Counts:
    return (*shoe[:value], shoe[value] - 1, *shoe[value + 1 :])


def plus(hand: Counts, value: int) -> Counts:
    return (*hand[:value], hand[value] + 1, *hand[value + 1 :])


@cache
def dealer_ends(hand: Counts, shoe: Counts, hits_soft17: bool) -> dict[int, Fraction]:
    """Return the dealer's outcome probabilities, drawing card by card."""
    points, is_soft = total(hand)
    if points > 21:
        return {BUST: Fraction(1)}
    if points == 21 and sum(hand) == 2:
        return {BLACKJACK: Fraction(1)}
    if points > 17 or (points == 17 and not (is_soft and hits_soft17)):
        return {points: Fraction(1)}
    ends: dict[int, Fraction] = defaultdict(Fraction)
    for value, count in enumerate(shoe):
        if count:
            for end, chance in dealer_ends(plus(hand, value), without(shoe, value), hits_soft17).items():
                ends[end] += chance * Fraction(count, sum(shoe))
    return ends


def paid(points: int, dealer: int) -> int:
    if points > 21:
        return -1
    return (points > dealer) - (points < dealer)


def standing(hand: Counts, up: int, shoe: Counts) -> Fraction:
    ends = dealer_ends(counts_of(up), shoe, False)
    return sum((chance * paid(total(hand)[0], end) for end, chance in ends.items()), Fraction(0))


@cache
def best_play(hand: Counts, up: int, shoe: Counts) -> dict[str, Fraction]:
    """Return the value of each action, by trying every card."""
    if total(hand)[0] > 21:
        return {"bust": Fraction(-1)}
    hit, double = Fraction(0), Fraction(0)
    for value, count in enumerate(shoe):
        if count:
            chance, more, left = Fraction(count, sum(shoe)), plus(hand, value), without(shoe, value)
            later = {action: worth for action, worth in best_play(more, up, left).items() if action != "double"}
            hit += chance * max(later.values())
            double += 2 * chance * (standing(more, up, left) if total(more)[0] <= 21 else -1)
    return {"stand": standing(hand, up, shoe), "hit": hit} | ({"double": double} if sum(hand) == 2 else {})


@pytest.mark.parametrize("hits_soft17", [False, True])
@pytest.mark.parametrize("up", range(10))
def test_dealer_is_the_one_that_draws_card_by_card(up: int, hits_soft17: bool) -> None:
    shoe = without(SMALL, up)
    ends = dealer_ends(counts_of(up), shoe, hits_soft17)
    order = (17, 18, 19, 20, 21, BLACKJACK, BUST)
    found = dealer_outcomes(up, hits_soft17, np.array([shoe, full_shoe(1)], float))
    assert found[0] == pytest.approx([float(ends.get(end, 0)) for end in order], abs=1e-12)
    assert found.sum(axis=1) == pytest.approx(1)


def test_dealer_of_a_single_deck_is_the_one_that_draws_card_by_card() -> None:
    for up in (5, 9):
        ends = dealer_ends(counts_of(up), without(full_shoe(1), up), False)
        found = dealer_outcomes(up, False, np.array([without(full_shoe(1), up)], float))[0]
        assert found[6] == pytest.approx(float(ends[BUST]), abs=1e-12)


@pytest.mark.parametrize("cards", [(4, 5), (ACE, 5), (TEN, 5), (7, 7), (1, 2)])
@pytest.mark.parametrize("up", [ACE, 5, TEN])
def test_hit_stand_and_double_are_those_of_trying_every_card(cards: tuple[int, int], up: int) -> None:
    shoe = SMALL
    for card in (*cards, up):
        shoe = without(shoe, card)
    hands, left = lattice(counts_of(*cards)), np.array(shoe, float)
    dealer = dealer_outcomes(up, False, left - hands.extra)
    found = play(hands, draw_chances(hands, left[np.newaxis]), stand_worth(hands.totals, dealer[np.newaxis]))
    expected = best_play(counts_of(*cards), up, shoe)
    for action, worth in (("stand", found.stand), ("hit", found.hit), ("double", found.double)):
        assert worth[0, 0, -1] == pytest.approx(float(expected[action]), abs=1e-12)


# ---- splits

SPLIT_SHOE: Counts = (1, 0, 1, 0, 2, 0, 0, 4, 3, 7)
"""The shoe without the pair of eights and the up-card, a six."""
EIGHT, SIX = 7, 5
Finished = tuple[tuple[int, int], ...]
"""Total and stake of each hand played."""


def eights(most: int, same: int = 4, shoe: Counts = SPLIT_SHOE, value: int = EIGHT) -> Pair:
    sets, rows = gone_cards(value, most)
    dealer = dealer_outcomes(SIX, False, np.array(shoe, float) - sets)
    stand = stand_worth(lattice(counts_of(value)).totals, dealer[rows])
    return Pair(value, np.array(shoe, float), same, stand, hands=most)


def played_at_the_table(pair: Pair, plan: Split, most: int) -> tuple[float, float]:
    """Split, draw, resplit, and play hand by hand; return expected coins and the probability that a hand wins.

    Args:
        plan: the strategy, by each hand's own cards.
    """
    start = tuple(int(count) for count in pair.shoe)
    ways: dict[tuple[Finished, int, Counts], float] = {((), 2, start): 1.0}
    over: dict[tuple[Finished, Counts], float] = defaultdict(float)
    while ways:
        after: dict[tuple[Finished, int, Counts], float] = defaultdict(float)
        for (finished, waiting, shoe), chance in ways.items():
            for value, left, share in drawn(shoe):
                if value == pair.value and len(finished) + waiting < most:
                    after[finished, waiting + 1, left] += chance * share
                    continue
                actions, root = (
                    (plan.paired, counts_of(value, value))
                    if value == pair.value
                    else (plan.actions, counts_of(pair.value))
                )
                for hand, rest, part in hand_ends(plus(counts_of(pair.value), value), left, actions, lattice(root)):
                    now = tuple(sorted((*finished, hand)))
                    if waiting == 1:
                        over[now, rest] += chance * share * part
                    else:
                        after[now, waiting - 1, rest] += chance * share * part
        ways = after
    coins = wins = 0.0
    for (finished, shoe), chance in over.items():
        for end, share in dealer_ends(counts_of(SIX), shoe, False).items():
            signs = [paid(points, end) for points, _ in finished]
            coins += chance * float(share) * sum(s * stake for s, (_, stake) in zip(signs, finished, strict=True))
            wins += chance * float(share) * signs.count(1) / len(finished)
    return coins, wins


def drawn(shoe: Counts) -> list[tuple[int, Counts, float]]:
    return [(value, without(shoe, value), count / sum(shoe)) for value, count in enumerate(shoe) if count]


def hand_ends(
    hand: Counts, shoe: Counts, actions: Actions, hands: Lattice
) -> list[tuple[tuple[int, int], Counts, float]]:
    """Play one hand; yield its total and stake, the shoe afterwards, and the probability."""
    if total(hand)[0] > 21:
        return [((22, 1), shoe, 1.0)]
    action = actions[hands.find(hand)]
    if action == STAND:
        return [((total(hand)[0], 1), shoe, 1.0)]
    if action == DOUBLE:
        return [((total(plus(hand, value))[0], 2), left, share) for value, left, share in drawn(shoe)]
    return [
        (end, rest, share * part)
        for value, left, share in drawn(shoe)
        for end, rest, part in hand_ends(plus(hand, value), left, actions, hands)
    ]


@pytest.mark.parametrize("most", [2, 3, 4])
def test_split_is_worth_what_it_is_at_the_table(most: int) -> None:
    pair = eights(most)
    plan = split(pair)
    coins, wins = played_at_the_table(pair, plan, plan.most)
    assert plan.most == most
    assert plan.worth[:2] == pytest.approx([coins, wins], abs=1e-12)


def test_ten_values_of_another_rank_are_no_pair() -> None:
    """After splitting two kings, a queen on one of them makes 20, not a pair."""
    shoe: Counts = (1, 0, 0, 0, 2, 0, 2, 2, 0, 7)
    pair = eights(3, same=2, shoe=shoe, value=TEN)
    plan = split(pair, cautious)
    only_ten = split(eights(3, same=7, shoe=shoe, value=TEN), cautious)
    assert plan.worth[0] != pytest.approx(only_ten.worth[0])
    kings = kings_at_the_table(pair, plan)
    assert plan.worth[0] == pytest.approx(kings, abs=1e-12)


def cautious(hands: Lattice) -> Actions:
    return np.where(hands.totals < 12, HIT, STAND).astype(np.int8)


def kings_at_the_table(pair: Pair, plan: Split) -> float:
    """Split two kings as an eleventh card value: kings have value 0, and aces value 10, in this shoe."""
    names = ("K", "5", "7", "8", "T", "A")
    points = {"K": TEN, "T": TEN, "5": 4, "7": 6, "8": 7, "A": ACE}
    start = (2, 2, 2, 2, 5, 1)

    def draws(shoe: Counts) -> list[tuple[str, Counts, float]]:
        return [(names[i], left, share) for i, left, share in drawn(shoe)]

    def play_on(hand: Counts, shoe: Counts) -> list[tuple[int, Counts, float]]:
        if total(hand)[0] >= 12:
            return [(total(hand)[0], shoe, 1.0)]
        return [
            (end, rest, share * part)
            for name, left, share in draws(shoe)
            for end, rest, part in play_on(plus(hand, points[name]), left)
        ]

    def worth(finished: tuple[int, ...], waiting: int, shoe: Counts) -> float:
        if not waiting:
            plain = tuple(sum(n for n, name in zip(shoe, names, strict=True) if points[name] == v) for v in range(10))
            ends = dealer_ends(counts_of(SIX), plain, False)
            return sum(float(share) * paid(hand, end) for end, share in ends.items() for hand in finished)
        found = 0.0
        for name, left, share in draws(shoe):
            if name == "K" and len(finished) + waiting < plan.most:
                found += share * worth(finished, waiting + 1, left)
            else:
                for end, rest, part in play_on(counts_of(TEN, points[name]), left):
                    found += share * part * worth((*finished, end), waiting - 1, rest)
        return found

    return worth((), 2, start)


def test_no_other_action_in_any_hand_is_better() -> None:
    """The strategy is the best of those based on a hand's own cards."""
    pair = eights(4)
    best = split(pair)
    hands = lattice(counts_of(EIGHT))
    for row in range(len(hands) - 1):
        for action in {STAND, HIT, DOUBLE} - {int(best.actions[row])}:
            assert split(pair, other_than(best, hands, row, action)).worth[0] <= best.worth[0] + 1e-12


def other_than(best: Split, hands: Lattice, row: int, action: int) -> Callable[[Lattice], Actions]:
    def actions(asked: Lattice) -> Actions:
        if len(asked) != len(hands):
            return best.paired
        changed = best.actions.copy()
        changed[row] = action
        return changed

    return actions
