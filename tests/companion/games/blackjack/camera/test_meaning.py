"""Meaning of cards by their position on the blackjack mat: which count, and which lead to questions."""

import pytest
from blackjack_film import Film
from blackjack_table import DOWN, dealers, spot

from companion.plugins.perception import CardSettings


@pytest.fixture
def film() -> Film:
    return Film()


def dealt(film: Film, first=("8S", "3D"), second=("KD", "5D"), up="5C") -> Film:
    film.deal({"Ann": first, "Bo": second}, up)
    return film


def decided(film: Film) -> None:
    """Deal, let both players stand, and let the dealer draw to the end of the round."""
    dealt(film)
    film.do("stand")
    film.do("stand")
    film.turn("TS")
    film.lay("TC", dealers(2))


def below(seat: int, hand: int = 0, cards: int = 2) -> tuple[float, float]:
    """Return the position of a card across a hand."""
    x, y = spot(seat, hand, cards)
    return x, y + 10.0


def last(film: Film) -> dict:
    return film.played[-1]


def test_a_round_is_dealt_by_the_boxes_the_cards_lie_in(film):
    dealt(film)
    assert [(one["do"], one.get("to"), one.get("card")) for one in film.played] == [
        ("deal", "Ann", "8S"), ("deal", "Bo", "KD"), ("deal", "dealer", "5C"),
        ("deal", "Ann", "3D"), ("deal", "Bo", "5D"), ("hole", None, None),
    ]  # fmt: skip
    assert (film.state.turn, film.kinds()) == ("Ann", [])


def test_a_card_on_the_hand_is_a_hit_across_it_a_double_and_half_across_it_is_asked(film):
    dealt(film)
    half = film.lay("2H", below(1), 45.0)
    assert film.kinds() == ["across"]
    film.move(half, below(1), 90.0)
    assert last(film) == {"do": "double", "player": "Ann", "card": "2H"}
    film.lay("4H", spot(2, 0, 2))
    assert last(film) == {"do": "hit", "player": "Bo", "card": "4H"}


def test_the_dealer_says_what_a_card_half_across_is(film):
    dealt(film)
    film.lay("2H", below(1), 45.0)
    film.answer("hit")
    assert film.state.boxes[0].hands[0].cards == ("8S", "3D", "2H")
    assert film.kinds() == []


def test_a_third_card_across_cannot_double(film):
    dealt(film)
    film.lay("2H", spot(1, 0, 2))
    film.lay("2C", below(1, 0, 3), 90.0)
    assert film.kinds() == ["across"]
    assert [choice.id for choice in film.questions[0].choices] == ["hit", "aside"]


def test_a_pair_that_lies_apart_is_split_by_the_card_on_the_first(film):
    dealt(film, ("8S", "8H"))
    second = next(track for track, card in film.cards.items() if card.id == "8H")
    film.move(second, spot(1, 1))
    assert film.kinds() == []
    film.lay("3C", spot(1, 0, 1))
    assert last(film) == {"do": "split", "player": "Ann", "cards": ["3C"]}
    film.lay("KC", spot(1, 1, 1))
    assert film.kinds() == ["turn"], "the first hand has not stood"
    film.answer("stand")
    assert last(film) == {"do": "deal", "to": "Ann", "card": "KC"}
    assert [hand.cards for hand in film.state.boxes[0].hands] == [("8S", "3C"), ("8H", "KC")]


def test_the_second_card_of_a_split_goes_on_the_first_hand(film):
    dealt(film, ("8S", "8H"))
    film.move(next(track for track, card in film.cards.items() if card.id == "8H"), spot(1, 1))
    film.lay("3C", spot(1, 1, 1))
    assert film.kinds() == ["split"]


def test_two_cards_that_are_no_pair_are_not_split(film):
    dealt(film)
    film.move(next(track for track, card in film.cards.items() if card.id == "3D"), spot(1, 1))
    film.lay("3C", spot(1, 0, 1))
    assert film.kinds() == ["split"]
    assert [choice.id for choice in film.questions[0].choices] == ["aside"]


