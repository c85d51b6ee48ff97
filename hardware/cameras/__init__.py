"""Where pictures of the table come from."""

from __future__ import annotations

from hardware.cameras.base import Camera, CameraEnded, CameraError, CameraLost

__all__ = ["Camera", "CameraEnded", "CameraError", "CameraLost"]
