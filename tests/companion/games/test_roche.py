"""The rules of Roche, one by one."""

import pytest

from companion.games.roche.events import SuitCut
from companion.games.roche.paytable import bets
from companion.games.roche_deck.design import FULL_DECK, RED_DECK
from companion.kernel.errors import (
    BadAmount,
    BadScript,
    CardSeen,
    DeckEmpty,
    NotEnoughCoins,
    NothingDone,
    NotOffered,
    OverLimit,
    TableError,
    UnknownCard,
    UnknownPlayer,
    UnknownVerb,
    WrongPhase,
)
from companion.kernel.events import BetPlaced
from companion.kernel.table import Table
from companion.objects.cards import cards_of_suit


def bet(table: Table, player: str, on: str, amount: object) -> tuple[object, ...]:
    return table.do({"do": "bet", "player": player, "on": on, "amount": amount})


def deal(table: Table, *cards: str) -> None:
    for card in cards:
        table.do({"do": "deal", "card": card})


def close(table: Table) -> None:
    table.do({"do": "no-more-bets"})


def play(table: Table, *cards: str) -> dict[str, int]:
    """Close the bets, deal, and return what each spot of the only player won."""
    close(table)
    deal(table, *cards)
    return {paid["on"]: paid["won"] for paid in table.results[-1][1]["paid"]}


def balance(table: Table, name: str = "Ann") -> int:
    return table.position.ledger.balance(name)


class TestBetting:
    def test_a_stake_leaves_the_balance_when_it_is_made(self, roche):
        table = roche()
        bet(table, "Ann", "cut/6", 10)
        assert balance(table) == 90
        assert table.position.ledger.staked == 10

    def test_a_second_bet_on_the_same_spot_adds_to_the_first(self, roche):
        table = roche()
        bet(table, "Ann", "cut/6", 10)
        bet(table, "Ann", "cut/6", 5)
        assert table.result()["state"]["bets"] == [{"player": "Ann", "on": "cut/6", "amount": 15}]

    def test_any_number_of_players_may_bet_on_the_same_spot(self, roche):
        table = roche()
        bet(table, "Ann", "cut/2", 10)
        bet(table, "Bo", "cut/2", 4)
        close(table)
        deal(table, "2D1", "2N1")
        assert (balance(table, "Ann"), balance(table, "Bo")) == (120, 108)

    def test_take_back_returns_the_whole_stake(self, roche):
        table = roche()
        bet(table, "Ann", "cut/6", 10)
        bet(table, "Ann", "cut/6", 5)
        table.do({"do": "take-back", "player": "Ann", "on": "cut/6"})
        assert balance(table) == 100

    def test_the_dealer_is_told_of_an_odd_coin_on_an_x_to_2_price(self, roche):
        event = bet(roche(), "Ann", "cut/3", 5)[0]
        assert isinstance(event, BetPlaced)
        assert event.idle == 1
        assert "cannot win" in event.sentence

    @pytest.mark.parametrize("amount", [0, -1, 2.0, "5", True, None, [1]])
    def test_an_amount_is_a_whole_number_of_coins_above_zero(self, roche, amount):
        with pytest.raises(BadAmount, match="whole number"):
            bet(roche(), "Ann", "cut/6", amount)

    @pytest.mark.parametrize("on", ["cut/8", "cut/1", "cut", "card/6D3", "cavalry", "", "cut/6/6", "day/06", "Cut/6"])
    def test_a_basic_layout_offers_cut_day_and_night_only(self, roche, on):
        with pytest.raises(NotOffered, match="does not offer"):
            bet(roche(), "Ann", on, 1)

    def test_the_red_deck_has_no_mages_to_bet_on(self, roche):
        with pytest.raises(NotOffered):
            bet(roche(deck="red"), "Ann", "cut/2", 1)

    def test_nobody_bets_more_than_he_has(self, roche):
        with pytest.raises(NotEnoughCoins, match="Ann has 100 coins and cannot bet 101"):
            bet(roche(), "Ann", "cut/6", 101)

    def test_a_stranger_cannot_bet(self, roche):
        with pytest.raises(UnknownPlayer, match="'Cy'"):
            bet(roche(), "Cy", "cut/6", 1)

    def test_bets_are_closed_after_no_more_bets(self, roche):
        table = roche()
        close(table)
        with pytest.raises(WrongPhase, match="Deal on until a suit is cut"):
            bet(table, "Ann", "cut/6", 1)

    def test_there_is_nothing_to_take_back_without_a_bet(self, roche):
        with pytest.raises(NothingDone):
            roche().do({"do": "take-back", "player": "Ann", "on": "cut/6"})


