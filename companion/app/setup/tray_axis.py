"""Axis part of the set-up: determines the camera's axis over the tray with a die, and saves it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

from companion.config.edit import Changes
from companion.config.tables import MAX_VIEW_DEG, MIN_VIEW_DEG, Config
from companion.kernel.messages import Message, Words, message
from companion.tracking.dice.axis_session import AxisSession
from companion.tracking.dice.shapes import AxesJson, AxisSource, DieLooked
from companion.tracking.enrollment import EnrollError
from companion.vision.dice.axis import DEFAULT_LENS, Axis
from companion.vision.dice.axis_fit import axis_words

if TYPE_CHECKING:
    from companion.app.game_rig import GameRig

KEY: Final = "die.axis"
VIEW_KEY: Final = "die.view"


class NoTray(EnrollError):
    """The current game has no dice tray."""


class NotNow(EnrollError):
    """The axis or the angle of view cannot be saved now; the message says why."""

    code = "axis-not-kept"


class BadView(EnrollError):
    """An angle of view outside the valid range."""

    code = "bad-view"


class TrayAxis:
    """Determines and sets the camera's axis over the tray. Thread-safe.

    Args:
        save: writes keys into the configuration, and returns it.
        enrolled: returns the names of the enrolled dice.
    """

    def __init__(
        self, tray: GameRig, save: Callable[[Changes], Config], enrolled: Callable[[], Iterable[str]] = tuple
    ) -> None:
        self._tray, self._save, self._enrolled = tray, save, enrolled

    def state(self) -> AxesJson:
        """Return the axis in use, and the progress of determining a new one."""
        (source, axis), view = self._tray.axis_now, self._tray.view_deg
        session = self._tray.axis_session
        return {
            "now": {
                "source": source,
                "axis": None if axis is None else [axis.tilt_deg, axis.towards_deg],
                "text": _now_words(source, axis),
                "view": view,
                "view_text": _view_words(source, axis, view),
            },
            "views": [MIN_VIEW_DEG, MAX_VIEW_DEG],
            "can_tell": session is not None,
            "enrolled": sorted(self._enrolled()),
            "enrollment": None if session is None else session.state(),
        }

    def begin(self, kind: str) -> AxesJson:
        """Start determining the axis with a die of this kind.

        Raises:
            EnrollError: already started, an unknown kind, or no dice tray.
        """
        self._session().begin(kind)
        return self.state()

    def inspect(self) -> DieLooked:
        """Return whether the die now in the tray can be used for a picture; raises if not started."""
        return self._session().inspect()

    def take(self, face: str) -> AxesJson:
        """Add a picture of the die with this face up; raises if the picture is unsuitable."""
        self._session().take(face)
        return self.state()

    def undo(self, number: int | None = None) -> AxesJson:
        """Remove the picture with this number, by default the latest; raises if there is none."""
        self._session().undo(number)
        return self.state()

    def cancel(self) -> AxesJson:
        """Discard all pictures; the configuration is unchanged."""
        self._session().end()
        return self.state()

    def keep(self) -> AxesJson:
        """Save the axis found in the configuration and use it from the next throw on.

        Raises:
            CompanionError: no axis has been found yet, the camera is the demo's, or the file cannot be written.
        """
        session = self._session()
        self._check()
        tilt, towards = session.found()
        self._write({KEY: [tilt, towards]})
        session.end()
        return self.state()

    def straight(self) -> AxesJson:
        """Save that the camera points straight down, without measuring it with a die.

        Raises:
            CompanionError: the camera is the demo's, a die is being enrolled, or the file cannot be written.
        """
        self._check()
        self._write({KEY: [0, 0]})
        return self.state()

    def clear(self) -> AxesJson:
        """Remove the axis from the configuration: the calibrated mat's applies, else straight down.

        Raises:
            CompanionError: as for `straight`.
        """
        self._check()
        self._write({KEY: None})
        return self.state()

    def set_view(self, view: object) -> AxesJson:
        """Save the camera's horizontal angle of view, in whole degrees; None removes it.

        Raises:
            BadView: outside the valid range.
            CompanionError: an axis is being determined with the current angle, or as for `straight`.
        """
        if view is not None and not (type(view) is int and MIN_VIEW_DEG <= view <= MAX_VIEW_DEG):
            raise BadView.saying(
                "The angle of view is a whole number of degrees from {least} to {most}, such as 66.",
                least=MIN_VIEW_DEG,
                most=MAX_VIEW_DEG,
            )
        self._check()
        session = self._tray.axis_session
        if session is not None and session.state() is not None:
            raise NotNow.saying("Faces are being told already. Go on with that, or cancel it first.")
        self._write({VIEW_KEY: view})
        return self.state()

    def _session(self) -> AxisSession:
        session = self._tray.axis_session
        if session is None:
            raise NoTray.saying(
                "No camera looks at a die now. Change to a game that is played with a die, then come back."
            )
        return session

    def _check(self) -> None:
        """Raise if the camera is the demo's, or a die is being enrolled with the current axis."""
        if self._tray.axis_now[0] == "demo":
            raise NotNow.saying("The demo's camera is drawn and tells nothing about yours: nothing was written.")
        teaching = self._tray.enrollment
        taught = None if teaching is None else teaching.state()["enrollment"]
        if taught is not None:
            raise NotNow.saying("{die} is being taught. Finish or cancel that first.", die=taught["name"])

    def _write(self, changes: Changes) -> None:
        die = self._save(changes).die
        self._tray.set_axis(die.axis, die.view)


def _now_words(source: AxisSource, axis: Axis | None) -> Message:
    if source == "mat" and axis is not None:
        return message("By the calibrated mat: {words}", words=axis_words(axis))
    return axis_words(Axis(0.0) if axis is None else axis)


def _view_words(source: AxisSource, axis: Axis | None, view: float | None) -> Words:
    """Return the angle of view in use, in words: set, from the mat, or the default."""
    if source == "demo":
        return ""
    if view is not None:
        return message("The camera's angle of view is set to {degrees} degrees.", degrees=round(view))
    if source == "mat" and axis is not None and axis.lens != DEFAULT_LENS:
        degrees = round(axis.lens.view_deg)
        return message("By the calibrated mat the camera's angle of view is about {degrees} degrees.", degrees=degrees)
    degrees = round(DEFAULT_LENS.view_deg)
    return message("The camera's angle of view is not set: {degrees} degrees are assumed.", degrees=degrees)
