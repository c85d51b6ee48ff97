"""A hand of Rochi, one rule per test, in the words of the rules and rulings."""

import pytest
from rochi_tables import coins, do, facts, latest, pots, rochi

from companion.kernel.errors import (
    BadScript,
    CardSeen,
    NotEnoughCoins,
    NotOffered,
    NotYourTurn,
    UnknownCard,
    UnknownPlayer,
    UnknownVerb,
    WrongPhase,
)
from companion.kernel.table import Table
from companion.testing import new_header


class TestSeeding:
    @pytest.mark.parametrize(("players", "seeds"), [(3, 6), (4, 4), (5, 2)])
    def test_two_cards_are_seeded_for_every_player_below_six(self, players, seeds):
        table = rochi(players, seeds=None)
        assert table.phase == "seeding"
        assert facts(table)["to_seed"] == seeds
        assert rochi(players).phase == "turns"

    def test_six_players_begin_at_once(self):
        assert rochi(6).phase == "turns"

    @pytest.mark.parametrize("players", [1, 2, 7])
    def test_rochi_is_for_three_to_six_players(self, players):
        names = tuple((f"P{n}", 10) for n in range(players))
        with pytest.raises(BadScript, match="3 to 6"):
            Table(new_header("rochi", names))

    def test_the_deck_holds_all_cards_less_five_a_player_and_the_seeds(self):
        assert facts(rochi(3))["deck"] == 54 - 15 - 6
        assert facts(rochi(6))["deck"] == 54 - 30
        assert facts(rochi(3, seeds="3D1", deck="red"))["deck"] == 50 - 15 - 6

    def test_a_suit_cut_by_the_seed_cards_is_locked_and_does_not_win(self):
        table = rochi(seeds="2D1 2D2")
        assert facts(table)["locked"] == [2]
        assert table.results == []

    def test_play_begins_with_the_leader_and_proceeds_to_the_left(self):
        table = rochi(4, leader=3)
        turns = []
        for card in ("7N1", "6N1", "5N1", "4N1"):
            turns.append(facts(table)["turn"])
            do(table, f"deal {card}", "end")
        assert turns == ["Cy", "Di", "Ann", "Bo"]

    @pytest.mark.parametrize("command", ["play 6N1", "deal 6N1", "end", "fold", "next-hand", "sit-out Ann"])
    def test_nothing_else_goes_on_while_seeds_are_missing(self, command):
        with pytest.raises(WrongPhase, match="Seed 6 more"):
            do(rochi(seeds=None), command)


class TestTurn:
    def test_a_turn_is_over_when_the_player_has_played_and_dealt(self):
        assert facts(do(rochi(), "play 7D3", "deal 6D3"))["turn"] == "Bo"
        assert facts(do(rochi(), "deal 6D3", "play 7D3"))["turn"] == "Bo"

    @pytest.mark.parametrize("only", ["play 7D3", "deal 7D3"])
    def test_after_only_one_of_play_and_deal_the_end_is_said(self, only):
        table = do(rochi(), only)
        assert facts(table)["turn"] == "Ann"
        assert facts(do(table, "end"))["turn"] == "Bo"

    @pytest.mark.parametrize(("first", "again"), [("play 7D3", "play 7D4"), ("deal 7D3", "deal 7D4")])
    def test_only_one_card_is_played_and_one_dealt(self, first, again):
        with pytest.raises(WrongPhase, match="this turn already"):
            do(rochi(), first, again)

    def test_a_player_without_cards_can_still_deal_and_says_end(self):
        table = rochi(3, seeds="2D1 2D2 3D1 3D2 3D3")
        for number, card in enumerate(("2N1", "2N2", "3N1", "3N2", "3N3"), start=1):
            do(table, f"play {card}", "end", f"deal 7N{number}", "end", f"deal 6N{number}", "end")
        assert facts(table)["players"]["Ann"]["cards"] == 0
        with pytest.raises(WrongPhase, match="no card left to play"):
            do(table, "play 4N1")
        assert facts(do(table, "deal 4N1"))["turn"] == "Ann"
        assert facts(do(table, "end"))["turn"] == "Bo"

    def test_an_end_with_nothing_done_is_a_fold(self):
        assert facts(do(rochi(), "end"))["players"]["Ann"]["folded"] is True

    @pytest.mark.parametrize("action", ["play 7D3", "deal 7D3"])
    def test_who_takes_any_other_action_does_not_fold(self, action):
        with pytest.raises(WrongPhase, match="cannot fold any more"):
            do(rochi(), action, "fold")
        assert facts(do(rochi(), action, "end"))["players"]["Ann"]["folded"] is False

    def test_folded_players_are_passed_over(self):
        table = do(rochi(), "deal 7D3", "end", "fold", "deal 6D3", "end", "deal 7D4", "end")
        assert facts(table)["turn"] == "Cy"

    def test_a_command_may_say_who_does_it_and_then_it_must_be_his_turn(self):
        table = rochi()
        for verb in ("play", "deal"):
            with pytest.raises(NotYourTurn, match="Ann's turn, not Bo's"):
                table.do({"do": verb, "card": "7D3", "player": "Bo"})
        for verb in ("end", "fold"):
            with pytest.raises(NotYourTurn):
                table.do({"do": verb, "player": "Cy"})
        with pytest.raises(UnknownPlayer):
            table.do({"do": "fold", "player": "Zoe"})
        table.do({"do": "play", "card": "7D3", "player": "Ann"})

    def test_a_turn_verb_of_another_game_is_unknown(self):
        with pytest.raises(UnknownVerb):
            do(rochi(), "pass")


