"""The base class of all cameras, and its errors."""

from abc import abstractmethod

from companion.closing import Closing
from companion.kernel.errors import CompanionError
from companion.kernel.messages import message
from companion.vision.frame import Frame


class CameraError(CompanionError):
    """The source cannot be opened or used: wrong name, no permission, missing library."""


class CameraLost(CameraError):
    """A source that worked has disappeared (unplugged, network down, file deleted); it may come back."""


class CameraEnded(CameraError):
    """The end of a file or folder was reached; not an error condition."""


class Camera(Closing):
    """A source of video frames of the table. A context manager."""

    name: str = ""
    "Display name: ``/dev/video0``, ``table.mp4``, ``demo table``."
    may_repeat_frames: bool = False
    "Whether identical frames are legitimate, as from a file or folder; a live sensor's always differ."

    @property
    def remedy(self) -> str:
        """Advice for the user when no more frames arrive."""
        return message("Check its cable; it is opened again by itself.")

    @abstractmethod
    def read(self, timeout_s: float) -> Frame | None:
        """Return the newest frame that was not returned before, or None after the timeout.

        Raises:
            CameraLost: the source has disappeared.
            CameraEnded: the end of the file or folder was reached.
        """

    def set_idle(self, is_idle: bool) -> None:
        """Set whether the table is at rest, when a lower frame rate is enough."""

    def close(self) -> None:
        """Release the device. May be called twice."""
