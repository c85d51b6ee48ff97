"""A network camera: MJPEG over HTTP, RTSP, or any other URL supported by OpenCV's FFmpeg."""

import re
from typing import Final

import cv2

from companion.kernel.messages import message
from hardware.cameras.base import CameraError
from hardware.cameras.grabber import GrabbedCamera
from hardware.cameras.pixels import Image, as_bgr

_JPEG: Final = cv2.VideoWriter.fourcc(*"MJPG")
_UNDECODED: Final = (cv2.CAP_PROP_FORMAT, -1)
"""Makes OpenCV return the JPEG data as received, so that skipped frames are never decoded."""
_MAX_CORRUPT_FRAMES: Final = 30
"""The stream counts as ended after this many undecodable frames in a row."""
SCHEMES: Final = ("http", "https", "rtsp", "rtsps", "rtmp", "udp", "tcp")


class UrlCamera(GrabbedCamera):
    """A network stream; only the newest frame is kept.

    Args:
        url: ``http://phone:8080/video``, ``rtsp://user:password@camera/stream``.
        open_timeout_s: time limit for the connection.
        read_timeout_s: time limit for each frame; afterwards the stream counts as lost.

    Raises:
        CameraError: no answer, or no video in the answer.
    """

    def __init__(self, url: str, *, open_timeout_s: float = 5.0, read_timeout_s: float = 5.0) -> None:
        self.name = hide_password(url)
        limits = [
            *(cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, round(open_timeout_s * 1000)),
            *(cv2.CAP_PROP_READ_TIMEOUT_MSEC, round(read_timeout_s * 1000)),
        ]
        self._capture = cv2.VideoCapture(url, cv2.CAP_FFMPEG, [*limits, *(_UNDECODED if _may_be_jpeg(url) else ())])
        self._is_undecoded = _may_be_jpeg(url)
        if self._capture.isOpened() and self._is_undecoded and int(self._capture.get(cv2.CAP_PROP_FOURCC)) != _JPEG:
            self._capture.release()
            self._capture, self._is_undecoded = cv2.VideoCapture(url, cv2.CAP_FFMPEG, limits), False
        if not self._capture.isOpened():
            raise CameraError.saying(
                "No video comes from {camera} (waited up to {seconds} s). Check the address in a browser and "
                "that both devices are in the same network.",
                camera=self.name,
                seconds=f"{open_timeout_s:.0f}",
            )
        self._start(stalled_after_s=read_timeout_s + 1, skip=self._capture.grab)

    @property
    def remedy(self) -> str:
        """Advice for the user when no more frames arrive."""
        return message(
            "Wake the device that sends them, and see that both are in the same network; it is opened again by itself."
        )

    def _grab(self) -> Image | None:
        for _ in range(_MAX_CORRUPT_FRAMES):
            ok, sent = self._capture.read()
            if not ok:
                return None
            image = cv2.imdecode(sent, cv2.IMREAD_COLOR) if self._is_undecoded else sent
            if image is not None:
                return as_bgr(image)
        return None

    def _release(self) -> None:
        self._capture.release()


def _may_be_jpeg(url: str) -> bool:
    return url.lower().startswith(("http:", "https:"))


def hide_password(url: str) -> str:
    """Return the URL without its password and the values of its query, for display and logs.

    >>> hide_password("rtsp://eye:secret@10.0.0.7/live")
    'rtsp://eye:…@10.0.0.7/live'
    >>> hide_password("http://10.0.0.7/video.cgi?user=eye&pwd=secret")
    'http://10.0.0.7/video.cgi?user=…&pwd=…'
    """
    url = re.sub(r"(?<=://)([^/@:]*):[^/]*@", r"\1:…@", url)
    return re.sub(r"([?&][^=&]*=)[^&]*", r"\1…", url)
