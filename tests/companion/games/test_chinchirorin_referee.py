"""Random evenings of chinchirorin, with legal and illegal commands, agree with an independent referee."""

import json
import random
from collections import Counter
from typing import Any

import pytest
from chinchirorin_referee import Referee, anything, likely, random_players

from companion.kernel.errors import TableError
from companion.kernel.script import replay
from companion.kernel.table import Table
from companion.testing import INSTALLED, new_header


def table_and_referee(rng: random.Random) -> tuple[Table, Referee]:
    players, options = random_players(rng)
    return Table(new_header("chinchirorin", players, options)), Referee(players, options.get("banker"))


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


def play(seed: int, length: int = 30) -> Counter[str]:
    """Play an evening, comparing results after each command; return event counts."""
    rng = random.Random(f"chinchirorin {seed}")
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
        seen[f"{result['outcome']} {result['times']}"] += 1
    if not {"buy-in", "cash-out"} & set(seen):
        assert sum(table.result()["balances"].values()) + table.result()["staked"] == coins, f"seed {seed}"
    return seen


@pytest.mark.parametrize("block", range(8))
def test_two_thousand_random_evenings_agree_with_the_referee(block: int) -> None:
    for seed in range(block * 250, block * 250 + 250):
        play(seed)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(8))
def test_twenty_thousand_random_evenings_agree_with_the_referee(block: int) -> None:
    for seed in range(100_000 + block * 2_500, 102_500 + block * 2_500):
        play(seed, length=60)


def test_the_evenings_meet_every_error_every_verb_and_every_outcome() -> None:
    seen = sum((play(seed) for seed in range(150)), Counter[str]())
    errors = {"bad-script", "unknown-verb", "wrong-phase", "unknown-player", "not-your-turn", "not-offered"}
    errors |= {"nothing-done", "bad-amount", "over-limit", "not-enough-coins"}
    outcomes = {"wash 0"} | {f"{who} {times}" for who in ("banker", "bettors") for times in (1, 2, 3)}
    verbs = {"throw-for-bank", "bank", "bet", "take-back", "close", "throw", "keep-bank", "pass-bank"}
    assert errors | outcomes | verbs | {"buy-in", "cash-out", "undo", "redo", "hold", "release"} <= set(seen)


@pytest.mark.parametrize("seed", range(60))
def test_a_script_is_replayed_to_what_the_referee_says(seed: int) -> None:
    rng = random.Random(f"script {seed}")
    players, options = random_players(rng)
    referee = Referee(players, options.get("banker"))
    named = [{"name": name, "coins": coins} for name, coins in players]
    script: list[Any] = [{"game": "chinchirorin", "players": named, "options": options}]
    for _ in range(60):
        record = next_record(rng, referee)
        if referee.do(record) is None:
            script.append(record)
    assert replay(map(json.dumps, script), INSTALLED).result == referee.printed()
