"""Between the hands of Rochi: the leader button, newcomers, sitting out, leaving and the last hand."""

import pytest
from rochi_tables import coins, do, facts, latest, pots, rochi

from companion.kernel.errors import (
    BadAmount,
    BadName,
    BadScript,
    NotEnoughCoins,
    NothingDone,
    NotOffered,
    UnknownPlayer,
    WrongPhase,
)
from companion.kernel.table import Table
from companion.testing import INSTALLED, new_header


def over(players: int = 3, **options: object) -> Table:
    """Return a table after a hand without a winner: 3 coins in the pot of Commons, 2 in that of Kin."""
    table = do(rochi(players, seeds="7D1 7D2 6D1 5D1 4D1 3D1", **options))
    do(table, "play 7D3", "end", "play 6D3", "end")
    rest = players - 2
    for number in range(rest):
        do(table, f"deal {('4N1', '5N1', '4N2')[number]}", "end")
    return do(table, *["fold"] * (players - 1))


def another_hand(table: Table) -> Table:
    """Play a hand without a winner: everybody folds."""
    do(table, "next-hand")
    for number in range(facts(table)["to_seed"]):
        do(table, f"seed {('7D1', '7D2', '6D1', '6D2', '5D1', '4D1')[number]}")
    while table.phase == "turns":
        do(table, "fold")
    return table


class TestLeaderButton:
    def test_it_moves_one_seat_left_after_every_hand(self):
        table = over()
        leaders = [facts(table)["leader"]]
        for _ in range(3):
            leaders.append(facts(another_hand(table))["leader"])
        assert leaders == ["Ann", "Bo", "Cy", "Ann"]

    def test_over_empty_seats(self):
        table = do(over(4), "leave Bo")
        assert facts(another_hand(table))["leader"] == "Cy"

    def test_and_over_those_who_sit_out(self):
        table = do(over(4), "sit-out Bo")
        assert facts(another_hand(table))["leader"] == "Cy"

    def test_a_newcomer_to_the_leaders_left_has_it_next(self):
        table = over(3, leader=3)
        do(table, "join Di 9 7:2")
        assert facts(another_hand(table))["leader"] == "Di"

    def test_the_first_leader_is_the_tables_option(self):
        assert facts(rochi(4, leader=3))["leader"] == "Cy"

    def test_where_no_leader_is_named_a_lot_is_drawn(self):
        asked = []

        def last_of(count):
            asked.append(count)
            return count - 1

        rules = INSTALLED.rules("rochi")
        assert rules.drawn({"marker": True}, last_of) == {"marker": True, "lot": 59}
        assert rules.drawn({"leader": 2}, last_of) == {"leader": 2}
        assert asked == [60]  # divisible by three, four, five and six players, so that the draw is fair
        assert [facts(rochi(4, lot=lot))["leader"] for lot in (0, 1, 58, 59)] == ["Ann", "Bo", "Cy", "Di"]


