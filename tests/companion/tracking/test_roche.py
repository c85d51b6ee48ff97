"""Camera on a Roche table: correct deals are played automatically, everything else is reported to the dealer."""

import random

import pytest

from companion.games.roche.camera.interpreter import RocheInterpreter
from companion.games.roche_deck.design import FULL_DECK
from companion.kernel.errors import NothingDone
from companion.testing import new_header

from .conftest import Round


def spot(card: str, count: int = 0) -> dict[str, float]:
    """Return a position on the card's stack."""
    return {"x": 100 + 220 * (int(card[0]) - 2), "y": 60 + 52 * count}


# ---- the ordinary deal


def test_a_whole_round_is_dealt_as_it_was_laid(dealing):
    order = random.Random(3).sample(FULL_DECK, 54)
    laid: list[str] = []
    while dealing.table.phase == "dealing":
        card = order[len(laid)]
        dealing.lay(card, **spot(card, sum(c[0] == card[0] for c in laid)))
        laid.append(card)
        dealing.run(0.8)
    assert dealing.dealt == laid
    assert dealing.questions == ()


def test_cards_laid_in_quick_succession_keep_their_order(dealing):
    for card in ("6D3", "5N1", "2D1"):
        dealing.lay(card, **spot(card))
        dealing.run(0.45)
    dealing.run(0.5)
    assert dealing.dealt == ["6D3", "5N1", "2D1"]


def test_two_cards_at_once_ask_for_the_order(dealing):
    dealing.lay("6D3", **spot("6D3"))
    dealing.frame()
    dealing.lay("5N1", **spot("5N1"))
    dealing.run(1)
    assert (dealing.dealt, dealing.kinds) == ([], ["order"])
    told = [choice.id for choice in dealing.questions[0].choices]
    assert told == ["5N1", "6D3"], "by name: which of them was read first says nothing"
    dealing.answer("order", "5N1")
    dealing.run(0.5)
    assert (dealing.dealt, dealing.kinds) == (["5N1", "6D3"], [])


def test_an_order_question_goes_away_with_its_cause(dealing):
    dealing.lay("6D3", **spot("6D3"))
    dealing.lay("5N1", **spot("5N1"))
    dealing.run(1)
    dealing.take("5N1")
    dealing.run(3)
    assert (dealing.dealt, dealing.kinds) == (["6D3"], [])


def test_a_card_that_came_first_but_is_not_made_out_yet_goes_first(dealing):
    """A hand covers the first card's code; the second card is read immediately."""
    dealing.lay("6D3", **spot("6D3"))
    dealing.frame()
    dealing.frame()
    dealing.lay("6D3", **spot("6D3"), visible=0.3)
    dealing.run(0.5)
    dealing.lay("5N1", **spot("5N1"))
    dealing.run(0.5)
    assert dealing.dealt == []
    dealing.lay("6D3", **spot("6D3"))
    dealing.run(0.5)
    assert dealing.dealt == ["6D3", "5N1"]


def test_a_first_card_that_stays_out_of_sight_is_asked_about(dealing):
    dealing.lay("6D3", **spot("6D3"))
    dealing.frame()
    dealing.frame()
    dealing.lay("6D3", **spot("6D3"), visible=0.3)
    dealing.lay("5N1", **spot("5N1"))
    dealing.run(5)
    assert (dealing.dealt, dealing.kinds) == ([], ["unsure"])
    assert dealing.questions[0].text.startswith("Kin day 3 came first")
    dealing.answer("unsure", "leave")
    dealing.run(0.5)
    assert dealing.dealt == ["5N1"]


def test_a_card_that_slides_past_does_not_hold_up_the_one_at_rest(dealing):
    dealing.lay("6D3", **spot("6D3"))
    for step in range(12):
        dealing.lay("5N1", 900 + 25 * step, 700)
        dealing.frame()
    assert dealing.dealt == ["6D3"]


def test_the_picture_kept_of_a_card_is_named_in_its_record(dealing):
    dealing.lay("6D3")
    dealing.frame()
    tracked, now = dealing.tracker.tracked(), dealing.table.situation()
    while not tracked.lying:
        dealing.tracker.update(_reading(dealing), dealing.t)
        tracked, dealing.t = dealing.tracker.tracked(), dealing.t + 0.03
    track = tracked.lying[0].track
    advice = RocheInterpreter().interpret(tracked, now, {track: "0001-6D3"})
    assert advice.command == {"do": "deal", "card": "6D3", "evidence": "0001-6D3"}


