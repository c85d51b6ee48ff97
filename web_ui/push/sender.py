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
from web_ui.push.encryption import encrypted, vapid_header
from web_ui.push.notifications import PlayerNotification, turn_notifications, win_notifications
from web_ui.push.subscriptions import Subscription, Subscriptions
from web_ui.strings import text

PATIENCE_S: Final = 10.0
DELIVERY_ERRORS: Final = (OSError, UnicodeError, http.client.HTTPException)
"""Exceptions of failed deliveries; `UnicodeError` is raised for invalid host names."""
EXPIRED: Final = (404, 410)
"""Statuses by which a push service reports an expired subscription."""
TTL_S: Final[Mapping[str, int]] = {"turn": 120, "won": 3600}
"""Time to live: undelivered notifications are discarded after this many seconds."""
TITLES: Final[Mapping[str, str]] = {"turn": "push_turn", "won": "push_won"}
MAX_ENTRIES: Final = 200
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
        notifications = [*turn_notifications(before, self._view)]
        if self._view["seq"] != self._seq:
            entries = self._service.events(self._seq, MAX_ENTRIES, "room")
            self._seq = entries[-1]["seq"] if entries else self._view["seq"]
            notifications += win_notifications(entries)
        for one in notifications:
            self.tell(one)

    def tell(self, notification: PlayerNotification) -> None:
        """Send a notification to a player's phones; removes expired subscriptions."""
        for phone in self.subscriptions.of(notification.player):
            status = self._send(phone, notification)
            if status in EXPIRED:
                self.subscriptions.drop(phone.endpoint)
            elif not 200 <= status < 300:
                _log.warning(
                    "A phone of %s could not be notified: %s answered %d", notification.player, _host(phone), status
                )

    def _send(self, phone: Subscription, notification: PlayerNotification) -> int:
        push = PushMessage(
            self._message(phone.language, notification),
            notification.kind,
            TTL_S[notification.kind],
            notification.kind == "turn",
        )
        try:
            return send(self.subscriptions, phone, push, self._post, self._clock())
        except DELIVERY_ERRORS as error:
            _log.warning("A phone of %s could not be notified: %s (%s)", notification.player, _host(phone), error)
            return 200

    def _message(self, language: str, notification: PlayerNotification) -> bytes:
        """Return the payload: the notification, and the page to open."""
        seat = next((one["seat"] for one in self._view["players"] if one["name"] == notification.player), None)
        prompt = self._service.translator(self._view["prompt"], language) if notification.kind == "turn" else ""
        told = {
            "title": text(TITLES[notification.kind], language, coins=notification.coins),
            "body": prompt[:LETTERS],
            "url": "/" if seat is None else f"/seat/{seat}",
            "tag": notification.kind,
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
                _log.warning("Phones were not notified: %s", error)


@dataclass(frozen=True, slots=True)
class PushMessage:
    """A push message.

    Attributes:
        text: JSON payload for our service worker.
        topic: a later message with the same topic replaces an undelivered one; at most 32 characters.
        ttl_s: time to live.
    """

    text: bytes
    topic: str
    ttl_s: int
    is_urgent: bool


def send(subscriptions: Subscriptions, phone: Subscription, push: PushMessage, post: Post, now: float) -> int:
    """Encrypt and send a message; return the push service's response status.

    Raises:
        One of `DELIVERY_ERRORS`: the push service is unreachable.
    """
    headers = {
        "TTL": str(push.ttl_s),
        "Urgency": "high" if push.is_urgent else "normal",
        "Topic": push.topic,
        "Content-Encoding": "aes128gcm",
        "Content-Type": "application/octet-stream",
        "Authorization": vapid_header(subscriptions.key, phone.endpoint, now, CONTACT),
    }
    return post(phone.endpoint, encrypted(push.text, phone.browser), headers)


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
