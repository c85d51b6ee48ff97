"""Hold'em's interpreter: unambiguous cards become commands, all others questions."""

import logging
from dataclasses import replace

import pytest
from cards_on_mat import lying
from holdem_mat import FLOP, Mat

from companion.games.holdem.printed.mat import HOLDEM_MAT
from companion.objects.chips import CHIPS
from companion.plugins.perception import CardSettings
from companion.tracking.cards.observations import TrackedTable
from companion.tracking.cards.sight import marks_of
from companion.tracking.chips import TrackedChip


@pytest.fixture
def mat():
    return Mat()


# ---- commands


def test_two_cards_face_down_are_a_hand_in_the_order_of_the_deal(mat):
    mat.post()
    for place in (0, 1):
        for seat in (3, 2, 1):
            mat.lay(f"back{seat}{place}", f"seat/{seat}", place)
        mat.look()
    assert [record["player"] for record in mat.given] == ["Ann", "Bo", "Cy"]
    assert all(set(record) == {"do", "player"} for record in mat.given), "no card is told"
    assert (mat.phase, mat.kinds) == ("preflop", [])


def test_one_card_each_is_no_hand_yet_and_is_asked_about_after_a_while(mat):
    mat.post()
    for seat in (1, 2, 3):
        mat.lay(f"back{seat}", f"seat/{seat}")
    mat.hand_at("deck")
    mat.look(1.5)
    assert (mat.given, mat.kinds) == ([], [])
    mat.look(4.0)
    assert mat.said("unsure") == "Only one card is seen at Ann's place. Are there two?"
    mat.answer("unsure", "yes")
    assert mat.state.turn == "Bo"


def test_flop_turn_and_river_are_laid_as_they_lie_from_left_to_right(mat):
    mat.to_board()
    for place, card in ((2, "2C"), (0, "AS"), (1, "KD")):
        assert mat.given == []
        mat.lay(card, "board", place)
        mat.look()
    mat.checks()
    mat.lay("7H", "board", 3)
    mat.look()
    mat.checks()
    mat.lay("9C", "board", 4)
    mat.look()
    assert [record["cards"] for record in mat.given] == [["AS", "KD", "2C"], ["7H"], ["9C"]]
    assert (mat.phase, mat.kinds) == ("river", [])


def test_hands_are_read_at_their_places_in_the_order_of_the_showdown(mat):
    mat.to_showdown()
    for place, card in enumerate(("QS", "QD")):
        mat.lay(card, "seat/2", place)
    mat.look()
    assert (mat.given, mat.state.turn) == ([], "Ann")
    for place, card in enumerate(("AD", "AH")):
        mat.lay(card, "seat/1", place)
    mat.look()
    assert [(record["player"], record["cards"]) for record in mat.given] == [
        ("Ann", ["AD", "AH"]),
        ("Bo", ["QS", "QD"]),
    ]
    assert (mat.state.turn, mat.kinds) == ("Cy", [])


def test_hands_turned_up_when_all_are_in_are_tabled_before_the_board_lies():
    mat = Mat(players=2)
    mat.post()
    mat.holes()
    mat.do("all-in")
    mat.do("call")
    mat.lay("AD", "seat/1")
    mat.look()
    assert (mat.given, mat.kinds) == ([], ["half"])
    mat.lay("AH", "seat/1", 1)
    for place, card in enumerate(("QS", "QD")):
        mat.lay(card, "seat/2", place)
    mat.look()
    assert sorted(mat.given, key=lambda record: record["player"]) == [
        {"do": "table", "player": "Ann", "cards": ["AD", "AH"]},
        {"do": "table", "player": "Bo", "cards": ["QS", "QD"]},
    ]
    assert (mat.phase, mat.kinds) == ("deal-flop", [])
    mat.do("undo")
    mat.look()
    assert (len(mat.given), mat.kinds) == (2, ["undone"]), "what was taken back counts again when the dealer says so"
    mat.given.clear()
    mat.answer("undone", "count")
    for place, card in enumerate(("3S", "KD", "2C")):
        mat.lay(card, "board", place)
    mat.look()
    mat.lay("7H", "board", 3)
    mat.look()
    mat.lay("9C", "board", 4)
    mat.look()
    assert [record["do"] for record in mat.given] == ["table", "board", "board", "board"]
    assert mat.table.situation().ledger.balance("Ann") == 2000


