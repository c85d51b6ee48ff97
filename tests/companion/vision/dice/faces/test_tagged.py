"""The printed Rugen die is read by the tag on its upper face."""

import cv2
import numpy as np
import pytest

from companion.printing.dice.face import face_pieces
from companion.printing.raster import render
from companion.vision.dice.boxes import DieBox
from companion.vision.dice.faces.tagged import tagged_face


@pytest.fixture(scope="module")
def faces() -> list[np.ndarray]:
    return [cv2.cvtColor(np.array(image), cv2.COLOR_RGB2BGR) for image in render(face_pieces(24.0))]


def lying(face: np.ndarray, turn: float, size: int = 240) -> tuple[np.ndarray, DieBox]:
    """A face on a die of this size: its triangle is 0.54 of the die, its tag at the center."""
    picture = np.full((size + 60, size + 60, 3), 120, np.uint8)
    shrunk = cv2.resize(face, None, fx=0.54 * size / face.shape[1], fy=0.54 * size / face.shape[1],
                        interpolation=cv2.INTER_AREA)  # fmt: skip
    h, w = shrunk.shape[:2]
    x, y = (size + 60 - w) // 2, int((size + 60) / 2 - 2 * h / 3)
    picture[y : y + h, x : x + w] = shrunk
    matrix = cv2.getRotationMatrix2D(((size + 60) / 2, (size + 60) / 2), turn, 1.0)
    turned = cv2.warpAffine(picture, matrix, (size + 60, size + 60), borderValue=(120, 120, 120))
    return cv2.GaussianBlur(np.asarray(turned, np.uint8), (3, 3), 0), DieBox((30, 30, size, size), 1.0)


@pytest.mark.parametrize("turn", [0.0, 77.0])
def test_every_printed_face_is_read_by_its_tag(faces: list[np.ndarray], turn: float) -> None:
    assert len(faces) == 20
    assert [tagged_face(*lying(face, turn)) for face in faces] == list(range(1, 21))


def test_an_off_center_tag_is_not_on_the_upper_face(faces: list[np.ndarray]) -> None:
    picture, box = lying(faces[4], 0.0)
    assert tagged_face(picture, DieBox((box.box[0] + 90, 30, 240, 240), 1.0)) is None


def test_without_a_tag_there_is_no_answer() -> None:
    assert tagged_face(np.full((200, 200, 3), 90, np.uint8), DieBox((40, 40, 100, 100), 1.0)) is None