def test_a_pair_split_four_times_is_read_hand_by_hand(film):
    dealt(film, ("8S", "8H"))
    track_of = {card.id: track for track, card in film.cards.items()}
    film.move(track_of["8H"], spot(1, 1))
    film.lay("8D", spot(1, 0, 1))
    assert last(film)["do"] == "split"
    track_of = {card.id: track for track, card in film.cards.items()}
    film.move(track_of["8D"], spot(1, 2))
    film.lay("2C", spot(1, 0, 1))
    assert last(film) == {"do": "split", "player": "Ann", "cards": ["2C"]}
    assert [hand.cards for hand in film.state.boxes[0].hands] == [("8S", "2C"), ("8D",), ("8H",)]
    film.do("stand")
    film.lay("9C", spot(1, 2, 1))
    film.do("stand")
    film.lay("TC", spot(1, 1, 1))
    assert [hand.cards for hand in film.state.boxes[0].hands] == [("8S", "2C"), ("8D", "9C"), ("8H", "TC")]
    assert film.kinds() == []


def test_a_card_in_the_wrong_box_is_asked_until_it_lies_right(film):
    film.do("bet", player="Ann", amount=100)
    film.do("bet", player="Bo", amount=100)
    card = film.lay("8S", spot(2))
    assert film.kinds() == ["order"]
    assert film.text() == "Eight of Spades lies in Bo's box, but Ann is next. Put it there, or say that it counts."
    assert film.played == []
    film.move(card, spot(1))
    assert last(film) == {"do": "deal", "to": "Ann", "card": "8S"}


def test_the_dealer_may_say_that_it_is_right_where_it_lies(film):
    film.do("bet", player="Ann", amount=100)
    film.do("bet", player="Bo", amount=100)
    film.lay("8S", spot(2))
    film.answer("count")
    assert (film.state.boxes[1].hands[0].cards, film.kinds()) == (("8S",), [])


@pytest.mark.parametrize(
    ("at", "kind"),
    [
        ((spot(1)[0] - 42.0, spot(1)[1]), "place"),  # between box 1 and 2
        (spot(3), "place"),  # nobody bets there
        ((525.0, 160.0), "place"),  # on the insurance line
        (dealers(0), "order"),
    ],
)
def test_a_card_that_lies_where_none_is_due_is_asked(film, at, kind):
    film.do("bet", player="Ann", amount=100)
    film.lay("8S", at)
    assert (film.kinds(), film.played) == ([kind], [])


def test_a_card_in_a_pile_means_nothing(film):
    film.do("bet", player="Ann", amount=100)
    film.lay("8S", (940.0, 80.0))
    assert (film.kinds(), film.played) == ([], [])


def test_a_card_before_anybody_has_bet_is_asked(film):
    film.lay("8S", spot(1))
    assert film.kinds() == ["early"]


def test_a_card_that_was_not_to_count_is_asked_about_again_where_it_is_moved_to(film):
    """A hasty dealer dismisses a misplaced hit, then moves it to its place."""
    dealt(film)
    card = film.lay("2H", spot(5))
    film.answer("aside")
    assert film.kinds() == []
    film.move(card, spot(1, 0, 2))
    assert film.kinds() == ["moved"]
    assert film.text() == (
        "Two of Hearts was not to count, but lies elsewhere now. Take it off, or say that it counts."
    )
    film.answer("count")
    assert (film.state.boxes[0].hands[0].cards, film.kinds()) == (("8S", "3D", "2H"), [])


def test_a_second_card_beside_the_first_is_laid_on_it(film):
    film.do("bet", player="Ann", amount=100)
    film.lay("8S", spot(1))
    film.lay("5C", dealers(0))
    card = film.lay("3D", spot(1, 1))
    assert film.kinds() == ["place"]
    film.move(card, spot(1, 0, 1))
    assert last(film)["card"] == "3D"


