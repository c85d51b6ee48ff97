"""What goes wrong at a real table, shown to the camera: each is named to the dealer, none is played."""

import numpy as np
import pytest

from .conftest import glare


def test_a_card_before_no_more_bets(table):
    table.bring_deck()
    table.deal("6D3")
    table.run(0.5)
    assert (table.dealt, table.kinds) == ([], ["early"])
    table.answer("early", "first")
    assert (table.dealt, table.kinds) == (["6D3"], [])


@pytest.mark.thorough
def test_an_early_card_is_taken_back(table):
    table.bring_deck()
    table.deal("6D3")
    table.run(0.5)
    table.demo.remove("6D3")
    table.rest(after=1.5)
    assert table.kinds == []
    table.do("no-more-bets")
    table.deal("5N1")
    assert (table.dealt, table.kinds) == (["5N1"], [])


@pytest.mark.parametrize("make", ["forged", "foreign"])
@pytest.mark.thorough
def test_a_stranger_among_the_cards(table, make):
    table.open_deal()
    table.deal("5N1")
    table.deal("6D3", make=make)
    assert (table.dealt, table.kinds) == (["5N1"], [make])
    notices = [n for n in table.view["notices"] if n["source"] == "camera"]
    assert notices[-1]["text"] == f"A {make} Kin day 3 lies on the table."
    table.demo.remove("6D3")
    table.rest(after=1.5)
    table.deal("6N3")
    assert (table.dealt, table.kinds) == (["5N1", "6N3"], [])


@pytest.mark.thorough
def test_the_same_card_twice(table):
    table.open_deal()
    table.deal("6D3")
    table.demo.put("6D3", 150, 190)
    table.run(1.5)
    assert (table.dealt, table.kinds) == (["6D3"], ["duplicate"])
    table.demo.remove("6D3")
    table.rest(after=1.5)
    assert (table.dealt, table.kinds) == (["6D3"], [])


@pytest.mark.thorough
@pytest.mark.parametrize("fps", [10, 30])
def test_the_same_card_twice_upon_itself(make_table, fps):
    """The second one lies on its own stack, one step further: the first one only shows its top corner."""
    table = make_table(fps=fps)
    table.open_deal()
    table.deal("6D3")
    table.deal("6D3")
    table.run(1.5)
    assert (table.dealt, table.kinds) == (["6D3"], ["duplicate"])


@pytest.mark.thorough
def test_a_dealt_card_is_taken_away(table):
    table.open_deal()
    table.deal("6D3")
    table.deal("5N1")
    table.demo.remove("6D3")
    table.rest(after=1.5)
    assert (table.dealt, table.kinds) == (["6D3", "5N1"], ["vanished"])
    table.demo.put("6D3", 50, 150)
    table.run(1.5)
    assert (table.dealt, table.kinds) == (["6D3", "5N1"], [])


@pytest.mark.parametrize("fps", [10, 30])
def test_two_cards_at_once(make_table, fps):
    table = make_table(fps=fps)
    table.open_deal()
    table.demo.put("6D3", 50, -100)
    table.demo.put("5N1", -100, -100)
    table.run(1.5)
    assert (table.dealt, table.kinds) == ([], ["order"])
    table.answer("order", "5N1")
    table.run(0.5)
    assert (table.dealt, table.kinds) == (["5N1", "6D3"], [])


@pytest.mark.thorough
def test_an_undone_card_that_still_lies_there(table):
    table.open_deal()
    table.deal("6D3")
    table.do("undo")
    table.run(2)
    assert (table.dealt, table.kinds) == ([], ["undone"])
    table.demo.remove("6D3")
    table.rest(after=1.5)
    assert (table.dealt, table.kinds) == ([], [])


@pytest.mark.thorough
def test_leftovers_of_the_last_round(table):
    table.open_deal()
    table.deal("2D1")
    table.deal("2N1")
    assert table.view["phase"] == "settled"
    table.do("new-round")
    table.do("no-more-bets")
    table.run(2)
    assert (table.dealt, table.kinds) == ([], ["gather"])
    table.demo.gather()
    table.rest()
    assert table.until_calm(1.5)
    assert table.dealt == []


