"""From one session to the next: seats, coins, pots and debts, and what the new game cannot take over."""

import pytest

from companion.journal.session_transfer import REASON, Transferred, carried, seated, without_antes
from companion.kernel.accounts import CAGE, HOUSE, RECOUNT, Account
from companion.kernel.game import Seat
from companion.kernel.ledger import Ledger, Transfer
from companion.testing import new_header

ANN, BO, POT = Account.player("Ann"), Account.player("Bo"), Account.pot(6)
SEATS = (Seat(2, "Bo"), Seat(1, "Ann"))


def ledger(*moves: tuple[Account, Account, int], credit: bool = False) -> Ledger:
    """Return the ledger after Ann has brought 10 and Bo 20, and these transfers."""
    bought = [(CAGE, ANN, 10), (CAGE, BO, 20), *moves]
    return Ledger(credit=credit, brought={"Ann": 10, "Bo": 20}).post([Transfer(*move, "") for move in bought])


def to(game: str, old: Ledger, **options: object) -> Transferred:
    return carried(new_header(game, options=options), SEATS, old, {})


def records(found: Transferred) -> list[object]:
    return [record for record, _ in found.commands]


def recount(coins: int, **whose: object) -> dict[str, object]:
    return {"do": "recount", **whose, "coins": coins, "reason": REASON}


def held(found: Transferred) -> dict[Account, int]:
    return {account: coins for account, coins in found.table.position.ledger.accounts.items() if coins}


def test_players_without_a_gap_stand_in_the_header() -> None:
    found = to("roche", ledger((ANN, BO, 3)))
    assert (records(found), found.left_behind, found.table.base) == ([], (), 0)
    assert found.table.header.players == (("Ann", 7), ("Bo", 23))
    assert held(found) == {ANN: 7, BO: 23, CAGE: -30}
    assert {party: won for party, won in found.table.header.gains.items() if won} == {ANN: -3, BO: 3}


def test_players_with_a_gap_join_in_their_own_seats() -> None:
    table, commands = seated(new_header("roche"), (Seat(4, "Bo"), Seat(1, "Ann")), {"Ann": 7, "Bo": -3})
    assert [record for record, _ in commands] == [
        {"do": "join", "player": "Ann", "coins": 7, "seat": 1},
        {"do": "join", "player": "Bo", "coins": 0, "seat": 4},
    ]
    assert [(seat.number, seat.player) for seat in table.seats] == [(1, "Ann"), (4, "Bo")]


def test_pots_follow_the_players_where_the_game_has_them() -> None:
    """All of the table's own commands are below ``base``, so that no undo reaches them."""
    found = to("rochi", ledger((ANN, POT, 4)))
    assert records(found)[2:] == [recount(4, pot=6)]
    assert (len(records(found)), found.table.base, found.left_behind) == (3, 3, ())
    assert held(found) == {ANN: 6, BO: 20, POT: 4, CAGE: -30}


@pytest.mark.parametrize("game", ["roche", "roulette"])
def test_pots_that_the_game_has_not_are_to_be_divided(game: str) -> None:
    found = to(game, ledger((ANN, POT, 4)))
    assert (records(found), list(map(str, found.left_behind))) == ([], ["4 coins of pot 6: divide them."])


def test_a_debt_goes_on_where_there_is_credit_and_is_told_where_there_is_none() -> None:
    old = ledger((ANN, BO, 15), credit=True)
    found = to("rochi", old, credit=True)
    assert (records(found)[2:], found.left_behind) == ([recount(-5, player="Ann")], ())
    assert held(found) == {ANN: -5, BO: 35, CAGE: -30}
    found = to("roche", old)
    assert list(map(str, found.left_behind)) == ["Ann owes 5 coins."]


def test_who_does_not_sit_here_any_more_keeps_what_is_theirs() -> None:
    found = carried(new_header("roche"), SEATS[1:], ledger(), {})
    assert (records(found), found.left_behind) == ([recount(20, player="Bo")], ())
    assert held(found) == {ANN: 10, BO: 20, CAGE: -30}


def test_antes_go_back_only_where_that_is_all_that_moved() -> None:
    """What the players brought and no longer have is in the pots; else coins were played for, and stay."""
    antes = ledger((ANN, POT, 4), (BO, Account.pot(7), 2))
    back = without_antes(antes)
    assert {account: coins for account, coins in back.accounts.items() if coins} == {ANN: 10, BO: 20, CAGE: -30}
    for played in (
        ledger((ANN, BO, 3)),  # somebody has more than they brought
        ledger((ANN, POT, 4), (ANN, HOUSE, 1)),  # it is not all in the pots
        ledger((ANN, POT, 4), (POT, HOUSE, 4), (HOUSE, POT, 3), (ANN, Account.stake("Ann", "x"), 1), (HOUSE, POT, 2)),
    ):
        assert without_antes(played) is played


def test_a_game_with_coins_of_its_own_begins_with_a_buy_in_and_the_rest_aside() -> None:
    """Of 40 coins 6 are garnets; who has fewer brings them all. Another game has everything in front again."""
    rich = ledger((CAGE, BO, 20))
    to_king = to("king-of-roulette", rich)
    assert records(to_king) == [
        {"do": "join", "player": "Ann", "coins": 6, "seat": 1, "aside": 4},
        {"do": "join", "player": "Bo", "coins": 6, "seat": 2, "aside": 34},
    ]
    assert held(to_king) == {ANN: 6, BO: 6, Account.aside("Ann"): 4, Account.aside("Bo"): 34, CAGE: -50}
    assert {party: won for party, won in to_king.table.header.gains.items() if won} == {RECOUNT: -20, BO: 20}
    poor = to("king-of-roulette", ledger((ANN, BO, 7)))
    assert records(poor)[0] == {"do": "join", "player": "Ann", "coins": 3, "seat": 1}
    played = to_king.table.position.ledger.post([Transfer(BO, HOUSE, 5, "bonus")])
    back = carried(new_header("roche"), SEATS, played, to_king.table.header.gains)
    assert (records(back), back.table.header.players) == ([], (("Ann", 10), ("Bo", 35)))
    assert {party: won for party, won in back.table.header.gains.items() if won} == {RECOUNT: -20, BO: 15, HOUSE: 5}


def test_what_is_aside_stays_there_while_the_same_game_goes_on() -> None:
    """A start with other settings must not make coins of garnets that were won."""
    once = to("king-of-roulette", ledger()).table.position.ledger.post([Transfer(HOUSE, ANN, 3, "garnets")])
    again = carried(new_header("king-of-roulette", options={"rounds": 3}), SEATS, once, {}, goes_on=True)
    assert (held(again)[ANN], held(again)[Account.aside("Ann")]) == (9, 4)
    other = carried(new_header("king-of-roulette", options={"buy_in": 8}), SEATS, once, {})
    assert (held(other)[ANN], held(other)[Account.aside("Ann")]) == (8, 5)


def test_a_tournament_begins_with_equal_stacks_and_hands_no_garnet_on_as_a_chip() -> None:
    """Each game with coins of its own begins anew with everything that its players have."""
    rich = ledger((CAGE, ANN, 2990), (CAGE, BO, 4980))
    king = to("king-of-roulette", rich).table.position.ledger
    found = carried(new_header("holdem-tournament"), SEATS, king, {})
    assert held(found) == {ANN: 2000, BO: 2000, Account.aside("Ann"): 1000, Account.aside("Bo"): 3000, CAGE: -8000}
    found.table.do({"do": "post"})
    assert found.table.phase == "hole"
