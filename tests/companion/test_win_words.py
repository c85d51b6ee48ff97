"""What a win comes to, as sentences and views say it: the coins to pay, the stake that goes back, both together."""

from typing import Any

import pytest

from companion.kernel.table import Table
from companion.testing import new_header

DUO = (("Ann", 100), ("Bo", 100))
REALM_CUT = ("3D1", "3N1", "3D2")


def table(game: str, *records: dict[str, Any]) -> tuple[Table, list[str]]:
    """Return a table after some commands, and the sentences of the last one."""
    made = Table(new_header(game, DUO, {}))
    happened: Any = ()
    for record in records:
        happened = made.do(record)
    return made, [event.sentence for event in happened if hasattr(event, "sentence")]


def bet(player: str, on: str, amount: int) -> dict[str, Any]:
    return {"do": "bet", "player": player, "on": on, "amount": amount}


def cut(*bets: dict[str, Any]) -> str:
    """Return what the cut of the Realm says."""
    deals = [{"do": "deal", "card": card} for card in REALM_CUT]
    return table("roche", *bets, {"do": "no-more-bets"}, *deals)[1][-1].split(". ")[1]


@pytest.mark.parametrize(
    ("amount", "said"),
    [
        (4, "14 won, stake of 4 back: 18 in all"),
        (5, "14 won, stake of 5 back: 19 in all"),
        (1, "0 won, stake of 1 back: 1 in all"),
    ],
)
def test_an_odd_coin_on_a_price_for_two_comes_back_and_wins_nothing(amount: int, said: str) -> None:
    assert cut(bet("Ann", "cut/3", amount)) == said


def test_several_wins_are_one_sum_and_lost_stakes_are_no_part_of_it() -> None:
    assert cut(bet("Ann", "cut/3", 4), bet("Bo", "cut/3", 2), bet("Bo", "cut/6", 50)) == (
        "21 won, stakes of 6 back: 27 in all"
    )


def test_without_a_win_nothing_is_paid() -> None:
    assert cut(bet("Ann", "cut/6", 4)) == cut() == "No bet won"


def test_a_throw_of_house_rugen_pays_what_it_decided_and_no_earlier_bet() -> None:
    begun = (bet("Ann", "center/3", 3), bet("Ann", "chain/2", 5), bet("Bo", "day/1", 2), {"do": "throw", "face": "3d"})
    made, said = table("rugen-house", *begun)
    assert said[1] == "The throw settles 2 one-roll bets. 7 won, stake of 3 back: 10 in all"
    assert [(one["player"], one["won"]) for one in made.view()["paid_now"]] == [("Ann", 7), ("Bo", 0)]
    made, _ = table("rugen-house", *begun, {"do": "throw", "face": "2n"})
    assert made.view()["paid_now"] == []
    made, said = table("rugen-house", *begun, {"do": "throw", "face": "2n"}, {"do": "throw", "face": "2d"})
    assert said[-1].endswith("breaks the chain. Since it began, 22 won, stakes of 8 back: 30 in all")
    assert [(one["on"], one["won"]) for one in made.view()["paid_now"]] == [("chain/2", 15)]


def test_who_takes_all_in_capital_rugen_gets_every_stake_of_his_own_back() -> None:
    take = [{"do": "take", "player": "Ann", "number": n, **units} for n, units in ((1, {"units": 1}), (2, {}))]
    made, said = table("rugen-capital", *take, {"do": "close"}, {"do": "throw", "face": "1d"})
    view = made.view()
    won = sum(move["coins"] for move in view["result"]["transfers"])
    assert said[-1].endswith(f"Ann wins {won}, stake of {view['stake_back']} back: {won + view['stake_back']} in all")
    assert view["players"][0]["coins"] == 100 + won


def test_the_house_gets_no_stake_back_from_the_table() -> None:
    made, said = table(
        "rugen-capital",
        {"do": "take", "player": "Ann", "number": 4, "units": 1},
        {"do": "close"},
        {"do": "throw", "face": "1d"},
    )
    assert said[-1].endswith("the house wins 3")
    assert made.view()["stake_back"] == 0
