"""Printed pages, read back by real decoders."""

import re
from dataclasses import replace
from functools import partial

import numpy as np
import pypdfium2
import pytest

from companion.games.roche_deck import face
from companion.games.roche_deck.names import CARD_NAMES
from companion.games.roche_deck.tokens import token_name
from companion.kernel.words import HALVES, SUITS
from companion.locale import Translator
from companion.objects.geometry import CARD_GEOMETRY, geometry_of
from companion.printing.fonts import TITLE, printable, text_width
from companion.printing.jobs import Order, carry_out
from companion.printing.pieces import back_piece, card_pieces, sticker_pieces, token_pieces
from companion.printing.sheets import PAPERS, Job, fit_grid, make_pdf, page_count
from companion.testing import DECKS, INSTALLED

DPI = 150
PX = DPI / 25.4


def deck_job(deck, size="poker", only=()):
    return Job("Home deck", card_pieces(deck, size, only), (back_piece(size),))


@pytest.mark.parametrize(
    ("kind", "size", "paper"),
    [
        ("roche", "poker", "a4"),
        ("red", "poker", "letter"),
        ("roche", "tarot", "a4"),
        ("standard", "poker", "letter"),
        ("standard", "tarot", "letter"),
    ],
)
@pytest.mark.thorough
def test_every_card_of_a_printed_deck_is_read(deck_of, pdf_pages, codes_on, tags_on, kind, size, paper):
    """On the page every card shows its signed code in its place, and its tag number in both corners."""
    deck = deck_of(kind)
    geometry = geometry_of(size, deck.design.layouts[0])
    grid = fit_grid(paper, (geometry.width, geometry.height))
    pages = pdf_pages(make_pdf(deck_job(deck, size), paper, "none"), DPI)
    for number, page in enumerate(pages):
        cards = deck.design.all_cards[number * grid.count : (number + 1) * grid.count]
        codes, tags = codes_on(page), tags_on(page)
        assert set(codes) == {deck.code(card).text for card in cards}
        assert sorted(n for n, _ in tags) == sorted(2 * [DECKS.tag_of[card] for card in cards])
        for place, card in enumerate(cards):
            x, y = grid.slot(place)
            half = geometry.qr.width / 2
            middle = ((x + geometry.qr.x + half) * PX, (y + geometry.qr.y + half) * PX)
            assert codes[deck.code(card).text] == pytest.approx(middle, abs=4)
            _assert_tags_in_corners(tags, DECKS.tag_of[card], geometry, x, y)


def _assert_tags_in_corners(tags, number, geometry, x, y):
    """The second tag is the first one turned by 180 degrees."""
    first, second = sorted((c for n, c in tags if n == number), key=lambda c: c.mean(axis=0)[1])
    wanted = [(x + cx, y + cy) for cx, cy in geometry.first_tag.corners]
    assert np.abs(first / PX - np.array(wanted)).max() < 0.4
    turned = [(x + cx, y + cy) for cx, cy in geometry.second_tag.corners]
    assert np.abs(second / PX - np.array(turned[2:] + turned[:2])).max() < 0.4


def test_codes_are_vectors_and_fonts_are_embedded(deck):
    """A page contains no raster images, and no fonts that are not embedded."""
    pdf = make_pdf(deck_job(deck, only=("6D3",)))
    assert b"/Subtype /Image" not in pdf
    assert b"/FontFile2" in pdf
    assert b"/Helvetica" not in pdf


def test_viewers_are_told_not_to_scale(deck):
    pdf = make_pdf(deck_job(deck, only=("6D3",)), duplex="short")
    assert b"/PrintScaling /None" in pdf
    assert b"/Duplex /DuplexFlipShortEdge" in pdf


def test_one_lost_card_is_reprinted_the_same(deck, pdf_pages, codes_on):
    """Only the lost card, with the same code and picture as before."""
    job = deck_job(deck, only=("6D3",))
    assert page_count(job, "a4", "long") == 2
    assert make_pdf(job) == make_pdf(deck_job(deck, only=("6D3",)))
    (face,) = pdf_pages(make_pdf(job, duplex="none"), DPI)
    assert set(codes_on(face)) == {deck.code("6D3").text}


