"""``.push.json``: the table's VAPID key and its push subscriptions. Owner-readable only, never in a backup."""

import json
import logging
import re
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, cast
from urllib.parse import urlsplit

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from companion.journal.durable import DAMAGED, write_private
from companion.kernel.errors import BadScript
from web_ui.push.encryption import CURVE, Browser, from_base64url, public_point, to_base64url

FILE: Final = ".push.json"
MOST: Final = 100
"""Most subscriptions; the oldest is evicted."""
MAX_PER_PLAYER: Final = 4
ADDRESS_LETTERS: Final = 1000
SERVICES: Final = (
    "fcm.googleapis.com", ".push.services.mozilla.com", ".push.apple.com", ".notify.windows.com",
)  # fmt: skip
"""Allow list of push services: a phone cannot make the table send requests anywhere else (SSRF)."""
_LABEL: Final = re.compile(r"[A-Za-z0-9_-]{1,63}")
"""A valid DNS label; names with other labels fail in the resolver."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Subscription:
    """A phone's subscription to a player's notifications."""

    endpoint: str
    "Push service URL. Secret: whoever knows it can address the phone, though unsigned messages are rejected."
    public: str
    secret: str
    player: str
    language: str

    @property
    def browser(self) -> Browser:
        """The browser's encryption keys."""
        return Browser(from_base64url(self.public), from_base64url(self.secret))


def checked(endpoint: object, public: object, secret: object, player: str, language: str) -> Subscription:
    """Validate a subscription sent by a phone.

    Raises:
        BadScript: malformed, or not on a known push service.
    """
    if not (isinstance(endpoint, str) and isinstance(public, str) and isinstance(secret, str)):
        raise BadScript.saying("A subscription has an endpoint and two keys, as the browser gives them.")
    made = Subscription(endpoint, public, secret, player, language)
    try:
        parts, _ = urlsplit(endpoint), made.browser
        is_known = parts.scheme == "https" and parts.port in (None, 443) and _is_service(parts.hostname or "")
    except ValueError:
        raise BadScript.saying("A subscription has an endpoint and two keys, as the browser gives them.") from None
    is_plain = endpoint.isascii() and endpoint.isprintable() and " " not in endpoint
    if not is_known or parts.username is not None or len(endpoint) > ADDRESS_LETTERS or not is_plain:
        raise BadScript.saying("That is no push service that the table knows, so it sends nothing there.")
    return made


def _is_service(host: str) -> bool:
    """Return whether a host is a known push service.

    >>> [_is_service(host) for host in ("web.push.apple.com", "push.apple.com.example.org", "evilpush.apple.com")]
    [True, False, False]
    >>> [_is_service(host) for host in (".push.apple.com", "a..push.apple.com", "a" * 64 + ".push.apple.com")]
    [False, False, False]
    """
    is_name = all(_LABEL.fullmatch(label) for label in host.split("."))
    return is_name and any(host.endswith(name) if name.startswith(".") else host == name for name in SERVICES)


class Subscriptions:
    """Content of the file. Thread-safe. An unreadable file is replaced: phones subscribe again by themselves."""

    def __init__(self, data_dir: Path) -> None:
        self._path = data_dir / FILE
        self._lock = threading.Lock()
        self.key: ec.EllipticCurvePrivateKey
        self.key, self._all = self._read()

    @property
    def public(self) -> str:
        """The table's VAPID public key."""
        return to_base64url(public_point(self.key))

    def of(self, player: str) -> tuple[Subscription, ...]:
        """Return a player's subscriptions."""
        with self._lock:
            return tuple(one for one in self._all if one.player == player)

    def add(self, one: Subscription) -> None:
        """Add a subscription. A phone belongs to one player, and a player has a limited number of phones.

        Raises:
            OSError: it cannot be saved.
        """

        def added(known: list[Subscription]) -> list[Subscription]:
            others = [other for other in known if other.endpoint != one.endpoint]
            mine = [other for other in others if other.player == one.player]
            too_many = mine[: max(len(mine) + 1 - MAX_PER_PLAYER, 0)]
            return [*(other for other in others if other not in too_many), one][-MOST:]

        self._change(added)

    def drop(self, endpoint: str) -> None:
        """Remove a subscription.

        Raises:
            OSError: it cannot be saved.
        """
        self._change(lambda known: [one for one in known if one.endpoint != endpoint])

    def _change(self, change: Callable[[list[Subscription]], list[Subscription]]) -> None:
        with self._lock:
            changed = change(self._all)
            if changed != self._all:
                self._write(self.key, changed)
                self._all = changed

    def _read(self) -> tuple[ec.EllipticCurvePrivateKey, list[Subscription]]:
        try:
            record = json.loads(self._path.read_text(encoding="utf-8"))
            key = serialization.load_der_private_key(from_base64url(record["key"]), None)
            found = [checked(language=one.pop("language"), player=one.pop("player"), **one) for one in record["phones"]]
            return cast(ec.EllipticCurvePrivateKey, key), found
        except FileNotFoundError:
            pass
        except (BadScript, OSError, *DAMAGED) as error:
            _log.warning("%s cannot be read (%s): phones have to turn on notifications again.", self._path, error)
        key = ec.generate_private_key(CURVE)
        self._write(key, [])
        return key, []

    def _write(self, key: ec.EllipticCurvePrivateKey, phones: list[Subscription]) -> None:
        raw = key.private_bytes(
            serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        record = {"key": to_base64url(raw), "phones": [asdict(one) for one in phones]}
        write_private(self._path, json.dumps(record, ensure_ascii=False).encode())
