"""PNG faces: exact size, plain RGB, readable, and white where the decoders need white."""

import time
from concurrent.futures import ThreadPoolExecutor

import cv2
import numpy as np
import pytest
from PIL import Image

from companion.objects.geometry import HAND_POKER, TAG_QUIET_MM, geometry_of
from companion.printing import raster
from companion.printing.files import CannotWrite
from companion.printing.pieces import back_piece, card_pieces, token_pieces
from companion.printing.raster import pixels, render, write_pngs
from companion.testing import DECKS

PX = 300 / 25.4


@pytest.mark.parametrize(("size", "expected"), [("poker", (744, 1039)), ("tarot", (827, 1417))])
def test_files_are_exactly_card_sized(deck, tmp_path, size, expected):
    """300 dpi, RGB without alpha, named after the piece."""
    paths = write_pngs([*card_pieces(deck, size, ("6D3", "2N1")), back_piece(size)], tmp_path)
    assert [path.name for path in paths] == ["6D3.png", "2N1.png", "back.png"]
    for path in paths:
        with Image.open(path) as image:
            assert (image.size, image.mode) == (expected, "RGB")
            assert image.info["dpi"] == pytest.approx((300, 300), abs=0.1)
            corners = [image.getpixel((x, y)) for x in (0, expected[0] - 1) for y in (0, expected[1] - 1)]
            assert corners == [(255, 255, 255)] * 4
    assert sorted(p.name for p in tmp_path.iterdir()) == ["2N1.png", "6D3.png", "back.png"]


def test_the_same_card_gives_the_same_file(deck, tmp_path):
    (first,) = write_pngs(card_pieces(deck, "poker", ("6D3",)), tmp_path)
    before = first.read_bytes()
    write_pngs(card_pieces(deck, "poker", ("5D1", "6D3")), tmp_path)
    assert first.read_bytes() == before


@pytest.mark.parametrize("size", ["poker", "tarot"])
@pytest.mark.parametrize("kind", ["roche", "standard"])
@pytest.mark.thorough
def test_quiet_zones_are_pure_white(deck_of, size, kind):
    """The quiet zones are white: two modules around the QR code, 1.5 mm around each tag."""
    geometry = geometry_of(size, DECKS[kind].layouts[0])
    zones = (
        (geometry.qr, geometry.qr_quiet),
        (geometry.first_tag, TAG_QUIET_MM),
        (geometry.second_tag, TAG_QUIET_MM),
    )
    for image in render(card_pieces(deck_of(kind), size)):
        pixels_of = np.asarray(image)
        for box, quiet in zones:
            assert _ring(pixels_of, box, quiet).min() == 255


def _ring(image, box, quiet):
    """The pixels of a box's quiet zone, one pixel inside its edges."""
    outer = [round((v - quiet) * PX) + 1 for v in (box.x, box.y)]
    far = [round((v + quiet) * PX) - 1 for v in (box.x + box.width, box.y + box.height)]
    inner = [round(v * PX) - 1 for v in (box.x, box.y)]
    end = [round(v * PX) + 1 for v in (box.x + box.width, box.y + box.height)]
    mask = np.zeros(image.shape[:2], bool)
    mask[outer[1] : far[1], outer[0] : far[0]] = True
    mask[inner[1] : end[1], inner[0] : end[0]] = False
    return image[mask]


def test_code_modules_are_pure_black(deck):
    (image,) = render(card_pieces(deck, "poker", ("6D3",)))
    qr = HAND_POKER.qr
    assert image.getpixel((round((qr.x + 0.7) * PX), round((qr.y + 0.7) * PX))) == (0, 0, 0)


def test_the_back_is_the_same_upside_down_and_carries_no_code(codes_on, tags_on):
    for size in ("poker", "tarot"):
        (image,) = render([back_piece(size)])
        back = np.asarray(image)
        assert np.abs(back.astype(int) - back[::-1, ::-1]).mean() < 2.5
        assert (codes_on(back), tags_on(back)) == ({}, [])
        assert back.mean() < 140  # never taken for a white card


def test_tokens_have_their_tag_in_front_and_their_code_behind(deck, codes_on, tags_on):
    for face, back in token_pieces(deck):
        front_image, back_image = (np.asarray(image) for image in render([face, back]))
        assert front_image.shape == (472, 472, 3)
        ((number, corners),) = tags_on(front_image)
        assert number == DECKS.tag_of[face.name]
        assert corners.mean(axis=0) == pytest.approx((236, 236), abs=2)
        assert np.linalg.norm(corners[1] - corners[0]) == pytest.approx(16 * PX, abs=3)
        assert list(codes_on(back_image)) == [deck.code(face.name).text]


@pytest.mark.thorough
def test_cards_are_read_at_the_smallest_promised_size(deck, codes_on):
    """2.3 px a module: the card 99 px wide is read for every card of the deck."""
    scale = 2.3 * 21 / 30 / PX
    texts = set()
    for image in render(card_pieces(deck)):
        small = cv2.resize(np.asarray(image), None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        texts |= set(codes_on(cv2.resize(small, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)))
    assert texts == {deck.code(card).text for card in deck.cards}


@pytest.mark.thorough
def test_no_two_cards_look_alike(deck):
    """The pictures differ, not only the codes."""
    seen = set()
    for image in render(card_pieces(deck)):
        art = image.crop((60, 490, 500, 800))
        seen.add(art.tobytes())
    assert len(seen) == 54


def test_a_full_disk_or_missing_folder_leaves_no_half_file(deck, tmp_path):
    with pytest.raises(CannotWrite, match="cannot be written"):
        write_pngs(card_pieces(deck, "poker", ("6D3",)), tmp_path / "nowhere")
    assert list(tmp_path.iterdir()) == []


def test_pixels_round_to_the_nearest():
    assert [pixels(mm) for mm in (63, 88, 70, 120, 40)] == [744, 1039, 827, 1417, 472]


def test_threads_take_turns_at_the_renderer(deck, monkeypatch):
    """The renderer is not thread-safe: concurrent use crashes the process, though rarely."""
    busy, most = [0], [0]

    def alone(work):
        def counted(*args):
            busy[0] += 1
            most[0] = max(most[0], busy[0])
            time.sleep(0.02)
            try:
                return work(*args)
            finally:
                busy[0] -= 1

        return counted

    for name in ("_pages", "_render_band"):
        monkeypatch.setattr(raster, name, alone(getattr(raster, name)))

    def draw(card):
        return [picture.tobytes() for picture in render(card_pieces(deck, only=(card, "6D3")))]

    cards = ["2N1", "7D7", "4D4", "5N1"]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(draw, cards))
    assert most == [1]
    assert together == [draw(card) for card in cards]
