"""Random Roche evenings agree with an independent referee in every coin and every result."""

import json
import random

import pytest
from referee import random_script

from companion.kernel.script import replay
from companion.testing import INSTALLED


def check(seed: int, rounds: int) -> None:
    script, books = random_script(random.Random(seed), rounds)
    result = replay((json.dumps(line) for line in script), INSTALLED).result
    assert result["error"] is None, f"seed {seed}"
    assert result["balances"] == books.coins, f"seed {seed}"
    assert result["house"] == books.house, f"seed {seed}"
    assert result["staked"] == sum(books.bets.values()), f"seed {seed}"
    assert result["results"] == books.results, f"seed {seed}"


@pytest.mark.parametrize("block", range(10))
def test_a_hundred_random_evenings_agree_with_the_referee(block):
    for seed in range(block * 10, block * 10 + 10):
        check(seed, rounds=4)


@pytest.mark.slow
def test_three_thousand_random_evenings_agree_with_the_referee():
    for seed in range(10_000, 13_000):
        check(seed, rounds=3)
