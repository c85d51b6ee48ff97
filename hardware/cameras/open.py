"""Opens the camera given by ``--camera``."""

import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from companion.kernel.messages import joined, message
from hardware.cameras.base import Camera, CameraError
from hardware.cameras.file import StillImage, VideoFile
from hardware.cameras.folder import FolderCamera
from hardware.cameras.picamera2 import PiCamera, count_cameras
from hardware.cameras.pixels import IMAGE_SUFFIXES
from hardware.cameras.url import SCHEMES, UrlCamera, hide_password
from hardware.cameras.v4l2 import V4l2Camera, capture_devices, check_device, device_path

log = logging.getLogger(__name__)

Kind = Literal["picamera2", "v4l2", "file", "image", "folder", "url", "demo"]

SPEC_HELP: Final = message("Use auto, demo, a number, /dev/videoN, a file, a folder or an address like http://…")


@dataclass(frozen=True, slots=True)
class CameraChoice:
    """The source selected by a camera name.

    Attributes:
        kind: type of source.
        target: device, Pi camera index, path or URL to open; '' for the demo table.
        why: the reason for the choice, for display.
    """

    kind: Kind
    target: str
    why: str

    @property
    def name(self) -> str:
        """Display name until the camera is open. Pages show it to everybody, so a URL's password is hidden."""
        return hide_password(self.target) if self.kind == "url" else self.target


@dataclass(frozen=True, slots=True)
class Probe:
    """Hardware queries of ``auto``; tests pass their own.

    Attributes:
        pi_cameras: returns the number of connected Pi cameras.
        devices: returns the capture devices.
        works: returns None if a device delivers a frame, otherwise the problem in words.
    """

    pi_cameras: Callable[[], int]
    devices: Callable[[], Sequence[str]]
    works: Callable[[str], str | None]


def choose_camera(spec: str, probe: Probe | None = None) -> CameraChoice:
    """Resolve a camera name without opening the camera; only ``auto`` opens devices, to test them.

    >>> choose_camera("demo").kind, choose_camera("http://phone:8080/video").kind
    ('demo', 'url')

    Raises:
        CameraError: the name is invalid, or no such device or file exists; the message lists the valid forms.
    """
    try:
        spec.encode()
    except UnicodeEncodeError as error:  # OpenCV would crash the process on such a name (signal 11)
        raise CameraError.saying(
            "{name} is not UTF-8, and such a name cannot be opened. Rename it.", name=repr(spec)
        ) from error
    if spec == "auto":
        return _auto(probe or Probe(count_cameras, capture_devices, _test_device))
    if spec == "demo":
        return CameraChoice("demo", "", message("The demo table, as asked for."))
    if re.fullmatch(r"\d+|/dev/video\d+", spec):
        check_device(device_path(spec))
        return CameraChoice("v4l2", device_path(spec), message("{camera}, as asked for.", camera=device_path(spec)))
    scheme, found, _ = spec.partition("://")
    if found:
        if scheme.lower() not in SCHEMES:
            raise CameraError.saying(
                "{scheme}:// is no address of a camera. Use one of {schemes}.",
                scheme=scheme,
                schemes=", ".join(SCHEMES),
            )
        return CameraChoice("url", spec, f"{hide_password(spec)}, as asked for.")
    return _path(spec)


def open_camera(
    spec: str = "auto",
    *,
    size: tuple[int, int] = (1920, 1080),
    fps: float = 30.0,
    demo: Callable[[], Camera] | None = None,
) -> Camera:
    """Open the named camera, and log which one was chosen and why.

    Args:
        spec: ``auto``, ``demo``, ``0``, ``/dev/video0``, a file, a folder or a URL.
        size: frame size requested from devices, width and height; they may deliver another one.
        fps: frame rate requested from devices.
        demo: creates the demo table's camera; None: the demo table is not available.

    Raises:
        CameraError: the name is invalid, or the camera cannot be opened; the message says what to do.
    """
    return open_choice(choose_camera(spec), size=size, fps=fps, demo=demo)


def open_choice(
    choice: CameraChoice,
    *,
    size: tuple[int, int] = (1920, 1080),
    fps: float = 30.0,
    demo: Callable[[], Camera] | None = None,
) -> Camera:
    """Open a source returned by `choose_camera`; see `open_camera` for the arguments.

    Raises:
        CameraError: it cannot be opened.
    """
    log.info("Camera: %s", choice.why)
    match choice.kind:
        case "picamera2":
            return PiCamera(int(choice.target), size=size, fps=fps)
        case "v4l2":
            return V4l2Camera(choice.target, size=size, fps=fps)
        case "url":
            return UrlCamera(choice.target)
        case "folder":
            return FolderCamera(Path(choice.target))
        case "image":
            return StillImage(Path(choice.target))
        case "file":
            return VideoFile(Path(choice.target))
        case "demo":
            if demo is None:
                raise CameraError.saying(
                    "{why} But this needs a real camera: connect one, or name a file.", why=choice.why
                )
            return demo()


def _auto(probe: Probe) -> CameraChoice:
    if probe.pi_cameras():
        return CameraChoice("picamera2", "0", message("The Pi camera, the first that was found."))
    problems = []
    for device in probe.devices():
        problem = probe.works(device)
        if problem is None:
            return CameraChoice(
                "v4l2", device, message("{camera}, the first camera that gives a picture.", camera=device)
            )
        problems.append(message("{camera} does not work: {trouble}", camera=device, trouble=problem))
    found = joined(problems, " ") if problems else message("No camera is connected.")
    return CameraChoice("demo", "", message("{found} The demo table stands in.", found=found))


def _path(spec: str) -> CameraChoice:
    path = Path(spec).expanduser()
    if spec and path.is_dir():
        return CameraChoice("folder", str(path), message("The pictures in {folder}, as asked for.", folder=str(path)))
    if path.is_file():
        kind: Kind = "image" if path.suffix.lower() in IMAGE_SUFFIXES else "file"
        return CameraChoice(kind, str(path), message("{camera}, as asked for.", camera=str(path)))
    raise CameraError.saying("There is no camera, file or folder {name}. {how}.", name=repr(spec), how=SPEC_HELP)


def _test_device(device: str) -> str | None:
    try:
        V4l2Camera(device).close()
    except CameraError as error:
        return error.message
    return None
