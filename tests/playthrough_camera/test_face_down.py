"""Cards in the deal that show no code: nothing is settled before the dealer says what they are (Roche ruling 5)."""

import cv2
import numpy as np
import pytest

from companion.games.roche.demo.felt import felt_of
from companion.games.roche_deck.design import FULL_DECK
from hardware.demo.faces import Faces
from hardware.demo.layout import Pose, slot
from hardware.demo.printer import DeckPrinter
from hardware.demo.scene import Card

from .conftest import DECK, FULL_HD, LiveTable

pytestmark = pytest.mark.thorough


class OddPrinter(DeckPrinter):
    """Prints other people's backs, too."""

    def __call__(self, side: str, make) -> np.ndarray:
        draw = ODD.get(side)
        return super().__call__(side, make) if draw is None else draw()


def _blank() -> np.ndarray:
    return np.full((1039, 744, 3), 246, np.uint8)


def _framed(bgr: tuple[int, int, int], line: tuple[int, int, int]) -> np.ndarray:
    """Return a poker back: a white margin and a lattice."""
    image = _blank()
    image[45:-45, 45:-45] = bgr
    for k in range(-1100, 1900, 36):
        cv2.line(image, (k, 45), (k + 950, 995), line, 6, cv2.LINE_AA)
        cv2.line(image, (k + 950, 45), (k, 995), line, 6, cv2.LINE_AA)
    image[:45], image[-45:], image[:, :45], image[:, -45:] = 246, 246, 246, 246
    return image


def _plain(bgr: tuple[int, int, int]) -> np.ndarray:
    image = _blank()
    image[:] = bgr
    return image


ODD = {
    "blank": _blank,
    "red": lambda: _framed((40, 30, 180), (235, 235, 240)),
    "green": lambda: _framed((60, 110, 40), (120, 170, 110)),
    "black": lambda: _plain((28, 26, 26)),
}


@pytest.fixture(scope="session")
def faces() -> Faces:
    return Faces(OddPrinter(DECK))


def on_stack(rank: int, count: int) -> Pose:
    """Where the next card of a suit belongs when so many of it lie there."""
    return slot(felt_of(FULL_DECK), f"{rank}D1", [f"{rank}N{n}" for n in range(1, count + 1)])


def lay(table: LiveTable, side: str, pose: Pose) -> None:
    """Lay something down that is no card of the deck."""
    table.demo._scene.lay_down(Card(side), pose)


def begin(table: LiveTable, *cards: str) -> None:
    table.do("bet", player="Ann", on="cut/3", amount=10)
    table.do("bet", player="Bo", on="cut/2", amount=10)
    with table.hurried():
        table.open_deal()
        for card in cards:
            table.deal(card)


def cut(table: LiveTable) -> int | None:
    result = table.view["result"]
    return None if result is None else result["cut"]


@pytest.fixture
def stopped(table: LiveTable) -> LiveTable:
    """3N3 lies face down where Realm would have been cut, and then Mages would be."""
    begin(table, "3N2", "6N1", "3D1")
    table.deal("3N3", face_up=False)
    for card in ("2D1", "2N2"):
        table.deal(card)
    table.run(0.5)
    assert (table.dealt, table.kinds) == (["3N2", "6N1", "3D1"], ["unreadable"])
    return table


# ---- the deal stops, and goes on as the dealer says


def test_turned_over_it_counts_in_its_place(stopped):
    stopped.demo.remove("3N3", face_up=False)
    stopped.rest()
    stopped.deal("3N3")
    assert (stopped.dealt, cut(stopped)) == (["3N2", "6N1", "3D1", "3N3"], 3)
    assert set(stopped.kinds) == {"late"}


def test_turned_over_where_it_lies(stopped):
    [thing] = [thing for thing in stopped.demo._scene.lying if not thing.card.face_up]
    stopped.demo._scene.lift(thing)
    stopped.demo._scene.lay_down(Card("3N3"), thing.pose)
    stopped.run(1.0)
    assert (stopped.dealt, cut(stopped)) == (["3N2", "6N1", "3D1", "3N3"], 3)