class TestLimits:
    def test_the_minimum_counts_for_the_whole_stake_on_a_spot(self, roche):
        table = roche(options={"min": 5})
        with pytest.raises(BadAmount, match="minimum is 5"):
            bet(table, "Ann", "cut/6", 4)
        bet(table, "Ann", "cut/6", 5)
        bet(table, "Ann", "cut/6", 1)
        assert balance(table) == 94

    def test_the_maximum_counts_for_the_whole_stake_on_a_spot(self, roche):
        table = roche(options={"max": 10})
        bet(table, "Ann", "cut/6", 8)
        with pytest.raises(
            OverLimit, match=r"maximum is 10; 11 on Kin to cut is above it\. At most 2 more can be bet there now\."
        ):
            bet(table, "Ann", "cut/6", 3)

    def test_a_bet_that_could_win_more_than_the_cap_is_refused(self, roche):
        table = roche(options={"cap": 80})
        bet(table, "Ann", "cut/6", 10)
        with pytest.raises(OverLimit, match=r"could win 88\. At most 10 can be bet there now\."):
            bet(table, "Bo", "cut/6", 11)

    def test_a_refusal_says_what_can_still_be_bet_there(self, roche):
        """Never more than the balance, never less than the minimum, and nothing if one coin is too much."""
        table = roche(options={"cap": 900, "min": 5})
        with pytest.raises(OverLimit, match="At most 100 can be bet there now"):
            bet(table, "Ann", "cut/6", 200)
        with pytest.raises(OverLimit, match=r"could win 1,000,000\. Nothing can be bet there now\."):
            bet(table, "Ann", "day/7", 100)
        with pytest.raises(OverLimit, match="Nothing can be bet there now"):  # 3 would be within the cap
            bet(table, "Ann", "day/4", 5)
        bet(table, "Ann", "cut/7", 90)
        with pytest.raises(OverLimit, match="Nothing more can be bet there now"):
            bet(table, "Ann", "cut/7", 1)

    def test_the_bank_bounds_all_bets_of_the_round_together(self, roche):
        """Two players' bets on one suit add up; bets that cannot win together do not. Losing stakes give no credit."""
        table = roche(options={"bank": 100})
        bet(table, "Ann", "cut/6", 10)
        bet(table, "Bo", "cut/7", 10)
        with pytest.raises(OverLimit, match=r"bank is 100.*could win 104\. At most 2 can be bet there now\."):
            bet(table, "Bo", "cut/6", 3)
        bet(table, "Bo", "cut/6", 2)
        with pytest.raises(OverLimit, match="Nothing can be bet there now"):
            bet(table, "Ann", "day/6", 1)
        table.do({"do": "take-back", "player": "Bo", "on": "cut/6"})
        bet(table, "Bo", "cut/6", 2)

    def test_whoever_takes_a_bet_back_cannot_push_the_round_over_the_bank(self, roche):
        """Stakes that others may lose are not counted, since they can be taken back."""
        table = roche(options={"bank": 80})
        bet(table, "Ann", "cut/5", 10)
        with pytest.raises(OverLimit):
            bet(table, "Bo", "cut/6", 11)
        bet(table, "Bo", "cut/6", 10)
        table.do({"do": "take-back", "player": "Ann", "on": "cut/5"})
        assert table.position.state.worst.coins == 80

    def test_without_options_nothing_is_limited(self, roche):
        """Hand scripts ignore the table's configuration."""
        table = roche()
        bet(table, "Ann", "day/7", 100)
        assert table.position.state.worst.coins == 1_000_000


