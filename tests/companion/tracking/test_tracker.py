"""The tracker reports only what has been stable long enough."""

import random
from dataclasses import replace

import pytest

from companion.tracking.cards.observations import (
    CardCovered,
    CardGone,
    CardMoved,
    CardSettled,
    Conflict,
    Duplicate,
    StrangerSeen,
)


def names(seen):
    return [type(o).__name__ for o in seen]


def test_an_empty_table_says_nothing(film):
    assert film.run(3) == []
    assert film.tracker.tracked().lying == ()


@pytest.mark.parametrize("fps", [30, 20, 10])
def test_a_card_at_rest_is_reported_once_within_a_quarter_of_a_second(film, fps):
    film.fps = fps
    film.run(1)
    film.lay("6D3")
    laid = film.t
    (settled,) = film.run(2)
    assert (settled.id, settled.deck, settled.status) == ("6D3", "K7QX", "ok")
    assert settled.t - laid <= 0.25
    assert settled.rest_since == pytest.approx(laid)


def test_a_card_that_moves_is_not_reported(film):
    for step in range(60):
        film.lay("6D3", 100 + 20 * step)
        assert film.frame() == ()
    assert names(film.run(0.5)) == ["CardSettled"]


def test_a_single_frame_proves_nothing(film):
    film.lay("6D3")
    film.frame()
    film.take("6D3")
    assert film.run(3) == []
    assert film.tracker.tracked().arriving == ()


def test_tag_only_stays_tag_until_the_code_is_read_once(film):
    film.lay("6D3", status="tag")
    assert [o.status for o in film.run(2)] == ["tag"]
    film.lay("6D3")
    film.frame()
    film.lay("6D3", status="tag")
    assert [o.status for o in film.run(2)] in ([], ["ok"])
    assert [(c.id, c.status) for c in film.tracker.tracked().lying] == [("6D3", "ok")]


def test_a_code_read_once_while_the_card_moves_counts(film):
    for step in range(10):
        film.lay("6D3", 100 + 20 * step, status="ok" if step == 5 else "tag")
        film.frame()
    assert [o.status for o in film.run(1)] == ["ok"]


def test_a_card_hidden_for_a_moment_is_not_gone(film):
    film.lay("6D3")
    film.run(1)
    card = film.cards.pop("6D3")
    film.moving = True
    assert film.run(1.2) == []
    film.cards["6D3"], film.moving = card, False
    assert film.run(1) == []


def test_a_card_that_is_remembered_under_a_hand_is_not_gone(film):
    film.lay("6D3")
    film.run(1)
    film.cards["6D3"] = replace(film.cards["6D3"], visible=0.1)
    assert film.run(20) == []
    assert film.tracker.tracked().lying[0].where == "hidden"


def test_a_card_taken_off_is_gone(film):
    film.lay("6D3")
    film.run(1)
    film.take("6D3")
    assert names(film.run(3)) == ["CardGone"]
    assert film.tracker.tracked().lying == ()


def test_a_card_under_a_later_one_is_covered_and_gone_only_when_that_leaves(film):
    film.lay("6D3")
    film.run(1)
    film.take("6D3")
    film.lay("6N1", 105, 103)
    seen = film.run(10)
    assert names(seen) == ["CardSettled", "CardCovered"]
    assert seen[1].by == seen[0].track
    film.take("6N1")
    assert sorted(o.id for o in film.run(3) if isinstance(o, CardGone)) == ["6D3", "6N1"]


def test_a_stack_that_was_found_at_once_is_gone_when_it_is_swept_away(film):
    """After a restart all cards come to rest at the same moment: none may count as covered by another."""
    cards = ("6D1", "6D2", "6D3", "6N4")
    for i, card in enumerate(cards):
        film.lay(card, 100, 100 + 45 * i)
    film.run(1)
    film.take(*cards)
    assert sorted(o.id for o in film.run(5) if isinstance(o, CardGone)) == sorted(cards)
    assert film.tracker.tracked().lying == ()


def test_a_staggered_stack_stays_open(film):
    for i, card in enumerate(("6D1", "6D2", "6D3")):
        film.lay(card, 100, 100 + 50 * i, status="tag" if i < 2 else "ok")
    seen = film.run(5)
    assert names(seen) == ["CardSettled"] * 3