def test_taken_away_it_does_not_count(stopped):
    stopped.demo.remove("3N3", face_up=False)
    stopped.rest(after=1.6)
    assert (stopped.dealt[3:], cut(stopped), stopped.kinds) == (["2D1", "2N2"], 2, [])


def test_taken_away_from_under_the_next_one(table):
    """The next one hides its middle, and stays there."""
    begin(table, "6N1")
    table.deal("3N3", face_up=False)
    table.deal("3D1")
    table.run(1.0)
    assert (table.dealt, table.kinds) == (["6N1"], ["unreadable"])
    table.demo.remove("3N3", face_up=False)
    table.rest(after=1.8)
    assert (table.dealt, table.kinds) == (["6N1", "3D1"], [])


def test_one_taken_away_and_another_before_a_card_lies_in_its_place(table):
    """4D3 is no 4N2 turned over: 2D1 came in between, face down, and counts first."""
    begin(table, "4D2")
    table.deal("4N2", face_up=False)
    table.demo.remove("4N2", face_up=False)
    table.rest(after=1.8)
    table.deal("2D1", face_up=False)
    table.deal("4D3")
    table.demo.remove("2D1", face_up=False)
    table.rest(after=0.2)
    table.deal("2D1")
    assert (table.dealt, table.kinds) == (["4D2", "2D1", "4D3"], [])


def test_one_more_where_one_was_turned_over(table):
    """What lies there now is not the card of which the dealer has told already what it is."""
    begin(table, "6N1")
    table.deal("3N3", face_up=False)
    table.run(1.0)
    table.demo.remove("3N3", face_up=False)
    table.rest(after=0.2)
    table.deal("3N3")
    table.run(2.0)
    assert (table.dealt, table.kinds) == (["6N1", "3N3"], [])
    table.deal("3D1", face_up=False)
    table.deal("2N2")
    assert (table.dealt, table.kinds) == (["6N1", "3N3"], ["unreadable"])


def test_burnt_it_does_not_count(stopped):
    stopped.answer("unreadable", "leave")
    stopped.run(0.5)
    assert (stopped.dealt[3:], cut(stopped), stopped.kinds) == (["2D1", "2N2"], 2, [])


def test_laid_down_elsewhere_the_dealer_is_asked_whether_it_is_that_card(stopped):
    stopped.demo.remove("3N3", face_up=False)
    stopped.rest(after=0.2)
    stopped.demo.put("3N3", 60, 150)
    stopped.run(1.0)
    assert (len(stopped.dealt), stopped.kinds) == (3, ["turned"])
    stopped.answer("turned", "turned")
    stopped.run(0.5)
    assert (stopped.dealt[3:], cut(stopped)) == (["3N3"], 3)


def test_it_is_not_that_card_but_the_next(stopped):
    stopped.demo.remove("3N3", face_up=False)
    stopped.rest(after=0.2)
    stopped.demo.put("5N1", 60, 150)
    stopped.run(1.0)
    stopped.answer("turned", "other")
    stopped.run(1.0)
    assert (stopped.dealt[3:], cut(stopped)) == (["2D1", "2N2"], 2)


def test_a_tap_says_what_it_is(stopped):
    stopped.do("deal", card="3N3")
    stopped.run(0.5)
    assert cut(stopped) == 3


def test_taps_are_free_while_the_camera_is_lost(stopped):
    stopped.demo.lose_camera(5)
    for _ in range(3):
        stopped.frame()
    for card in ("3N3",):
        stopped.do("deal", card=card)
    assert cut(stopped) == 3


def test_an_undo_does_not_make_it_count(stopped):
    stopped.do("undo")
    stopped.run(1.0)
    assert stopped.dealt == ["3N2", "6N1"]
    assert "unreadable" in stopped.kinds


# ---- where and how it lies


