"""The card design: names, colors, and the area that the codes leave free."""

import itertools
from functools import partial

import numpy as np
import pytest

from companion.games.roche_deck import face
from companion.games.roche_deck.design import FULL_DECK
from companion.games.roche_deck.names import CARD_NAMES
from companion.objects.geometry import (
    CARD_GEOMETRY,
    GEOMETRIES,
    INDEX_MM,
    QR_MODULES,
    QR_QUIET_MM,
    STAGGER_MM,
    TAG_MM,
    TAG_QUIET_MM,
    geometry_of,
)
from companion.printing.cards.palette import PALETTES
from companion.printing.cards.window import column, panel, plate
from companion.printing.fonts import TITLE, printable
from companion.printing.pieces import Piece, card_pieces
from companion.printing.raster import DPI, render
from companion.testing import DECKS

# Machado, Oliveira, Fernandes 2009: what people without red, green or blue cones see (linear RGB).
_BLINDNESS = {
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def test_every_card_has_a_name_of_its_own():
    assert set(CARD_NAMES) == set(FULL_DECK)
    assert len(set(CARD_NAMES.values())) == 54
    assert all(printable(name, TITLE) == name for name in CARD_NAMES.values())


@pytest.mark.parametrize("kind", _BLINDNESS)
def test_suits_are_told_apart_without_full_colour_vision(kind):
    """Any two suits' main colors differ clearly (CIE 1976, 10 or more)."""
    lab = {rank: _lab(np.array(_BLINDNESS[kind]) @ _linear(p.main)) for rank, p in PALETTES.items()}
    for a, b in itertools.combinations(lab, 2):
        assert np.linalg.norm(lab[a] - lab[b]) >= 10, (kind, a, b)


def _linear(color: str) -> np.ndarray:
    srgb = np.array(list(bytes.fromhex(color[1:]))) / 255
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def _lab(rgb: np.ndarray) -> np.ndarray:
    matrix = [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
    xyz = np.array(matrix) @ np.clip(rgb, 0, 1) / np.array([0.95047, 1.0, 1.08883])
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("size", ["poker", "tarot"])
def test_art_keeps_half_a_millimetre_from_every_quiet_zone(size):
    geometry = CARD_GEOMETRY[size]
    marks = ((geometry.qr, QR_QUIET_MM), (geometry.first_tag, TAG_QUIET_MM), (geometry.second_tag, TAG_QUIET_MM))
    line = 0.35 / 2  # half of the window's frame
    for part, (mark, quiet) in itertools.product((column(geometry), panel(geometry), plate(geometry)), marks):
        gap_x = max(mark.x - quiet - (part.x + part.width), part.x - (mark.x + mark.width + quiet))
        gap_y = max(mark.y - quiet - (part.y + part.height), part.y - (mark.y + mark.height + quiet))
        assert max(gap_x, gap_y) - line > 0.4


PX = DPI / 25.4


@pytest.mark.parametrize("geometry", GEOMETRIES, ids=lambda one: f"{one.size}-{one.layout}")
def test_every_code_has_two_white_modules_round_it_and_every_tag_one(geometry):
    """Nothing on a card intrudes on the quiet zones of code and tags: no art, no other mark, no card edge."""
    module = geometry.qr.width / QR_MODULES
    assert geometry.qr_quiet >= 2 * module
    for one, other in itertools.permutations((geometry.qr, geometry.first_tag, geometry.second_tag), 2):
        white = 2 * module if one is geometry.qr else TAG_MM / 8
        assert _apart(one, other) >= white
    for box in (geometry.qr, geometry.first_tag, geometry.second_tag):
        edges = (box.x, box.y, geometry.width - box.x - box.width, geometry.height - box.y - box.height)
        assert min(edges) >= 4.9


@pytest.mark.thorough
@pytest.mark.parametrize("size", ["poker", "tarot"])
@pytest.mark.parametrize("kind", [kind for kind, design in DECKS.items() if design.part_of is None])
def test_nothing_of_a_face_lies_where_codes_and_their_white_come(kind, size):
    """It would be cut off: the codes are drawn over it, with their white."""
    design = DECKS[kind]
    geometry, art = geometry_of(size, design.layouts[0]), design.art()
    zones = [
        (box.x - quiet, box.y - quiet, box.x + box.width + quiet, box.y + box.height + quiet)
        for box, quiet in (
            (geometry.qr, geometry.qr_quiet), (geometry.first_tag, TAG_QUIET_MM), (geometry.second_tag, TAG_QUIET_MM)
        )
    ]  # fmt: skip
    faces = [
        Piece(card, geometry.width, geometry.height, partial(_face, art=art, geometry=geometry, card=card))
        for card in design.all_cards
    ]
    for face_piece, image in zip(faces, render(faces), strict=True):
        pixels = np.asarray(image.convert("L"))
        for left, top, right, bottom in zones:
            inside = pixels[round(top * PX) + 1 : round(bottom * PX) - 1, round(left * PX) + 1 : round(right * PX) - 1]
            assert inside.min() > 200, face_piece.name


def _face(pen, *, art, geometry, card):
    art.face(pen, geometry, card)


def test_turned_round_a_card_has_its_tags_in_the_same_places():
    for geometry in GEOMETRIES:
        first, second = geometry.first_tag, geometry.second_tag
        assert (geometry.width - second.x - TAG_MM, geometry.height - second.y - TAG_MM) == pytest.approx(
            (first.x, first.y)
        )
        assert first.y + first.height + TAG_QUIET_MM <= STAGGER_MM


@pytest.mark.parametrize("size", ["poker", "tarot"])
def test_the_picture_keeps_half_a_millimetre_from_every_quiet_zone_and_from_the_index(size):
    geometry = geometry_of(size, "hand")
    line = 0.35 / 2
    marks = ((geometry.qr, geometry.qr_quiet), (geometry.first_tag, TAG_QUIET_MM), (geometry.second_tag, TAG_QUIET_MM))
    for part in (face.shoulder(geometry), face.panel(geometry), face.foot(geometry)):
        assert all(_apart(part, mark) - quiet - line > 0.4 for mark, quiet in marks)
        assert part.y - line > face.INDEX_TALL_MM or part.x > INDEX_MM
        low = geometry.height - face.INDEX_TALL_MM
        assert part.y + part.height + line < low or part.x + part.width < geometry.width - INDEX_MM


def _apart(a, b) -> float:
    gap_x = max(a.x - (b.x + b.width), b.x - (a.x + a.width))
    gap_y = max(a.y - (b.y + b.height), b.y - (a.y + a.height))
    return max(gap_x, gap_y)


@pytest.mark.thorough
@pytest.mark.parametrize("size", ["poker", "tarot"])
def test_a_fan_of_cards_shows_suit_half_and_number_of_each(deck, size):
    """14 mm of each card, and of a stack 21 mm: its index lies inside of both, no two are alike, and it is large."""
    corner = {}
    for piece, image in zip(card_pieces(deck, size), render(card_pieces(deck, size)), strict=True):
        pixels = np.asarray(image.convert("L"))
        index = pixels[round(3.4 * PX) : round(STAGGER_MM * PX), round(2.4 * PX) : round(12.4 * PX)]
        ink = np.argwhere(index < 200)
        tall, wide = np.ptp(ink, axis=0) / PX
        assert tall >= 15, piece.name
        assert wide >= 6, piece.name
        beside = pixels[round(3.4 * PX) : round(STAGGER_MM * PX), round(11.8 * PX) : round(13.0 * PX)]
        assert beside.min() > 200, "a module of white is left beside the tag"
        corner[piece.name] = index
        turned = pixels[::-1, ::-1][round(3.4 * PX) : round(STAGGER_MM * PX), round(2.4 * PX) : round(12.4 * PX)]
        assert np.abs(index.astype(int) - turned).mean() < 12, "turned round, the same index is in the same place"
    for a, b in itertools.combinations(corner, 2):
        assert np.abs(corner[a].astype(int) - corner[b]).mean() > 2.5, (a, b)


def test_codes_and_index_leave_the_picture_more_than_before():
    """Of a poker card with the tag in its corner the picture had 1,892 mm²; now it has 2,100 at least."""
    geometry = geometry_of("poker", "hand")
    parts = (face.shoulder(geometry), face.panel(geometry), face.foot(geometry))
    assert sum(part.width * part.height for part in parts) - face.foot(geometry).width * face.PLATE_MM > 2100
