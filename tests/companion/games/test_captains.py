"""Captain's Rochi, one rule per test, in the words of the rules and rulings."""

import pytest
from rochi_tables import captains, coins, do, facts, latest, pots

from companion.games.rochi.plugin import CAPTAINS
from companion.games.rochi.practice import practice
from companion.kernel.errors import (
    BadScript,
    CardSeen,
    DeckEmpty,
    NotEnoughCoins,
    NothingDone,
    NotOffered,
    NotYourTurn,
    UnknownPlayer,
    UnknownVerb,
    WrongPhase,
)
from companion.kernel.table import Table
from companion.testing import new_header


def realm_cut(**options: object) -> Table:
    """Return a game after a cut of Realm, won by Bo; Ann had no Shield and is to act."""
    table = captains("3D1 6D1 6D2 5D1 5D2 4D1 4D2 7D1", **options)
    return do(table, "play 7D2", "end", "play 3D2", "deal 3N1")


def valor_ripe(**options: object) -> Table:
    """Return a game with Bo to act: ripe Valor, which the next Valor cuts, and one Shield in it before Ann."""
    table = captains("5D1 5D2 5D3 7D1 7D2 6D1 4D1 3D1", **options)
    return do(table, "play 5D4", "end", "play 5D5")


class TestSettingUp:
    def test_each_player_puts_one_coin_into_each_pot(self):
        table = Table(new_header("captains", (("Ann", 10), ("Bo", 6))))
        assert coins(table) == [4, 0]
        assert pots(table) == dict.fromkeys("234567", 2)

    def test_with_the_red_deck_there_are_five_pots(self):
        table = captains("3D1 3D2 4D1 4D2 5D1 5D2 6D1 6D2", deck="red")
        assert coins(table) == [95, 95]
        assert facts(table)["deck"] == 50 - 14 - 8

    def test_who_cannot_pay_the_ante_cannot_play(self):
        with pytest.raises(NotEnoughCoins):
            Table(new_header("captains", (("Ann", 10), ("Bo", 5))))

    @pytest.mark.parametrize("players", [1, 3])
    def test_it_is_for_two(self, players):
        with pytest.raises(BadScript, match="2 players"):
            Table(new_header("captains", tuple((f"P{n}", 10) for n in range(players))))

    @pytest.mark.parametrize("options", [{"credit": True}, {"deck": "blue"}, {"leader": 2}])
    def test_its_only_option_is_the_deck(self, options):
        with pytest.raises(BadScript):
            captains(**options)

    def test_both_have_seven_cards_and_eight_are_seeded(self):
        table = Table(new_header("captains", (("Ann", 10), ("Bo", 10))))
        assert (table.phase, facts(table)["to_seed"], facts(table)["deck"]) == ("seeding", 8, 40)
        assert facts(captains())["deck"] == 54 - 14 - 8
        assert captains().phase == "turns"

    def test_a_suit_cut_while_seeding_is_discarded_at_once_not_replaced_and_starts_afresh(self):
        table = captains("2D1 2D2 2N1 7D1 7D2 6D1 6D2 5D1")
        assert table.phase == "turns"
        assert facts(table)["stacks"]["2"] == ["2N1"]
        assert (facts(table)["locked"], facts(table)["discards"]) == ([], ["2D1", "2D2"])

    def test_a_newcomer_is_told_that_such_a_suit_starts_afresh(self):
        """Regression: Rochi's text was shown, which says that the suit is locked."""
        table = Table(new_header("captains", (("Ann", 10), ("Bo", 10))))
        told = practice({"phase": table.phase, "game": "captains"})
        assert "starts afresh" in told
        assert "locked" not in told
        assert told in CAPTAINS.steps
        assert "locked" in practice({"phase": "seeding", "game": "rochi"})

    def test_cards_discarded_while_seeding_are_not_seen_again_before_a_shuffle(self):
        with pytest.raises(CardSeen, match="discarded already"):
            do(captains("2D1 2D2 2N1 7D1 7D2 6D1 6D2 5D1"), "play 2D1")

    @pytest.mark.parametrize("verb", ["fold", "next-hand", "last-hand", "sit-out", "discard"])
    def test_there_is_no_fold_and_no_hand_that_ends(self, verb):
        with pytest.raises(UnknownVerb):
            captains().do({"do": verb})


