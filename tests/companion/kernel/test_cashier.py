"""Buy-ins, cash-outs, and recounts when the coins on the table differ from the ledger."""

import pytest
from evenings import GAMES, random_records
from rochi_tables import do, rochi

from companion.kernel.accounts import CAGE, Account
from companion.kernel.errors import BadAmount, BadScript, NothingDone, NotOffered, UnknownPlayer, WrongPhase
from companion.kernel.events import Recounted
from companion.kernel.ledger import Transfer
from companion.kernel.table import Table
from companion.testing import new_header, new_table

WHY = "a coin had rolled under the mat"


def recount(table: Table, coins: int, **whose) -> tuple:
    return table.do({"do": "recount", **whose, "coins": coins, "reason": WHY})


def test_too_few_coins_are_an_entry_that_takes_them_out_of_the_books():
    table = rochi()
    told, moved = recount(table, 97, player="Ann")
    assert told == Recounted("Ann", None, 100, 97, WHY, "Ann")
    assert told.sentence == "Recount: Ann has 97 coins, not 100 (a coin had rolled under the mat)"
    assert moved == Transfer(Account.player("Ann"), CAGE, 3, f"recount: {WHY}")
    assert table.position.ledger.balance("Ann") == 97


def test_too_many_coins_come_into_the_books_and_a_pot_is_counted_too():
    table = rochi()
    recount(table, 101, player="Bo")
    told, _ = recount(table, 2, pot=6)
    assert told.sentence == "Recount: the pot of Kin has 2 coins, not 0 (a coin had rolled under the mat)"
    assert (table.position.ledger.balance("Bo"), table.result()["pots"]["6"]) == (101, 2)
    assert table.position.ledger.total == 0


def test_a_recount_is_undone_like_anything_else():
    table = rochi()
    before = table.position
    recount(table, 5, player="Ann")
    assert table.view()["undo"]
    table.do({"do": "undo"})
    assert table.position == before


@pytest.mark.parametrize(
    ("record", "error"),
    [
        ({"player": "Ann", "coins": 100, "reason": WHY}, NothingDone),
        ({"player": "Ann", "coins": -1, "reason": WHY}, BadAmount),
        ({"player": "Ann", "coins": 5.0, "reason": WHY}, BadAmount),
        ({"player": "Ann", "coins": True, "reason": WHY}, BadAmount),
        ({"player": "Ann", "coins": 5, "reason": "  "}, BadScript),
        ({"player": "Ann", "coins": 5, "reason": "x" * 201}, BadScript),
        ({"player": "Ann", "coins": 5, "reason": 7}, BadScript),
        ({"player": "Zoe", "coins": 5, "reason": WHY}, UnknownPlayer),
        ({"player": "Ann", "pot": 6, "coins": 5, "reason": WHY}, BadScript),
        ({"coins": 5, "reason": WHY}, BadScript),
        ({"pot": 9, "coins": 5, "reason": WHY}, NotOffered),
        ({"pot": "6", "coins": 5, "reason": WHY}, NotOffered),
        ({"player": "Ann", "coins": 5}, BadScript),
    ],
)
def test_what_is_no_recount_changes_nothing(record, error):
    table = rochi()
    before = table.position
    with pytest.raises(error):
        table.do({"do": "recount", **record})
    assert table.position is before


def test_with_credit_a_debt_can_be_counted_and_a_pot_never():
    table = rochi(credit=True)
    recount(table, -7, player="Ann")
    assert table.position.ledger.balance("Ann") == -7
    with pytest.raises(BadAmount):
        recount(table, -1, pot=6)


def test_games_without_pots_say_so():
    table = Table(new_header("roche", (("Ann", 5),)))
    with pytest.raises(NotOffered, match="This game has no pots"):
        recount(table, 5, pot=6)


@pytest.mark.parametrize("game", GAMES)
def test_players_can_be_recounted_at_any_moment_of_any_game(game):
    header, records = random_records(game, 9)
    table = Table(header)
    for record in records:
        table.do(record)
        name = table.seats[0].player if table.seats else None
        if name is not None and table.position.hold is None:
            before, had = table.position, table.position.ledger.balance(name)
            recount(table, had + 1 if had >= 0 else had - 1, player=name)
            assert table.position.state is before.state
            table.do({"do": "undo"})


def test_a_table_on_hold_counts_nothing():
    table = do(rochi())
    table.do({"do": "hold", "why": "the cat"})
    with pytest.raises(WrongPhase, match="on hold: the cat"):
        recount(table, 5, player="Ann")


def aside_of(player: str, front: int, aside: int) -> Table:
    """Return a table where a player sits with coins in front of them and others put aside."""
    table = new_table("king-of-roulette")
    table.do({"do": "join", "player": player, "coins": front, "aside": aside})
    return table


def coins_of(table: Table, player: str) -> tuple[int, int, int]:
    ledger = table.position.ledger
    assert ledger.total == 0
    return ledger.balance(player), ledger.aside(player), ledger.brought.get(player, 0)


def test_a_buy_in_takes_what_was_put_aside_before_it_brings_more():
    table = aside_of("Ann", 6, 10)
    assert (coins_of(table, "Ann"), table.view()["players"][0]["aside"]) == ((6, 10, 16), 10)
    table.do({"do": "buy-in", "player": "Ann", "coins": 4})
    assert coins_of(table, "Ann") == (10, 6, 16)
    table.do({"do": "buy-in", "player": "Ann", "coins": 8})
    assert coins_of(table, "Ann") == (18, 0, 18)
    assert "aside" not in table.view()["players"][0]
    for _ in range(2):
        table.do({"do": "undo"})
    assert coins_of(table, "Ann") == (6, 10, 16)


def test_coins_from_a_purse_of_the_house_come_from_there_alone():
    """The house has booked them: they must not come from what the player has aside."""
    table = aside_of("Ann", 6, 10)
    table.do({"do": "buy-in", "player": "Ann", "coins": 4, "transfer": "01234567", "purse": 3})
    assert coins_of(table, "Ann") == (10, 10, 20)


def test_whoever_cashes_out_takes_what_is_aside_too_and_nobody_leaves_it_behind():
    table = aside_of("Ann", 0, 10)
    with pytest.raises(NotOffered, match="Ann still has 10 coins"):
        table.do({"do": "leave", "player": "Ann"})
    told, *moves = table.do({"do": "cash-out", "player": "Ann"})
    assert (told.sentence, moves[-1].coins) == ("Ann cashes out 10", 10)
    assert coins_of(table, "Ann") == (0, 0, 0)
    table.do({"do": "leave", "player": "Ann"})


@pytest.mark.parametrize("aside", [-1, 1.5, False, "4", None])
def test_what_is_put_aside_is_a_number_of_coins(aside):
    with pytest.raises(BadAmount):
        new_table("king-of-roulette").do({"do": "join", "player": "Ann", "coins": 1, "aside": aside})


def test_a_script_says_what_is_aside_so_that_its_coins_add_up():
    told = aside_of("Ann", 6, 10).result()
    assert (told["balances"], told["aside"]) == ({"Ann": 6}, {"Ann": 10})
