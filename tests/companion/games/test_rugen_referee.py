"""Random Rugen evenings agree with an independent referee, and have the properties of every game."""

import json
import random
from typing import Any

import pytest
from rugen_referee import BOOKS, random_script

from companion.kernel.errors import TableError
from companion.kernel.script import replay
from companion.kernel.table import Table
from companion.testing import INSTALLED, new_header

GAMES = sorted(BOOKS)


def check(game: str, seed: int, length: int) -> None:
    script, books = random_script(random.Random(f"{game} {seed}"), game, length)
    result = replay((json.dumps(line) for line in script), INSTALLED).result
    assert result["error"] is None, f"seed {seed}"
    assert result["balances"] == books.coins, f"seed {seed}"
    assert (result["house"], result["staked"]) == (books.house, books.staked), f"seed {seed}"
    assert [without_reasons(r) for r in result["results"]] == books.results, f"seed {seed}"
    assert result["state"]["chain"] == books.chain, f"seed {seed}"
    if game == "rugen-street":
        assert result["state"]["shooter"] == books.shooter, f"seed {seed}"


def without_reasons(result: dict[str, Any]) -> dict[str, Any]:
    """Return a result without the reasons of transfers, whose wording is the product's own."""
    if "transfers" not in result:
        return result
    assert all(move["why"] for move in result["transfers"])
    moves = [{key: move[key] for key in ("from", "to", "coins")} for move in result["transfers"]]
    return {**result, "transfers": moves}


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("block", range(5))
def test_a_hundred_random_evenings_agree_with_the_referee(game, block):
    for seed in range(block * 20, block * 20 + 20):
        check(game, seed, length=120)


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_three_thousand_random_evenings_agree_with_the_referee(game):
    for seed in range(10_000, 13_000):
        check(game, seed, length=80)


@pytest.mark.parametrize("game", GAMES)
def test_the_evenings_are_worth_the_name(game):
    """They contain many decided chains, and in Street side bets, ignored numbers and games without takers."""
    scripts = [random_script(random.Random(f"{game} {seed}"), game, 120) for seed in range(40)]
    assert sum(len(books.results) for _, books in scripts) > 100
    verbs = {record["do"] for script, _ in scripts for record in script[1:]}
    assert {"undo", "redo", "throw", "buy-in", "cash-out"} <= verbs
    if game == "rugen-street":
        assert {"side-bet", "take", "stake", "close"} <= verbs
        assert any(len(result["chain"]) > 7 for _, books in scripts for result in books.results)


# ---- properties of every game


def any_record(rng: random.Random) -> dict[str, Any]:
    """Return a random command of any Rugen game, often illegal."""
    player = rng.choice(["Ann", "Bo", "Cy", "Zoe"])
    number = rng.randint(0, 5)
    kind = rng.choice(["center", "day", "night", "chain", "chain-day", "chain-night"])
    on = {"player": player, "on": f"{kind}/{number}"}
    numbers = {name: rng.randint(1, 4) for name in rng.sample(["Ann", "Bo", "Cy", "Zoe"], rng.randint(1, 4))}
    return rng.choice(
        [
            {"do": "throw", "d20": rng.randint(0, 20)}, {"do": "throw", "d20": rng.randint(3, 20)},
            {"do": "throw", "face": f"{number}d"}, {"do": "bet", **on, "amount": rng.randint(-1, 24)},
            {"do": "bet", **on, "amount": rng.randint(1, 6) * max(number, 1)}, {"do": "take-back", **on},
            {"do": "stake", "units": rng.randint(0, 9)}, {"do": "take", "player": player, "number": number},
            {"do": "take", "player": player, "number": number, "units": rng.randint(1, 2)}, {"do": "close"},
            {"do": "side-bet", "units": rng.randint(0, 3), "numbers": numbers}, {"do": "undo"}, {"do": "redo"},
            {"do": "hold"}, {"do": "release"}, {"do": "release"}, {"do": "buy-in", "player": player, "coins": 50},
            {"do": "cash-out", "player": "Bo"}, {"do": "join", "player": "Cy", "coins": rng.randint(0, 60)},
            {"do": "leave", "player": player}, {"do": "no-more-bets"}, {"do": "deal", "card": "6D3"},
        ]
    )  # fmt: skip


def new_table(game: str, seed: int) -> tuple[random.Random, Table]:
    return random.Random(f"{game} {seed}"), Table(new_header(game, (("Ann", 100), ("Bo", 60))))


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", range(25))
def test_coins_are_conserved_refusals_change_nothing_and_only_expected_verbs_are_accepted(game, seed):
    rng, table = new_table(game, seed)
    for _ in range(150):
        record = any_record(rng)
        expected = table.expected()
        before = table.result(), table.view(), table.position
        whole = sum(before[0]["balances"].values()) + before[0]["staked"] + before[0]["house"]
        try:
            table.do(record)
        except TableError:
            assert (table.result(), table.view(), table.position) == before, f"seed {seed}: {record}"
            continue
        assert record["do"] in expected, f"seed {seed}: {record}"
        after = table.result()
        assert table.position.ledger.total == 0
        assert all(coins >= 0 for coins in after["balances"].values())
        if record["do"] not in ("buy-in", "cash-out", "join", "undo", "redo"):
            assert sum(after["balances"].values()) + after["staked"] + after["house"] == whole, f"seed {seed}: {record}"
        assert table.view()["hold"] in (None, "the dealer asked for it"), f"seed {seed}: {record}"
        json.dumps(table.view())


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", range(10))
def test_undo_is_exact_all_the_way_back_and_redo_all_the_way_forth(game, seed):
    rng, table = new_table(game, seed)
    seen = [(table.result(), table.position)]
    while len(seen) < 60:
        record = any_record(rng)
        if record["do"] in ("undo", "redo"):
            continue
        try:
            table.do(record)
        except TableError:
            continue
        seen.append((table.result(), table.position))
    for moment in reversed(seen[:-1]):
        table.do({"do": "undo"})
        assert (table.result(), table.position) == moment
    for moment in seen[1:]:
        table.do({"do": "redo"})
        assert (table.result(), table.position) == moment


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", range(10))
def test_the_commands_that_count_lead_to_the_same_table(game, seed):
    rng, table = new_table(game, seed)
    for _ in range(150):
        try:
            table.do(any_record(rng))
        except TableError:
            continue
    again = Table(table.header)
    for record in table.records:
        again.do(record)
    assert (again.result(), again.position) == (table.result(), table.position)
