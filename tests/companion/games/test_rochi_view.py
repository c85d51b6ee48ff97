"""Public views of Rochi and Captain's Rochi: current prices, conditions of suits, potential penalties."""

from typing import Any

import pytest
from rochi_tables import captains, do, record, rochi

from companion.games.rochi.board import Shield, Stack, condition
from companion.kernel.table import Table
from companion.testing import new_header


def suit(table: Table, rank: int) -> dict[str, Any]:
    return next(stack for stack in table.view()["stacks"] if stack["suit"] == rank)


class TestStacks:
    def test_the_price_now_and_whom_it_goes_to(self):
        table = do(rochi(seeds="3D1 3D2"), "play 3D3")
        assert (suit(table, 3)["price"], suit(table, 3)["pays_to"]) == (2, "Ann")
        assert (suit(table, 4)["price"], suit(table, 4)["pays_to"]) == (1, "pot/4")

    def test_a_locked_suit_has_no_price(self):
        table = rochi(seeds="2D1 2D2")
        assert (suit(table, 2)["price"], suit(table, 2)["pays_to"], suit(table, 2)["condition"]) == (
            None,
            None,
            "locked",
        )

    def test_who_would_pay_what_if_the_suit_were_cut_by_the_next_card(self):
        table = do(rochi(4, seeds="3D1 3D2"), "play 3D3", "end", "play 3N1", "end")  # Cy's turn; Di has not acted
        assert suit(table, 3)["if_cut"] == [{"player": "Cy", "coins": 3}]  # Ann has two Shields

    def test_in_captains_the_odd_coin_too(self):
        table = do(captains("5D1 5D2 5D3 7D1 7D2 6D1 4D1 3D1"), "play 5D4", "end", "play 5D5")
        assert suit(table, 5)["if_cut"] == [{"player": "Ann", "coins": 2, "odd_coin": 1}]

    def test_in_captains_a_cut_suit_is_cut_until_the_odd_coin_is_placed(self):
        """It was shown as open, with nothing left to its cut and a price, though nobody could buy it."""
        table = do(captains("5D1 5D2 5D3 7D1 7D2 6D1 4D1 3D1"), "play 5D4", "end", "play 5D5", "deal 5N1")
        cut = suit(table, 5)
        assert (table.phase, cut["is_cut"], cut["price"], cut["pays_to"]) == ("odd-coin", True, None, None)
        assert (cut["owner"], cut["condition"]) == (None, "cut")

    def test_the_pots_stand_beside(self):
        assert do(rochi(), "play 6N1").view()["pots"]["6"] == 3

    @pytest.mark.parametrize(
        ("stack", "gone", "how"),
        [
            (Stack(6), (), "fresh"),
            (Stack(6, ("6D1",)), (), "fresh"),
            (Stack(6, ("6D1",), "Ann"), (), "open"),
            (Stack(6, ("6D1", "6D2")), (), "open"),
            (Stack(3, ("3D1", "3D2")), (), "ripe"),
            (Stack(3, ("3D1", "3D2"), "Ann", False, (Shield("Ann", "3D3"),)), (), "ripe"),
            (Stack(3, ("3D1", "3D2"), "Ann", False, (Shield("Ann", "3D3"),)), ("3N1",), "rotten"),
            (Stack(3, ("3D1", "3D2"), "Ann", False, (Shield("Ann", "3D3"),)), ("3N1", "3N2", "3N3"), "dead"),
            (Stack(3, ("3D1", "3D2"), "Ann", False, (Shield("Ann", "3D3"),)), ("4N1", "4N2", "4N3"), "ripe"),
            (Stack(3, ("3D1", "3D2", "3D3"), None, True), (), "locked"),
            (Stack(3, ("3D1", "3D2", "3D3"), "Ann"), (), "cut"),
        ],
    )
    def test_how_a_suit_stands(self, stack, gone, how):
        assert condition(stack, gone) == how


