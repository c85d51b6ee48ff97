"""A card entered by hand counts; if the camera clearly reads another one there, the dealer is told once."""

import pytest
from blackjack_film import Film
from blackjack_journal import JournaledFilm
from blackjack_table import DOWN, dealers, spot

from companion.plugins.perception import CardSettings
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header


@pytest.fixture
def film() -> Film:
    return Film(settings=CardSettings(shoe=("K7QX",)))


def read(film: Film, track: int, card: str) -> None:
    """Let an unread card be read."""
    film.change(track, id=card, status="ok", deck="K7QX")


def drawn(film: Film, entered: str = "8H") -> int:
    """Let the dealer draw an unreadable card, which is entered by hand and decides the round."""
    film.deal({"Ann": ("TS", "9D")}, "TC")
    film.do("stand")
    film.turn("2S")
    track = film.lay(None, dealers(2))
    film.do("dealer-hit", card=entered)
    return track


def test_a_wrong_draw_that_decided_the_round_is_told_once_and_counts(film):
    track = drawn(film)
    assert (film.kinds(), film.state.phase.value) == ([], "betting")
    read(film, track, "5S")
    assert film.text() == (
        "Eight of Hearts was entered by hand, but the camera reads Five of Spades. "
        "Eight of Hearts counts unless it is undone."
    )
    (question,) = film.questions
    assert (question.kind, question.blocks) == ("differs", False)
    film.answer("leave")
    film.wait(4)
    assert (film.kinds(), film.state.decided.dealer) == ([], ("TC", "2S", "8H"))
    assert film.notes == [
        "Eight of Hearts was entered by hand, but the camera reads Five of Spades. What was entered counts."
    ]


def test_a_wrong_draw_is_undone_and_what_is_read_counts(film):
    read(film, drawn(film), "5S")
    film.answer("undo")
    assert (film.kinds(), film.state.phase.value) == (["undone"], "dealer")
    film.answer("count")
    assert (film.kinds(), film.state.decided.dealer) == ([], ("TC", "2S", "5S"))


@pytest.mark.parametrize("is_read_first", [True, False])
def test_a_card_that_was_entered_as_another_is_not_said_to_have_counted(film, is_read_first):
    """The wrong entry counted; the card on the table never did."""
    track = drawn(film)
    if is_read_first:
        read(film, track, "5S")
    film.do("undo")
    if not is_read_first:
        read(film, track, "5S")
    assert film.kinds() == ["undone"]
    assert film.text() == (
        "Five of Spades lies where Eight of Hearts was entered by hand, which counts no more. "
        "Take it off, or say that it counts."
    )
    film.answer("count")
    assert (film.kinds(), film.state.decided.dealer) == ([], ("TC", "2S", "5S"))
    film.do("undo")
    assert film.text().startswith("Five of Spades counted, lies there and counts no more.")


def test_it_is_not_told_any_more_in_the_next_round(film):
    read(film, drawn(film), "5S")
    film.clear()
    film.do("bet", player="Ann", amount=100)
    assert film.kinds() == ["differs"]
    film.lay("5S", spot(1))
    assert (film.state.boxes[0].hands[0].cards, film.kinds()) == (("5S",), [])


def test_a_wrong_card_of_the_deal_is_told_and_the_deal_goes_on(film):
    film.do("bet", player="Ann", amount=100)
    track = film.lay(None, spot(1))
    film.do("deal", to="Ann", card="8H")
    film.lay("5C", dealers(0))
    read(film, track, "8S")
    assert film.kinds() == ["differs"]
    film.lay("3D", spot(1, 0, 1))
    assert film.state.boxes[0].hands[0].cards == ("8H", "3D")
    assert [choice.id for choice in film.questions[0].choices] == ["leave"]  # an undo would revert the other one
    film.answer("leave")
    film.lay(None, dealers(1))
    film.lay("2S", spot(1, 0, 2))
    assert (film.state.boxes[0].hands[0].cards, film.kinds()) == (("8H", "3D", "2S"), [])


@pytest.mark.parametrize(("entered", "turn"), [("KH", "Bo"), ("2H", "Ann")])
def test_a_wrong_hit_is_told_and_is_no_further_hit(film, entered, turn):
    film.deal({"Ann": ("TS", "5D"), "Bo": ("TD", "7D")}, "TC")
    track = film.lay(None, spot(1, 0, 2))
    film.do("hit", card=entered)
    read(film, track, "3S")
    assert (film.kinds(), film.state.turn) == (["differs"], turn)
    assert film.state.boxes[0].hands[0].cards == ("TS", "5D", entered)


def test_a_wrong_hole_card_that_is_turned_later_is_told_and_is_not_drawn(film):
    film.deal({"Ann": ("TS", "5D")}, "TC")
    film.do("stand")
    film.do("reveal", card="5H")
    film.turn("6H")
    assert film.kinds() == ["differs"]
    film.lay("2H", dealers(2))
    assert (film.state.decided.dealer, film.kinds()) == (("TC", "5H", "2H"), ["differs"])


