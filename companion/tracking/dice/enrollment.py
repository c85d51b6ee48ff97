"""Enrolls a new die on the running table: a session over many requests, with the table's own camera.

During enrollment nothing in the tray counts as a throw. A die already enrolled under that name stays in use until the
new one is complete.
"""

import time
from collections.abc import Callable
from typing import Final, Self

import cv2
import numpy as np

from companion.kernel.messages import message
from companion.objects.dice import DIE_KINDS, DIE_NAMES, DieKind
from companion.tracking.dice.shapes import DieName, DieSeen, EnrollmentJson, EnrollmentsJson
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
from companion.vision.dice.axis import Axis
from companion.vision.dice.boxes import Box, DieBox, crop_of, has_moved
from companion.vision.dice.enrolled import LABELS, EnrolledDice
from companion.vision.dice.enrollment import MAX_NAME_LENGTH, Enrollment
from companion.vision.frame import Image

_PREVIEW_PX: Final = 224
_CROP_SCALE: Final = 1.6  # size of the crop shown, in die sizes


class DieAlreadyEnrolled(EnrollError):
    """A die of this name is already enrolled, and the request does not ask to replace it."""

    code = "die-known"


class DieEnrollment(LiveEnrollment[Enrollment]):
    """Enrolls one die at a time. Thread-safe.

    Args:
        camera: the running table's camera; None at a table without one.
        dice: the enrolled dice.
        zone: the tray, as fractions of the picture.
        axis: the camera's axis; None if unknown.
        on_change: called after a die was enrolled or deleted.
        clock: monotonic time, s.
        sleep: waits for some seconds.
    """

    no_session_message = message("No die is being taught. Begin with its name.")

    def __init__(
        self,
        camera: Camera | None,
        dice: EnrolledDice,
        *,
        zone: Zone = (0.0, 0.0, 1.0, 1.0),
        axis: Axis | None = None,
        on_change: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        super().__init__(LivePicture(camera, zone, clock, sleep), on_change, clock)
        self._dice, self._axis = dice, axis

    @property
    def axis(self) -> Axis | None:
        """The camera's axis; None if unknown."""
        return self._axis

    @property
    def _axis_there(self) -> Axis | None:
        """The camera's axis relative to the tray's part of the picture."""
        return None if self._axis is None else self._axis.within(self._live.zone)

    def set_axis(self, axis: Axis | None) -> None:
        """Set the camera's axis, also for the open enrollment."""
        with self._lock:
            self._axis = axis
            if self._session is not None:
                self._session.axis = self._axis_there

    def take_over(self, other: Self) -> None:
        """Take over the open enrollment of another instance, after the table has switched to another game."""
        with other._lock:
            session, other._session = other._session, None
            touched = other._touched
        if session is not None:
            session.axis = self._axis_there
        with self._lock:
            self._session, self._touched = session, touched

    def state(self) -> EnrollmentsJson:
        """Return the enrolled dice and the progress of the open enrollment."""
        with self._lock:
            dice: list[DieName] = [{"name": name, "kind": kind} for name, kind in self._dice.names().items()]
            return {"dice": dice, "enrollment": None if self._session is None else _told(self._session)}

    # ---- enrollment

    def begin(self, name: str, kind: str, *, replace: bool = False) -> EnrollmentsJson:
        """Start enrolling a die.

        Raises:
            OtherSessionOpen: another enrollment is open.
            DieAlreadyEnrolled: a die of this name is enrolled, and ``replace`` is False.
            CompanionError: the name or the kind is invalid.
        """
        with self._lock:
            known = kind_called(kind)
            session = Enrollment(name, known, axis=self._axis_there)
            if self._session is not None:
                raise OtherSessionOpen.saying(
                    "{die} is being taught. Finish or cancel that first.", die=self._session.name
                )
            other = next((one for one in self._dice.names() if one.lower() == session.name.lower()), None)
            if other is not None and not replace:
                raise DieAlreadyEnrolled.saying(
                    "{die} is known already. Teach it anew from the list, or choose another name.", die=other
                )
            self._session, self._touched = session, self._clock()
            return self.state()

    def inspect(self) -> DieSeen:
        """Check whether the current picture is usable, and which face it probably shows.

        Raises:
            EnrollError: no enrollment is open, or there is no camera.
        """
        with self._lock:
            session = self._open()
            image = self._live.now()
            inspection = session.inspect(image)
            return {
                "picture": _picture(image, inspection.box),
                "trouble": inspection.why,
                "says": inspection.predicted,
                "likely": list(inspection.likely),
            }

    def take(self, face: str) -> EnrollmentsJson:
        """Enroll the face on top from the current picture.

        Raises:
            UnusablePicture: the picture is unusable; the message says why.
            EnrollError: no enrollment is open, there is no camera, or the die has no such face.
        """
        with self._lock:
            session = self._open()
            need_face(session.kind, face)
            before, image = self._live.now(), self._live.now(APART_S)
            inspection = session.inspect(image)
            moved = inspection.box is not None and not inspection.why and has_moved(before, image, inspection.box)
            why = message("the die still moves") if moved else session.learn(inspection, face)
            if why:
                raise UnusablePicture(message("Not this picture: {why}.", why=why), _picture(image, inspection.box))
            return self.state()

    def undo(self, face: str | None = None) -> EnrollmentsJson:
        """Remove the latest picture, or the latest of a face.

        Raises:
            EnrollError: there is none.
        """
        with self._lock:
            if self._open().undo(face) is None:
                raise EnrollError.saying("No such picture was taken yet. Show a face first.")
            return self.state()

    def cancel(self) -> EnrollmentsJson:
        """Cancel the enrollment; a die already enrolled under this name stays enrolled."""
        with self._lock:
            self._open()
            self._session = None
            return self.state()

    def finish(self) -> EnrollmentsJson:
        """Store the die; the table recognises it from now on.

        Raises:
            EnrollError: faces are missing.
        """
        with self._lock:
            session = self._open()
            if session.wanted:
                wanted = ", ".join(session.wanted)
                raise EnrollError.saying("{die} is not complete. Show {faces}, too.", die=session.name, faces=wanted)
            session.finish(self._dice)
            self._session = None
        self._on_change()
        return self.state()

    def forget(self, name: str) -> EnrollmentsJson:
        """Delete an enrolled die.

        Raises:
            EnrollError: no die of this name is enrolled.
        """
        with self._lock:
            if name not in self._dice.names():
                raise EnrollError.saying(
                    "No die is called {die}. The page lists those that are known.", die=repr(name[:MAX_NAME_LENGTH])
                )
            self._dice.forget(name)
        self._on_change()
        return self.state()


def _told(session: Enrollment) -> EnrollmentJson:
    shown, last = set(session.shown), session.last
    return {
        "name": session.name,
        "kind": session.kind,
        "faces": [{"face": label, "shown": label in shown} for label in LABELS[session.kind]],
        "wanted": list(session.wanted),
        "last": None if last is None else {"face": last[0], "picture": data_uri(last[1])},
    }


def kind_called(kind: str) -> DieKind:
    """Return the kind of die named in a request.

    Raises:
        EnrollError: the kind does not exist.
    """
    known = next((one for one in DIE_KINDS if one == kind), None)
    if known is None:
        kinds = ", ".join(DIE_KINDS)
        why = message("There is no kind of die {kind} here. Choose one of {kinds}.", kind=repr(kind[:20]), kinds=kinds)
        raise EnrollError(why)
    return known


def need_face(kind: DieKind, face: str) -> None:
    """Check that a kind of die has the face named in a request.

    Raises:
        EnrollError: it has no such face.
    """
    if face not in LABELS[kind]:
        raise EnrollError.saying(
            "A {kind} does not show {face}. Choose one of {faces}.",
            kind=DIE_NAMES[kind],
            face=repr(face[:20]),
            faces=", ".join(LABELS[kind]),
        )


def _picture(image: Image, box: Box | None) -> str:
    """Return a crop of the die with a margin, or the whole tray if none is seen, as a data: URL."""
    if box is not None:
        die = DieBox(box, 1.0)
        return data_uri(crop_of(image, die, scale=_CROP_SCALE, side_px=_PREVIEW_PX))
    scale = 2 * _PREVIEW_PX / max(image.shape[:2])
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else image
    return data_uri(np.asarray(small, np.uint8))
