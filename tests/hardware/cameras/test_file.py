"""Videos and pictures as cameras, with real files."""

from itertools import pairwise
from pathlib import Path

import cv2
import pytest

from hardware.cameras import CameraEnded, CameraError, CameraLost
from hardware.cameras.file import StillImage, VideoFile


def read_to_the_end(camera):
    """Return all frames until the camera ends; other errors are raised."""
    frames = []
    try:
        while len(frames) < 100:
            frames.append(camera.read(1))
    except CameraEnded:
        pass
    return frames


def test_every_frame_of_a_video_comes_in_order_and_then_it_ends(video, draw):
    """Without pacing, a video loses no frame; its timestamps follow its frame rate."""
    with VideoFile(video, paced=False) as camera:
        frames = [camera.read(1) for _ in range(10)]
        with pytest.raises(CameraEnded, match="over after 10 frames"):
            camera.read(1)
    assert [draw.number_of(f.image) for f in frames] == list(range(10))
    assert [f.number for f in frames] == list(range(10))
    assert [round(f.t, 3) for f in frames] == [round(i / 20, 3) for i in range(10)]


def test_a_video_plays_at_its_own_rate(video, clock):
    """Ten frames at 20 fps take 0.45 s until the last is shown."""
    camera = VideoFile(video, clock=clock, sleep=clock.sleep)
    start = clock.now
    for _ in range(10):
        camera.read(1)
    assert clock.now - start == pytest.approx(0.45, abs=1e-6)


def test_a_slow_reader_skips_frames_but_sees_the_last(video, clock, draw):
    """Frames are skipped if the reader is too slow, as with a real camera."""
    camera = VideoFile(video, clock=clock, sleep=clock.sleep)
    seen = []
    for _ in range(4):
        frame = camera.read(1)
        assert draw.number_of(frame.image) == frame.number
        seen.append(frame.number)
        clock.sleep(0.2)
    assert seen == [0, 4, 8, 9]


def test_a_frame_that_is_not_due_yet_is_none(tmp_path, clock, draw):
    camera = VideoFile(draw.video(tmp_path / "slow.avi", 3, fps=1.0), clock=clock, sleep=clock.sleep)
    assert camera.read(0.1) is not None
    assert camera.read(0.1) is None


def test_a_loop_goes_on_and_time_never_goes_back(video, draw):
    camera = VideoFile(video, paced=False, loop=True)
    frames = [camera.read(1) for _ in range(25)]
    assert [draw.number_of(f.image) for f in frames] == [i % 10 for i in range(25)]
    assert all(a.t < b.t for a, b in pairwise(frames))


def test_a_truncated_video_shows_what_there_is_and_ends(tmp_path, draw):
    """A file truncated in the middle of a frame: no hang, no crash, fewer frames."""
    whole = draw.video(tmp_path / "whole.avi", 25).read_bytes()
    cut = tmp_path / "cut.avi"
    cut.write_bytes(whole[: len(whole) * 7 // 10])
    with VideoFile(cut, paced=False) as camera:
        frames = read_to_the_end(camera)
    assert 3 <= len(frames) < 25


def test_a_video_cut_before_its_first_frame_says_so(video, tmp_path):
    cut = tmp_path / "head.avi"
    cut.write_bytes(video.read_bytes()[:300])
    with pytest.raises(CameraError, match=r"head\.avi"):
        VideoFile(cut, paced=False).read(1)


def test_a_file_that_vanishes_while_it_loops_is_lost(video):
    """The recording is on a USB stick that is unplugged."""
    camera = VideoFile(video, paced=False, loop=True)
    camera.read(1)
    video.unlink()
    with pytest.raises(CameraLost, match=r"deal\.avi was there and is gone\. Put the file back"):
        read_to_the_end(camera)


@pytest.mark.parametrize(("name", "content"), [("deal.mp4", b"no video at all" * 50), ("empty.mp4", b"")])
def test_a_file_that_is_no_video(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(CameraError, match=f"{name} is no video that can be played"):
        VideoFile(tmp_path / name)


def test_a_missing_file():
    with pytest.raises(CameraError, match=r"There is no file nowhere\.mp4"):
        VideoFile(Path("nowhere.mp4"))


def test_a_closed_video_is_lost_and_may_be_closed_twice(video):
    camera = VideoFile(video)
    camera.close()
    camera.close()
    with pytest.raises(CameraLost):
        camera.read(0)


def test_a_picture_is_shown_again_and_again(tmp_path, clock, draw):
    path = tmp_path / "table.png"
    cv2.imwrite(str(path), draw.numbered(7))
    camera = StillImage(path, fps=10, sleep=clock.sleep)
    assert camera.may_repeat_frames, "what never changes is no fault of it"
    frames = [camera.read(1) for _ in range(3)]
    assert [draw.number_of(f.image) for f in frames] == [7, 7, 7]
    assert [f.t for f in frames] == pytest.approx([0, 0.1, 0.2])
    frames[0].image[:] = 0
    assert draw.number_of(camera.read(1).image) == 7


def test_a_picture_cut_short(tmp_path, draw):
    path = tmp_path / "table.png"
    cv2.imwrite(str(path), draw.numbered(7))
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(CameraError, match="is no picture that can be read"):
        StillImage(path)
