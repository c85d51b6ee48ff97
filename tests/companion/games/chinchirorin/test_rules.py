"""Chinchirorin, rule by rule."""

from itertools import product
from typing import Any

import pytest

from companion.games.chinchirorin.events import BankGiven, BankKept, GameOver
from companion.games.chinchirorin.settlement import shares
from companion.games.chinchirorin.throws import Kind, reading
from companion.kernel.errors import TableError
from companion.kernel.script import replay
from companion.kernel.table import Table
from companion.testing import INSTALLED, new_header


def table(*coins: int, banker: int | None = 1, **options: Any) -> Table:
    """Return a table of Ann, Bo, Cy … with these coins."""
    names = ["Ann", "Bo", "Cy", "Di", "Eve"]
    chosen = options if banker is None else {"banker": banker, **options}
    return Table(new_header("chinchirorin", tuple(zip(names, coins, strict=False)), chosen))


def do(at: Table, verb: str, **fields: Any) -> None:
    at.do({"do": verb, **fields})


def code(at: Table, verb: str, **fields: Any) -> str:
    """Return the error code of a rejected command."""
    with pytest.raises(TableError) as refused:
        do(at, verb, **fields)
    return refused.value.code


def round_of(at: Table, bank: int, bets: dict[str, int], *throws: Any) -> None:
    """Play a round."""
    do(at, "bank", amount=bank)
    for player, amount in bets.items():
        do(at, "bet", player=player, amount=amount, allowed=True)
    do(at, "close")
    for throw in throws:
        do(at, "throw", **({"out": True} if throw == "out" else {"dice": throw}))


def balances(at: Table) -> dict[str, int]:
    return at.result()["balances"]


# ---- throws


def test_every_throw_of_three_dice_is_one_kind() -> None:
    """Of 216: one 1-1-1, 5 other triples, 6 of each straight, 90 pairs, and 108 without a meaning."""
    kinds = [reading(dice).kind for dice in product(range(1, 7), repeat=3)]
    counted = {kind: kinds.count(kind) for kind in set(kinds)}
    assert counted == {
        Kind.ONES: 1, Kind.TRIPLE: 5, Kind.LOW: 6, Kind.HIGH: 6, Kind.SCORE: 90, Kind.NOTHING: 108
    }  # fmt: skip


@pytest.mark.parametrize(("dice", "score"), [((6, 3, 6), 3), ((5, 2, 2), 5), ((1, 1, 6), 6), ((4, 1, 4), 1)])
def test_the_score_is_the_third_die_beside_a_pair(dice: tuple[int, int, int], score: int) -> None:
    assert reading(dice).score == score


# ---- the first bank


def test_those_tied_for_the_highest_are_told_so_and_throw_again() -> None:
    at = table(50, 50, 50, banker=None)
    for player, die in (("Ann", 5), ("Bo", 2), ("Cy", 5)):
        do(at, "throw-for-bank", player=player, die=die)
    assert at.view()["prompt"] == "A tie at 5. Another die for the first bank: Ann and Cy"
    do(at, "throw-for-bank", player="Cy", die=1)
    assert at.view()["prompt"] == "A tie at 5. Another die for the first bank: Ann"
    do(at, "throw-for-bank", player="Ann", die=1)
    assert at.view()["prompt"] == "A tie at 1. Another die for the first bank: Ann and Cy"
    do(at, "throw-for-bank", player="Ann", die=4)
    do(at, "throw-for-bank", player="Cy", die=6)
    assert at.view()["prompt"] == "Cy has the bank: how much is it?"


# ---- settlement


def test_a_bettor_pays_at_most_bet_and_balance() -> None:
    at = table(100, 25, 50)
    round_of(at, 40, {"Bo": 20, "Cy": 20}, [6, 5, 4])
    assert balances(at) == {"Ann": 165, "Bo": 0, "Cy": 10}