class TestCards:
    def test_a_card_that_the_deck_does_not_have_is_unknown(self):
        for card in ("8D1", "6D7", "AS", "T6", ""):
            with pytest.raises(UnknownCard):
                rochi().do({"do": "play", "card": card})
        with pytest.raises(UnknownCard):
            do(rochi(seeds="3D1", deck="red"), "play 2D1")

    @pytest.mark.parametrize("verb", ["play", "deal"])
    def test_a_card_that_lies_in_a_stack_is_refused(self, verb):
        with pytest.raises(CardSeen, match="lies on the table already"):
            do(rochi(), f"{verb} 7D1")

    def test_a_seed_card_cannot_come_twice(self):
        with pytest.raises(CardSeen):
            do(rochi(seeds=None), "seed 6D1", "seed 6D1")

    def test_a_shield_lies_on_the_table_too(self):
        table = do(rochi(seeds="2D1"), "play 2D2", "end")
        with pytest.raises(CardSeen):
            do(table, "deal 2D2")

    def test_the_shields_of_a_folded_player_are_on_the_discard_pile(self):
        table = do(rochi(4, seeds="2D1"), "play 2D2", "end", "play 2N1", "end", "deal 7D3", "end", "deal 7D4", "end")
        do(table, "fold")
        assert facts(table)["gone"] == ["2D2", "2N1"]
        with pytest.raises(CardSeen, match="discarded already"):
            do(table, "deal 2D2")

    def test_the_next_hand_has_all_cards_again(self):
        table = do(rochi(), "fold", "fold", "next-hand")
        assert do(table, "seed 7D1").result()["state"]["stacks"]["7"] == ["7D1"]


