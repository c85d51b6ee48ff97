"""What is answered late, or overtaken by somebody's hand, counts for nobody else."""

from __future__ import annotations

import pytest

from companion.kernel.errors import NotYourTurn


def folded(table):
    return [player.name for player in table.game.players if player.has_folded]


def chosen(question, way):
    return next(choice for choice in question.choices if choice.id == way)


def test_an_answer_that_somebody_folds_folds_nobody_else(hand):
    """Aubrey's fold is asked about; END is pressed for her first. It is Benedict's turn when the answer comes."""
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
    """Benedict pays nothing for what the dealer was shown as Aubrey's."""
    bare.lay("6N1", "stack/6", wait=2.0)
    answer = chosen(bare.ask("play-or-deal"), way)
    bare.tell({"do": "end"})
    with pytest.raises(NotYourTurn):
        bare.tell(answer.command)
    assert bare.coins["Benedict"] == 100


def test_an_answer_that_a_turn_is_over_ends_no_other(bare):
    """Two of the dealer's devices say at once that Aubrey is done: Benedict has not folded by that."""
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
