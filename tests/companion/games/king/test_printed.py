"""Printed parts of King of Roulette: readable cards, a mat with all spaces, slips that fit on the paper."""

import io

import cv2
import numpy as np
import pypdfium2
import pytest
import zxingcpp

from companion.cli import run_command_line
from companion.games.king.plugin import KING_OF_ROULETTE
from companion.games.king.printed.cards import BETS, CARDS, GUESSES, RULES
from companion.games.king.printed.deck import KING_DECK
from companion.games.king.spaces import SPACES
from companion.games.king.state import MAX_PLAYERS, ROUNDS, ranges
from companion.objects.decks import Deck
from companion.plugins.slips import slips_of
from companion.printing.pieces import card_pieces
from companion.printing.raster import render
from companion.printing.sheets import Job, make_pdf
from companion.testing import DECKS, MATS

SAMPLE = ("A1", "AK", "L6", "R13", "R26", "G01", "GTE")


@pytest.fixture(scope="module")
def deck():
    return Deck("K7QX", KING_DECK, "Home", b"k" * 32, "2026-01-01T00:00:00.000+00:00")


def test_twelve_players_and_the_king_have_all_cards_that_the_rules_know():
    assert len(BETS) == MAX_PLAYERS * len(SPACES)
    assert len(RULES) == 2 * 6
    for players in range(4, MAX_PLAYERS + 1):
        first = {one.partition("-")[0] for one in ranges(players)}
        assert first <= {words.partition("–")[0] for words in GUESSES.values()}
    assert DECKS["king"].cards == CARDS


@pytest.mark.parametrize("size", ["poker", "tarot"])
def test_every_code_and_tag_of_a_printed_card_is_read(deck, size):
    for card, picture in zip(SAMPLE, render(card_pieces(deck, size, SAMPLE)), strict=True):
        image = cv2.cvtColor(np.asarray(picture), cv2.COLOR_RGB2GRAY)
        (code,) = zxingcpp.read_barcodes(image, formats=zxingcpp.BarcodeFormat.QRCode)
        assert code.text == deck.code(card).text
        family = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
        _, tags, _ = cv2.aruco.ArucoDetector(family).detectMarkers(image)
        assert tags.ravel().tolist() == [KING_DECK.tag_of[card]] * 2


def test_cards_look_different(deck):
    cards = ("A1", "A2", "B1", "R11", "R21")
    assert len({np.asarray(one).tobytes() for one in render(card_pieces(deck, "poker", cards))}) == len(cards)


def test_the_mat_has_every_space_and_room_for_the_kings_cards():
    zones = MATS["king-of-roulette"].zones
    assert {name for name in zones if name.startswith("bet/")} == {f"bet/{space}" for space in SPACES}
    assert zones["rule/1"].width >= 2 * 63
    assert all(zones[name].width >= 63 and zones[name].height >= 88 for name in ("rule/1", "rule/2", "guess"))


def test_slips_are_for_everybody_and_every_round_on_three_pages():
    pieces = slips_of(KING_OF_ROULETTE, {}, None, "en")
    assert len(pieces) == MAX_PLAYERS + ROUNDS
    document = pypdfium2.PdfDocument(io.BytesIO(make_pdf(Job("Slips", pieces))))
    assert len(document) == 3
    said = document[0].get_textpage().get_text_range()
    assert said.upper().count("VOTE FOR THE FIRST KING") == 8


def test_slips_are_printed_for_the_game_that_has_some(tmp_path, capsys):
    out = tmp_path / "slips.pdf"
    assert run_command_line(["print", "slips", "--game", "king-of-roulette", "--out", str(out)]) == 0
    assert len(pypdfium2.PdfDocument(out)) == 3
    assert run_command_line(["print", "slips", "--game", "captains", "--out", str(out)]) != 0
    assert "has no paper slips. Name a game that has some." in capsys.readouterr().err
