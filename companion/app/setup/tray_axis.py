"""Axis part of the set-up: a die tells how the camera looks at the tray, and the configuration is told of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

from companion.config.edit import Changes
from companion.config.tables import LEAST_VIEW_DEG, MOST_VIEW_DEG, Config
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
    """The running game's camera looks at no die."""


class NotNow(EnrollError):
    """What was told cannot be kept now; the message says why."""

    code = "axis-not-kept"


class BadView(EnrollError):
    """No angle of view that a camera has."""

    code = "bad-view"


class TrayAxis:
    """Tells the table how its camera looks at the tray. Thread-safe.

    Args:
        save: writes keys into the configuration, and returns it.
        enrolled: the names of the house's dice.
    """

    def __init__(
        self, tray: GameRig, save: Callable[[Changes], Config], enrolled: Callable[[], Iterable[str]] = tuple
    ) -> None:
        self._tray, self._save, self._enrolled = tray, save, enrolled

    def state(self) -> AxesJson:
        """Return how the camera looks at the tray, and how far it is being told anew."""
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
            "views": [LEAST_VIEW_DEG, MOST_VIEW_DEG],
            "can_tell": session is not None,
            "enrolled": sorted(self._enrolled()),
            "enrollment": None if session is None else session.state(),
        }

    def begin(self, kind: str) -> AxesJson:
        """Begin to tell the faces of a die of this kind.

        Raises:
            EnrollError: it has begun already, there is no such kind, or no die is looked at.
        """
        self._session().begin(kind)
        return self.state()

    def inspect(self) -> DieLooked:
        """Look at the tray: whether a face can be told of what lies there; raises if nobody tells."""
        return self._session().inspect()

    def take(self, face: str) -> AxesJson:
        """Take in what lies in the tray now, with this face up; raises if the picture will not do."""
        self._session().take(face)
        return self.state()

    def undo(self, number: int | None = None) -> AxesJson:
        """Forget the picture of this number, else the one taken last; raises if there is none."""
        self._session().undo(number)
        return self.state()

    def cancel(self) -> AxesJson:
        """Forget what was told; the configuration stays as it is."""
        self._session().end()
        return self.state()

    def keep(self) -> AxesJson:
        """Write what was found into the configuration; dice are read by it from the next throw on.

        Raises:
            CompanionError: none is found yet, it tells nothing about the table's camera, or cannot be written.
        """
        session = self._session()
        self._check()
        tilt, towards = session.found()
        self._write({KEY: [tilt, towards]})
        session.end()
        return self.state()

    def straight(self) -> AxesJson:
        """Write into the configuration that the camera stands straight above: no die is needed to see that.

        Raises:
            CompanionError: it tells nothing about the table's camera, or cannot be written.
        """
        self._check()
        self._write({KEY: [0, 0]})
        return self.state()

    def clear(self) -> AxesJson:
        """Take it out of the configuration: the calibrated mat says it, else the camera looks straight down.

        Raises:
            CompanionError: it cannot be written.
        """
        self._check()
        self._write({KEY: None})
        return self.state()

    def set_view(self, view: object) -> AxesJson:
        """Write the camera's horizontal angle of view into the configuration, whole degrees; None takes it out.

        Raises:
            BadView: no camera has that.
            CompanionError: faces are being told by the angle as it is, or it cannot be written.
        """
        if view is not None and not (type(view) is int and LEAST_VIEW_DEG <= view <= MOST_VIEW_DEG):
            raise BadView(
                message(
                    "The angle of view is a whole number of degrees from {least} to {most}, such as 66.",
                    least=LEAST_VIEW_DEG, most=MOST_VIEW_DEG,
                )
            )  # fmt: skip
        self._check()
        session = self._tray.axis_session
        if session is not None and session.state() is not None:
            raise NotNow(message("Faces are being told already. Go on with that, or cancel it first."))
        self._write({VIEW_KEY: view})
        return self.state()

    def _session(self) -> AxisSession:
        session = self._tray.axis_session
        if session is None:
            raise NoTray(
                message("No camera looks at a die now. Change to a game that is played with a die, then come back.")
            )
        return session

    def _check(self) -> None:
        """Refuse what would be told of another camera, or while pictures are taken by the axis as it is."""
        if self._tray.axis_now[0] == "demo":
            raise NotNow(message("The demo's camera is drawn and tells nothing about yours: nothing was written."))
        teaching = self._tray.enrollment
        taught = None if teaching is None else teaching.state()["enrollment"]
        if taught is not None:
            raise NotNow(message("{die} is being taught. Finish or cancel that first.", die=taught["name"]))

    def _write(self, changes: Changes) -> None:
        die = self._save(changes).die
        self._tray.look_by(die.axis, die.view)


def _now_words(source: AxisSource, axis: Axis | None) -> Message:
    if source == "mat" and axis is not None:
        return message("By the calibrated mat: {words}", words=axis_words(axis))
    return axis_words(Axis(0.0) if axis is None else axis)


def _view_words(source: AxisSource, axis: Axis | None, view: float | None) -> Words:
    """Return by which angle of view dice are read; it is set, told by the mat, or the usual one."""
    if source == "demo":
        return ""
    if view is not None:
        return message("The camera's angle of view is set to {degrees} degrees.", degrees=round(view))
    if source == "mat" and axis is not None and axis.lens != DEFAULT_LENS:
        degrees = round(axis.lens.view_deg)
        return message("By the calibrated mat the camera's angle of view is about {degrees} degrees.", degrees=degrees)
    degrees = round(DEFAULT_LENS.view_deg)
    return message("The camera's angle of view is not set: {degrees} degrees are assumed.", degrees=degrees)
