"""A hand of Rochi by camera alone: seeds, plays, deals, Shields, turns and the next hand."""

import pytest
from rochi_hands import rochi


def test_seed_cards_count_as_they_come(seeding):
    seeding.deal("7D1", by=1)
    seeding.deal("6D1", by=1)
    assert seeding.did == ["seed 7D1", "seed 6D1"]
    assert not seeding.questions


def test_a_card_whose_token_goes_to_the_player_was_played(hand):
    """Aubrey lays Kin and takes its token: she bought it, for 2 coins into the pot."""
    hand.play("6N1", by=1)
    assert hand.did == ["play 6N1"]
    assert hand.coins["Aubrey"] == 98
    assert hand.view["pots"]["6"] == 2


def test_a_card_from_the_deck_whose_token_stays_was_dealt(hand):
    hand.deal("6N1", by=1)
    hand.run(3.0)
    assert hand.did == ["deal 6N1"]
    assert hand.coins["Aubrey"] == 100


def test_playing_and_dealing_ends_the_turn_without_a_word(hand):
    hand.play("6N1", by=1)
    hand.deal("4N1", by=1)
    hand.run(3.0)
    assert hand.did == ["play 6N1", "deal 4N1"]
    assert hand.view["turn"] == "Benedict"


def test_the_next_player_s_arm_ends_the_turn_of_the_one_before(hand):
    """Without END, Benedict's arm lays a card from his hand, and takes its token."""
    hand.deal("4N1", by=1)
    hand.run(3.0)
    hand.play("6N1", by=2)
    hand.run(3.0)
    assert hand.did == ["deal 4N1", "end", "play 6N1"]
    assert hand.coins == {"Aubrey": 100, "Benedict": 98, "Celia": 100, "Dorian": 100}


def test_a_card_before_the_owner_of_a_ripe_suit_is_a_shield(hand):
    """World is ripe and Aubrey's: Benedict's card goes to her, he pays 3."""
    for card in ("4D1", "4D2"):
        hand.do("hold"), hand.do("release")
        hand.play(card, by=1) if card == "4D1" else hand.deal(card, by=1)
    hand.run(3.0)
    hand.play("4N2", by=2)
    hand.deal("4D3", by=2) if False else hand.do("end")
    hand.said.clear()
    hand.play("4N3", by=3, to="seat/2")
    assert hand.did == ["play 4N3"]
    assert hand.coins["Celia"] == 97
    world = next(s for s in hand.view["stacks"] if s["suit"] == 4)
    assert (world["owner"], world["count"], world["shields"]) == ("Celia", 3, {"Benedict": ["4N3"]})


def test_a_play_on_one_s_own_suit_moves_no_token_and_no_coin(hand):
    hand.play("6N1", by=1)
    hand.do("end")
    for seat in (2, 3, 4):
        hand.deal(f"7D{seat}", by=seat)
        hand.run(3.0)
        hand.do("end")
    before = hand.coins
    hand.play("6N2", by=1, token=False)
    hand.do("end")
    assert hand.said[-1] == {"do": "play", "card": "6N2"}
    assert hand.coins == before


def test_a_dealt_card_that_cuts_wins_the_hand(hand):
    hand.play("4D1", by=1)
    hand.deal("4D2", by=1)
    hand.run(3)
    for seat, card in ((2, "4D3"), (3, "4N1")):
        hand.deal(card, by=seat)
        hand.run(3)
    assert hand.did[-1] == "deal 4N1"
    assert hand.view["phase"] == "between-hands"
    assert sum(hand.coins.values()) + sum(hand.view["pots"].values()) == 400


def test_a_card_that_comes_after_the_end_is_named_and_does_not_count(hand):
    test_a_dealt_card_that_cuts_wins_the_hand(hand)
    seen = len(hand.did)
    hand.deal("7N5", by=4)
    hand.run(3)
    assert len(hand.did) == seen
    assert hand.kinds == ["late"]
    assert "Commons night 5" in hand.ask("late").text


def test_the_next_hand_begins_when_the_button_moves_on_a_cleared_table(hand):
    test_a_dealt_card_that_cuts_wins_the_hand(hand)
    hand.take(*hand.cards, wait=3)
    hand.give("T4", "pot/4")
    hand.give("LDR", "seat/2")
    hand.run(2)
    assert hand.did[-1] == "next-hand"
    assert hand.view["leader"] == "Benedict"
    hand.seed("7D1", "6D1", "5D1", "7N1", by=2)
    assert hand.did[-4:] == ["seed 7D1", "seed 6D1", "seed 5D1", "seed 7N1"]
    assert not hand.questions