class TestPrices:
    @pytest.mark.parametrize(("seeds", "price"), [("", 1), ("6D1", 2), ("6D1 6D2", 3), ("6D1 6D2 6D3 6D4", 5)])
    def test_an_unclaimed_suit_costs_the_cards_now_in_its_stack_into_its_pot(self, seeds, price):
        table = rochi(seeds=f"{seeds} 7D1 7D2 5D1 5D2 4D1 3D1")
        do(table, "play 6N1")
        assert coins(table) == [100 - price, 100, 100]
        assert pots(table) == {"6": price}
        assert facts(table)["owners"]["6"] == "Ann"

    def test_an_owned_suit_is_bought_from_its_owner(self):
        table = do(rochi(), "play 6N1", "end", "play 6N2")
        assert coins(table) == [100 - 3 + 4, 100 - 4, 100]
        assert facts(table)["owners"]["6"] == "Bo"

    def test_ones_own_suit_costs_nothing(self):
        table = do(rochi(), "play 6N1", "end", "deal 7D3", "end", "deal 7D4", "end", "play 6N2")
        assert coins(table) == [97, 100, 100]

    def test_a_player_can_own_several_suits(self):
        table = do(rochi(), "play 6N1", "end", "deal 7D3", "end", "deal 7D4", "end", "play 5N2")
        assert [facts(table)["owners"][suit] for suit in "56"] == ["Ann", "Ann"]

    def test_without_credit_a_play_that_cannot_be_paid_is_refused(self):
        table = rochi(coins=2)
        with pytest.raises(NotEnoughCoins, match="costs 3 and Ann has 2"):
            do(table, "play 7D3")
        assert coins(do(table, "play 3D1")) == [1, 2, 2]

    def test_with_credit_the_balance_may_go_below_zero(self):
        assert coins(do(rochi(coins=2, credit=True), "play 7D3")) == [-1, 2, 2]


class TestShields:
    RIPE = "3D1 3D2"

    def test_a_card_on_a_ripe_stack_does_not_enter_it_and_never_cuts(self):
        table = do(rochi(seeds=self.RIPE), "play 3D3")
        assert facts(table)["stacks"]["3"] == ["3D1", "3D2"]
        assert table.results == []

    def test_it_becomes_the_players_own_shield_where_the_suit_is_unclaimed(self):
        table = do(rochi(seeds=self.RIPE), "play 3D3")
        assert facts(table)["shields"]["3"] == {"Ann": ["3D3"]}

    def test_it_becomes_a_shield_of_the_previous_owner(self):
        table = do(rochi(seeds=self.RIPE), "play 3D3", "end", "play 3N1")
        assert facts(table)["shields"]["3"] == {"Ann": ["3D3", "3N1"]}
        assert facts(table)["owners"]["3"] == "Bo"

    def test_on_ones_own_ripe_suit_it_is_ones_own_shield_and_free(self):
        table = do(rochi(seeds=self.RIPE), "play 3D3", "end", "deal 7D3", "end", "deal 7D4", "end", "play 3N1")
        assert facts(table)["shields"]["3"] == {"Ann": ["3D3", "3N1"]}
        assert coins(table)[0] == 98

    def test_the_price_is_one_less_than_the_rank_then(self):
        table = do(rochi(seeds=self.RIPE), "play 3D3", "end", "play 3N1")
        assert coins(table) == [100 - 2 + 2, 100 - 2, 100]
        assert pots(table) == {"3": 2}


class TestLockedSuits:
    def test_a_dealt_card_that_cuts_an_unclaimed_suit_locks_it(self):
        table = do(rochi(seeds="3D1 3D2"), "deal 3D3")
        assert (facts(table)["locked"], table.phase, table.results) == ([3], "turns", [])

    def test_a_card_of_a_locked_suit_costs_nothing_moves_no_token_and_counts_as_having_acted(self):
        table = do(rochi(seeds="2D1 2D2"), "play 2N1")
        assert coins(table) == [100, 100, 100]
        assert facts(table)["owners"]["2"] is None
        assert facts(table)["stacks"]["2"] == ["2D1", "2D2", "2N1"]
        assert facts(table)["players"]["Ann"]["acted"] is True
        with pytest.raises(WrongPhase):
            do(table, "fold")

    def test_it_may_be_dealt_too_and_nothing_happens(self):
        table = do(rochi(seeds="2D1 2D2"), "deal 2N1", "end")
        assert (table.phase, facts(table)["turn"]) == ("turns", "Bo")


