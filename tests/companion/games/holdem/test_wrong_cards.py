"""Face-up cards entered by hand count; if the camera clearly reads others, the dealer is told, without secrets."""

from dataclasses import replace

import pytest
from holdem_mat import FLOP, Mat

SECRET = ("K♠", "Q♠", "KS", "QS", "King", "Queen")


@pytest.fixture
def mat() -> Mat:
    return Mat()


def unread(mat: Mat, *cards: str, zone: str) -> None:
    for place, card in enumerate(cards):
        mat.lay(card, zone, place, status="unreadable", deck=None)
        mat.cards[card] = replace(mat.cards[card], id=None)
    mat.look()


def read(mat: Mat, *cards: str) -> None:
    for card in cards:
        mat.cards[card] = replace(mat.cards[card], id=card, status="ok", deck="K7QX")
    mat.look(1.0)
    mat.look(1.0)


def test_a_flop_that_was_entered_wrongly_is_told_once_and_counts(mat):
    mat.to_board()
    unread(mat, "AS", "KD", "2D", zone="board")
    mat.do("board", cards=list(FLOP))
    read(mat, "AS", "KD", "2D")
    assert mat.kinds == ["differs"]
    assert mat.said("differs") == ("2♣ was entered by hand, but the camera reads 2♦. 2♣ counts unless it is undone.")
    mat.answer("differs", "leave")
    mat.checks()
    mat.lay("7H", "board", 3)
    mat.look()
    assert (mat.state.board, mat.kinds) == ((*FLOP, "7H"), [])
    assert mat.notes == ["2♣ was entered by hand, but the camera reads 2♦. What was entered counts."]


def test_a_flop_that_was_entered_wrongly_is_undone_and_what_is_read_counts(mat):
    mat.to_board()
    unread(mat, "AS", "KD", "2D", zone="board")
    mat.do("board", cards=list(FLOP))
    read(mat, "AS", "KD", "2D")
    mat.answer("differs", "undo")
    mat.look()
    assert mat.kinds == ["undone"]
    mat.answer("undone", "count")
    mat.look()
    assert mat.state.board == ("AS", "KD", "2D")


def test_a_card_that_came_after_the_flop_is_no_card_of_it(mat):
    """The third flop card lies in glare, and the next street was laid too early."""
    mat.to_board()
    mat.do("board", cards=list(FLOP))
    for place, card in ((0, "AS"), (1, "KD"), (3, "7H")):
        mat.lay(card, "board", place)
    mat.look()
    mat.look()
    assert (mat.kinds, mat.notes) == (["vanished", "early"], [])


@pytest.mark.parametrize("is_there", [True, False])
def test_a_hand_that_was_entered_wrongly_is_told(mat, is_there):
    mat.to_showdown()
    if is_there:
        unread(mat, "AD", "AC", zone="seat/1")
    mat.do("show", player="Ann", cards=["AD", "AH"])
    if not is_there:
        unread(mat, "AD", "AC", zone="seat/1")
    read(mat, "AD", "AC")
    assert mat.kinds == ["differs"]
    assert mat.said("differs").startswith("A♥ was entered by hand, but the camera reads A♣.")
    mat.answer("differs", "undo")
    mat.look()
    assert (mat.state.turn, mat.given, mat.kinds) == ("Ann", [], ["undone"])


def test_a_wrong_last_hand_is_told_though_it_decided(mat):
    mat.to_showdown()
    mat.do("show", player="Ann", cards=["AD", "AH"])
    mat.do("muck", player="Bo")
    unread(mat, "QS", "QD", zone="seat/3")
    mat.do("show", player="Cy", cards=["QS", "QC"])
    assert (mat.phase, mat.kinds) == ("ready", [])
    read(mat, "QS", "QD")
    assert mat.said("differs").startswith("Q♣ was entered by hand, but the camera reads Q♦.")
    mat.cards.clear()
    mat.to_board()
    mat.do("board", cards=list(FLOP))
    assert mat.kinds == []


