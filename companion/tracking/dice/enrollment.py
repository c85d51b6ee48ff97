"""Enrolls a new die on the running table: a session over many requests, before the table's own camera.

During enrollment nothing in the tray counts as a throw. A die already known by that name stays in use until the new
one is complete.
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
    BadPicture,
    Camera,
    EnrollError,
    LiveEnrollment,
    LivePicture,
    StillOpen,
    Zone,
    data_uri,
)
from companion.vision.dice.axis import Axis
from companion.vision.dice.boxes import Box, DieBox, crop_of, has_moved
from companion.vision.dice.enrolled import LABELS, EnrolledDice
from companion.vision.dice.enrollment import MOST_NAME, Enrollment
from companion.vision.frame import Image

_SHOWN_PX: Final = 224
_MORE: Final = 1.6  # what is shown round a die, in sizes of it


class DieKnown(EnrollError):
    """A die of this name is known: it is taught anew only when that is said."""

    code = "die-known"


class DieEnrollment(LiveEnrollment[Enrollment]):
    """Enrolls one die at a time. Thread-safe.

    Args:
        camera: the running table's; None at a table without one.
        dice: the enrolled dice.
        zone: the tray, as shares of the picture.
        axis: how the camera looks at it, where that is known.
        on_change: hears that a die was learnt or forgotten.
        clock: seconds, never going back.
    """

    none_open = message("No die is being taught. Begin with its name.")

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
        """How the camera looks at the tray, where that is known."""
        return self._axis

    @property
    def _axis_there(self) -> Axis | None:
        """How the camera looks at the part of its picture that is the tray."""
        return None if self._axis is None else self._axis.within(self._live.zone)

    def look_by(self, axis: Axis | None) -> None:
        """Take the camera to look so from now on."""
        with self._lock:
            self._axis = axis
            if self._session is not None:
                self._session.axis = self._axis_there

    def go_on(self, other: Self) -> None:
        """Go on with what another one, before another game's camera, was about to learn."""
        with other._lock:
            session, other._session = other._session, None
            touched = other._touched
        if session is not None:
            session.axis = self._axis_there
        with self._lock:
            self._session, self._touched = session, touched

    def state(self) -> EnrollmentsJson:
        """Return the enrolled dice, and the progress of the enrollment."""
        with self._lock:
            dice: list[DieName] = [{"name": name, "kind": kind} for name, kind in self._dice.names().items()]
            return {"dice": dice, "enrollment": None if self._session is None else _told(self._session)}

    # ---- enrollment

    def begin(self, name: str, kind: str, *, replace: bool = False) -> EnrollmentsJson:
        """Begin to teach a die.

        Raises:
            StillOpen: another one is being taught.
            DieKnown: there is a die of this name, and it was not said that it be taught anew.
            CompanionError: the name or the kind is none.
        """
        with self._lock:
            known = kind_called(kind)
            session = Enrollment(name, known, axis=self._axis_there)
            if self._session is not None:
                raise StillOpen(message("{die} is being taught. Finish or cancel that first.", die=self._session.name))
            other = next((one for one in self._dice.names() if one.lower() == session.name.lower()), None)
            if other is not None and not replace:
                raise DieKnown(
                    message("{die} is known already. Teach it anew from the list, or choose another name.", die=other)
                )
            self._session, self._touched = session, self._clock()
            return self.state()

    def inspect(self) -> DieSeen:
        """Inspect the camera's picture: whether it is usable, and what it probably shows.

        Raises:
            EnrollError: there is no enrollment, or no camera.
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
        """Learn the face that is up from what lies before the camera now.

        Raises:
            BadPicture: the picture will not do; says why.
            EnrollError: there is no enrollment, no camera, or the die has no such face.
        """
        with self._lock:
            session = self._open()
            need_face(session.kind, face)
            before, image = self._live.now(), self._live.now(APART_S)
            inspection = session.inspect(image)
            moved = inspection.box is not None and not inspection.why and has_moved(before, image, inspection.box)
            why = message("the die still moves") if moved else session.learn(inspection, face)
            if why:
                raise BadPicture(message("Not this picture: {why}.", why=why), _picture(image, inspection.box))
            return self.state()

    def undo(self, face: str | None = None) -> EnrollmentsJson:
        """Forget the picture taken last, or the last one of a face.

        Raises:
            EnrollError: there is none.
        """
        with self._lock:
            if self._open().undo(face) is None:
                raise EnrollError(message("No such picture was taken yet. Show a face first."))
            return self.state()

    def cancel(self) -> EnrollmentsJson:
        """End the enrollment; the die that was known by this name, if there was one, stays known."""
        with self._lock:
            self._open()
            self._session = None
            return self.state()

    def finish(self) -> EnrollmentsJson:
        """Keep the die; the table knows it from now on.

        Raises:
            EnrollError: faces are missing.
        """
        with self._lock:
            session = self._open()
            if session.wanted:
                wanted = ", ".join(session.wanted)
                raise EnrollError(message("{die} is not complete. Show {faces}, too.", die=session.name, faces=wanted))
            session.finish(self._dice)
            self._session = None
        self._on_change()
        return self.state()

    def forget(self, name: str) -> EnrollmentsJson:
        """Forget a die.

        Raises:
            EnrollError: none of this name is known.
        """
        with self._lock:
            if name not in self._dice.names():
                raise EnrollError(
                    message("No die is called {die}. The page lists those that are known.", die=repr(name[:MOST_NAME]))
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
    """Return the kind of die that a request names.

    Raises:
        EnrollError: there is no such kind.
    """
    known = next((one for one in DIE_KINDS if one == kind), None)
    if known is None:
        kinds = ", ".join(DIE_KINDS)
        why = message("There is no kind of die {kind} here. Choose one of {kinds}.", kind=repr(kind[:20]), kinds=kinds)
        raise EnrollError(why)
    return known


def need_face(kind: DieKind, face: str) -> None:
    """See that a kind of die has the face that a request names.

    Raises:
        EnrollError: it has not.
    """
    if face not in LABELS[kind]:
        raise EnrollError(
            message(
                "A {kind} does not show {face}. Choose one of {faces}.",
                kind=DIE_NAMES[kind],
                face=repr(face[:20]),
                faces=", ".join(LABELS[kind]),
            )
        )


def _picture(image: Image, box: Box | None) -> str:
    """Return the die with a little of what is round it, or the whole tray where none is seen, as a data: address."""
    if box is not None:
        die = DieBox(box, 1.0)
        return data_uri(crop_of(image, die, scale=_MORE, side_px=_SHOWN_PX))
    scale = 2 * _SHOWN_PX / max(image.shape[:2])
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else image
    return data_uri(np.asarray(small, np.uint8))
