"""A late answer, or one overtaken by an entry by hand, never applies to another player."""

from dataclasses import replace

import pytest

from companion.games.rochi.camera.interpreter import RochiInterpreter
from companion.kernel.errors import NotYourTurn


def folded(table):
    return [player.name for player in table.game.players if player.has_folded]


def chosen(question, way):
    return next(choice for choice in question.choices if choice.id == way)


def test_an_answer_that_somebody_folds_folds_nobody_else(hand):
    """Aubrey's fold is asked about, and END is pressed before the answer: it arrives in Benedict's turn."""
    hand.play("6N1", by=1)
    hand.do("end")
    for seat in (2, 3, 4):
        hand.do("deal", card=f"7D{seat}")
        hand.do("end")
    hand.run(1)
    hand.give("T6", "pot/6", by=1)
    hand.run(4)
    answer = chosen(hand.ask("fold"), "fold")
    hand.tell({"do": "end"})
    with pytest.raises(NotYourTurn):
        hand.tell(answer.command)
    assert folded(hand) == ["Aubrey"]


@pytest.mark.parametrize("way", ["play1", "deal1"])
def test_an_answer_what_somebody_s_card_was_is_nobody_else_s_card(bare, way):
    """Benedict does not pay for a card that the question named as Aubrey's."""
    bare.lay("6N1", "stack/6", wait=2.0)
    answer = chosen(bare.ask("play-or-deal"), way)
    bare.tell({"do": "end"})
    with pytest.raises(NotYourTurn):
        bare.tell(answer.command)
    assert bare.coins["Benedict"] == 100


def test_an_answer_that_a_turn_is_over_ends_no_other(bare):
    """Two of the dealer's devices end Aubrey's turn at the same time: that does not fold Benedict."""
    bare.do("deal", card="7D2")
    bare.lay("6N1", "stack/6", wait=2.0)
    question = bare.ask("play-or-deal")
    answer = next(choice for choice in question.choices if choice.id.startswith("end1+"))
    bare.tell({"do": "end"})
    with pytest.raises(NotYourTurn):
        bare.tell(answer.command)
    assert folded(bare) == []


def test_an_undone_card_is_played_for_nobody_else(hand):
    """The question about Aubrey's undone card is answered when it is Benedict's turn."""
    hand.play("6N1", by=1)
    hand.do("undo")
    hand.run(2)
    answer = chosen(hand.ask("undone"), "play")
    hand.tell({"do": "end"})
    with pytest.raises(NotYourTurn):
        hand.tell(answer.command)
    assert hand.coins["Benedict"] == 100


# ---- corrections while somebody presses buttons


def overtake(table, verb, *records):
    """Press buttons right after the camera's next command with this verb."""
    tell = table.tell

    def overtaken(told):
        tell(told)
        if told["do"] == verb:
            table.tell = tell
            for record in records:
                tell(record)

    table.tell = overtaken


def test_a_turn_that_is_ended_by_hand_while_its_card_is_put_in_ends_no_other(hand):
    """The card of a turn ended too early is inserted before the END, and the dealer presses END again herself."""
    hand.reach(1, "seat/1", seconds=0.4)
    track = hand.lay("6N1", "stack/6", by=1, wait=0.0, settled=99.0)
    hand.give("T6", "seat/1", by=1)
    hand.do("end")
    overtake(hand, "play", {"do": "end"})
    hand.cards[track] = replace(hand.cards[track], settled=hand.t)
    hand.run(2)
    assert [said for said in hand.did if said != "undo"] == ["play 6N1"]
    assert folded(hand) == []
    assert hand.view["turn"] == "Benedict"


def test_a_card_that_is_put_right_by_hand_meanwhile_is_not_played(hand):
    """The camera undoes Aubrey's deal to make it a play; the dealer ends her turn in between."""
    hand.lay("6N1", "stack/6", by=1, wait=0.5)
    hand.interpreter.intend("deal", hand.t)
    hand.run(0.5)
    overtake(hand, "undo", {"do": "end"})
    hand.give("T6", "seat/1", by=1)
    hand.run(0.5)
    assert hand.coins["Benedict"] == 100


