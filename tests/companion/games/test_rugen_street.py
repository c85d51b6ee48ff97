"""The rules of Street Rugen, one by one."""

import pytest

from companion.games.rugen.events import SideBetDecided
from companion.games.rugen.street import RugenStreet
from companion.journal.checkpoints import pack, unpack
from companion.kernel.accounts import HOUSE, Account
from companion.kernel.errors import (
    BadAmount,
    BadScript,
    NotEnoughCoins,
    NotOffered,
    TableError,
    UnknownPlayer,
    UnknownVerb,
    WrongPhase,
)
from companion.kernel.ledger import Transfer
from companion.kernel.table import Table
from companion.testing import new_header

NAMES = ("Ann", "Bo", "Cy", "Di")


def street(coins: int = 500, names: tuple[str, ...] = NAMES, **options: object) -> Table:
    return Table(new_header("rugen-street", tuple((name, coins) for name in names), options))


def throw(table: Table, *faces: str) -> None:
    for face in faces:
        table.do({"do": "throw", "face": face})


def stake(table: Table, units: object = 1) -> None:
    table.do({"do": "stake", "units": units})


def take(table: Table, player: str, number: object) -> None:
    table.do({"do": "take", "player": player, "number": number})


def side_bet(table: Table, units: object, **numbers: object) -> None:
    table.do({"do": "side-bet", "units": units, "numbers": numbers})


def game(point: str = "3d", units: int = 10, coins: int = 500, **takers: int) -> Table:
    """Return a game with a point, a stake and takers, before the close."""
    table = street(coins)
    throw(table, point)
    stake(table, units)
    for player, number in takers.items():
        take(table, player, number)
    return table


def close(table: Table) -> None:
    table.do({"do": "close"})


def balances(table: Table) -> list[int]:
    return [table.position.ledger.balance(name) for name in NAMES]


class TestThePoint:
    def test_seat_one_is_the_first_shooter(self):
        assert street().result()["state"]["shooter"] == "Ann"

    @pytest.mark.parametrize(("point", "unit"), [("1d", 8), ("2n", 5), ("3d", 4), ("4n", 3)])
    def test_the_shooter_bets_a_multiple_of_8_5_4_or_3(self, point, unit):
        table = game(point, units=10)
        assert balances(table)[0] == 500 - 10 * unit
        assert table.position.ledger.staked == 10 * unit

    def test_a_table_without_a_stake_has_no_units(self):
        table = street()
        assert table.result()["state"]["units"] is None
        throw(table, "3d")
        stake(table, 7)
        assert table.result()["state"]["units"] == 7

    def test_he_must_bet(self):
        table = street()
        throw(table, "3d")
        for record in ({"do": "close"}, {"do": "throw", "face": "1d"}, {"do": "take", "player": "Bo", "number": 1}):
            with pytest.raises(WrongPhase, match="has to stake on the point first"):
                table.do(record)

    def test_at_least_the_minimum(self):
        table = street(minimum=5)
        throw(table, "3d")
        with pytest.raises(BadAmount, match="at least 5 units, not 4"):
            stake(table, 4)
        stake(table, 5)

    @pytest.mark.parametrize("units", [0, -1, 1.0, "2", True, None])
    def test_units_are_a_whole_number_above_zero(self, units):
        table = street()
        throw(table, "3d")
        with pytest.raises(BadAmount):
            stake(table, units)

    def test_he_cannot_bet_what_he_has_not_got(self):
        table = street(coins=7)
        throw(table, "1d")
        with pytest.raises(NotEnoughCoins, match="Ann has 7 coins and cannot bet 8"):
            stake(table, 1)

    def test_day_and_night_do_not_matter(self):
        assert balances(game("3d")) == balances(game("3n"))

    def test_the_point_is_not_in_the_chain(self):
        table = game("1d", 1, Bo=4)
        close(table)
        throw(table, "4d", "1n")
        assert table.results[-1][1]["chain"] == ["4d", "1n"]