class TestSwappingLockedCards:
    def test_only_where_the_table_has_the_option(self):
        with pytest.raises(NotOffered, match="does not swap"):
            do(rochi(seeds="2D1 2D2"), "discard Ann 2N1")

    def test_a_card_is_swapped_for_a_new_one_from_the_deck(self):
        table = do(rochi(seeds="2D1 2D2", locked_discards=True), "discard Ann 2N1")
        assert facts(table)["deck"] == 32
        assert facts(table)["players"]["Ann"] == {"cards": 5, "acted": False, "folded": False}
        assert facts(table)["gone"] == ["2N1"]

    def test_several_cards_may_be_swapped_and_then_the_turn_goes_on(self):
        table = do(rochi(seeds="2D1 2D2", locked_discards=True), "discard Ann 2N1", "discard Ann 2N2", "play 7D3")
        assert facts(table)["turn"] == "Ann"

    def test_a_swap_alone_is_nothing_done(self):
        table = do(rochi(seeds="2D1 2D2", locked_discards=True), "discard Ann 2N1", "end")
        assert facts(table)["players"]["Ann"]["folded"] is True

    @pytest.mark.parametrize("action", ["play 7D3", "deal 7D3"])
    def test_only_at_the_start_of_a_turn(self, action):
        with pytest.raises(WrongPhase, match="start of a turn"):
            do(rochi(seeds="2D1 2D2", locked_discards=True), action, "discard Ann 2N1")

    def test_only_cards_of_locked_suits(self):
        with pytest.raises(NotOffered, match="Commons is not locked"):
            do(rochi(seeds="2D1 2D2", locked_discards=True), "discard Ann 7N1")
        with pytest.raises(WrongPhase, match="No suit is locked"):
            do(rochi(locked_discards=True), "discard Ann 7N1")

    def test_only_the_player_whose_turn_it_is(self):
        table = rochi(seeds="2D1 2D2", locked_discards=True)
        with pytest.raises(NotYourTurn):
            do(table, "discard Bo 2N1")
        with pytest.raises(UnknownPlayer):
            do(table, "discard Zoe 2N1")

    def test_a_swapped_card_cannot_come_again(self):
        with pytest.raises(CardSeen):
            do(rochi(seeds="2D1 2D2", locked_discards=True), "discard Ann 2N1", "discard Ann 2N1")


class TestFolding:
    def test_tokens_go_back_to_the_centre_and_cards_and_shields_are_discarded(self):
        table = do(rochi(4, seeds="2D1"), "play 2D2", "end", "play 7D3", "end", "play 6N1", "end", "deal 5N1", "end")
        do(table, "fold")
        assert [facts(table)["owners"][suit] for suit in "267"] == [None, "Cy", "Bo"]
        assert facts(table)["shields"]["2"] == {}
        assert facts(table)["players"]["Ann"] == {"cards": 0, "acted": True, "folded": True}

    def test_a_suit_that_came_back_is_bought_from_the_pot_again(self):
        table = do(
            rochi(4), "play 6N1", "end", "deal 7D3", "end", "deal 7D4", "end", "deal 5N1", "end", "fold", "play 6N2"
        )
        assert coins(table) == [97, 96, 100, 100]
        assert pots(table) == {"6": 7}


