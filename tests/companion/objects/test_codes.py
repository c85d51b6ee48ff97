"""Codes: every piece has one, and it cannot be forged without the key."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.games.roche_deck.design import FULL_DECK
from companion.objects.cards import DIE_FACE_TAGS, LEADER_BUTTON, MAT_TAGS, TOKENS
from companion.objects.codes import CODE_CHARS, Code, CodeStatus, check_code, make_code, parse_code
from companion.testing import DECKS

KEYS = {"K7QX": b"one", "ABCD": b"two"}
CODE_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@pytest.mark.parametrize("piece", [*FULL_DECK, *TOKENS, LEADER_BUTTON, "AS", "TD"])
def test_every_piece_has_a_code_that_reads_back(piece):
    code = make_code(piece, "K7QX", b"one")
    assert len(code.text) == CODE_CHARS
    assert parse_code(code.text) == code
    assert check_code(code, KEYS, DECKS.tag_of) is CodeStatus.OK


def test_another_deck_s_key_makes_a_forgery():
    assert check_code(make_code("6D3", "K7QX", b"two"), KEYS, DECKS.tag_of) is CodeStatus.FORGED


def test_a_code_of_one_deck_is_not_good_for_another():
    genuine = make_code("6D3", "K7QX", b"one")
    assert check_code(Code("6D3", "ABCD", genuine.signature), KEYS, DECKS.tag_of) is CodeStatus.FORGED


def test_an_unknown_deck_is_foreign():
    assert check_code(make_code("6D3", "ZZZZ", b"one"), KEYS, DECKS.tag_of) is CodeStatus.FOREIGN


@given(st.integers(0, CODE_CHARS - 1), st.sampled_from(CODE_ALPHABET))
def test_changing_any_character_never_leaves_a_good_code(place, character):
    text = make_code("6D3", "K7QX", b"one").text
    changed = text[:place] + character + text[place + 1 :]
    code = parse_code(changed)
    assert changed == text or code is None or check_code(code, KEYS, DECKS.tag_of) is not CodeStatus.OK


@pytest.mark.parametrize(
    "text", ["", "6D3", "https://example.org", "6d3k7qxabcdefghi", "6D3K7QXABCDEFGH", "6D3K7QXABCDEFGHIJ"]
)
def test_other_texts_are_no_codes(text):
    assert parse_code(text) is None


def test_tag_numbers_are_distinct_and_within_the_family():
    tags = [*DECKS.piece_of_tag, *MAT_TAGS, *DIE_FACE_TAGS]
    assert len(tags) == len(set(tags))
    assert all(0 <= tag < 587 for tag in tags)
    assert {DECKS.piece_of_tag[tag] for tag in DECKS.tag_of.values()} == set(DECKS.tag_of)
