"""Mats: the printed zones match those that the camera uses."""

import itertools
import re
from pathlib import Path

import numpy as np
import pypdfium2
import pytest

from companion.games.roche_deck.design import FULL_DECK
from companion.games.roulette.layout import layout
from companion.games.rugen.prices import SPOTS
from companion.locale import Translator
from companion.objects.cards import MAT_TAGS
from companion.objects.dice import D20_FACES, NUMBERS, half_of, number_of
from companion.objects.mat import MAT_TAG_QUIET_MM, Mat
from companion.printing.jobs import Order, carry_out
from companion.printing.mats.sheet import OVERLAP_MM, mat_tiles, tiling, whole_mat_pdf
from companion.printing.sheets import PAPERS
from companion.testing import INSTALLED, MATS

DPI = 40
PX = DPI / 25.4


def _overlap(a, b):
    wide = min(a.x + a.width, b.x + b.width) - max(a.x, b.x)
    high = min(a.y + a.height, b.y + b.height) - max(a.y, b.y)
    return min(wide, high)


@pytest.mark.parametrize("mat", MATS.values(), ids=MATS)
def test_zones_lie_on_the_mat_and_apart(mat):
    """Zones do not overlap each other or a corner tag's quiet zone."""
    for box in mat.zones.values():
        assert box.x >= 6
        assert box.y >= 6
        assert box.x + box.width <= mat.width_mm - 6
        assert box.y + box.height <= mat.height_mm - 6
    for a, b in itertools.combinations(mat.zones.values(), 2):
        assert _overlap(a, b) <= 1e-9
    for zone, tag in itertools.product(mat.zones.values(), mat.tags.values()):
        assert _overlap(zone, tag) <= -MAT_TAG_QUIET_MM


@pytest.mark.parametrize("mat", MATS.values(), ids=MATS)
def test_corner_tags_are_printed_where_the_camera_looks_for_them(mat, pdf_pages, tags_on):
    (page,) = pdf_pages(whole_mat_pdf(mat), DPI)
    found = dict(tags_on(page))
    assert set(found) == set(mat.tags)
    for number, box in mat.tags.items():
        assert np.abs(found[number] / PX - np.array(box.corners)).max() < 1.2


def test_every_mat_has_tags_of_its_own():
    assert len(MATS.of_tag) == 4 * len(MATS)
    assert set(MATS.of_tag) <= set(MAT_TAGS)


def test_every_game_finds_its_zones():
    stacks = {f"stack/{r}" for r in range(2, 8)}
    assert {*stacks, "deck", "discard", "bet/cut/6", "bet/day/2", "bet/night/7"} <= set(MATS["roche"].zones)
    cards = {f"bet/{bet}/{card}" for bet in ("card", "terminus", "oscura") for card in FULL_DECK}
    assert {*stacks, *cards, "bet/cavalry", "bet/starlight/3"} <= set(MATS["grand-roche"].zones)
    assert {*stacks, "pot/6", "seat/1", "seat/6", "deck"} <= set(MATS["rochi"].zones)


def test_house_rugen_has_a_space_for_every_bet_and_the_numbers_of_a_d20_beside_their_half():
    zones = MATS["rugen-house"].zones
    assert {f"bet/{on}" for on in SPOTS} | {f"chain/{n}" for n in NUMBERS} | {f"d20/{v}" for v in range(1, 21)} == set(
        zones
    )
    for value, face in enumerate(D20_FACES, start=1):
        spot, half = zones[f"d20/{value}"], zones[f"bet/{half_of(face)}/{number_of(face)}"]
        assert half.x - 1e-9 <= spot.x <= spot.x + spot.width <= half.x + half.width + 1e-9


@pytest.mark.parametrize(("name", "wheel"), [("roulette", "european"), ("roulette-american", "american")])
def test_roulette_has_every_pocket_and_the_outside_bets(name, wheel):
    """Bets on several numbers are placed on the lines between the zones."""
    single = {on for on in layout(wheel) if on.split("/")[0] not in ("split", "street", "corner", "line")}
    assert set(MATS[name].zones) == {f"bet/{on}" for on in single}


