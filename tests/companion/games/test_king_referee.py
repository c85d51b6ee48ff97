"""Random games of King of Roulette agree with an independent referee in every point, garnet, result and refusal."""

import json
import random

import pytest
from king_referee import Referee, anything, sensible

from companion.kernel.errors import TableError
from companion.kernel.script import replay
from companion.testing import INSTALLED, new_table

NAMES = ["Ann", "Bo", "Cy", "Dee", "Eli", "Flo", "Gus", "Hal", "Ida", "Jo", "Kit", "Lou"]


def play(seed: int, wild: float) -> list[dict[str, object]]:
    """Play one game in parallel with the referee; return the accepted commands."""
    rng = random.Random(seed)
    names = NAMES[: rng.randint(4, 12)]
    coins = {name: rng.choice((0, 0, 3, 20)) for name in names}
    rounds = rng.choice((1, 2, 3, 7))
    referee = Referee(names, coins, rounds)
    table = new_table("king-of-roulette", coins.items(), {} if rounds == 7 else {"rounds": rounds})
    script: list[dict[str, object]] = []
    for _ in range(rounds * 30 + 40):
        if referee.b["phase"] == "over" and rng.random() < 0.5:
            break
        record = (anything if rng.random() < wild or referee.b["phase"] == "over" else sensible)(referee, rng)
        refused = referee.do(record)
        assert done(table, record) == refused, f"seed {seed}: {record}"
        if refused is not None:
            continue
        agree(table.result(), referee, f"seed {seed}: {record}")
        script.append(record)
    return [header(coins, rounds), *script]


def done(table, record):
    """Apply a command; return the error code, or None."""
    try:
        table.do(record)
    except TableError as error:
        return error.code
    return None


def header(coins, rounds):
    players = [{"name": name, "coins": had} for name, had in coins.items()]
    return {"game": "king-of-roulette", "players": players, "options": {"rounds": rounds}}


def agree(result, referee, where):
    book = referee.b
    assert result["phase"] == book["phase"], where
    assert result["state"] == referee.state, where
    assert result["balances"] == book["coins"], where
    assert result["house"] == book["house"], where
    assert (result["staked"], result["pots"]) == (0, {}), where
    assert result["results"] == book["results"], where


@pytest.mark.parametrize("block", range(8))
def test_random_games_with_and_without_refusals_agree_with_the_referee(block):
    for seed in range(block * 250, (block + 1) * 250):
        play(seed, wild=(0.0, 0.3, 0.6)[seed % 3])


def test_a_script_replays_to_what_the_live_table_had():
    for seed in range(5_000, 5_060):
        script = play(seed, wild=0.2)
        result = replay((json.dumps(line) for line in script), INSTALLED).result
        assert result["error"] is None, f"seed {seed}"


@pytest.mark.slow
def test_six_thousand_random_games_agree_with_the_referee():
    for seed in range(10_000, 16_000):
        play(seed, wild=(0.0, 0.3, 0.6)[seed % 3])
