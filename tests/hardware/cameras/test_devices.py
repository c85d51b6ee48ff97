"""Local camera devices, as far as testable without one; the Pi camera through a fake of its library."""

import threading
import time
from pathlib import Path

import numpy as np
import pytest

from hardware.cameras import CameraError, CameraLost
from hardware.cameras.grabber import Grabber
from hardware.cameras.picamera2 import PiCamera, count_cameras, load_library
from hardware.cameras.pixels import as_bgr
from hardware.cameras.v4l2 import V4l2Camera, capture_devices, check_device


def test_a_missing_device_names_those_that_exist():
    with pytest.raises(CameraError, match=r"There is no camera /dev/video93 \(there is: .*\)"):
        V4l2Camera(93)


def test_a_device_that_is_no_camera_says_so():
    """/dev/null opens as a file, but not as a camera."""
    with pytest.raises(CameraError, match="/dev/null is there but cannot be opened as a camera"):
        V4l2Camera("/dev/null")


def test_a_device_without_permission_names_the_group(tmp_path, monkeypatch):
    node = tmp_path / "video0"
    node.touch()
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(CameraError, match="group 'video'"):
        check_device(str(node))


def test_the_metadata_node_of_a_usb_camera_is_passed_over(tmp_path):
    for name, index in (("video10", "0"), ("video0", "0"), ("video1", "1")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "index").write_text(f"{index}\n")
    assert capture_devices(tmp_path) == ["/dev/video0", "/dev/video10"]


def test_no_devices_on_a_machine_without_any():
    assert capture_devices(Path("/nowhere")) == []


class FakePicamera2:
    """Fake of picamera2's class that records its configuration."""

    def __init__(self, index):
        if index > 0:
            raise IndexError("list index out of range")
        self.calls = []
        self.camera_controls = {"AfMode": (0, 2, 0)}

    def __getattr__(self, name):
        return lambda *args, **kw: self.calls.append((name, args, kw))

    def create_video_configuration(self, **how):
        self.calls.append(("config", (), how))
        return how

    def capture_array(self, stream):
        time.sleep(0.01)
        image = np.zeros((4, 6, 3), np.uint8)
        image[:] = (200, 100, 50)  # blue first: memory order of RGB888
        return image

    @staticmethod
    def global_camera_info():
        return [{"Id": "/base/soc/i2c0mux/imx708@1a"}, {"Id": "/base/soc/usb@7e980000/usb-1"}]


class FakeLibrary:
    Picamera2 = FakePicamera2


def test_the_pi_camera_is_set_up_for_opencv_with_autofocus():
    with PiCamera(size=(1920, 1080), fps=30, library=FakeLibrary) as camera:
        frame = camera.read(2)
        calls = camera._device.calls
    assert frame.image[0, 0].tolist() == [200, 100, 50]
    config = next(kw for name, _, kw in calls if name == "config")
    assert config["main"] == {"size": (1920, 1080), "format": "RGB888"}
    assert config["controls"] == {"FrameRate": 30}
    assert ("set_controls", ({"AfMode": 2},), {}) in calls
    assert [name for name, _, _ in calls][-2:] == ["stop", "close"]


def test_a_missing_pi_camera_says_how_to_look_for_it():
    with pytest.raises(CameraError, match="rpicam-hello --list-cameras"):
        PiCamera(1, library=FakeLibrary)


def test_usb_cameras_do_not_count_as_pi_cameras():
    assert count_cameras(FakeLibrary) == 1


def test_without_picamera2_it_says_how_to_install_it():
    with pytest.raises(CameraError, match="sudo apt install python3-picamera2"):
        load_library()


def test_only_the_newest_picture_is_kept_and_none_is_given_twice():
    pictures = iter([np.full((2, 2, 3), i, np.uint8) for i in range(5)])
    is_over = threading.Event()

    def grab():
        try:
            return next(pictures)
        except StopIteration:
            is_over.set()
            raise

    grabber = Grabber("webcam", grab)
    assert is_over.wait(10)
    assert grabber.read(1).number == 4
    with pytest.raises(CameraLost, match="webcam failed"):
        grabber.read(1)
    released: list[int] = []
    grabber.stop(lambda: released.append(1))
    assert released == [1]


def test_while_nothing_moves_most_pictures_are_left_packed():
    """At most a quarter of them is decoded; once something moves, all are."""
    taken: list[str] = []

    def device(what: str) -> bool:
        time.sleep(0.01)
        taken.append(what)
        return True

    grabber = Grabber("webcam", lambda: np.zeros((4, 6, 3), np.uint8) if device("unpacked") else None,
                      skip=lambda: device("skipped"))  # fmt: skip
    try:
        grabber.min_interval_s = 0.1
        time.sleep(0.5)
        calm = list(taken)
        grabber.min_interval_s = 0.0
        time.sleep(0.2)
    finally:
        grabber.stop(lambda: None)
    assert 2 <= calm.count("unpacked") < len(calm) / 4
    assert "skipped" not in taken[len(calm) + 1 :]


def test_a_device_that_fails_while_pictures_are_skipped_is_lost():
    def unplugged() -> bool:
        raise OSError("unplugged")

    pictures = iter([np.zeros((4, 6, 3), np.uint8)])
    grabber = Grabber("webcam", lambda: next(pictures, None), skip=unplugged)
    grabber.min_interval_s = 5.0
    assert grabber.read(5.0) is not None
    with pytest.raises(CameraLost, match="webcam stopped sending pictures"):
        grabber.read(5.0)
    grabber.stop(lambda: None)


def test_a_driver_that_hangs_is_noticed():
    """The reader gets None, then CameraLost; the stuck thread releases the device once its call returns."""
    is_back, released = threading.Event(), threading.Event()

    def grab():
        is_back.wait(10)

    grabber = Grabber("webcam", grab, stalled_after_s=0.2)
    assert grabber.read(0.05) is None
    time.sleep(0.25)
    with pytest.raises(CameraLost, match="webcam has sent no picture"):
        grabber.read(0.05)
    grabber.stop(released.set, 0.05)
    assert not released.is_set()  # never while the thread is reading
    is_back.set()
    assert released.wait(5)


def test_grey_and_alpha_pictures_become_bgr():
    assert as_bgr(np.zeros((2, 3), np.uint8)).shape == (2, 3, 3)
    assert as_bgr(np.zeros((2, 3, 4), np.uint8)).shape == (2, 3, 3)
    with pytest.raises(CameraError, match=r"gives float32 \(2, 3\) instead of uint8"):
        as_bgr(np.zeros((2, 3), np.float32))