class TestDealing:
    def test_a_card_before_no_more_bets_is_refused(self, roche):
        with pytest.raises(WrongPhase, match="Call no more bets first"):
            deal(roche(), "6D3")

    def test_a_card_is_dealt_once(self, roche):
        table = roche()
        close(table)
        deal(table, "6D3")
        with pytest.raises(CardSeen, match="6D3 was dealt already"):
            deal(table, "6D3")

    @pytest.mark.parametrize("card", ["6D7", "8D1", "AS", "T6", "", "6d3", "LDR"])
    def test_a_card_that_the_deck_does_not_have_is_refused(self, roche, card):
        table = roche()
        close(table)
        with pytest.raises(UnknownCard):
            deal(table, card)

    def test_mages_are_strangers_to_the_red_deck(self, roche):
        table = roche(deck="red")
        close(table)
        with pytest.raises(UnknownCard):
            deal(table, "2D1")

    def test_the_cut_ends_the_deal(self, roche):
        table = roche()
        close(table)
        deal(table, "2D1", "2N1")
        assert table.phase == "settled"
        with pytest.raises(WrongPhase, match="start a new round"):
            deal(table, "3D1")

    def test_burnt_cards_change_nothing_but_the_number_left(self, roche):
        table = roche()
        close(table)
        table.do({"do": "burn", "count": 3})
        assert table.view()["left"] == 51
        deal(table, "2D1", "2N1")
        assert table.results[0][1]["cut"] == 2

    def test_cards_may_be_burnt_while_bets_are_open_too_but_not_after_the_cut(self, roche):
        table = roche()
        table.do({"do": "burn", "count": 1})
        close(table)
        deal(table, "2D1", "2N1")
        assert table.view()["left"] == 51
        with pytest.raises(WrongPhase, match="start a new round"):
            table.do({"do": "burn", "count": 1})

    def test_no_more_are_burnt_than_leaves_a_sure_cut(self, roche):
        """22 cards always cut a suit of the full deck, so 32 can be burnt."""
        table = roche()
        close(table)
        with pytest.raises(DeckEmpty, match="32 can be burned"):
            table.do({"do": "burn", "count": 33})
        table.do({"do": "burn", "count": 32})
        assert table.position.state.burned == 32

    @pytest.mark.parametrize("count", [0, -1, "2", 1.0, None, True])
    def test_burning_takes_a_whole_number(self, roche, count):
        table = roche()
        close(table)
        with pytest.raises(BadAmount):
            table.do({"do": "burn", "count": count})

    def test_a_new_round_before_the_cut_is_refused(self, roche):
        table = roche()
        with pytest.raises(WrongPhase):
            table.do({"do": "new-round"})
        close(table)
        with pytest.raises(WrongPhase):
            table.do({"do": "new-round"})

    def test_a_round_without_bets_is_allowed(self, roche):
        table = roche()
        close(table)
        deal(table, "2D1", "2N1")
        assert table.results[0][1]["paid"] == []


