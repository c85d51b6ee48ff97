"""The wheel's fairness test is valid after every spin."""

import random
from math import fsum

import pytest

from companion.games.roulette.wheel import POCKETS
from companion.games.roulette.wheel_test import FAIR, wheel_test
from companion.odds.fairness import Watch


@pytest.mark.parametrize("wheel", ["european", "american"])
def test_a_fair_spin_changes_nothing_on_average(wheel: str) -> None:
    """After any history the mean e-value over all pockets is unchanged, so optional stopping gains nothing."""
    rng = random.Random(7)
    pockets = POCKETS[wheel]
    for spins in (0, 3, 40, 400):
        came = [rng.randrange(len(pockets) // 2) for _ in range(spins)]
        counts = tuple(came.count(place) for place in range(len(pockets)))
        now = Watch(FAIR[wheel], counts).e_value
        nexts = [(*counts[:place], counts[place] + 1, *counts[place + 1 :]) for place in range(len(pockets))]
        then = fsum(Watch(FAIR[wheel], one).e_value for one in nexts) / len(pockets)
        assert then == pytest.approx(now, rel=1e-9)


def test_a_biased_wheel_is_found_and_its_pocket_named() -> None:
    rng = random.Random(2)
    counts = [0] * 37
    for _ in range(400):
        counts[17 if rng.random() < 0.1 else rng.randrange(37)] += 1
    told = wheel_test("european", tuple(counts))
    assert told["e_value"] > 1000
    assert told["verdict"].startswith("The wheel is biased")
    assert "; 17 came" in told["verdict"]


def test_a_suspicion_and_an_ordinary_evening_say_so() -> None:
    assert wheel_test("european", (0,) * 37)["verdict"] == "Too few spins to test the wheel: 0 of 60."
    assert wheel_test("american", (3,) * 38)["verdict"] == "Nothing speaks against the wheel after 114 spins."
    assert wheel_test("european", (5, *(1,) * 36))["e_value"] < 20
    assert wheel_test("european", (11, *(2,) * 36))["verdict"].startswith("The wheel looks biased")