def test_a_hand_over_the_board_is_waited_for(mat):
    mat.to_board()
    for place, card in enumerate(FLOP):
        mat.lay(card, "board", place)
    mat.t += 1.8
    mat.hand_at("board")
    mat.look(0.2)
    assert mat.given == []
    mat.look(0.6)
    assert len(mat.given) == 1


def test_nothing_is_read_on_another_mat_or_while_the_table_is_held(mat):
    mat.to_board()
    for place, card in enumerate(FLOP):
        mat.lay(card, "board", place)
    mat.t += 3.0
    held = mat.table.situation()
    assert mat.eyes.interpret(replace(mat.tracked(), mat="roche"), held, {}).command is None
    assert mat.eyes.interpret(mat.tracked(), replace(held, hold="a quarrel"), {}).command is None


def test_cards_face_down_are_outlined_in_the_picture_and_no_reproach():
    back = lying(1, None, (100.0, 100.0))
    for has_backs, shown in ((True, ("", "seen")), (False, ("unreadable", "stranger"))):
        (mark,) = marks_of(TrackedTable(1.0, (back,)), (), (), has_backs=has_backs)
        assert (mark.label, mark.kind) == shown


# ---- questions about the deal


def test_cards_from_before_the_hand_are_asked_about_and_may_be_its_deal(mat):
    mat.lay("back1", "seat/1")
    mat.lay("back2", "seat/1", 1)
    mat.look()
    mat.post()
    assert (mat.kinds, mat.given) == (["gather"], [])
    mat.answer("gather", "count")
    assert ([record["player"] for record in mat.given], mat.kinds) == (["Ann"], [])


def test_a_third_card_at_a_place_stops_the_deal_until_it_is_taken_back(mat):
    mat.post()
    for place in (0, 1):
        mat.lay(f"back{place}", "seat/1", place, aside=(-3.0, 0.0))
    mat.lay("back9", "seat/1", 1, aside=(4.0, 20.0))
    mat.look()
    assert (mat.kinds, mat.given) == (["misdeal"], [])
    mat.take("back9")
    mat.look()
    assert (mat.kinds, mat.state.turn) == ([], "Bo")


def test_a_card_at_a_place_without_a_player_is_asked_about(mat):
    mat.post()
    mat.lay("back", "seat/7")
    mat.look()
    assert mat.said("nobody").startswith("A card lies at place 7")


@pytest.mark.parametrize("where", ["seat/2", "burn", "muck"])
def test_a_card_that_lies_open_too_early_is_asked_about_and_never_named(mat, where, caplog):
    caplog.set_level(logging.DEBUG)
    mat.post()
    mat.lay("KD", where)
    mat.look()
    assert (mat.kinds, mat.given) == (["exposed"], [])
    (question,) = mat.questions
    told = f"{question} {caplog.text} {mat.table.view()}"
    assert not any(name in told for name in ("KD", "K♦", "King")), told
    assert question.blocks
    mat.take("KD")
    mat.lay("back", where)
    mat.look()
    assert mat.kinds == []


def test_a_card_turned_over_where_it_lay_is_one_card(mat):
    mat.post()
    mat.lay("KD", "seat/1")
    mat.look()
    mat.cards["KD"] = replace(mat.cards["KD"], where="covered", is_under=True, cover=99)
    for place in (0, 1):
        mat.lay(f"back{place}", "seat/1", place)
    mat.look()
    assert ([record["player"] for record in mat.given], mat.kinds) == (["Ann"], [])


def test_who_left_an_open_card_shows_it_with_the_other_at_the_showdown(mat):
    mat.post()
    mat.holes()
    mat.lay("KD", "seat/1")
    mat.look()
    mat.answer("exposed", "leave")
    mat.checks()
    mat.table.do({"do": "board", "cards": ["AS", "3D", "2C"]})
    for cards in (["7H"], ["9C"]):
        mat.checks()
        mat.table.do({"do": "board", "cards": cards})
    mat.checks()
    mat.lay("KH", "seat/1", 1)
    mat.look()
    assert mat.given == [{"do": "show", "player": "Ann", "cards": ["KD", "KH"]}]


