"""Mistakes at a Rochi table: they are reported, the card is held, nothing is lost, and one press resolves them."""

from dataclasses import replace

import pytest
from rochi_hands import Hands, card, rochi

from companion.tracking.cards.observations import Arriving


def money(table: Hands) -> int:
    return sum(table.coins.values()) + sum(table.view["pots"].values())


def kin(table: Hands) -> dict[str, object]:
    return next(s for s in table.view["stacks"] if s["suit"] == 6)


def test_a_card_on_the_wrong_stack_waits_until_it_is_moved(hand):
    """Kin night 1 on the Commons stack is reported and does not count; moved to its stack, it counts."""
    track = hand.play("6N1", by=1, to="stack/7")
    hand.run(1)
    assert hand.did == []
    assert hand.ask("wrong-stack").text.startswith("Kin night 1 lies on the Commons stack.")
    hand.push(track, "stack/6", wait=1)
    assert hand.did == ["play 6N1"]
    assert not hand.questions


def test_a_card_on_the_wrong_stack_counts_by_one_press(hand):
    hand.play("6N1", by=1, to="stack/7")
    hand.run(1)
    hand.answer("wrong-stack", "here")
    assert hand.did == ["play 6N1"]
    assert hand.coins["Aubrey"] == 98


def test_a_card_half_on_two_zones_waits_and_is_named(hand):
    track = hand.play("6N1", by=1, to="stack/6", astride=("stack/6", "stack/7"), token=True)
    hand.cards[track] = replace(hand.cards[track], zone=None)
    hand.run(1)
    assert hand.did == []
    assert "half on the Kin stack and the Commons stack" in hand.ask("unsure").text
    hand.answer("unsure", "here")
    assert hand.did == ["play 6N1"]


def test_a_card_that_lies_there_already_counts_once_and_is_named(hand):
    """A second Kin day 1, while the first lies in its stack."""
    first = next(track for track, c in hand.cards.items() if c.id == "6D1")
    track = hand.lay("6D1", "stack/6", by=1)
    hand.cards[track] = replace(hand.cards[track], twin_of=first)
    hand.run(3)
    assert hand.did == []
    assert hand.ask("duplicate").text.startswith("Kin day 1 lies on the table twice.")
    hand.answer("duplicate", "leave")
    assert not hand.questions
    hand.take(track)
    hand.deal("6N1", by=1)
    hand.run(3)
    assert hand.did == ["deal 6N1"]


def test_a_token_removed_from_the_table_is_named_and_the_game_goes_on(hand):
    hand.lost["T6"] = hand.tokens.pop("T6")
    hand.run(4)
    assert not hand.questions, "a hand may hold it"
    hand.run(3)
    assert hand.ask("token-gone").text == "Kin's token is not on the table any more. Lay it back where it belongs."
    assert not hand.ask("token-gone").blocks
    hand.deal("4N1", by=1)
    hand.run(3)
    assert hand.did == ["deal 4N1"]
    hand.tokens["T6"] = hand.lost.pop("T6")
    hand.run(0.5)
    assert not hand.questions


def test_a_play_whose_token_was_forgotten_is_asked_not_guessed(hand):
    """A card from Aubrey's hand without its token is ambiguous; one press moves the coins correctly."""
    hand.play("6N1", by=1, token=False)
    hand.run(12)
    assert hand.did == []
    question = hand.ask("play-or-deal")
    assert {"play1", "deal1"} <= {c.id for c in question.choices}
    hand.answer("play-or-deal", "play1")
    assert hand.view["undoes"] == {"do": "play", "card": "6N1"}
    assert hand.coins["Aubrey"] == 98


def test_a_token_before_the_wrong_player_is_named(hand):
    hand.play("6N1", by=1)
    hand.give("T6", "seat/3", by=1)
    hand.run(7)
    assert hand.ask("token").text.startswith("Kin's token lies before Celia, and Aubrey owns it.")
    hand.give("T6", "seat/1", by=1)
    hand.run(1)
    assert not hand.questions


