"""Opens the picture source named after ``--camera``."""

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

HOW: Final = message("Use auto, demo, a number, /dev/videoN, a file, a folder or an address like http://…")


@dataclass(frozen=True, slots=True)
class CameraChoice:
    """Which source was chosen.

    Attributes:
        kind: sort of source.
        target: what to open: a device, path or address ('' for the demo table).
        why: a sentence for people.
    """

    kind: Kind
    target: str
    why: str

    @property
    def name(self) -> str:
        """What it is called until it is open: pages show that to everybody."""
        return hide_password(self.target) if self.kind == "url" else self.target


@dataclass(frozen=True, slots=True)
class Probe:
    """What `auto` searches; tests pass their own.

    Attributes:
        pi_cameras: how many Pi cameras there are.
        devices: the capture devices.
        works: None if a device gives a picture, else what is wrong with it.
    """

    pi_cameras: Callable[[], int]
    devices: Callable[[], Sequence[str]]
    works: Callable[[str], str | None]


def choose_camera(spec: str, probe: Probe | None = None) -> CameraChoice:
    """Decide what a camera name means, without opening it (``auto`` tries devices).

    >>> choose_camera("demo").kind, choose_camera("http://phone:8080/video").kind
    ('demo', 'url')

    Raises:
        CameraError: it means nothing; says what would.
    """
    try:
        spec.encode()
    except UnicodeEncodeError as error:  # OpenCV dies of such a name (signal 11), and the whole process with it
        raise CameraError.saying(
            "{name} is not UTF-8, and such a name cannot be opened. Rename it.", name=repr(spec)
        ) from error
    if spec == "auto":
        return _auto(probe or Probe(count_cameras, capture_devices, _trouble_with))
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
    """Open the camera a person named, and log which one and why.

    Args:
        spec: ``auto``, ``demo``, ``0``, ``/dev/video0``, a file, a folder or an address.
        size: asked of devices; pictures may have another.
        fps: asked of devices.
        demo: makes the demo table's camera; without it the demo table cannot be opened here.

    Raises:
        CameraError: wrong name, or it cannot be opened; says what to do.
    """
    return open_choice(choose_camera(spec), size=size, fps=fps, demo=demo)


def open_choice(
    choice: CameraChoice,
    *,
    size: tuple[int, int] = (1920, 1080),
    fps: float = 30.0,
    demo: Callable[[], Camera] | None = None,
) -> Camera:
    """Open a source that was chosen before.

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
                    "{why} It cannot be used for this. Connect a camera, or name a file.", why=choice.why
                )
            return demo()


def _auto(probe: Probe) -> CameraChoice:
    if probe.pi_cameras():
        return CameraChoice("picamera2", "0", message("The Pi camera, the first that was found."))
    troubles = []
    for device in probe.devices():
        trouble = probe.works(device)
        if trouble is None:
            return CameraChoice(
                "v4l2", device, message("{camera}, the first camera that gives a picture.", camera=device)
            )
        troubles.append(message("{camera} does not work: {trouble}", camera=device, trouble=trouble))
    found = joined(troubles, " ") if troubles else message("No camera is connected.")
    return CameraChoice("demo", "", message("The demo table. {found}", found=found))


def _path(spec: str) -> CameraChoice:
    path = Path(spec).expanduser()
    if spec and path.is_dir():
        return CameraChoice("folder", str(path), message("The pictures in {folder}, as asked for.", folder=str(path)))
    if path.is_file():
        kind: Kind = "image" if path.suffix.lower() in IMAGE_SUFFIXES else "file"
        return CameraChoice(kind, str(path), message("{camera}, as asked for.", camera=str(path)))
    raise CameraError.saying("There is no camera, file or folder {name}. {how}.", name=repr(spec), how=HOW)


def _trouble_with(device: str) -> str | None:
    try:
        V4l2Camera(device).close()
    except CameraError as error:
        return error.message
    return None
