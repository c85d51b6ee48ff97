"""Codes: every piece has one, and nobody can make another without the key."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.objects.cards import FULL_DECK, LEADER_BUTTON, MAT_TAGS, PIECE_OF_TAG, RUGEN_FACE_TAGS, TAG_OF, TOKENS
from companion.objects.codes import CODE_CHARS, Code, CodeStatus, check_code, make_code, parse_code

KEYS = {"K7QX": b"one", "ABCD": b"two"}
CODE_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@pytest.mark.parametrize("piece", [*FULL_DECK, *TOKENS, LEADER_BUTTON, "AS", "TD"])
def test_every_piece_has_a_code_that_reads_back(piece):
    code = make_code(piece, "K7QX", b"one")
    assert len(code.text) == CODE_CHARS
    assert parse_code(code.text) == code
    assert check_code(code, KEYS) is CodeStatus.OK


def test_another_deck_s_key_makes_a_forgery():
    assert check_code(make_code("6D3", "K7QX", b"two"), KEYS) is CodeStatus.FORGED


def test_a_code_of_one_deck_is_not_good_for_another():
    genuine = make_code("6D3", "K7QX", b"one")
    assert check_code(Code("6D3", "ABCD", genuine.signature), KEYS) is CodeStatus.FORGED


def test_an_unknown_deck_is_foreign():
    assert check_code(make_code("6D3", "ZZZZ", b"one"), KEYS) is CodeStatus.FOREIGN


@given(st.integers(0, CODE_CHARS - 1), st.sampled_from(CODE_ALPHABET))
def test_changing_any_character_never_leaves_a_good_code(place, character):
    text = make_code("6D3", "K7QX", b"one").text
    changed = text[:place] + character + text[place + 1 :]
    code = parse_code(changed)
    assert changed == text or code is None or check_code(code, KEYS) is not CodeStatus.OK


@pytest.mark.parametrize(
    "text", ["", "6D3", "https://example.org", "6d3k7qxabcdefghi", "6D3K7QXABCDEFGH", "6D3K7QXABCDEFGHIJ"]
)
def test_other_texts_are_no_codes(text):
    assert parse_code(text) is None


def test_no_code_for_what_is_no_piece():
    with pytest.raises(ValueError, match="8D1"):
        make_code("8D1", "K7QX", b"one")


def test_tag_numbers_are_distinct_and_within_the_family():
    tags = [*PIECE_OF_TAG, *MAT_TAGS, *RUGEN_FACE_TAGS]
    assert len(tags) == len(set(tags))
    assert all(0 <= tag < 587 for tag in tags)
    assert {PIECE_OF_TAG[tag] for tag in TAG_OF.values()} == set(TAG_OF)
