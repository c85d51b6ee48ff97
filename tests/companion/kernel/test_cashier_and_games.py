"""A game decides when cashier commands are available, and may react to the new balances."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from companion.kernel.commands import CashOut, Command
from companion.kernel.errors import NotOffered, TableError
from companion.kernel.header import Header
from companion.kernel.ledger import Ledger
from companion.kernel.messages import message
from companion.kernel.script import replay
from companion.kernel.table import Table
from companion.plugins.plugin import GamePlugin
from companion.plugins.registry import Games

sys.path.insert(0, str(Path(__file__).parents[2]))
from toys.coin_toss import CoinToss


class Closed(CoinToss):
    """No cashier commands before the first toss; Ann may not cash out; `pays` counts the players with coins."""

    name = "closed"
    min_players = 2

    def cashier(self, state: Any) -> frozenset[str]:
        return super().cashier(state) if state.tossed else frozenset()

    def counted(self, state: Any, command: Command | None, ledger: Ledger) -> Any:
        if isinstance(command, CashOut) and command.player == "Ann":
            raise NotOffered(message("Ann stays."))
        return replace(state, pays=sum(coins > 0 for coins in ledger.players.values()))


def table() -> Table:
    return Table(Header(Closed(), (("Ann", 50), ("Bo", 20), ("Cy", 0)), {}))


def code(at: Table, **record: Any) -> str:
    before = at.position
    with pytest.raises(TableError) as refused:
        at.do(record)
    assert at.position == before
    return refused.value.code


def test_the_counter_is_closed_while_the_game_says_so() -> None:
    at = table()
    assert not {"buy-in", "cash-out", "recount"} & at.expected()
    assert {"buy-in", "cash-out", "recount"} <= set(at.reasons())
    assert code(at, do="buy-in", player="Nobody", coins=5) == "wrong-phase"
    at.do({"do": "toss", "side": "heads"})
    assert {"buy-in", "cash-out", "recount"} <= at.expected()
    assert code(at, do="buy-in", player="Nobody", coins=5) == "unknown-player"


def test_the_game_sees_what_everybody_has_at_the_start_and_after_each_counting() -> None:
    at = table()
    assert at.position.state.pays == 2
    at.do({"do": "toss", "side": "heads"})
    at.do({"do": "buy-in", "player": "Cy", "coins": 5})
    assert at.position.state.pays == 3
    at.do({"do": "undo"})
    assert at.position.state.pays == 2
    assert code(at, do="cash-out", player="Ann") == "not-offered"


def test_a_script_needs_the_games_fewest_players_and_a_table_may_wait_for_them() -> None:
    games = Games((GamePlugin(rules=Closed()),))
    lines = ['{"game": "closed", "players": [{"name": "Ann", "coins": 5}]}']
    error = replay(lines, games).result["error"]
    assert error is not None
    assert (error["code"], error["line"]) == ("bad-script", 1)
    assert error["message"] == "Coin toss is for 2 players or more, and 1 sit here. Add some."
    assert Table(Header(Closed(), (), {})).seats == ()


def test_a_game_for_one_is_for_one_player() -> None:
    class Solo(Closed):
        name, min_players = "solo", 1

    error = replay(['{"game": "solo", "players": []}'], Games((GamePlugin(rules=Solo()),))).result["error"]
    assert error is not None
    assert error["message"].endswith(" is for 1 player or more, and 0 sit here. Add some.")
