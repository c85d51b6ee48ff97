"""A USB camera, or any other /dev/videoN, through OpenCV."""

import logging
import os
import re
from pathlib import Path
from typing import Final

import cv2

from companion.kernel.messages import message
from hardware.cameras.base import CameraError
from hardware.cameras.grabber import GrabbedCamera
from hardware.cameras.pixels import Image, as_bgr

log = logging.getLogger(__name__)

_DEVICE: Final = re.compile(r"(?:/dev/video)?(\d+)")


class V4l2Camera(GrabbedCamera):
    """A V4L2 device in MJPG mode; only the newest frame is kept.

    Args:
        device: ``0`` or ``/dev/video0``.
        size: requested width and height; the attribute `size` is the actual one.
        fps: requested frame rate.

    Raises:
        CameraError: the device does not exist, is busy, or delivers no frame.
    """

    def __init__(self, device: int | str, *, size: tuple[int, int] = (1920, 1080), fps: float = 30.0) -> None:
        self.name = device_path(device)
        check_device(self.name)
        self._capture = cv2.VideoCapture(self.name, cv2.CAP_V4L2)
        if not self._capture.isOpened():
            raise CameraError.saying(
                "{camera} is there but cannot be opened as a camera. Close other programs that use it, or "
                "choose another with --camera.",
                camera=self.name,
            )
        self._configure(size, fps)
        ok, first = self._capture.read()
        if not ok:
            self._capture.release()
            raise CameraError.saying(
                "{camera} opens but gives no picture. Choose another device with --camera.", camera=self.name
            )
        image = as_bgr(first)
        self.size = (image.shape[1], image.shape[0])
        if self.size != size:
            log.warning(
                "%s delivers %d x %d instead of the requested %d x %d. Set width and height under [camera] "
                "to a size that it supports (`v4l2-ctl -d %s --list-formats-ext`), or use another camera.",
                *(self.name, *self.size, *size, self.name),
            )
        self._start(skip=self._capture.grab)

    def _configure(self, size: tuple[int, int], fps: float) -> None:
        for key, value in (
            (cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG")),  # first: raw 1080p gives 5 fps over USB 2
            (cv2.CAP_PROP_FRAME_WIDTH, size[0]),
            (cv2.CAP_PROP_FRAME_HEIGHT, size[1]),
            (cv2.CAP_PROP_FPS, fps),
            (cv2.CAP_PROP_BUFFERSIZE, 1),
        ):
            self._capture.set(key, float(value))

    @property
    def remedy(self) -> str:
        """Advice for the user when no more frames arrive."""
        if os.path.exists(self.name):
            return message("It is there but hangs: unplug it and plug it in again.")
        return message("It is unplugged: plug it in, and it is opened again by itself.")

    def _grab(self) -> Image | None:
        ok, image = self._capture.read()
        return as_bgr(image) if ok else None

    def _release(self) -> None:
        self._capture.release()


def device_path(device: int | str) -> str:
    """Return the device file of an index or a path.

    >>> device_path(0), device_path("2"), device_path("/dev/video1")
    ('/dev/video0', '/dev/video2', '/dev/video1')
    """
    match = _DEVICE.fullmatch(str(device))
    return f"/dev/video{match[1]}" if match else str(device)


def check_device(path: str) -> None:
    """Check that a device file exists and may be opened.

    Raises:
        CameraError: it does not exist, or this user has no permission.
    """
    if not os.path.exists(path):
        devices = ", ".join(sorted(str(p) for p in Path("/dev").glob("video*"))) or message("none")
        raise CameraError.saying(
            "There is no camera {camera} (there is: {there}). Plug it in or choose one with --camera.",
            camera=path,
            there=devices,
        )
    if not os.access(path, os.R_OK | os.W_OK):
        raise CameraError.saying(
            "{camera} may not be used by this user. Add the user to the group 'video' and log in again.", camera=path
        )


def capture_devices(folder: Path = Path("/sys/class/video4linux")) -> list[str]:
    """Return the device files of possible cameras, lowest number first.

    A USB camera has two nodes; the second one (index 1) carries only metadata.
    """
    nodes = sorted(folder.glob("video*"), key=lambda p: int(re.sub(r"\D", "", p.name) or 0))
    return [f"/dev/{node.name}" for node in nodes if _index(node) == 0]


def _index(node: Path) -> int:
    try:
        return int((node / "index").read_text())
    except (OSError, ValueError):
        return 0
