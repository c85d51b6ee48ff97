"""Validation of pictures."""

import numpy as np
import pytest

from companion.testing import DECKS
from companion.vision import Frame, Reader, read_image

PICTURES = [
    ("empty", np.zeros((0, 0, 3), np.uint8)),
    ("no rows", np.zeros((0, 640, 3), np.uint8)),
    ("no columns", np.zeros((480, 0, 3), np.uint8)),
    ("one pixel", np.zeros((1, 1, 3), np.uint8)),
    ("a line", np.zeros((1, 500, 3), np.uint8)),
    ("tiny", np.full((7, 9, 3), 200, np.uint8)),
    ("small", np.zeros((31, 33, 3), np.uint8)),
    ("black", np.zeros((480, 640, 3), np.uint8)),
    ("white", np.full((480, 640, 3), 255, np.uint8)),
    ("noise", np.random.default_rng(1).integers(0, 256, (480, 640, 3)).astype(np.uint8)),
    ("odd sides", np.full((333, 577, 3), 90, np.uint8)),
    ("read only and not contiguous", np.full((480, 1280, 3), 90, np.uint8)[:, ::2]),
]

NONSENSE = [
    (np.zeros((480, 640), np.uint8), r"frame must be uint8 \(H, W, 3\), got uint8 \(480, 640\)"),
    (np.zeros((480, 640, 4), np.uint8), r"got uint8 \(480, 640, 4\)"),
    (np.zeros((480, 640, 3), np.float32), r"got float32 \(480, 640, 3\)"),
    (np.zeros((0,), np.uint8), r"got uint8 \(0,\)"),
    (None, "got NoneType"),
    ([[1, 2, 3]], "got list"),
]


@pytest.mark.parametrize(("name", "image"), PICTURES, ids=[n for n, _ in PICTURES])
def test_a_picture_without_cards_has_none(name: str, image: np.ndarray) -> None:
    reading = read_image(image, {}, DECKS)
    assert (reading.cards, reading.tokens, reading.warnings) == ((), (), ())
    assert reading.size == (image.shape[1], image.shape[0])


@pytest.mark.parametrize(("name", "image"), PICTURES, ids=[n for n, _ in PICTURES])
def test_a_camera_may_send_any_picture_at_any_time(name: str, image: np.ndarray) -> None:
    reader = Reader({}, DECKS)
    for number in range(3):
        reading = reader.read(Frame(image, number / 30, number))
        assert (reading.cards, reading.size) == ((), (image.shape[1], image.shape[0]))


@pytest.mark.parametrize(("image", "message"), NONSENSE)
def test_what_is_no_picture_is_refused_with_both_shapes_named(image: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_image(image, {}, DECKS)
    with pytest.raises(ValueError, match=message):
        Reader({}, DECKS).read(Frame(image, 0.0, 0))  # type: ignore[arg-type]


def test_an_unknown_expectation_is_named() -> None:
    with pytest.raises(ValueError, match="Cannot expect 'tarot' on the table"):
        read_image(np.zeros((9, 9, 3), np.uint8), {}, DECKS, expect=["tarot"])