def test_the_very_first_card(table):
    begin(table)
    table.deal("3N3", face_up=False)
    for card in ("2D1", "2N2"):
        table.deal(card)
    assert (table.dealt, table.kinds) == ([], ["unreadable"])
    table.demo.remove("3N3", face_up=False)
    table.rest(after=1.6)
    assert cut(table) == 2


def test_two_of_them(table):
    begin(table, "3N2")
    table.deal("3N3", face_up=False)
    table.deal("4D1", face_up=False)
    for card in ("2D1", "2N2"):
        table.deal(card)
    assert (table.dealt, table.kinds) == (["3N2"], ["unreadable"] * 2)
    table.demo.remove("3N3", face_up=False)
    table.rest(after=1.6)
    assert (table.dealt, table.kinds) == (["3N2"], ["unreadable"])
    table.demo.remove("4D1", face_up=False)
    table.rest()
    table.deal("4D1")
    table.run(0.5)
    assert (table.dealt, cut(table)) == (["3N2", "4D1", "2D1", "2N2"], 2)


def test_two_of_them_upon_each_other(table):
    begin(table, "3N2")
    table.deal("3N3", face_up=False)
    table.deal("3D1", face_up=False)
    table.run(1.0)
    assert table.kinds == ["unreadable"] * 2


@pytest.mark.parametrize("fps", [10, 30])
@pytest.mark.thorough
def test_half_hidden_under_the_next_one(make_table, fps):
    table = make_table(fps=fps)
    begin(table, "3N2", "6N1")
    table.deal("3N3", face_up=False)
    table.deal("3D1")
    table.deal("2D1")
    table.deal("2N2")
    assert (table.dealt, table.kinds) == (["3N2", "6N1"], ["unreadable"])


@pytest.mark.parametrize("shift", [(0, 26), (22, 24), (-18, 40)])
@pytest.mark.thorough
def test_found_half_hidden_at_once(make_table, shift):
    """It and the card upon it are first seen on the same picture."""
    table = make_table(size=FULL_HD)
    begin(table, "6N1")
    table.demo.put("3N3", 60, 100, face_up=False)
    table.demo.put("2D1", 60 + shift[0], 100 + shift[1])
    table.run(2.0)
    assert (table.dealt, table.kinds) == (["6N1"], ["unreadable"])


def test_exactly_under_the_next_one_before_anybody_could_look(table):
    begin(table, "6N1")
    table.demo.put("3N3", 60, 100, face_up=False)
    table.run(0.7)
    table.demo.put("2D1", 60.5, 100.8, 0.5)
    table.run(4.5)
    assert (table.dealt, len(table.kinds)) == (["6N1"], 1)


@pytest.mark.parametrize("side", [*ODD, "3N3"])
@pytest.mark.parametrize("pose", [Pose(60, 150, 33), on_stack(6, 2), on_stack(6, 1)], ids=["felt", "stack", "over"])
@pytest.mark.thorough
def test_any_back_and_any_blank_card(table, side, pose):
    begin(table, "6N1", "6D3")
    if side in ODD:
        lay(table, side, pose)
    else:
        table.demo.put(side, pose.x, pose.y, pose.angle_deg, face_up=False)
    table.run(1.5)
    assert "unreadable" in table.kinds
    table.deal("2D1")
    assert table.dealt == ["6N1", "6D3"]


@pytest.mark.thorough
def test_a_larger_picture(make_table):
    table = make_table(size=FULL_HD)
    begin(table, "6N1", "6D3")
    table.deal("3N3", face_up=False)
    table.run(1.0)
    assert table.kinds == ["unreadable"]


# ---- what is no part of the deal


@pytest.mark.thorough
def test_the_deck_in_its_place_raises_no_question(make_table):
    table = make_table(seed=4)
    begin(table)
    while table.view["phase"] == "dealing":
        table.deal()
    assert (table.dealt, table.kinds_seen) == (table.lying, [])