class TestJoining:
    def test_the_fee_is_all_pots_divided_by_the_players_present_rounded_up(self):
        table = over()
        assert pots(table) == {"6": 2, "7": 3}
        do(table, "join Di 20 2:1 7:1")
        assert coins(table) == [97, 98, 100, 18]
        assert pots(table) == {"2": 1, "6": 2, "7": 4}

    def test_who_sits_out_is_not_present(self):
        table = do(over(4), "sit-out Ann", "sit-out Bo")
        do(table, "join Ed 20 6:3")
        assert coins(table)[-1] == 17

    @pytest.mark.parametrize("into", ["", "7:1", "7:3", "7:1 6:2"])
    def test_it_is_placed_exactly(self, into):
        with pytest.raises(BadAmount, match="2 are due"):
            do(over(), f"join Di 20 {into}")

    @pytest.mark.parametrize("coins_into", [-1, 1.0, "2", True, None])
    def test_only_whole_coins_go_into_a_pot(self, coins_into):
        with pytest.raises(BadAmount):
            over().do({"do": "join", "player": "Di", "coins": 20, "into": {"7": coins_into}})

    @pytest.mark.parametrize(("suit", "options"), [("8", {}), ("x", {}), ("2", {"deck": "red"})])
    def test_only_into_a_pot_of_this_table(self, suit, options):
        with pytest.raises(NotOffered, match="no pot"):
            over(**options).do({"do": "join", "player": "Di", "coins": 20, "into": {suit: 2}})

    def test_into_is_an_object(self):
        with pytest.raises(BadScript):
            over().do({"do": "join", "player": "Di", "coins": 20, "into": [2]})

    def test_a_newcomer_brings_enough_for_it(self):
        with pytest.raises(NotEnoughCoins):
            do(over(), "join Di 1 7:2")
        assert coins(do(over(), "join Di 2 7:2"))[-1] == 0

    def test_a_table_may_take_no_fee(self):
        table = do(over(join_fee=False), "join Di 20")
        assert coins(table)[-1] == 20
        with pytest.raises(BadAmount, match="0 are due"):
            do(over(join_fee=False), "join Di 20 7:2")

    def test_a_newcomer_takes_the_seat_asked_for_else_the_lowest_free_one(self):
        table = do(over(4), "leave Bo", "join Ed 9 7:2")
        assert [(seat.number, seat.player) for seat in table.seats][1] == (2, "Ed")
        table.do({"do": "join", "player": "Flo", "coins": 9, "into": {"7": 2}, "seat": 6})
        assert [seat.number for seat in table.seats] == [1, 2, 3, 4, 6]

    @pytest.mark.parametrize(
        ("seat", "error"), [(1, NotOffered), (7, NotOffered), (0, BadScript), ("2", BadScript), (2.0, BadScript)]
    )
    def test_a_seat_that_is_none_is_refused(self, seat, error):
        with pytest.raises(error):
            over().do({"do": "join", "player": "Di", "coins": 20, "into": {"7": 2}, "seat": seat})

    @pytest.mark.parametrize("brought", [-1, 2.5, "9", True, False, None])
    def test_what_a_newcomer_brings_is_a_number_of_coins(self, brought):
        with pytest.raises(BadAmount):
            over().do({"do": "join", "player": "Di", "coins": brought, "into": {"7": 2}})

    def test_nobody_joins_twice_or_without_a_name_or_as_a_seventh(self):
        with pytest.raises(BadName, match="sits here already"):
            do(over(), "join Ann 9 7:2")
        with pytest.raises(BadName):
            over().do({"do": "join", "player": "  ", "coins": 9})
        with pytest.raises(NotOffered, match="six seats"):
            do(rochi(6), *["fold"] * 5, "join Gil 9")

    def test_only_between_hands(self):
        with pytest.raises(WrongPhase):
            do(rochi(), "join Di 9")

    def test_the_newcomer_plays_the_next_hand(self):
        table = another_hand(do(over(), "join Di 9 7:2"))
        assert list(facts(table)["players"]) == ["Ann", "Bo", "Cy", "Di"]


class TestAnEmptyTable:
    def test_it_waits_until_three_have_joined_and_costs_nothing(self):
        table = Table(new_header("rochi", (), {"leader": 2}))
        assert table.phase == "between-hands"
        do(table, "join Ann 9", "join Bo 9")
        with pytest.raises(WrongPhase, match="needs three players"):
            do(table, "next-hand")
        do(table, "join Cy 9", "next-hand")
        assert (facts(table)["hand"], facts(table)["leader"], table.phase) == (1, "Bo", "seeding")