@pytest.mark.thorough
def test_a_card_after_the_cut(table):
    table.open_deal()
    for card in ("2D1", "2N1", "6D3"):
        table.deal(card)
    assert (table.dealt, table.kinds) == (["2D1", "2N1"], ["late"])


@pytest.mark.thorough
def test_a_hand_over_the_cards_changes_nothing(table):
    table.open_deal()
    for card in ("6D3", "6N2", "5N1"):
        table.deal(card)
    for _ in range(3):
        table.demo.wave_hand()
        table.rest()
    assert (table.dealt, table.kinds_seen) == (["6D3", "6N2", "5N1"], [])


@pytest.mark.thorough
def test_glare_that_comes_and_goes_changes_nothing(table):
    table.open_deal()
    for card in ("6D3", "6N2", "5N1"):
        table.deal(card)
    for x in (850, 1150, 1300):
        table.camera.spoil = glare(x, 330, 110)
        table.run(1)
        table.camera.spoil = None
        table.run(1)
    assert (table.dealt, [k for k in table.kinds_seen if k != "vanished"]) == (["6D3", "6N2", "5N1"], [])
    assert table.kinds == []


def test_a_camera_that_was_away_during_one_card(table):
    table.open_deal()
    table.deal("6D3")
    table.demo.lose_camera(5)
    for _ in range(3):
        table.frame()
    assert table.view["camera"]["status"] == "lost"
    table.demo.restore_camera()
    table.demo.put("5N1", -100, -100)
    table.run(3)
    assert table.view["camera"]["status"] == "ok"
    assert (table.dealt, table.kinds) == (["6D3", "5N1"], [])


def test_a_red_deck_table_refuses_mages(make_table):
    table = make_table(options={"deck": "red"})
    table.open_deal()
    table.deal("2D1")
    assert (table.dealt, table.kinds) == ([], ["not-in-deck"])


def test_a_card_tapped_by_hand_and_seen_later(table):
    table.open_deal()
    table.do("deal", card="6D3")
    table.deal("6D3")
    table.deal("5N1")
    assert (table.dealt, table.kinds_seen) == (["6D3", "5N1"], [])


def test_a_picture_with_everything_marked(table):
    assert table.watch.picture() is None
    table.open_deal()
    table.deal("6D3")
    table.deal("5N1", make="forged")
    picture = table.watch.picture()
    assert picture is not None
    assert picture[:2] == b"\xff\xd8"
    assert table.watch.picture() is picture


@pytest.mark.thorough
def test_a_card_laid_exactly_on_another_is_no_forgery(table):
    table.open_deal()
    table.demo.put("6D3", 50, -100)
    table.run(2.5)
    for card in ("5N1", "4D2"):
        table.demo.put(card, 50, -100)
        table.run(2.5)
        table.answer("covered", "leave")
        table.run(0.5)
    assert (table.dealt, table.kinds_seen) == (["6D3", "5N1", "4D2"], ["covered"])


@pytest.mark.thorough
@pytest.mark.parametrize("level", [0, 255], ids=["covered", "dazzled"])
def test_a_camera_that_sees_nothing_says_so_and_takes_no_card_off_the_table(table, level):
    table.open_deal()
    table.deal("5N1")
    table.camera.spoil = lambda image: np.full_like(image, level)
    table.run(2)
    camera = table.view["camera"]
    assert camera["status"] == "lost"
    assert ("Uncover its lens" if level == 0 else "bright light") in camera["text"]
    table.camera.spoil = None
    table.run(1)
    assert table.view["camera"]["status"] == "ok"
    assert (table.dealt, table.kinds) == (["5N1"], [])


@pytest.mark.thorough
def test_a_camera_that_was_pushed_says_so_until_it_is_put_back(table):
    table.open_deal()
    table.deal("5N1")
    table.run(1)
    table.camera.spoil = lambda image: np.roll(image, (12, 20), (0, 1))
    table.run(2)
    assert table.view["camera"]["status"] == "poor"
    assert "Put it back" in table.view["camera"]["text"]
    table.camera.spoil = None
    table.run(2)
    assert table.view["camera"]["status"] == "ok"