def test_a_repair_is_not_gone_on_with_where_more_was_undone_and_something_else_done(hand):
    """The number of commands is the same as after the camera's undo, but now it is Benedict's turn."""
    hand.do("buy-in", player="Celia", coins=5)
    hand.lay("6N1", "stack/6", by=1, wait=0.5)
    hand.interpreter.intend("deal", hand.t)
    hand.run(0.5)
    overtake(hand, "undo", {"do": "undo"}, {"do": "end"})
    hand.give("T6", "seat/1", by=1)
    hand.run(0.5)
    assert hand.did == ["deal 6N1", "undo"]
    assert (hand.view["turn"], hand.coins["Benedict"]) == ("Benedict", 100)


def lay_unread(hand, seat):
    """Play Kin night 1 while a hand still hides it; return its track."""
    hand.reach(seat, f"seat/{seat}", seconds=0.4)
    track = hand.lay("6N1", "stack/6", by=seat, wait=0.0, settled=99.0)
    hand.give("T6", f"seat/{seat}", by=seat)
    return track


def test_an_undone_end_is_none_that_was_said_too_early(hand):
    """Benedict's END is undone, so that Aubrey's is the latest; Celia's card was not laid before that one."""
    hand.do("end")
    hand.do("end")
    track = lay_unread(hand, 3)
    hand.do("undo")
    hand.cards[track] = replace(hand.cards[track], settled=hand.t)
    hand.run(2)
    assert "undo" not in hand.did
    assert folded(hand) == ["Aubrey"]


def test_an_end_that_is_said_otherwise_is_none_of_the_next_turn(hand):
    """Before the next frame, Aubrey's END is undone and replaced by a fold: it ends the same turn."""
    hand.do("end")
    track = lay_unread(hand, 2)
    hand.tell({"do": "undo"})
    hand.do("fold")
    hand.cards[track] = replace(hand.cards[track], settled=hand.t)
    hand.run(2)
    assert "undo" not in hand.did
    assert folded(hand) == ["Aubrey"]


def test_a_card_of_a_turn_that_is_ended_anew_meanwhile_is_asked_about(bare):
    """Without a mat: a card confirmed as Aubrey's is not played for Benedict when her turn is ended again."""
    bare.lay("6N1", "stack/6", wait=0.5)
    bare.do("end")
    bare.run(2)
    overtake(bare, "undo", {"do": "end"})
    bare.answer("play-or-deal", "play1")
    bare.run(2)
    assert bare.did == ["undo"]
    assert bare.coins["Benedict"] == 100
    assert "play-or-deal" in bare.kinds


def test_a_repair_is_not_gone_on_with_after_a_hold(bare):
    """The dealer holds and releases the game during a correction, and is then asked."""
    bare.lay("6N1", "stack/6", wait=0.5)
    bare.do("end")
    bare.run(2)
    overtake(bare, "undo", {"do": "hold"})
    bare.answer("play-or-deal", "play1")
    bare.do("release")
    bare.run(2)
    assert bare.did == ["undo"]
    assert "play-or-deal" in bare.kinds


def test_a_word_about_a_card_that_never_came_says_nothing_of_the_next_player_s(bare):
    """DEAL was pressed for Aubrey, but no card came: it does not make Benedict's card a deal."""
    bare.do("deal", card="7D2")
    bare.interpreter.intend("deal", bare.t)
    bare.run(0.5)
    bare.do("end")
    bare.lay("6N1", "stack/6", wait=2)
    assert bare.did == []
    assert "play-or-deal" in bare.kinds


@pytest.mark.parametrize("wait", [0.5, 0.0])
@pytest.mark.parametrize("what", ["play", "deal"])
def test_a_word_about_a_card_that_was_entered_by_hand_says_nothing_of_the_next_card(bare, what, wait):
    """The declaration is used up: the next card neither ends Aubrey's turn nor is taken for Benedict's."""
    bare.interpreter.intend(what, bare.t)
    bare.run(wait)
    bare.do(what, card="4D1")
    bare.lay("4D1", "stack/4", wait=2)
    bare.lay("6N1", "stack/6", wait=2)
    assert bare.did == []
    assert bare.kinds == ["play-or-deal"]
    assert (bare.view["turn"], bare.coins["Benedict"]) == ("Aubrey", 100)


