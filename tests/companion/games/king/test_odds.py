"""The odds of King of Roulette, verified by hand, by full enumeration and by simulation."""

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from companion.cli import run_command_line
from companion.games.king.odds.chances import bets_now, chances
from companion.games.king.odds.command import ask
from companion.games.king.spaces import RIGGED, SPACES, Rule
from companion.games.king.state import is_right, ranges
from companion.kernel.errors import BadScript
from companion.kernel.table import Table
from companion.testing import INSTALLED, new_header


def test_every_way_to_bet_and_to_rig_counted_one_by_one():
    others = 3
    rules = [Rule("", one, two) for two in RIGGED for one in combinations([s for s in RIGGED if s != two], 2)]
    ways = list(product(SPACES, repeat=others))
    earned = [sum(rule.points(space) > 0 for space in bets) for rule in rules for bets in ways]
    found = {one.on: one for one in chances(others + 1)}
    for guess in ranges(others + 1):
        right = sum(is_right(guess, one) for one in earned)
        assert found[f"range/{guess}"].probability == Fraction(right, len(earned))
    for points in (1, 2):
        won = sum(rule.points(4) == points for rule in rules)
        assert found[f"space/{points}"].probability == Fraction(won, len(rules))
    alone = sum("king" not in bets[1:] for bets in ways)
    assert found["king"].probability == Fraction(alone, len(ways))


@pytest.mark.parametrize(("players", "king"), [(4, "0"), (7, "1/7"), (12, "1/2")])
def test_the_simulation_agrees(players, king):
    asked = ask("", [f"players={players}", f"king={king}"])
    rounds = 40_000
    won = asked.simulate(rounds, np.random.Generator(np.random.SFC64(3)), lambda _: None)
    for one in asked.odds():
        p = float(one.probability)
        assert abs(won[one.on] - p * rounds) <= 5 * (rounds * p * (1 - p)) ** 0.5


def test_a_bonus_adds_at_most_one_garnet():
    """As the odds page claims: at most 4 more points, so at most one more multiple of 5."""
    most = max(one.points for one in chances(12))
    assert max((had + 2 * won) // 5 - (had + won) // 5 for had in range(50) for won in range(most + 1)) == 1


def test_odds_depend_on_who_sits_there_and_on_nothing_else():
    table = Table(new_header("king-of-roulette", tuple((name, 9) for name in "ABCD"), {}))
    before = bets_now(table.situation().state)
    for name in "ABCD":
        table.do({"do": "vote", "player": name, "for": "A"})
    table.do({"do": "bet", "player": "B", "space": 3})
    assert bets_now(table.situation().state) == before == chances(4)
    alone = Table(new_header("king-of-roulette", (("A", 9),), {})).situation().state
    assert INSTALLED["king-of-roulette"].odds.shown(alone) == []


@pytest.mark.parametrize(
    ("seen", "option"),
    [("3", []), ("", ["players=3"]), ("", ["players=" + "9" * 5000]), ("", ["king=2"]), ("", ["king=x"]),
     ("", ["king=1e-99999999"]), ("", ["rounds=0"]), ("", ["rounds=x"]), ("", ["deck=red"])],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_in_words(seen, option):
    with pytest.raises(BadScript):
        ask(seen, option)


def test_people_read_points_and_no_edge(capsys):
    assert run_command_line(["odds", "king-of-roulette", "--option", "players=4"]) == 0
    out = capsys.readouterr().out
    assert "4 points" in out
    assert "%" in out
    assert "0.00 %" not in out