class TestSittingOut:
    def test_who_sits_out_is_not_in_the_next_hand_and_keeps_seat_and_coins(self):
        table = another_hand(do(over(4), "sit-out Di"))
        assert list(facts(table)["players"]) == ["Ann", "Bo", "Cy"]
        assert facts(table)["to_seed"] == 0
        assert coins(table)[3] == 100
        assert [seat.player for seat in table.seats][3] == "Di"

    def test_the_marker_is_an_equal_share_of_all_pots_rounded_down(self):
        table = do(over(4, marker=True), "sit-out Di")
        assert facts(table)["away"] == {"Di": {"since": 1, "marker": 5 // 4}}
        assert facts(do(over(4), "sit-out Di"))["away"]["Di"]["marker"] == 0

    @pytest.mark.parametrize("missed", [0, 1, 2])
    def test_returning_within_two_hands_costs_nothing(self, missed):
        table = do(over(4), "sit-out Di")
        for _ in range(missed):
            another_hand(table)
        assert coins(do(table, "return Di"))[3] == 100

    @pytest.mark.parametrize(("marker", "fee"), [(False, 2), (True, 1)])
    def test_later_it_costs_the_fee_less_the_marker(self, marker, fee):
        table = do(over(4, marker=marker), "sit-out Di")  # 5 coins: the marker is 1, the fee among three 2
        for _ in range(3):
            another_hand(table)
        with pytest.raises(BadAmount, match=f"{fee} are due"):
            do(table, "return Di")
        do(table, f"return Di 7:{fee}")
        assert coins(table)[3] == 100 - fee
        assert facts(table)["away"] == {}

    def test_the_marker_never_pays_out(self):
        table = do(over(4, marker=True), "sit-out Di")
        for _ in range(2):
            another_hand(table)
        do(table, "next-hand", *(f"seed {card}" for card in ("7D1", "7D2", "6D1", "5D1", "4D1", "3D1")))
        actor = facts(table)["turn"]
        do(table, "play 7D3", "end", "fold", "fold")  # playing Commons wins its pot
        assert latest(table)["winner"] == actor
        do(table, "return Di 6:0")
        assert coins(table)[3] == 100

    def test_who_returns_needs_the_coins(self):
        table = do(over(4), "cash-out Di", "sit-out Di")
        for _ in range(3):
            another_hand(table)
        with pytest.raises(NotEnoughCoins):
            do(table, "return Di 7:2")

    def test_twice_is_nothing_done(self):
        with pytest.raises(NothingDone):
            do(over(4), "sit-out Di", "sit-out Di")
        with pytest.raises(NothingDone):
            do(over(4), "sit-out Di", "return Cy")

    def test_only_who_sits_here(self):
        for command in ("sit-out Zoe", "leave Zoe"):
            with pytest.raises(UnknownPlayer):
                do(over(), command)
        with pytest.raises(UnknownPlayer):
            do(over(4), "sit-out Di", "return Zoe")

    def test_a_hand_needs_three_players(self):
        table = do(over(), "sit-out Cy")
        assert "next-hand" not in table.expected()
        with pytest.raises(WrongPhase, match="needs three players, 2 are here"):
            do(table, "next-hand")

    def test_only_between_hands(self):
        for command in ("sit-out Ann", "leave Ann"):
            with pytest.raises(WrongPhase):
                do(rochi(), command)


class TestLeaving:
    def test_it_brings_nothing_back_but_the_players_own_coins(self):
        table = do(over(), "leave Cy")
        assert pots(table) == {"6": 2, "7": 3}
        assert [seat.player for seat in table.seats] == ["Ann", "Bo"]

    def test_his_coins_count_until_he_cashes_out(self):
        table = do(over(), "leave Cy")
        assert table.result()["balances"] == {"Ann": 97, "Bo": 98, "Cy": 100}
        do(table, "cash-out Cy")
        assert table.result()["balances"] == {"Ann": 97, "Bo": 98}
        with pytest.raises(UnknownPlayer):
            do(table, "cash-out Cy")

    def test_nobody_buys_in_for_who_has_left(self):
        with pytest.raises(UnknownPlayer):
            do(over(), "leave Cy", "buy-in Cy 5")

    def test_who_sits_out_may_leave(self):
        table = do(over(4), "sit-out Di", "leave Di")
        assert facts(table)["away"] == {}

    def test_who_comes_back_finds_his_coins(self):
        table = do(over(4), "leave Di", "join Di 10 7:2")
        assert table.result()["balances"]["Di"] == 108


class TestLastHand:
    def hand(self, called: int, coins: int = 100) -> Table:
        """Return a table after a hand won by Bo with Realm, declared the last before command number ``called``."""
        table = rochi(seeds=None, coins=coins)
        steps = [f"seed {card}" for card in ("7D1", "7D2", "3D1", "3D2", "6D1", "5D1")]
        steps += ["play 7D3", "end", "play 3D3", "end", "play 6D2", "deal 3N1"]
        return do(table, *steps[:called], "last-hand", *steps[called:])

    @pytest.mark.parametrize("called", [0, 3, 6, 7, 10, 11])
    def test_it_may_be_called_at_any_time_of_the_hand_under_way(self, called):
        table = self.hand(called)
        assert coins(table) == [95, 109, 96]
        assert (pots(table), table.phase) == ({}, "finished")

    def test_between_hands_it_is_the_next_one(self):
        table = another_hand(do(over(), "last-hand"))
        assert table.phase == "finished"
        assert coins(table) == [98, 100, 102]  # 5 coins for three, one more each for Bo, who leads, and Cy

    def test_the_other_pots_are_split_evenly_and_the_odd_coins_go_to_the_winner(self):
        shares = [t for t in latest(self.hand(0))["transfers"] if t["why"].startswith("last hand")]
        assert {name: sum(t["coins"] for t in shares if t["to"] == name) for name in ("Ann", "Bo", "Cy")} == {
            "Ann": 1,
            "Bo": 3,
            "Cy": 1,
        }

    def test_who_folded_has_a_share_and_who_sat_out_has_none(self):
        table = do(over(4), "sit-out Di", "last-hand")
        another_hand(table)
        assert coins(table) == [97 + 1, 98 + 2, 100 + 2, 100]

    def test_a_winner_paid_by_the_last_shares_is_still_short_of_nothing(self):
        assert sum(coins(self.hand(0, coins=3))) == 9

    def test_after_it_no_hand_is_played(self):
        table = self.hand(0)
        for command in ("next-hand", "last-hand", "join Di 9", "sit-out Ann", "return Ann"):
            with pytest.raises(WrongPhase, match="last hand is over"):
                do(table, command)
        do(table, "leave Ann", "cash-out Bo")

    def test_it_is_called_once(self):
        with pytest.raises(WrongPhase, match="called already"):
            do(rochi(), "last-hand", "last-hand")
