"""Whatever is seen, coins move only by events that undo reverses exactly, and none are lost."""

import random
from contextlib import suppress

import pytest
from rochi_hands import Hands, rochi

from companion.games.roche_deck.design import FULL_DECK
from companion.kernel.errors import TableError

ZONES = (*(f"stack/{rank}" for rank in range(2, 8)), *(f"seat/{seat}" for seat in range(1, 7)), "discard", "deck",
         "pot/4", None)  # fmt: skip

SAID = {"end", "fold", "undo", "redo", "next-hand", "pass"}


class Chaos(Hands):
    """Checks the coins after every command, whatever its source."""

    def tell(self, record):
        before = self.table.result()
        super().tell(record)
        after = self.table.result()
        assert whole(after) == whole(before), f"coins were made or lost by {record}"
        if record["do"] in ("undo", "redo") or before["balances"] == after["balances"]:
            return
        self.table.do({"do": "undo"})
        assert money(self.table.result()) == money(before), f"undo does not take {record} back"
        self.table.do({"do": "redo"})
        assert money(self.table.result()) == money(after), f"redo does not bring {record} again"


def money(result):
    return result["balances"], result["pots"]


def whole(result):
    return sum(result["balances"].values()) + sum(result["pots"].values())


def mess(table: Hands, rng: random.Random) -> None:
    """Perform a random action on the table."""
    seats = range(1, len(table.header.players) + 1)
    by = rng.choice(seats)
    what = rng.randrange(9)
    if what < 4:
        id_ = rng.choice(FULL_DECK)
        home = f"stack/{id_[0]}" if rng.random() < 0.7 else rng.choice(ZONES)
        status = rng.choice(("ok",) * 8 + ("tag", "forged", "foreign", "unreadable"))
        lay = rng.choice((table.deal, table.play))
        lay(id_, by=by, to=home, status=status, wait=rng.choice((0.3, 1.0, 3.0)))
    elif what == 4 and table.cards:
        table.take(rng.choice(list(table.cards)), wait=1.0)
    elif what == 5 and table.cards:
        table.push(rng.choice(list(table.cards)), rng.choice(ZONES), wait=1.0)
    elif what == 6:
        table.give(f"T{rng.randint(2, 7)}", rng.choice([f"seat/{rng.choice(seats)}", "pot/5", "stack/3"]), by=by)
    elif what == 7 and table.questions:
        question = rng.choice(table.questions)
        choice = rng.choice(question.choices)
        with suppress(TableError, StopIteration):  # refused, or another question of the same kind
            table.answer(question.kind, choice.id)
    else:
        verb = rng.choice(sorted(SAID & set(table.view["expected"])) or [""])
        if verb:
            table.do(verb)
        else:
            table.interpreter.intend(rng.choice(("play", "deal")), table.t)


@pytest.mark.parametrize(("seed", "players"), [(1, 3), (2, 4), (3, 5), (4, 2)])
def test_no_coin_moves_without_an_event_that_undo_takes_back(seed, players):
    chaos(seed, players, steps=25)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 60))
def test_no_coin_moves_in_long_chaos(seed):
    chaos(seed, players=2 + seed % 5, steps=120)


def chaos(seed: int, players: int, steps: int) -> None:
    rng = random.Random(seed)
    calm = rochi(players)
    table = Chaos(calm.header)
    for _ in range(steps):
        mess(table, rng)
        for question in table.questions:
            assert question.choices, f"{question.text} has no way out"
            assert len({c.id for c in question.choices}) == len(question.choices)
    assert whole(table.table.result()) == 100 * players
    for _ in range(1000):
        if "undo" not in table.view["expected"]:
            break
        table.table.do({"do": "undo"})
        table._view = None
    assert whole(table.table.result()) == 100 * players
