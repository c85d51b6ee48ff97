"""A table without a mat: the camera knows the cards and whether a token moved, and asks for the rest by button."""

from __future__ import annotations

import pytest
from rochi_hands import rochi


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
    """Aubrey has dealt and nobody said "end": PLAY means that she plays, not that Benedict does."""
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
