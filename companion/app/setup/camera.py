"""Camera part of the set-up page: lists cameras, previews one, and locates the mat."""

from __future__ import annotations

import base64
import json
import threading
import time
from pathlib import Path
from typing import Any, Final, Protocol

import cv2
import numpy as np

from companion.app.setup.shapes import CameraSource, LookJson, MatFound, Meters
from companion.cli.calibrate import FILE_NAME
from companion.kernel.errors import CompanionError
from companion.kernel.messages import message
from companion.objects.cards import MAT_TAGS
from companion.objects.geometry import TAG_MM
from companion.objects.mat import Mats
from companion.printing.files import write_atomically
from companion.tracking.optics import edge_px, glare_share
from companion.vision.decoders.tags import TagFinder, merge_tags
from companion.vision.frame import Frame, Image, to_gray
from companion.vision.mat import MatNotSeen, calibrate_mat, mat_in, troubles
from companion.vision.sightings import TagSeen
from hardware.cameras import Camera, CameraError, choose_camera, open_choice
from hardware.cameras.picamera2 import count_cameras
from hardware.cameras.v4l2 import capture_devices
from hardware.demo.camera import DemoCamera

FRAMES: Final = 8
FRAME_TIMEOUT_S: Final = 5.0
IDLE_S: Final = 8.0
WIDTH: Final = 960
_MOST_SPEC: Final = 500


class Watch(Protocol):
    """The running table's camera; `companion.app.game_rig.GameRig` implements it."""

    def frame(self) -> Frame | None: ...


class SetupCameras:
    """Previews the running camera, or briefly another one. Thread-safe.

    Args:
        watch: the running table's.
        source: the running camera's name, as configured.
        may_come_later: whether a camera that is currently absent can be chosen.
    """

    def __init__(
        self, watch: Watch, source: str, data_dir: Path, mats: Mats, *, size: tuple[int, int], fps: float
    ) -> None:
        self._mats = mats
        self._watch, self._source, self._data_dir = watch, source, data_dir
        self._size, self._fps = size, fps
        self._lock = threading.Lock()
        self._trial: tuple[str, Camera, threading.Timer] | None = None

    def sources(self) -> list[CameraSource]:
        """Return the cameras that can be chosen: what is connected, and the demo table."""
        found: list[CameraSource] = [{"source": "auto", "name": "auto"}]
        if count_cameras():
            found.append({"source": "auto", "name": "picamera"})
        found.extend({"source": device, "name": device} for device in capture_devices())
        found.append({"source": "demo", "name": "demo"})
        return found

    def check(self, source: str) -> None:
        """Refuse a camera's name that means nothing, or that the table could not start with.

        Raises:
            CameraError: so it is; says what would do.
        """
        if not 0 < len(source) <= _MOST_SPEC or not source.isprintable():
            raise CameraError(
                message("A camera is auto, demo, a number, a device, a file, a folder or an address. Write one.")
            )
        choose_camera(source)

    def view(self, source: str) -> LookJson:
        """Return a picture through a camera with its meters.

        Raises:
            CameraError: it cannot be opened or gives no picture; says what to do.
        """
        with self._lock:
            frame = self._watch.frame() if source == self._source else self._try(source)
        if frame is None:
            raise CameraError(
                message(
                    "{camera} gives no picture yet. Check its cable and its address, then try again.", camera=source
                )
            )
        return {"picture": _data_uri(frame.image), **meters(frame.image, self._mats)}

    def _try(self, source: str) -> Frame | None:
        """Preview another camera, and keep it open for a while: the next preview comes soon."""
        if self._trial is not None and self._trial[0] == source:
            _, camera, timer = self._trial
            timer.cancel()
        else:
            self._close_trial()
            self.check(source)
            choice, (size, fps) = choose_camera(source), (self._size, self._fps)
            camera = open_choice(choice, size=size, fps=fps, demo=lambda: _empty_table(size, fps))
        timer = threading.Timer(IDLE_S, self.close)
        timer.daemon = True
        timer.start()
        self._trial = (source, camera, timer)
        return camera.read(FRAME_TIMEOUT_S)

    def _close_trial(self) -> None:
        if self._trial is not None:
            _, camera, timer = self._trial
            timer.cancel()
            camera.close()
            self._trial = None

    def close(self) -> None:
        """Close the previewed camera, if any. May be called twice."""
        with self._lock:
            self._close_trial()

    # ---- the mat

    def calibrate(self, mat: str | None) -> MatFound:
        """Find the mat in the running camera's picture and store where it lies, if all is well.

        Returns:
            ``ok``, the ``troubles`` with their mending, and the figures that were found.
        """
        if mat is not None and mat not in self._mats:
            known = ", ".join(self._mats)
            text = message("There is no mat {mat}. Choose one of {known}.", mat=repr(mat[:40]), known=known)
            return {"ok": False, "troubles": [text]}
        frames, size = self._frames()
        if not frames:
            text = message("The camera gives no picture. Choose one that does, then come back.")
            return {"ok": False, "troubles": [text]}
        try:
            found = calibrate_mat(frames, self._mats[mat] if mat else mat_in(frames, self._mats), size)
        except MatNotSeen as error:
            return {"ok": False, "troubles": [error.message]}
        wrong = troubles(found)
        record = found.to_json()
        if not wrong:
            self._data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_atomically(self._data_dir / FILE_NAME, json.dumps(record, indent=1).encode())
        return {"ok": not wrong, "troubles": list(wrong), "px_per_module": round(found.px_per_module, 2),
                "mat": record["mat"], "px_per_mm": record["px_per_mm"], "error_px": record["error_px"],
                "shake_px": record["shake_px"]}  # fmt: skip

    def _frames(self) -> tuple[list[tuple[TagSeen, ...]], tuple[int, int]]:
        finder = TagFinder()
        found: list[tuple[TagSeen, ...]] = []
        size, last = (0, 0), None
        ends = time.monotonic() + FRAME_TIMEOUT_S
        while len(found) < FRAMES and time.monotonic() < ends:
            frame = self._watch.frame()
            if frame is None or frame is last:
                time.sleep(0.03)
                continue
            last, size = frame, (frame.image.shape[1], frame.image.shape[0])
            found.append(merge_tags(finder.find(to_gray(frame.image))))
        return found, size


