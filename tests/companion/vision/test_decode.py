"""Decoding of single printed codes and tags."""

import cv2
import numpy as np
import pytest
import segno

from companion.objects.geometry import HAND_POKER
from companion.testing import DECKS
from companion.vision.decoders.qr import merge_codes, read_codes, read_rectified
from companion.vision.decoders.tags import TagFinder, merge_tags
from companion.vision.frame import to_gray
from companion.vision.sightings import CodeSeen, TagSeen, to_points

PX_PER_MM = 300 / 25.4


def test_a_printed_code_is_read_with_its_corners_clockwise_from_its_top_left(pictures: dict[str, np.ndarray]) -> None:
    (code,) = read_codes(to_gray(pictures["6D3"])).read
    assert code.text.startswith("6D3K7QX")
    expected = np.array(HAND_POKER.qr.corners) * PX_PER_MM
    assert np.abs(to_points(code.corners) - expected).max() < 3


@pytest.mark.parametrize("quarter", [0, 1, 2, 3])
def test_corners_turn_with_the_card(pictures: dict[str, np.ndarray], quarter: int) -> None:
    upright = read_codes(to_gray(pictures["6D3"])).read[0].corners
    turned = np.rot90(to_gray(pictures["6D3"]), -quarter)
    (code,) = read_codes(np.ascontiguousarray(turned)).read
    tags = TagFinder().find(np.ascontiguousarray(turned))
    h, w = pictures["6D3"].shape[:2]
    x, y = upright[0]
    top_left = [(x, y), (h - y, x), (w - x, h - y), (y, w - x)][quarter]
    assert np.hypot(code.corners[0][0] - top_left[0], code.corners[0][1] - top_left[1]) < 4
    assert [t.number for t in tags] == [DECKS.tag_of["6D3"]] * 2


def test_both_tags_are_read_and_the_second_is_upside_down(pictures: dict[str, np.ndarray]) -> None:
    tags = TagFinder().find(to_gray(pictures["7N5"]))
    assert {t.number for t in tags} == {DECKS.tag_of["7N5"]}
    first, second = sorted(tags, key=lambda t: t.corners[0][1])
    assert np.abs(to_points(first.corners) - np.array(HAND_POKER.first_tag.corners) * PX_PER_MM).max() < 2
    home = np.roll(np.array(HAND_POKER.second_tag.corners), 2, axis=0) * PX_PER_MM
    assert np.abs(to_points(second.corners) - home).max() < 2


def test_every_card_and_token_has_a_tag_that_reads_as_its_own() -> None:
    family = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
    finder = TagFinder()
    for number in range(201):
        paper = np.full((60, 60), 240, np.uint8)
        paper[14:46, 14:46] = cv2.aruco.generateImageMarker(family, number, 32)
        assert [t.number for t in finder.find(paper)] == [number]


@pytest.mark.parametrize(("allowed", "wrong", "is_read"), [(0, 0, True), (0, 1, False), (1, 1, True), (1, 2, False)])
def test_no_more_bits_are_corrected_than_allowed(allowed: int, wrong: int, is_read: bool) -> None:
    family = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
    modules = cv2.aruco.generateImageMarker(family, 77, 8)
    modules[3, 2 : 2 + wrong] ^= 255
    paper = np.full((104, 104), 240, np.uint8)
    paper[20:84, 20:84] = np.kron(modules, np.ones((8, 8), np.uint8))
    assert [tag.number for tag in TagFinder(max_errors=allowed).find(paper)] == ([77] if is_read else [])


def test_nothing_is_read_in_clutter_that_looks_like_tags() -> None:
    """Bordered squares of random bits, QR codes of all kinds, noise: none may decode to a number."""
    rng = np.random.default_rng(20)
    finder = TagFinder()
    for _ in range(3):
        sheet = np.full((720, 1280), 235, np.uint8)
        for y in range(0, 690, 30):
            for x in range(0, 1250, 30):
                bits = rng.integers(0, 2, (8, 8)).astype(np.uint8)
                bits[[0, -1]] = bits[:, [0, -1]] = 0
                sheet[y + 3 : y + 27, x + 3 : x + 27] = cv2.resize(bits * 220 + 15, (24, 24), interpolation=0)
        noisy = np.clip(cv2.GaussianBlur(sheet, (0, 0), 0.6) + rng.normal(0, 3, sheet.shape), 0, 255)
        assert finder.find(noisy.astype(np.uint8)) == ()


@pytest.mark.parametrize("shape", [(0, 0), (1, 1), (3, 5), (8, 8), (31, 400), (400, 2), (33, 33)])
def test_pictures_of_any_size_are_looked_at(shape: tuple[int, int]) -> None:
    gray = np.random.default_rng(3).integers(0, 256, shape).astype(np.uint8)
    assert TagFinder().find(gray) == ()
    assert read_codes(gray).read == ()


def test_other_codes_are_read_as_what_they_say() -> None:
    modules = np.array(segno.make_qr("https://example.org").matrix)
    image = np.kron(255 - 255 * np.pad(modules, 4), np.ones((4, 4))).astype(np.uint8)
    assert [c.text for c in read_codes(image).read] == ["https://example.org"]


def test_a_code_is_read_where_it_is_expected_even_when_small_and_tilted(pictures: dict[str, np.ndarray]) -> None:
    gray = to_gray(pictures["4D4"])
    h, w = gray.shape
    corners = np.array([[40, 30], [130, 45], [118, 172], [25, 150]], np.float32)
    matrix = cv2.getPerspectiveTransform(np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32), corners)
    small = cv2.GaussianBlur(gray, (0, 0), 2.2)
    view = cv2.warpPerspective(small, matrix, (180, 200), flags=cv2.INTER_AREA, borderValue=80)
    place = cv2.perspectiveTransform(np.array([HAND_POKER.qr.corners], np.float32) * np.float32(PX_PER_MM), matrix)[0]
    seen = read_rectified(np.asarray(view, np.uint8), place + 2)
    assert seen is not None
    assert seen.text.startswith("4D4")
    assert np.abs(to_points(seen.corners) - place).max() < 2


def test_the_same_code_at_the_same_place_is_kept_once() -> None:
    square = ((0.0, 0.0), (20.0, 0.0), (20.0, 20.0), (0.0, 20.0))
    near = ((3.0, 0.0), (23.0, 0.0), (23.0, 20.0), (3.0, 20.0))
    far = ((90.0, 0.0), (110.0, 0.0), (110.0, 20.0), (90.0, 20.0))
    assert merge_codes([]) == ()
    assert merge_codes([CodeSeen("A", square), CodeSeen("A", near), CodeSeen("A", far), CodeSeen("B", near)]) == (
        CodeSeen("A", square),
        CodeSeen("A", far),
        CodeSeen("B", near),
    )
    assert merge_tags([TagSeen(1, square), TagSeen(1, near), TagSeen(2, near)]) == (
        TagSeen(1, square),
        TagSeen(2, near),
    )
