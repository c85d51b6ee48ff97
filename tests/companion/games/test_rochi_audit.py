"""The audit of Rochi and Captain's Rochi detects any wrong amount, payee or winner before coins move."""

import time
from dataclasses import replace

import pytest
from rochi_tables import captains, coins, do, rochi

from companion.games.rochi.captains.rules import Captains
from companion.games.rochi.events import HandDecided
from companion.games.rochi.rules import Rochi
from companion.kernel.accounts import Account
from companion.kernel.ledger import Transfer
from companion.kernel.table import Table


def cheat(monkeypatch, game, change):
    """Corrupt a game's settlement: ``change`` is applied to each effect."""
    honest = game.apply

    def apply(self, state, command, ledger):
        state, happened = honest(self, state, command, ledger)
        return state, tuple(changed for event in happened for changed in change(event))

    monkeypatch.setattr(game, "apply", apply)


def one_more(event):
    return [replace(event, coins=event.coins + 1)] if isinstance(event, Transfer) else [event]


def nothing(event):
    return [] if isinstance(event, Transfer) else [event]


def to_cy(event):
    return [replace(event, payee=Account.player("Cy"))] if isinstance(event, Transfer) else [event]


ROCHI = {
    "price": (lambda: rochi(), "play 6N1"),
    "price to the owner": (lambda: do(rochi(), "play 6N1", "end"), "play 6N2"),
    "cut": (lambda: do(rochi(seeds="3D1 3D2"), "play 3D3", "end"), "deal 3N1"),
    "shield": (lambda: do(rochi(seeds="3D1 3D2"), "play 3D3", "end", "play 3N1", "end"), "deal 3N2"),
    "alone": (lambda: do(rochi(), "play 6N1", "end", "fold"), "fold"),
    "alone by end": (lambda: do(rochi(), "play 6N1", "end", "fold"), "end"),
    "last hand": (lambda: do(rochi(), "play 6N1", "end", "play 7N1", "end", "last-hand", "fold"), "fold"),
    "joining": (
        lambda: do(rochi(), "play 6N1", "end", "deal 7N1", "end", "deal 7N2", "end", "fold", "fold"),
        "join Di 9 6:1",
    ),
}
CAPTAINS = {
    "price": (lambda: captains(), "play 7D3"),
    "cut": (lambda: do(captains("3D1 6D1 6D2 5D1 5D2 4D1 4D2 7D1"), "play 3D2", "end"), "deal 3N1"),
    "odd": (lambda: do(captains("5D1 5D2 5D3 7D1 7D2 6D1 4D1 3D1"), "play 5D4", "end", "play 5D5"), "deal 5N1"),
    "odd coin": (
        lambda: do(captains("5D1 5D2 5D3 7D1 7D2 6D1 4D1 3D1"), "play 5D4", "end", "play 5D5", "deal 5N1"),
        "odd-coin 5",
    ),
    "stop": (lambda: do(captains(), "play 3D1"), "stop"),
    "drop": (lambda: captains(), "drop Ann"),
}
CASES = [pytest.param(Rochi, *case, id=f"rochi {name}") for name, case in ROCHI.items()]
CASES += [pytest.param(Captains, *case, id=f"captains {name}") for name, case in CAPTAINS.items()]


@pytest.mark.parametrize(("game", "make", "command"), CASES)
@pytest.mark.parametrize("change", [one_more, nothing, to_cy])
def test_a_wrong_payment_is_held_before_a_coin_moves(monkeypatch, game, make, command, change):
    table: Table = make()
    before = coins(table)
    cheat(monkeypatch, game, change)
    do(table, command)
    held = table.view()["hold"]
    assert held is not None
    assert "two settlements differ" in held
    assert coins(table)[: len(before)] == before


@pytest.mark.parametrize(("game", "make", "command"), CASES)
def test_the_honest_one_passes(game, make, command):
    assert do(make(), command).view()["hold"] is None


def test_pots_of_millions_are_divided_at_once():
    """Regression: they were divided coin by coin, which took minutes for billions."""
    table = do(rochi(), "play 6N1", "end", "play 7N1", "end", "last-hand")
    table.do({"do": "recount", "pot": 2, "coins": 30_000_000, "reason": "counted"})
    began = time.process_time()
    do(table, "fold", "fold")
    assert time.process_time() - began < 2
    assert table.phase == "finished"
    assert table.position.hold is None
    assert sum(coins(table)) == 300 + 30_000_000


@pytest.mark.parametrize(
    ("game", "make", "command"),
    [
        (Rochi, ROCHI["cut"][0], "deal 3N1"),
        (Rochi, lambda: do(rochi(), "fold"), "fold"),
        (Captains, CAPTAINS["cut"][0], "deal 3N1"),
    ],
)
def test_a_wrong_winner_or_none_is_held(monkeypatch, game, make, command):
    table = make()
    cheat(monkeypatch, game, lambda event: [] if isinstance(event, HandDecided) else [event])
    do(table, command)
    assert "the hand is decided as None" in table.view()["hold"]


def test_a_hand_that_is_decided_too_early_is_held(monkeypatch):
    table = rochi()
    cheat(monkeypatch, Rochi, lambda event: [event, HandDecided("Ann", 7, (), ())])
    do(table, "deal 7N1")
    assert "the second settlement says None" in table.view()["hold"]
