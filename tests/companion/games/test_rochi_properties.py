"""Properties of Rochi and Captain's Rochi over random legal and illegal commands."""

import json
import random
from typing import Any

import pytest
from captains_referee import duel_by_chance
from hypothesis import given, settings
from hypothesis import strategies as st
from rochi_referee import all_cards, evening_by_chance

from companion.journal.checkpoints import pack, unpack
from companion.kernel.accounts import CAGE
from companion.kernel.errors import TableError
from companion.kernel.ledger import Transfer
from companion.kernel.table import Header, Table
from companion.testing import INSTALLED

MAKERS = {
    "rochi": lambda rng: evening_by_chance(rng, hands=3),
    "captains": lambda rng: duel_by_chance(rng, commands=150),
}
SEEDS = st.integers(0, 10**9)
GAMES = pytest.mark.parametrize("game", ["rochi", "captains"])


def any_record(rng: random.Random) -> dict[str, Any]:
    """Return a random command of either game, often illegal."""
    name = rng.choice(["Aubrey", "Benedict", "Chance", "Gil", "Nobody"])
    card = rng.choice([*all_cards("full"), "8D1", ""])
    into = {rng.choice(["2", "6", "7", "9"]): rng.randint(-1, 5)}
    return rng.choice(
        [
            *({"do": verb, "card": card} for verb in ("seed", "play", "deal", "play", "deal")),
            *({"do": verb} for verb in ("end", "fold", "pass", "next-hand", "last-hand", "stop", "redo", "undo")),
            {"do": "play", "card": card, "player": name}, {"do": "discard", "player": name, "card": card},
            {"do": "join", "player": name, "coins": rng.randint(-1, 20), "into": into, "seat": rng.randint(0, 7)},
            {"do": "return", "player": name, "into": into}, {"do": "sit-out", "player": name},
            {"do": "leave", "player": name}, {"do": "drop", "player": name},
            {"do": "odd-coin", "pot": rng.randint(1, 8)}, {"do": "cash-out", "player": name},
            {"do": "buy-in", "player": name, "coins": rng.randint(0, 9)}, {"do": "hold"}, {"do": "release"},
        ]
    )  # fmt: skip


def played(game: str, rng: random.Random) -> Table:
    """Return a table in the middle of a random legal game."""
    steps = MAKERS[game](rng)
    table = Table(Header.parse(next(steps)[0], INSTALLED))
    for _, (record, _) in zip(range(rng.randint(0, 120)), steps, strict=False):
        table.do(record)
    return table


@GAMES
@settings(max_examples=60, deadline=None)
@given(seed=SEEDS)
def test_a_refused_command_changes_nothing_and_nothing_outside_expected_is_accepted(game, seed):
    rng = random.Random(seed)
    table = played(game, rng)
    for _ in range(60):
        before, view, expected, record = table.result(), table.view(), table.expected(), any_record(rng)
        try:
            table.do(record)
        except TableError:
            assert (table.result(), table.view()) == (before, view)
        else:
            assert record["do"] in expected


@GAMES
@settings(max_examples=40, deadline=None)
@given(seed=SEEDS)
def test_coins_are_conserved(game, seed):
    rng = random.Random(seed)
    table = played(game, rng)
    on_the_table = total(table)
    for _ in range(80):
        try:
            happened = table.do(record := any_record(rng))
        except TableError:
            continue
        if record["do"] in ("undo", "redo"):
            on_the_table = total(table)
        on_the_table += sum(brought(event) for event in happened if record["do"] not in ("undo", "redo"))
        assert total(table) == on_the_table
        assert table.position.ledger.total == 0
        assert table.result()["house"] == table.result()["staked"] == 0


def total(table: Table) -> int:
    result = table.result()
    return sum(result["balances"].values()) + sum(result["pots"].values())


def brought(event: object) -> int:
    if not isinstance(event, Transfer):
        return 0
    return event.coins * ((event.payer == CAGE) - (event.payee == CAGE))


@GAMES
@settings(max_examples=25, deadline=None)
@given(seed=SEEDS)
def test_undo_is_exact_over_hand_borders_all_the_way_back_and_redo_all_the_way_forth(game, seed):
    rng = random.Random(seed)
    steps = MAKERS[game](rng)
    table = Table(Header.parse(next(steps)[0], INSTALLED))
    seen = [(table.result(), table.position)]
    for record, _ in steps:
        if record["do"] in ("undo", "redo"):
            break
        table.do(record)
        seen.append((table.result(), table.position))
    for result, position in reversed(seen[:-1]):
        table.do({"do": "undo"})
        assert (table.result(), table.position) == (result, position)
    for result, position in seen[1:]:
        table.do({"do": "redo"})
        assert (table.result(), table.position) == (result, position)


@GAMES
@settings(max_examples=25, deadline=None)
@given(seed=SEEDS)
def test_the_commands_that_count_lead_to_the_same_table(game, seed):
    table = played(game, random.Random(seed))
    again = Table(table.header)
    for record in table.records:
        again.do(record)
    assert again.result() == table.result()
    assert again.position == table.position


@GAMES
@settings(max_examples=40, deadline=None)
@given(seed=SEEDS)
def test_every_position_can_be_shown_kept_and_explained(game, seed):
    table = played(game, random.Random(seed))
    json.dumps(table.view())
    json.dumps(table.result())
    assert unpack(pack(table.position), type(table.position.state)) == table.position
    reasons = table.game.reasons(table.position.state)
    assert all(reason.endswith(".") for reason in reasons.values())
    assert table.view()["prompt"]


@GAMES
@settings(max_examples=40, deadline=None)
@given(seed=SEEDS)
def test_nothing_that_nobody_has_seen_is_shown(game, seed):
    """The companion does not know cards in hands or in the deck, so it cannot show any."""
    rng = random.Random(seed)
    steps = MAKERS[game](rng)
    header, books = next(steps)
    table = Table(Header.parse(header, INSTALLED))
    for _, (record, _) in zip(range(rng.randint(1, 120)), steps, strict=False):
        table.do(record)
    view = table.view() | {"undoes": None}  # the latest card was seen, even if it has been shuffled since
    shown = json.dumps([view, table.result()["state"]])
    hidden = [card for hand in books.t["hands"].values() for card in hand] + books.t["draw"]
    assert not [card for card in hidden if f'"{card}"' in shown]