@pytest.mark.parametrize(
    ("more", "kind"),
    [
        ({"status": "forged", "deck": "K7QX"}, "forged"),
        ({"status": "foreign", "deck": "ZZZZ"}, "foreign"),
        ({"deck": "AC4D"}, "other-deck"),
        ({"status": "tag"}, "unsure"),
        ({"disputed": "9S"}, "conflict"),
        ({"found": "return"}, "found"),
    ],
)
def test_a_card_that_is_not_sure_is_asked(more, kind):
    film = Film(settings=CardSettings(shoe=("K7QX",)))
    film.do("bet", player="Ann", amount=100)
    film.lay("8S", spot(1), **more)
    assert (film.kinds(), film.played) == ([kind], [])


def test_a_card_that_was_taken_away_is_not_asked_about_where_another_is_laid_then(film):
    film.do("bet", player="Ann", amount=100)
    film.do("bet", player="Bo", amount=100)
    wrong = film.lay("8S", spot(1), status="forged")
    film.change(wrong, where="hidden", is_absent=True)
    assert film.kinds() == []
    right = film.lay("9S", spot(1))
    film.change(wrong, where="covered", cover=right, is_under=True)
    film.lay("TS", spot(2))
    assert (film.kinds(), [one["card"] for one in film.played]) == ([], ["9S", "TS"])
    film.change(wrong, where="open", is_absent=False)
    assert film.kinds() == ["forged"]


def test_a_joker_is_not_dealt(film):
    film.do("bet", player="Ann", amount=100)
    film.lay("JKR", spot(1))
    assert film.kinds() == ["unknown"]


def test_a_card_that_the_shoe_has_no_more_of_is_asked():
    film = Film(options={"decks": 1})
    film.deal({"Ann": ("8S", "3D")}, "5C")
    film.lay("5C", spot(1, 0, 2), deck="QX4K")
    assert film.kinds() == ["refused"]


def test_a_duplicate_is_asked(film):
    film.do("bet", player="Ann", amount=100)
    first = film.lay("8S", spot(1))
    film.lay("5C", dealers(0))
    film.lay("8S", spot(1, 0, 1), twin_of=first)
    assert film.kinds() == ["duplicate"]


def test_the_dealers_first_card_that_cannot_be_read_is_not_taken_for_the_face_down_card(film):
    alone(film).lay("8S", spot(1))
    first = film.lay(None, dealers(0))
    assert (film.kinds(), film.state.has_hole) == (["unreadable"], False)
    film.change(first, id="5C", status="ok", deck="K7QX")
    assert (film.kinds(), film.state.dealer) == ([], ("5C",))


def test_the_dealer_says_that_the_first_card_was_dealt_face_down(film):
    alone(film).lay("8S", spot(1))
    film.lay(None, dealers(0))
    film.answer("hole")
    assert film.kinds() == []
    film.lay("5C", dealers(1))
    assert (film.kinds(), film.state.has_hole, film.state.dealer) == ([], True, ("5C",))


def test_a_card_face_down_in_a_box_is_asked(film):
    film.do("bet", player="Ann", amount=100)
    film.lay(None, spot(1))
    assert (film.kinds(), film.played) == (["unreadable"], [])


def test_a_hole_card_that_is_flashed_is_never_named(film):
    dealt(film)
    film.take(film.hole)
    open_card = film.lay("QS", dealers(1))
    (question,) = film.questions
    assert (question.kind, question.card) == ("flashed", None)
    assert "Queen" not in str(question.text)
    film.take(open_card)
    film.hole = film.lay(None, dealers(1))
    assert (film.kinds(), film.state.dealer) == ([], ("5C",))


def test_a_card_for_the_next_box_asks_whether_the_one_before_stands(film):
    dealt(film)
    film.lay("2H", spot(2, 0, 2))
    assert film.kinds() == ["turn"]
    film.answer("stand")
    assert film.state.boxes[1].hands[0].cards == ("KD", "5D", "2H")


