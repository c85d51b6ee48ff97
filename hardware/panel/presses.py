"""Debouncing: from bouncing contacts to presses. Pure: times are passed in.

A contact's state counts once it has been stable for a while. Two buttons at once cancel each other. Guarded buttons act
only when held; a button that stays down too long is stuck, and ignored until released.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from companion.config.panel import PanelConfig

ROLLING_S: Final = 0.15
"""A second button this soon after one that is still down counts as pressed together."""

BOUNCE_S: Final = 0.03
"""A contact that chatters for longer is disturbed: its final state no longer counts from its first edge."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Debouncing times, seconds. ``held`` gives the hold time of each guarded button."""

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


Happening = Pressed | Tapped | Together | Stuck | Freed


@dataclass(slots=True)
class _Contact:
    """A button. ``raw`` is the contact's state, ``is_down`` the debounced one."""

    name: str
    raw: bool = False
    touched: float = float("-inf")
    "Time of the last edge."
    first: float = float("-inf")
    "Time of the first edge since the contact was stable."
    is_down: bool = False
    since: float = float("-inf")
    state: Literal["up", "waiting", "done", "stuck"] = "up"
    is_spoilt: bool = False
    "Whether it was pressed together with another button."

    @property
    def is_going_down(self) -> bool:
        return self.raw and not self.is_down


class Presses:
    """All buttons of a panel. Report each `edge`, and poll it at each `due` time for events.

    >>> presses = Presses(["deal"], Timing())
    >>> presses.edge("deal", True, 5.0), presses.due()
    (None, 5.01)
    >>> presses.turn(5.02)
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
        was_quiet = t - contact.touched >= self._timing.debounce_s
        if contact.raw == contact.is_down and (was_quiet or t - contact.first > BOUNCE_S):
            contact.first = t
        contact.raw, contact.touched = is_down, t

    def due(self) -> float | None:
        """Return when `turn` should be called next; None if nothing is pending."""
        return min((at for contact in self._contacts.values() for at in self._dues(contact)), default=None)

    def turn(self, t: float) -> tuple[Happening, ...]:
        """Return the events up to now, in order."""
        happened: list[Happening] = []
        while (due := self.due()) is not None and due <= t:
            for contact in self._contacts.values():
                if due in self._dues(contact):
                    happened += self._one(contact, due)
                    break
        return tuple(happened)

    # ---- one contact

    def _dues(self, contact: _Contact) -> list[float]:
        dues = []
        if contact.raw != contact.is_down:
            dues.append(contact.touched + self._timing.debounce_s)
        if contact.state == "waiting":
            dues.append(max(self._acts_at(contact), contact.first))
        if contact.is_down and contact.state != "stuck":
            dues.append(contact.since + self._timing.stuck_s)
        return dues

    def _acts_at(self, contact: _Contact) -> float:
        wait = self._timing.held.get(contact.name, max(self._timing.together_s, self._timing.debounce_s))
        return contact.since + wait

    def _one(self, contact: _Contact, t: float) -> list[Happening]:
        if contact.raw != contact.is_down and contact.touched + self._timing.debounce_s <= t:
            return self._settle_down(contact) if contact.raw else self._settle_up(contact)
        if contact.state == "waiting" and self._acts_at(contact) <= t:
            return self._act(contact)
        contact.state = "stuck"
        return [Stuck(contact.name)]

    def _settle_down(self, contact: _Contact) -> list[Happening]:
        contact.is_down, contact.since = True, contact.first
        if contact.is_spoilt:
            contact.is_spoilt, contact.state = False, "done"
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
            is_recent = 0 <= contact.since - other.since < ROLLING_S
            if other is not contact and other.is_down and other.state == "done" and is_recent:
                return other
        return None

    def _settle_up(self, contact: _Contact) -> list[Happening]:
        was, contact.is_down = contact.state, False
        if was == "waiting" and contact.name not in self._timing.held:
            return []  # a quick tap, which acts shortly
        contact.state = "up"
        if was == "stuck":
            return [Freed(contact.name)]
        return [Tapped(contact.name, contact.since)] if was == "waiting" else []

    def _act(self, contact: _Contact) -> list[Happening]:
        others = [
            other
            for other in self._contacts.values()
            if other is not contact and (other.state == "waiting" or other.is_going_down)
        ]
        for spoilt in (contact, *others):
            spoilt.is_spoilt = spoilt.is_going_down
            spoilt.state = "done" if spoilt.is_down else "up"
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