def test_a_dealt_card_whose_token_was_taken_is_put_right_in_the_open(hand):
    """The token stayed, so the card was dealt; when it goes to Aubrey, the deal is replaced by a play."""
    hand.lay("6N1", "stack/6", by=1, wait=0.5)
    hand.interpreter.intend("deal", hand.t)
    hand.run(0.5)
    assert hand.did == ["deal 6N1"]
    hand.give("T6", "seat/1", by=1)
    hand.run(1)
    assert hand.did == ["deal 6N1", "undo", "play 6N1"]
    assert hand.coins["Aubrey"] == 98


def test_what_comes_between_a_repair_and_its_undo_is_not_undone(hand):
    """The undo names its command, so the rules refuse it once another command is the latest."""
    hand.lay("6N1", "stack/6", by=1, wait=0.5)
    hand.interpreter.intend("deal", hand.t)
    hand.run(0.5)
    told, tell = [], hand.tell

    def overtaken(record):
        told.append(dict(record))
        if record["do"] == "undo":
            hand.tell = tell
            tell({"do": "end"})
        tell(record)

    hand.tell = overtaken
    hand.give("T6", "seat/1", by=1)
    hand.run(0.5)
    assert told[0]["only"] == {"number": told[0]["only"]["number"], "do": "deal", "card": "6N1"}
    assert hand.refused == ["nothing-done"]
    assert hand.view["undoes"]["do"] == "end"
    assert hand.coins["Aubrey"] == 100


def test_a_token_taken_for_a_card_that_seemed_to_come_from_the_deck_makes_it_a_play(hand):
    hand.deal("6N1", by=1, wait=3)
    assert hand.did == ["deal 6N1"]
    hand.give("T6", "seat/1", by=1)
    hand.run(1.5)
    assert hand.did == ["deal 6N1", "undo", "play 6N1"]


def test_two_players_cards_at_once_ask_which_was_first(hand):
    """Aubrey and Benedict lay a card each at the same moment; one press says which was first."""
    for _ in range(4):
        hand.reach(1, "stack/6", seconds=0.1)
        hand.reach(2, "stack/5", seconds=0.1)
    for track, id_ in ((81, "6N1"), (82, "5N1")):
        hand.cards[track] = card(id_, f"stack/{id_[0]}", track=track, t=hand.t)
    hand.run(2)
    assert hand.did == []
    assert {c.id for c in hand.ask("order").choices} == {"6N1", "5N1"}
    hand.answer("order", "6N1")
    hand.give("T6", "seat/1", by=1)
    assert hand.did[0] == "play 6N1"


def test_a_shield_before_the_wrong_player_is_named_and_one_press_puts_it_right(hand):
    """World is ripe and Aubrey's; Benedict's card should lie before her, and lies before Celia."""
    hand.play("4D1", by=1)
    hand.deal("4D2", by=1)
    hand.run(3)
    hand.play("4D3", by=2, wait=0.5)
    hand.do("end")
    hand.said.clear()
    hand.play("4N3", by=3, to="seat/4")
    hand.run(4)
    assert hand.did == []
    question = hand.ask("play-or-deal")
    assert "lies before Dorian as a Shield, where it does not belong" in question.text
    hand.answer("play-or-deal", "play3")
    assert hand.view["undoes"] == {"do": "play", "card": "4N3"}
    assert money(hand) == 400


def test_a_card_out_of_turn_is_held_and_named(hand):
    """It is Aubrey's turn, and Celia lays a card and takes its token."""
    hand.play("6N1", by=3)
    hand.run(9)
    assert hand.did == []
    question = hand.ask("play-or-deal")
    assert "Celia" in question.text
    assert "it is Aubrey's turn" in question.text
    hand.answer("play-or-deal", "aside")
    assert not [q for q in hand.questions if q.kind == "play-or-deal"]
    assert hand.coins["Aubrey"] == hand.coins["Celia"] == 100