# ---- questions about the board


def test_a_board_card_that_comes_before_the_betting_is_over_is_asked_about(mat):
    mat.post()
    mat.holes()
    mat.lay("AS", "board")
    mat.look()
    assert mat.said("early") == "On the board before the betting was over: A♠. Take that away."
    mat.checks()
    mat.look(0.1)
    assert mat.said("early") == "On the board before the betting was over: A♠. Take that away, or say that it counts."
    for place, card in enumerate(("KD", "2C"), start=1):
        mat.lay(card, "board", place)
    mat.look()
    assert (mat.given, mat.kinds) == ([], ["early"])
    mat.answer("early", "count")
    assert [record["cards"] for record in mat.given] == [["AS", "KD", "2C"]]


def to_turn(mat):
    """Play until the turn is due, with the flop on the board."""
    mat.to_board()
    for place, card in enumerate(FLOP):
        mat.lay(card, "board", place)
    mat.look()
    mat.checks()


def test_a_board_card_that_was_changed_for_another_is_asked_about(mat):
    """The dealer forgot to burn and corrects both cards; the camera must not continue with the first."""
    to_turn(mat)
    mat.lay("7H", "board", 3)
    mat.look()
    mat.take("7H")
    mat.lay("9C", "board", 3)
    mat.look()
    mat.look()
    assert mat.said("vanished") == "Not seen on the board, where it counts: 7♥. Lay it back, or undo it."
    mat.checks()
    mat.answer("early", "aside")
    mat.lay("2D", "board", 4)
    mat.look()
    assert (mat.kinds, mat.state.board) == (["vanished"], (*FLOP, "7H"))
    mat.answer("vanished", "leave")
    assert (mat.kinds, mat.state.board) == ([], (*FLOP, "7H", "2D"))


def test_a_board_card_that_somebody_takes_to_a_hand_is_asked_about(mat):
    to_turn(mat)
    mat.take("AS")
    mat.lay("AS", "seat/2")
    mat.look()
    mat.look()
    assert mat.said("vanished") == "Not seen on the board, where it counts: A♠. Lay it back, or undo it."
    assert mat.ways("vanished") == ["It is all right; it counts"]  # an undo would revert another step


def test_the_street_with_a_board_card_that_is_missing_is_undone_by_one_press(mat):
    """Previously the dealer had to find the undo."""
    mat.to_board()
    for place, card in enumerate(FLOP):
        mat.lay(card, "board", place)
    mat.look()
    mat.take("KD")
    mat.lay("KC", "board", 1)
    mat.look()
    mat.look()
    assert mat.ways("vanished") == ["It is all right; it counts", "Undo A♠ K♦ 2♣"]
    mat.answer("vanished", "undo")
    mat.look()
    assert (mat.phase, mat.state.board) == ("deal-flop", ())
    assert "vanished" not in mat.kinds


def test_a_board_card_that_was_entered_wrongly_is_asked_about(mat):
    to_turn(mat)
    mat.do("board", cards=["7D"])
    mat.lay("7H", "board", 3)
    mat.look()
    mat.look()
    assert mat.kinds == ["vanished", "early"]
    assert mat.said("vanished") == "Not seen on the board, where it counts: 7♦. Lay it back, or undo it."


def test_a_card_that_was_entered_wrongly_is_not_the_next_one_when_nobody_bets_any_more():
    mat = Mat(players=2)
    mat.post()
    mat.holes()
    mat.do("all-in")
    mat.do("call")
    mat.do("board", cards=[*FLOP])
    for place, card in enumerate(FLOP):
        mat.lay(card, "board", place)
    mat.look()
    mat.do("board", cards=["7D"])
    mat.lay("7H", "board", 3)
    mat.look(1.0)
    mat.look(2.0)
    assert (mat.phase, mat.kinds, mat.state.board) == ("deal-river", ["vanished"], (*FLOP, "7D"))
    mat.do("undo")
    mat.look()
    assert (mat.phase, mat.kinds, mat.state.board) == ("deal-river", [], (*FLOP, "7H"))


