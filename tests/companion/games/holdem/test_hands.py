"""Poker hands: strength, name and the best five cards."""

import random
from collections import Counter
from itertools import combinations, islice, pairwise

import pytest
from holdem_second_opinion import HANDS, hands, heard

from companion.games.holdem.audit import _ranked
from companion.games.holdem.hands import best_five, rank_of, strength
from companion.games.standard_cards import CARDS

COUNTS = {
    "royal-flush": 4, "straight-flush": 36, "four-of-a-kind": 624, "full-house": 3744, "flush": 5108, "straight": 10200,
    "three-of-a-kind": 54912, "two-pair": 123552, "pair": 1098240, "high-card": 1302540,
}  # fmt: skip


@pytest.mark.parametrize(
    ("cards", "rank", "five"),
    [
        ("AS KS QS JS TS 9S 8S", "royal-flush", "AS KS QS JS TS"),
        ("5S 4S 3S 2S AS AD AH", "straight-flush", "5S 4S 3S 2S AS"),
        ("9S 9D 9H 9C KS KD KH", "four-of-a-kind", "9S 9D 9H 9C KS"),
        ("9S 9D 9H KC KS KD 2H", "full-house", "KC KS KD 9S 9D"),
        ("9S 9D 9H KC KS QD QH", "full-house", "9S 9D 9H KC KS"),
        ("2H 9H KH 4H 7H 8H AS", "flush", "KH 9H 8H 7H 4H"),
        ("AS 2D 3H 4C 5S 5D 5H", "straight", "5S 4C 3H 2D AS"),
        ("QS KD AH 2C 3S 9D 9H", "pair", "9D 9H AH KD QS"),
        ("9S 9D 9H AC KS QD 2H", "three-of-a-kind", "9S 9D 9H AC KS"),
        ("9S 9D 4H 4C 3S 3D AH", "two-pair", "9S 9D 4H 4C AH"),
        ("AS KD JH 9C 7S 5D 3H", "high-card", "AS KD JH 9C 7S"),
    ],
)
def test_the_best_five_of_seven(cards, rank, five):
    for shuffled in (cards.split(), cards.split()[::-1]):
        assert rank_of(strength(shuffled)) == rank
        assert {card[0] for card in best_five(shuffled)} == {card[0] for card in five.split()}
    assert best_five(cards.split()) == tuple(five.split())


def test_equal_hands_are_equal_and_the_next_card_decides():
    board = ["AS", "KD", "JH", "9C", "7S"]
    assert strength([*board, "2D", "3H"]) == strength([*board, "4D", "6H"])
    assert strength([*board, "AD", "3H"]) > strength([*board, "KS", "QH"])
    assert strength([*board, "AD", "QH"]) > strength([*board, "AC", "TH"])


def test_the_best_five_are_as_strong_as_all_seven():
    rng = random.Random(5)
    for _ in range(2000):
        cards = rng.sample(CARDS, 7)
        five = best_five(cards)
        assert len(set(five)) == 5
        assert set(five) <= set(cards)
        assert strength(five) == strength(cards) == max(map(strength, combinations(cards, 5)))


def test_pokerkit_orders_a_hundred_thousand_hands_in_the_same_way():
    """All hands of the same rank have one strength, and higher ranks a higher one."""
    said = heard()
    assert len(said) == HANDS >= 100_000
    found = {}
    for cards, standing in zip(hands(), said, strict=True):
        assert found.setdefault(standing, (worth := strength(cards))) == worth, cards
    in_order = [found[standing] for standing in sorted(found)]
    assert in_order == sorted(set(in_order))


def test_the_audit_orders_hands_in_the_same_way():
    found = sorted((strength(cards), _ranked(cards)) for cards in islice(hands(), 5000))
    for (low, low_too), (high, high_too) in pairwise(found):
        assert (low < high) == (low_too < high_too)
        assert (low == high) == (low_too == high_too)


@pytest.mark.slow
def test_every_five_cards_are_counted():
    assert Counter(rank_of(strength(five)) for five in combinations(CARDS, 5)) == COUNTS
