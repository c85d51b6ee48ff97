"""Camera part of the set-up page: lists cameras, previews one, and locates the mat."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import cv2

from companion.app.setup.meters import meters
from companion.app.setup.shapes import CameraSource, CardShown, LookJson, MatFound
from companion.app.setup.steps import grades
from companion.cli.calibrate import FILE_NAME
from companion.kernel.messages import message
from companion.kernel.words import card_words
from companion.objects.keeping import keep_file
from companion.objects.mat import Mats
from companion.vision.decoders.tags import TagFinder, merge_tags
from companion.vision.frame import Frame, Image, to_gray
from companion.vision.mat import MatNotSeen, calibrate_mat, mat_in, troubles
from companion.vision.sightings import CardSighting, FrameReading, TagSeen
from hardware.cameras import Camera, CameraEnded, CameraError, choose_camera, open_choice
from hardware.cameras.picamera2 import count_cameras
from hardware.cameras.url import hide_password
from hardware.cameras.v4l2 import capture_devices, device_path
from hardware.demo.camera import DemoCamera

if TYPE_CHECKING:
    from companion.app.game_rig import GameRig

FRAMES: Final = 8
FRAME_TIMEOUT_S: Final = 5.0
BURST: Final = 5
"""Number of consecutive pictures for measuring flicker."""
BURST_S: Final = 1.5
CARD_S: Final = 6.0
"""How long to wait for a card to be shown."""
IDLE_S: Final = 8.0
WIDTH: Final = 960
_MAX_SPEC: Final = 500


class SetupCameras:
    """Previews the running camera, or briefly another one. Thread-safe.

    Args:
        watch: the running table's equipment.
        read_cards: reads the cards of these decks in a picture; None if cards cannot be read here.
        pause: starts a camera trial, so that a card shown to the camera is not played.
    """

    def __init__(
        self,
        watch: GameRig,
        data_dir: Path,
        mats: Mats,
        *,
        size: tuple[int, int],
        fps: float,
        read_cards: Callable[[Image, Collection[str]], FrameReading] | None = None,
        pause: Callable[[], None] = lambda: None,
    ) -> None:
        self._mats = mats
        self._read_cards, self._pause = read_cards, pause
        self._watch, self._data_dir = watch, data_dir
        self._size, self._fps = size, fps
        self._lock = threading.Lock()
        self._trial: tuple[str, Camera, threading.Timer] | None = None

    def sources(self) -> list[CameraSource]:
        """Return the available camera sources: connected cameras and the demo table."""
        found: list[CameraSource] = [{"source": "auto", "name": "auto"}]
        if count_cameras():
            found.append({"source": "auto", "name": "picamera"})
        found.extend({"source": device, "name": device} for device in capture_devices())
        found.append({"source": "demo", "name": "demo"})
        return found

    def check(self, source: str) -> None:
        """Check that the table could start with a camera source.

        Raises:
            CameraError: the source is invalid or unavailable; the message says what would work.
        """
        if not 0 < len(source) <= _MAX_SPEC or not source.isprintable():
            raise CameraError.saying(
                "A camera is auto, demo, a number, a device, a file, a folder or an address. Write one."
            )
        choose_camera(source)

    def view(self, source: str) -> LookJson:
        """Return a picture from a camera with its measurements and grades.

        Raises:
            CameraError: the camera cannot be opened or gives no picture; the message says what to do.
        """
        with self._lock:
            pictures = self._pictures(source)
        if not pictures:
            raise CameraError.saying(
                "{camera} gives no picture yet. Check its cable and its address, then try again.",
                camera=hide_password(source),
            )
        *before, image = pictures
        found = meters(image, self._mats, before)
        return {"picture": _data_uri(image), "grades": grades(found), **found}

    def _pictures(self, source: str, count: int = BURST) -> list[Image]:
        """Return up to ``count`` new pictures from a camera."""
        is_running = source == self._watch.camera_source or device_path(source) == self._watch.camera_name
        if not is_running:  # a device cannot be opened twice
            return self._tried(source, count)
        return [frame.image for frame in self._fresh(count, BURST_S)]

    def _tried(self, source: str, count: int) -> list[Image]:
        """Return pictures from another camera, and keep it open for `IDLE_S`, as another preview usually follows."""
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
        try:
            return _burst(camera, count)
        except CameraError:  # end of a video, or a pulled cable: the next preview reopens it
            self._close_trial()
            raise

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

    # ---- a card

    def show_card(self, source: str, played: Collection[str]) -> CardShown:
        """Wait for a card in view of a camera and return how it was read. Nothing in view is played meanwhile.

        Args:
            played: the decks in play; empty for any of the owner's decks.

        Raises:
            CameraError: the camera cannot be opened.
        """
        if self._read_cards is None:
            return _no_card(message("Cards cannot be read here. Skip this step."), None)
        image: Image | None = None
        best: CardSighting | None = None
        ends = time.monotonic() + CARD_S
        while time.monotonic() < ends and not (best is not None and best.status == "ok"):
            image = self._shown_now(source)
            cards = () if image is None else self._read_cards(image, played).cards
            best = min((*cards, *filter(None, (best,))), key=_rank, default=None)
        if image is None:
            return _no_card(message("The camera gives no picture. Choose one that does, then come back."), None)
        if best is None:
            return _no_card(message("No card was seen. Lay one card of your deck down, face up, alone."), image)
        return _shown(best, image, played)

    def look(self, source: str, played: Collection[str]) -> tuple[str, FrameReading]:
        """Return a picture as a data URI, and the cards in it. Nothing in view is played meanwhile.

        Raises:
            CameraError: there is no picture, or cards cannot be read here.
        """
        image = self._shown_now(source)
        if image is None or self._read_cards is None:
            raise CameraError.saying("The camera gives no picture. Choose one that does, then come back.")
        return _data_uri(image), self._read_cards(image, played)

    def _shown_now(self, source: str) -> Image | None:
        """Return a new picture, after starting a camera trial."""
        self._pause()
        with self._lock:
            pictures = self._pictures(source, 1)
        return pictures[-1] if pictures else None

    # ---- the mat

    def calibrate(self, mat: str | None) -> MatFound:
        """Calibrate the mat with the running camera, and store the calibration if it is good.

        Returns:
            ``ok``, the ``troubles`` with their remedies, and the measurements.
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
            keep_file(self._data_dir / FILE_NAME, json.dumps(record, indent=1).encode())
        return {"ok": not wrong, "troubles": list(wrong), "px_per_module": round(found.px_per_module, 2),
                "mat": record["mat"], "px_per_mm": record["px_per_mm"], "error_px": record["error_px"],
                "shake_px": record["shake_px"]}  # fmt: skip

    def _frames(self) -> tuple[list[tuple[TagSeen, ...]], tuple[int, int]]:
        finder = TagFinder()
        found: list[tuple[TagSeen, ...]] = []
        size = (0, 0)
        for frame in self._fresh(FRAMES, FRAME_TIMEOUT_S):
            size = (frame.image.shape[1], frame.image.shape[0])
            found.append(merge_tags(finder.find(to_gray(frame.image))))
        return found, size

    def _fresh(self, count: int, seconds: float) -> Iterator[Frame]:
        """Yield up to ``count`` distinct new pictures of the running camera within ``seconds``."""
        last, ends = self._watch.frame(), time.monotonic() + seconds
        while count > 0 and time.monotonic() < ends:
            frame = self._watch.frame()
            if frame is None or frame is last:
                time.sleep(0.02)
                continue
            last, count = frame, count - 1
            yield frame


