"""The rules of House Rugen, one by one."""

import itertools

import pytest

from companion.games.rugen.house import RugenHouse
from companion.journal.checkpoints import pack, unpack
from companion.kernel.accounts import HOUSE, Account
from companion.kernel.errors import (
    BadAmount,
    BadScript,
    NotEnoughCoins,
    NothingDone,
    NotOffered,
    OverLimit,
    UnknownPlayer,
    UnknownVerb,
    WrongPhase,
)
from companion.kernel.events import Decided
from companion.kernel.ledger import Transfer
from companion.kernel.table import Table
from companion.objects.dice import D20_FACES, DAY_NIGHT_FACES
from companion.testing import new_header

# Typed in from the rules: coins won per N bet, for N = 1, 2, 3, 4.
CENTER = {"d": (9, 8, 7, 6), "n": (8, 7, 6, 5)}
DAY_NIGHT = (18, 17, 16, 15)
CHAIN = {"d": (1, 3, 4, 5), "n": (1, 2, 3, 4)}
CHAIN_HALF = (3, 12, 35, 90)


def house(coins: int = 100, **options: object) -> Table:
    return Table(new_header("rugen-house", (("Ann", coins), ("Bo", coins)), options))


def bet(table: Table, on: str, amount: object, player: str = "Ann") -> None:
    table.do({"do": "bet", "player": player, "on": on, "amount": amount})


def throw(table: Table, *faces: str) -> None:
    for face in faces:
        table.do({"do": "throw", "face": face})


def coins(table: Table, player: str = "Ann") -> int:
    return table.position.ledger.balance(player)


def won(table: Table, *faces: str) -> dict[str, int]:
    """Throw until the chain breaks; return spot -> coins won."""
    throw(table, *faces)
    return {paid["on"]: paid["won"] for paid in table.results[-1][1]["paid"]}


class TestOneRollBets:
    @pytest.mark.parametrize("number", [1, 2, 3, 4])
    @pytest.mark.parametrize("face", list(DAY_NIGHT_FACES))
    def test_a_center_bet_wins_on_its_number_and_pays_by_the_half(self, number, face):
        table = house()
        bet(table, f"center/{number}", 2 * number)
        throw(table, face)
        gain = 2 * CENTER[face[1]][number - 1] if face[0] == str(number) else -2 * number
        assert coins(table) == 100 + gain

    @pytest.mark.parametrize("number", [1, 2, 3, 4])
    @pytest.mark.parametrize("face", list(DAY_NIGHT_FACES))
    @pytest.mark.parametrize("half", ["day", "night"])
    def test_a_day_or_night_bet_wins_on_that_variety_of_its_number_only(self, number, face, half):
        table = house()
        bet(table, f"{half}/{number}", number)
        throw(table, face)
        gain = DAY_NIGHT[number - 1] if face == f"{number}{half[0]}" else -number
        assert coins(table) == 100 + gain

    def test_a_bet_on_the_3_pays_7_by_day_and_6_by_night(self):
        """The rules' example."""
        for face, balance in (("3d", 107), ("3n", 106), ("4d", 97)):
            table = house()
            bet(table, "center/3", 3)
            throw(table, face)
            assert coins(table) == balance

    @pytest.mark.parametrize("kind", ["center", "day", "night"])
    def test_one_roll_bets_are_multiples_of_the_number(self, kind):
        for number, amount in itertools.product((1, 2, 3, 4), range(1, 13)):
            if amount % number:
                with pytest.raises(BadAmount, match=f"multiple of {number}, not {amount}"):
                    bet(house(), f"{kind}/{number}", amount)
            else:
                bet(house(), f"{kind}/{number}", amount)

    def test_all_one_roll_bets_are_settled_by_every_throw(self):
        table = house()
        bet(table, "center/1", 1)
        bet(table, "day/4", 4)
        bet(table, "chain/4", 10)
        throw(table, "4d")
        assert table.result()["state"]["bets"] == [{"player": "Ann", "on": "chain/4", "amount": 10}]
        assert coins(table) == 100 - 1 + 15 - 10

    def test_one_roll_bets_may_be_made_in_the_middle_of_a_chain(self):
        table = house()
        throw(table, "3d", "4n")
        bet(table, "center/2", 2)
        throw(table, "2n")
        assert coins(table) == 107

    def test_one_roll_bets_on_the_breaking_throw_come_first_in_paid(self):
        table = house()
        bet(table, "chain/1", 5)
        bet(table, "center/1", 1)
        assert list(won(table, "1d")) == ["center/1", "chain/1"]

    def test_the_result_has_the_one_roll_bets_of_the_whole_chain(self):
        table = house()
        bet(table, "center/2", 2)
        throw(table, "3d")
        bet(table, "day/2", 2, "Bo")
        throw(table, "2d")
        throw(table, "2n")
        assert table.results[-1][1] == {
            "number": 2, "face": "2n", "chain": ["3d", "2d", "2n"],
            "paid": [{"player": "Ann", "on": "center/2", "amount": 2, "won": 0},
                     {"player": "Bo", "on": "day/2", "amount": 2, "won": 17}],
        }  # fmt: skip

    def test_a_new_chain_begins_with_an_empty_paid(self):
        table = house()
        bet(table, "center/1", 1)
        throw(table, "1d")
        throw(table, "1n")
        assert table.results[-1][1]["paid"] == []


