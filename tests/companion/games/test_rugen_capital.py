"""The rules of Capital Rugen, one by one."""

import itertools

import pytest

from companion.games.rugen.capital import RugenCapital
from companion.journal.checkpoints import pack, unpack
from companion.kernel.errors import (
    BadAmount,
    BadScript,
    NotEnoughCoins,
    NotOffered,
    OverLimit,
    UnknownPlayer,
    WrongPhase,
)
from companion.kernel.ledger import Transfer
from companion.kernel.table import Table
from companion.testing import new_header

NAMES = ("Ann", "Bo", "Cy", "Di")
HOUSE, PLAYER = (7, 4, 3, 2), (8, 5, 4, 3)  # typed in from the rules
HIGH_HOUSE, HIGH_PLAYER = (75, 45, 35, 25), (80, 50, 40, 30)


def capital(coins: int = 500, **options: object) -> Table:
    return Table(new_header("rugen-capital", tuple((name, coins) for name in NAMES), options))


def take(table: Table, player: str, number: object, units: object = 1) -> None:
    table.do({"do": "take", "player": player, "number": number, "units": units})


def close(table: Table) -> None:
    table.do({"do": "close"})


def throw(table: Table, *faces: str) -> None:
    for face in faces:
        table.do({"do": "throw", "face": face})


def balances(table: Table) -> list[int]:
    return [table.position.ledger.balance(name) for name in NAMES]


class TestTaking:
    @pytest.mark.parametrize("number", [1, 2, 3, 4])
    def test_a_player_pays_the_players_price(self, number):
        table = capital()
        take(table, "Ann", number, 10)
        assert balances(table)[0] == 500 - 10 * PLAYER[number - 1]

    def test_the_first_take_sets_the_units_for_everybody(self):
        table = capital()
        take(table, "Ann", 3, 10)
        with pytest.raises(BadAmount, match="played for 10 units, not 9"):
            take(table, "Bo", 1, 9)
        take(table, "Bo", 1, 10)
        table.do({"do": "take", "player": "Cy", "number": 2})
        assert balances(table) == [460, 420, 450, 500]

    def test_the_first_has_to_say_them(self):
        with pytest.raises(BadScript, match="how many units"):
            capital().do({"do": "take", "player": "Ann", "number": 3})

    @pytest.mark.parametrize("units", [0, -1, 2.0, "3", True])
    def test_units_are_a_whole_number_above_zero(self, units):
        with pytest.raises(BadAmount):
            take(capital(), "Ann", 3, units)

    def test_each_number_can_be_taken_once(self):
        table = capital()
        take(table, "Ann", 3)
        with pytest.raises(NotOffered, match="3 is Ann's already"):
            take(table, "Bo", 3)

    @pytest.mark.parametrize(
        ("number", "error"), [(0, NotOffered), (5, NotOffered), ("3", BadScript), (True, BadScript)]
    )
    def test_the_die_has_the_numbers_1_to_4(self, number, error):
        with pytest.raises(error):
            take(capital(), "Ann", number)

    def test_who_cannot_pay_cannot_take(self):
        with pytest.raises(NotEnoughCoins, match="Ann has 7 coins and cannot bet 8"):
            take(capital(coins=7), "Ann", 1)

    def test_a_stranger_cannot_take(self):
        with pytest.raises(UnknownPlayer):
            take(capital(), "Zoe", 1)

    def test_the_next_chain_has_units_of_its_own(self):
        table = capital()
        take(table, "Ann", 3, 10)
        close(table)
        throw(table, "1d")
        take(table, "Ann", 3, 2)
        assert balances(table)[0] == 500 - 40 - 8