class TestPrompt:
    @pytest.mark.parametrize(
        ("commands", "prompt"),
        [
            ((), "Ann: play, deal, both or fold"),
            (("play 7D3",), "Ann: deal a card or end the turn"),
            (("deal 7D3",), "Ann: play a card or end the turn"),
            (("fold", "fold"), "Leader button to Bo. Shuffle and deal 5 cards each for the next hand, then seed 6"),
            (
                ("fold", "fold", "last-hand"),
                "Leader button to Bo. Shuffle and deal 5 cards each for the last hand, then seed 6",
            ),
            (("fold", "fold", "leave Ann"), "Rochi needs 3 players: 2 are here"),
            (("fold", "fold", "next-hand"), "Shuffle, deal 5 cards to everybody, then seed 6"),
            (("fold", "fold", "next-hand", "seed 7D1"), "Seed the stacks: 5 more"),
            (("last-hand", "fold", "fold"), "The last hand is over and the pots are divided"),
        ],
    )
    def test_it_says_the_one_thing_to_do_next(self, commands, prompt):
        assert do(rochi(), *commands).view()["prompt"] == prompt

    def test_six_players_seed_nothing_and_are_told_to_shuffle_all_the_same(self):
        table = rochi(6)
        assert table.view()["prompt"] == "Shuffle and deal 5 cards to everybody. Ann: play, deal, both or fold"
        assert do(table, "fold").view()["prompt"] == "Bo: play, deal, both or fold"

    def test_captains_begins_with_seven_cards_and_eight_seeds(self):
        table = captains(seeds="")
        assert table.view()["prompt"] == "Shuffle, deal 7 cards to both, then seed 8"
        assert do(table, "seed 7D1").view()["prompt"] == "Seed the stacks: 7 more"

    @pytest.mark.parametrize(
        ("commands", "prompt"),
        [
            ((), "Ann: play a card or pass"),
            (("play 7D3",), "Ann: end the turn"),
            (("pass",), "Bo: play a card or deal or pass"),
            (("stop",), "The game is over and the pots are shared out"),
        ],
    )
    def test_in_captains_too(self, commands, prompt):
        assert do(captains(), *commands).view()["prompt"] == prompt

    def test_an_empty_table_can_be_shown(self):
        assert Table(new_header("rochi", ())).view()["prompt"] == "Rochi needs 3 players: 0 are here"


class TestReasons:
    def test_each_verb_that_cannot_be_done_says_why(self):
        table = do(rochi(), "deal 7D3")
        reasons = table.game.reasons(table.position.state)
        assert set(reasons) == set(table.game.verbs) - table.expected()
        assert reasons["deal"] == "Ann has dealt a card this turn already. Play one, or say end."
        assert reasons["fold"] == "Ann has acted this turn and cannot fold any more. Say end, or undo."
        assert reasons["discard"].startswith("This table does not swap")

    def test_the_room_sees_those_of_all_verbs(self):
        table = do(rochi(), "deal 7D3")
        view = table.view()
        assert set(view["reasons"]) == set(table.verbs) - set(view["expected"])
        assert {"deal", "fold", "discard", "redo", "release"} <= set(view["reasons"])

    def test_a_table_on_hold_says_so_of_everything(self):
        table = rochi()
        table.do({"do": "hold", "why": " a  pizza has come "})
        reasons = table.reasons()
        assert reasons["play"] == "The table is on hold: a pizza has come. Release it first, or undo."
        assert set(reasons) == set(table.verbs) - table.expected()


def sentences(table: Table, command: str) -> list[str]:
    return [event.sentence for event in table.do(record(command)) if hasattr(event, "sentence")]


class TestSentences:
    def test_each_command_is_one_sentence(self):
        table = rochi(seeds="3D1 3D2")
        assert sentences(table, "play 3D3") == ["Ann plays Realm day 3, pays the pot 2; the card is a Shield of Ann"]
        do(table, "end")
        assert sentences(table, "play 3N1") == ["Bo plays Realm night 1, pays Ann 2; the card is a Shield of Ann"]
        do(table, "end")
        assert sentences(table, "deal 3N2") == ["Realm night 2 dealt: 3 of 3", "Bo wins with Realm and gets 5"]

    def test_a_shortfall_is_told(self):
        table = do(rochi(coins=2, seeds="3D1 3D2"), "play 3D3", "end")
        assert sentences(table, "deal 3N1")[-1] == "Ann wins with Realm and gets 4; Bo is 1 short (penalty, Realm cut)"

    def test_undo_says_what_it_takes_back(self):
        assert do(rochi(), "play 6N1").view()["undo"] == "the play of Kin night 1"
        assert do(rochi(), "play 6N1", "end").view()["undo"] == "the end of a turn"
        assert do(captains(), "drop Ann").view()["undo"] == "Ann dropping out"

    def test_every_verb_has_its_words(self):
        for table in (rochi(), captains()):
            for verb in table.verbs:
                said = table.describe({"do": verb, "card": "6D3", "player": "Ann", "coins": 3})
                assert said
                assert "None" not in said