def test_a_board_card_that_was_entered_while_the_camera_was_away_is_none_of_the_next_ones(mat):
    to_turn(mat)
    mat.table.do({"do": "board", "cards": ["7H"]})
    mat.checks()
    assert mat.phase == "deal-river"
    mat.lay("7H", "board", 3, found="return")
    mat.look(20.0)
    mat.lay("2D", "board", 4)
    mat.look()
    assert (mat.kinds, mat.state.board) == ([], (*FLOP, "7H", "2D"))


def test_too_many_board_cards_are_asked_about(mat):
    mat.to_board()
    for place, card in enumerate((*FLOP, "7H")):
        mat.lay(card, "board", place)
    mat.look()
    assert (mat.given, mat.kinds) == ([], ["several"])
    mat.take("7H")
    mat.look()
    assert [record["cards"] for record in mat.given] == [list(FLOP)]


def test_a_burn_card_on_the_board_is_asked_about_and_not_counted(mat):
    mat.to_board()
    for place, card in enumerate(FLOP):
        mat.lay(card, "board", place)
    mat.lay("back", "board", 3)
    mat.look()
    assert (mat.given, mat.kinds) == ([], ["face-down"])
    mat.take("back")
    mat.lay("back", "burn")
    mat.look()
    assert len(mat.given) == 1


def test_a_card_beside_the_board_is_asked_about(mat):
    mat.to_board()
    for place, card in enumerate(("AS", "KD")):
        mat.lay(card, "board", place)
    mat.lay("2C", "board", 2, aside=(0.0, 90.0), card="2C")
    mat.cards["2C"] = lying(99, "2C", (210.0, 300.0), t=mat.t)
    mat.look()
    assert (mat.given, mat.kinds) == ([], ["beside"])


def test_a_card_twice_is_asked_about(mat):
    mat.to_board()
    for place, card in enumerate(FLOP):
        mat.lay(card, "board", place)
    mat.look()
    mat.checks()
    mat.lay("second", "board", 3, card="AS", status="ok")
    mat.look()
    assert (len(mat.given), mat.kinds) == (1, ["duplicate"])
    assert mat.said("duplicate").startswith("A♠ was seen in this hand already.")


@pytest.mark.parametrize(
    ("more", "kind"),
    [({"status": "forged", "deck": "K7QX"}, "foreign"), ({"status": "foreign", "deck": "ZZZZ"}, "foreign"),
     ({"deck": "ZZZZ"}, "foreign"), ({"status": "tag"}, "tag")],
)  # fmt: skip
def test_a_card_that_is_not_sure_is_asked_about(mat, more, kind):
    mat.to_board()
    for place, card in enumerate(("AS", "KD")):
        mat.lay(card, "board", place)
    mat.lay("2C", "board", 2, **more)
    mat.look()
    assert (mat.given, mat.kinds) == ([], [kind])
    if kind == "tag":
        mat.answer("tag", "count")
        assert [record["cards"] for record in mat.given] == [list(FLOP)]


def test_a_card_known_by_its_tags_counts_where_the_owner_wants_it_so():
    mat = Mat(settings=CardSettings(verify="relaxed"))
    mat.to_board()
    for place, card in enumerate(FLOP):
        mat.lay(card, "board", place, status="tag")
    mat.look()
    assert len(mat.given) == 1


def test_a_board_that_was_undone_counts_again_only_when_the_dealer_says_so(mat):
    mat.to_board()
    for place, card in enumerate(FLOP):
        mat.lay(card, "board", place)
    mat.look()
    mat.do("undo")
    mat.look()
    assert (len(mat.given), mat.kinds) == (1, ["undone"])
    mat.answer("undone", "count")
    assert len(mat.given) == 2


def test_a_board_that_the_dealer_has_named_is_that_which_lies_there(mat):
    mat.to_board()
    mat.do("board", cards=list(FLOP))
    for place, card in enumerate(FLOP):
        mat.lay(card, "board", place)
    mat.look()
    assert (mat.given, mat.kinds) == ([], [])


