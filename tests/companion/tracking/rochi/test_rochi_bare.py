"""Without a mat the camera knows only the cards and whether a token moved; it asks for the rest."""

import pytest
from rochi_hands import Hands, rochi


def test_seeds_count_without_a_mat(bare):
    assert bare.view["phase"] == "turns"
    assert bare.did == []


def test_a_card_is_asked_about_at_once_with_play_and_deal(bare):
    bare.lay("6N1", "stack/6", wait=2.0)
    assert bare.did == []
    labels = [choice.label for choice in bare.ask("play-or-deal").choices]
    assert "Aubrey plays it" in labels
    assert "Aubrey deals it" in labels


@pytest.mark.parametrize(("way", "coins"), [("play1", 98), ("deal1", 100)])
def test_one_press_says_what_it_was(bare, way, coins):
    bare.lay("6N1", "stack/6", wait=2.0)
    bare.answer("play-or-deal", way)
    assert bare.view["undoes"] == {"do": way[:4], "card": "6N1"}
    assert bare.coins["Aubrey"] == coins
    assert not bare.questions


@pytest.mark.parametrize("verb", ["play", "deal"])
def test_the_button_pressed_before_the_card_needs_no_question(bare, verb):
    bare.interpreter.intend(verb, bare.t)
    bare.lay("6N1", "stack/6", wait=1.0)
    assert bare.did == [f"{verb} 6N1"]


def test_the_button_pressed_after_the_card_is_the_answer(bare):
    bare.lay("6N1", "stack/6", wait=2.0)
    bare.interpreter.intend("deal", bare.t)
    bare.run(0.3)
    assert bare.did == ["deal 6N1"]
    assert not bare.questions


def test_the_button_speaks_of_the_player_to_act(bare):
    """Aubrey has dealt without END: PLAY is her play, not Benedict's."""
    bare.interpreter.intend("deal", bare.t)
    bare.lay("4D1", "stack/4", wait=1.0)
    bare.interpreter.intend("play", bare.t)
    bare.lay("6N1", "stack/6", wait=1.0)
    assert bare.did == ["deal 4D1", "play 6N1"]
    assert bare.coins["Aubrey"] == 98


def test_a_token_that_moves_says_that_the_card_was_played(bare):
    bare.lay("6N1", "stack/6", wait=0.4)
    bare.give("T6", "seat/1")
    bare.run(1)
    assert bare.did == ["play 6N1"]


def test_a_whole_hand_without_a_mat_by_buttons_alone():
    """Three players, six seeds; every turn is PLAY or DEAL, then END; World is cut at last."""
    table = rochi(3, has_mat=False)
    table.seed("7D1", "7N1", "6D1", "6N1", "5D1", "5N1")
    for verb, id_ in (("play", "4D1"), ("deal", "3D1"), ("play", "4D2"), ("deal", "4D3")):
        table.interpreter.intend(verb, table.t)
        table.lay(id_, f"stack/{id_[0]}", wait=1.0)
    table.interpreter.intend("deal", table.t)
    table.lay("4N1", "stack/4", wait=2.0)
    assert table.did[6:] == ["play 4D1", "deal 3D1", "play 4D2", "deal 4D3", "deal 4N1"]
    assert table.view["phase"] == "between-hands"
    assert sum(table.coins.values()) + sum(table.view["pots"].values()) == 300


def test_two_cards_of_one_picture_are_asked_about(bare):
    bare.lay("6N1", "stack/6", wait=0.0)
    bare.lay("4D1", "stack/4", wait=2.0)
    assert bare.kinds == ["order"]
    assert [choice.id for choice in bare.ask("order").choices] == ["4D1", "6N1"]
    bare.answer("order", "6N1")
    bare.run(2)
    assert "Kin night 1" in bare.ask("play-or-deal").text


def test_a_card_whose_turn_was_ended_before_the_answer_may_still_be_of_that_turn(bare):
    """END without a recorded card folds Aubrey; the question offers what she did, and the answer undoes the fold."""
    bare.lay("6N1", "stack/6", wait=0.5)
    bare.do("end")
    assert bare.view["undoes"]["do"] == "end"
    bare.run(2)
    question = bare.ask("play-or-deal")
    assert question.text == "Kin night 1 lay there before Aubrey was done. What is it?"
    assert [choice.id for choice in question.choices] == ["deal1", "play1", "deal2", "play2", "fold2+deal3", "aside"]
    bare.answer("play-or-deal", "deal1")
    bare.run(0.5)
    assert bare.did == ["undo", "deal 6N1", "end"]
    assert not any(held["has_folded"] for held in bare.view["hands"])
    assert bare.view["turn"] == "Benedict"
    assert not bare.questions