def test_the_face_down_card_is_not_the_first_one_that_is_entered_by_hand(film):
    """That one lies in glare or is still in the dealer's hand; the turned card may be either."""
    film.do("bet", player="Ann", amount=100)
    film.lay("8S", spot(1))
    film.hole = film.lay(None, dealers(1))
    film.answer("hole")
    film.do("deal", to="dealer", card="5C")
    film.lay("3D", spot(1, 0, 1))
    film.do("stand")
    film.turn("QS")
    assert (film.state.dealer, film.kinds(), film.notes) == (("5C",), ["covered"], [])
    film.answer("count")
    assert film.state.dealer == ("5C", "QS")


def test_a_card_that_was_read_already_when_another_was_entered_is_told(film):
    film.do("bet", player="Ann", amount=100)
    film.lay("8S", spot(1), status="tag")
    assert film.kinds() == ["unsure"]
    film.do("deal", to="Ann", card="8H")
    assert film.kinds() == [], "its corner tags alone are not sure"
    film.change(1, status="ok", deck="K7QX")
    assert film.kinds() == ["differs"]


def test_a_wrong_card_is_told_though_one_like_it_lies_in_the_hand():
    film = Film()
    film.deal({"Ann": ("TS", "2D")}, "TC")
    track = film.lay(None, spot(1, 0, 2))
    film.do("hit", card="2D")
    read(film, track, "3S")
    assert film.kinds() == ["differs"]


def test_the_card_that_was_entered_is_not_told(film):
    read(film, drawn(film), "8H")
    assert (film.kinds(), film.notes) == ([], [])


@pytest.mark.parametrize("more", [{"deck": "ZZZZ", "status": "foreign"}, {"disputed": "9S"}, {"deck": "AC4D"}])
def test_a_card_that_is_not_sure_is_not_told(film, more):
    film.change(drawn(film), **{"id": "5S", "status": "ok", "deck": "K7QX", **more})
    assert (film.kinds(), film.notes) == ([], [])


def test_what_the_dealer_has_said_does_not_count_is_not_told(film):
    film.deal({"Ann": ("TS", "9D")}, "TC")
    film.do("stand")
    film.turn("2S")
    track = film.lay(None, dealers(2))
    film.answer("aside")
    film.do("dealer-hit", card="8H")
    read(film, track, "5S")
    assert (film.kinds(), film.notes) == ([], [])


def test_a_card_that_came_after_the_one_that_was_entered_is_asked_about(film):
    """The entered card may still lie under it."""
    film.do("bet", player="Ann", amount=100)
    film.do("deal", to="Ann", card="8H")
    film.lay("8S", spot(1))
    assert (film.kinds(), film.notes) == (["order"], [])


def test_one_of_two_cards_that_were_not_read_is_asked_about(film):
    film.do("bet", player="Ann", amount=100)
    tracks = film.lay(None, spot(1)), film.lay(None, spot(1, 0, 1))
    film.do("deal", to="Ann", card="8H")
    for track, card in zip(tracks, ("8S", "3D"), strict=True):
        read(film, track, card)
    assert (film.kinds(), film.notes) == (["order", "order"], [])


def test_two_wrong_cards_of_a_hand_are_told_one_by_one(film):
    film.do("bet", player="Ann", amount=100)
    first = film.lay(None, spot(1))
    film.do("deal", to="Ann", card="8H")
    film.lay("5C", dealers(0))
    film.do("deal", to="Ann", card="3D")
    second = film.lay(None, spot(1, 0, 1))
    read(film, first, "8S")
    assert film.kinds() == ["differs", "unreadable"]
    read(film, second, "3C")
    assert film.kinds() == ["differs", "order"], "it came after it was entered"


def test_the_entered_card_that_shows_after_all_counts_and_the_other_one_is_asked_about(film):
    film.do("bet", player="Ann", amount=100)
    track = film.lay(None, spot(1))
    film.do("deal", to="Ann", card="8H")
    read(film, track, "8S")
    assert film.kinds() == ["differs"]
    film.lay("8H", (spot(1)[0], spot(1)[1] + DOWN))
    assert film.kinds() == ["order"]


@pytest.mark.parametrize("is_secret", [False, True])
def test_the_journal_tells_what_was_entered_what_was_read_and_what_was_decided(tmp_path, is_secret):
    """Even in games whose notes may not name cards: this one was entered as face up."""
    film = JournaledFilm()
    header = new_header("blackjack", tuple((name, 2000) for name in film.names), {})
    with TableService.open(tmp_path / "journal.sqlite", header, INSTALLED) as service:
        film.sit(service, is_secret=is_secret)
        read(film, drawn(film), "5S")
        (question,) = service.view("dealer")["questions"]
        assert "questions" not in service.view("seat/1")
        service.answer(question["id"], "leave", source="dealer")
        film.wait()
        assert film.kinds() == []
        notices = [entry["record"] for entry in service.events(limit=100) if entry["kind"] == "notice"]
    said = "Eight of Hearts was entered by hand, but the camera reads Five of Spades."
    kinds = [(notice["text"], notice["data"].get("kind")) for notice in notices]
    assert kinds == [
        (f"{said} What was entered counts.", "differs"),
        (f"{said} Eight of Hearts counts unless it is undone. Decided: Leave it: Eight of Hearts counts", "differs"),
    ]