def test_the_hand_that_was_entered_is_not_told(mat):
    mat.to_showdown()
    unread(mat, "AD", "AH", zone="seat/1")
    mat.do("show", player="Ann", cards=["AD", "AH"])
    read(mat, "AD", "AH")
    assert (mat.kinds, mat.notes) == ([], [])


def told(mat: Mat) -> str:
    return f"{mat.questions} {mat.notes} {mat.table.view()}"


@pytest.mark.parametrize("how", ["muck", "fold"])
def test_a_hand_that_was_not_shown_is_never_named(mat, how):
    """It lies face up all the same, while another hand is entered, shown and paid."""
    mat.to_board()
    if how == "fold":
        mat.do("board", cards=list(FLOP))
        mat.do("fold", player="Ann")
        mat.checks()
        for card in ("7H", "9C"):
            mat.do("board", cards=[card])
            mat.checks()
    else:
        for cards in (FLOP, ("7H",), ("9C",)):
            mat.do("board", cards=list(cards))
            mat.checks()
        mat.do("muck", player="Ann")
    unread(mat, "KS", "QS", zone="seat/1")
    unread(mat, "AD", "AC", zone="seat/2")
    mat.do("show", player="Bo", cards=["AD", "AH"])
    read(mat, "KS", "QS", "AD", "AC")
    assert "differs" in mat.kinds
    seen = told(mat)
    mat.do("muck", player="Cy")
    read(mat, "KS", "QS")
    seen += told(mat)
    assert not any(name in seen for name in SECRET), seen


def test_cards_at_the_place_of_a_shown_hand_that_cannot_be_all_of_it_are_not_told(mat):
    mat.to_showdown()
    mat.do("show", player="Ann", cards=["AD", "AH"])
    unread(mat, "KS", zone="seat/1")
    read(mat, "KS")
    assert not any(name in told(mat) for name in SECRET)


def test_a_wrong_last_hand_that_is_laid_there_after_it_decided_is_told(mat):
    """It was announced and entered, then turned up while the pot was pushed."""
    mat.to_showdown()
    mat.do("show", player="Ann", cards=["AD", "AH"])
    mat.do("muck", player="Bo")
    mat.do("show", player="Cy", cards=["QS", "QC"])
    assert (mat.phase, mat.kinds) == ("ready", [])
    unread(mat, "QS", "QD", zone="seat/3")
    read(mat, "QS", "QD")
    assert mat.kinds == ["differs"]
    assert mat.said("differs").startswith("Q♣ was entered by hand, but the camera reads Q♦.")
    mat.answer("differs", "undo")
    mat.look()
    assert (mat.phase, mat.kinds) == ("ready", [])
    assert mat.given[-1] == {"do": "show", "player": "Cy", "cards": ["QS", "QD"]}


def test_the_hand_that_decided_and_is_laid_there_afterwards_is_not_told(mat):
    mat.to_showdown()
    mat.do("show", player="Ann", cards=["AD", "AH"])
    mat.do("muck", player="Bo")
    mat.do("show", player="Cy", cards=["QS", "QC"])
    unread(mat, "QS", "QC", zone="seat/3")
    read(mat, "QS", "QC")
    assert (mat.kinds, mat.notes) == ([], [])


def test_a_card_of_the_next_hand_is_not_held_against_one_that_decided(mat):
    """Otherwise it would be named before it may be known."""
    mat.to_showdown()
    mat.do("show", player="Ann", cards=["AD", "AH"])
    mat.do("muck", player="Bo")
    mat.do("show", player="Cy", cards=["QS", "QC"])
    mat.do("post")
    unread(mat, "KS", "KH", zone="seat/3")
    read(mat, "KS", "KH")
    seen = told(mat)
    assert not any(name in seen for name in ("KS", "KH", "K♠", "K♥", "King")), seen