def _empty_table(size: tuple[int, int], fps: float) -> Camera:
    from hardware.demo.card_table import empty_table  # imports card drawing, which would slow down the start

    return DemoCamera(empty_table(size), fps)


def _burst(camera: Camera, count: int) -> list[Image]:
    """Return up to ``count`` pictures; an image file has only one."""
    found: list[Image] = []
    while len(found) < count:
        try:
            frame = camera.read(BURST_S if found else FRAME_TIMEOUT_S)
        except CameraEnded:
            if not found:
                raise
            break
        if frame is None:
            break
        found.append(frame.image)
    return found


_BEST_FIRST: Final = ("ok", "forged", "foreign", "tag", "unreadable")


def _rank(card: CardSighting) -> int:
    """Return a sort key for sightings, best first."""
    return _BEST_FIRST.index(card.status)


def _no_card(text: str, image: Image | None) -> CardShown:
    picture = None if image is None else _data_uri(image)
    return {"status": "none", "card": None, "deck": None, "is_own": False, "text": text, "picture": picture}


def _shown(card: CardSighting, image: Image, played: Collection[str]) -> CardShown:
    is_other = card.deck is not None and bool(played) and card.deck not in played
    is_own = card.status == "tag" and card.deck is not None  # enrolled cards are reported as tags, with their deck
    return {
        "status": "foreign" if is_other and card.status == "ok" else card.status,
        "card": card.id,
        "deck": card.deck,
        "is_own": is_own and not is_other,
        "text": _other_deck(card, played) if is_other else _card_text(card, is_own=is_own),
        "picture": _data_uri(image),
    }


def _other_deck(card: CardSighting, played: Collection[str]) -> str:
    return message(
        "This is a card of deck {deck}, but {played} is played. Take a card of that, or choose the other deck.",
        deck=str(card.deck), played=", ".join(sorted(played)),
    )  # fmt: skip


def _card_text(card: CardSighting, *, is_own: bool) -> str:
    name = card_words(card.id) if card.id else message("card")
    if card.status == "ok" or is_own:
        return message("{card} of deck {deck} was read.", card=name, deck=str(card.deck))
    if card.status == "forged":
        return message("The code of this {card} is forged. Take a card that this house has printed.", card=name)
    if card.status == "foreign":
        return message("This {card} is of a deck that this house does not know. Take one of its own.", card=name)
    if card.status == "tag":
        return message(
            "Only the corner tag of {card} was read, not its code. Add light, focus, or mount the camera lower.",
            card=name,
        )
    return message("A card lies there, but it cannot be read. Turn it face up, add light, or focus the lens.")


def _data_uri(image: Image) -> str:
    scale = min(1.0, WIDTH / image.shape[1])
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else image
    packed = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, 80])[1]
    return "data:image/jpeg;base64," + base64.b64encode(packed.tobytes()).decode()
