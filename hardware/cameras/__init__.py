"""Camera sources: devices, files, network streams and the demo table."""

from hardware.cameras.base import Camera, CameraEnded, CameraError, CameraLost
from hardware.cameras.open import CameraChoice, choose_camera, open_camera, open_choice
from hardware.cameras.reconnecting import CameraStatus, ReconnectingCamera

__all__ = [
    "Camera",
    "CameraChoice",
    "CameraEnded",
    "CameraError",
    "CameraLost",
    "CameraStatus",
    "ReconnectingCamera",
    "choose_camera",
    "open_camera",
    "open_choice",
]