def test_a_card_that_lay_there_before_the_end_may_be_the_next_player_s(bare):
    bare.lay("6N1", "stack/6", wait=0.5)
    bare.do("end")
    bare.run(2)
    bare.answer("play-or-deal", "play2")
    assert bare.coins == {"Aubrey": 100, "Benedict": 98, "Celia": 100, "Dorian": 100}
    assert not bare.questions


def test_a_token_that_moves_after_the_end_does_not_make_the_card_the_next_player_s(bare):
    bare.lay("6N1", "stack/6", wait=0.5)
    bare.do("end")
    bare.give("T6", "seat/1")
    bare.run(3)
    assert bare.did == []
    bare.answer("play-or-deal", "play1")
    bare.run(0.5)
    assert bare.coins["Aubrey"] == 98
    assert bare.view["turn"] == "Benedict"


def test_an_answer_about_the_turn_before_is_void_once_something_else_was_said(bare):
    """Benedict ends his turn before the answer arrives, so the answer undoes nothing."""
    bare.lay("6N1", "stack/6", wait=0.5)
    bare.do("end")
    bare.run(2)
    question = bare.ask("play-or-deal")
    bare.do("end")
    bare.interpreter.answered(question, question.choices[0])
    bare.run(0.5)
    assert bare.did == []
    assert "play-or-deal" in bare.kinds


def test_the_choices_keep_their_names_when_another_card_comes(bare):
    """A choice may be pressed at that very moment."""
    bare.lay("6N1", "stack/6", wait=2)
    before = bare.ask("play-or-deal").choices
    bare.lay("5N1", "stack/5", wait=2)
    after = bare.ask("play-or-deal").choices
    assert {"deal1", "play1", "aside"} <= {c.id for c in before} & {c.id for c in after}


@pytest.fixture
def ripe() -> Hands:
    """Without a mat: World is Aubrey's and ripe, and it is Celia's turn."""
    table = rochi(4, has_mat=False)
    table.seed("7D1", "7N1", "5D1", "6D1")
    for verb, id_ in (("play", "4D1"), ("deal", "4D2"), ("play", "7D2"), ("deal", "4D3")):
        table.tell({"do": verb, "card": id_})
        table.lay(id_, "stack/4", wait=0.5)
    table.run(1)
    assert table.view["turn"] == "Celia"
    table.said.clear()
    return table


def test_a_card_that_may_cut_is_asked_about_not_guessed(ripe):
    """Dealt, 4N1 cuts World and decides the hand; played, it is a Shield for Aubrey."""
    ripe.lay("4N1", "stack/4", wait=6)
    assert ripe.did == []
    ripe.answer("play-or-deal", "play3")
    assert ripe.view["phase"] == "turns"
    assert ripe.coins["Celia"] == 97


def test_a_token_that_a_dealt_card_may_have_moved_too_tells_nothing(bare):
    """World is unclaimed and ripe: a dealt card locks it, and its token goes onto the stack."""
    for id_ in ("4D1", "4D2"):
        bare.tell({"do": "deal", "card": id_})
        bare.tell({"do": "end"})
        bare.lay(id_, "stack/4", wait=0.5)
    bare.tell({"do": "deal", "card": "4D3"})
    bare.lay("4D3", "stack/4", wait=0.5)
    bare.tell({"do": "end"})
    bare.lay("4N1", "stack/4", wait=0.4)
    bare.give("T4", "stack/4")
    bare.run(2)
    assert bare.did == []
    bare.answer("play-or-deal", "deal4")
    assert bare.coins["Dorian"] == 100


def test_a_token_that_another_card_may_have_moved_tells_nothing(bare):
    bare.lay("6N1", "stack/6", wait=0.5)
    bare.lay("6N2", "stack/6", wait=0.4)
    bare.give("T6", "seat/2")
    bare.run(2)
    assert bare.did == []
    assert bare.ask("play-or-deal").card == "6N1"
