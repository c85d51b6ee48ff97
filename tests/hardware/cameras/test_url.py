"""Network cameras, against a real MJPEG server on this machine."""

import time

import pytest

from hardware.cameras import CameraError, CameraLost, ReconnectingCamera
from hardware.cameras.url import UrlCamera


def read_until(camera, timeout_s=8.0):
    end = time.monotonic() + timeout_s
    while time.monotonic() < end:
        frame = camera.read(0.2)
        if frame is not None:
            return frame
    return None


def read_on(camera, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        camera.read(0.2)


def test_a_stream_gives_its_newest_picture(serve):
    """A reader that pauses gets no outdated pictures afterwards."""
    with UrlCamera(serve().url, open_timeout_s=3, read_timeout_s=3) as camera:
        first = camera.read(3)
        time.sleep(0.4)
        later = camera.read(1)
    assert first.image.shape == (48, 64, 3)
    assert later.t - first.t > 0.3
    assert later.number > first.number + 3


def test_a_picture_that_is_cut_short_is_passed_over(serve):
    """Only complete pictures are shown; the stream continues."""
    server = serve()
    server.broken.set()
    with UrlCamera(server.url, open_timeout_s=3, read_timeout_s=3) as camera:
        for _ in range(3):
            assert camera.read(3).image.shape == (48, 64, 3)


@pytest.mark.thorough
def test_a_calm_camera_unpacks_some_pictures_only(serve):
    """Of fifty pictures per second about eight are decoded, and all once something moves."""
    with UrlCamera(serve().url, open_timeout_s=3, read_timeout_s=3) as camera:
        assert camera.read(3) is not None
        camera.set_idle(True)
        camera.read(3)
        start, given = time.monotonic(), 0
        while time.monotonic() < start + 1.0:
            given += camera.read(0.2) is not None
        assert 2 <= given <= 16  # a busy machine reads a little longer than requested
        camera.set_idle(False)
        camera.read(3)
        start, lively = time.monotonic(), 0
        while time.monotonic() < start + 1.0:
            lively += camera.read(0.2) is not None
        assert lively > given


def test_nobody_there(serve):
    server = serve()
    server.kill()
    start = time.monotonic()
    with pytest.raises(CameraError, match=f"No video comes from http://127.0.0.1:{server.port}/video"):
        UrlCamera(server.url, open_timeout_s=2)
    assert time.monotonic() - start < 5


def test_an_address_that_never_answers_does_not_hang(deaf_port):
    start = time.monotonic()
    with pytest.raises(CameraError, match="waited up to 1 s"):
        UrlCamera(f"http://127.0.0.1:{deaf_port}/", open_timeout_s=1)
    assert time.monotonic() - start < 5


def test_a_stream_that_falls_silent_is_lost(serve):
    server = serve()
    with UrlCamera(server.url, open_timeout_s=3, read_timeout_s=1) as camera:
        assert camera.read(3) is not None
        server.silent.set()
        with pytest.raises(CameraLost, match="opened again by itself"):
            read_on(camera, 8)


def test_a_camera_that_dies_mid_stream_comes_back(serve):
    """The server is killed and restarted: pictures continue, with later times and higher numbers."""
    server = serve()
    camera = ReconnectingCamera(lambda: UrlCamera(server.url, open_timeout_s=1, read_timeout_s=1), name="phone")
    with camera:
        before = read_until(camera)
        assert camera.status.state == "ok"
        server.kill()
        end = time.monotonic() + 8
        while camera.status.state == "ok" and time.monotonic() < end:
            before = camera.read(0.1) or before
        assert camera.status.state == "lost"
        assert "same network" in camera.status.text
        serve(server.port)
        after = read_until(camera)
        assert after is not None
        assert camera.status.state == "ok"
        assert camera.reopened == 1
        assert after.t > before.t
        assert after.number > before.number