class TestTakers:
    @pytest.mark.parametrize("units", [True, 1.0, "1"])
    def test_the_units_that_a_taker_says_are_a_whole_number(self, units):
        table = game("3d", 1)
        with pytest.raises(BadAmount, match="This game is played for 1 units"):
            table.do({"do": "take", "player": "Bo", "number": 1, "units": units})
        table.do({"do": "take", "player": "Bo", "number": 1, "units": 1})

    def test_the_example_of_the_rules(self):
        """Bets of 40, 80 and 30 on the 3, 1 and 4; 4-4-2-3-2-1: the two 2s are ignored, 1 takes the 150."""
        table = game("3d", 10, Bo=1, Cy=4)
        assert (balances(table), table.position.ledger.staked) == ([460, 420, 470, 500], 150)
        close(table)
        throw(table, "4d", "4n", "2d", "3n", "2n")
        assert table.results == []
        throw(table, "1d")
        assert balances(table) == [460, 570, 470, 500]
        assert table.results[-1][1] == {
            "number": 1, "face": "1d", "chain": ["4d", "4n", "2d", "3n", "2n", "1d"], "winner": "Bo",
            "transfers": [{"from": "Ann", "to": "Bo", "coins": 40, "why": "staked on 3"},
                          {"from": "Cy", "to": "Bo", "coins": 30, "why": "staked on 4"}],
        }  # fmt: skip

    def test_had_the_2_been_taken_the_second_2_would_have_ended_it(self):
        table = game("3d", 10, Bo=1, Cy=4, Di=2)
        close(table)
        throw(table, "4d", "4n", "2d", "3n", "2n")
        assert table.results[-1][1]["winner"] == "Di"
        assert balances(table) == [460, 420, 470, 650]

    def test_each_number_can_be_taken_once(self):
        table = game("3d", 1, Bo=1)
        with pytest.raises(NotOffered, match="1 is Bo's already"):
            take(table, "Cy", 1)
        with pytest.raises(NotOffered, match="3 is Ann's already"):
            take(table, "Cy", 3)

    def test_by_another_player_than_the_shooter(self):
        with pytest.raises(NotOffered, match="Ann is the shooter and has 3"):
            take(game("3d"), "Ann", 1)

    @pytest.mark.parametrize("number", [0, 5])
    def test_the_die_has_the_numbers_1_to_4(self, number):
        with pytest.raises(NotOffered):
            take(game("3d"), "Bo", number)

    @pytest.mark.parametrize("number", ["1", 1.0, True, None, [1]])
    def test_a_number_is_a_whole_number(self, number):
        with pytest.raises(BadScript):
            take(game("3d"), "Bo", number)

    def test_for_the_same_units(self):
        table = game("3d", 10)
        with pytest.raises(BadAmount, match="played for 10 units"):
            table.do({"do": "take", "player": "Bo", "number": 1, "units": 9})
        table.do({"do": "take", "player": "Bo", "number": 1, "units": 10})

    def test_who_cannot_pay_cannot_take(self):
        table = game("4d", 2, coins=10)
        with pytest.raises(NotEnoughCoins, match="cannot bet 16"):
            take(table, "Bo", 1)

    def test_after_the_closing_nobody_takes(self):
        table = game("3d", 1, Bo=1)
        close(table)
        with pytest.raises(WrongPhase, match="the chain has begun"):
            take(table, "Cy", 4)
        with pytest.raises(WrongPhase):
            side_bet(table, 1, Cy=1, Di=2)

    def test_nothing_is_thrown_before_the_closing(self):
        with pytest.raises(WrongPhase, match="Close first"):
            throw(game("3d", 1, Bo=1), "1d")

    def test_with_no_taker_the_stake_comes_back_and_the_same_shooter_throws_a_new_point(self):
        table = game("3d", 10)
        close(table)
        assert (balances(table)[0], table.position.ledger.staked, table.phase) == (500, 0, "point")
        assert table.result()["state"]["shooter"] == "Ann"
        assert table.results == []
        throw(table, "4d")
        assert table.result()["state"]["point"] == 4


class TestTheDie:
    def test_if_the_shooter_wins_he_keeps_the_die(self):
        table = game("1d", 1, Cy=4)
        close(table)
        throw(table, "1d")
        assert (table.result()["state"]["shooter"], table.phase) == ("Ann", "point")
        assert balances(table) == [503, 500, 497, 500]

    def test_otherwise_it_passes_to_the_winner(self):
        table = game("4d", 1, Cy=1)
        close(table)
        throw(table, "1d")
        assert table.result()["state"]["shooter"] == "Cy"

    def test_the_shooter_cannot_withdraw_from_the_game(self):
        table = street(coins=0)
        throw(table, "4d")
        with pytest.raises(WrongPhase, match="has the die"):
            table.do({"do": "leave", "player": "Ann"})

    def test_a_shooter_who_leaves_before_his_point_passes_the_die_to_his_left(self):
        table = street(coins=0)
        table.do({"do": "leave", "player": "Ann"})
        assert table.result()["state"]["shooter"] == "Bo"
        for name in ("Di", "Cy"):
            table.do({"do": "leave", "player": name})
        table.do({"do": "join", "player": "Ed", "coins": 10, "seat": 1})
        table.do({"do": "leave", "player": "Bo"})
        assert table.result()["state"]["shooter"] == "Ed"

    def test_at_an_empty_table_the_first_to_join_is_the_shooter(self):
        table = street(names=())
        assert "throw" not in table.expected()
        with pytest.raises(WrongPhase, match="nobody sits here"):
            throw(table, "1d")
        table.do({"do": "join", "player": "Ed", "coins": 10})
        assert table.result()["state"]["shooter"] == "Ed"

    def test_a_winner_who_has_left_while_side_bets_go_on_does_not_get_the_die(self):
        table = game("4d", 1, Bo=2)
        side_bet(table, 1, Cy=3, Di=4)
        close(table)
        throw(table, "2d", "2n")
        table.do({"do": "cash-out", "player": "Bo"})
        table.do({"do": "leave", "player": "Bo"})
        throw(table, "3d", "3d", "3d")
        assert table.result()["state"]["shooter"] == "Cy"