def test_a_bumped_camera_moves_no_card(film):
    for i in range(6):
        film.lay(f"6D{i + 1}", 100 + 200 * i, 100)
    film.run(1)
    for _ in range(10):  # a shift and a turn, over ten frames
        for name, card in film.cards.items():
            outline = tuple((x * 0.9998 - y * 0.003 + 4, y + x * 0.003 - 3) for x, y in card.outline)
            corners = tuple((x * 0.9998 - y * 0.003 + 4, y + x * 0.003 - 3) for x, y in card.corners)
            film.cards[name] = replace(card, outline=outline, corners=corners)
        assert film.frame() == ()
    assert film.run(2) == []


def test_a_card_hidden_while_the_camera_is_bumped_is_known_again(film):
    film.lay("6D1", 100)
    film.lay("6D2", 400)
    film.lay("6D3", 700)
    film.run(1)
    tracks = {c.id: c.track for c in film.tracker.tracked().lying}
    film.take("6D3")
    film.lay("6D1", 180)
    film.lay("6D2", 480)
    film.frame()
    film.lay("6D3", 780)
    assert film.run(1) == []
    assert {c.id: c.track for c in film.tracker.tracked().lying} == tracks


def test_a_card_moved_within_the_table(film):
    film.lay("6D3")
    film.run(1)
    film.lay("6D3", 900, 500)
    (moved,) = film.run(1)
    assert isinstance(moved, CardMoved)
    assert moved.id == "6D3"


def test_two_cards_of_one_name_are_a_duplicate(film):
    film.lay("6D3")
    film.run(1)
    film.lay("6D3", 900, name="copy")
    seen = film.run(2)
    assert names(seen) == ["CardSettled", "Duplicate"]
    (twin,) = [o for o in seen if isinstance(o, Duplicate)]
    assert len(twin.tracks) == 2
    film.take("copy")
    film.run(2)
    assert [c.twin_of for c in film.tracker.tracked().lying] == [None]


def test_two_tags_of_one_card_are_no_duplicate(film):
    film.lay("6D3", status="tag")
    film.lay("6D3", 112, 108, status="tag", name="second tag")
    assert names(film.run(2)) == ["CardSettled"]


@pytest.mark.parametrize("status", ["forged", "foreign"])
def test_strangers_are_named_even_if_only_their_tags_are_read_afterwards(film, status):
    film.lay("6D3", status=status, deck="ZZZZ")
    (seen,) = film.run(1)
    assert isinstance(seen, StrangerSeen)
    assert (seen.status, seen.id, seen.deck) == (status, "6D3", "ZZZZ")
    film.lay("6D3", status="tag")
    assert film.run(5) == []
    assert [c.status for c in film.tracker.tracked().lying] == [status]


@pytest.mark.parametrize("status", ["forged", "foreign"])
def test_a_genuine_card_laid_at_once_where_a_refuted_one_lay_is_another_card(film, status):
    film.lay("6D3", status=status, deck="ZZZZ")
    film.run(1)
    film.lay("6D3", tags=(7, 7))
    gone, settled = film.run(1)
    assert (type(gone), type(settled), settled.status) == (CardGone, CardSettled, "ok")
    assert gone.track != settled.track
    assert [(c.id, c.status, c.disputed) for c in film.tracker.tracked().lying] == [("6D3", "ok", None)]


def test_a_refuted_card_of_which_only_a_genuine_code_is_seen_stays_refuted(film):
    """The tags under it may be another card's: a code glued over a card."""
    film.lay("6D3", status="forged")
    film.run(1)
    film.lay("6D3", tags=())
    assert [type(seen) for seen in film.run(1)] == [Conflict]
    film.lay("6D3", status="forged")
    film.run(0.1)
    film.lay("6D3", tags=(7,))
    film.frame()
    assert film.tracker.tracked().lying[0].status == "forged", "nor does one frame prove it"


def test_one_frame_refutes_no_card_and_three_do(film):
    film.lay("6D3")
    film.run(1)
    film.lay("6D3", status="forged")
    film.frame()
    film.lay("6D3")
    assert film.run(1) == []
    film.lay("6D3", status="forged")
    (seen,) = film.run(1)
    assert isinstance(seen, Conflict)
    assert seen.other == "forged"


def test_something_unreadable_is_said_late_and_may_be_read_later(film):
    film.lay(None, status="unreadable", name="glare")
    assert film.run(1.9) == []
    assert names(film.run(0.5)) == ["StrangerSeen"]
    track = film.tracker.tracked().lying[0].track
    film.take("glare")
    film.lay("6D3")
    (seen,) = film.run(1)
    assert isinstance(seen, CardSettled)
    assert (seen.track, seen.id) == (track, "6D3")