@pytest.mark.parametrize("duplex", ["long", "short"])
def test_backs_meet_their_faces(deck_of, pdf_pages, codes_on, tags_on, duplex):
    """After duplexing, each token's code is behind the tag on its face."""
    deck = deck_of("roche")
    faces, backs = zip(*token_pieces(deck), strict=True)
    front, back = pdf_pages(make_pdf(Job("tokens", faces, backs, cut="round", gap=4), duplex=duplex), DPI)
    size = np.array([front.shape[1], front.shape[0]])
    flipped = 0 if duplex == "long" else 1
    codes = codes_on(back)
    assert len(codes) == len(deck.tokens)
    for number, corners in tags_on(front):
        token = next(t for t in deck.tokens if DECKS.tag_of[t] == number)
        behind = np.array(codes[deck.code(token).text])
        behind[flipped] = size[flipped] - behind[flipped]
        assert behind == pytest.approx(corners.mean(axis=0), abs=3)


def test_card_backs_lie_behind_the_faces_of_a_page_that_is_not_full(deck, pdf_pages):
    """Ten cards: the one on the second sheet has its back mirrored, not in the same corner."""
    only = deck.cards[:10]
    pages = pdf_pages(make_pdf(deck_job(deck, only=only), "a4", "long"), 75)
    assert len(pages) == 4
    grid = fit_grid("a4", (63, 88))
    x, y = (round(v * 75 / 25.4) for v in grid.slot(0))
    inside = (slice(y + 20, y + 240), slice(x + 20, x + 160))
    assert pages[2][inside].std() > 30
    mirrored = pages[3][:, ::-1]
    assert mirrored[inside].std() > 30
    assert pages[3][inside].min() > 250  # nothing behind the empty places


def test_cut_marks_stay_outside_the_cards(deck, pdf_pages):
    """A card's white border has no marks in it; cut marks are in the page's margin."""
    grid = fit_grid("a4", (63, 88))
    (page,) = pdf_pages(make_pdf(deck_job(deck, only=deck.cards[:9]), "a4", "none"), DPI)
    x, y = (round(v * PX) for v in grid.slot(4))
    card = page[y + 2 : y + round(88 * PX) - 2, x + 2 : x + round(63 * PX) - 2]
    assert card[:4].min() > 250
    assert card[:, :4].min() > 250
    corner = page[: round(grid.origin[1] * PX) - 2, : round(grid.origin[0] * PX)]
    assert corner.min() < 220  # the marks are there


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("piece", [(63, 88), (70, 120), (40, 40)])
def test_back_places_mirror_face_places(paper, piece):
    grid = fit_grid(paper, piece, gap=2.0 if piece == (40, 40) else 0.0)
    wide, high = PAPERS[paper]
    for i in range(grid.count):
        (x, y), back = grid.slot(i), grid.back_slot(i, "long")
        assert x >= 7.4
        assert y >= 7.4
        assert x + piece[0] <= wide - 7.4
        assert y + piece[1] <= high - 7.4
        assert (back[0] + piece[0], back[1]) == pytest.approx((wide - x, y))
        assert grid.back_slot(i, "short") == pytest.approx((x, high - y - piece[1]))


def pages_in(language, deck, what, tmp_path, pdf_pages):
    translate = Translator(INSTALLED.packages)
    order = Order(what, deck, duplex="long", say=lambda text: translate(text, language))
    (path,) = carry_out(order, tmp_path / f"{what}-{language}.pdf")
    return path.read_bytes(), pdf_pages(path.read_bytes(), DPI)


