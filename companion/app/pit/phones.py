"""Sends alarms to staff phones by Web Push, in a background thread, with retries."""

import heapq
import itertools
import json
import logging
import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Final, Self

from companion.floor.alarms.rules import Kind
from companion.floor.alarms.store import Alarm
from companion.kernel.errors import CompanionError
from companion.locale import Translator
from web_ui.floor.labels import alarm_words
from web_ui.push.sender import DELIVERY_ERRORS, EXPIRED, Post, PushMessage, post_by_https, send
from web_ui.push.subscriptions import Subscription, Subscriptions
from web_ui.strings import text

log = logging.getLogger(__name__)

TTL_S: Final = 3600
AGAIN_AFTER_S: Final = (5.0, 30.0, 120.0, 600.0)
MAX_LETTERS: Final = 300
MAX_LETTERS_AT_ONCE: Final = 3
GATHER_S: Final = 0.5
Chosen = Callable[[], Mapping[str, frozenset[Kind]]]


class PhoneNotifier:
    """Notifies phones. A context manager, and a listener of alarms.

    Args:
        subscriptions: the phones, by person.
        chosen: returns, by person, the alarm kinds subscribed to.
        post: sends an HTTP POST request.
        gather_s: window for batching alarms.
        translate: translates messages into a phone's language.
    """

    def __init__(
        self,
        subscriptions: Subscriptions,
        chosen: Chosen,
        post: Post = post_by_https,
        again_after_s: Sequence[float] = AGAIN_AFTER_S,
        gather_s: float = GATHER_S,
        translate: Translator | None = None,
    ) -> None:
        self._gather_s = gather_s
        self._translate = translate or Translator([])
        self.subscriptions: Final = subscriptions
        self._chosen, self._post, self._again_after_s = chosen, post, again_after_s
        self._news: queue.SimpleQueue[tuple[Alarm, bool] | None] = queue.SimpleQueue()
        self._later: list[tuple[float, int, int, Subscription, PushMessage]] = []
        "Retry queue, a heap of (due time, sequence number, attempt, phone, message)."
        self._numbers = itertools.count()
        self._thread = threading.Thread(target=self._run, name="phones", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._news.put(None)
        self._thread.join(timeout=3)

    def show(self, on: Sequence[Alarm], last: Alarm | None) -> None:
        """Ignored: phones are only told about changes."""

    def tell(self, alarm: Alarm, *, is_over: bool) -> None:
        """Notify the phones of everybody who subscribes to the alarm's kind."""
        self._news.put((alarm, is_over))

    # ---- worker thread

    def _run(self) -> None:
        while True:
            wait_s = None if not self._later else max(0.0, self._later[0][0] - time.monotonic())
            try:
                try:
                    news = self._news.get(timeout=wait_s)
                except queue.Empty:
                    self._try(*heapq.heappop(self._later)[2:])
                    continue
                if news is None or not self._tell_all([news, *self._at_once()]):
                    return
            except CompanionError as error:
                log.warning("Phones were not notified of an alarm: %s", error.message)
            except Exception:
                log.exception("Internal error: phones were not notified of an alarm")

    def _at_once(self) -> list[tuple[Alarm, bool] | None]:
        """Return further alarms within the batching window: a network failure takes many tables with it."""
        found: list[tuple[Alarm, bool] | None] = []
        time.sleep(self._gather_s)
        while not self._news.empty():
            found.append(self._news.get())
        return found

    def _tell_all(self, news: Sequence[tuple[Alarm, bool] | None]) -> bool:
        """Send a batch, summarizing a kind with many alarms in one message; return whether to go on."""
        groups: dict[tuple[Kind, bool], list[Alarm]] = {}
        for one in news:
            if one is not None:
                groups.setdefault((one[0].kind, one[1]), []).append(one[0])
        chosen = self._chosen()
        for (kind, is_over), alarms in groups.items():
            many = len(alarms) > MAX_LETTERS_AT_ONCE
            phones = [phone for who, kinds in chosen.items() if kind in kinds for phone in self.subscriptions.of(who)]
            for some in [alarms] if many else [[alarm] for alarm in alarms]:
                for phone in phones:
                    push = (
                        summary_of(some, phone.language, is_over=is_over)
                        if many
                        else notification_of(some[0], phone.language, self._translate, is_over=is_over)
                    )
                    self._outdate(phone, push.topic)
                    self._try(0, phone, push)
        return None not in news

    def _outdate(self, phone: Subscription, topic: str) -> None:
        """Drop retries of older messages with the same topic: they would arrive after the newer one."""
        self._later = [one for one in self._later if (one[3].endpoint, one[4].topic) != (phone.endpoint, topic)]
        heapq.heapify(self._later)

    def _try(self, tries: int, phone: Subscription, push: PushMessage) -> None:
        try:
            status = send(self.subscriptions, phone, push, self._post, time.time())
        except DELIVERY_ERRORS as error:
            why = str(error)
        else:
            if status in EXPIRED:
                with suppress(OSError):  # a full disk must not block other notifications
                    self.subscriptions.drop(phone.endpoint)
                return
            if 200 <= status < 300:
                return
            why = f"status {status}"
        if tries < len(self._again_after_s):
            due = time.monotonic() + self._again_after_s[tries]
            heapq.heappush(self._later, (due, next(self._numbers), tries + 1, phone, push))
        else:
            log.warning("A phone of %s could not be notified of an alarm (%s)", phone.player, why)


def notification_of(alarm: Alarm, language: str, translate: Translator, *, is_over: bool) -> PushMessage:
    """Return a phone's notification. The one for a cleared alarm replaces the alarm's, even an undelivered one."""
    title, tag = f"{alarm.table}: {_kind_words(alarm, language)}", f"alarm-{alarm.id}"
    return _push(title, alarm_words(alarm, language, translate), tag, language, is_over=is_over)


def summary_of(alarms: Sequence[Alarm], language: str, *, is_over: bool) -> PushMessage:
    """Return a notification for many alarms of one kind that were raised, or cleared, together."""
    title = text("p_tables", language, count=len(alarms), what=_kind_words(alarms[0], language))
    names = ", ".join(sorted({alarm.table for alarm in alarms}))
    tag = f"alarms-{alarms[0].kind}-{'over' if is_over else 'on'}"
    return _push(title, names, tag, language, is_over=is_over)


def _push(title: str, body: str, tag: str, language: str, *, is_over: bool) -> PushMessage:
    told = {
        "title": text("p_over", language, what=title) if is_over else title,
        "body": body[:MAX_LETTERS],
        "url": "/",
        "tag": tag,
    }
    content = json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode()
    return PushMessage(content, tag, TTL_S, is_urgent=not is_over)


def _kind_words(alarm: Alarm, language: str) -> str:
    words = text(f"p_kind_{alarm.kind}", language)
    return words if language == "de" else words.lower()  # German nouns are capitalized