class TestTheChain:
    @pytest.mark.parametrize(
        ("chain", "number"),
        [("1n", 1), ("2d 2n", 2), ("3d 2n 3n 3d", 3), ("4d 4n 4d 4n", 4), ("4d 4n 4d 3n 3d 2d 1n", 1)],
    )
    def test_n_breaks_when_it_has_been_rolled_n_times_before_any_other(self, chain, number):
        table = house()
        faces = chain.split()
        throw(table, *faces[:-1])
        assert table.results == []
        throw(table, faces[-1])
        assert table.results[-1][1] == {"number": number, "face": faces[-1], "chain": faces, "paid": []}

    def test_every_chain_breaks_by_the_seventh_throw(self):
        """No chain is longer than seven throws, hence six markers."""
        lengths = set()
        for numbers in itertools.product("1234", repeat=7):
            table = house()
            for length, number in enumerate(numbers, start=1):
                throw(table, f"{number}d")
                if table.results:
                    lengths.add(length)
                    break
            else:
                pytest.fail(f"{numbers} broke nothing")
        assert lengths == {1, 2, 3, 4, 5, 6, 7}

    def test_markers_show_the_chain_and_are_cleared_when_it_breaks(self):
        table = house()
        throw(table, "3d", "2n", "3n")
        assert table.result()["state"]["markers"] == {"1": [], "2": ["2n"], "3": ["3d", "3n"], "4": []}
        assert table.phase == "chain"
        throw(table, "1d")
        assert table.result()["state"]["markers"] == {"1": [], "2": [], "3": [], "4": []}
        assert (table.phase, table.result()["state"]["chain"]) == ("chain-start", [])

    def test_a_throw_without_bets_is_allowed(self):
        table = house()
        throw(table, "1d")
        assert table.results[-1][1]["paid"] == []

    @pytest.mark.parametrize("value", range(1, 21))
    def test_a_d20_stands_in_for_the_die(self, value):
        table = house()
        table.do({"do": "throw", "d20": value})
        face = D20_FACES[value - 1]
        assert table.result()["state"]["chain"] == ([] if face[0] == "1" else [face])

    @pytest.mark.parametrize(
        "record",
        [{}, {"face": "5d"}, {"face": "3"}, {"face": 3}, {"face": "3D"}, {"d20": 0}, {"d20": 21}, {"d20": "17"},
         {"d20": True}, {"face": "3d", "d20": 17}, {"face": ["3d"]}],
    )  # fmt: skip
    def test_a_throw_that_cannot_be_read_changes_nothing(self, record):
        table = house()
        throw(table, "3d")
        with pytest.raises(BadScript):
            table.do({"do": "throw", **record})
        assert table.result()["state"]["chain"] == ["3d"]

    def test_a_face_and_a_d20_may_be_said_together_when_they_agree(self):
        table = house()
        table.do({"do": "throw", "face": "4n", "d20": 17})
        assert table.result()["state"]["chain"] == ["4n"]