@pytest.mark.parametrize(
    ("status", "id_", "says"),
    [
        ("forged", "6N1", "Kin night 1 is forged"),
        ("foreign", "6N1", "Kin night 1 of deck ZZZZ is not of this house"),
        ("unreadable", None, "A card cannot be read"),
    ],
)
def test_a_stranger_is_never_played(hand, status, id_, says):
    hand.lay(id_, "stack/6", by=1, status=status, deck="ZZZZ" if status == "foreign" else None)
    hand.give("T6", "seat/1", by=1)
    hand.run(3)
    assert hand.did == []
    assert hand.ask(status).text.startswith(says)
    assert len(hand.ask(status).choices) == 1


def test_a_card_known_by_its_tags_is_confirmed_by_one_press(hand):
    hand.play("6N1", by=1, status="tag", deck=None)
    hand.run(2)
    assert hand.did == []
    hand.answer("unsure", "approve")
    assert hand.did == ["play 6N1"]


def test_a_card_of_another_deck_of_the_house_waits():
    table = rochi(6)
    table.interpreter = type(table.interpreter)(deck="K7QX")
    table.play("6N1", by=1, deck="A2A2")
    table.run(2)
    assert table.did == []
    assert "of deck A2A2 is not in the deck that is played here" in table.ask("other-deck").text
    table.answer("other-deck", "approve")
    assert table.did == ["play 6N1"]


def test_a_mages_card_does_not_belong_in_the_red_deck():
    table = rochi(6, deck="red")
    table.play("2D1", by=1, token=False)
    table.run(2)
    assert table.did == []
    assert table.kinds == ["other-deck"]


def test_a_card_that_reads_two_ways_is_held(hand):
    hand.play("6N1", by=1, disputed="7N1")
    hand.run(3)
    assert hand.did == []
    assert hand.ask("conflict").blocks


def test_a_vanished_card_is_named_and_undone_by_one_press(hand):
    track = hand.play("6N1", by=1)
    hand.take(track, wait=3)
    assert hand.ask("vanished").text == "Kin night 1 was taken off the table. Lay it back, or undo."
    hand.answer("vanished", "undo")
    assert hand.coins["Aubrey"] == 100
    assert hand.view["pots"]["6"] == 0


def test_a_vanished_card_that_comes_back_counts_once(hand):
    track = hand.play("6N1", by=1)
    lying = hand.cards[track]
    hand.take(track, wait=3)
    assert hand.kinds == ["vanished"]
    hand.cards[track] = lying
    hand.run(2)
    assert not hand.questions
    assert hand.did == ["play 6N1"]


def test_seven_seeds_instead_of_six_are_noticed():
    """Three players: six seeds. Celia deals for them and goes on to a seventh before anybody plays."""
    table = rochi(3)
    for id_ in ("7D1", "7N1", "6D1", "6N1", "5D1", "5N1"):
        table.deal(id_, by=3, wait=0.6)
    table.deal("4D1", by=3, wait=0.6)
    table.run(2)
    assert [d for d in table.did if not d.startswith("seed")] == []
    assert "came right after the last seed card" in table.ask("seventh-seed").text
    table.answer("seventh-seed", "aside")
    table.take(max(table.cards))
    assert table.view["phase"] == "turns"
    assert money(table) == 300


def test_a_coin_shortage_is_told_with_the_price():
    """Aubrey has 1 coin, Kin costs 2: the card is held until she buys in."""
    table = rochi(4, coins=1)
    table.seed("7D1", "6D1", "5D1", "7N1")
    table.play("6N1", by=1)
    table.run(4)
    assert "not-enough-coins" in table.refused
    assert table.ask("refused").text.startswith("Kin night 1 costs 2 and Aubrey has 1 coins.")
    table.do("buy-in", player="Aubrey", coins=20)
    table.answer("refused", "again")
    assert table.view["undoes"] == {"do": "play", "card": "6N1"}
    assert table.coins["Aubrey"] == 19


def test_a_card_that_was_undone_waits_for_a_word(hand):
    hand.play("6N1", by=1)
    hand.do("undo")
    hand.run(3)
    assert hand.did == ["play 6N1"]
    assert "what it did was undone" in hand.ask("undone").text
    hand.answer("undone", "deal")
    assert hand.view["undoes"] == {"do": "deal", "card": "6N1"}


