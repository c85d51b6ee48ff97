"""Reconnecting to a lost camera."""

from itertools import pairwise

import numpy as np
import pytest
from fake_camera import FakeCamera

from companion.vision.frame import Frame
from hardware.cameras import CameraEnded, CameraError, CameraLost, ReconnectingCamera
from hardware.cameras.base import Camera

PICTURE = np.zeros((4, 6, 3), np.uint8)


class Bench:
    """Opens prepared cameras one after the other, and records the times."""

    def __init__(self, clock, *sources):
        self.clock, self.sources, self.opened_at = clock, list(sources), []

    def __call__(self):
        self.opened_at.append(self.clock.now)
        source = self.sources.pop(0) if self.sources else CameraError("Nothing is connected. Plug it in.")
        if isinstance(source, CameraError):
            raise source
        return source


def run(camera, clock, seconds, step=0.1):
    """Read for some seconds of the test's clock."""
    frames, end = [], clock.now + seconds
    while clock.now < end:
        frame = camera.read(0)
        clock.sleep(step)
        frames += [] if frame is None else [frame]
    return frames


def test_a_source_that_never_opens_is_tried_less_and_less_often(clock):
    """After 0.5, 1, 2, 4, 8 and then every 10 seconds; reading never raises."""
    bench = Bench(clock)
    camera = ReconnectingCamera(bench, clock=clock)
    assert run(camera, clock, 60) == []
    gaps = [round(b - a, 0) for a, b in pairwise(bench.opened_at)]
    assert gaps[1:7] == [1, 2, 4, 8, 10, 10]
    assert camera.status.state == "lost"
    assert camera.status.text == "Nothing is connected. Plug it in."


def test_a_lost_source_is_opened_again_and_frames_go_on(clock):
    first = FakeCamera([PICTURE, PICTURE, CameraLost("Unplugged. Plug it in.")])
    second = FakeCamera([PICTURE, PICTURE, PICTURE])
    camera = ReconnectingCamera(Bench(clock, first, second), clock=clock)
    frames = run(camera, clock, 2)
    assert [f.number for f in frames] == [0, 1, 2, 3, 4]
    assert all(a.t < b.t for a, b in pairwise(frames))
    assert first.closed == 1
    assert camera.reopened == 1


def test_the_wait_starts_short_again_after_a_good_picture(clock):
    bench = Bench(
        clock,
        *[CameraError("x")] * 4,
        FakeCamera([PICTURE, CameraLost("gone")]),
        FakeCamera([PICTURE]),
    )
    run(ReconnectingCamera(bench, clock=clock), clock, 12)
    assert bench.opened_at[5] - bench.opened_at[4] < 1


def test_the_end_of_a_file_is_no_fault_and_stays(clock):
    bench = Bench(clock, FakeCamera([PICTURE, CameraEnded("The video is over.")]))
    camera = ReconnectingCamera(bench, clock=clock)
    assert len(run(camera, clock, 30)) == 1
    assert (camera.status.state, camera.status.text) == ("ended", "The video is over.")
    assert len(bench.opened_at) == 1


def test_a_source_that_only_gives_nothing_counts_as_lost(clock):
    silent = FakeCamera([None] * 1000)
    camera = ReconnectingCamera(Bench(clock, silent, FakeCamera([PICTURE])), clock=clock, silent_after_s=5)
    frames = run(camera, clock, 10)
    assert silent.closed == 1
    assert len(frames) == 1


def test_the_status_says_since_when(clock):
    camera = ReconnectingCamera(Bench(clock, FakeCamera([PICTURE])), clock=clock)
    began = clock.now
    camera.read(0)
    clock.sleep(7)
    assert (camera.status.state, camera.status.since) == ("ok", began)


def test_an_open_camera_may_be_given(clock):
    bench = Bench(clock)
    camera = ReconnectingCamera(bench, camera=FakeCamera([PICTURE]), clock=clock)
    assert camera.read(0) is not None
    assert bench.opened_at == []


def test_a_source_that_is_opened_again_hears_that_nothing_moves(clock):
    told: list[tuple[int, bool]] = []

    class Source(Camera):
        def __init__(self, number: int) -> None:
            self.number, self.name = number, "webcam"

        def set_idle(self, is_idle: bool) -> None:
            told.append((self.number, is_idle))

        def read(self, timeout_s: float) -> Frame | None:
            raise CameraLost("unplugged")

    numbers = iter((1, 2))
    camera = ReconnectingCamera(lambda: Source(next(numbers)), clock=clock)
    camera.set_idle(True)
    camera.read(0.1)
    clock.now += 5.0
    camera.read(0.1)
    assert told == [(1, True), (2, True)]


def test_closing_twice_closes_the_source_once(clock):
    source = FakeCamera([PICTURE, PICTURE])
    camera = ReconnectingCamera(Bench(clock, source), clock=clock)
    camera.read(0)
    camera.close()
    camera.close()
    assert source.closed == 1
    assert camera.read(0) is None


def test_a_source_that_opens_only_after_it_was_closed_is_let_go(clock):
    """A hanging device takes ten seconds to open: if it were kept, the next game's camera could not open it."""
    source = FakeCamera([PICTURE])

    def slow():
        camera.close()
        return source

    camera = ReconnectingCamera(slow, clock=clock)
    assert camera.read(0) is None
    assert source.closed == 1


def test_a_mistake_in_our_own_code_is_not_hidden(clock):
    def broken():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        ReconnectingCamera(broken, clock=clock).read(0)