class TestSideBets:
    def test_they_are_decided_by_the_same_throws_by_the_first_of_their_own_numbers(self):
        table = game("3d", 10, Bo=1)
        side_bet(table, 2, Cy=2, Di=4)
        close(table)
        throw(table, "2d", "4d")
        assert table.result()["state"]["side_bets"][0]["winner"] is None
        throw(table, "2n")
        assert balances(table)[2:] == [506, 494]
        assert table.results == []
        throw(table, "1d")
        assert balances(table) == [460, 540, 506, 494]

    def test_the_shooter_throws_on_until_every_side_bet_is_decided(self):
        table = game("4d", 1, Bo=1)
        side_bet(table, 1, Cy=2, Di=3)
        close(table)
        throw(table, "1d")
        assert len(table.results) == 1
        assert (table.phase, table.result()["state"]["shooter"]) == ("chain", "Ann")
        throw(table, "1n", "4d", "4d", "4d", "4d", "3d", "3n")
        assert table.position.ledger.staked == 9
        throw(table, "3d")
        assert balances(table) == [497, 503, 495, 505]
        assert (table.phase, table.result()["state"]["shooter"]) == ("point", "Bo")
        assert len(table.results) == 1

    def test_numbers_that_broke_before_do_not_break_again(self):
        """The fourth and fifth 2 decide nothing; 2s are counted from the beginning of the chain."""
        table = game("3d", 1, Bo=2)
        side_bet(table, 1, Cy=1, Di=4)
        close(table)
        throw(table, "2d", "2d", "2d", "2d", "2d", "4d", "4d", "4d")
        assert len(table.results) == 1
        throw(table, "4n")
        assert balances(table)[2:] == [492, 508]

    def test_among_2_to_4_players_the_shooter_and_the_takers_too(self):
        table = game("3d", 1, Bo=1)
        side_bet(table, 5, Ann=1, Bo=2, Cy=3, Di=4)
        close(table)
        throw(table, "1d")
        assert balances(table) == [500 - 4 + 60, 500 + 4 - 25, 480, 485]

    def test_at_different_stakes_than_the_game(self):
        table = game("3d", 10, Bo=1)
        side_bet(table, 1, Cy=1, Di=4)
        side_bet(table, 90, Cy=4, Di=2)
        assert balances(table)[2:] == [500 - 8 - 270, 500 - 3 - 450]

    def test_they_are_numbered_as_they_come_and_each_has_its_own_stakes(self):
        table = game("3d", 10, Bo=1)
        for units in (1, 2, 3):
            side_bet(table, units, Cy=1, Di=4)
        accounts = table.position.ledger.accounts.items()
        assert {account.text: coins for account, coins in accounts if "/side/" in account.text} == {
            "stake/Cy/side/1/1": 8, "stake/Cy/side/2/1": 16, "stake/Cy/side/3/1": 24,
            "stake/Di/side/1/4": 3, "stake/Di/side/2/4": 6, "stake/Di/side/3/4": 9,
        }  # fmt: skip

    @pytest.mark.parametrize("numbers", [{}, {"Cy": 1}, {"Cy": 1, "Di": 1}])
    def test_each_takes_a_number_of_his_own(self, numbers):
        with pytest.raises(NotOffered):
            side_bet(game("3d"), 1, **numbers)

    def test_not_among_more_than_4(self):
        table = game("3d")
        table.do({"do": "join", "player": "Ed", "coins": 10})
        with pytest.raises(NotOffered, match="2 to 4 players, not 5"):
            side_bet(table, 1, Ann=1, Bo=2, Cy=3, Di=4, Ed=4)

    @pytest.mark.parametrize(
        ("record", "error"),
        [
            ({"units": 1, "numbers": {"Cy": 1, "Zoe": 2}}, UnknownPlayer),
            ({"units": 1, "numbers": {"Cy": 1, "Di": 5}}, NotOffered),
            ({"units": 1, "numbers": {"Cy": 1, "Di": "2"}}, BadScript),
            ({"units": 1, "numbers": [["Cy", 1], ["Di", 2]]}, BadScript),
            ({"units": 0, "numbers": {"Cy": 1, "Di": 2}}, BadAmount),
            ({"units": 101, "numbers": {"Cy": 4, "Di": 2}}, NotEnoughCoins),
            ({"units": 1}, BadScript),
        ],
    )
    def test_a_bad_one_changes_nothing(self, record, error):
        table = game("3d")
        before = table.result()
        with pytest.raises(error):
            table.do({"do": "side-bet", **record})
        assert table.result() == before

    def test_with_no_taker_side_bets_are_thrown_for_all_the_same(self):
        table = game("3d", 10)
        side_bet(table, 1, Cy=1, Di=4)
        close(table)
        assert (balances(table)[0], table.phase) == (500, "chain")
        throw(table, "3d", "3d", "3d")
        assert table.results == []
        throw(table, "1n")
        assert balances(table) == [500, 500, 503, 492 + 5]
        assert (table.phase, table.result()["state"]["shooter"]) == ("point", "Ann")

    def test_a_decided_side_bet_says_who_won_what(self):
        table = game("3d", 10, Bo=1)
        side_bet(table, 1, Cy=1, Di=4)
        close(table)
        told = [e for e in table.do({"do": "throw", "face": "1d"}) if isinstance(e, SideBetDecided)]
        assert [event.sentence for event in told] == [
            "Side bet 1 is decided by the 1s: Cy wins 3, stake of 8 back: 11 in all"
        ]


