"""The faces of standard cards: readable in a fan, in grayscale, from either end."""

import itertools
from functools import partial

import cv2
import numpy as np
import pytest

from companion.objects.cards import STANDARD_CARDS
from companion.objects.geometry import MARGIN_MM, POKER
from companion.printing.cards.stickers import LABEL_HEIGHT, LABEL_WIDTH
from companion.printing.pieces import Piece, PrintError, card_pieces, sticker_pieces
from companion.printing.raster import DPI, render
from companion.testing import DECKS

PX = DPI / 25.4
FAN_MM = 16.0
"""What a loosely held fan of seven shows of the left edge of each card, halfway down."""
STYLES = [None, *DECKS["standard"].styles]


def ink(image: np.ndarray, x: float, y: float, width: float, height: float) -> np.ndarray:
    """Return the mask of printed pixels in a box (mm), ignoring color."""
    part = image[round(y * PX) : round((y + height) * PX), round(x * PX) : round((x + width) * PX)]
    return part.min(axis=2) < 160


def shrunk(face: np.ndarray) -> np.ndarray:
    """Return the middle part of a card's image at one pixel per millimeter."""
    part = face[round(42 * PX) : round(84 * PX), round(5 * PX) : round(43 * PX)]
    return cv2.resize(part, (38, 42), interpolation=cv2.INTER_AREA).astype(np.int16)


@pytest.fixture(scope="module", params=STYLES, ids=[style or "classic" for style in STYLES])
def faces(request: pytest.FixtureRequest, deck_of) -> dict[str, np.ndarray]:
    """The printed cards of a style."""
    pieces = card_pieces(deck_of("standard"), style=request.param)
    return {piece.name: np.asarray(picture) for piece, picture in zip(pieces, render(pieces), strict=True)}


def test_every_card_of_a_fan_can_be_told_from_every_other_without_colors(faces: dict[str, np.ndarray]) -> None:
    """Rank and suit are in the strip at the left edge visible in a fan, and differ in shape, not only color."""
    strips = {card: ink(faces[card], 3, 19.6, FAN_MM - 3, 20.6) for card in STANDARD_CARDS}
    assert all(0.06 < strip.mean() < 0.6 for strip in strips.values())
    closest = min(
        (int((one ^ other).sum()), a, b) for (a, one), (b, other) in itertools.combinations(strips.items(), 2)
    )
    assert closest[0] > 4 * PX**2, closest  # four square millimetres of a suit of 7 by 7


def test_the_other_end_of_a_card_shows_the_same_index(faces: dict[str, np.ndarray]) -> None:
    for card, face in faces.items():
        upper, turned = ink(face, 3, 19.6, 15, 20.6), ink(face[::-1, ::-1], 3, 19.6, 15, 20.6)
        assert (upper ^ turned).mean() < 0.02, card


def test_ranks_are_as_tall_as_a_large_print_deck_s(faces: dict[str, np.ndarray]) -> None:
    """Nine millimetres at least: a poker deck's index has about 7, a "jumbo" one 9 to 12."""
    for card in STANDARD_CARDS:
        rank = ink(faces[card], 4.2, 19.8, 14, 11.6).any(axis=1)
        assert rank.sum() / PX > (9.0 if card[0] != "T" else 7.4), card


def test_no_two_pictures_are_alike(faces: dict[str, np.ndarray]) -> None:
    pictures = {card: shrunk(face) for card, face in faces.items()}
    for (a, one), (b, other) in itertools.combinations(pictures.items(), 2):
        assert (np.abs(one - other).max(axis=2) > 60).sum() > 9, (a, b)  # square millimetres


def test_the_deck_s_id_is_written_on_its_cards(deck_of) -> None:
    """For sorting two mixed decks without a camera."""
    one, other = (
        np.asarray(next(iter(render(card_pieces(deck_of("standard", name), only=("7C",))))))
        for name in ("K7QX", "AC4D")
    )
    mark = partial(ink, x=46, y=40.4, width=13, height=4)
    assert mark(one).any()
    assert (mark(one) ^ mark(other)).any()


def test_pips_are_as_many_as_the_rank(deck_of) -> None:
    for card in ("2S", "5H", "7D", "8C", "9S", "TH"):
        face = np.asarray(next(iter(render(card_pieces(deck_of("standard"), only=(card,))))))
        count, _, stats, _ = cv2.connectedComponentsWithStats(ink(face, 6.0, 43, 36, 39).astype(np.uint8))
        pips = [s for s in stats[1:count] if s[cv2.CC_STAT_AREA] > (2 * PX) ** 2]
        assert len(pips) == (10 if card[0] == "T" else int(card[0])), card


def test_labels_hold_all_that_is_drawn_on_them(deck_of) -> None:
    """The index is inside the large label, as the rest is cut off."""
    for sheet in sticker_pieces(deck_of("standard"), ("TH", "QS", "JKR", "CUT", "KC")):
        wider = Piece("", sheet.width + 8, sheet.height + 8, partial(_moved, piece=sheet))
        image = np.asarray(next(iter(render([wider]))))
        outside = image.min(axis=2) < 160
        left = top = round(4 * PX) - 2
        outside[top : round((4 + LABEL_HEIGHT) * PX) + 3, left : round((4 + LABEL_WIDTH) * PX) + 3] = False
        outside[:, round((4 + LABEL_WIDTH) * PX) + 3 :] = False  # the loose label beside it
        assert not outside.any(), sheet.name
        assert POKER.width - 2 * MARGIN_MM == LABEL_WIDTH


def _moved(pen, piece: Piece) -> None:
    with pen.at(4, 4):
        piece.draw(pen)


def test_a_deck_without_styles_says_so(deck_of) -> None:
    with pytest.raises(PrintError, match=r"A roche deck has no style 'large'\. Leave --style out\."):
        card_pieces(deck_of("roche"), style="large")
    with pytest.raises(PrintError, match=r"Choose four-color, large, or leave --style out\."):
        sticker_pieces(deck_of("standard"), style="huge")