def test_the_next_hand_begins_with_the_first_seed_on_a_cleared_table(hand):
    test_a_dealt_card_that_cuts_wins_the_hand(hand)
    hand.take(*hand.cards, wait=8)
    hand.deal("3D1", by=2)
    hand.run(1)
    assert hand.did[-2:] == ["next-hand", "seed 3D1"]


def test_a_cleared_table_asks_for_the_next_hand_with_one_press(hand):
    test_a_dealt_card_that_cuts_wins_the_hand(hand)
    hand.take(*hand.cards, wait=8)
    hand.answer("next-hand", "next")
    assert hand.view["phase"] == "seeding"


def test_the_question_about_the_next_hand_can_rest(hand):
    """Joining or paying first needs a menu, which an open question would hide."""
    test_a_dealt_card_that_cuts_wins_the_hand(hand)
    hand.take(*hand.cards, wait=8)
    hand.answer("next-hand", "leave")
    hand.run(10)
    assert hand.view["phase"] == "between-hands"
    assert not hand.questions


def test_a_hand_of_which_no_card_was_seen_is_not_called_gathered():
    """The cards are entered by hand and the camera sees none, so it must not conclude that they were gathered."""
    table = rochi(3, leader=1)
    table.run(10)
    for card in ("6D1", "6N1", "5D1", "7D1", "7D2", "2D1"):
        table.do("seed", card=card)
    for verb, card in (("play", "6D2"), ("deal", "6D3"), ("deal", "6D4"), ("deal", "6D5")):
        table.do(verb, card=card)
        if table.view["phase"] == "turns":
            table.do("end")
    assert table.view["phase"] == "between-hands"
    table.run(20)
    assert table.kinds == []


def test_five_players_seed_two_cards():
    table = rochi(5)
    table.seed("7D1", "6D1")
    table.play("6N1", by=1)
    assert table.did == ["seed 7D1", "seed 6D1", "play 6N1"]


def test_six_players_need_no_seeds():
    table = rochi(6)
    table.deal("7D1", by=1)
    table.run(3)
    assert table.did == ["deal 7D1"]


def test_captain_s_rochi_is_followed_too():
    """The first player may not deal on the first turn: a card whose token is taken was played in any case."""
    table = rochi(2)
    table.seed("7D1", "7D2", "6D1", "6D2", "5D1", "5D2", "4D1", "3D1", by=1)
    table.play("6N1", by=1)
    table.do("end")
    table.deal("7N1", by=2)
    table.run(3)
    assert table.did[8:] == ["play 6N1", "deal 7N1"]


def test_captain_s_first_card_cannot_be_a_deal():
    """Even for a card from the deck without a token: a deal is not allowed, so the dealer is asked."""
    table = rochi(2)
    table.seed("7D1", "7D2", "6D1", "6D2", "5D1", "5D2", "4D1", "3D1", by=1)
    table.deal("7N1", by=1)
    table.run(9)
    assert all(choice.command["do"] != "deal" for q in table.questions for choice in q.choices if choice.command)
    assert table.refused == []
    assert "deal 7N1" not in table.did


@pytest.mark.parametrize("verb", ["play", "deal"])
def test_a_button_before_the_card_decides_outright(hand, verb):
    """The token stays and the card's origin is unseen; the button decides."""
    hand.interpreter.intend(verb, hand.t)
    hand.lay("6N1", "stack/6", wait=0.5)
    assert hand.did == [f"{verb} 6N1"]
    assert hand.coins["Aubrey"] == (98 if verb == "play" else 100)


def test_a_button_pressed_too_long_ago_says_nothing(hand):
    hand.interpreter.intend("play", hand.t)
    hand.run(61)
    hand.deal("6N1", by=1)
    hand.run(3)
    assert hand.did == ["deal 6N1"]


def test_cards_of_a_captains_game_are_left_over_in_the_next_one_and_not_taken_back():
    """Its cards are cleared only between games, which only the command that begins a game tells apart."""
    table = rochi(2)
    table.seed("2D1", "3D1", "4D1")
    table.do("stop")
    table.do("new-game")
    table.run(10.0)
    assert (table.view["phase"], table.kinds) == ("seeding", ["gather"])
    table.take(*list(table.cards))
    table.seed("5D1", "6D1")
    assert (table.did[3:], table.kinds) == (["seed 5D1", "seed 6D1"], [])
