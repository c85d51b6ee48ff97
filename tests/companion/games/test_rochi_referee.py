"""Random hands of Rochi agree with an independent referee in every balance, pot, owner, lock and result."""

import json
import random

import pytest
from rochi_referee import Evening, evening_by_chance, random_evening

from companion.kernel.script import replay
from companion.kernel.table import Header, Table
from companion.testing import INSTALLED


def check(seed: int, hands: int) -> int:
    """Compare one evening; return the number of decided hands."""
    script, evening = random_evening(random.Random(seed), hands)
    result = replay((json.dumps(line) for line in script), INSTALLED).result
    assert result["error"] is None, f"seed {seed}"
    assert_same(result, evening, f"seed {seed}")
    return len(result["results"])


def assert_same(result: dict, evening: Evening, where: str) -> None:
    t = evening.t
    seated = set(t["seats"].values())
    coins = {name: n for name, n in t["coins"].items() if n or name in seated}
    assert result["balances"] == coins, where
    assert result["pots"] == {str(s): n for s, n in t["pots"].items()}, where
    assert result["house"] == result["staked"] == 0
    assert [(r["winner"], r["suit"], r["locked"]) for r in result["results"]] == [
        (r["winner"], r["suit"], r["locked"]) for r in t["results"]
    ], where
    for got, should in zip(result["results"], t["results"], strict=True):
        paid = [(m["from"], m["to"], m["coins"]) for m in got["transfers"] if not m["why"].startswith("last hand")]
        assert sorted(paid) == should["got"], where
    state = result["state"]
    assert state["stacks"] == {str(s): cards for s, cards in t["stack"].items()}, where
    assert state["owners"] == {str(s): name for s, name in t["token"].items()}, where
    assert state["locked"] == sorted(t["locks"]), where
    assert [(int(s), n, c) for s, held in state["shields"].items() for n, cs in held.items() for c in cs] == sorted(
        t["marks"], key=lambda m: (m[0], [x[1] for x in t["marks"] if x[0] == m[0]].index(m[1]))
    ), where
    assert state["deck"] == len(t["draw"]), where
    assert {n: p["cards"] for n, p in state["players"].items()} == {n: len(h) for n, h in t["hands"].items()}, where


@pytest.mark.parametrize("block", range(10))
def test_random_evenings_agree_with_the_referee(block):
    for seed in range(block * 30, block * 30 + 30):
        check(seed, hands=3)


@pytest.mark.slow
def test_ten_thousand_random_hands_agree_with_the_referee():
    seed, hands = 1_000_000, 0
    while hands < 10_000:
        hands += check(seed, hands=3)
        seed += 1


@pytest.mark.parametrize("seed", range(25))
def test_after_every_command_the_table_agrees_and_offers_just_what_is_legal(seed):
    steps = evening_by_chance(random.Random(seed), hands=4)
    header, evening = next(steps)
    table = Table(Header.parse(header, INSTALLED))
    for number, (record, _) in enumerate(steps):
        table.do(record)
        assert_same(table.result(), evening, f"after {record} (command {number})")
        offered = table.expected() - {"undo", "redo", "hold", "buy-in", "cash-out", "recount"}
        assert offered == evening.legal(), f"after {record} (command {number})"
        assert table.game.reasons(table.position.state).keys() == set(table.game.verbs) - offered
