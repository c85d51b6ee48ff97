"""Parts of the interpreter: predicted moves, how a card was laid, evidence from tokens."""

from dataclasses import replace

import pytest
from rochi_hands import card, middle, rochi, token

from companion.games.rochi.camera.decision import decide
from companion.games.rochi.camera.hypotheses import Evidence, Token, hypotheses_for
from companion.games.rochi.camera.pieces import Piece
from companion.games.rochi.camera.tokens import seat_in, thrown, tokens_seen
from companion.games.rochi.camera.trace import Trace, trace_of
from companion.kernel.commands import Record
from companion.tracking.cards.observations import MotionLog, Movement, TrackedTable
from companion.tracking.cards.sight import marks_of


def piece(id_, zone="stack/6", *, arm=None, from_deck=None, t=20.0):
    lying = card(id_, zone, track=7, t=t)
    return Piece(lying, Trace(t, arm, from_deck))


def reach(seat, *spots):
    """A hand over zones: (time, zone)."""
    return MotionLog(tuple(Movement(t, seat, ((zone, 0.5),), middle(zone)) for t, zone in spots), spots[-1][0])


# ---- foretold


@pytest.mark.parametrize("commands", [
    [("play", "6N1"), ("deal", "4D1")], [("deal", "4D1"), ("play", "6N1")], [("play", "6N1"), ("end", None)],
    [("deal", "3D1"), ("end", None), ("deal", "3D2"), ("end", None)],
])  # fmt: skip
def test_what_is_foretold_is_what_the_rules_make_of_it(hand, commands):
    """Suits, owners, turn and places after each move equal those in the rules' own view."""
    game = hand.game
    for verb, id_ in commands:
        record: Record = {"do": verb} if id_ is None else {"do": verb, "card": id_}
        game = game.after(record)
        hand.tell(record)
        real = hand.game
        assert (game.suits, game.turn, game.places, game.left) == (real.suits, real.turn, real.places, real.left)
        assert (game.has_played, game.has_dealt) == (real.has_played, real.has_dealt)


def test_a_deal_that_cuts_decides_the_hand(hand):
    for record in (("play", "4D1"), ("deal", "4D2")):
        hand.tell({"do": record[0], "card": record[1]})
    for record in ({"do": "deal", "card": "4D3"}, {"do": "end"}):
        hand.tell(record)
    assert hand.game.after({"do": "deal", "card": "4N1"}) is None
    assert hand.game.place_for("play", "4N1") == "seat/1"


def test_an_unclaimed_suit_that_is_cut_is_locked(seeding):
    seeding.seed("2D1", "7D1", "7D2", "6D1")
    after = seeding.game.after({"do": "deal", "card": "2D2"})
    assert after.suits[2].is_locked
    assert after.place_for("play", "2N1") == "stack/2"


def test_a_fold_gives_suits_back(hand):
    hand.tell({"do": "play", "card": "6N1"})
    hand.tell({"do": "end"})
    for id_ in ("2D1", "3D1", "4D1"):
        hand.tell({"do": "deal", "card": id_})
        hand.tell({"do": "end"})
    assert hand.game.suits[6].owner == "Aubrey"
    assert hand.game.after({"do": "fold"}).suits[6].owner is None


# ---- how it was laid


def test_a_hand_that_stayed_at_the_deck_dealt():
    motion = reach(2, (9.0, "seat/2"), (9.6, "deck"), (9.7, "deck"), (9.9, "deck"), (10.3, "stack/6"))
    assert trace_of(card("6N1", "stack/6", t=10.3), motion, 0.0) == Trace(10.3, 2, True)


def test_a_hand_that_only_passed_the_deck_may_not_have():
    motion = reach(2, (9.0, "seat/2"), (9.7, "deck"), (10.3, "stack/6"))
    assert trace_of(card("6N1", "stack/6", t=10.3), motion, 0.0).from_deck is None


def test_a_hand_that_went_away_from_the_deck_may_bring_another_card():
    """Who dealt the hands, sat back and then laid a card from the hand was at the deck not long ago."""
    motion = reach(2, (8.0, "deck"), (8.3, "deck"), (9.9, "seat/2"), (10.3, "stack/6"))
    assert trace_of(card("6N1", "stack/6", t=10.3), motion, 0.0).from_deck is None


def test_a_hand_that_never_was_at_the_deck_played():
    motion = reach(2, (8.0, "seat/2"), (9.0, "seat/2"), (10.3, "stack/6"))
    assert trace_of(card("6N1", "stack/6", t=10.3), motion, 0.0).from_deck is False


def test_what_moved_for_the_card_before_says_nothing_of_this_one():
    motion = reach(2, (9.0, "deck"), (9.3, "deck"), (9.6, "stack/6"))
    assert trace_of(card("6N1", "stack/6", t=10.3), motion, 9.8) == Trace(10.3)