def test_a_card_for_a_box_that_has_decided_is_asked_without_a_way_to_count(film):
    dealt(film)
    film.do("stand")
    film.lay("2H", spot(1, 0, 2))
    assert film.kinds() == ["turn"]
    assert film.text() == "Two of Hearts lies on another hand, but Bo decides. Put it there."
    assert [choice.id for choice in film.questions[0].choices] == ["aside"]


def test_the_hole_card_is_turned_and_the_dealer_draws(film):
    dealt(film)
    film.do("stand")
    film.do("stand")
    film.turn("QS")
    assert last(film) == {"do": "reveal", "card": "QS"}
    film.lay("2C", dealers(2))
    assert last(film) == {"do": "dealer-hit", "card": "2C"}
    assert film.state.decided is not None


def test_a_drawn_card_beside_the_hole_card_is_asked(film):
    dealt(film)
    film.do("stand")
    film.do("stand")
    film.lay("2C", dealers(2))
    assert (film.kinds(), last(film)["do"]) == (["hole"], "hole")


def test_two_draws_at_once_ask_which_came_first(film):
    dealt(film)
    film.do("stand")
    film.do("stand")
    film.turn("2S")
    film.lay("3C", dealers(2), wait=False)
    film.lay("4C", dealers(3))
    assert film.kinds() == ["order"]
    film.answer("4C")
    assert film.state.dealer == ("5C", "2S", "4C", "3C")


def test_cards_of_the_last_round_wait_to_be_taken_off(film):
    decided(film)
    assert film.state.phase.value == "betting"
    film.do("bet", player="Ann", amount=100)
    assert film.kinds() == []
    film.lay("9C", spot(1, 1))
    assert "gather" in film.kinds()
    assert film.state.phase.value == "betting"


def test_the_next_round_begins_on_a_bare_mat(film):
    decided(film)
    film.clear()
    dealt(film, ("2S", "2D"), ("4S", "4D"), "9H")
    assert (film.state.turn, film.kinds()) == ("Ann", [])


def test_what_was_undone_does_not_count_again_by_itself(film):
    dealt(film)
    film.lay("2H", spot(1, 0, 2))
    film.do("undo")
    assert film.kinds() == ["undone"]
    film.answer("count")
    assert (film.state.boxes[0].hands[0].cards, film.kinds()) == (("8S", "3D", "2H"), [])


def test_a_hole_card_that_was_undone_does_not_count_again_by_itself(film):
    """Otherwise nothing before it could be undone."""
    dealt(film)
    film.do("undo")
    assert (film.state.has_hole, film.kinds()) == (False, ["undone"])
    film.do("undo")
    assert (film.state.boxes[1].hands[0].cards, film.kinds()) == (("KD",), ["undone", "undone"])
    film.do("redo")
    film.do("redo")
    assert (film.state.turn, film.kinds()) == ("Ann", [])


def test_a_decision_that_was_undone_is_asked_again(film):
    decided(film)
    assert film.state.phase.value == "betting"
    film.do("undo")
    assert film.kinds() == ["undone"]
    film.answer("count")
    assert film.state.decided is not None


def test_a_decision_that_was_undone_is_asked_again_though_as_many_commands_count(film):
    """The wrong card is undone and the right one entered before the next picture: not a new round."""
    decided(film)
    film.table.do({"do": "undo"})
    film.do("dealer-hit", card="AH")
    assert (film.state.phase.value, film.kinds()) == ("dealer", ["undone"])
    film.answer("count")
    assert film.state.decided.dealer == ("5C", "TS", "AH", "TC")


def test_a_round_that_was_decided_anew_is_over(film):
    """Undone and decided by another card before the next picture: all its cards are leftovers."""
    decided(film)
    film.table.do({"do": "undo"})
    film.do("dealer-hit", card="9C")
    film.do("bet", player="Ann", amount=100)
    assert (film.state.phase.value, film.kinds()) == ("betting", [])
    count = len(film.played)
    film.lay("7H", spot(1))
    assert (len(film.played), film.kinds()) == (count, ["gather"])


