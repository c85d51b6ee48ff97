"""Null camera, for a game that is entered by hand."""

import threading

from companion.kernel.messages import message
from companion.vision.frame import Frame
from hardware.cameras.base import Camera
from hardware.cameras.steady import CameraStatus


class NoCamera(Camera):
    """Gives no pictures, and says so."""

    name = "none"

    def __init__(self) -> None:
        self._closed = threading.Event()

    @property
    def status(self) -> CameraStatus:
        """How it is now."""
        return CameraStatus("none", message("No camera: everything is entered by hand."), 0.0)

    def read(self, timeout_s: float) -> Frame | None:
        """Wait, and return None."""
        self._closed.wait(timeout_s)
        return None

    def close(self) -> None:
        """Wake waiting threads. May be called twice."""
        self._closed.set()
