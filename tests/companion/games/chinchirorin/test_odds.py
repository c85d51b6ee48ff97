"""The odds of both sides verified independently: all throws of all tries are counted by hand-written rules."""

from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest

from companion.games.chinchirorin.odds.chances import BANKER, BETTORS, sides, throw_chances, turn_chances
from companion.games.chinchirorin.odds.command import ask, bets_now
from companion.kernel.errors import BadScript
from companion.kernel.table import Table
from companion.testing import new_header

THROWS = ["".join(map(str, sorted(dice))) for dice in product(range(1, 7), repeat=3)]
OUTS = [Fraction(0), Fraction(1, 50)]
Worth = tuple[Fraction, Fraction, Fraction]
"""Probability that the bettors collect, that the banker collects, and the expected gain per coin bet."""


def decided(times: int) -> Worth:
    return Fraction(times > 0), Fraction(times < 0), Fraction(times)


def mean(out: Fraction, lost: Worth, others: list[Worth]) -> Worth:
    first, second, third = (
        out * lost[i] + (1 - out) * sum((one[i] for one in others), Fraction(0)) / len(others) for i in range(3)
    )
    return first, second, third


@cache
def player_turn(score: int, tries: int, out: Fraction) -> Worth:
    """Enumerate the player's throws against a score."""
    if tries == 0:
        return decided(-(score > 0))

    def worth(dice: str) -> Worth:
        if dice in ("111", "123", "456") or len(set(dice)) == 1:
            return decided({"111": -3, "123": -2, "456": 2}.get(dice, 3))
        alone = [int(die) for die in dice if dice.count(die) == 1]
        if len(alone) == 3:
            return player_turn(score, tries - 1, out)
        return decided((alone[0] > score) - (alone[0] < score))

    return mean(out, decided(-1), [worth(dice) for dice in THROWS])


@cache
def banker_turn(tries: int, player_tries: int, out: Fraction) -> Worth:
    """Enumerate the banker's throws, then the player's."""
    if tries == 0:
        return player_turn(0, player_tries, out)

    def worth(dice: str) -> Worth:
        if dice in ("111", "123", "456") or len(set(dice)) == 1:
            return decided({"111": 3, "456": -2}.get(dice, 2))
        alone = [int(die) for die in dice if dice.count(die) == 1]
        if len(alone) == 3:
            return banker_turn(tries - 1, player_tries, out)
        return player_turn(alone[0], player_tries, out)

    return mean(out, decided(1), [worth(dice) for dice in THROWS])


@pytest.mark.parametrize("out", OUTS)
@pytest.mark.parametrize("tries", [1, 2, 3])
def test_a_round_agrees_with_counting_every_throw(tries: int, out: Fraction) -> None:
    bettors, banker = sides(banker_tries=tries, out=out)
    assert (bettors.probability, banker.probability, -bettors.edge) == banker_turn(tries, 3, out)
    assert banker.edge == -bettors.edge


@pytest.mark.parametrize("out", OUTS)
@pytest.mark.parametrize("score", range(7))
@pytest.mark.parametrize("tries", [1, 2, 3])
def test_a_throw_against_a_score_agrees_with_counting_every_throw(score: int, tries: int, out: Fraction) -> None:
    bettors, banker = sides(player_tries=tries, score=score, out=out)
    assert (bettors.probability, banker.probability, -bettors.edge) == player_turn(score, tries, out)


def test_all_chances_sum_to_one() -> None:
    for out in OUTS:
        assert sum(throw_chances(out).values()) == 1
        assert sum(turn_chances(out=out).values()) == 1
        assert sum(way.probability for way in sides(out=out)[0].ways) == 1


def test_the_bettors_have_the_edge_and_the_fair_price_has_none() -> None:
    """13/216 and 12/216 of a coin a throw, over the throws of three tries: 217/1152 of each coin bet."""
    bettors, banker = sides()
    assert -bettors.edge == banker.edge == Fraction(217, 1152)
    assert bettors.fair is not None
    paid = sum(-way.times * way.probability for way in bettors.ways if way.times < 0)
    assert bettors.fair * bettors.probability == paid


def test_a_side_that_cannot_collect_has_no_fair_price() -> None:
    assert sides(player_tries=0, score=6)[0].fair is None


def test_the_table_shows_the_odds_of_this_moment() -> None:
    at = Table(new_header("chinchirorin", (("Ann", 40), ("Bo", 30)), {"banker": 1}))
    assert bets_now(at.position.state) == sides()
    for record in ({"do": "bank", "amount": 9}, {"do": "bet", "player": "Bo", "amount": 9}, {"do": "close"}):
        at.do(record)
    at.do({"do": "throw", "dice": [1, 2, 4]})
    assert bets_now(at.position.state) == sides(banker_tries=2)
    at.do({"do": "throw", "dice": [2, 2, 4]})
    at.do({"do": "throw", "dice": [1, 2, 4]})
    assert bets_now(at.position.state) == sides(player_tries=2, score=4)


@pytest.mark.parametrize("options", [[], ["score=4"], ["score=0", "out=1/50"]])
def test_a_simulation_agrees(options: list[str]) -> None:
    asked, rounds = ask("", options), 200_000
    wins = asked.simulate(rounds, np.random.default_rng(1), lambda done: None)
    for side in asked.odds():
        p = float(side.probability)
        assert abs(wins[side.on] / rounds - p) < 5 * (p * (1 - p) / rounds) ** 0.5
    assert set(wins) == {BETTORS, BANKER}


@pytest.mark.parametrize(
    "options",
    [["score=7"], ["score=x"], ["out=1"], ["out=-1/2"], ["out=1/0"], ["out=1e-99999999"], ["stakes=high"],
     ["banker=0"], ["banker=" + "9" * 5000], ["banker=\N{ARABIC-INDIC DIGIT THREE}"]],
)  # fmt: skip
def test_what_cannot_be_asked_is_refused(options: list[str]) -> None:
    with pytest.raises(BadScript):
        ask("", options)


def test_nothing_is_seen_of_a_round() -> None:
    with pytest.raises(BadScript, match="score=3"):
        ask("6", [])