class TestChainBets:
    @pytest.mark.parametrize("number", [1, 2, 3, 4])
    @pytest.mark.parametrize("last", ["d", "n"])
    def test_a_chain_bet_pays_by_the_last_throw(self, number, last):
        table = house()
        bet(table, f"chain/{number}", 7)
        other = "n" if last == "d" else "d"
        throw(table, *[f"{number}{other}"] * (number - 1), f"{number}{last}")
        assert coins(table) == 100 + 7 * CHAIN[last][number - 1]

    def test_a_chain_bet_on_another_number_loses(self):
        table = house()
        bet(table, "chain/4", 10)
        throw(table, "4d", "1n")
        assert (coins(table), table.result()["house"]) == (90, 10)

    @pytest.mark.parametrize("number", [1, 2, 3, 4])
    @pytest.mark.parametrize("half", ["day", "night"])
    def test_a_pure_chain_pays_the_high_prices(self, number, half):
        table = house()
        bet(table, f"chain-{half}/{number}", 1)
        throw(table, *[f"{number}{half[0]}"] * number)
        assert coins(table) == 100 + CHAIN_HALF[number - 1]

    @pytest.mark.parametrize(("reading", "gain"), [("all", -1), ("own", 35)])
    def test_every_throw_of_the_chain_or_only_those_of_the_number_itself(self, reading, gain):
        """``all``: every throw of the chain must have that half; ``own``: only the throws of N itself."""
        table = house(chain_day_night=reading)
        bet(table, "chain-day/3", 1)
        throw(table, "3d", "2n", "3d", "3d")
        assert coins(table) == 100 + gain

    @pytest.mark.parametrize("reading", ["all", "own"])
    def test_one_own_throw_of_the_other_half_spoils_either(self, reading):
        table = house(chain_day_night=reading)
        bet(table, "chain-night/2", 5)
        throw(table, "2d", "2n")
        assert coins(table) == 95

    def test_the_letter_of_the_rules_is_the_default(self):
        assert house().view()["chain_day_night"] == "all"

    def test_chain_bets_are_of_any_amount(self):
        table = house()
        bet(table, "chain/4", 1)
        bet(table, "chain-day/3", 2)
        assert table.position.ledger.staked == 3

    @pytest.mark.parametrize("on", ["chain/3", "chain-day/3", "chain-night/3"])
    def test_chain_bets_are_placed_before_the_first_throw_of_a_chain(self, on):
        table = house()
        throw(table, "4d")
        with pytest.raises(WrongPhase, match="beginning of the next one"):
            bet(table, on, 1)
        throw(table, "1d")
        bet(table, on, 1)

    def test_they_stay_until_the_chain_breaks(self):
        table = house()
        bet(table, "chain/3", 1)
        throw(table, "4d")
        with pytest.raises(WrongPhase, match="stays until the chain breaks"):
            table.do({"do": "take-back", "player": "Ann", "on": "chain/3"})

    def test_before_the_first_throw_they_may_be_taken_back(self):
        table = house()
        bet(table, "chain/3", 1)
        table.do({"do": "take-back", "player": "Ann", "on": "chain/3"})
        assert coins(table) == 100

    def test_with_late_chain_also_on_a_number_without_a_marker(self):
        table = house(late_chain=True)
        throw(table, "4d", "3n")
        bet(table, "chain/2", 5)
        for on in ("chain/4", "chain-day/4", "chain-night/3"):
            with pytest.raises(WrongPhase, match="has a marker"):
                bet(table, on, 1)
        throw(table, "2d", "2n")
        assert coins(table) == 110

    def test_a_late_bet_looks_at_the_whole_chain_too(self):
        table = house(late_chain=True)
        throw(table, "4n")
        bet(table, "chain-day/1", 5)
        throw(table, "1d")
        assert coins(table) == 95


class TestBetterHalf:
    def test_a_creative_house_reverses_day_and_night(self):
        table = house(better_half="night")
        bet(table, "center/3", 3)
        throw(table, "3n")
        assert coins(table) == 107
        bet(table, "center/3", 3)
        throw(table, "3d")
        assert coins(table) == 113

    @pytest.mark.parametrize(("last", "pays"), [("n", 4), ("d", 3)])
    def test_the_chain_too(self, last, pays):
        table = house(better_half="night")
        bet(table, "chain/3", 10)
        throw(table, "3d", "3n", f"3{last}")
        assert coins(table) == 100 + 10 * pays

    def test_bets_on_one_half_pay_the_same(self):
        table = house(better_half="night")
        bet(table, "day/2", 2)
        throw(table, "2d")
        assert coins(table) == 117