def test_a_card_that_reads_two_ways_is_a_conflict_and_never_becomes_another(film):
    film.lay("6D3")
    film.run(1)
    seen = []
    for step in range(30):
        film.cards.clear()
        film.lay("5N1" if step % 2 else "6D3")
        seen += film.frame()
    assert names(seen) == ["Conflict"]
    assert (seen[0].id, seen[0].other) == ("6D3", "5N1")
    assert [c.id for c in film.tracker.tracked().lying] == ["6D3"]


def test_a_card_laid_exactly_over_another_is_no_conflict(film):
    film.lay("6D3")
    film.run(1)
    film.take("6D3")
    film.lay("5N1")
    seen = film.run(3)
    assert not [o for o in seen if isinstance(o, Conflict)]
    assert {type(o) for o in seen} == {CardCovered, CardSettled}


def test_a_card_whose_code_and_tag_differ_is_one_forged_card(film):
    film.lay("6D3", status="forged")
    film.run(1)
    film.take("6D3")
    film.lay("5N1", status="tag")  # now its code is in glare
    assert film.run(3) == []
    assert [(c.id, c.status) for c in film.tracker.tracked().lying] == [("6D3", "forged")]


def test_a_forged_copy_laid_elsewhere_does_not_spoil_the_real_card(film):
    film.lay("6D3")
    film.run(1)
    film.take("6D3")
    film.moving = True
    film.lay("6D3", 900, status="forged", name="copy")
    seen = film.run(1)
    assert names(seen) == ["StrangerSeen"]
    film.moving = False
    film.lay("6D3")
    film.run(1)
    assert {c.status for c in film.tracker.tracked().lying} == {"ok", "forged"}


def test_tags_alone_do_not_carry_a_proof_across_a_jump_that_nobody_saw(film):
    film.lay("6D3")
    film.run(1)
    film.take("6D3")
    film.moving = True
    film.run(0.6)
    film.lay("6D3", 900, status="tag")
    seen = film.run(1)
    assert [o.status for o in seen if isinstance(o, CardSettled)] == ["tag"]


def test_no_card_vanishes_while_the_camera_is_lost(film):
    film.lay("6D3")
    film.run(1)
    film.gap(600)
    assert film.run(2) == []


def test_what_lies_there_at_the_start_or_after_a_gap_is_found(film):
    film.lay("6D1", 100)
    film.run(2)
    film.lay("6D2", 400)
    film.run(2)
    film.gap(5)
    film.lay("6D3", 700)
    film.run(2)
    assert {c.id: c.found for c in film.tracker.tracked().lying} == {"6D1": "start", "6D2": "", "6D3": "return"}


def test_laid_again_exactly_as_it_was_it_is_the_same_card_else_a_new_one(film):
    film.lay("6D3")
    film.run(1)
    first = film.tracker.tracked().lying[0].track
    for x, same in ((101, True), (160, False)):
        film.take("6D3")
        film.run(2)
        film.lay("6D3", x)
        film.run(1)
        assert (film.tracker.tracked().lying[0].track == first) is same


@pytest.mark.parametrize("seed", range(20))
def test_dropped_sightings_and_uneven_frames_change_nothing(film, seed):
    """One sighting in five is missing, at 10 to 40 frames per second."""
    rng = random.Random(seed)
    film.shake = rng
    laid = []
    for i in range(12):
        film.lay(f"7D{i + 1}" if i < 7 else f"7N{i - 6}", 100 + 140 * i, 300 + rng.uniform(-3, 3))
        laid.append(list(film.cards)[-1])
        film.run(1.2)
    assert [o.id for o in film.seen] == laid
    assert names(film.seen) == ["CardSettled"] * 12


def test_where_the_reader_cannot_know_no_card_is_gone(film):
    """After a cut, an unseen card is in doubt until the reader is sure that nothing lies there."""
    film.lay("6D3")
    film.run(1)
    film.unsure = (film.cards["6D3"].corners,)
    film.take("6D3")
    assert film.run(5) == []
    film.unsure = ()
    assert names(film.run(1)) == ["CardGone"]


def test_tags_alone_carry_no_proof_to_a_card_that_lies_elsewhere_after_a_cut(film):
    film.lay("6D3")
    film.run(1)
    film.take("6D3")
    film.cut = True
    film.lay("6D3", 300, status="tag")
    film.frame()
    film.cut = False
    seen = film.run(1)
    assert [o.status for o in seen if isinstance(o, CardSettled)] == ["tag"]


def test_tags_alone_carry_no_proof_faster_than_a_hand_can_move_a_card(film):
    film.lay("6D3")
    film.run(1)
    film.lay("6D3", 1500, status="tag")
    seen = film.run(1)
    assert [o.status for o in seen if isinstance(o, CardSettled)] == ["tag"]