class TestTurn:
    def test_the_first_player_may_not_deal_on_the_first_turn_of_the_game(self):
        for first in ((), ("play 7D3",)):
            with pytest.raises(WrongPhase, match="first turn"):
                do(captains(), *first, "deal 3D1")

    def test_that_turn_still_ends_by_end_or_pass(self):
        assert facts(do(captains(), "play 7D3", "end"))["turn"] == "Bo"
        assert facts(do(captains(), "pass"))["turn"] == "Bo"

    def test_the_second_player_may_deal_on_the_first_turn(self):
        table = do(captains(), "pass", "deal 3D1", "end", "deal 3D2")
        assert facts(table)["stacks"]["3"] == ["3D1", "3D2"]

    def test_a_turn_is_over_after_a_play_and_a_deal_in_either_order(self):
        assert facts(do(captains(), "pass", "play 7D3", "deal 3D1"))["turn"] == "Ann"
        assert facts(do(captains(), "pass", "deal 3D1", "play 7D3"))["turn"] == "Ann"

    def test_an_end_with_nothing_done_is_refused_that_is_what_pass_is_for(self):
        with pytest.raises(NothingDone, match="pass"):
            do(captains(), "end")
        assert "end" not in captains().expected()

    @pytest.mark.parametrize("action", ["play 7D3", "deal 3D1"])
    def test_pass_is_only_for_a_turn_in_which_nothing_was_done(self, action):
        with pytest.raises(WrongPhase, match="cannot pass any more"):
            do(captains(), "pass", action, "pass")

    @pytest.mark.parametrize(("first", "again"), [("play 7D3", "play 7D4"), ("deal 7D3", "deal 7D4")])
    def test_one_card_is_played_and_one_dealt(self, first, again):
        with pytest.raises(WrongPhase, match="this turn already"):
            do(captains(), "pass", first, again)

    def test_a_cut_ends_the_turn_so_nothing_can_be_played_after_it(self):
        table = do(captains("3D1 6D1 6D2 5D1 5D2 4D1 4D2 7D1"), "play 3D2", "end", "deal 3N1")
        assert facts(table)["turn"] == "Ann"
        with pytest.raises(NotYourTurn):
            table.do({"do": "play", "card": "7D2", "player": "Bo"})

    def test_who_acts_may_be_said_and_must_sit_here(self):
        with pytest.raises(UnknownPlayer):
            captains().do({"do": "pass", "player": "Zoe"})
        with pytest.raises(NotYourTurn, match="Ann's turn, not Bo's"):
            captains().do({"do": "pass", "player": "Bo"})
        captains().do({"do": "pass", "player": "Ann"})

    def test_a_play_that_cannot_be_paid_is_refused(self):
        with pytest.raises(NotEnoughCoins):
            do(captains(coins=8), "play 7D3")

    def test_hands_are_not_filled_after_a_play(self):
        assert facts(do(captains(), "play 7D3", "end"))["players"]["Ann"]["cards"] == 6

    def test_a_card_that_lies_open_cannot_come_again(self):
        with pytest.raises(CardSeen):
            do(captains(), "play 7D1")


class TestCut:
    def test_the_loser_pays_the_rank_takes_no_part_in_the_pot_and_antes_again(self):
        table = realm_cut()  # Ann: 94 - 2 for Commons; Bo: 94 - 2 for Realm
        paid = [(t["from"], t["to"], t["coins"]) for t in latest(table)["transfers"]]
        assert paid == [("Ann", "Bo", 3), ("pot/3", "Bo", 4 - 1), ("Ann", "pot/3", 1)]
        assert coins(table) == [92 - 3 - 1, 92 + 3 + 3]
        assert pots(table)["3"] == 2

    def test_the_token_goes_back_to_the_centre_and_all_the_suits_cards_are_discarded(self):
        table = realm_cut()
        assert facts(table)["owners"]["3"] is None
        assert facts(table)["stacks"]["3"] == []
        assert facts(table)["discards"] == ["3D1", "3D2", "3N1"]

    def test_its_shields_too(self):
        table = do(valor_ripe(), "deal 5N1", "odd-coin 2")
        assert facts(table)["discards"] == ["5D1", "5D2", "5D3", "5D4", "5N1", "5D5"]
        assert facts(table)["shields"]["5"] == {}

    def test_both_hands_are_filled_to_seven(self):
        table = realm_cut()
        assert facts(table)["players"] == {"Ann": {"cards": 7}, "Bo": {"cards": 7}}
        assert facts(table)["deck"] == 32 - 1 - 2

    def test_the_game_goes_on_with_the_other_player(self):
        table = realm_cut()
        assert (table.phase, facts(table)["turn"]) == ("turns", "Ann")

    def test_the_owner_wins_whoever_dealt(self):
        table = do(captains("3D1 6D1 6D2 5D1 5D2 4D1 4D2 7D1"), "play 3D2", "end", "deal 3N1")
        assert (latest(table)["winner"], latest(table)["suit"]) == ("Ann", 3)

    def test_two_shields_pay_nothing(self):
        table = captains("3D1 3D2 6D1 6D2 5D1 5D2 4D1 4D2")
        do(table, "play 3D3", "end", "play 3N1", "deal 3N2")
        assert [t["why"] for t in latest(table)["transfers"]] == ["wins the pot of Realm", "ante for Realm"]

    def test_one_shield_of_an_even_suit_pays_half_and_no_odd_coin(self):
        table = captains("4D1 4D2 6D1 6D2 5D1 5D2 7D1 7D2")
        do(table, "play 4D3", "end", "play 4D4", "deal 4N1")
        assert latest(table)["transfers"][0]["coins"] == 2
        assert table.phase == "turns"

    def test_an_unclaimed_suit_is_locked_and_the_turn_goes_on(self):
        table = do(captains("3D1 3D2 6D1 6D2 5D1 5D2 4D1 4D2"), "pass", "deal 3D3")
        assert (facts(table)["locked"], facts(table)["turn"]) == ([3], "Bo")
        do(table, "play 3N1")
        assert coins(table) == [94, 94]

    def test_a_penalty_takes_all_that_is_left_and_the_shortfall_is_reported(self):
        table = realm_cut(coins=10)  # Ann has 10 - 6 - 2 = 2
        assert coins(table)[0] == 0
        assert latest(table)["short"] == [
            {"player": "Ann", "why": "penalty, Realm cut", "owed": 3, "paid": 2},
            {"player": "Ann", "why": "ante for Realm", "owed": 1, "paid": 0},
        ]
        assert pots(table)["3"] == 1