def test_seats_run_clockwise():
    """Seen from above, the angle around the center increases from seat to seat."""
    mat = MATS["rochi"]
    boxes = [mat.zones[f"seat/{i}"] for i in range(1, 7)]
    middles = [(b.x + b.width / 2 - mat.width_mm / 2, b.y + b.height / 2 - mat.height_mm / 2) for b in boxes]
    angles = np.unwrap([np.arctan2(y, x) for x, y in middles])
    assert (np.diff(angles) > 0).all()


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("mat", MATS.values(), ids=MATS)
def test_tiles_cover_the_mat_with_an_overlap(mat, paper, pdf_pages):
    plan = tiling(mat, paper)
    assert max(plan.corner(0, 0)) <= 0
    right, bottom = plan.corner(plan.columns - 1, plan.rows - 1)
    assert right + plan.window[0] >= mat.width_mm
    assert bottom + plan.window[1] >= mat.height_mm
    document = pypdfium2.PdfDocument(mat_tiles(mat, paper))
    assert len(document) == plan.columns * plan.rows
    assert document[0].get_size() == pytest.approx(tuple(v * 72 / 25.4 for v in plan.page), abs=0.1)


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("mat", MATS.values(), ids=MATS)
def test_no_seam_of_glued_pages_goes_through_a_corner_tag(mat, paper):
    """Pages are never glued to the tenth of a millimetre: a tag in two halves is a tag that is not read."""
    plan = tiling(mat, paper)
    seams = {
        0: [plan.corner(column, 0)[0] for column in range(1, plan.columns)],
        1: [plan.corner(0, row)[1] for row in range(1, plan.rows)],
    }
    for box in mat.tags.values():
        for axis, (begin, length) in enumerate(((box.x, box.width), (box.y, box.height))):
            free = (begin - MAT_TAG_QUIET_MM, begin + length + MAT_TAG_QUIET_MM)
            assert [seam for seam in seams[axis] if free[0] < seam < free[1]] == []


def test_glued_tiles_are_the_mat(pdf_pages):
    """The overlapping pages together show the same as the large sheet."""
    mat = MATS["roche"]
    plan, px = tiling(mat, "a4"), 2 * PX
    (whole,) = pdf_pages(whole_mat_pdf(mat), 2 * DPI)
    for i, page in enumerate(pdf_pages(mat_tiles(mat, "a4"), 2 * DPI)):
        x, y = plan.corner(i % plan.columns, i // plan.columns)
        right, down = max(8, -x), max(8, -y)  # the outer pages reach beyond the mat
        part = whole[round((y + down) * px) : round((y + 150) * px), round((x + right) * px) : round((x + 200) * px)]
        top, left = round((9 + down) * px), round((9 + right) * px)
        tile = page[top : top + part.shape[0], left : left + part.shape[1]]
        assert np.abs(tile.astype(int) - part).mean() < 6
    assert OVERLAP_MM == 10


ENGLISH = re.compile(
    r"\b(deck|discard|shoe|burn|day|night|cuts?|seat|shields|breaks|chain|center|throw|column|even|odd|red|black|"
    r"straight|street|corner|to|pays|insurance|side|the|guess|points?|king|card|cards)\b",
    re.IGNORECASE,
)


def words_on(mat: Mat, language: str) -> str:
    say = Translator(INSTALLED.packages)
    (page,) = pypdfium2.PdfDocument(whole_mat_pdf(mat, None, lambda one: say(one, language)))
    return " ".join(page.get_textpage().get_text_bounded().split())


@pytest.mark.parametrize("mat", MATS.values(), ids=MATS)
def test_a_mat_is_printed_in_the_readers_language(mat: Mat) -> None:
    assert ENGLISH.search(words_on(mat, "en"))
    for language in ("de", "es"):
        assert ENGLISH.findall(words_on(mat, language)) == [], language


def test_the_prices_on_a_mat_have_their_thousands_apart() -> None:
    for language, price in (("en", "10,000:1"), ("de", "10.000:1"), ("es", "10.000:1")):
        assert words_on(MATS["roche"], language).count(price) == 2


@pytest.mark.thorough
def test_a_picture_of_a_mat_is_in_the_language_of_the_order(tmp_path: Path) -> None:
    say = Translator(INSTALLED.packages)
    pictures = []
    for language in ("en", "de"):
        order = Order("mat", None, "png", mat=MATS["roulette"], say=lambda one, to=language: say(one, to))
        (path,) = carry_out(order, tmp_path / language)
        pictures.append(path.read_bytes())
    assert pictures[0] != pictures[1]