def test_a_banker_who_is_short_gives_equal_shares_and_odd_coins_in_seat_order() -> None:
    assert shares([30, 6, 30], 41) == [18, 6, 17]
    assert shares([5, 5, 5], 2) == [1, 1, 0]
    assert shares([3, 9], 100) == [3, 9]
    assert shares([4, 4], 0) == [0, 0]


def test_shares_fit_the_funds_and_nobody_gets_more_than_is_owed() -> None:
    for owed in product(range(1, 7), repeat=3):
        for funds in range(20):
            given = shares(owed, funds)
            assert sum(given) == min(funds, sum(owed))
            assert all(got <= due for got, due in zip(given, owed, strict=True))
            open_shares = [got for got, due in zip(given, owed, strict=True) if got < due]
            assert not open_shares or max(given) - min(open_shares) <= 1


def test_a_banker_who_is_short_is_said_to_be_and_what_was_owed() -> None:
    at = table(174, 100, 100, 100)
    round_of(at, 174, {"Bo": 100, "Cy": 40, "Di": 30}, [1, 1, 1])
    assert at.view()["summary"] == (
        "1-1-1: Ann owes 3 times the bets, 510 in all, and has only 174. "
        "Bo gets 58 of 300, Cy gets 58 of 120, Di gets 58 of 90"
    )
    assert [sorted(one) for one in at.result()["results"][0]["transfers"]] == [["coins", "from", "to", "why"]] * 3


def test_a_short_banker_who_has_nothing_for_somebody_is_said_so() -> None:
    at = table(1, 9, 9)
    round_of(at, 1, {"Bo": 5, "Cy": 5}, "out")
    assert at.view()["summary"] == (
        "Out of the bowl: Ann owes the bets, 10 in all, and has only 1. Bo gets 1 of 5, Cy gets 0 of 5"
    )


def test_a_small_debt_is_paid_in_full_by_a_short_banker() -> None:
    at = table(50, 50, 50)
    round_of(at, 50, {"Bo": 30, "Cy": 2}, [2, 2, 2])
    assert at.view()["summary"] == (
        "2-2-2: Ann owes 2 times the bets, 64 in all, and has only 50. Bo gets 46 of 60, Cy gets 4"
    )


def test_a_bettor_who_is_short_is_said_to_be_and_what_was_owed() -> None:
    at = table(100, 132, 50)
    round_of(at, 100, {"Bo": 100, "Cy": 10}, [6, 5, 4])
    assert at.view()["summary"] == (
        "6-5-4: Ann collects 2 times the bets. Bo owes 200, has only 132 and pays that, Cy pays 20"
    )


def test_bets_are_listed_by_seat_whoever_bet_first() -> None:
    """Bets are made clockwise from the banker; the contract lists names in seat order."""
    at = table(9, 9, 9, banker=2)
    do(at, "bank", amount=5)
    do(at, "bet", player="Cy", amount=1)
    do(at, "bet", player="Ann", amount=2)
    assert list(at.result()["state"]["bets"]) == ["Ann", "Cy"]


def test_of_equal_bets_the_first_clockwise_from_the_banker_throws() -> None:
    at = table(50, 50, 50, 50, banker=3)
    round_of(at, 30, {"Di": 5, "Ann": 10, "Bo": 10}, [2, 2, 4])
    assert at.view()["turn"] == "Ann"
    assert code(at, "throw", player="Bo", dice=[1, 1, 1]) == "not-your-turn"


def test_a_score_beats_a_score_of_nothing() -> None:
    at = table(50, 50)
    round_of(at, 10, {"Bo": 10}, [1, 2, 4], [1, 2, 5], [1, 2, 6], [3, 3, 1])
    result = at.result()["results"][0]
    assert (result["banker_score"], result["player_score"], result["outcome"], result["times"]) == (0, 1, "bettors", 1)


def test_the_banker_out_of_the_bowl_pays_once_after_two_throws_of_nothing() -> None:
    at = table(50, 50)
    round_of(at, 10, {"Bo": 10}, [1, 2, 4], [1, 2, 5], "out")
    assert balances(at) == {"Ann": 40, "Bo": 60}
    assert at.result()["results"][0]["transfers"][0]["why"] == "out"


