"""What the broker is to have and what it has acknowledged: the publisher's memory, which cannot grow.

Of each retained topic only the newest payload is kept, and none is sent while an older one of its topic is under way.
Events wait in order, a fixed number at most; the oldest are dropped, and counted.
"""

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

EVENTS_KEPT: Final = 500
UNDER_WAY: Final = 16
"""Messages that are sent before the first of them is acknowledged; fewer where the broker says so."""


@dataclass(frozen=True, slots=True)
class Message:
    """A payload for a topic."""

    topic: str
    payload: bytes
    is_retained: bool


class Outbox:
    """Messages for the broker. Thread-safe.

    Args:
        events_kept: so many wait at most.
    """

    def __init__(self, events_kept: int = EVENTS_KEPT) -> None:
        self._lock = threading.Lock()
        self._wanted: dict[str, bytes] = {}
        self._known: dict[str, bytes] = {}
        self._events: deque[Message] = deque()
        self._under_way: dict[int, Message] = {}
        self._most = events_kept
        self._lost = 0

    # ---- by whoever has something to say

    def keep(self, topic: str, payload: bytes) -> bool:
        """Have the broker keep a payload, instead of an older one; return whether it differs from what it has."""
        with self._lock:
            self._wanted[topic] = payload
            return self._known.get(topic) != payload

    def add(self, topic: str, payload: bytes) -> None:
        """Send an event once."""
        with self._lock:
            if len(self._events) >= self._most:
                self._events.popleft()
                self._lost += 1
            self._events.append(Message(topic, payload, False))

    @property
    def lost(self) -> int:
        """Events that were dropped."""
        return self._lost

    @property
    def waiting(self) -> int:
        """Events that were not sent yet."""
        return len(self._events)

    @property
    def is_empty(self) -> bool:
        """Whether the broker has acknowledged everything."""
        with self._lock:
            return not self._events and not self._under_way and self._known == self._wanted

    # ---- by the publisher

    def send(self, publish: Callable[[Message], int], most: int = UNDER_WAY) -> None:
        """Send whatever is due: first what is to be kept, then events.

        Args:
            publish: sends a message and returns its number, by which it will be acknowledged.
            most: messages under way at a time.
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
        """Note that the broker has answered a message; return it, None if it is none of ours."""
        with self._lock:
            message = self._under_way.pop(number, None)
            if message is not None and message.is_retained:
                self._known[message.topic] = message.payload
            return message

    def disconnected(self) -> None:
        """Assume that the broker has nothing, and send again what it has not acknowledged."""
        with self._lock:
            again = [message for message in self._under_way.values() if not message.is_retained]
            self._events.extendleft(reversed(again))
            while len(self._events) > self._most:
                self._events.popleft()
                self._lost += 1
            self._under_way.clear()
            self._known.clear()
