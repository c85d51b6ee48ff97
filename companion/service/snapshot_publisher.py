"""Publishes the newest snapshot of the table and wakes whoever waits for a change."""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from typing_extensions import TypedDict

from companion.kernel.ledger import Ledger
from companion.kernel.situation import Situation
from companion.odds.exposure import HouseState
from companion.service.night import NightJson
from companion.service.settings import TableSettings
from companion.service.snapshot import Camera, FloorLink, FloorNews, RoomView, Snapshot, Views, view_of


class AdviceJson(TypedDict):
    """What the decision that is due is worth."""

    version: int
    "Of the view that it is about."
    advice: Mapping[str, object]
    "The game says what; empty where nobody decides, or the viewer may not know."


class SnapshotPublisher:
    """Holds the newest snapshot. Thread-safe: the table's thread publishes, others read and wait."""

    def __init__(self, first: Snapshot, translate: Callable[[str, str], str]) -> None:
        self._lock = threading.Lock()
        self._advising = threading.Lock()
        self._bell = threading.Event()
        self._views = Views(translate)
        self._shown = first

    # ---- reading

    def view(self, viewer: str = "room") -> RoomView:
        """Return what a viewer (``room``, ``dealer``, ``seat/3``) may see now. Shared: do not change what is inside."""
        return self._views.get(self._shown, viewer).copy()

    @property
    def situation(self) -> Situation:
        """The table's current situation; cheap, for the camera thread."""
        return self._shown.now

    def glance(self) -> RoomView:
        """Return the dealer's view without the odds, which take time: for the panel's lights."""
        return view_of(self._shown, "dealer", [])

    def advice(self, viewer: str = "room") -> AdviceJson:
        """Return what the decision that is due is worth. It may take long: only others who ask the same wait for it."""
        shown = self._shown
        advise = shown.context.odds.advice
        if advise is None:
            return {"version": shown.version, "advice": {}}
        with self._advising:  # one reckons, the others find what it found
            return {"version": shown.version, "advice": advise(shown.state, viewer)}

    def view_json(self, viewer: str = "room", language: str = "en") -> bytes:
        """Return the view as JSON in a language, written once per version."""
        return self._views.written(self._shown, viewer, language)

    @property
    def version(self) -> int:
        """Counts up whenever anything visible changes."""
        return self._shown.version

    @property
    def settings(self) -> TableSettings:
        """What the table shows beyond its game's rules."""
        return self._shown.context.settings

    @property
    def ledger(self) -> Ledger:
        """Everybody's coins, as shown now."""
        return self._shown.context.ledger

    @property
    def state(self) -> Any:
        """The game's state, as shown now."""
        return self._shown.state

    @property
    def house_state(self) -> HouseState | None:
        """The same, if the game is played against a house."""
        return self._shown.context.house_state(self._shown.state)

    def wait(self, after_version: int, timeout_s: float) -> int:
        """Wait until the version is above ``after_version`` or the time is over; return the version now."""
        ends = time.monotonic() + timeout_s
        while True:
            bell = self._bell
            if self._shown.version > after_version:
                return self._shown.version
            left = ends - time.monotonic()
            if left <= 0 or not bell.wait(left):
                return self._shown.version

    # ---- what others report, for everybody or the dealer to see

    def set_camera(self, status: str, text: str, name: str = "") -> None:
        """Set the camera's status: ``ok``, ``poor``, ``lost``, ``ended`` or ``none``."""
        camera = Camera(status, text, name)
        if camera != self._shown.camera:
            self._show(camera=camera)

    def set_sight(self, report: Mapping[str, object]) -> None:
        """Show the dealer the sight's numbers: px/mm, calibration, what it waits for."""
        if dict(report) != self._shown.sight:
            self._show(sight=dict(report))

    def set_floor(self, link: FloorLink) -> None:
        """Show the dealer how the connection to the house's floor fares."""
        if link != self._shown.floor:
            self._show(floor=link)

    @property
    def floor(self) -> FloorLink | None:
        """The connection to the house's floor, as shown now; None at a table that has joined none."""
        return self._shown.floor

    def set_floor_news(self, news: FloorNews) -> None:
        """Show the dealer what the floor has for this table: new prices, and who is on duty."""
        if news != self._shown.floor_news:
            self._show(floor_news=news)

    @property
    def floor_news(self) -> FloorNews:
        """What the floor has for this table, as shown now."""
        return self._shown.floor_news

    def set_settings(self, settings: TableSettings) -> None:
        """Show more or less from now on: chances, practice, the turn timer, other chips; wait for payments, or not."""
        if settings != self._shown.context.settings:
            self._show(context=replace(self._shown.context, settings=settings))

    def set_night(self, night: NightJson | None) -> None:
        """Show what is planned to be played later."""
        if night != self._shown.night:
            self._show(night=night)

    def set_demo(self, has_demo: bool, *, plays: bool = False) -> None:
        """Show whether simulated people play, and whether the demo deals by itself."""
        if (has_demo, plays) != (self._shown.has_demo, self._shown.demo_plays):
            self._show(has_demo=has_demo, demo_plays=plays)

    @property
    def session(self) -> int:
        """The number of the session that is on, as shown now."""
        return self._shown.session

    def _show(self, **changes: Any) -> None:
        self._change(**changes).set()

    def _change(self, **changes: Any) -> threading.Event:
        """Publish a new snapshot and return the event that wakes its waiters."""
        with self._lock:
            self._shown = replace(self._shown, version=self._shown.version + 1, **changes)
            bell, self._bell = self._bell, threading.Event()
        return bell