class TestSettling:
    def test_the_cut_bet_pays_the_printed_price(self, roche):
        table = roche(Ann=600)
        for suit in range(2, 8):
            bet(table, "Ann", f"cut/{suit}", 10)
        assert play(table, "2D1", "2N1") == {
            "cut/2": 20, "cut/3": 0, "cut/4": 0, "cut/5": 0, "cut/6": 0, "cut/7": 0,
        }  # fmt: skip
        assert balance(table) == 600 - 60 + 30
        assert table.position.ledger.house == 30

    def test_x_to_2_pays_for_every_full_2_coins_and_returns_the_odd_one(self, roche):
        table = roche()
        bet(table, "Ann", "cut/3", 5)
        assert play(table, "3D1", "3D2", "3N1") == {"cut/3": 14}
        assert balance(table) == 114

    def test_one_coin_on_an_x_to_2_price_comes_back_alone(self, roche):
        table = roche()
        bet(table, "Ann", "cut/3", 1)
        assert play(table, "3D1", "3D2", "3N1") == {"cut/3": 0}
        assert balance(table) == 100

    def test_day_wins_only_if_every_card_of_the_cut_is_of_the_day(self, roche):
        table = roche()
        bet(table, "Ann", "day/3", 1)
        bet(table, "Ann", "night/3", 1)
        assert play(table, "3D1", "4N1", "3D2", "3D3") == {"day/3": 75, "night/3": 0}
        assert table.results[0][1]["half"] == "day"

    def test_a_mixed_cut_is_neutral(self, roche):
        table = roche()
        bet(table, "Ann", "day/2", 1)
        bet(table, "Ann", "night/2", 1)
        assert play(table, "2N1", "2D1") == {"day/2": 0, "night/2": 0}
        assert table.results[0][1]["half"] == "neutral"

    def test_single_card_terminus_and_oscura(self, roche):
        table = roche("grand")
        for on in ("card/2D1", "card/2D2", "terminus/2D1", "terminus/2N2", "oscura/2D2", "oscura/2N2", "oscura/3D1"):
            bet(table, "Ann", on, 1)
        assert play(table, "2D1", "3D1", "2N2") == {
            "card/2D1": 5, "card/2D2": 0, "terminus/2D1": 0, "terminus/2N2": 11,
            "oscura/2D2": 5, "oscura/2N2": 0, "oscura/3D1": 0,
        }  # fmt: skip

    def test_starlight_wins_if_no_card_of_the_suit_was_dealt(self, roche):
        table = roche("grand")
        for suit in (2, 3, 7):
            bet(table, "Ann", f"starlight/{suit}", 2)
        assert play(table, "7D1", "2D1", "2D2") == {"starlight/2": 0, "starlight/3": 7, "starlight/7": 0}

    def test_cavalry_wins_when_every_suit_was_one_card_short(self, roche):
        table = roche("grand")
        bet(table, "Ann", "cavalry", 1)
        short = [f"{rank}D{n}" for rank in range(2, 8) for n in range(1, rank)]
        assert play(table, *short, "5N1") == {"cavalry": 290}

    def test_cavalry_loses_when_one_suit_was_two_short(self, roche):
        table = roche("grand")
        bet(table, "Ann", "cavalry", 1)
        short = [f"{rank}D{n}" for rank in range(2, 8) for n in range(1, rank)][:-1]
        assert play(table, *short, "5N1") == {"cavalry": 0}

    def test_cavalry_with_the_red_deck_needs_five_suits(self, roche):
        table = roche("grand", "red")
        bet(table, "Ann", "cavalry", 1)
        short = [f"{rank}N{n}" for rank in range(3, 8) for n in range(1, rank)]
        assert play(table, *short, "7D1") == {"cavalry": 105}

    def test_the_red_deck_has_its_own_prices(self, roche):
        table = roche(deck="red")
        bet(table, "Ann", "cut/3", 3)
        assert play(table, "3D1", "3D2", "3N1") == {"cut/3": 6}

    def test_a_header_may_change_single_prices(self, roche):
        table = roche(options={"paytable": {"cut": {"2": "9:4"}}})
        bet(table, "Ann", "cut/2", 7)
        bet(table, "Ann", "day/2", 1)
        assert play(table, "2D1", "2D2") == {"cut/2": 9, "day/2": 15}

    def test_results_say_what_decided_the_round(self, roche):
        table = roche()
        bet(table, "Ann", "cut/2", 2)
        close(table)
        deal(table, "6N2", "2N2", "2N1")
        assert table.result()["results"] == [
            {
                "cut": 2,
                "last": "2N1",
                "half": "night",
                "included": ["2N2", "2N1"],
                "paid": [{"player": "Ann", "on": "cut/2", "amount": 2, "won": 4}],
            }
        ]

    @pytest.mark.parametrize("deck", ["full", "red"])
    def test_every_spot_of_the_grand_layout_can_win_and_lose(self, roche, deck):
        """Full enumeration: each card cuts its suit once, with its own half dealt first."""
        spots = bets("grand", deck)
        won, lost = set(), set()
        for last in FULL_DECK if deck == "full" else RED_DECK:
            table = roche("grand", deck, Ann=len(spots))
            for on in spots:
                bet(table, "Ann", on, 1)
            close(table)
            suit = [card for card in cards_of_suit(int(last[0])) if card != last]
            suit.sort(key=lambda card: card[1] != last[1])
            deal(table, *suit[: int(last[0]) - 1], last)
            cut = table.position.state.cut
            assert isinstance(cut, SuitCut)
            won |= {p.on for p in cut.paid if p.is_won}
            lost |= {p.on for p in cut.paid if not p.is_won}
        assert set(spots) - won == {"cavalry"}, "cavalry has tests of its own"
        assert set(spots) == lost


