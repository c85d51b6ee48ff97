"""Amounts in chips: they add up, and with usual chip values no other way takes fewer chips."""

import pytest

from companion.service.chips import MAX_CHIPS, broken_down, chip_words, piles


@pytest.mark.parametrize("chips", [(1, 5, 10), (1, 5, 25), (1, 2, 5, 10, 20)])
def test_every_amount_adds_up_with_the_fewest_chips(chips):
    fewest = [0]
    for coins in range(1, 200):
        fewest.append(1 + min(fewest[coins - chip] for chip in chips if chip <= coins))
        counted = broken_down(coins, chips)
        assert (sum(counted), len(counted)) == (coins, fewest[coins])
        assert list(counted) == sorted(counted, reverse=True)


def test_the_rules_example():
    assert chip_words(broken_down(7, (1, 5, 10))) == "5+1+1"
    assert chip_words(broken_down(30, (1, 5, 25))) == "25+5"


def test_nobody_counts_out_a_heap():
    assert len(broken_down(10 * MAX_CHIPS, (1, 5, 10))) == MAX_CHIPS
    assert broken_down(10 * MAX_CHIPS + 1, (1, 5, 10)) == ()
    assert broken_down(10**9, (1,)) == ()


@pytest.mark.parametrize("smallest", [1, 5, 10, 25, 100])
@pytest.mark.parametrize("chips", [(1, 5, 10), (1, 5, 25, 100), (1, 10, 25, 1000)])
def test_no_chip_is_smaller_than_the_smallest_that_is_played_with(chips, smallest):
    """Only a remainder below it, as after an odd buy-in, needs smaller chips."""
    for coins in range(1, 500):
        counted = piles(coins, chips, smallest)
        assert sum(pile["value"] * pile["count"] for pile in counted) == coins
        assert sum(pile["value"] * pile["count"] for pile in counted if pile["value"] < smallest) == coins % smallest
