"""Values of the option --camera."""

import logging

import cv2
import pytest
from fake_camera import FakeCamera

from hardware.cameras import CameraError, choose_camera, open_camera
from hardware.cameras.open import Probe


def probe(pi=0, devices=None):
    devices = devices or {}
    return Probe(lambda: pi, lambda: list(devices), lambda device: devices[device])


def test_auto_takes_the_pi_camera_first():
    choice = choose_camera("auto", probe(pi=1, devices={"/dev/video0": None}))
    assert (choice.kind, choice.target) == ("picamera2", "0")


def test_auto_takes_the_first_device_that_gives_a_picture():
    choice = choose_camera("auto", probe(devices={"/dev/video0": "It is busy.", "/dev/video2": None}))
    assert (choice.kind, choice.target) == ("v4l2", "/dev/video2")
    assert choice.why == "/dev/video2, the first camera that gives a picture."


def test_auto_without_a_camera_is_the_demo_table_and_says_why():
    assert choose_camera("auto", probe()).why == "No camera is connected. The demo table stands in."
    choice = choose_camera("auto", probe(devices={"/dev/video0": "It is busy."}))
    assert (choice.kind, choice.why) == ("demo", "/dev/video0 does not work: It is busy. The demo table stands in.")


def test_files_folders_and_addresses_are_told_apart(tmp_path, video, draw):
    picture = tmp_path / "a.PNG"
    cv2.imwrite(str(tmp_path / "a.png"), draw.numbered(1))
    (tmp_path / "a.png").rename(picture)
    kinds = [choose_camera(str(p)).kind for p in (tmp_path, picture, video, "rtsp://eye/live")]
    assert kinds == ["folder", "image", "file", "url"]


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("webcam", "There is no camera, file or folder 'webcam'. Use auto, demo, a number"),
        ("97", "There is no camera /dev/video97"),
        ("/dev/video98", "There is no camera /dev/video98"),
        ("ftp://host/video", "ftp:// is no address of a camera. Use one of http"),
        ("", "There is no camera, file or folder ''"),
    ],
)
def test_a_wrong_name_says_what_would_be_right(spec, says):
    with pytest.raises(CameraError) as error:
        open_camera(spec)
    assert str(error.value).startswith(says)


@pytest.mark.parametrize(
    "address",
    [
        "rtsp://eye:secret@10.0.0.7/live",
        "rtsp://eye:a@secret@10.0.0.7/live",
        "http://10.0.0.7/video.cgi?user=eye&pwd=secret",
    ],
)
def test_a_password_in_an_address_is_never_shown(address):
    choice = choose_camera(address)
    assert "secret" not in choice.why
    assert "secret" not in choice.name
    assert "10.0.0.7" in choice.name
    assert choice.target == address


def test_the_demo_camera_is_made_by_whoever_knows_the_deck(caplog):
    mine = FakeCamera([])
    with caplog.at_level(logging.INFO):
        assert open_camera("demo", demo=lambda: mine) is mine
    assert "The demo table, as asked for." in caplog.text


def test_the_demo_table_is_refused_where_nobody_brings_one():
    with pytest.raises(CameraError, match=r"^The demo table, as asked for\. But this needs a real camera: connect "):
        open_camera("demo")


def test_a_video_is_opened_by_its_name(video, draw):
    with open_camera(str(video)) as camera:
        assert camera.name == str(video)
        assert draw.number_of(camera.read(1).image) == 0


@pytest.mark.parametrize("spec", ["/videos/caf\udce9.mp4", "http://phone/\udce9"])
def test_a_name_that_is_not_utf8_is_refused_before_opencv_dies_of_it(spec: str) -> None:
    with pytest.raises(CameraError, match="Rename it"):
        choose_camera(spec)