# ---- the bank


def test_the_bank_passes_over_who_has_no_coins() -> None:
    at = table(50, 0, 50)
    round_of(at, 10, {"Cy": 10}, "out")
    assert at.view()["banker"] == "Cy"


def test_who_gets_the_bank_is_said() -> None:
    at = table(50, 50)
    round_of(at, 10, {"Bo": 10})
    events = at.do({"do": "throw", "out": True})
    assert [event.banker for event in events if isinstance(event, BankGiven)] == ["Bo"]


def test_more_than_the_bank_needs_the_bankers_word() -> None:
    at = table(50, 50, 50)
    do(at, "bank", amount=10)
    do(at, "bet", player="Bo", amount=10)
    assert code(at, "bet", player="Cy", amount=1) == "over-limit"
    do(at, "bet", player="Cy", amount=1, allowed=True)
    assert at.view()["left"] == 0


def test_the_first_bank_goes_to_the_next_with_coins_after_the_seat_named() -> None:
    assert table(50, 0, 20, banker=2).view()["banker"] == "Cy"


@pytest.mark.parametrize("banker", [0, 4, True, "1", 1.0])
def test_a_first_banker_is_a_seat_of_the_table(banker: object) -> None:
    with pytest.raises(TableError) as refused:
        table(10, 10, 10, banker=banker)  # type: ignore[arg-type]
    assert refused.value.code == "bad-script"


# ---- buying in and cashing out


def test_coins_come_and_go_only_before_the_bank_is_announced() -> None:
    at = table(50, 50, banker=None)
    assert code(at, "buy-in", player="Ann", coins=5) == "wrong-phase"
    at = table(50, 50)
    do(at, "buy-in", player="Bo", coins=5)
    assert code(at, "cash-out", player="Ann") == "not-offered"
    do(at, "bank", amount=10)
    assert code(at, "cash-out", player="Bo") == "wrong-phase"
    assert {"buy-in", "cash-out"} <= set(at.reasons())


def test_who_is_left_alone_with_coins_ends_the_game_and_undo_brings_it_back() -> None:
    at = table(50, 50)
    do(at, "cash-out", player="Bo")
    assert at.phase == "over"
    assert code(at, "bank", amount=5) == code(at, "buy-in", player="Bo", coins=5) == "wrong-phase"
    do(at, "undo")
    assert at.phase == "bank"


def test_a_guest_with_coins_goes_on_with_a_game_that_was_over() -> None:
    at = table(50, 50)
    do(at, "cash-out", player="Bo")
    do(at, "join", player="Zoe", coins=20)
    assert (at.phase, at.view()["banker"]) == ("bank", "Ann")


def test_a_recount_before_the_bank_passes_it_over_who_has_nothing() -> None:
    at = table(50, 50, 50)
    do(at, "recount", player="Ann", coins=0, reason="the stack was Bo's")
    assert at.view()["banker"] == "Bo"


# ---- joining and leaving


def test_an_empty_table_waits_for_two_players_and_then_draws() -> None:
    at = table(banker=None)
    assert (at.phase, at.expected()) == ("draw", {"join", "leave", "hold", "recount"})
    do(at, "join", player="Ann", coins=20)
    assert code(at, "throw-for-bank", player="Ann", die=3) == "not-your-turn"
    do(at, "join", player="Bo", coins=20)
    assert at.view()["asked"] == ["Ann", "Bo"]
    do(at, "throw-for-bank", player="Ann", die=3)
    do(at, "join", player="Cy", coins=20)
    assert at.view()["asked"] == ["Bo"]


def test_the_thirteenth_finds_no_seat() -> None:
    at = table(10, 10)
    for number in range(10):
        do(at, "join", player=f"Guest {number}", coins=10)
    assert code(at, "join", player="Thirteen", coins=10) == "not-offered"


