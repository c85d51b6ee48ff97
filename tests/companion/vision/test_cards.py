"""Grouping of codes and tags by their positions, without pixels."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.games.roche_deck.design import FULL_DECK
from companion.objects.cards import STANDARD_CARDS
from companion.objects.codes import make_code
from companion.objects.geometry import GEOMETRIES, HAND_POKER, HAND_TAROT, POKER, CardGeometry
from companion.testing import DECKS
from companion.vision.cards import identify, tag_boxes
from companion.vision.sightings import CodeSeen, TagSeen, to_quad

KEY, OTHER_KEY = b"k" * 32, b"o" * 32
KEYS = {"K7QX": KEY, "AC4D": OTHER_KEY}


class Lying:
    """A rotated card at 2 px/mm, and its readable code and tags."""

    def __init__(
        self, piece: str, x: float = 300, y: float = 300, turn: float = 0, geometry: CardGeometry = HAND_POKER
    ) -> None:
        self.piece, self.geometry = piece, geometry
        a = math.radians(turn)
        self.turn = 2 * np.array([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]])
        self.at = np.array([x, y])

    def px(self, mm: Sequence[Sequence[float]] | np.ndarray) -> np.ndarray:
        return np.array(mm, float) @ self.turn.T + self.at

    def code(self, key: bytes = KEY, deck: str = "K7QX") -> CodeSeen:
        return CodeSeen(make_code(self.piece, deck, key).text, to_quad(self.px(self.geometry.qr.corners)))

    def tags(self, number: int | None = None, which: Sequence[int] = (0, 1)) -> list[TagSeen]:
        number = DECKS.tag_of[self.piece] if number is None else number
        boxes = tag_boxes(self.geometry)
        return [TagSeen(number, to_quad(self.px(boxes[i]))) for i in which]


def test_nothing_adds_up_to_nothing() -> None:
    found = identify([], [], KEYS, DECKS)
    assert (found.cards, found.tokens, found.warnings) == ((), (), ())


@given(st.sampled_from(FULL_DECK), st.floats(0, 360), st.sampled_from(GEOMETRIES))
def test_a_card_with_code_and_tags_is_one_card(piece: str, turn: float, geometry: CardGeometry) -> None:
    card = Lying(piece, turn=turn, geometry=geometry)
    found = identify([card.code()], card.tags(), KEYS, DECKS)
    (seen,) = found.cards
    assert (seen.id, seen.deck, seen.status, seen.tags) == (piece, "K7QX", "ok", (DECKS.tag_of[piece],) * 2)
    assert seen.corners == card.code().corners
    corners = [(0, 0), (geometry.width, 0), (geometry.width, geometry.height), (0, geometry.height)]
    assert np.abs(np.array(seen.outline) - card.px(corners)).max() < 0.5
    assert found.warnings == ()


@pytest.mark.parametrize("which", [[0], [1], [0, 1]])
def test_a_card_known_by_its_tags_alone_is_not_proven(which: list[int]) -> None:
    card = Lying("6D3", turn=33)
    (seen,) = identify([], card.tags(which=which), KEYS, DECKS).cards
    assert (seen.id, seen.deck, seen.status) == ("6D3", None, "tag")
    assert seen.corners == card.tags(which=which)[0].corners
    middle = card.px([(31.5, 44)])[0]
    assert np.hypot(*(np.array(seen.center) - middle)) < 2


def test_two_tags_tell_a_tarot_card_from_two_poker_cards() -> None:
    (seen,) = identify([], Lying("6D3", geometry=HAND_TAROT).tags(), KEYS, DECKS).cards
    assert np.ptp(np.array(seen.outline), axis=0).round().tolist() == [140, 240]


@pytest.mark.parametrize("which", [[0], [1]])
def test_a_card_of_an_earlier_deck_lies_where_it_lies(which: list[int]) -> None:
    """The code is in another place on it: its own tags show where, else those of the other cards."""
    card, other = Lying("6D3", turn=70, geometry=POKER), Lying("7N1", x=800, geometry=POKER)
    for codes, tags in (
        ([card.code()], card.tags(which=which)),
        ([other.code()], [*other.tags(), *card.tags(which=which)]),
    ):
        found = identify(codes, tags, KEYS, DECKS)
        seen = next(one for one in found.cards if one.id == "6D3")
        assert np.hypot(*(np.array(seen.center) - card.px([(31.5, 44)])[0])) < 2
        assert found.warnings == ()


def test_a_tag_of_another_card_is_a_forgery_on_a_card_of_an_earlier_deck_too() -> None:
    card = Lying("6D3", geometry=POKER)
    (seen,) = identify([card.code()], card.tags(DECKS.tag_of["7N1"]), KEYS, DECKS).cards
    assert seen.status == "forged"


@pytest.mark.parametrize("which", [[0], [1]])
def test_a_tag_with_another_number_on_a_card_is_a_forgery_that_names_both(which: list[int]) -> None:
    card = Lying("6D3", turn=200)
    found = identify([card.code()], card.tags(DECKS.tag_of["7N1"], which), KEYS, DECKS)
    (seen,) = found.cards
    assert (seen.id, seen.deck, seen.status) == ("6D3", "K7QX", "forged")
    assert found.warnings == (
        "forged: one card's code says 6D3 and its corner tag says 7N1. Take the card off the table.",
    )


def test_two_tags_that_contradict_each_other_are_a_forgery() -> None:
    card = Lying("6D3")
    found = identify([], [*card.tags(which=[0]), *card.tags(DECKS.tag_of["7N1"], [1])], KEYS, DECKS)
    assert [c.status for c in found.cards] == ["forged"]
    assert "6D3 and 7N1" in found.warnings[0]


def test_a_wrong_signature_is_forged_and_an_unknown_deck_foreign() -> None:
    forged, foreign = Lying("6D3"), Lying("5N1", x=800)
    codes = [forged.code(key=b"x" * 32), foreign.code(deck="ZZZZ")]
    found = identify(codes, [*forged.tags(), *foreign.tags()], KEYS, DECKS)
    assert [(c.id, c.deck, c.status) for c in found.cards] == [("6D3", "K7QX", "forged"), ("5N1", "ZZZZ", "foreign")]
    assert [w.split(":")[0] for w in found.warnings] == ["forged", "foreign"]
    assert "6D3" in found.warnings[0]
    assert "ZZZZ" in found.warnings[1]


def test_the_same_card_twice_is_listed_twice_and_named() -> None:
    one, two = Lying("6D3"), Lying("6D3", x=700, turn=80)
    found = identify([one.code(), two.code()], [*one.tags(), *two.tags()], KEYS, DECKS)
    assert [(c.id, c.status) for c in found.cards] == [("6D3", "ok")] * 2
    assert found.warnings == ("duplicate: 6D3 lies on the table twice. Take all but one away.",)
    by_tag = identify([one.code()], [*one.tags(), *two.tags()], KEYS, DECKS)
    assert [c.status for c in by_tag.cards] == ["ok", "tag"]
    assert by_tag.warnings[0].startswith("duplicate: 6D3")


def test_two_standard_decks_may_hold_the_same_card() -> None:
    one, two = Lying("AS"), Lying("AS", x=700)
    codes = [one.code(), two.code(OTHER_KEY, "AC4D")]
    tags = [*one.tags(), *two.tags(113 + STANDARD_CARDS.index("AS"))]
    found = identify(codes, tags, KEYS, DECKS)
    assert ([c.status for c in found.cards], found.warnings) == (["ok", "ok"], ())


def test_a_copy_whose_code_is_covered_is_named_unless_it_may_be_of_a_third_deck() -> None:
    """Two stored decks have their own tags; a third one reuses those of the first."""
    one, two = Lying("AS"), Lying("AS", x=700)
    tags = [*one.tags(), *two.tags()]
    found = identify([one.code()], tags, KEYS, DECKS)
    assert [c.status for c in found.cards] == ["ok", "tag"]
    assert found.warnings == ("duplicate: AS lies on the table twice. Take all but one away.",)
    assert identify([one.code()], tags, {**KEYS, "QX4K": b"two", "L2M3": b"three"}, DECKS).warnings == ()


def test_a_code_that_is_no_cards_is_warned_of_and_is_no_card() -> None:
    square = ((0.0, 0.0), (60.0, 0.0), (60.0, 60.0), (0.0, 60.0))
    found = identify([CodeSeen("https://example.org/menu", square)], [], KEYS, DECKS)
    assert found.cards == ()
    assert found.warnings[0].startswith("no card: a QR code says 'https://example.org/menu'")


@given(st.floats(17.5, 80), st.floats(-8, 8), st.integers(2, 7))
def test_staggered_cards_never_borrow_each_others_tags(step: float, slant: float, count: int) -> None:
    """Every card shows its first tag, the last one everything, at any offset that leaves the tag visible."""
    cards = [Lying(FULL_DECK[7 * k], 300, 100 + 2 * step * k, slant * (k % 2)) for k in range(count)]
    tags = [t for card in cards[:-1] for t in card.tags(which=[0])] + cards[-1].tags()
    found = identify([cards[-1].code()], tags, KEYS, DECKS)
    assert sorted((c.id, c.status) for c in found.cards) == sorted(
        [(c.piece, "tag") for c in cards[:-1]] + [(cards[-1].piece, "ok")]
    )
    assert found.warnings == ()


def test_tokens_are_known_by_their_tag_or_by_the_code_on_their_back() -> None:
    face = TagSeen(DECKS.tag_of["T6"], ((10.0, 10.0), (42.0, 10.0), (42.0, 42.0), (10.0, 42.0)))
    back = CodeSeen(make_code("LDR", "K7QX", KEY).text, ((200.0, 10.0), (246.0, 10.0), (246.0, 56.0), (200.0, 56.0)))
    found = identify([back], [face], KEYS, DECKS)
    assert [(t.id, t.deck) for t in found.tokens] == [("LDR", "K7QX"), ("T6", None)]
    assert found.cards == ()


def test_a_forged_token_is_no_token() -> None:
    square = ((200.0, 10.0), (246.0, 10.0), (246.0, 56.0), (200.0, 56.0))
    found = identify([CodeSeen(make_code("T6", "K7QX", b"x" * 32).text, square)], [], KEYS, DECKS)
    assert found.tokens == ()
    assert [(c.id, c.status) for c in found.cards] == [("T6", "forged")]


def test_mat_tags_are_no_cards() -> None:
    assert identify([], Lying("6D3").tags(170), KEYS, DECKS).cards == ()


def test_a_code_that_could_not_be_read_is_an_unreadable_card_unless_it_is_known() -> None:
    card, lost = Lying("6D3"), Lying("7N1", x=800)
    broken = [card.code().corners, lost.code().corners]
    found = identify([card.code()], [], KEYS, DECKS, broken)
    assert [(c.id, c.status) for c in found.cards] == [("6D3", "ok"), (None, "unreadable")]
    assert found.cards[1].corners == lost.code().corners
