"""Calibrates the tray camera's axis on the running table, from pictures of a die labelled with the face on top.

During calibration nothing in the tray counts as a throw.
"""

import time
from collections.abc import Callable, Iterator
from itertools import count
from typing import Final

from companion.kernel.messages import message
from companion.tracking.dice.enrollment import kind_called, need_face
from companion.tracking.dice.shapes import AxisTellingJson, DieLooked
from companion.tracking.enrollment import (
    APART_S,
    Camera,
    EnrollError,
    LiveEnrollment,
    LivePicture,
    OtherSessionOpen,
    UnusablePicture,
    Zone,
    data_uri,
)
from companion.vision.dice.axis import DEFAULT_LENS, Lens
from companion.vision.dice.axis_fit import FACES_ASKED, AxisFit, axis_words
from companion.vision.dice.boxes import DieBox, has_moved
from companion.vision.dice.enrolled import LABELS
from companion.vision.draw import Mark, annotate
from companion.vision.frame import Image

_PREVIEW_PX: Final = 560
_BOX_MARGIN: Final = 0.08  # of the die's size


class AxisSession(LiveEnrollment[AxisFit]):
    """Runs one axis calibration at a time. Thread-safe.

    Args:
        camera: the running table's camera, which sees the tray; None at a table without one.
        zone: the tray, as fractions of the picture.
        lens: the camera's lens.
        clock: monotonic time, s.
        sleep: waits for some seconds.
    """

    no_session_message = message("Nobody is telling faces now. Begin with the kind of die.")

    def __init__(
        self,
        camera: Camera | None,
        *,
        zone: Zone = (0.0, 0.0, 1.0, 1.0),
        lens: Lens = DEFAULT_LENS,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        super().__init__(LivePicture(camera, zone, clock, sleep), lambda: None, clock)
        self._zone, self._lens = zone, lens.within(zone)
        self._numbers: Iterator[int] = count(1)  # picture numbers; not restarted with a new calibration

    def state(self) -> AxisTellingJson | None:
        """Return the progress of the calibration; None if none is open."""
        with self._lock:
            return None if self._session is None else _told(self._session)

    def set_lens(self, lens: Lens) -> None:
        """Set the camera's lens, from the next calibration on."""
        with self._lock:
            self._lens = lens.within(self._zone)

    def begin(self, kind: str) -> None:
        """Start a calibration with a die of this kind.

        Raises:
            OtherSessionOpen: a calibration is already open.
            EnrollError: the kind does not exist.
        """
        with self._lock:
            known = kind_called(kind)
            if self._session is not None:
                raise OtherSessionOpen.saying("Faces are being told already. Go on with that, or cancel it first.")
            self._session, self._touched = AxisFit(known, lens=self._lens, numbers=self._numbers), self._clock()

    def inspect(self) -> DieLooked:
        """Check whether the current picture is usable for labelling.

        Raises:
            EnrollError: no calibration is open, or there is no camera.
        """
        with self._lock:
            fit, image = self._open(), self._live.now()
            die, why = fit.inspect(image)
            return {"picture": _picture(image, die), "trouble": why, "told": fit.unchanged_label(image) if die else ""}

    def take(self, face: str) -> None:
        """Add the current picture, labelled with the face on top.

        Raises:
            UnusablePicture: the picture is unusable; the message says why.
            EnrollError: no calibration is open, there is no camera, or the die has no such face.
        """
        with self._lock:
            fit = self._open()
            need_face(fit.kind, face)
            before, image = self._live.now(), self._live.now(APART_S)
            die, why = fit.inspect(image)
            if die is not None and not why and has_moved(before, image, die.box):
                why = message("the die still moves")
            elif die is not None and not why:
                why = fit.learn(image, die, face)
            if why:
                raise UnusablePicture(message("Not this picture: {why}.", why=why), _picture(image, die))

    def undo(self, number: int | None = None) -> None:
        """Remove the picture with this number, by default the latest.

        Raises:
            EnrollError: there is none, or it was removed already, such as on another screen.
        """
        with self._lock:
            if self._open().undo(number) is None:
                if number is not None:
                    raise EnrollError.saying("That picture is no longer in the list, so none was taken back.")
                raise EnrollError.saying("No such picture was taken yet. Show a face first.")

    def found(self) -> tuple[int, int]:
        """Return the axis found, in the configuration's form.

        Raises:
            EnrollError: no calibration is open, or no axis is found yet; the message says why.
        """
        with self._lock:
            fit = self._open()
            found = fit.found()
            if len(fit.shown) < FACES_ASKED:
                raise EnrollError.saying("Show {count} faces first.", count=FACES_ASKED)
            if found.setting is None:
                raise EnrollError(fit.problem(found) or self.no_session_message)
            return found.setting

    def end(self) -> None:
        """Close the calibration and discard its pictures; the configuration stays unchanged.

        Raises:
            EnrollError: no calibration is open.
        """
        with self._lock:
            self._open()
            self._session = None


def _told(fit: AxisFit) -> AxisTellingJson:
    is_enough, found = len(fit.shown) >= FACES_ASKED, fit.found()
    fits = found.fits if is_enough else (True,) * len(fit.pictures)
    setting = found.setting if is_enough else None
    return {
        "kind": fit.kind,
        "faces": list(LABELS[fit.kind]),
        "asked": FACES_ASKED,
        "told": [
            {"number": told.number, "face": told.label, "picture": data_uri(told.crop), "fits": is_fit}
            for told, is_fit in zip(fit.pictures, fits, strict=True)
        ],
        "setting": None if setting is None else list(setting),
        "found": axis_words(found.axis) if is_enough and found.axis is not None else "",
        "trouble": fit.problem(found) if is_enough else "",
    }


def _picture(image: Image, die: DieBox | None) -> str:
    """Return the tray with the die marked, as a data: URL."""
    marks = []
    if die is not None:
        x, y, w, h = die.box
        more = _BOX_MARGIN * die.size_px
        left, top, right, bottom = x - more, y - more, x + w + more, y + h + more
        marks.append(Mark(((left, top), (right, top), (right, bottom), (left, bottom)), "", "counted"))
    return data_uri(annotate(image, marks, width=_PREVIEW_PX))