@pytest.mark.parametrize("what", ["play", "deal"])
@pytest.mark.parametrize("over", ["end", "a card by hand"])
def test_a_word_about_a_card_that_waits_ends_with_the_turn(bare, what, over):
    """Aubrey's card waits because of a forged one; her declaration does not make it Benedict's card after her turn."""
    if over == "end":
        bare.do("deal", card="7D2")
    other = bare.lay("5N1", "stack/5", wait=1, status="forged")
    bare.lay("6N1", "stack/6", wait=1)
    bare.interpreter.intend(what, bare.t)
    bare.run(0.5)
    assert (bare.did, bare.kinds) == ([], ["forged"])
    bare.do("end") if over == "end" else bare.do(what, card="4D1")
    bare.take(other, wait=3)
    assert bare.did == []
    assert "play-or-deal" in bare.kinds
    assert bare.coins["Benedict"] == 100


def test_a_word_about_a_card_that_waits_counts_once_it_can(bare):
    other = bare.lay("5N1", "stack/5", wait=1, status="forged")
    bare.lay("6N1", "stack/6", wait=1)
    bare.interpreter.intend("play", bare.t)
    bare.run(0.5)
    bare.take(other, wait=1)
    assert bare.did == ["play 6N1"]
    assert bare.coins["Aubrey"] == 98


def test_a_word_about_a_card_is_about_the_turn_in_which_it_was_said(bare):
    """END follows before the next frame: the declaration for Aubrey does not apply to Benedict's card."""
    bare.do("deal", card="7D2")
    bare.interpreter.intend("play", bare.t)
    bare.do("end")
    bare.lay("6N1", "stack/6", wait=2)
    assert bare.did == []
    assert "play-or-deal" in bare.kinds


def test_a_card_that_the_next_player_is_said_to_have_played_is_not_the_one_s_after_them(bare):
    """Benedict's turn is ended by hand right after the answer has ended Aubrey's."""
    bare.do("deal", card="7D2")
    bare.lay("6N1", "stack/6", wait=2)
    overtake(bare, "end", {"do": "end"})
    bare.answer("play-or-deal", "end1+play2")
    bare.run(2)
    assert bare.did == []
    assert (bare.view["turn"], bare.coins["Celia"]) == ("Celia", 100)
    assert "play-or-deal" in bare.kinds


def test_a_card_that_the_next_player_is_said_to_have_played_is_theirs(bare):
    bare.do("deal", card="7D2")
    bare.lay("6N1", "stack/6", wait=2)
    bare.answer("play-or-deal", "end1+play2")
    bare.run(2)
    assert (bare.did, bare.coins["Benedict"]) == (["play 6N1"], 98)


def test_a_late_card_that_lies_there_as_the_program_starts_begins_no_hand(hand):
    """After a restart between two hands, the other cards are gathered first."""
    for record in ({"do": "play", "card": "4D1"}, {"do": "deal", "card": "4D2"}):
        hand.tell(record)
    for id_ in ("4D3", "4N1"):
        hand.tell({"do": "deal", "card": id_})
        if hand.view["phase"] == "turns":
            hand.tell({"do": "end"})
    assert hand.view["phase"] == "between-hands"
    late = hand.lay("7N5", "stack/7")
    assert hand.kinds == ["late"]
    hand.interpreter = RochiInterpreter()
    hand.cards = {track: replace(one, found="start") for track, one in hand.cards.items()}
    hand.run(2)
    hand.take(*(track for track in hand.cards if track != late))
    assert hand.did == []
    hand.take(late, wait=8)
    hand.deal("3D1", by=2)
    assert hand.did == ["next-hand", "seed 3D1"]


def test_a_card_that_slid_over_the_discards_to_its_stack_is_dealt(hand):
    """It lay in the discard zone for a moment, but was not discarded."""
    hand.reach(1, "deck", seconds=0.4)
    track = hand.lay("6N1", "discard", by=1)
    hand.reach(1, "stack/6")
    hand.push(track, "stack/6", wait=6)
    assert hand.did == ["deal 6N1"] or hand.kinds == ["play-or-deal"]


def test_a_card_that_does_not_count_is_not_dealt_because_it_is_pushed(hand):
    hand.lay("6N1", "stack/6", by=2, wait=12)
    hand.answer("play-or-deal", "aside")
    hand.push(next(track for track, one in hand.cards.items() if one.id == "6N1"), "discard")
    hand.push(next(track for track, one in hand.cards.items() if one.id == "6N1"), "stack/6", wait=12)
    assert (hand.did, hand.kinds) == ([], [])
