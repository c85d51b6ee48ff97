"""The gpiosim rig's camera: the demo table rendered into a real V4L2 node (v4l2loopback).

The scene's clock advances by one frame interval per rendered frame, so that a slow (emulated) machine shows a slow
hand and no jumps. While nothing moves the last frame is repeated, after a while at a lower rate, because processing
frames is most of an emulated machine's work. Repeated frames differ in a few pixels, like a sensor's noise; otherwise
the watch would take the camera for a frozen one.
"""

import fcntl
import os
import struct
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from companion.objects.decks import Deck
from companion.plugins.demo import PLAIN, Felt
from hardware.harness import steps as s
from hardware.harness.card_world import render_table, start_laying, start_movement
from hardware.harness.rig import RigError

NODE: Final = Path("/dev/video10")
SIZE: Final = (1280, 720)
FPS: Final = 8.0
PACE: Final = 3.0
REST_FRAMES: Final = 4
"""Frames at rest that are output before a step counts as finished."""
FULL_RATE_FRAMES_AT_REST: Final = 24
"""Frames at rest that are repeated at the full rate, before the rate drops."""
IDLE_INTERVAL_S: Final = 0.5
"""Default interval of later frames at rest."""
_NOISE_BITS: Final = 8
"""Number of pixels in the top row that encode the noise, by a difference of one level."""
_MAX_DURATION_S: Final = 600.0
_SET_FORMAT: Final = 0xC0D05605  # VIDIOC_S_FMT
_OUTPUT, _PROGRESSIVE, _SRGB, _YUYV = 2, 1, 8, 0x56595559


def format_request(size: tuple[int, int]) -> bytes:
    """Return the ``struct v4l2_format`` (208 bytes) that requests YUYV frames of this size."""
    width, height = size
    request = bytearray(208)
    struct.pack_into("<I", request, 0, _OUTPUT)
    struct.pack_into("<7I", request, 8, width, height, _YUYV, _PROGRESSIVE, width * 2, width * height * 2, _SRGB)
    return bytes(request)


def to_yuyv(image: Any) -> bytes:
    """Convert a frame, uint8 (H, W, 3) BGR with even W, to a webcam's YUYV: two bytes per pixel, black is 16.

    >>> list(to_yuyv(np.zeros((1, 2, 3), np.uint8)))
    [16, 128, 16, 128]
    """
    packed: np.ndarray[Any, Any] = np.ascontiguousarray(cv2.cvtColor(image, cv2.COLOR_BGR2YUV_YUY2))
    return packed.tobytes()


def with_noise(picture: bytes, number: int) -> bytes:
    """Return a YUYV frame with noise that encodes its number, modulo 256.

    >>> with_noise(bytes(16), 5).hex()
    '01000000010000000000000000000000'
    """
    noisy = bytearray(picture)
    for bit in range(_NOISE_BITS):
        noisy[2 * bit] ^= number >> bit & 1
    return bytes(noisy)