def _empty_table(size: tuple[int, int], fps: float) -> Camera:
    from hardware.demo.card_table import empty_table  # draws cards: a start need not wait for what that takes

    return DemoCamera(empty_table(size), fps)


def meters(image: Image, mats: Mats) -> Meters:
    """Return glare, focus and, where a mat's tags or cards' tags are seen, the scale of a picture.

    Args:
        image: uint8 (H, W, 3) BGR.
    """
    gray = to_gray(image)
    tags = merge_tags(TagFinder().find(gray))
    sharp = [w for tag in tags[:6] if (w := _edge(gray, tag)) is not None]
    height, width = gray.shape
    return {
        "size": [int(width), int(height)],
        "glare_percent": round(100 * glare_share(image), 1),
        "edge_px": round(sorted(sharp)[len(sharp) // 2], 1) if sharp else None,
        "px_per_mm": _scale(tags, mats),
        "tags": len(tags),
    }


def _edge(gray: Any, tag: TagSeen) -> float | None:
    xs, ys = [p[0] for p in tag.corners], [p[1] for p in tag.corners]
    crop = gray[max(0, int(min(ys))) : int(max(ys)) + 1, max(0, int(min(xs))) : int(max(xs)) + 1]
    return edge_px(crop) if crop.size else None


def _scale(tags: tuple[TagSeen, ...], mats: Mats) -> float | None:
    """Return pixels for a millimetre, from a mat in the picture, else from the cards' tags; None without any."""
    try:
        return round(calibrate_mat([tags], mat_in([tags], mats), (0, 0), least=1).px_per_mm, 2)
    except (CompanionError, cv2.error):
        sides = [_side(tag) / TAG_MM for tag in tags if tag.number not in MAT_TAGS]
        return round(sorted(sides)[len(sides) // 2], 2) if sides else None


def _side(tag: TagSeen) -> float:
    """Return the length of a tag's sides on average, px."""
    corners = np.array(tag.corners)
    return float(np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).mean())


def _data_uri(image: Image) -> str:
    scale = min(1.0, WIDTH / image.shape[1])
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else image
    packed = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, 80])[1]
    return "data:image/jpeg;base64," + base64.b64encode(packed.tobytes()).decode()
