"""A webhook's thread: delivers in order, retries with exponential backoff, and drops events that are too old."""

import logging
import random
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Final, Self

from companion.app.integrations.link import LinkState
from companion.app.integrations.public_events import PublicEventJson
from companion.app.integrations.public_snapshot import PublicSnapshot
from companion.app.webhooks.delivery import Undelivered, deliver, host_of
from companion.closing import Closing
from companion.config.integrations import WebhookConfig

MAX_WAITING: Final = 500
"""Maximum queue length; beyond it the oldest events are dropped."""
LASTS_S: Final = 24 * 3600
"""Age at which an undelivered event is dropped."""
FIRST_WAIT_S: Final = 1.0
LONGEST_WAIT_S: Final = 300.0

log = logging.getLogger("companion.webhooks")

Deliver = Callable[[str, bytes, PublicEventJson], None]


class Webhook(Closing):
    """Sends events to one URL. A context manager, and a listener of the broadcaster.

    Args:
        secret: the signing secret.
        first_wait_s: delay after the first failure.
        jitter: returns a random factor for each delay.
        clock: monotonic seconds.
    """

    def __init__(
        self,
        config: WebhookConfig,
        secret: bytes,
        *,
        deliver: Deliver = deliver,
        first_wait_s: float = FIRST_WAIT_S,
        jitter: Callable[[], float] = lambda: random.uniform(1.0, 1.5),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._config, self._secret, self._deliver = config, secret, deliver
        self._first_wait_s, self._jitter, self._clock = first_wait_s, jitter, clock
        self._waiting: deque[tuple[float, PublicEventJson]] = deque()
        self._news = threading.Condition()
        self._is_closed = False
        self._lost = 0
        self._link = LinkState("webhook", host_of(config.url))
        self._thread = threading.Thread(target=self._run, name="webhook", daemon=True)

    def show(self, snapshot: PublicSnapshot) -> None:
        """Do nothing: webhooks receive events, not state."""

    def on_event(self, happened: PublicEventJson) -> None:
        """Queue an event, if its type is configured."""
        if happened["type"] not in self._config.events:
            return
        with self._news:
            if self._is_closed:
                self._lost += 1
                return
            if len(self._waiting) >= MAX_WAITING:
                self._waiting.popleft()
                self._lost += 1
            self._waiting.append((self._clock(), happened))
            self._news.notify_all()

    @property
    def link(self) -> LinkState:
        """The webhook's state."""
        return replace(self._link, lost=self._lost)

    def start(self) -> Self:
        self._thread.start()
        return self

    def close(self) -> None:
        """Stop; undelivered events are lost. May be called twice."""
        with self._news:
            self._is_closed = True
            self._news.notify_all()

    # ---- the thread

    def _run(self) -> None:
        wait_s = self._first_wait_s
        while (oldest := self._oldest()) is not None:
            try:
                self._deliver(self._config.url, self._secret, oldest)
            except Undelivered as error:
                self._failed(error)
                if error.is_final:
                    self.close()
                    return
                self._rest(max(wait_s * self._jitter(), error.wait_s))
                wait_s = min(2 * wait_s, LONGEST_WAIT_S)
            else:
                self._delivered(oldest)
                wait_s = self._first_wait_s

    def _oldest(self) -> PublicEventJson | None:
        """Wait for the oldest event and return it, leaving it in the queue; None once closed."""
        with self._news:
            while not self._is_closed:
                while self._waiting and self._clock() - self._waiting[0][0] > LASTS_S:
                    self._waiting.popleft()
                    self._lost += 1
                if self._waiting:
                    return self._waiting[0][1]
                self._news.wait()
            return None

    def _delivered(self, happened: PublicEventJson) -> None:
        with self._news:
            if self._waiting and self._waiting[0][1] is happened:  # else it was dropped in the meantime, to make room
                self._waiting.popleft()
        if self._link.state != "up":
            log.info("The webhook at %s works", self._link.name)
        self._link = self._link.now("up")

    def _failed(self, error: Undelivered) -> None:
        if (self._link.state, self._link.trouble) != ("down", error.message):
            log.warning("%s", error)
        self._link = self._link.now("down", error.message)

    def _rest(self, seconds: float) -> None:
        ends = self._clock() + seconds
        with self._news:
            while not self._is_closed and (left := ends - self._clock()) > 0:
                self._news.wait(left)