class TestOddCoin:
    def test_the_loser_pays_half_rounded_down_and_owes_one_coin_to_a_pot(self):
        table = do(valor_ripe(), "deal 5N1")
        assert table.phase == "odd-coin"
        assert coins(table) == [94 - 4 + 4 - 2, 94 - 4 + 2]
        assert table.results == []

    def test_into_a_pot_of_his_choice_and_then_the_cut_is_settled(self):
        table = do(valor_ripe(), "deal 5N1", "odd-coin 7")
        assert (coins(table), pots(table)["7"], pots(table)["5"]) == ([92 - 1 - 1, 92 + 5], 3, 2)
        assert latest(table)["winner"] == "Bo"

    def test_in_the_pot_of_the_cut_suit_it_lies_before_the_winner_takes_it(self):
        table = do(valor_ripe(), "deal 5N1", "odd-coin 5")
        assert coins(table) == [90, 92 + 6]

    @pytest.mark.parametrize("command", ["play 7D3", "end", "pass", "stop", "drop Ann", "deal 7D3"])
    def test_nothing_else_goes_on_before_it(self, command):
        with pytest.raises(WrongPhase, match="Ann owes the odd coin"):
            do(valor_ripe(), "deal 5N1", command)

    @pytest.mark.parametrize("pot", [1, 8, "5", None, 5.0, True])
    def test_only_into_a_pot_that_there_is(self, pot):
        with pytest.raises(NotOffered, match="no pot"):
            do(valor_ripe(), "deal 5N1").do({"do": "odd-coin", "pot": pot})

    def test_it_is_only_for_an_odd_half(self):
        with pytest.raises(WrongPhase):
            do(captains(), "odd-coin 5")

    def test_who_has_no_coin_left_owes_none(self):
        table = do(valor_ripe(), "cash-out Ann", "buy-in Ann 2", "deal 5N1")
        assert table.phase == "turns"
        assert [(s["why"], s["owed"], s["paid"]) for s in latest(table)["short"]] == [
            ("odd coin", 1, 0),
            ("ante for Valor", 1, 0),
        ]

    def test_who_cashes_out_before_it_places_none(self):
        table = do(valor_ripe(), "deal 5N1", "cash-out Ann", "odd-coin 5")
        assert table.phase == "turns"
        assert table.position.ledger.total == 0
        assert (coins(table), pots(table)["5"]) == ([0, 92 + 5], 1)


