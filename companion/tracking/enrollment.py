"""Common parts of all enrollments on the running table: session, errors and the camera's current picture."""

import base64
import threading
import time
from collections.abc import Callable
from typing import ClassVar, Final, Generic, Protocol, TypeVar

from companion.kernel.errors import TableError
from companion.kernel.messages import Message
from companion.vision.draw import to_jpeg
from companion.vision.frame import Frame, Image

Session = TypeVar("Session")
SESSION_TIMEOUT_S: Final = 120.0
"""Timeout of an abandoned enrollment: without a request for this long, the game goes on."""
APART_S: Final = 0.12
"""Interval between the two pictures that are compared to detect motion."""
_PICTURE_TIMEOUT_S: Final = 3.0

Zone = tuple[float, float, float, float]


class EnrollError(TableError):
    """The enrollment session cannot fulfil the request."""

    code = "no-enrollment"


class OtherSessionOpen(EnrollError):
    """Another die or deck is being enrolled."""

    code = "enrollment-open"


class UnusablePicture(EnrollError):
    """The picture is unusable; the message says why."""

    code = "bad-picture"

    def __init__(self, why: Message, picture: str | None = None) -> None:
        super().__init__(why)
        self.picture = picture


class Camera(Protocol):
    """Source of the newest frame; `companion.tracking.watch.TableWatch` implements it."""

    def frame(self) -> Frame | None: ...


class LivePicture:
    """The current picture of the running table's camera.

    Args:
        camera: the camera; None at a table without one.
        zone: the relevant part, as fractions of the picture: x, y, width, height.
        clock: monotonic time, s.
        sleep: waits for some seconds.
    """

    def __init__(
        self,
        camera: Camera | None,
        zone: Zone = (0.0, 0.0, 1.0, 1.0),
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._camera, self.zone, self._clock, self._sleep = camera, zone, clock, sleep

    def now(self, after_s: float = 0.0) -> Image:
        """Return the newest picture; with ``after_s``, wait that long for a newer one.

        Raises:
            EnrollError: there is no camera, or it delivers no picture.
        """
        if self._camera is None:
            raise EnrollError.saying("This table has no camera. Choose one at /setup, then come back.")
        first, begun = self._camera.frame(), self._clock()
        frame = first
        while frame is None or (after_s and (frame is first or self._clock() - begun < after_s)):
            if self._clock() > begun + _PICTURE_TIMEOUT_S:
                raise EnrollError.saying("The camera gives no picture. Check its cable, then try again.")
            self._sleep(0.03)
            frame = self._camera.frame()
        height, width = frame.image.shape[:2]
        x, y, w, h = self.zone
        return frame.image[round(y * height) : round((y + h) * height), round(x * width) : round((x + w) * width)]


class LiveEnrollment(Generic[Session]):
    """One enrollment session at a time, spanning many requests, with the running table's camera. Thread-safe."""

    no_session_message: ClassVar[Message]
    "Error message for a request that needs an open session."

    def __init__(self, live: LivePicture, on_change: Callable[[], None], clock: Callable[[], float]) -> None:
        self._live, self._on_change, self._clock = live, on_change, clock
        self._lock = threading.RLock()
        self._session: Session | None = None
        self._touched = float("-inf")

    @property
    def is_open(self) -> bool:
        """Whether an enrollment is open and was used within `SESSION_TIMEOUT_S`."""
        return self._session is not None and self._clock() - self._touched < SESSION_TIMEOUT_S

    def _open(self) -> Session:
        if self._session is None:
            raise EnrollError(self.no_session_message)
        self._touched = self._clock()
        return self._session


def data_uri(image: Image) -> str:
    """Return a picture as a data: URL of a JPEG."""
    return "data:image/jpeg;base64," + base64.b64encode(to_jpeg(image)).decode()
