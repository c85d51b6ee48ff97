"""The Raspberry Pi camera, through picamera2 (a system package, so the venv needs access to those)."""

import importlib
from types import ModuleType
from typing import Any

from companion.kernel.messages import message
from hardware.cameras.base import CameraError
from hardware.cameras.grabber import GrabbedCamera
from hardware.cameras.pixels import Image, as_bgr

INSTALL = "sudo apt install python3-picamera2"


class PiCamera(GrabbedCamera):
    """A Raspberry Pi camera, with continuous autofocus if it supports that.

    Args:
        index: number of the camera, from 0.
        size: frame width and height.
        fps: frame rate.
        library: the picamera2 module; tests pass their own.

    Raises:
        CameraError: picamera2 is not installed, or the camera is not connected or in use.
    """

    def __init__(
        self,
        index: int = 0,
        *,
        size: tuple[int, int] = (1920, 1080),
        fps: float = 30.0,
        library: Any = None,
    ) -> None:
        self.name = f"Pi camera {index}"
        library = library or load_library()
        self._device = self._open(library, index)
        try:
            self._set_up(size, fps)
        except (RuntimeError, ValueError, OSError) as error:
            self._device.close()
            raise CameraError.saying(
                "{camera} cannot be started ({error}). Close other programs that use it, or check its ribbon cable.",
                camera=self.name,
                error=str(error),
            ) from error
        self.size = size
        self._start()

    def _open(self, library: Any, index: int) -> Any:
        try:
            return library.Picamera2(index)
        except (IndexError, RuntimeError) as error:
            raise CameraError.saying(
                "{camera} cannot be opened ({error}). Check its ribbon cable with `rpicam-hello --list-cameras`.",
                camera=self.name,
                error=str(error) or message("no camera found"),
            ) from error

    def _set_up(self, size: tuple[int, int], fps: float) -> None:
        # picamera2's "RGB888" has the byte order blue, green, red, as OpenCV expects.
        config = self._device.create_video_configuration(
            main={"size": size, "format": "RGB888"}, controls={"FrameRate": fps}, buffer_count=3, queue=False
        )
        self._device.configure(config)
        self._device.start()
        if "AfMode" in self._device.camera_controls:
            self._device.set_controls({"AfMode": 2})  # libcamera's AfModeEnum.Continuous

    def _grab(self) -> Image | None:
        return as_bgr(self._device.capture_array("main"))

    def _release(self) -> None:
        self._device.stop()
        self._device.close()


def load_library() -> ModuleType:
    """Import picamera2.

    Raises:
        CameraError: it is not installed; the message says how to install it.
    """
    try:
        return importlib.import_module("picamera2")
    except ImportError as error:
        raise CameraError.saying(
            "picamera2 is not installed for this Python ({error}). Run `{command}` and make the virtual "
            "environment with --system-site-packages.",
            error=str(error),
            command=INSTALL,
        ) from error


def count_cameras(library: Any = None) -> int:
    """Return the number of connected Pi cameras, not counting USB cameras; 0 without picamera2."""
    try:
        library = library or load_library()
        return sum("usb" not in str(info.get("Id", "")).lower() for info in library.Picamera2.global_camera_info())
    except (CameraError, RuntimeError, OSError):
        return 0
