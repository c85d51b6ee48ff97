"""A folder of pictures as a camera."""

import cv2
import pytest

from hardware.cameras import CameraEnded, CameraError, CameraLost
from hardware.cameras.folder import FolderCamera


@pytest.fixture
def folder(tmp_path, draw):
    for name, number in (("shot10.png", 10), ("shot2.png", 2), ("shot1.jpg", 1)):
        cv2.imwrite(str(tmp_path / name), draw.numbered(number))
    (tmp_path / "notes.txt").write_text("not a picture")
    return tmp_path


def test_pictures_come_in_the_order_of_their_numbers(folder, draw):
    camera = FolderCamera(folder, fps=0)
    assert [draw.number_of(camera.read(1).image) for _ in range(3)] == [1, 2, 10]
    with pytest.raises(CameraEnded, match="have been shown"):
        camera.read(1)


def test_a_broken_picture_is_skipped_and_named(folder, draw):
    (folder / "shot2.png").write_bytes(b"\x89PNG\r\n\x1a\n broken")
    camera = FolderCamera(folder, fps=0)
    assert [draw.number_of(camera.read(1).image) for _ in range(2)] == [1, 10]
    assert camera.skipped == ["shot2.png"]


def test_a_loop_of_only_broken_pictures_does_not_hang(folder):
    for path in folder.glob("shot*"):
        path.write_bytes(b"")
    with pytest.raises(CameraLost, match="None of the 3 pictures"):
        FolderCamera(folder, fps=0, loop=True).read(1)


def test_a_loop_starts_again(folder, draw):
    camera = FolderCamera(folder, fps=0, loop=True)
    assert [draw.number_of(camera.read(1).image) for _ in range(5)] == [1, 2, 10, 1, 2]


def test_pictures_are_shown_at_their_rate(folder, clock):
    camera = FolderCamera(folder, fps=2, sleep=clock.sleep)
    start = clock.now
    assert camera.read(0.1) is not None
    assert camera.read(0.3) is None
    assert camera.read(0.3).t == pytest.approx(0.5)
    assert clock.now - start == pytest.approx(0.5)


def test_an_empty_or_missing_folder_says_what_to_do(tmp_path):
    with pytest.raises(CameraError, match="There is no picture in the folder"):
        FolderCamera(tmp_path)
    with pytest.raises(CameraError, match="cannot be read"):
        FolderCamera(tmp_path / "nowhere")