class TestTheHouse:
    def test_the_house_stakes_the_lower_price_on_each_number_that_nobody_took(self):
        table = capital()
        take(table, "Ann", 3, 10)
        take(table, "Bo", 1, 10)
        assert (table.result()["house"], table.result()["staked"]) == (0, 120)
        close(table)
        assert (table.result()["house"], table.result()["staked"]) == (-60, 180)

    def test_its_stakes_are_in_nobodys_balance(self):
        table = capital()
        take(table, "Ann", 3, 10)
        close(table)
        result = table.result()
        assert sum(result["balances"].values()) + result["staked"] + result["house"] == 2000

    def test_nobody_takes_after_the_closing(self):
        table = capital()
        take(table, "Ann", 3)
        close(table)
        with pytest.raises(WrongPhase, match="the chain has begun"):
            take(table, "Bo", 1)

    def test_nothing_is_thrown_before_the_closing(self):
        table = capital()
        take(table, "Ann", 3)
        with pytest.raises(WrongPhase, match="Close first"):
            throw(table, "1d")

    def test_with_all_four_taken_the_house_stakes_nothing(self):
        table = capital()
        for number, name in enumerate(NAMES, start=1):
            take(table, name, number)
        close(table)
        assert (table.result()["house"], table.result()["staked"]) == (0, 20)

    def test_without_players_there_is_nothing_to_cover_and_the_chain_may_be_thrown(self):
        table = capital()
        close(table)
        throw(table, "4d", "1d")
        assert table.results[-1][1] == {
            "number": 1, "face": "1d", "chain": ["4d", "1d"], "winner": None, "transfers": [],
        }  # fmt: skip
        assert table.result()["house"] == 0


class TestSettling:
    @pytest.mark.parametrize("schedule", ["low", "high"])
    def test_the_breaker_takes_all_stakes_whoever_has_what(self, schedule):
        """Every set of taken numbers with every breaking number."""
        house, player = (HOUSE, PLAYER) if schedule == "low" else (HIGH_HOUSE, HIGH_PLAYER)
        for taken, number in itertools.product(itertools.product([False, True], repeat=4), (1, 2, 3, 4)):
            if not any(taken):
                continue
            table = capital(schedule=schedule)
            for place, is_taken in enumerate(taken):
                if is_taken:
                    take(table, NAMES[place], place + 1, 3)
            close(table)
            throw(table, *[f"{number}n"] * number)
            pot = 3 * sum(player[i] if taken[i] else house[i] for i in range(4))
            expected = [500 - 3 * player[i] if taken[i] else 500 for i in range(4)]
            if taken[number - 1]:
                expected[number - 1] += pot
            assert balances(table) == expected
            assert table.result()["house"] == 2000 - sum(expected)
            assert table.results[-1][1]["winner"] == (NAMES[number - 1] if taken[number - 1] else None)

    def test_every_number_is_in_play(self):
        """The house keeps the winnings of its own numbers."""
        table = capital()
        take(table, "Ann", 3, 10)
        close(table)
        throw(table, "3d", "2d", "3n", "2n")
        assert table.results[-1][1] == {
            "number": 2, "face": "2n", "chain": ["3d", "2d", "3n", "2n"], "winner": None,
            "transfers": [{"from": "Ann", "to": "house", "coins": 40, "why": "staked on 3"}],
        }  # fmt: skip
        assert (balances(table)[0], table.result()["house"]) == (460, 40)

    def test_a_player_wins_the_stakes_of_the_house_and_of_the_others(self):
        table = capital()
        take(table, "Ann", 3, 10)
        take(table, "Bo", 4, 10)
        close(table)
        throw(table, "3d", "3d", "4d", "3d")
        assert table.results[-1][1]["winner"] == "Ann"
        assert table.results[-1][1]["transfers"] == [
            {"from": "Bo", "to": "Ann", "coins": 30, "why": "staked on 4"},
            {"from": "house", "to": "Ann", "coins": 70, "why": "staked on 1"},
            {"from": "house", "to": "Ann", "coins": 40, "why": "staked on 2"},
        ]
        assert (balances(table), table.result()["house"]) == ([640, 470, 500, 500], -110)

    def test_a_d20_may_be_thrown(self):
        table = capital()
        take(table, "Ann", 1)
        close(table)
        table.do({"do": "throw", "d20": 2})
        assert table.results[-1][1]["face"] == "1n"