def _reading(film):
    from companion.vision.sightings import FrameReading

    return FrameReading((1920, 1080), tuple(film.cards.values()))


# ---- tags


def test_a_card_known_by_its_tags_only_is_asked_about(dealing):
    dealing.lay("6D3", status="tag")
    dealing.run(2)
    assert (dealing.dealt, dealing.kinds) == ([], ["unsure"])
    assert dealing.questions[0].text == (
        "Kin day 3 is known by its corner tags only. Show its code to the camera, or confirm it."
    )
    dealing.answer("unsure", "deal")
    dealing.run(1)
    assert (dealing.dealt, dealing.kinds) == (["6D3"], [])


def test_showing_its_code_answers_the_question(dealing):
    dealing.lay("6D3", status="tag")
    dealing.run(2)
    dealing.lay("6D3")
    dealing.run(0.5)
    assert (dealing.dealt, dealing.kinds) == (["6D3"], [])


def test_a_relaxed_table_deals_by_tag():
    table = Round(roche=RocheInterpreter(verify="relaxed"))
    table.run(2)
    table.do("no-more-bets")
    table.lay("6D3", status="tag")
    table.run(1)
    assert (table.dealt, table.kinds) == (["6D3"], [])


def test_cards_behind_an_unsure_one_wait(dealing):
    dealing.lay("6D3", **spot("6D3"), status="tag")
    dealing.run(1)
    dealing.lay("5N1", **spot("5N1"))
    dealing.run(1)
    assert dealing.dealt == []
    dealing.answer("unsure", "deal")
    dealing.run(0.5)
    assert dealing.dealt == ["6D3", "5N1"]


# ---- misdeals


def test_a_card_before_no_more_bets_is_asked_about_and_never_played(betting):
    betting.lay("6D3")
    betting.run(2)
    assert (betting.dealt, betting.kinds) == ([], ["early"])
    betting.do("no-more-bets")
    betting.run(2)
    assert (betting.dealt, betting.kinds) == ([], ["early"])


def test_an_early_card_may_be_the_first(betting):
    betting.lay("6D3")
    betting.run(2)
    betting.answer("early", "first")
    betting.run(1)
    assert (betting.table.phase, betting.dealt, betting.kinds) == ("dealing", ["6D3"], [])


def test_an_early_card_taken_back_asks_no_more_and_can_be_dealt_later(betting):
    betting.lay("6D3")
    betting.run(2)
    betting.take("6D3")
    betting.run(3)
    assert betting.kinds == []
    betting.do("no-more-bets")
    betting.run(5)
    betting.lay("6D3")
    betting.run(1)
    assert betting.dealt == ["6D3"]


def test_a_duplicate_is_named_and_stops_the_camera(dealing):
    dealing.lay("6D3", **spot("6D3"))
    dealing.run(1)
    dealing.lay("6D3", 1500, 700, name="copy")
    dealing.run(1)
    assert (dealing.dealt, dealing.kinds) == (["6D3"], ["duplicate"])
    dealing.lay("5N1", **spot("5N1"))
    dealing.run(1)
    assert dealing.dealt == ["6D3"]
    dealing.take("copy")
    dealing.run(3)
    assert (dealing.dealt, dealing.kinds) == (["6D3", "5N1"], [])


@pytest.mark.parametrize("status", ["forged", "foreign"])
@pytest.mark.parametrize("phase", ["betting", "dealing"])
def test_a_stranger_is_named_in_every_phase_and_never_played(betting, status, phase):
    if phase == "dealing":
        betting.do("no-more-bets")
    betting.lay("6D3", status=status, deck="ZZZZ")
    betting.run(2)
    assert (betting.dealt, betting.kinds) == ([], [status])
    assert "Kin day 3" in betting.questions[0].text
    betting.take("6D3")
    betting.run(3)
    assert betting.kinds == []