class TestWinning:
    def test_the_owner_wins_whoever_dealt_the_card(self):
        table = do(rochi(seeds="3D1 3D2"), "play 3D3", "end", "deal 3N1")
        assert (latest(table)["winner"], latest(table)["suit"]) == ("Ann", 3)
        assert table.phase == "between-hands"

    def test_the_winner_takes_the_pot_of_that_suit_and_the_others_stay(self):
        table = do(rochi(seeds="3D1 3D2"), "play 3D3", "end", "play 7D3", "end", "deal 3N1")
        assert pots(table) == {"7": 3}
        assert latest(table)["transfers"][0] == {
            "from": "pot/3",
            "to": "Ann",
            "coins": 2,
            "why": "wins the pot of Realm",
        }

    def test_every_player_still_in_the_hand_pays_the_rank(self):
        table = do(rochi(seeds="3D1 3D2"), "play 3D3", "end", "deal 7D3", "end", "deal 3N1")
        assert coins(table) == [100 - 2 + 2 + 6, 97, 97]

    def test_folded_players_do_not_pay(self):
        table = do(rochi(seeds="3D1 3D2"), "play 3D3", "end", "fold", "deal 3N1")
        assert coins(table) == [103, 100, 97]

    def test_players_who_have_not_had_a_turn_do_not_pay_but_who_is_acting_does(self):
        table = do(rochi(4, seeds="3D1 3D2"), "play 3D3", "end", "deal 3N1")
        assert coins(table) == [103, 97, 100, 100]

    @pytest.mark.parametrize(("suit", "half"), [(2, 1), (3, 2), (4, 2), (5, 3), (6, 3), (7, 4)])
    def test_one_shield_in_the_winning_suit_halves_the_penalty_rounding_up(self, suit, half):
        seeds = [f"{suit}D{n}" for n in range(1, suit - 1)]
        others = [card for card in ("7D1", "7D2", "6D1", "5D1", "4D1", "3D1", "6D2") if int(card[0]) != suit]
        table = rochi(seeds=" ".join([*seeds, *others][:6]))
        do(table, f"play {suit}N1", "end", f"play {suit}N2", "end", f"deal {suit}D{suit}")
        assert facts(table)["shields"][str(suit)] == {"Ann": [f"{suit}N2"]}
        assert latest(table)["winner"] == "Bo"
        paid = {t["from"]: t["coins"] for t in latest(table)["transfers"]}
        assert (paid["Ann"], paid["Cy"]) == (half, suit)

    def test_who_has_two_shields_pays_nothing(self):
        table = do(rochi(seeds="3D1 3D2"), "play 3D3", "end", "play 3N1", "end", "deal 3N2")
        assert coins(table) == [100, 103, 97]

    def test_shields_in_other_suits_do_not_help(self):
        table = do(rochi(seeds="2D1 3D1 3D2"), "play 2D2", "end", "play 3D3", "end", "deal 3N1")
        assert [(t["from"], t["coins"]) for t in latest(table)["transfers"]] == [("pot/3", 2), ("Ann", 3), ("Cy", 3)]

    def test_a_penalty_takes_all_that_is_left_and_the_shortfall_is_reported(self):
        table = do(rochi(coins=2, seeds="3D1 3D2"), "play 3D3", "end", "deal 7D3", "end", "deal 3N1")
        assert coins(table) == [6, 0, 0]
        why = "penalty, Realm cut"
        assert latest(table)["short"] == [{"player": name, "why": why, "owed": 3, "paid": 2} for name in ("Bo", "Cy")]

    def test_who_has_nothing_at_all_makes_no_transfer(self):
        table = do(rochi(coins=2, seeds="3D1 3D2"), "cash-out Bo", "play 3D3", "end", "deal 3N1")
        assert [t["from"] for t in latest(table)["transfers"]] == ["pot/3"]
        assert latest(table)["short"][0]["paid"] == 0

    def test_with_credit_the_penalty_is_paid_in_full(self):
        table = do(rochi(coins=2, credit=True, seeds="3D1 3D2"), "play 3D3", "end", "deal 7D3", "end", "deal 3N1")
        assert coins(table) == [8, -1, -1]
        assert latest(table)["short"] == []

    def test_stacks_owners_and_locks_lie_until_the_next_hand(self):
        table = do(rochi(seeds="2D1 2D2 3D1 3D2"), "play 3D3", "end", "deal 3N1")
        assert facts(table)["stacks"]["3"] == ["3D1", "3D2", "3N1"]
        assert (facts(table)["owners"]["3"], facts(table)["locked"]) == ("Ann", [2])
        assert latest(table)["locked"] == [2]
        do(table, "next-hand")
        assert facts(table)["stacks"]["3"] == []
        assert (facts(table)["owners"]["3"], facts(table)["locked"]) == (None, [])


