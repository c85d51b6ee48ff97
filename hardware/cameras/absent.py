"""Null camera, for tables without one, where everything is entered by hand."""

import threading

from companion.kernel.messages import message
from companion.vision.frame import Frame
from hardware.cameras.base import Camera
from hardware.cameras.reconnecting import CameraStatus


class NoCamera(Camera):
    """A camera that never delivers a frame."""

    name = "none"

    def __init__(self) -> None:
        self._closed = threading.Event()

    @property
    def status(self) -> CameraStatus:
        """Always ``none``."""
        return CameraStatus("none", message("No camera: everything is entered by hand."), 0.0)

    def read(self, timeout_s: float) -> Frame | None:
        """Return None after the timeout, or at once when closed."""
        self._closed.wait(timeout_s)
        return None

    def close(self) -> None:
        """End pending reads. May be called twice."""
        self._closed.set()