class TestPlayers:
    def test_buying_in_and_cashing_out_change_the_sum(self, roche):
        table = roche()
        table.do({"do": "buy-in", "player": "Ann", "coins": 50})
        assert balance(table) == 150
        table.do({"do": "cash-out", "player": "Ann"})
        assert balance(table) == 0
        assert table.position.ledger.total == 0

    def test_a_newcomer_takes_the_lowest_free_seat(self, roche):
        table = roche()
        table.do({"do": "join", "player": "Cy", "coins": 20})
        assert [(s.number, s.player) for s in table.seats] == [(1, "Ann"), (2, "Bo"), (3, "Cy")]
        bet(table, "Cy", "cut/6", 20)

    def test_a_player_with_coins_or_bets_cannot_leave(self, roche):
        table = roche()
        bet(table, "Ann", "cut/6", 100)
        with pytest.raises(WrongPhase, match="bets on the table"):
            table.do({"do": "leave", "player": "Ann"})
        with pytest.raises(NotOffered, match="Cash out first"):
            table.do({"do": "leave", "player": "Bo"})
        table.do({"do": "cash-out", "player": "Bo"})
        table.do({"do": "leave", "player": "Bo"})
        assert list(table.result()["balances"]) == ["Ann"]

    @pytest.mark.parametrize("extra", [{"seat": 1}, {"seat": 0}, {"seat": "x"}, {"player": " "}, {"player": "Ann"}])
    def test_a_newcomer_needs_a_name_and_a_free_seat(self, roche, extra):
        with pytest.raises(TableError):
            roche().do({"do": "join", "player": "Cy", "coins": 5} | extra)


class TestBadInput:
    @pytest.mark.parametrize(
        "options",
        [
            {"layout": "huge"}, {"deck": "blue"}, {"min": 0}, {"max": "9"}, {"cap": 1.5}, {"bank": 0}, {"bank": "9"},
            {"colour": 1},
            {"min": 6, "max": 5},
            {"paytable": {"cut": {"9": 1}}}, {"paytable": {"cut": {"2": "x"}}},
            {"paytable": 5}, {"paytable": []}, {"paytable": False},
        ],
    )  # fmt: skip
    def test_a_wrong_option_is_named(self, roche, options):
        with pytest.raises(BadScript):
            roche(options=options)

    def test_unknown_verbs_are_named(self, roche):
        with pytest.raises(UnknownVerb, match="'fold'"):
            roche().do({"do": "fold"})

    @pytest.mark.parametrize("record", [{}, {"do": 5}, {"do": "deal"}, {"do": "deal", "card": 5}, {"do": "bet"}])
    def test_a_broken_command_says_what_it_needs(self, roche, record):
        with pytest.raises(BadScript):
            roche().do(record)

    def test_nothing_outside_expected_is_accepted(self, roche):
        table = roche()
        for records in ([], [{"do": "no-more-bets"}], [{"do": "deal", "card": "2D1"}, {"do": "deal", "card": "2D2"}]):
            for record in records:
                table.do(record)
            for verb in set(table.verbs) - table.expected():
                before = table.result()
                with pytest.raises(TableError):
                    table.do({"do": verb, "player": "Ann", "on": "cut/6", "amount": 1, "card": "3D1", "count": 1})
                assert table.result() == before