def test_a_burn_pile_that_grows(table):
    table.bring_deck()
    table.demo.put("4D1", 300, -130, face_up=False)
    table.run(1.0)
    table.do("no-more-bets")
    for k, (back, card) in enumerate((("4D2", "6N1"), ("4D3", "5N1"), ("4D4", "6D2"))):
        table.demo.put(back, 300 + 4 * k, -130 - 5 * k, 9 * k - 12, face_up=False)
        table.run(1.2)
        table.deal(card)
    assert (table.dealt, table.kinds_seen) == (["6N1", "5N1", "6D2"], [])


def test_where_the_dealer_said_that_burnt_cards_lie(table):
    begin(table, "6N1")
    table.demo.put("4D1", 300, -130, face_up=False)
    table.run(1.5)
    table.answer("unreadable", "leave")
    table.kinds_seen.clear()
    table.demo.put("4D2", 303, -136, 14, face_up=False)
    table.run(1.5)
    table.deal("5N1")
    assert (table.dealt, table.kinds_seen) == (["6N1", "5N1"], [])


# ---- a card that is not seen any more


def swap(table: LiveTable, card: str, other: str) -> None:
    """Take a card up and lay another just where it lay, as under a hand."""
    [thing] = [thing for thing in table.demo._scene.lying if thing.card.id == card]
    table.demo._scene.lift(thing)
    table.demo._scene.lay_down(Card(other), Pose(thing.pose.x + 1, thing.pose.y - 2, 1.0))


def test_a_card_swapped_under_a_hand_is_asked_about(table):
    begin(table, "5N1", "6D3")
    swap(table, "6D3", "6N5")
    table.run(2.0)
    assert (table.dealt, table.kinds) == (["5N1", "6D3"], ["covered"])
    table.answer("covered", "undo")
    table.run(1.0)
    assert (table.dealt, table.kinds) == (["5N1", "6N5"], [])
    table.deal("6D3")
    assert table.dealt == ["5N1", "6N5", "6D3"]


@pytest.mark.parametrize(("answer", "dealt", "suit"), [("aside", ["2D1", "4N3"], None), ("leave", ["2D1", "2N2"], 2)])
def test_a_card_that_waited_and_was_swapped_is_asked_about_before_it_counts(stopped, answer, dealt, suit):
    """2N2 would cut Mages, but is not seen any more when its turn comes."""
    swap(stopped, "2N2", "4N3")
    stopped.run(1.0)
    stopped.demo.remove("3N3", face_up=False)
    stopped.rest(after=2.0)
    assert (stopped.dealt[3:], stopped.kinds) == ([], ["covered"])
    stopped.answer("covered", answer)
    stopped.run(1.0)
    assert (stopped.dealt[3:], cut(stopped)) == (dealt, suit)


def test_a_card_that_waited_and_was_taken_back_does_not_count(stopped):
    """2D1 and 2N2 are taken up together with the back, which is turned over."""
    scene = stopped.demo._scene
    pose = next(thing.pose for thing in scene.lying if not thing.card.face_up)
    scene.lift(*(thing for thing in scene.lying if thing.card.id in ("2D1", "2N2") or not thing.card.face_up))
    scene.lay_down(Card("4N3"), pose)
    stopped.run(3.0)
    assert (stopped.dealt, stopped.kinds, cut(stopped)) == (["3N2", "6N1", "3D1", "4N3"], [], None)


def test_a_card_that_lies_under_another_goes_on_counting(table):
    begin(table, "5N1", "6D3")
    pose = next(thing.pose for thing in table.demo._scene.lying if thing.card.id == "6D3")
    table.demo.put("6N5", pose.x + 1, pose.y + 1)
    table.run(2.0)
    assert table.kinds == ["covered"]
    table.answer("covered", "leave")
    table.run(0.5)
    assert (table.dealt, table.kinds) == (["5N1", "6D3", "6N5"], [])


def test_staggered_cards_are_not_asked_about(table):
    begin(table)
    for k, card in enumerate(("7D1", "7D2", "7D3", "7N1", "7N2")):
        table.demo.put(card, 139, -119 + 21.5 * k)
        table.run(1.0)
    assert (len(table.dealt), table.kinds_seen) == (5, [])
