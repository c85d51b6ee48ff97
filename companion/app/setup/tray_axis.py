"""Axis part of the set-up: a die tells how the camera looks at the tray, and the configuration is told of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, Protocol

from companion.app.die_axis import AxisSetting
from companion.config.edit import Changes
from companion.config.tables import Config
from companion.kernel.messages import Message, message
from companion.tracking.dice.axis_session import AxisSession
from companion.tracking.dice.enrollment import DieEnrollment
from companion.tracking.dice.shapes import AxesJson, AxisSource, DieLooked
from companion.tracking.enrollment import EnrollError
from companion.vision.dice.axis import Axis
from companion.vision.dice.axis_fit import axis_words

KEY: Final = "die.axis"


class NoTray(EnrollError):
    """The running game's camera looks at no die."""


class NotNow(EnrollError):
    """What was told cannot be kept now; the message says why."""

    code = "axis-not-kept"


class Tray(Protocol):
    """The running table's tray; `companion.app.game_rig.GameRig` implements it."""

    @property
    def axis_session(self) -> AxisSession | None: ...
    @property
    def enrollment(self) -> DieEnrollment | None: ...
    @property
    def axis_now(self) -> tuple[AxisSource, Axis | None]: ...
    def look_by(self, axis: AxisSetting) -> None: ...


class TrayAxis:
    """Tells the table how its camera looks at the tray. Thread-safe.

    Args:
        save: writes keys into the configuration, and returns it.
        enrolled: the names of the house's dice.
    """

    def __init__(
        self, tray: Tray, save: Callable[[Changes], Config], enrolled: Callable[[], Iterable[str]] = tuple
    ) -> None:
        self._tray, self._save, self._enrolled = tray, save, enrolled

    def state(self) -> AxesJson:
        """Return how the camera looks at the tray, and how far it is being told anew."""
        source, axis = self._tray.axis_now
        session = self._tray.axis_session
        return {
            "now": {
                "source": source,
                "axis": None if axis is None else [axis.tilt_deg, axis.towards_deg],
                "text": _now_words(source, axis),
            },
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
        self._write([tilt, towards])
        session.end()
        return self.state()

    def straight(self) -> AxesJson:
        """Write into the configuration that the camera stands straight above: no die is needed to see that.

        Raises:
            CompanionError: it tells nothing about the table's camera, or cannot be written.
        """
        self._check()
        self._write([0, 0])
        return self.state()

    def clear(self) -> AxesJson:
        """Take it out of the configuration: the calibrated mat says it, else the camera looks straight down.

        Raises:
            CompanionError: it cannot be written.
        """
        self._check()
        self._write(None)
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

    def _write(self, axis: list[int] | None) -> None:
        config = self._save({KEY: axis})
        self._tray.look_by(config.die.axis)


def _now_words(source: AxisSource, axis: Axis | None) -> Message:
    if source == "mat" and axis is not None:
        return message("By the calibrated mat: {words}", words=axis_words(axis))
    return axis_words(Axis(0.0) if axis is None else axis)
