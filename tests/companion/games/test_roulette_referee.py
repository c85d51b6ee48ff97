"""Random evenings of roulette agree with an independent referee in every coin, result and error code."""

import json
import random

import pytest
from roulette_referee import Books, Refused, random_command, random_header, spots

from companion.games.roulette.layout import layout
from companion.kernel.errors import TableError
from companion.kernel.header import Header
from companion.kernel.script import replay
from companion.kernel.table import Table
from companion.testing import INSTALLED


def check(seed: int, commands: int) -> None:
    """Play commands in parallel; then replay the script as a file that ends with the first rejected command."""
    rng = random.Random(seed)
    header = random_header(rng)
    books, table = Books(header), Table(Header.parse(header, INSTALLED))
    script, refused = [header], None
    for number in range(commands):
        record = random_command(rng, books)
        code = outcome(books, record)
        before = table.position
        assert outcome_at(table, record) == code, f"seed {seed}, command {number}: {record}"
        if code is None:
            script.append(record)
        else:
            assert table.position is before
            refused = refused or (record, code, list(script), json.dumps(books.result()))
        assert table.result() == books.result(), f"seed {seed}, command {number}: {record}"
    again = replay(map(json.dumps, script), INSTALLED).result
    assert again == books.result(), f"seed {seed}"
    if refused is not None:
        record, code, until, result = refused
        stopped = replay(map(json.dumps, [*until, record]), INSTALLED).result
        assert stopped["error"] is not None
        assert (stopped["error"]["line"], stopped["error"]["code"]) == (len(until) + 1, code), f"seed {seed}"
        assert {**stopped, "error": None} == json.loads(result), f"seed {seed}"


def outcome(books: Books, record: dict[str, object]) -> str | None:
    try:
        books.do(record)
    except Refused as error:
        return str(error)
    return None


def outcome_at(table: Table, record: dict[str, object]) -> str | None:
    try:
        table.do(record)
    except TableError as error:
        return error.code
    return None


@pytest.mark.parametrize("block", range(10))
def test_two_thousand_random_evenings_agree_with_the_referee(block: int) -> None:
    for seed in range(block * 200, block * 200 + 200):
        check(seed, commands=24)


@pytest.mark.slow
def test_twenty_thousand_long_evenings_agree_with_the_referee() -> None:
    for seed in range(100_000, 120_000):
        check(seed, commands=80)


@pytest.mark.parametrize("wheel", ["european", "american"])
def test_every_spot_covers_what_a_chip_on_the_grid_touches(wheel: str) -> None:
    mine = {on: (set(spot.pockets), spot.price.win) for on, spot in layout(wheel).items()}
    assert mine == spots(wheel)
