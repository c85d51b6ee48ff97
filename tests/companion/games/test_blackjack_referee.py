"""Random evenings of blackjack, with legal and illegal commands, agree with an independent referee."""

import json
import random
from collections import Counter
from typing import Any

import pytest
from blackjack_referee import FIELDS, ORDER, Referee, anything, likely, random_table

from companion.kernel.errors import TableError
from companion.kernel.script import replay
from companion.kernel.table import Table
from companion.testing import INSTALLED, new_header


def table_and_referee(rng: random.Random) -> tuple[Table, Referee]:
    players, options = random_table(rng)
    return Table(new_header("blackjack", players, options)), Referee(players, options)


def next_record(rng: random.Random, referee: Referee) -> dict[str, Any]:
    chance = rng.random()
    if chance < 0.05:
        return {"do": rng.choice(["undo", "undo", "redo", "hold"])}
    return anything(rng, referee) if chance < 0.2 else likely(rng, referee)


def done(table: Table, record: Any) -> str | None:
    """Apply a command; return the error code, or None."""
    try:
        table.do(record)
    except TableError as error:
        return error.code
    return None


def play(seed: int, length: int = 60) -> Counter[str]:
    """Play an evening, comparing results after each command; return event counts."""
    rng = random.Random(f"blackjack {seed}")
    table, referee = table_and_referee(rng)
    coins, seen = sum(referee.now["coins"].values()), Counter[str]()
    assert table.result() == referee.printed(), f"seed {seed}"
    for _ in range(length):
        record = next_record(rng, referee)
        code = referee.do(record)
        assert done(table, record) == code, f"seed {seed}: {record}"
        assert table.result() == referee.printed(), f"seed {seed}: {record}"
        seen[code or str(record["do"])] += 1
    for result in referee.now["results"]:
        seen.update(f"{bet['on'].partition('/')[0]} {bet['outcome']}" for bet in result["paid"])
        seen.update(f"{bet['on']}" for bet in result["paid"])
    if not {"buy-in", "cash-out"} & set(seen):
        result = table.result()
        assert sum(result["balances"].values()) + result["staked"] + result["house"] == coins, f"seed {seed}"
    return seen


@pytest.mark.parametrize("block", range(8))
def test_two_thousand_random_evenings_agree_with_the_referee(block: int) -> None:
    for seed in range(block * 250, block * 250 + 250):
        play(seed)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(8))
def test_twenty_thousand_random_evenings_agree_with_the_referee(block: int) -> None:
    for seed in range(100_000 + block * 2_500, 102_500 + block * 2_500):
        play(seed, length=120)


def test_the_evenings_meet_every_error_every_verb_and_every_outcome() -> None:
    seen = sum((play(seed) for seed in range(250)), Counter[str]())
    outcomes = {f"hand {end}" for end in ("win", "lose", "push", "blackjack", "bust", "surrender")}
    outcomes |= {"insurance win", "insurance lose", "hand/4"}
    assert {*ORDER, *FIELDS, *outcomes} <= set(seen)


@pytest.mark.parametrize("seed", range(60))
def test_a_script_is_replayed_to_what_the_referee_says(seed: int) -> None:
    rng = random.Random(f"script {seed}")
    players, options = random_table(rng)
    referee = Referee(players, options)
    named = [{"name": name, "coins": coins} for name, coins in players]
    script: list[Any] = [{"game": "blackjack", "players": named, "options": options}]
    for _ in range(150):
        record = next_record(rng, referee)
        if referee.do(record) is None:
            script.append(record)
    assert replay(map(json.dumps, script), INSTALLED).result == referee.printed()