def test_a_card_that_nobody_was_seen_to_lay():
    assert trace_of(card("6N1", None, t=10.3), MotionLog(), 0.0) == Trace(10.3, None, None)


# ---- hypotheses


def test_both_verbs_and_the_next_player_are_thought_of(hand):
    hand.tell({"do": "deal", "card": "4D1"})
    told = {
        tuple((a.verb, a.player.name) for a in s.acts) for s in hypotheses_for(hand.game, [piece("6N1")], Evidence())
    }
    assert (("play", "Aubrey"),) in told
    assert (("end", "Aubrey"), ("play", "Benedict")) in told
    assert (("deal", "Aubrey"),) not in told


@pytest.mark.parametrize(("arm", "from_deck", "at", "first"), [
    (1, False, 1, ("play", "Aubrey")), (1, True, 0, ("deal", "Aubrey")), (1, None, 1, ("play", "Aubrey")),
])  # fmt: skip
def test_arm_deck_and_token_tell_the_story(hand, arm, from_deck, at, first):
    seen = Evidence({6: Token(at, 21.0)}, waited_s={7: 3.0})
    assert hypotheses_for(hand.game, [piece("6N1", arm=arm, from_deck=from_deck)], seen)[0].first == first


def test_a_token_that_may_still_move_is_waited_for(hand):
    lone = piece("6N1", arm=1)
    soon = decide(hand.game, [lone], Evidence({6: Token(0, 0.0)}, waited_s={7: 0.2}), 20.4)
    later = decide(hand.game, [lone], Evidence({6: Token(0, 0.0)}, waited_s={7: 3.0}), 23.4)
    assert soon.record is None
    assert soon.waits_for == "Kin night 1: played or dealt?"
    assert later.record == {"do": "deal", "card": "6N1"}


def test_a_card_nobody_may_lay_now_is_told(seeding):
    seeding.do("seed", card="7D1")
    decision = decide(seeding.game, [piece("6N1")], Evidence(), 30.0)
    assert decision.record is None
    asked = decision.asks[0].question
    assert asked.kind == "out-of-turn"
    undo = next(choice.command for choice in asked.choices if choice.id == "undo")
    assert undo == seeding.game.undo
    assert undo["only"]["number"] == seeding.view["commands"] > 0


# ---- tokens


@pytest.mark.parametrize(("zone", "seat"), [("seat/3", 3), ("pot/6", 0), ("stack/6", 0), ("deck", None), (None, None)])
def test_a_token_is_before_a_seat_at_the_centre_or_nowhere(zone, seat):
    assert seat_in(token("T6", zone)) == seat


def test_without_a_mat_a_token_that_moved_went_to_the_player(hand):
    tracked = TrackedTable(30.0, tokens=(token("T6", None, t=25.0, way=3.0), token("T5", None, t=2.0)))
    found = tokens_seen(tracked, hand.game, since=20.0)
    assert (found[6].seat, found[5].seat) == (1, 0)


def test_tokens_at_the_centre_are_a_hand_thrown_in(hand):
    hand.tell({"do": "play", "card": "6N1"})
    hand.tell({"do": "end"})
    for _ in range(3):
        hand.tell({"do": "deal", "card": f"7D{2 + _}"})
        hand.tell({"do": "end"})
    tracked = TrackedTable(30.0, tokens=(token("T6", "pot/6"),), mat="rochi")
    assert thrown(tracked, hand.game, 20.0) == {1}
    assert thrown(TrackedTable(30.0, tokens=(token("T6", "seat/1"),), mat="rochi"), hand.game, 20.0) == frozenset()


# ---- what is drawn


def test_cards_that_are_asked_about_are_marked(hand):
    hand.play("6N1", by=1, to="stack/7")
    hand.run(1)
    outline = ((0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0))
    lying = [card(c.id, c.zone, track=c.track, outline=outline) for c in hand.cards.values()]
    marks = {mark.label: mark.kind for mark in marks_of(TrackedTable(1.0, tuple(lying)), (), hand.questions)}
    assert marks["6N1 wrong-stack?"] == "asked"


def test_only_what_is_seen_there_now_is_drawn(hand):
    """Cards that are swept off the table leave no frames behind on the bare felt."""
    outline = ((0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0))
    lying = tuple(replace(card("6N1", None, outline=outline), where=where) for where in ("open", "covered", "hidden"))
    assert len(marks_of(TrackedTable(1.0, lying), (), ())) == 1
    assert marks_of(TrackedTable(1.0, lying[1:]), (), ()) == ()


def test_what_it_waits_for_is_reported(hand):
    hand.lay("6N1", "stack/6", by=1, wait=0.2)
    assert hand.interpreter.report()["waits_for"] == "Kin night 1: played or dealt?"


def test_three_players_foretell_the_turn_round_the_table():
    game = rochi(3).game
    assert game.at_seat(1) == "Aubrey"
    assert game.seat_of("Celia") == 3
    assert game.seat_of("Nobody") is None
