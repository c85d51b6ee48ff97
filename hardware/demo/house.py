"""What every demo house is: a thread that looks at the table's view and does what people would do next.

It moves things on the felt and presses what people press. What lies there, the camera has to see.
"""

from __future__ import annotations

import logging
import random
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Protocol, Self

from companion.kernel.errors import CompanionError
from companion.kernel.messages import message
from hardware.demo.felt_table import DemoError, FeltTable
from hardware.demo.guests import SOURCE, Guests, Journal

log = logging.getLogger(__name__)

__all__ = ["SOURCE", "House", "TableService"]


class TableService(Journal, Protocol):
    """What a house needs of the table's thread (see `companion.service`)."""

    def submit(self, record: Mapping[str, Any], *, source: str, key: str | None = None, timeout_s: float = 5.0) -> Any:
        """Play a command; raises TableError if it is refused."""

    def view(self, viewer: str = "room") -> dict[str, Any]:
        """Return what a viewer may see."""

    def wait(self, after_version: int, timeout_s: float) -> int:
        """Wait until the version is above ``after_version``; return it."""


class House(ABC):
    """Base of the demo houses. Safe to call from any thread; use as a context manager, or `start` and `close`.

    Args:
        felt: where things are moved.
        auto: whether it goes on by itself.
        seed: of luck and whims; None for true luck.
        clock: seconds, never going back.
    """

    mischiefs: ClassVar[Mapping[str, str]] = {}
    "What can be made to go wrong, and the words for it."

    def __init__(
        self,
        service: TableService,
        felt: FeltTable,
        *,
        auto: bool = True,
        seed: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._service, self._felt, self._clock = service, felt, clock
        self._guests = Guests(service)
        self._rng = random.Random(seed)
        self._lock = threading.RLock()
        self._auto = auto
        self._text: str = message("The house opens.")
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    @abstractmethod
    def tick(self) -> None:
        """Look at the table once and do what is due."""

    @abstractmethod
    def auto(self, on: bool) -> None:
        """Let it go on by itself, or wait for a person. It stays as it is told."""

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """Say what the demo does now, and what a visitor may press."""

    @abstractmethod
    def deal(self) -> None:
        """Do the next thing, for a visitor who plays the dealer."""

    @abstractmethod
    def gather(self) -> None:
        """Clear the felt for what comes next."""

    @abstractmethod
    def mischief(self, kind: str) -> None:
        """Do something that a dealer should notice."""

    def _knows_guests(self) -> bool:
        """Read on in the journal who is a real person; False while there is more to read: nobody is to act for them."""
        return self._guests.catch_up()

    def pause(self) -> None:
        """Wait for a person."""
        self.auto(False)

    def resume(self) -> None:
        """Go on by itself."""
        self.auto(True)

    def start(self) -> None:
        """Begin to watch the table."""
        self._thread = threading.Thread(target=self._run, name="demo house", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop. May be called twice."""
        self._stop.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(5)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self) -> None:
        version = 0
        while not self._stop.is_set():
            try:
                self.tick()
            except CompanionError as error:  # refused, too slow, closing: the next look decides anew
                log.info("The demo house waits: %s", error)
                self._stop.wait(0.5)
            version = self._service.wait(version, 0.2)

    def _controls(
        self, *, can_deal: bool, can_gather: bool, deck_left: int, left_s: float | None = None
    ) -> dict[str, Any]:
        """Return what the demo's controls show.

        Args:
            left_s: until betting ends, None if nobody waits for that.
        """
        return {
            "auto": self._auto,
            "busy": self._felt.busy,
            "text": self._text,
            "betting_left_s": None if left_s is None else round(max(0.0, left_s), 1),
            "can_deal": can_deal and not self._felt.busy,
            "can_gather": can_gather and not self._felt.busy,
            "deck_left": deck_left,
            "mischief": [{"kind": kind, "label": label} for kind, label in self.mischiefs.items()],
        }

    def _need_mischief(self, kind: str) -> None:
        if kind not in self.mischiefs:
            raise DemoError(
                message(
                    "The demo knows no mischief {kind}. Choose one of {kinds}.",
                    kind=repr(kind),
                    kinds=", ".join(self.mischiefs),
                )
            )

    def _need_free_hands(self) -> None:
        if self._felt.busy:
            raise DemoError(message("A hand is still on the table. Wait a moment and press again."))