class TestTheTable:
    def test_each_phase_expects_its_own_verbs(self):
        table = street()
        come_and_go = {"join", "leave", "undo", "hold", "buy-in", "cash-out", "recount"}
        assert table.expected() - come_and_go == {"throw"}
        throw(table, "3d")
        assert table.expected() - come_and_go == {"stake"}
        stake(table)
        assert table.expected() - come_and_go == {"take", "side-bet", "close"}
        take(table, "Bo", 1)
        close(table)
        assert table.expected() - come_and_go == {"throw"}

    def test_the_house_never_gains_or_loses(self):
        table = game("3d", 10, Bo=1)
        close(table)
        throw(table, "1d")
        assert table.result()["house"] == 0

    @pytest.mark.parametrize("options", [{"minimum": 0}, {"minimum": "5"}, {"max": 10}, {"deck": "red"}])
    def test_an_unknown_option_or_value_is_refused(self, options):
        with pytest.raises(BadScript):
            street(**options)

    def test_there_is_no_bet_on_a_layout(self):
        with pytest.raises(UnknownVerb):
            street().do({"do": "bet", "player": "Ann", "on": "center/1", "amount": 1})

    def test_a_state_can_be_kept_and_brought_back(self):
        table = game("3d", 10, Bo=1, Cy=2)
        side_bet(table, 1, Cy=2, Di=4)
        close(table)
        throw(table, "4d", "2d", "2n", "1d")
        assert unpack(pack(table.position), type(table.position.state)) == table.position

    def test_undo_goes_back_over_a_decided_game(self):
        table = game("3d", 10, Bo=1)
        close(table)
        before = table.result(), table.position
        throw(table, "1d", "4d")
        table.do({"do": "undo"})
        table.do({"do": "undo"})
        assert (table.result(), table.position) == before

    def test_a_difference_of_two_settlements_holds_the_payout(self, monkeypatch):
        honest = RugenStreet.apply

        def apply(self, state, command, ledger):
            after, happened = honest(self, state, command, ledger)
            if command.verb == "throw" and after.broken is not None:
                happened = (*happened, Transfer(HOUSE, Account.player("Ann"), 1, "a mistake"))
            return after, happened

        monkeypatch.setattr(RugenStreet, "apply", apply)
        table = game("3d", 10, Bo=1)
        close(table)
        throw(table, "1d")
        assert "player/Ann would change by 1, the rules say 0" in table.view()["hold"]
        with pytest.raises(TableError):
            throw(table, "1d")
        assert balances(table)[:2] == [460, 420]

    def test_a_stake_that_does_not_come_back_is_noticed(self, monkeypatch):
        honest = RugenStreet.apply

        def apply(self, state, command, ledger):
            after, happened = honest(self, state, command, ledger)
            return after, tuple(e for e in happened if not isinstance(e, Transfer) or command.verb == "stake")

        monkeypatch.setattr(RugenStreet, "apply", apply)
        table = game("3d", 10)
        close(table)
        assert "player/Ann would change by 0, the rules say 40" in table.view()["hold"]
