"""Polls the table and sends push notifications, in a background thread that the table never waits for."""

import http.client
import json
import logging
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from companion.closing import Worker
from companion.kernel.errors import CompanionError
from companion.service.table_service import TableService
from web_ui.push.encryption import proof, sealed
from web_ui.push.news import News, turn_news, won_news
from web_ui.push.subscriptions import Subscription, Subscriptions
from web_ui.strings import text

PATIENCE_S: Final = 10.0
NOT_SENT: Final = (OSError, UnicodeError, http.client.HTTPException)
"""Exceptions of failed deliveries; `UnicodeError` is raised for invalid host names."""
GONE: Final = (404, 410)
"""Statuses by which a push service reports an expired subscription."""
HOLDS_S: Final[Mapping[str, int]] = {"turn": 120, "won": 3600}
"""Time to live: undelivered notifications are discarded after this many seconds."""
TITLES: Final[Mapping[str, str]] = {"turn": "push_turn", "won": "push_won"}
MOST_ENTRIES: Final = 200
LETTERS: Final = 300
CONTACT: Final = "https://localhost/table-companion"
"""Abuse contact for push services; a placeholder, as a private table has no address on the web."""

Post = Callable[[str, bytes, Mapping[str, str]], int]
"""Sends a POST request with URL, body and headers; returns the response status."""

_log = logging.getLogger(__name__)


class Notifier(Worker):
    """Sends push notifications to players.

    Args:
        post: sends an HTTP POST request.
        clock: seconds since 1970.
    """

    def __init__(
        self,
        service: TableService,
        subscriptions: Subscriptions,
        post: Post | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.subscriptions: Final = subscriptions
        self._service, self._post, self._clock = service, post or post_by_https, clock
        self._view = service.view("room")
        self._seq = self._view["seq"]
        super().__init__("notifier", end_s=2.0)

    def look(self) -> None:
        """Send notifications for everything since the last call."""
        before, self._view = self._view, self._service.view("room")
        news = [*turn_news(before, self._view)]
        if self._view["seq"] != self._seq:
            entries = self._service.events(self._seq, MOST_ENTRIES, "room")
            self._seq = entries[-1]["seq"] if entries else self._view["seq"]
            news += won_news(entries)
        for one in news:
            self.tell(one)

    def tell(self, news: News) -> None:
        """Send a notification to a player's phones; removes expired subscriptions."""
        for phone in self.subscriptions.of(news.player):
            status = self._send(phone, news)
            if status in GONE:
                self.subscriptions.drop(phone.endpoint)
            elif not 200 <= status < 300:
                _log.warning("A phone of %s could not be told: %s answered %d", news.player, _host(phone), status)

    def _send(self, phone: Subscription, news: News) -> int:
        letter = Letter(self._message(phone.language, news), news.kind, HOLDS_S[news.kind], news.kind == "turn")
        try:
            return send(self.subscriptions, phone, letter, self._post, self._clock())
        except NOT_SENT as error:
            _log.warning("A phone of %s could not be told: %s (%s)", news.player, _host(phone), error)
            return 200

    def _message(self, language: str, news: News) -> bytes:
        """Return the payload: the notification, and the page to open."""
        seat = next((one["seat"] for one in self._view["players"] if one["name"] == news.player), None)
        prompt = self._service.translator(self._view["prompt"], language) if news.kind == "turn" else ""
        told = {
            "title": text(TITLES[news.kind], language, coins=news.coins),
            "body": prompt[:LETTERS],
            "url": "/" if seat is None else f"/seat/{seat}",
            "tag": news.kind,
        }
        return json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode()

    def _run(self) -> None:
        version = self._view["version"]
        while not self._stop.is_set():
            now = self._service.wait(version, 1.0)
            if now == version:
                continue
            version = now
            try:
                self.look()
            except (CompanionError, OSError) as error:
                _log.warning("Phones were not told: %s", error)


@dataclass(frozen=True, slots=True)
class Letter:
    """A push message.

    Attributes:
        text: JSON payload for our service worker.
        topic: a later message with the same topic replaces an undelivered one; at most 32 characters.
        holds_s: time to live.
    """

    text: bytes
    topic: str
    holds_s: int
    is_urgent: bool


def send(subscriptions: Subscriptions, phone: Subscription, letter: Letter, post: Post, now: float) -> int:
    """Encrypt and send a message; return the push service's response status.

    Raises:
        One of `NOT_SENT`: the push service is unreachable.
    """
    headers = {
        "TTL": str(letter.holds_s),
        "Urgency": "high" if letter.is_urgent else "normal",
        "Topic": letter.topic,
        "Content-Encoding": "aes128gcm",
        "Content-Type": "application/octet-stream",
        "Authorization": proof(subscriptions.key, phone.endpoint, now, CONTACT),
    }
    return post(phone.endpoint, sealed(letter.text, phone.browser), headers)


def post_by_https(endpoint: str, body: bytes, headers: Mapping[str, str]) -> int:
    """Send a message to a push service; does not follow redirects."""
    parts = urlsplit(endpoint)
    path = parts.path + (f"?{parts.query}" if parts.query else "")
    line = http.client.HTTPSConnection(parts.hostname or "", timeout=PATIENCE_S, context=ssl.create_default_context())
    try:
        line.request("POST", path, body, dict(headers))
        return line.getresponse().status
    finally:
        line.close()


def _host(phone: Subscription) -> str:
    """Return only the host: the rest of the URL is a secret."""
    return urlsplit(phone.endpoint).hostname or "?"