def test_a_card_entered_by_hand_is_found_on_the_mat(film):
    dealt(film)
    film.table.do({"do": "hit", "card": "2H"})
    film.lay("2H", spot(1, 0, 2))
    assert (film.kinds(), last(film)["do"]) == ([], "hole")


def test_a_card_that_counted_and_was_taken_away_is_asked(film):
    dealt(film)
    film.take(next(track for track, card in film.cards.items() if card.id == "3D"))
    film.wait(4)
    assert film.kinds() == ["vanished"]
    film.answer("leave")
    assert film.kinds() == []


def test_a_card_that_counted_and_lies_in_another_box_is_asked(film):
    dealt(film)
    film.move(next(track for track, card in film.cards.items() if card.id == "3D"), spot(2, 1, 2))
    film.wait(4)
    assert "vanished" in film.kinds()
    assert len(film.played) == 6


def test_a_card_that_may_hide_another_waits_until_that_is_seen(film):
    dealt(film)
    hidden = next(track for track, card in film.cards.items() if card.id == "3D")
    film.cards[hidden] = film.cards[hidden].__class__(**{
        **{name: getattr(film.cards[hidden], name) for name in film.cards[hidden].__dataclass_fields__},
        "where": "covered", "is_under": True, "buried_s": 2.0,
    })  # fmt: skip
    film.lay("2H", (spot(1)[0], spot(1)[1] + 1.2 * DOWN))
    assert (film.kinds(), last(film)["do"]) == (["covered"], "hole")
    film.change(hidden, where="open", is_under=False, buried_s=0.0)
    assert last(film)["do"] == "hit"


def test_nothing_is_read_while_the_table_is_on_hold(film):
    film.do("bet", player="Ann", amount=100)
    film.do("hold")
    film.lay("8S", spot(1))
    assert (film.kinds(), film.played) == ([], [])


def test_cards_of_a_round_are_none_of_the_next_one_however_fast_that_begins(film):
    """It begins by hand before the next picture: not to be confused with an undone decision."""
    film.deal({"Ann": ("TS", "9D")}, "TC")
    film.do("stand")
    count = len(film.played)
    for record in (
        {"do": "reveal", "card": "9S"},
        {"do": "bet", "player": "Ann", "amount": 100},
        {"do": "deal", "to": "dealer", "card": "2S"},
    ):
        film.table.do(record)
    film.wait(6)
    assert (len(film.played), film.state.boxes[0].hands[0].cards) == (count, ())
    assert film.kinds() == []
    film.clear()
    film.lay("2S", dealers(0))
    film.lay("3S", spot(1))
    assert (film.state.boxes[0].hands[0].cards, film.kinds()) == (("3S",), [])


def alone(film: Film) -> Film:
    """A film in which only Ann has bet."""
    film.do("bet", player="Ann", amount=100)
    return film


def test_a_first_card_that_was_entered_wrongly_does_not_lie_there_as_the_second(film):
    alone(film).do("deal", to="Ann", card="8H")
    film.lay("8S", spot(1))
    assert film.kinds() == ["order"]
    film.lay("5C", dealers(0))
    assert (film.state.boxes[0].hands[0].cards, film.kinds()) == (("8H",), ["covered"])
    assert film.text() == (
        "Eight of Spades lies where another card should be seen that counts. "
        "Show that one, or say that this counts, too."
    )


def test_a_dealers_card_that_was_entered_wrongly_is_not_turned_as_the_hole_card(film):
    alone(film).lay("8S", spot(1))
    film.do("deal", to="dealer", card="5C")
    film.lay("5D", dealers(0))
    film.lay("9S", spot(1, 0, 1))
    film.hole = film.lay(None, dealers(1))
    film.do("stand")
    assert film.kinds() == ["hole"]
    film.turn("TS")
    assert (film.state.dealer, film.kinds()) == (("5C",), ["covered", "covered"])


