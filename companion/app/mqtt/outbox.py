"""The publisher's bounded send queue, with the state that the broker has acknowledged.

For each retained topic only the newest payload is kept, and it is not sent while an older one is in flight. Events
wait in order up to a fixed number; beyond that the oldest are dropped and counted.
"""

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

EVENTS_KEPT: Final = 500
UNDER_WAY: Final = 16
"""Maximum number of unacknowledged messages; the broker may set a lower limit."""


@dataclass(frozen=True, slots=True)
class Message:
    """A payload for a topic."""

    topic: str
    payload: bytes
    is_retained: bool


class Outbox:
    """Messages for the broker. Thread-safe.

    Args:
        events_kept: maximum number of waiting events.
    """

    def __init__(self, events_kept: int = EVENTS_KEPT) -> None:
        self._lock = threading.Lock()
        self._wanted: dict[str, bytes] = {}
        self._known: dict[str, bytes] = {}
        self._events: deque[Message] = deque()
        self._under_way: dict[int, Message] = {}
        self._most = events_kept
        self._lost = 0

    # ---- for producers

    def keep(self, topic: str, payload: bytes) -> bool:
        """Set a topic's retained payload; return whether it differs from the acknowledged one."""
        with self._lock:
            self._wanted[topic] = payload
            return self._known.get(topic) != payload

    def add(self, topic: str, payload: bytes) -> None:
        """Queue an event."""
        with self._lock:
            if len(self._events) >= self._most:
                self._events.popleft()
                self._lost += 1
            self._events.append(Message(topic, payload, False))

    @property
    def lost(self) -> int:
        """Number of dropped events."""
        return self._lost

    @property
    def waiting(self) -> int:
        """Number of events not sent yet."""
        return len(self._events)

    @property
    def is_empty(self) -> bool:
        """Whether the broker has acknowledged everything."""
        with self._lock:
            return not self._events and not self._under_way and self._known == self._wanted

    # ---- for the publisher

    def send(self, publish: Callable[[Message], int], most: int = UNDER_WAY) -> None:
        """Send what is due: first retained payloads, then events.

        Args:
            publish: sends a message and returns its number, for `acknowledged`.
            most: the broker's limit for unacknowledged messages.
        """
        with self._lock:
            for message in self._due(min(most, UNDER_WAY) - len(self._under_way)):
                self._under_way[publish(message)] = message

    def _due(self, room: int) -> list[Message]:
        busy = {message.topic for message in self._under_way.values() if message.is_retained}
        due = [
            Message(topic, payload, True)
            for topic, payload in self._wanted.items()
            if topic not in busy and self._known.get(topic) != payload
        ][: max(room, 0)]
        return due + [self._events.popleft() for _ in range(min(room - len(due), len(self._events)))]

    def acknowledged(self, number: int) -> Message | None:
        """Record that a message was acknowledged or refused; return it, or None for an unknown number."""
        with self._lock:
            message = self._under_way.pop(number, None)
            if message is not None and message.is_retained:
                self._known[message.topic] = message.payload
            return message

    def disconnected(self) -> None:
        """Reset after a lost connection: all retained payloads and unacknowledged events will be sent again."""
        with self._lock:
            again = [message for message in self._under_way.values() if not message.is_retained]
            self._events.extendleft(reversed(again))
            while len(self._events) > self._most:
                self._events.popleft()
                self._lost += 1
            self._under_way.clear()
            self._known.clear()