class TestDeckAndDiscards:
    def test_a_pass_discards_the_hand_shuffles_and_fills_both_hands(self):
        table = captains("2D1 2D2 7D1 7D2 6D1 6D2 5D1 4D1")
        do(table, "play 7D3", "end", "pass")
        assert facts(table)["players"] == {"Ann": {"cards": 7}, "Bo": {"cards": 7}}
        assert facts(table)["deck"] == 32 + 2 + 7 - 7 - 1
        assert facts(table)["discards"] == []

    def test_shuffled_cards_may_be_seen_again(self):
        table = do(captains("2D1 2D2 7D1 7D2 6D1 6D2 5D1 4D1"), "pass", "play 2D1")
        assert facts(table)["stacks"]["2"] == ["2D1"]

    def test_a_suit_is_dead_when_all_its_cards_lie_open(self):
        table = captains("2D1 7D1 7D2 6D1 6D2 5D1 5D2 4D1")
        do(table, "play 2D2", "end", "play 2N1", "end", "play 2N2")
        assert (facts(table)["stacks"]["2"], facts(table)["shields"]["2"], facts(table)["owners"]["2"]) == (
            [],
            {},
            None,
        )
        assert pots(table)["2"] == 3
        assert (facts(table)["deck"], facts(table)["discards"]) == (32 + 4, [])
        assert facts(table)["turn"] == "Ann"

    def test_a_dead_suits_lock_is_lifted(self):
        table = captains("2D1 7D1 7D2 6D1 6D2 5D1 5D2 4D1")
        do(table, "pass", "deal 2D2", "end", "deal 2N1", "end")
        assert facts(table)["locked"] == [2]
        do(table, "play 2N2")
        assert (facts(table)["locked"], facts(table)["stacks"]["2"]) == ([], [])

    def test_the_deck_is_shuffled_at_once_when_it_is_empty(self):
        table = self.with_deck_of(1)
        assert facts(table)["discards"] == ["2D1", "2D2"]
        do(table, "deal " + self.a_card(table))
        assert (facts(table)["deck"], facts(table)["discards"]) == (2, [])

    def test_the_cards_of_a_cut_that_emptied_the_deck_wait_for_the_next_shuffle(self):
        table = self.with_deck_of(1)
        do(table, "deal 3N1")
        assert latest(table)["suit"] == 3
        assert facts(table)["discards"] == ["3D1", "3D2", "3N1"]
        assert facts(table)["deck"] == 2 - 1  # the two discards were shuffled, and Ann drew one card

    def test_with_deck_and_discards_empty_nothing_can_be_dealt_and_hands_stay_short(self):
        table = self.with_deck_of(1, pile=False)
        do(table, "deal " + self.a_card(table), "end")
        assert (facts(table)["deck"], facts(table)["discards"]) == (0, [])
        with pytest.raises(DeckEmpty):
            do(table, "deal 7N7")
        assert "deal" not in table.expected()

    def with_deck_of(self, left: int, pile: bool = True) -> Table:
        """Return a game with ``left`` cards in the deck; Ann owns ripe Realm, the other suits are unclaimed."""
        seeds = "2D1 2D2 3D1 7D1 7D2 7D3 6D1 6D2" if pile else "2D1 3D1 7D1 7D2 7D3 6D1 6D2 6D3"
        table = captains(seeds)
        do(table, "play 3D2", "end")
        while facts(table)["deck"] > left:
            do(table, "deal " + self.a_card(table), "end")
        return table

    def a_card(self, table: Table) -> str:
        """Return an unseen card that cuts no owned suit, of the longest suits first."""
        seen = {c for cards in facts(table)["stacks"].values() for c in cards} | set(facts(table)["discards"])
        cards = [f"{s}{h}{n}" for s in (7, 6, 5, 4) for h in "DN" for n in range(1, s + 1)]
        room = {s: 2 * s - 1 - len(facts(table)["stacks"][str(s)]) for s in (4, 5, 6, 7)}
        return next(c for c in cards if c not in seen and room[int(c[0])] > 0)


class TestTheEnd:
    def test_both_agree_to_stop_and_the_pots_are_divided_evenly(self):
        table = do(captains(), "stop")
        assert (coins(table), pots(table), table.phase) == ([100, 100], {}, "finished")
        assert table.results == []

    def test_an_odd_coin_goes_to_the_winner_of_the_latest_cut(self):
        table = do(realm_cut(), "play 2D1")
        total = sum(pots(table).values())
        assert total % 2 == 1
        before = coins(table)
        assert coins(do(table, "stop")) == [before[0] + total // 2, before[1] + total // 2 + 1]

    def test_without_a_cut_to_seat_one(self):
        table = do(captains(), "play 3D1")
        assert coins(do(table, "stop")) == [93 + 7, 94 + 6]

    def test_who_drops_out_leaves_all_pots_to_the_other(self):
        assert coins(do(captains(), "drop Ann")) == [94, 106]
        assert coins(do(captains(), "drop Bo")) == [106, 94]
        with pytest.raises(UnknownPlayer):
            do(captains(), "drop Zoe")

    @pytest.mark.parametrize("command", ["play 7D3", "deal 7D3", "end", "pass", "stop", "drop Bo", "seed 7D3"])
    def test_then_nothing_goes_on(self, command):
        with pytest.raises(WrongPhase, match="game is over"):
            do(captains(), "stop", command)

    def test_it_may_end_while_the_stacks_are_seeded(self):
        table = Table(new_header("captains", (("Ann", 10), ("Bo", 10))))
        assert coins(do(table, "seed 7D1", "stop")) == [10, 10]
