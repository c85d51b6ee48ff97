"""The gpiosim rig's camera picture: the demo table, painted into a real V4L2 node (v4l2loopback).

The painter's clock advances by one picture per picture painted, so that a slow (emulated) machine shows a slow hand
and no jumps. While nothing moves the last picture is repeated, less and less often: processing pictures is most of an
emulated machine's work. Repeated, it differs in a few pixels, as a sensor's noise never comes twice: the watch would
take it for a camera that hangs.
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
from hardware.harness.card_world import begin_to_lay, begin_to_move, painted_table
from hardware.harness.rig import RigError

NODE: Final = Path("/dev/video10")
SIZE: Final = (1280, 720)
FPS: Final = 8.0
PACE: Final = 3.0
REST_PICTURES: Final = 4
CALM_PICTURES: Final = 24
"""So many pictures of a table at rest come at full speed, the next `CALM_S` apart, unless another pace is asked for."""
CALM_S: Final = 0.5
_NOISE_BITS: Final = 8
"""So many pixels of the upper edge differ by one level, in all ways that there are."""
_LONGEST_S: Final = 600.0
_SET_FORMAT: Final = 0xC0D05605  # VIDIOC_S_FMT
_OUTPUT, _PROGRESSIVE, _SRGB, _YUYV = 2, 1, 8, 0x56595559


def format_request(size: tuple[int, int]) -> bytes:
    """Return the ``struct v4l2_format`` (208 bytes) that asks a node for YUYV pictures of this size."""
    width, height = size
    request = bytearray(208)
    struct.pack_into("<I", request, 0, _OUTPUT)
    struct.pack_into("<7I", request, 8, width, height, _YUYV, _PROGRESSIVE, width * 2, width * height * 2, _SRGB)
    return bytes(request)


def to_yuyv(image: Any) -> bytes:
    """Pack a picture, uint8 (H, W, 3) BGR with an even W, as a webcam does: Y U Y V, two bytes a pixel, 16 is black.

    >>> list(to_yuyv(np.zeros((1, 2, 3), np.uint8)))
    [16, 128, 16, 128]
    """
    packed: np.ndarray[Any, Any] = np.ascontiguousarray(cv2.cvtColor(image, cv2.COLOR_BGR2YUV_YUY2))
    return packed.tobytes()


def with_noise(picture: bytes, number: int) -> bytes:
    """Return a packed picture with the noise of its number, which only every 256th has again.

    >>> with_noise(bytes(16), 5).hex()
    '01000000010000000000000000000000'
    """
    noisy = bytearray(picture)
    for bit in range(_NOISE_BITS):
        noisy[2 * bit] ^= number >> bit & 1
    return bytes(noisy)


class LoopWorld:
    """A demo table shown by a V4L2 node. Starts painting at once; `close` ends it.

    Args:
        deck: what is dealt; None: nothing.
        felt: what is printed on the table.
        calm_s: how far apart pictures of a table at rest are.
        write: takes the packed pictures instead of the node.
    """

    def __init__(
        self, deck: Deck | None, felt: Felt = PLAIN, *, node: Path = NODE, size: tuple[int, int] = SIZE,
        fps: float = FPS, pace: float = PACE, calm_s: float = CALM_S, write: Callable[[bytes], None] | None = None,
    ) -> None:  # fmt: skip
        self.demo = painted_table(deck, felt, size=size, pace=pace)
        self._node, self._size, self._fps, self._write = node, size, fps, write
        self._calm_s = max(calm_s, 1 / fps)
        self._fd = -1
        self.painted = 0
        self._plugged, self._stop, self._wake = threading.Event(), threading.Event(), threading.Event()
        self._between = threading.Lock()
        self._fault: RigError | None = None
        self._is_stale = True
        self._plugged.set()
        self._open()
        self._thread = threading.Thread(target=self._paint, name="painter", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop painting and let the node go. May be called twice."""
        self._stop.set()
        self._wake.set()
        self._thread.join(30)
        self._shut()

    def _open(self) -> None:
        if self._write is not None or self._fd >= 0:
            return
        try:
            self._fd = os.open(self._node, os.O_RDWR)
            fcntl.ioctl(self._fd, _SET_FORMAT, format_request(self._size))
        except OSError as error:
            raise RigError(f"{self._node} takes no pictures: {error}. Is v4l2loopback loaded?") from error

    def _shut(self) -> None:
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
                with self._between:
                    was_busy = self.demo.busy
                    if was_busy or not last or self._is_stale:
                        self._is_stale = was_busy
                        last, same = to_yuyv(self.demo.picture(t)), 0
                self._give(with_noise(last, self.painted))
            else:
                self._shut()
            self.painted += 1
            due = begun + (self._calm_s if same > CALM_PICTURES else 1 / self._fps)
            self._wake.wait(max(0.0, due - time.monotonic()))
            self._wake.clear()

    def _give(self, picture: bytes) -> None:
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
        """Do what a step says; return when it was done (for a card laid: when it came to rest)."""
        if isinstance(step, s.Camera):
            self._plugged.clear() if step.camera == "lost" else self._plugged.set()
            self._pictures(2)
            return time.monotonic()
        if isinstance(step, s.Lay):
            return self._lay(step)
        begin_to_move(self.demo, step)
        self._is_stale = True
        rested = self._until(lambda: not self.demo.busy)
        self._pictures(REST_PICTURES)
        return rested

    def _lay(self, step: s.Lay) -> float:
        before = len(self.demo.lying)
        with self._between:  # cards that are laid at once are on the same picture
            begin_to_lay(self.demo, step)
            self._is_stale = True
        rested = self._until(lambda: len(self.demo.lying) >= before + len(step.lay))
        self._until(lambda: not self.demo.busy)
        self._pictures(REST_PICTURES)
        return rested

    def _until(self, check: Callable[[], bool]) -> float:
        ends = time.monotonic() + _LONGEST_S
        self._pictures(2)
        while not check():
            self._still_painting(ends)
            time.sleep(0.02)
        return time.monotonic()

    def _pictures(self, count: int) -> None:
        """Wait until so many more pictures were given."""
        self._wake.set()
        wanted, ends = self.painted + count, time.monotonic() + _LONGEST_S
        while self.painted < wanted:
            self._still_painting(ends)
            time.sleep(0.02)

    def _still_painting(self, ends: float) -> None:
        if self._fault is not None:
            raise self._fault
        if self._stop.is_set() or time.monotonic() > ends:
            raise RigError(f"The painted table did not come to rest in {_LONGEST_S:.0f} s. Is the machine overloaded?")