def test_something_unreadable_during_the_deal_is_asked_about_and_a_tap_explains_it(dealing):
    dealing.lay(None, status="unreadable", name="glare")
    dealing.run(3)
    assert dealing.kinds == ["unreadable"]
    dealing.do("deal", card="6D3")
    dealing.run(1)
    assert dealing.kinds == []
    dealing.take("glare")
    dealing.lay("6D3")
    dealing.run(1)
    assert (dealing.dealt, dealing.kinds) == (["6D3"], [])


def test_a_wrong_tap_for_an_unreadable_card_comes_to_light(dealing):
    dealing.lay(None, status="unreadable", name="glare")
    dealing.run(3)
    dealing.do("deal", card="6D3")
    dealing.run(1)
    dealing.take("glare")
    dealing.lay("6D2")
    dealing.run(1)
    assert (dealing.dealt, dealing.kinds) == (["6D3"], ["found"])


def test_something_unreadable_that_lay_there_before_the_deal_is_no_matter(betting):
    betting.lay(None, status="unreadable", name="a box of matches")
    betting.run(3)
    betting.do("no-more-bets")
    betting.lay("6D3", **spot("6D3", 4))
    betting.run(3)
    assert (betting.dealt, betting.kinds) == (["6D3"], [])


def test_a_card_of_another_of_the_houses_decks(dealing):
    dealing.lay("6D3", **spot("6D3"))
    dealing.run(1)
    dealing.lay("5N1", **spot("5N1"), deck="B222")
    dealing.run(1)
    assert (dealing.dealt, dealing.kinds) == (["6D3"], ["other-deck"])
    assert "Valor night 1 is of deck B222; this round is played with K7QX" in dealing.questions[0].text


def test_a_card_that_the_red_deck_does_not_have():
    table = Round(header=new_header("roche", (), {"deck": "red"}))
    table.run(2)
    table.do("no-more-bets")
    table.lay("2D1")
    table.run(1)
    assert (table.dealt, table.kinds) == ([], ["not-in-deck"])


def test_a_card_that_vanishes_is_named_and_comes_back(dealing):
    dealing.lay("6D3", **spot("6D3"))
    dealing.run(1)
    dealing.take("6D3")
    dealing.run(3)
    assert (dealing.dealt, dealing.kinds) == (["6D3"], ["vanished"])
    assert not dealing.questions[0].blocks
    dealing.lay("6D3", **spot("6D3", 3))
    dealing.run(1)
    assert (dealing.dealt, dealing.kinds) == (["6D3"], [])


def test_a_vanished_last_card_can_be_undone(dealing):
    dealing.lay("6D3")
    dealing.run(1)
    dealing.take("6D3")
    dealing.run(3)
    dealing.answer("vanished", "undo")
    dealing.run(1)
    assert (dealing.dealt, dealing.kinds) == ([], [])


def test_an_answer_that_comes_too_late_undoes_nothing_else(dealing):
    """Another card is dealt between the question and the answer: that deal stands."""
    dealing.lay("6D3")
    dealing.run(1)
    dealing.take("6D3")
    dealing.run(3)
    dealing.table.do({"do": "deal", "card": "5N1"})
    with pytest.raises(NothingDone):
        dealing.answer("vanished", "undo")
    assert dealing.dealt == ["6D3", "5N1"]


def cut_suit_2(table: Round) -> None:
    for i, card in enumerate(("2D1", "2N1")):
        table.lay(card, **spot(card, i))
        table.run(1)
    assert table.table.phase == "settled"


def test_a_card_after_the_cut_is_one_too_many(dealing):
    cut_suit_2(dealing)
    dealing.lay("6D3", **spot("6D3"))
    dealing.run(1)
    assert (dealing.dealt, dealing.kinds) == (["2D1", "2N1"], ["late"])
    assert dealing.questions[0].text.startswith("Kin day 3 came after the cut")
    dealing.do("undo")
    dealing.run(1)
    assert (dealing.dealt, set(dealing.kinds)) == (["2D1"], {"late", "undone"})


def test_leftovers_are_never_dealt_unless_lifted_and_laid_again(dealing):
    cut_suit_2(dealing)
    dealing.do("new-round")
    dealing.run(1)
    assert dealing.kinds == ["gather"]
    assert "Mages day 1 and Mages night 1 still lie on the table" in dealing.questions[0].text
    dealing.do("no-more-bets")
    dealing.run(2)
    assert (dealing.dealt, dealing.kinds) == ([], ["gather"])
    dealing.take("2D1", "2N1")
    dealing.run(5)
    assert dealing.kinds == []
    dealing.lay("2N1", **spot("2N1"))
    dealing.run(1)
    assert dealing.dealt == ["2N1"]