def test_two_first_cards_that_change_places_are_no_second_cards(film):
    film.do("bet", player="Bo", amount=100)
    alone(film)
    tracks = film.lay("8S", spot(1)), film.lay("KD", spot(2))
    film.lay("5C", dealers(0))
    for track in tracks:
        del film.cards[track]
    film.lay("KD", spot(1), wait=False)
    film.lay("8S", spot(2))
    film.wait()
    assert [box.hands[0].cards for box in film.state.boxes] == [("8S",), ("KD",)]
    assert film.kinds() == ["again", "order", "vanished", "vanished"]


def test_a_card_like_one_that_was_left_lying_counts_once(film):
    """Two decks; the dealer has confirmed that the old cards are gone."""
    decided(film)
    old = next(track for track, card in film.cards.items() if card.id == "8S")
    film.cards = {old: film.cards[old]}
    film.wait(11)
    alone(film)
    film.lay("8S", (spot(1)[0] + 4, spot(1)[1] + DOWN), deck="AC4D")
    film.answer("aside")
    film.lay("6C", dealers(0))
    assert (film.state.boxes[0].hands[0].cards, film.kinds()) == (("8S",), [])


def test_a_card_of_the_last_round_that_shows_once_more_while_it_is_gathered_is_not_dealt(film):
    decided(film)
    film.cards.clear()
    film.wait(2)
    alone(film)
    film.lay("8S", spot(1))
    assert film.state.boxes[0].hands[0].cards == ()
    film.lay("7H", spot(1, 0, 1))
    assert (film.state.boxes[0].hands[0].cards, film.kinds()) == ((), ["gather"])
    film.clear()
    film.lay("8S", spot(1))
    assert film.state.boxes[0].hands[0].cards == ("8S",)


def test_of_two_equal_cards_each_belongs_to_the_hand_it_lies_on(film):
    """Two decks, after a split: the first hand's card has the later arrival, since it was picked up and laid back."""
    alone(film).do("deal", to="Ann", card="5D")
    first = film.lay("5D", spot(1))
    film.lay("TC", dealers(0))
    second = film.lay("5D", spot(1, 0, 1), deck="AC4D")
    film.lay(None, dealers(1))
    film.move(second, spot(1, 1))
    film.lay("8H", spot(1, 0, 1))
    film.take(first)
    film.lay("5D", spot(1))
    film.lay("2S", spot(1, 0, 2))
    assert [hand.cards for hand in film.state.boxes[0].hands] == [("5D", "8H", "2S"), ("5D",)]


def test_a_card_of_a_lost_hand_that_shows_once_more_while_it_is_taken_off_is_no_hit(film):
    """The dealer removes it across the next box; the shoe has another card like it."""
    dealt(film, ("8S", "TD"))
    film.lay("9D", spot(1, 0, 2))
    film.take(*(track for track, card in film.cards.items() if card.zone == "box/1"))
    film.wait()
    assert (film.state.turn, film.kinds()) == ("Bo", [])
    shown = film.lay("9D", spot(2, 0, 2))
    assert film.kinds() == ["again"]
    assert film.text() == (
        "Nine of Diamonds has counted in this round, and shows once more. Take it off, or say that it counts."
    )
    film.take(shown)
    film.lay("9D", spot(2, 0, 2), deck="AC4D")
    assert last(film) == {"do": "hit", "player": "Bo", "card": "9D"}


def test_a_card_like_the_one_below_is_drawn(film):
    """It covers the whole hand, and the other one only a part."""
    dealt(film, ("TS", "5S"))
    film.lay("TS", (spot(1)[0], spot(1)[1] + 1.5 * DOWN), deck="AC4D")
    assert (last(film), film.kinds()) == ({"do": "hit", "player": "Ann", "card": "TS"}, [])
