"""The house's maximum loss on a spin: at least the cost of any pocket, and reached by one of them."""

import random

import pytest

from companion.games.roulette.layout import EVEN_MONEY, layout
from companion.games.roulette.wheel import POCKETS
from companion.kernel.table import Table
from companion.testing import new_header


@pytest.mark.parametrize("seed", range(40))
def test_the_worst_is_what_the_dearest_pocket_costs(seed: int) -> None:
    rng = random.Random(seed)
    wheel, rule = rng.choice(("european", "american")), rng.choice(("en-prison", "surrender", "none"))
    table = Table(new_header("roulette", (("Ann", 10**6), ("Bo", 10**6)), {"wheel": wheel, "zero_rule": rule}))
    spots = list(layout(wheel))
    for pocket in ("0", None):
        for on in rng.sample(spots, rng.randint(0, 30)) + rng.sample(list(EVEN_MONEY), rng.randint(1, 4)):
            table.do({"do": "bet", "player": rng.choice(("Ann", "Bo")), "on": on, "amount": rng.randint(1, 40)})
        table.do({"do": "no-more-bets"})
        if pocket:
            table.do({"do": "spin", "pocket": pocket})
    worst = table.position.state.worst
    costs = {}
    for pocket in POCKETS[wheel]:
        before = table.position.ledger.house
        table.do({"do": "spin", "pocket": pocket})
        costs[pocket] = before - table.position.ledger.house
        if pocket == worst.when["pocket"] and worst.bet:
            paid = table.results[-1][1]["paid"]
            assert worst.bet.amount * layout(wheel)[worst.bet.on].price.win == max(line["won"] for line in paid)
        table.do({"do": "undo"})
    assert worst.coins == max(costs.values())
    for record in worst.commands:
        table.do(record)
    assert costs[worst.when["pocket"]] == worst.coins


def test_the_bank_bounds_what_all_bets_can_win_together() -> None:
    table = Table(new_header("roulette", (("Ann", 100),), {"bank": 100}))
    table.do({"do": "bet", "player": "Ann", "on": "straight/17", "amount": 2})
    with pytest.raises(Exception, match="could win 104") as refused:
        table.do({"do": "bet", "player": "Ann", "on": "split/17/20", "amount": 2})
    assert refused.value.code == "over-limit"
    table.do({"do": "bet", "player": "Ann", "on": "split/18/21", "amount": 2})
    assert table.position.state.worst.coins == 68
