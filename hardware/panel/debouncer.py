"""Debouncing: from bouncing contacts to presses. Pure: times are passed in.

A contact's state counts once it has been stable for a while. Two buttons at once cancel each other. Guarded buttons act
only when held; a button that stays down too long is stuck, and ignored until released.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from companion.config.panel import PanelConfig

_OVERLAP_S: Final = 0.15
"""A second button touched this soon after one that is still down counts as pressed together with it."""

_MAX_BOUNCE_S: Final = 0.03
"""Longer chatter is interference, not bouncing: the press then no longer counts from the first edge."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Debouncing times.

    Attributes:
        debounce_s: how long a contact must be stable before its state counts.
        together_s: window in which other buttons count as pressed together; at least ``debounce_s`` is used.
        stuck_s: a button that stays down for this long is stuck.
        held: hold time of each guarded button, seconds.
    """

    debounce_s: float = 0.010
    together_s: float = 0.020
    stuck_s: float = 15.0
    held: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pressed:
    """A button was pressed, or held if it is guarded. ``since`` is the first touch of its contact."""

    button: str
    since: float


@dataclass(frozen=True, slots=True)
class Tapped:
    """A guarded button was released too early."""

    button: str
    since: float


@dataclass(frozen=True, slots=True)
class Together:
    """Several buttons were pressed together; ``counted`` is the one that had already acted, if any."""

    buttons: tuple[str, ...]
    counted: str | None = None


@dataclass(frozen=True, slots=True)
class Stuck:
    """A button has been down for too long, and is ignored until released."""

    button: str


@dataclass(frozen=True, slots=True)
class Freed:
    """A stuck button was released."""

    button: str


ButtonEvent = Pressed | Tapped | Together | Stuck | Freed


@dataclass(slots=True)
class _Contact:
    """The state of one button; ``raw`` is the contact's level, ``is_down`` the debounced one."""

    name: str
    raw: bool = False
    last_edge_at: float = float("-inf")
    "Time of the last edge."
    first_edge_at: float = float("-inf")
    "Time of the first edge since the contact was stable."
    is_down: bool = False
    since: float = float("-inf")
    state: Literal["up", "waiting", "done", "stuck"] = "up"
    is_canceled: bool = False
    "Whether it was pressed together with another button."

    @property
    def is_going_down(self) -> bool:
        return self.raw and not self.is_down


class Debouncer:
    """Debounces all buttons of a panel: feed it each `edge`, and `poll` it for events at each `due` time.

    >>> debouncer = Debouncer(["deal"], Timing())
    >>> debouncer.edge("deal", True, 5.0), debouncer.due()
    (None, 5.01)
    >>> debouncer.poll(5.02)
    (Pressed(button='deal', since=5.0),)
    """

    def __init__(self, buttons: Iterable[str], timing: Timing) -> None:
        self._contacts = {name: _Contact(name) for name in buttons}
        self._timing = timing

    def begin(self, button: str, t: float) -> None:
        """Register a button that is down at the start, which is not a press."""
        self._contacts[button] = _Contact(button, True, t, t, True, t, "done")

    def edge(self, button: str, is_down: bool, t: float) -> None:
        """Process an edge of a contact; times are monotonic."""
        contact = self._contacts[button]
        was_quiet = t - contact.last_edge_at >= self._timing.debounce_s
        if contact.raw == contact.is_down and (was_quiet or t - contact.first_edge_at > _MAX_BOUNCE_S):
            contact.first_edge_at = t
        contact.raw, contact.last_edge_at = is_down, t

    def due(self) -> float | None:
        """Return the time of the next `poll`; None if nothing is pending."""
        return min((at for contact in self._contacts.values() for at in self._due_times(contact)), default=None)

    def poll(self, t: float) -> tuple[ButtonEvent, ...]:
        """Return the events up to now, in order."""
        events: list[ButtonEvent] = []
        while (due := self.due()) is not None and due <= t:
            for contact in self._contacts.values():
                if due in self._due_times(contact):
                    events += self._advance(contact, due)
                    break
        return tuple(events)

    # ---- one contact

    def _due_times(self, contact: _Contact) -> list[float]:
        dues = []
        if contact.raw != contact.is_down:
            dues.append(contact.last_edge_at + self._timing.debounce_s)
        if contact.state == "waiting":
            dues.append(max(self._acts_at(contact), contact.first_edge_at))
        if contact.is_down and contact.state != "stuck":
            dues.append(contact.since + self._timing.stuck_s)
        return dues

    def _acts_at(self, contact: _Contact) -> float:
        wait = self._timing.held.get(contact.name, max(self._timing.together_s, self._timing.debounce_s))
        return contact.since + wait

    def _advance(self, contact: _Contact, t: float) -> list[ButtonEvent]:
        if contact.raw != contact.is_down and contact.last_edge_at + self._timing.debounce_s <= t:
            return self._settle_down(contact) if contact.raw else self._settle_up(contact)
        if contact.state == "waiting" and self._acts_at(contact) <= t:
            return self._act(contact)
        contact.state = "stuck"
        return [Stuck(contact.name)]

    def _settle_down(self, contact: _Contact) -> list[ButtonEvent]:
        contact.is_down, contact.since = True, contact.first_edge_at
        if contact.is_canceled:
            contact.is_canceled, contact.state = False, "done"
            return []
        contact.state = "waiting"
        earlier = self._still_down_before(contact)
        if earlier is None:
            return []
        contact.state = "done"
        return [Together((earlier.name, contact.name), counted=earlier.name)]

    def _still_down_before(self, contact: _Contact) -> _Contact | None:
        """Return another button that has just acted and is still down, or None."""
        for other in self._contacts.values():
            is_recent = 0 <= contact.since - other.since < _OVERLAP_S
            if other is not contact and other.is_down and other.state == "done" and is_recent:
                return other
        return None

    def _settle_up(self, contact: _Contact) -> list[ButtonEvent]:
        was, contact.is_down = contact.state, False
        if was == "waiting" and contact.name not in self._timing.held:
            return []  # a short tap; its press is reported when `_acts_at` is reached
        contact.state = "up"
        if was == "stuck":
            return [Freed(contact.name)]
        return [Tapped(contact.name, contact.since)] if was == "waiting" else []

    def _act(self, contact: _Contact) -> list[ButtonEvent]:
        others = [
            other
            for other in self._contacts.values()
            if other is not contact and (other.state == "waiting" or other.is_going_down)
        ]
        for canceled in (contact, *others):
            canceled.is_canceled = canceled.is_going_down
            canceled.state = "done" if canceled.is_down else "up"
        if others:
            return [Together(tuple(name for name in self._contacts if name in {c.name for c in (contact, *others)}))]
        return [Pressed(contact.name, contact.since)]


def timing_of(config: PanelConfig) -> Timing:
    """Return the debouncing times from the configuration."""
    return Timing(
        config.debounce_ms / 1000,
        config.together_ms / 1000,
        config.stuck_s,
        {"undo": config.hold_undo_ms / 1000, "hold": config.hold_guard_ms / 1000},
    )
