"""The exact odds of roulette, verified independently."""

import json
from fractions import Fraction

import numpy as np
import pytest

from companion.cli import run_command_line
from companion.games.roulette.odds.command import ask
from companion.games.roulette.odds.exact import exact
from companion.games.roulette.wheel import POCKETS
from companion.kernel.errors import BadScript
from companion.kernel.table import Table
from companion.testing import new_header

WHEELS = ("european", "american")
RULES = ("en-prison", "surrender", "none")


def house_gain(wheel: str, zero_rule: str, on: str, pocket: str) -> Fraction:
    """Play one spin and return the house's gain from 2 coins; the value of an imprisoned bet is solved for."""
    table = Table(new_header("roulette", (("Ann", 2),), {"wheel": wheel, "zero_rule": zero_rule}))
    table.do({"do": "bet", "player": "Ann", "on": on, "amount": 2})
    table.do({"do": "no-more-bets"})
    table.do({"do": "spin", "pocket": pocket})
    if not table.position.ledger.staked:
        return Fraction(table.position.ledger.house)
    free = lost = 0
    for second in POCKETS[wheel]:
        table.do({"do": "no-more-bets"})
        table.do({"do": "spin", "pocket": second})
        free += table.position.ledger.balance("Ann") == 2
        lost += table.position.ledger.house == 2
        table.do({"do": "undo"})
        table.do({"do": "undo"})
    return 2 * Fraction(lost, free + lost)


@pytest.mark.parametrize("wheel", WHEELS)
@pytest.mark.parametrize("zero_rule", RULES)
def test_edges_are_those_of_every_pocket_played_at_the_table(wheel: str, zero_rule: str) -> None:
    odds = {bet.on: bet for bet in exact(wheel, zero_rule)}
    pockets = POCKETS[wheel]
    for on in ("straight/0", "straight/36", "split/0/2", "street/13", "corner/32", "line/31", "dozen/2", "column/3",
               "red", "black", "odd", "even", "low", "high"):  # fmt: skip
        gains = [house_gain(wheel, zero_rule, on, pocket) for pocket in pockets]
        assert odds[on].edge == sum(gains) / 2 / len(pockets), on
        assert odds[on].probability == Fraction(sum(gain < 0 for gain in gains), len(pockets)), on


@pytest.mark.parametrize(
    ("wheel", "zero_rule", "even", "other"),
    [
        ("european", "en-prison", Fraction(1, 74), Fraction(1, 37)),
        ("european", "surrender", Fraction(1, 74), Fraction(1, 37)),
        ("european", "none", Fraction(1, 37), Fraction(1, 37)),
        ("american", "surrender", Fraction(1, 38), Fraction(2, 38)),
        ("american", "en-prison", Fraction(1, 38), Fraction(2, 38)),
        ("american", "none", Fraction(2, 38), Fraction(2, 38)),
    ],
)
def test_the_known_edges(wheel: str, zero_rule: str, even: Fraction, other: Fraction) -> None:
    for bet in exact(wheel, zero_rule):
        assert bet.edge == (even if bet.pays.win == 1 else other), bet.on


def test_the_command_lists_every_bet(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["odds", "roulette", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert len(told["bets"]) == 154
    red = next(bet for bet in told["bets"] if bet["on"] == "red")
    assert red == {"on": "red", "probability": "18/37", "float": 18 / 37, "fair": "19/18", "pays": "1:1",
                   "edge": 1 / 74}  # fmt: skip


def test_a_simulation_comes_near_the_exact_odds() -> None:
    asked = ask("", ["wheel=american"])
    wins = asked.simulate(10**6, np.random.default_rng(4), lambda done: None)
    for bet in asked.odds():
        p = float(bet.probability)
        assert abs(wins[bet.on] / 10**6 - p) < 5 * (p * (1 - p) / 10**6) ** 0.5, bet.on


@pytest.mark.parametrize(
    ("seen", "pairs"), [("17", []), ("", ["wheel=french"]), ("", ["deck=red"]), ("", ["min=lots"])]
)
def test_what_the_odds_do_not_know_is_refused(seen: str, pairs: list[str]) -> None:
    with pytest.raises(BadScript):
        ask(seen, pairs)