class TestSchedules:
    def test_the_high_schedule(self):
        table = capital(schedule="high")
        take(table, "Ann", 1)
        close(table)
        assert (balances(table)[0], table.result()["house"]) == (420, -105)

    def test_a_schedule_of_ones_own(self):
        table = capital(schedule={"house": [9, 8, 7, 6], "player": [10, 9, 8, 7]})
        take(table, "Ann", 4, 2)
        close(table)
        assert (balances(table)[0], table.result()["house"]) == (486, -48)

    @pytest.mark.parametrize(
        "schedule",
        ["middle", 5, {}, {"house": [1, 2, 3, 4]}, {"house": [7, 4, 3], "player": [8, 5, 4, 3]},
         {"house": [7, 4, 3, 0], "player": [8, 5, 4, 3]}, {"house": [7, 4, 3, 2.5], "player": [8, 5, 4, 3]},
         {"house": "7432", "player": [8, 5, 4, 3]}, ["low"],
         {"house": [7, 4, 3, 2], "player": [8, 5, 4, 3], "guest": [1, 1, 1, 1]}],
    )  # fmt: skip
    def test_a_broken_schedule_is_refused(self, schedule):
        with pytest.raises(BadScript, match="schedule"):
            capital(schedule=schedule)

    def test_limits_are_on_a_players_stake_and_on_what_the_house_could_pay_for_it(self):
        table = capital(min=6, max=40, cap=65)
        with pytest.raises(BadAmount, match="minimum is 6"):
            take(table, "Ann", 4, 1)
        with pytest.raises(OverLimit, match="maximum is 40"):
            take(table, "Ann", 1, 6)
        with pytest.raises(OverLimit, match="could win 70"):
            take(table, "Ann", 4, 5)
        take(table, "Ann", 4, 4)

    def test_the_bank_bounds_what_the_house_stakes(self):
        """It would stake 7 + 4 + 3 per unit on the others; with another taker it stakes less."""
        table = capital(bank=50)
        with pytest.raises(OverLimit, match=r"12 on 4 .* could win 56\. At most 9 can be bet there now\."):
            take(table, "Ann", 4, 4)
        take(table, "Ann", 4, 3)
        assert table.position.state.worst.coins == 42
        take(table, "Bo", 1, 3)
        assert table.position.state.worst.coins == 21


class TestTheTable:
    def test_each_phase_expects_its_own_verbs(self):
        table = capital()
        always = {"join", "leave", "undo", "hold", "buy-in", "cash-out", "recount"}
        assert table.expected() - always == {"take", "close"}
        close(table)
        assert table.expected() - always == {"throw"}

    def test_who_has_a_stake_stays(self):
        table = capital(coins=8)
        take(table, "Ann", 1)
        with pytest.raises(WrongPhase, match="has bets"):
            table.do({"do": "leave", "player": "Ann"})

    def test_a_state_can_be_kept_and_brought_back(self):
        table = capital(schedule="high", max=500)
        take(table, "Ann", 1)
        close(table)
        throw(table, "4d", "2d")
        assert unpack(pack(table.position), type(table.position.state)) == table.position

    def test_undo_takes_the_houses_stakes_back(self):
        table = capital()
        take(table, "Ann", 3, 10)
        before = table.result(), table.position
        close(table)
        table.do({"do": "undo"})
        assert (table.result(), table.position) == before

    @pytest.mark.parametrize("verb", ["close", "throw"])
    def test_a_difference_of_two_settlements_holds_the_table(self, monkeypatch, verb):
        honest = RugenCapital.apply

        def apply(self, state, command, ledger):
            after, happened = honest(self, state, command, ledger)
            if command.verb == verb:
                moves = [event for event in happened if isinstance(event, Transfer)]
                happened = tuple(event for event in happened if event not in moves[:1])
            return after, happened

        monkeypatch.setattr(RugenCapital, "apply", apply)
        table = capital()
        take(table, "Ann", 3, 10)
        close(table)
        if verb == "throw":
            throw(table, "1d")
        assert "the rules say" in table.view()["hold"]