class TestStakes:
    def test_a_second_bet_on_the_same_spot_adds_to_the_first(self):
        table = house()
        bet(table, "center/3", 3)
        bet(table, "center/3", 6)
        assert table.result()["state"]["bets"] == [{"player": "Ann", "on": "center/3", "amount": 9}]

    def test_take_back_returns_the_whole_stake(self):
        table = house()
        bet(table, "center/3", 3)
        bet(table, "center/3", 6)
        table.do({"do": "take-back", "player": "Ann", "on": "center/3"})
        assert coins(table) == 100
        with pytest.raises(NothingDone):
            table.do({"do": "take-back", "player": "Ann", "on": "center/3"})

    @pytest.mark.parametrize("amount", [0, -3, 3.0, "3", True, None])
    def test_an_amount_is_a_whole_number_above_zero(self, amount):
        with pytest.raises(BadAmount, match="whole number"):
            bet(house(), "center/3", amount)

    @pytest.mark.parametrize(
        "on", ["center/5", "center/0", "center", "chain-day", "cut/3", "", "center/03", "Center/3"]
    )
    def test_the_layout_has_six_spots_on_four_numbers(self, on):
        with pytest.raises(NotOffered, match="does not offer"):
            bet(house(), on, 3)

    def test_nobody_bets_more_than_he_has(self):
        with pytest.raises(NotEnoughCoins, match="Ann has 100 coins and cannot bet 101"):
            bet(house(), "chain/3", 101)

    def test_a_stranger_cannot_bet(self):
        with pytest.raises(UnknownPlayer):
            bet(house(), "chain/3", 1, "Cy")

    def test_limits(self):
        table = house(min=6, max=12, cap=28)
        with pytest.raises(BadAmount, match="minimum is 6"):
            bet(table, "center/3", 3)
        with pytest.raises(OverLimit, match="maximum is 12"):
            bet(table, "chain/1", 13)
        with pytest.raises(
            OverLimit, match=r"28 on a bet; 8 on chain 3 could win 32\. At most 7 can be bet there now\."
        ):
            bet(table, "chain/3", 8)
        bet(table, "center/3", 12)

    def test_the_bank_bounds_the_next_throw_and_the_break_together(self):
        """A throw of 4 by day wins center 4, and the following chain may win as well; the limit is in whole bets."""
        table = house(bank=100)
        bet(table, "chain/4", 10)
        with pytest.raises(OverLimit, match=r"could win 104\. At most 32 can be bet there now\."):
            bet(table, "center/4", 36)
        bet(table, "center/4", 32)

    @pytest.mark.parametrize(
        "options",
        [{"late_chain": "yes"}, {"late_chain": 1}, {"chain_day_night": "both"}, {"better_half": "noon"},
         {"min": 0}, {"cap": "9"}, {"layout": "grand"}],
    )  # fmt: skip
    def test_an_unknown_option_or_value_is_refused(self, options):
        with pytest.raises(BadScript):
            house(**options)

    def test_there_is_no_calling_of_no_more_bets(self):
        with pytest.raises(UnknownVerb):
            house().do({"do": "no-more-bets"})


class TestComingAndGoing:
    @pytest.mark.parametrize("coins", [False, True, 0.0, "0", None, -1])
    def test_what_a_newcomer_brings_is_a_whole_number(self, coins):
        table = house()
        with pytest.raises(BadAmount, match="is not an amount for coming to the table"):
            table.do({"do": "join", "player": "Cy", "coins": coins})
        table.do({"do": "join", "player": "Cy", "coins": 0})

    def test_a_player_joins_and_leaves_at_any_time_without_bets(self):
        table = house()
        throw(table, "4d")
        table.do({"do": "join", "player": "Cy", "coins": 30})
        bet(table, "center/4", 4, "Cy")
        with pytest.raises(WrongPhase, match="has bets"):
            table.do({"do": "leave", "player": "Cy"})
        throw(table, "2d")
        table.do({"do": "cash-out", "player": "Cy"})
        table.do({"do": "leave", "player": "Cy"})
        assert [seat.player for seat in table.seats] == ["Ann", "Bo"]


class TestUndo:
    def test_undo_goes_back_over_a_broken_chain(self):
        table = house()
        bet(table, "chain/1", 10)
        throw(table, "4d")
        before = table.result(), table.position
        throw(table, "1d")
        bet(table, "center/2", 2)
        table.do({"do": "undo"})
        table.do({"do": "undo"})
        assert (table.result(), table.position) == before
        table.do({"do": "redo"})
        assert coins(table) == 110

    def test_a_state_can_be_kept_and_brought_back(self):
        table = house(late_chain=True, min=1)
        bet(table, "center/4", 4)
        throw(table, "4d", "1n", "3d")
        bet(table, "chain/2", 5)
        assert unpack(pack(table.position), type(table.position.state)) == table.position


class TestSecondSettlement:
    def test_a_difference_holds_the_payout_before_a_coin_moves(self, monkeypatch):
        honest = RugenHouse.apply

        def apply(self, state, command, ledger):
            after, happened = honest(self, state, command, ledger)
            if any(isinstance(event, Decided) for event in happened):
                happened = (*happened, Transfer(HOUSE, Account.player("Ann"), 1, "a mistake"))
            return after, happened

        monkeypatch.setattr(RugenHouse, "apply", apply)
        table = house()
        bet(table, "chain/1", 10)
        throw(table, "1d")
        assert "player/Ann would change by 21, the rules say 20" in table.view()["hold"]
        assert (coins(table), table.position.ledger.staked) == (90, 10)

    def test_a_payment_that_does_not_happen_is_noticed_too(self, monkeypatch):
        honest = RugenHouse.apply

        def apply(self, state, command, ledger):
            after, happened = honest(self, state, command, ledger)
            return after, tuple(e for e in happened if not isinstance(e, Transfer) or command.verb == "bet")

        monkeypatch.setattr(RugenHouse, "apply", apply)
        table = house()
        bet(table, "night/2", 2)
        throw(table, "2n")
        assert "player/Ann would change by 0, the rules say 19" in table.view()["hold"]