class LoopbackWorld:
    """A demo table shown by a V4L2 node, from construction until `close`.

    Args:
        deck: the deck in play; None without cards.
        felt: print on the felt.
        node: the V4L2 output node.
        size: image width and height, px.
        fps: frame rate.
        pace: speed of the dealer's hand; 1 is unhurried.
        idle_interval_s: interval of frames at rest, after the first `FULL_RATE_FRAMES_AT_REST`.
        write: receives the YUYV frames instead of the node.

    Attributes:
        intervals: number of frame intervals so far, including those without output while unplugged.
    """

    def __init__(
        self, deck: Deck | None, felt: Felt = PLAIN, *, node: Path = NODE, size: tuple[int, int] = SIZE,
        fps: float = FPS, pace: float = PACE, idle_interval_s: float = IDLE_INTERVAL_S,
        write: Callable[[bytes], None] | None = None,
    ) -> None:  # fmt: skip
        self.demo = render_table(deck, felt, size=size, pace=pace)
        self._node, self._size, self._fps, self._write = node, size, fps, write
        self._idle_interval_s = max(idle_interval_s, 1 / fps)
        self._fd = -1
        self.intervals = 0
        self._plugged, self._stop, self._wake = threading.Event(), threading.Event(), threading.Event()
        self._lock = threading.Lock()
        self._fault: RigError | None = None
        self._needs_repaint = True
        self._plugged.set()
        self._open()
        self._thread = threading.Thread(target=self._paint, name="painter", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop the output and close the node. May be called twice."""
        self._stop.set()
        self._wake.set()
        self._thread.join(30)
        self._close_node()

    def _open(self) -> None:
        if self._write is not None or self._fd >= 0:
            return
        try:
            self._fd = os.open(self._node, os.O_RDWR)
            fcntl.ioctl(self._fd, _SET_FORMAT, format_request(self._size))
        except OSError as error:
            raise RigError(f"{self._node} takes no pictures: {error}. Is v4l2loopback loaded?") from error

    def _close_node(self) -> None:
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)

    # ---- painting

    def _paint(self) -> None:
        t, last, same = 0.0, b"", 0
        while not self._stop.is_set():
            begun, same = time.monotonic(), same + 1
            if self._plugged.is_set():
                t += 1 / self._fps
                with self._lock:
                    was_busy = self.demo.busy
                    if was_busy or not last or self._needs_repaint:
                        self._needs_repaint = was_busy
                        last, same = to_yuyv(self.demo.picture(t)), 0
                self._output(with_noise(last, self.intervals))
            else:
                self._close_node()
            self.intervals += 1
            due = begun + (self._idle_interval_s if same > FULL_RATE_FRAMES_AT_REST else 1 / self._fps)
            self._wake.wait(max(0.0, due - time.monotonic()))
            self._wake.clear()

    def _output(self, picture: bytes) -> None:
        try:
            self._open()
            if self._write is not None:
                self._write(picture)
            else:
                os.write(self._fd, picture)
        except (OSError, RigError) as error:
            self._fault = RigError(f"{self._node} takes no more pictures: {error}. Is v4l2loopback loaded?")
            self._stop.set()

    # ---- the world

    def move(self, step: s.Step) -> float:
        """Execute a step; return when it was finished. See `hardware.harness.rig.Rig.move`."""
        if isinstance(step, s.Camera):
            self._plugged.clear() if step.camera == "lost" else self._plugged.set()
            self._wait_for_frames(2)
            return time.monotonic()
        if isinstance(step, s.Lay):
            return self._lay(step)
        start_movement(self.demo, step)
        self._needs_repaint = True
        rested = self._wait_until(lambda: not self.demo.busy)
        self._wait_for_frames(REST_FRAMES)
        return rested

    def _lay(self, step: s.Lay) -> float:
        before = len(self.demo.lying)
        with self._lock:  # cards laid at once appear in the same frame
            start_laying(self.demo, step)
            self._needs_repaint = True
        rested = self._wait_until(lambda: len(self.demo.lying) >= before + len(step.lay))
        self._wait_until(lambda: not self.demo.busy)
        self._wait_for_frames(REST_FRAMES)
        return rested

    def _wait_until(self, check: Callable[[], bool]) -> float:
        ends = time.monotonic() + _MAX_DURATION_S
        self._wait_for_frames(2)
        while not check():
            self._check_painting(ends)
            time.sleep(0.02)
        return time.monotonic()

    def _wait_for_frames(self, count: int) -> None:
        """Wait for this number of frame intervals."""
        self._wake.set()
        wanted, ends = self.intervals + count, time.monotonic() + _MAX_DURATION_S
        while self.intervals < wanted:
            self._check_painting(ends)
            time.sleep(0.02)

    def _check_painting(self, ends: float) -> None:
        if self._fault is not None:
            raise self._fault
        if self._stop.is_set() or time.monotonic() > ends:
            raise RigError(
                f"The painted table did not come to rest in {_MAX_DURATION_S:.0f} s. Is the machine overloaded?"
            )
