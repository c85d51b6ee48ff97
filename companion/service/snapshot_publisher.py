"""Publishes the table's latest snapshot: views for readers, reports from other components, waiting for a change."""

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
    """Odds advice for the current decision."""

    version: int
    "Version of the view that the advice is for."
    advice: Mapping[str, object]
    "In the game's own format; empty if there is no decision, or the viewer may not see it."


class SnapshotPublisher:
    """Holds the latest snapshot. Thread-safe: any thread may publish, read and wait."""

    def __init__(self, first: Snapshot) -> None:
        self.latest = first
        self._lock = threading.Lock()
        self._bell = threading.Event()

    def publish(self, change: Callable[[Snapshot], Snapshot]) -> threading.Event:
        """Publish a new snapshot; return the event that wakes the waiting threads once it is set.

        Args:
            change: returns the new snapshot for the latest one, while other threads wait to publish.
        """
        with self._lock:
            self.latest = replace(change(self.latest), version=self.latest.version + 1)
            bell, self._bell = self._bell, threading.Event()
        return bell

    def show(self, **changes: Any) -> None:
        """Publish a new snapshot with these fields, and wake the waiting threads."""
        self.publish(lambda latest: replace(latest, **changes)).set()

    def show_context(self, **changes: Any) -> None:
        """Publish a new snapshot with these fields of its context, and wake the waiting threads."""
        self.publish(lambda latest: replace(latest, context=replace(latest.context, **changes))).set()

    def wait(self, after_version: int, timeout_s: float) -> int:
        """Wait until the version exceeds ``after_version`` or the timeout expires; return the current version."""
        ends = time.monotonic() + timeout_s
        while True:
            bell = self._bell
            if self.latest.version > after_version:
                return self.latest.version
            left = ends - time.monotonic()
            if left <= 0 or not bell.wait(left):
                return self.latest.version


class PublishedTable:
    """The table as other components see it: its latest snapshot, to which they add their own reports. Thread-safe."""

    def __init__(self, publisher: SnapshotPublisher, translate: Callable[[str, str], str]) -> None:
        self._publisher = publisher
        self._advising = threading.Lock()
        self._views = Views(translate)

    @property
    def _shown(self) -> Snapshot:
        return self._publisher.latest

    # ---- reading

    def view(self, viewer: str = "room") -> RoomView:
        """Return the view of ``room``, ``dealer`` or a seat such as ``seat/3``. Its values are shared: never modify."""
        return self._views.get(self._shown, viewer).copy()

    @property
    def situation(self) -> Situation:
        """The table's current situation; cheap, for the camera thread."""
        return self._shown.now

    def glance(self) -> RoomView:
        """Return the dealer's view without the odds, which are slow: for announcements and other frequent readers."""
        return view_of(self._shown, "dealer", [])

    def advice(self, viewer: str = "room") -> AdviceJson:
        """Return advice on the current decision. May be slow; blocks no other method."""
        shown = self._shown
        advise = shown.context.odds.advice
        if advise is None:
            return {"version": shown.version, "advice": {}}
        with self._advising:  # one thread calculates at a time, so that the next ones profit from the game's caches
            return {"version": shown.version, "advice": advise(shown.state, viewer)}

    def view_json(self, viewer: str = "room", language: str = "en") -> bytes:
        """Return the view as JSON in a language; serialised once per version."""
        return self._views.written(self._shown, viewer, language)

    @property
    def version(self) -> int:
        """Counts up whenever anything visible changes."""
        return self._shown.version

    @property
    def settings(self) -> TableSettings:
        """The current settings."""
        return self._shown.context.settings

    @property
    def ledger(self) -> Ledger:
        """The current ledger."""
        return self._shown.context.ledger

    @property
    def state(self) -> Any:
        """The game's current state."""
        return self._shown.state

    @property
    def house_state(self) -> HouseState | None:
        """The current state if the game is played against the house, else None."""
        return self._shown.context.house_state(self._shown.state)

    def wait(self, after_version: int, timeout_s: float) -> int:
        """Wait until the version exceeds ``after_version`` or the timeout expires; return the current version."""
        return self._publisher.wait(after_version, timeout_s)

    # ---- reports from other components, shown to all viewers or to the dealer

    def set_camera(self, status: str, text: str, name: str = "") -> None:
        """Set the camera's status: ``ok``, ``poor``, ``lost``, ``ended`` or ``none``."""
        camera = Camera(status, text, name)
        if camera != self._shown.camera:
            self._publisher.show(camera=camera)

    def set_sight(self, report: Mapping[str, object]) -> None:
        """Show the dealer the camera's measurements: px/mm, calibration, what it waits for."""
        if dict(report) != self._shown.sight:
            self._publisher.show(sight=dict(report))

    def set_floor(self, link: FloorLink) -> None:
        """Show the dealer the state of the connection to the house's floor."""
        if link != self._shown.floor:
            self._publisher.show(floor=link)

    @property
    def floor(self) -> FloorLink | None:
        """The state of the connection to the house's floor; None at a table that belongs to no floor."""
        return self._shown.floor

    def set_floor_news(self, news: FloorNews) -> None:
        """Show the dealer the floor's news for this table: new prices, and the dealer on duty."""
        if news != self._shown.floor_news:
            self._publisher.show(floor_news=news)

    @property
    def floor_news(self) -> FloorNews:
        """The floor's current news for this table."""
        return self._shown.floor_news

    def set_settings(self, settings: TableSettings) -> None:
        """Replace the settings."""
        if settings != self._shown.context.settings:
            self._publisher.show_context(settings=settings)

    def set_night(self, night: NightJson | None) -> None:
        """Show the night's schedule."""
        if night != self._shown.night:
            self._publisher.show(night=night)

    def set_demo(self, has_demo: bool, *, plays: bool = False) -> None:
        """Show whether the players are simulated, and whether the demo deals automatically."""
        if (has_demo, plays) != (self._shown.has_demo, self._shown.demo_plays):
            self._publisher.show(has_demo=has_demo, demo_plays=plays)

    @property
    def session(self) -> int:
        """The number of the current session."""
        return self._shown.session
