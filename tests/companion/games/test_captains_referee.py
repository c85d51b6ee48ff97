"""Random games of Captain's Rochi agree with an independent referee in every balance, pot, owner, lock and result."""

import json
import random

import pytest
from captains_referee import NAMES, Duel, duel_by_chance, random_duel

from companion.kernel.script import replay
from companion.kernel.table import Header, Table
from companion.testing import INSTALLED


def check(seed: int, commands: int) -> None:
    script, duel = random_duel(random.Random(seed), commands)
    result = replay((json.dumps(line) for line in script), INSTALLED).result
    assert result["error"] is None, f"seed {seed}"
    assert_same(result, duel, f"seed {seed}")


def assert_same(result: dict, duel: Duel, where: str) -> None:
    t, state = duel.t, result["state"]
    assert result["balances"] == t["coins"], where
    assert result["pots"] == {str(s): n for s, n in t["pots"].items()}, where
    got = [
        (r["winner"], r["suit"], r["locked"], [(m["from"], m["to"], m["coins"]) for m in r["transfers"]])
        for r in result["results"]
    ]
    assert got == [(r["winner"], r["suit"], r["locked"], r["got"]) for r in t["results"]], where
    assert state["stacks"] == {str(s): cards for s, cards in t["stack"].items()}, where
    assert state["owners"] == {str(s): name for s, name in t["token"].items()}, where
    assert state["locked"] == sorted(t["locks"]), where
    marks = sorted((int(s), n, c) for s, held in state["shields"].items() for n, cs in held.items() for c in cs)
    assert marks == sorted(t["marks"]), where
    assert state["deck"] == len(t["draw"]), where
    assert sorted(state["discards"]) == sorted(t["pile"]), where
    assert {n: p["cards"] for n, p in state["players"].items()} == {n: len(t["hands"][n]) for n in NAMES}, where


@pytest.mark.parametrize("block", range(10))
def test_random_games_agree_with_the_referee(block):
    for seed in range(block * 20, block * 20 + 20):
        check(seed, commands=150)


@pytest.mark.slow
def test_two_thousand_long_games_agree_with_the_referee():
    for seed in range(1_000_000, 1_002_000):
        check(seed, commands=400)


@pytest.mark.parametrize("seed", range(25))
def test_after_every_command_the_table_agrees_and_offers_just_what_is_legal(seed):
    steps = duel_by_chance(random.Random(seed), commands=200)
    header, duel = next(steps)
    table = Table(Header.parse(header, INSTALLED))
    for number, (record, _) in enumerate(steps):
        table.do(record)
        assert_same(table.result(), duel, f"after {record} (command {number})")
        offered = table.expected() - {"undo", "redo", "hold", "buy-in", "cash-out", "recount"}
        assert offered == duel.legal(), f"after {record} (command {number})"
        assert table.game.reasons(table.position.state).keys() == set(table.game.verbs) - offered