def test_a_leftover_that_is_only_pushed_about_stays_a_leftover(dealing):
    cut_suit_2(dealing)
    dealing.do("new-round")
    dealing.do("no-more-bets")
    dealing.lay("2D1", 1300, 600)
    dealing.run(2)
    assert (dealing.dealt, dealing.kinds) == ([], ["gather"])
    dealing.answer("gather", "aside")
    dealing.lay("6D3", **spot("6D3"))
    dealing.run(1)
    assert (dealing.dealt, dealing.kinds) == (["6D3"], [])


def test_gathering_after_the_new_round_was_called_raises_no_alarm(dealing):
    """While being gathered, cards briefly reappear: they still belong to the last round."""
    cut_suit_2(dealing)
    dealing.do("new-round")
    dealing.take("2D1")
    dealing.run(2)
    dealing.lay("2D1", 1200, 600)
    dealing.run(2)
    assert dealing.kinds == ["gather"]
    dealing.take("2D1", "2N1")
    dealing.run(3)
    assert dealing.kinds == []


# ---- undo


def test_an_undone_card_is_not_dealt_again_by_itself(dealing):
    dealing.lay("6D3")
    dealing.run(1)
    dealing.do("undo")
    dealing.run(5)
    assert (dealing.dealt, dealing.kinds) == ([], ["undone"])
    dealing.answer("undone", "deal")
    dealing.run(1)
    assert (dealing.dealt, dealing.kinds) == (["6D3"], [])


def test_an_undone_card_hidden_by_the_hand_for_long_is_still_undone(dealing):
    dealing.lay("6D3")
    dealing.run(1)
    dealing.do("undo")
    dealing.run(1)
    dealing.take("6D3")
    dealing.run(2)
    dealing.lay("6D3")
    dealing.run(2)
    assert (dealing.dealt, dealing.kinds) == ([], ["undone"])


def test_an_undone_card_taken_off_is_out_of_the_way(dealing):
    dealing.lay("6D3", **spot("6D3"))
    dealing.run(1)
    dealing.do("undo")
    dealing.run(1)
    dealing.take("6D3")
    dealing.lay("5N1", **spot("5N1"))
    dealing.run(3)
    assert (dealing.dealt, dealing.kinds) == (["5N1"], [])


def test_redo_settles_the_matter(dealing):
    dealing.lay("6D3")
    dealing.run(1)
    dealing.do("undo")
    dealing.run(1)
    dealing.do("redo")
    dealing.run(1)
    assert (dealing.dealt, dealing.kinds) == (["6D3"], [])


def test_undo_back_into_the_betting_leaves_an_early_card(dealing):
    dealing.lay("6D3")
    dealing.run(1)
    dealing.do("undo")
    dealing.do("undo")
    dealing.run(1)
    assert (dealing.table.phase, dealing.kinds) == ("betting", ["early"])


def test_undoing_the_new_round_knows_the_cards_again(dealing):
    cut_suit_2(dealing)
    dealing.do("new-round")
    dealing.run(1)
    dealing.do("undo")
    dealing.run(1)
    assert dealing.kinds == []
    dealing.do("undo")
    dealing.run(1)
    assert (dealing.dealt, dealing.kinds) == (["2D1"], ["undone"])


# ---- by hand


def test_a_card_tapped_first_and_then_seen_matches(dealing):
    dealing.do("deal", card="6D3")
    dealing.lay("6D3")
    dealing.run(2)
    assert (dealing.dealt, dealing.kinds) == (["6D3"], [])


def test_a_card_tapped_and_never_seen_is_no_matter(dealing):
    dealing.do("deal", card="6D3")
    dealing.lay("5N1")
    dealing.run(5)
    assert (dealing.dealt, dealing.kinds) == (["6D3", "5N1"], [])


def test_a_card_moved_within_the_table_is_no_matter(dealing):
    dealing.lay("6D3")
    dealing.run(1)
    dealing.lay("6D3", 900, 500)
    dealing.run(2)
    assert (dealing.dealt, dealing.kinds) == (["6D3"], [])