def test_the_banker_does_not_leave_a_round_without_coins() -> None:
    at = table(50, 50)
    do(at, "bank", amount=10)
    do(at, "recount", player="Ann", coins=0, reason="they were Bo's")
    assert code(at, "leave", player="Ann") == "wrong-phase"
    do(at, "bet", player="Bo", amount=10)
    do(at, "close")
    do(at, "throw", out=True)
    assert balances(at) == {"Ann": 0, "Bo": 50}


@pytest.mark.parametrize("count", [0, 1, 13])
def test_a_script_is_for_two_to_twelve_players(count: int) -> None:
    players = [f'{{"name": "P{number}", "coins": 10}}' for number in range(count)]
    script = f'{{"game": "chinchirorin", "players": [{", ".join(players)}]}}'
    error = replay([script], INSTALLED).result["error"]
    assert error is not None
    assert (error["code"], error["line"]) == ("bad-script", 1)


# ---- errors


@pytest.mark.parametrize(
    "fields",
    [{}, {"dice": [1, 2]}, {"dice": [1, 2, 7]}, {"dice": [1, 2, True]}, {"dice": [1, 2, 2.0]}, {"dice": "123"},
     {"out": "yes"}, {"out": False}, {"out": True, "dice": [1, 2, 3]}, {"dice": [1, 2, 3], "player": 1}],
)  # fmt: skip
def test_dice_that_do_not_exist_are_refused_before_anything_else(fields: dict[str, Any]) -> None:
    at = table(50, 50)
    assert code(at, "throw", **fields) == "bad-script"
    do(at, "hold")
    assert code(at, "throw", **fields) == "bad-script"


def test_who_throws_announces_or_decides_may_be_named() -> None:
    at = table(50, 50)
    assert code(at, "bank", player="Zoe", amount=0) == "unknown-player"
    assert code(at, "bank", player="Bo", amount=0) == "not-your-turn"
    assert code(at, "bank", player="Ann", amount=0) == "bad-amount"
    do(at, "bank", player="Ann", amount=5)


def test_an_empty_name_is_nobody_and_no_command() -> None:
    at = table(50, 50)
    do(at, "bank", amount=5)
    assert code(at, "bet", player="Zoe", amount=1) == "unknown-player"
    assert code(at, "bet", player="", amount=1) == "bad-script"


def test_who_threw_for_the_bank_and_left_does_not_get_it() -> None:
    at = table(50, 50, 50, banker=None)
    do(at, "throw-for-bank", player="Bo", die=2)
    do(at, "throw-for-bank", player="Ann", die=6)
    do(at, "recount", player="Ann", coins=0, reason="they were Bo's")
    do(at, "leave", player="Ann")
    do(at, "throw-for-bank", player="Cy", die=1)
    assert (at.phase, at.view()["banker"]) == ("bank", "Bo")


def test_a_draw_in_which_one_is_left_waits_for_a_second_player_and_begins_anew() -> None:
    at = table(50, 50, banker=None)
    do(at, "throw-for-bank", player="Ann", die=6)
    do(at, "recount", player="Ann", coins=0, reason="they were Bo's")
    do(at, "leave", player="Ann")
    assert at.view()["prompt"] == "Waiting for players"
    do(at, "join", player="Cy", coins=20)
    assert (at.phase, at.view()["asked"]) == ("draw", ["Cy", "Bo"])


def test_a_banker_without_coins_does_not_keep_the_bank() -> None:
    """After a recount that follows the wash, the message names the bank's new owner."""
    for counted, happened in (
        ({}, (BankKept("Ann"),)),
        ({"Ann": 0}, (BankGiven("Bo"),)),
        ({"Ann": 0, "Bo": 0}, (GameOver("Cy"),)),
    ):
        at = table(10, 10, 10)
        round_of(at, 5, {}, [6, 6, 6])
        for player, coins in counted.items():
            do(at, "recount", player=player, coins=coins, reason="counted")
        assert at.do({"do": "keep-bank"}) == happened
