"""The house's maximum loss: no ending without further stakes costs more, and the returned ending costs exactly that."""

import random
import sys
from pathlib import Path

from companion.kernel.errors import TableError
from companion.kernel.table import Table
from companion.testing import new_header

sys.path.insert(0, str(Path(__file__).parents[1]))
from blackjack_referee import Referee, likely, random_card, random_table

ENDINGS = 12


def copy_of(table: Table) -> Table:
    again = Table(table.header)
    for record in table.records:
        again.do(record)
    return again


def cost(table: Table, records: list[dict[str, object]]) -> int:
    again = copy_of(table)
    before = again.result()["house"]
    for record in records:
        again.do(record)
    return before - again.result()["house"]


def ended_at_random(table: Table, rng: random.Random) -> int:
    """Deal random cards and stand to the end; return the cost to the house."""
    again = copy_of(table)
    before, rounds = again.result()["house"], len(again.results)
    while len(again.results) == rounds:
        card = random_card(rng)
        view = again.view()
        asked = view["next_card"]  # type: ignore[typeddict-item]
        record = {"do": asked["do"], "to": asked["to"], "card": card}
        try:
            again.do({"do": "stand"} if asked["do"] == "hit" else record)
        except TableError:
            continue
    return before - again.result()["house"]


def test_no_ending_costs_more_and_the_named_one_costs_that() -> None:
    looked_at = 0
    for seed in range(60):
        rng = random.Random(f"risk {seed}")
        players, options = random_table(rng)
        options["decks"] = 2
        table, referee = Table(new_header("blackjack", players, options)), Referee(players, options)
        for _ in range(40):
            record = likely(rng, referee)
            if referee.do(record) is None:
                table.do(record)
        worst = table.position.state.worst
        if worst is None or referee.now["held"]:
            continue
        looked_at += 1
        assert cost(table, list(worst.commands)) == worst.coins, seed
        assert max(ended_at_random(table, rng) for _ in range(ENDINGS)) <= worst.coins, seed
    assert looked_at > 30


def test_the_worst_that_can_come_is_a_blackjack_for_the_highest_bets() -> None:
    """One deck has four aces, so the fifth bet can only win even money."""
    players = tuple((f"P{number}", 1000) for number in range(5))
    table = Table(new_header("blackjack", players, {"decks": 1}))
    for number, (player, _) in enumerate(players):
        table.do({"do": "bet", "player": player, "amount": 100 + 50 * number})
    worst = table.position.state.worst
    assert worst is not None
    assert worst.coins == 100 + sum(3 * amount // 2 for amount in (150, 200, 250, 300))