@pytest.mark.thorough
@pytest.mark.parametrize("what", ["deck", "stickers", "tokens"])
@pytest.mark.parametrize("language", ["de", "es"])
def test_a_deck_speaks_the_sheets_language_and_the_camera_reads_the_same(
    deck, tmp_path, pdf_pages, codes_on, tags_on, language, what
):
    """All codes and tags are where they are in English; no name of a card, suit or half remains in English."""
    _, english = pages_in("en", deck, what, tmp_path, pdf_pages)
    pdf, pages = pages_in(language, deck, what, tmp_path, pdf_pages)
    shown = "\n".join(page.get_textpage().get_text_bounded() for page in pypdfium2.PdfDocument(pdf)).lower()
    assert len(pages) == len(english)
    read = set()
    for ours, theirs in zip(pages, english, strict=True):
        codes, same = codes_on(ours), codes_on(theirs)
        assert sorted(codes) == sorted(same)
        assert all(codes[text] == pytest.approx(same[text], abs=0.5) for text in codes)
        assert sorted(n for n, _ in tags_on(ours)) == sorted(n for n, _ in tags_on(theirs))
        read |= set(codes)
    pieces = deck.tokens if what == "tokens" else deck.cards
    assert read == {deck.code(piece).text for piece in pieces}
    every = [*SUITS.values(), *HALVES.values(), *CARD_NAMES.values(), token_name("LDR")]
    names = [name for name in every if Translator(INSTALLED.packages)(name, language) != name]  # Valor is Valor
    assert len(names) >= 60
    assert [name for name in names if re.search(rf"\b{re.escape(name.lower())}\b", shown)] == []


ENGLISH = re.compile(
    r"\b(deck|page|faces|stickers|print|player|seat|space|king|points?|guess|others|earn|cut|card|day|night)\b", re.I
)


@pytest.mark.parametrize("what", ["deck", "stickers"])
@pytest.mark.parametrize("kind", ["king", "standard"])
def test_no_word_of_a_decks_sheets_stays_english(deck_of, tmp_path, kind, what):
    """The header of a deck without a name of its own, the king's cards and the cut card said the same to everybody."""
    deck = replace(deck_of(kind), name="Deck K7QX")
    cards = ("A3", "AK", "R15", "R21", "G01", "GTE") if kind == "king" else ("2S", "JKR", "CUT")
    ids = [card for card in cards if what == "stickers"]  # beside the small label, the same everywhere
    translate = Translator(INSTALLED.packages)
    shown = {}
    for language in ("en", "de", "es"):
        say = partial(translate, language=language)
        (path,) = carry_out(Order(what, deck, only=cards, duplex="none", say=say), tmp_path / f"{language}.pdf")
        text = pypdfium2.PdfDocument(path)[0].get_textpage().get_text_bounded()
        shown[language] = re.sub(rf"\b({'|'.join(ids) or '-'})\b", "", text)
    assert ENGLISH.search(shown["en"])
    assert [ENGLISH.findall(shown[language]) for language in ("de", "es")] == [[], []]


@pytest.mark.parametrize("language", ["en", "de", "es"])
def test_every_name_has_its_own_and_stands_on_its_plate_in_letters_that_can_be_read(language):
    translate = Translator(INSTALLED.packages)
    names = [translate(name, language) for name in CARD_NAMES.values()]
    assert len(set(names)) == 54
    assert all(printable(name, TITLE) == name for name in names)
    wide = face.foot(geometry_of("poker", "hand")).width - 2
    assert [name for name in names if wide / text_width(name, TITLE, 1.0) < 2.75] == []


def test_labels_keep_the_geometry_of_a_card(deck, pdf_pages, codes_on, tags_on):
    """Tag and code on a label are as far apart as on a poker card; the second tag is there, turned."""
    (page,) = pdf_pages(make_pdf(Job("stickers", sticker_pieces(deck, ("6D3",)), cut="labels")), 200)
    (middle,) = codes_on(page).values()
    tags = sorted((c for _, c in tags_on(page)), key=lambda c: c[:, 0].mean())
    assert [n for n, _ in tags_on(page)] == [DECKS.tag_of["6D3"]] * 2
    geometry = CARD_GEOMETRY["poker"]
    wanted = np.array([geometry.qr.x + 15 - 5.5, geometry.qr.y + 15 - 5.5]) * 200 / 25.4
    assert np.array(middle) - tags[0][0] == pytest.approx(wanted, abs=4)
    assert tags[1][0][0] > tags[1][2][0]  # its first corner is at the bottom right


def test_all_labels_are_read(deck, pdf_pages, codes_on):
    pages = pdf_pages(make_pdf(Job("stickers", sticker_pieces(deck), cut="labels", gap=3.0)), DPI)
    texts = [text for page in pages for text in codes_on(page)]
    assert sorted(texts) == sorted(deck.code(card).text for card in deck.cards)