def test_a_board_that_is_undone_and_done_again_is_asked_about_no_more(mat):
    mat.to_board()
    for place, name in enumerate(FLOP):
        mat.lay(name, "board", place)
    mat.look()
    mat.do("undo")
    mat.look()
    assert mat.kinds == ["undone"]
    mat.do("redo")
    mat.look()
    assert mat.kinds == []
    mat.checks()
    mat.lay("7H", "board", 3)
    mat.look()
    assert (mat.state.board, mat.kinds) == ((*FLOP, "7H"), [])


def test_a_board_that_came_early_and_is_entered_by_hand_is_asked_about_no_more(mat):
    mat.post()
    mat.holes()
    for place, name in enumerate(FLOP):
        mat.lay(name, "board", place)
    mat.look()
    mat.checks()
    mat.look()
    assert mat.kinds == ["early"]
    mat.do("board", cards=list(FLOP))
    mat.checks()
    mat.lay("7H", "board", 3)
    mat.look()
    assert (mat.state.board, mat.kinds) == ((*FLOP, "7H"), [])


def dealt(mat):
    """Deal two cards to everybody, read by the camera."""
    mat.post()
    lay_backs(mat)
    mat.look()
    assert len(mat.given) == 3


def lay_backs(mat):
    """Lay two face-down cards for everybody."""
    for place in (0, 1):
        for seat in (3, 2, 1):
            mat.lay(f"back{seat}{place}", f"seat/{seat}", place)


def test_a_deal_that_was_undone_stays_undone_until_the_dealer_says_that_it_counts(mat):
    """The blinds were wrong: UNDO reverts one deal after the other, then the blinds."""
    dealt(mat)
    for left in ("Cy", "Bo"):
        mat.do("undo")
        mat.look()
        assert (len(mat.given), mat.state.turn, mat.kinds) == (3, left, ["gather"])
    mat.answer("gather", "count")
    mat.look()
    assert (mat.phase, mat.kinds, len(mat.given)) == ("preflop", [], 5)
    mat.do("undo")
    mat.look()
    assert (len(mat.given), mat.state.turn, mat.kinds) == (5, "Cy", ["gather"])


def test_a_deal_that_is_undone_and_done_again_is_asked_about_no_more(mat):
    dealt(mat)
    mat.do("undo")
    mat.do("undo")
    mat.look()
    mat.do("redo")
    mat.look()
    assert (mat.state.turn, mat.kinds) == ("Cy", ["gather"])
    mat.do("redo")
    mat.look()
    assert (mat.phase, mat.kinds) == ("preflop", [])
    mat.checks()
    for place, name in enumerate(FLOP):
        mat.lay(name, "board", place)
    mat.look()
    assert (mat.state.board, mat.kinds) == (FLOP, [])


@pytest.mark.parametrize("is_dealt", [False, True])
def test_cards_of_a_misdeal_are_no_deal_of_the_hand_that_begins_with_the_next_picture(mat, is_dealt):
    """The new hand has the same number. Cards not read before the misdeal do not count either."""
    if is_dealt:
        dealt(mat)
    else:
        mat.post()
        mat.do("hold")
        lay_backs(mat)
        mat.look()
        mat.table.do({"do": "release"})
    count = len(mat.given)
    for _ in range(mat.table.misdeal_length()):
        mat.table.do({"do": "undo"})
    mat.table.do({"do": "post"})
    mat.look()
    mat.look()
    assert (len(mat.given), mat.phase, mat.kinds) == (count, "hole", ["gather"])
    mat.take(*list(mat.cards))
    mat.look()
    lay_backs(mat)
    mat.look()
    assert (mat.phase, mat.kinds) == ("preflop", [])


def test_cards_that_lay_there_when_the_camera_started_are_asked_about(mat):
    mat.to_board()
    for place, card in enumerate(FLOP):
        mat.lay(card, "board", place, found="start")
    mat.look()
    assert (mat.given, mat.kinds) == ([], ["found"])


# ---- questions at the showdown