def test_cards_left_over_from_the_hand_before_are_named(seeding):
    seeding.seed("7D1", "6D1", "5D1", "7N1")
    for id_ in ("4D1", "4D2", "4D3"):
        seeding.do("deal", card=id_)
        seeding.do("end")
    seeding.do("play", card="4N1")
    seeding.do("deal", card="4N2")
    seeding.do("next-hand")
    seeding.run(2)
    assert "still lie on the table from before this hand" in seeding.ask("gather").text
    assert seeding.ask("gather").blocks
    for track, lying in list(seeding.cards.items()):
        seeding.cards[track] = replace(lying, where="hidden")
    seeding.run(0.3)
    assert not seeding.questions, "what is being swept away is not asked about"
    seeding.take(*seeding.cards)
    assert not seeding.questions


def test_an_earlier_card_that_is_not_made_out_holds_the_later_ones(hand):
    hand.arriving = (Arriving(77, "5N2", "tag", hand.t, hand.t, hand.t, 5),)
    hand.deal("6N1", by=1)
    hand.run(4)
    assert hand.did == []
    assert "Valor night 2 came first" in hand.ask("unsure").text
    hand.answer("unsure", "leave")
    hand.run(3)
    assert hand.did == ["deal 6N1"]


def test_the_leader_button_before_the_wrong_player_is_named(hand):
    hand.give("LDR", "seat/3")
    hand.run(7)
    assert hand.ask("leader").text == "The leader button lies before Celia, and Aubrey leads this hand. Move it."


def test_tokens_given_back_are_a_fold_that_one_press_confirms(hand):
    hand.play("6N1", by=1)
    hand.do("end")
    for seat in (2, 3, 4):
        hand.do("deal", card=f"7D{seat}")
        hand.do("end")
    hand.run(1)
    hand.give("T6", "pot/6", by=1)
    hand.run(4)
    hand.answer("fold", "fold")
    assert next(h for h in hand.view["hands"] if h["player"] == "Aubrey")["has_folded"]


def test_a_pushed_card_is_told_where_it_belongs(hand):
    track = hand.play("6N1", by=1)
    hand.push(track, "stack/5")
    text = hand.ask("wrong-stack").text
    assert text == "Kin night 1 lies on the Valor stack, and it belongs on the Kin stack. Put it back."
    hand.push(track, "stack/6", wait=0.5)
    assert not hand.questions


def test_cards_that_lay_there_when_the_camera_started_are_asked_about(hand):
    hand.cards[90] = card("5N3", "stack/5", track=90, t=hand.t, found="start")
    hand.run(2)
    assert "nobody saw it come" in hand.ask("found").text
    assert hand.did == []


def test_a_card_put_on_the_discard_pile_is_no_part_of_the_game(hand):
    hand.lay("5N3", "discard", by=1, wait=9)
    assert hand.did == []
    assert not hand.questions


def test_a_held_table_plays_nothing(hand):
    hand.do("hold")
    hand.play("6N1", by=1)
    hand.run(3)
    assert hand.did == []
    hand.do("release")
    hand.run(1)
    assert hand.did == ["play 6N1"]


def test_a_folded_player_s_shield_that_is_left_lying_is_asked_about_once(hand):
    """It counts as discarded; "play without them" is said once, and the next card counts."""
    hand.play("4D1", by=1)
    hand.deal("4D2", by=1)
    hand.run(3)
    for record in ({"do": "play", "card": "4D3"}, {"do": "end"}, {"do": "play", "card": "4N3"}, {"do": "end"}):
        hand.tell(record)
    hand.lay("4D3", "stack/4")
    hand.lay("4N3", "seat/2")
    hand.tell({"do": "deal", "card": "5N1"})
    hand.lay("5N1", "stack/5")
    for verb, player in (("end", "Dorian"), ("fold", "Aubrey"), ("fold", "Benedict")):
        assert hand.view["turn"] == player
        hand.do(verb)
    hand.run(1)
    assert hand.ask("gather").blocks
    hand.answer("gather", "aside")
    hand.run(1)
    assert "gather" not in hand.kinds