class TestLastPlayerStanding:
    def test_without_a_suit_the_hand_is_over_and_nobody_wins(self):
        table = do(rochi(), "fold", "fold")
        assert (latest(table)["winner"], latest(table)["suit"], latest(table)["transfers"]) == (None, None, [])
        assert table.phase == "between-hands"

    def test_with_one_suit_it_wins_at_once_the_pot_and_no_penalties(self):
        table = do(rochi(), "play 6N1", "end", "fold", "fold")
        assert (latest(table)["winner"], latest(table)["suit"]) == ("Ann", 6)
        assert coins(table) == [100, 100, 100]

    def two_suits(self) -> Table:
        return do(rochi(), "play 6N1", "end", "deal 7D3", "end", "deal 7D4", "end", "play 5N1", "end", "fold", "fold")

    def test_with_several_suits_cards_are_dealt_until_one_of_them_cuts(self):
        table = self.two_suits()
        assert table.phase == "last-player"
        assert table.expected() - {"hold", "undo", "buy-in", "cash-out", "recount"} == {"deal", "last-hand"}
        do(table, "deal 5N2", "deal 6N2", "deal 5N3", "deal 6N3", "deal 5N4")
        assert (latest(table)["winner"], latest(table)["suit"]) == ("Ann", 5)
        assert coins(table) == [100 - 3, 100, 100]
        assert pots(table) == {"6": 3}

    def test_suits_that_are_nobodys_lock_as_they_cut(self):
        table = do(self.two_suits(), "deal 2D1", "deal 2D2")
        assert (facts(table)["locked"], table.phase) == ([2], "last-player")

    @pytest.mark.parametrize("command", ["play 4N1", "end", "fold", "next-hand"])
    def test_nothing_but_dealing_goes_on(self, command):
        with pytest.raises(WrongPhase, match="only Ann is left"):
            do(self.two_suits(), command)

    def test_who_is_left_need_not_have_had_a_turn(self):
        table = do(rochi(), "play 6N1", "end", "deal 7D3", "end", "deal 7D4", "end", "fold", "fold")
        assert (latest(table)["winner"], table.phase) == (None, "between-hands")


class TestEmptyDeck:
    def emptied(self, **options: object) -> Table:
        """Return a table of six with one card left in the deck; the lower suits are locked, and it is Flo's turn."""
        table = rochi(6, **options)
        cards = [f"{s}{h}{n}" for s in range(2, 8) for h in "DN" for n in range(1, s + 1)][:23]  # up to 5D5
        for card in cards:
            do(table, f"deal {card}", "end")
        assert facts(table)["deck"] == 1
        return table

    def test_when_the_last_card_cut_no_owned_suit_the_hand_ends_at_once(self):
        table = do(self.emptied(), "deal 7D1")
        assert (latest(table)["winner"], latest(table)["suit"]) == (None, None)
        assert table.phase == "between-hands"

    def test_the_pots_stay(self):
        table = do(self.emptied(), "play 7D2", "deal 7D1")
        assert pots(table) == {"7": 1}

    def test_when_it_cut_an_owned_suit_its_owner_wins(self):
        table = rochi(6)
        do(table, "play 7D1", "deal 6D1")
        for card in [f"{s}{h}{n}" for s in (2, 3, 4) for h in "DN" for n in range(1, s + 1)][:17]:
            do(table, f"deal {card}", "end")
        for card in ("7D2", "7D3", "7D4", "7D5", "7D6"):
            do(table, f"deal {card}", "end")
        assert facts(table)["deck"] == 1
        do(table, "deal 7D7")
        assert (latest(table)["winner"], latest(table)["suit"]) == ("Ann", 7)

    def test_swapping_the_last_card_ends_it_too(self):
        table = self.emptied(locked_discards=True)
        do(table, "discard Flo 5N5")
        assert (latest(table)["winner"], table.phase) == (None, "between-hands")


class TestOptions:
    @pytest.mark.parametrize(
        "options",
        [
            {"deck": "blue"}, {"credit": 1}, {"locked_discards": "yes"}, {"join_fee": None}, {"marker": 0},
            {"leader": 0}, {"leader": 4}, {"leader": "1"}, {"leader": True}, {"layout": "grand"}, {"deck": []},
        ],
    )  # fmt: skip
    def test_an_option_that_makes_no_sense_is_refused(self, options):
        with pytest.raises(BadScript):
            rochi(seeds=None, **options)

    def test_the_red_deck_has_no_mages(self):
        table = rochi(seeds="3D1", deck="red")
        assert list(table.result()["pots"]) == ["3", "4", "5", "6", "7"]
        assert list(facts(table)["stacks"]) == ["3", "4", "5", "6", "7"]
