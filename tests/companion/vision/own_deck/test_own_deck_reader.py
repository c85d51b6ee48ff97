"""Cards of an enrolled ordinary deck in rendered pictures: identified only with certainty."""

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from companion.objects.cards import STANDARD_CARDS
from companion.vision.own_deck.faces import DeckFaces
from companion.vision.own_deck.reader import CardRead, DeckReader, is_sure, without_duplicates

Lay = Callable[..., np.ndarray]


def sure(reader: DeckReader, image: np.ndarray) -> list[str]:
    return sorted(read.card for read in reader.read(image) if read.card is not None)


def test_an_empty_table_shows_no_card(reader: DeckReader, lay: Lay) -> None:
    assert reader.read(lay([])) == ()


def test_whole_cards_are_read_however_they_are_turned(reader: DeckReader, lay: Lay) -> None:
    image = lay([("AS", -50, -10, 20), ("6H", 40, -20, 97), ("9C", 30, 40, 265)], px_per_mm=4.2, size=(1280, 720))
    assert sure(reader, image) == ["6H", "9C", "AS"]


def test_a_card_beneath_others_is_read_by_one_corner(reader: DeckReader, lay: Lay) -> None:
    """Three staggered cards: of the lower ones little more than the index shows."""
    image = lay([("QD", -30, 10, 0), ("TC", -14, -6, 1), ("3S", 2, -22, -1)])
    assert sure(reader, image) == ["3S", "QD", "TC"]


def test_cards_in_a_row_show_only_their_left_edges(reader: DeckReader, lay: Lay) -> None:
    image = lay([(card, -40 + 18 * k, 0, 1.5 * k) for k, card in enumerate(("KH", "8D", "JS", "5C"))])
    assert sure(reader, image) == ["5C", "8D", "JS", "KH"]


def test_glare_on_an_index_makes_no_other_card(reader: DeckReader, lay: Lay) -> None:
    """White over part of an 8's index may look like a 3: the card is read as the 8 or not at all."""
    for seed in range(2):
        image = lay([("8C", -20, 0, 0), ("KD", 0, 5, 2)], seed)
        x, y = 330 + 12 * seed, 190 + 15 * seed
        cv2.circle(image, (x, y), 18, (250, 250, 250), -1)
        assert set(sure(reader, image)) <= {"8C", "KD"}


def test_a_strange_deck_is_never_sure(reader: DeckReader, lay: Lay) -> None:
    """A card with other print, a note and a blank card are not identified."""
    image = lay([("AS", 0, 0, 10)])
    image[:] = cv2.flip(image, 1)  # mirrored: no card of this deck
    assert sure(reader, image) in ([], ["AS"])
    blank = np.full((600, 640, 3), (50, 90, 40), np.uint8)
    cv2.rectangle(blank, (150, 80), (450, 500), (235, 235, 235), -1)
    assert sure(reader, blank) == []


def test_all_indices_of_the_deck_differ(faces: DeckFaces) -> None:
    assert len(faces.cards) == len(STANDARD_CARDS)
    assert faces.min_distance(faces.window_mm) > 0.5


def test_a_blurred_picture_may_leave_a_card_unread_but_never_misread(reader: DeckReader, lay: Lay) -> None:
    for defocus in (1.2, 2.6):
        image = lay([("6S", -30, 0, 5), ("8S", 40, 0, 186)], defocus=defocus, px_per_mm=4.0)
        assert set(sure(reader, image)) <= {"6S", "8S"}


@pytest.mark.slow
def test_every_card_is_read_alone(reader: DeckReader, lay: Lay) -> None:
    wrong, read = [], 0
    for k, card in enumerate(STANDARD_CARDS):
        found = sure(reader, lay([(card, 0, 0, 37.0 * k)], k, tilt_deg=8.0, px_per_mm=4.2))
        read += found == [card]
        wrong += [found] if found not in ([], [card]) else []
    assert not wrong
    assert read >= 51


def test_a_match_that_hardly_beats_the_second_is_not_sure(reader: DeckReader, lay: Lay) -> None:
    match = next(read.matches[0] for read in reader.read(lay([("AS", 0, 0, 0)])))
    assert is_sure(match)
    assert not is_sure(type(match)(match.card, match.second, match.fit, 0.3, match.separation, match.pose))


def test_cards_of_two_decks_that_overlap_are_two(reader: DeckReader, lay: Lay) -> None:
    assert sure(reader, lay([("AS", -9, 0, 2), ("AS", 9, 0, -1)])) == ["AS", "AS"]


def test_cards_in_a_fan_are_read_by_their_print(reader: DeckReader, lay: Lay) -> None:
    """Of the lower cards at most the corner at the index shows."""
    fan = [(card, -35 + 23 * k, 2.0 * (k - 1.5) ** 2, -24 + 16 * k) for k, card in enumerate(("6H", "QC", "TS", "3D"))]
    assert sure(reader, lay(fan)) == ["3D", "6H", "QC", "TS"]


def test_an_index_at_the_rim_is_read_though_the_corner_is_cut_off(reader: DeckReader, lay: Lay) -> None:
    image = lay([("9D", 0, 0, 0)])
    image[500:, 480:] = image[:60, :60].mean(axis=(0, 1))  # a sleeve over the other index
    left = round(480 - 31.5 * 5 + 1.9 * 5)
    assert sure(reader, np.ascontiguousarray(image[:, left:])) == ["9D"]


@pytest.fixture(scope="module")
def four(faces: DeckFaces) -> DeckReader:
    """A reader of the deck with four indices per card."""
    cards = {card: _with_four(picture) for card, picture in zip(faces.cards, faces.pictures, strict=True)}
    return DeckReader(DeckFaces.of(cards))


def _with_four(picture: np.ndarray) -> np.ndarray:
    w, h = picture.shape[1], 20 * 4
    wide = round(9.5 * picture.shape[1] / 63)
    out = picture.copy()
    out[:h, w - wide - 4 : w - 4] = picture[:h, 4 : wide + 4]
    out[-h:] = out[:h][::-1, ::-1]
    return out


def test_a_card_with_four_indices_is_one_card_where_it_lies(four: DeckReader) -> None:
    """Two similar indices side by side are not two cards, and the right one does not shift the card."""
    image = np.full((720, 960, 3), (40, 90, 40), np.uint8)
    faces = dict(zip(four.faces.cards, four.faces.pictures, strict=True))
    for k, card in enumerate(("4S", "QH")):
        image[60 + 90 * k : 412 + 90 * k, 300 + 30 * k : 552 + 30 * k] = faces[card]
    read = {one.card: one.outline.mean(axis=0) for one in four.read(cv2.GaussianBlur(image, (0, 0), 0.6)) if one.card}
    assert sorted(read) == ["4S", "QH"]
    assert np.linalg.norm(read["4S"] - (426, 236)) < 12
    assert np.linalg.norm(read["QH"] - (456, 326)) < 12


def test_a_card_that_is_read_twice_in_one_place_is_one_card() -> None:
    square = np.array([[0, 0], [60, 0], [60, 90], [0, 90]], np.float32)
    first, again, apart = (CardRead("4D", square + shift, ()) for shift in (0, 6, 40))
    assert without_duplicates([first, again, apart]) == [first, apart]