def test_nothing_is_dealt_while_the_table_is_on_hold(dealing):
    dealing.do("hold")
    dealing.lay("6D3")
    dealing.run(2)
    assert dealing.dealt == []
    dealing.do("release")
    dealing.run(0.5)
    assert dealing.dealt == ["6D3"]


# ---- camera and program come back


def test_one_more_card_after_a_lost_camera_is_dealt(dealing):
    dealing.lay("6D3", **spot("6D3"))
    dealing.run(1)
    dealing.gap(20)
    dealing.lay("5N1", **spot("5N1"))
    dealing.run(1)
    assert (dealing.dealt, dealing.kinds) == (["6D3", "5N1"], [])


def test_several_more_cards_after_a_lost_camera_ask_for_their_order(dealing):
    dealing.lay("6D3", **spot("6D3"))
    dealing.run(1)
    dealing.gap(20)
    for card in ("5N1", "7D2", "4D1"):
        dealing.lay(card, **spot(card))
        dealing.frame()
    dealing.run(1)
    assert (dealing.dealt, dealing.kinds) == (["6D3"], ["order"])
    dealing.answer("order", "7D2")
    dealing.run(0.5)
    assert (dealing.dealt, dealing.kinds) == (["6D3", "7D2"], ["order"])
    dealing.answer("order", "4D1")
    dealing.run(0.5)
    assert (dealing.dealt, dealing.kinds) == (["6D3", "7D2", "4D1", "5N1"], [])


def test_after_a_restart_dealt_cards_are_known_again_without_a_word(dealing):
    for i, card in enumerate(("6D3", "5N1", "6D4")):
        dealing.lay(card, **spot(card, i))
        dealing.run(1)
    dealing.restart()
    dealing.run(3)
    assert (dealing.dealt, dealing.kinds) == (["6D3", "5N1", "6D4"], [])
    dealing.lay("7D2", **spot("7D2"))
    dealing.run(1)
    assert (dealing.dealt, dealing.kinds) == (["6D3", "5N1", "6D4", "7D2"], [])


def test_an_undone_card_is_not_dealt_after_a_restart_either(dealing):
    dealing.lay("6D3")
    dealing.run(1)
    dealing.do("undo")
    dealing.restart()
    dealing.run(3)
    assert (dealing.dealt, dealing.kinds) == ([], ["found"])


def test_cards_on_the_table_when_the_program_starts_before_a_round_are_leftovers():
    table = Round()
    table.lay("6D3")
    table.run(3)
    assert table.kinds == ["gather"]


# ---- truths for any table


@pytest.mark.parametrize("seed", range(25))
def test_whatever_happens_no_card_is_dealt_that_was_not_laid_by_itself(seed):
    """Randomly lay, lift, undo and hide cards and lose frames: every dealt card was a genuine card on the table."""
    rng = random.Random(seed)
    table = Round(fps=rng.choice([10, 15, 30]))
    table.shake = rng
    table.run(2)
    table.do("no-more-bets")
    genuine: set[str] = set()
    cards = rng.sample(FULL_DECK, 54)
    for _ in range(40):
        _disturb(table, rng, cards, genuine)
        table.run(rng.choice([0.1, 0.4, 1.0, 3.0]))
        assert set(table.dealt) <= genuine
        assert len(set(table.dealt)) == len(table.dealt)
        if table.table.phase == "settled":
            return


def _disturb(table: Round, rng: random.Random, cards: list[str], genuine: set[str]) -> None:
    what = rng.choice(["lay"] * 6 + ["take", "undo", "forged", "tag", "gap", "restart"])
    here = [name for name in table.cards if not name.startswith("bad")]
    place = {"x": rng.uniform(50, 1700), "y": rng.uniform(50, 800)}
    if what == "lay" and cards:
        card = cards.pop()
        table.lay(card, **place)
        genuine.add(card)
    elif what == "take" and here:
        table.take(rng.choice(here))
    elif what == "undo" and table.dealt:
        table.do("undo")
    elif what in ("forged", "tag") and cards:
        card = cards.pop()
        table.lay(card, **place, status=what, name=f"bad{card}")
    elif what == "gap":
        table.gap(rng.uniform(1, 20))
    elif what == "restart":
        table.restart()