def test_a_mucked_card_that_touches_a_hand_is_asked_about(mat):
    mat.to_showdown()
    for place, card in enumerate(("AD", "AH")):
        mat.lay(card, "seat/1", place)
    mat.lay("back", "seat/1", 1, aside=(10.0, -50.0))
    mat.look()
    assert (mat.given, mat.kinds) == ([], ["touch"])
    assert mat.said("touch").startswith("A card that does not belong there touches Ann's hand.")
    mat.take("back")
    mat.look()
    assert [record["player"] for record in mat.given] == ["Ann"]


def test_a_fold_is_asked_about_when_the_cards_are_gone_to_the_muck(mat):
    mat.post()
    mat.holes()
    for place in (0, 1):
        mat.lay(f"back{place}", "seat/3", place)
    mat.look()
    assert mat.state.turn == "Cy"
    mat.take("back0", "back1")
    mat.look()
    assert mat.kinds == [], "who takes the cards up looks at them"
    for place in (0, 1):
        mat.lay(f"back{place}", "seat/3", place)
    mat.look(1.0)
    mat.take("back0", "back1")
    mat.hand_at("muck")
    mat.look()
    assert mat.said("gone") == "Cy's cards are gone to the muck. Does Cy fold?"
    mat.answer("gone", "yes")
    assert (mat.state.turn, mat.kinds) == ("Ann", [])


def test_a_muck_at_the_showdown_is_asked_about(mat):
    mat.post()
    for place in (0, 1):
        for seat in (1, 2, 3):
            mat.lay(f"back{seat}{place}", f"seat/{seat}", place)
    mat.look()
    mat.checks()
    for cards in (FLOP, ("7H",), ("9C",)):
        mat.table.do({"do": "board", "cards": list(cards)})
        mat.checks()
    mat.look()
    mat.take("back10", "back11")
    mat.hand_at("muck")
    mat.look()
    assert mat.said("gone") == "Ann's cards are gone from the place. Does Ann muck?"
    mat.answer("gone", "leave")
    assert (mat.kinds, mat.state.turn) == ([], "Ann")


def test_half_a_hand_and_three_cards_are_asked_about(mat):
    mat.to_showdown()
    mat.lay("AD", "seat/1")
    mat.look()
    assert (mat.given, mat.kinds) == ([], ["half"])
    mat.lay("AH", "seat/1", 1)
    mat.lay("QC", "seat/1", 1, aside=(5.0, 25.0))
    mat.look()
    assert (mat.given, mat.kinds) == ([], ["several"])


def test_a_hand_that_was_undone_is_asked_about(mat):
    mat.to_showdown()
    for place, card in enumerate(("AD", "AH")):
        mat.lay(card, "seat/1", place)
    mat.look()
    mat.do("undo")
    mat.look()
    assert (len(mat.given), mat.kinds) == (1, ["undone"])
    mat.answer("undone", "count")
    assert len(mat.given) == 2


def test_a_hand_that_was_entered_and_undone_is_asked_about(mat):
    mat.to_showdown()
    for place, card in enumerate(("QS", "QD")):
        mat.lay(card, "seat/1", place)
    mat.do("show", player="Ann", cards=["QS", "QD"])
    mat.look()
    mat.do("undo")
    mat.look()
    assert (mat.given, mat.state.turn, mat.kinds) == ([], "Ann", ["undone"])


def test_a_chip_after_the_betting_is_asked_about_but_not_one_that_a_caller_counts_out(mat):
    mat.to_board()
    here = HOLDEM_MAT.zones["pot/main"]
    quick = TrackedChip(1, CHIPS["C2-25"], (here.x, here.y), BOX, mat.t + 1.0, mat.t + 9.0, times=9)
    mat.look(3.0)
    mat.chips = (quick,)
    mat.look(1.0)
    assert mat.kinds == []
    mat.look(4.0)
    mat.chips = (quick, TrackedChip(2, CHIPS["C3-25"], (here.x + 40, here.y), BOX, mat.t, mat.t + 9.0, times=9))
    mat.look(1.0)
    assert mat.said("late") == "A chip of Cy came after the betting. Give it back."
    mat.chips = (quick,)
    mat.look(1.0)
    assert mat.kinds == []


BOX = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
