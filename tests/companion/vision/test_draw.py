"""The annotated picture: all states look different, and nothing is drawn outside of it."""

import cv2
import numpy as np
import pytest

from companion.vision.draw import Mark, annotate, to_jpeg

CARD = ((100, 100), (230, 100), (230, 285), (100, 285))
KINDS = ("counted", "seen", "tag", "stranger", "asked", "token")


def grey(width=1920, height=1080):
    return np.full((height, width, 3), 90, np.uint8)


def test_the_picture_is_shrunk_and_the_original_left_alone():
    image = grey()
    shown = annotate(image, [Mark(CARD, "6D3", "seen")])
    assert shown.shape == (720, 1280, 3)
    assert (image == 90).all()
    assert annotate(grey(640, 480), []).shape == (480, 640, 3)


def test_every_kind_looks_different():
    drawn = [annotate(grey(), [Mark(CARD, "6D3", kind)]) for kind in KINDS]
    for i, a in enumerate(drawn):
        for b in drawn[:i]:
            assert np.abs(a.astype(int) - b).max() > 30


@pytest.mark.parametrize("kind", ["tag", "stranger"])
def test_kinds_can_be_told_apart_without_colour(kind):
    """Dashes and crosses are visible in black and white, too."""
    plain = annotate(grey(), [Mark(CARD, "6D3", "counted")])
    other = annotate(grey(), [Mark(CARD, "6D3", kind)])
    edges = [cv2.threshold(cv2.absdiff(cv2.cvtColor(p, cv2.COLOR_BGR2GRAY), 90), 10, 1, 0)[1] for p in (plain, other)]
    assert abs(int(edges[0].sum()) - int(edges[1].sum())) > 200


def test_labels_stay_inside_and_strange_letters_do_no_harm():
    for outline in (CARD, tuple((x - 150, y - 150) for x, y in CARD), tuple((x + 1800, y + 950) for x, y in CARD)):
        shown = annotate(grey(), [Mark(outline, "6D3 ✓ forged", "stranger")], banner="camera lost: an old picture")
        plain = annotate(grey(), [], banner="camera lost: an old picture")
        assert shown.shape == plain.shape
        assert (shown != plain).any(axis=2).sum() > 500  # an outline with its label, or what is left of them


def test_the_label_is_tall_enough_for_a_phone():
    """At 400 pixels across the letters are at least 7 pixels tall."""
    shown = annotate(grey(), [Mark(CARD, "6D3", "counted")])
    plate = (np.abs(shown.astype(int) - (115, 158, 0)).max(axis=2) < 12).any(axis=1)
    longest = max(len(run) for run in "".join("x" if row else " " for row in plate).split())
    assert longest * 400 / 1280 >= 7


def test_jpeg_of_nothing_is_refused():
    assert to_jpeg(grey(64, 64))[:2] == b"\xff\xd8"
    with pytest.raises(ValueError, match="empty picture"):
        to_jpeg(np.zeros((0, 0, 3), np.uint8))
