"""The base of every picture source, and its errors."""

from abc import abstractmethod

from companion.closing import Closing
from companion.kernel.errors import CompanionError
from companion.kernel.messages import message
from companion.vision.frame import Frame


class CameraError(CompanionError):
    """The source cannot be opened or used: wrong name, no permission, nothing installed."""


class CameraLost(CameraError):
    """A source that worked is gone (unplugged, network down, file deleted); it may come back."""


class CameraEnded(CameraError):
    """A file or folder has been shown to its end. Not a fault."""


class Camera(Closing):
    """A source of pictures of the table. A context manager."""

    name: str = ""
    "What a person calls it: ``/dev/video0``, ``table.mp4``, ``demo table``."
    is_film: bool = False
    "Whether it may show the same picture again and again: a file, a folder."

    @property
    def remedy(self) -> str:
        """Advice for the user when no more frames arrive."""
        return message("Check its cable; it is opened again by itself.")

    @abstractmethod
    def read(self, timeout_s: float) -> Frame | None:
        """Return the newest frame not yet returned, None if none came in time.

        Raises:
            CameraLost: the device is gone.
            CameraEnded: the file is at its end.
        """

    def calm(self, is_calm: bool) -> None:
        """Tell the source whether anything moves: while nothing does, it may send fewer pictures."""

    def close(self) -> None:
        """Release the device. May be called twice."""
