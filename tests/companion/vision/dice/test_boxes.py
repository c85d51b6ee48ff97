"""Boxes and crops, as the networks were trained with."""

import numpy as np
import pytest

from companion.vision.dice.boxes import DieBox, crop_of, iou, overlap, square_of


def test_a_crop_is_a_quarter_wider_than_the_die_and_centered_on_it() -> None:
    image = np.zeros((300, 400, 3), np.uint8)
    image[100:180, 200:280] = 255
    crop = crop_of(image, DieBox((200, 100, 80, 80), 1.0))
    rows = np.flatnonzero(crop[:, 48, 0] > 127)
    assert crop.shape == (96, 96, 3)
    assert len(rows) == pytest.approx(96 / 1.25, abs=2)
    assert rows.mean() == pytest.approx(47.5, abs=1)


@pytest.mark.parametrize("box", [(0, 0, 50, 50), (370, 270, 60, 60), (-30, -30, 20, 20), (500, 400, 10, 10)])
def test_beyond_the_picture_its_border_is_replicated(box: tuple[int, int, int, int]) -> None:
    image = np.full((300, 400, 3), 77, np.uint8)
    assert (crop_of(image, DieBox(box, 1.0)) == 77).all()


def test_a_square_is_centered_on_its_point() -> None:
    image = np.arange(100, dtype=np.uint8).reshape(1, 100).repeat(100, axis=0)
    assert square_of(image, (50, 50), 10)[0].tolist() == list(range(45, 55))


def test_overlap_is_over_the_smaller_box_and_iou_over_the_union() -> None:
    assert overlap((0, 0, 10, 10), (20, 20, 5, 5)) == 0
    assert overlap((0, 0, 10, 10), (2, 2, 4, 4)) == 1
    assert iou((0, 0, 10, 10), (2, 2, 4, 4)) == pytest.approx(0.16)
