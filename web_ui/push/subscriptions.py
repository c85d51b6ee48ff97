"""``.push.json``: the table's key, and the phones that want to be told. Readable by its owner alone, in no backup."""

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
from web_ui.push.encryption import CURVE, Browser, as_bytes, as_text, public_point

FILE: Final = ".push.json"
MOST: Final = 100
"""So many phones; of a hundred and one the first one is forgotten."""
MOST_OF_A_PLAYER: Final = 4
ADDRESS_LETTERS: Final = 1000
SERVICES: Final = (
    "fcm.googleapis.com", ".push.services.mozilla.com", ".push.apple.com", ".notify.windows.com",
)  # fmt: skip
"""The push services of browsers: the table sends to no other address, whatever a phone says."""
_LABEL: Final = re.compile(r"[A-Za-z0-9_-]{1,63}")
"""A part of a host's name: with any other the name cannot even be looked up."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Subscription:
    """A phone that wants to be told what concerns a player."""

    endpoint: str
    "The address at the push service: whoever knows it can send to the phone, what is not signed is refused."
    public: str
    secret: str
    player: str
    language: str

    @property
    def browser(self) -> Browser:
        """The browser's keys."""
        return Browser(as_bytes(self.public), as_bytes(self.secret))


def checked(endpoint: object, public: object, secret: object, player: str, language: str) -> Subscription:
    """Return a subscription as a phone gave it.

    Raises:
        BadScript: it is none, or its address belongs to no push service of a browser.
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
    """Say whether a host is a browser maker's push service.

    >>> [_is_service(host) for host in ("web.push.apple.com", "push.apple.com.example.org", "evilpush.apple.com")]
    [True, False, False]
    >>> [_is_service(host) for host in (".push.apple.com", "a..push.apple.com", "a" * 64 + ".push.apple.com")]
    [False, False, False]
    """
    is_name = all(_LABEL.fullmatch(label) for label in host.split("."))
    return is_name and any(host.endswith(name) if name.startswith(".") else host == name for name in SERVICES)


class Subscriptions:
    """The file's content. Thread-safe. A file that cannot be read begins anew: phones subscribe again by themselves."""

    def __init__(self, data_dir: Path) -> None:
        self._path = data_dir / FILE
        self._lock = threading.Lock()
        self.key: ec.EllipticCurvePrivateKey
        self.key, self._all = self._read()

    @property
    def public(self) -> str:
        """The key by which browsers know the table."""
        return as_text(public_point(self.key))

    def of(self, player: str) -> tuple[Subscription, ...]:
        """Return a player's phones."""
        with self._lock:
            return tuple(one for one in self._all if one.player == player)

    def add(self, one: Subscription) -> None:
        """Add a phone; a phone tells one player's news alone, and a player has not too many.

        Raises:
            OSError: it cannot be saved.
        """

        def added(known: list[Subscription]) -> list[Subscription]:
            others = [other for other in known if other.endpoint != one.endpoint]
            mine = [other for other in others if other.player == one.player]
            too_many = mine[: max(len(mine) + 1 - MOST_OF_A_PLAYER, 0)]
            return [*(other for other in others if other not in too_many), one][-MOST:]

        self._change(added)

    def drop(self, endpoint: str) -> None:
        """Forget a phone.

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
            key = serialization.load_der_private_key(as_bytes(record["key"]), None)
            found = [checked(language=one.pop("language"), player=one.pop("player"), **one) for one in record["phones"]]
            return cast(ec.EllipticCurvePrivateKey, key), found
        except FileNotFoundError:
            pass
        except (BadScript, OSError, *DAMAGED) as error:
            _log.warning("%s cannot be read (%s): phones have to ask again to be told.", self._path, error)
        key = ec.generate_private_key(CURVE)
        self._write(key, [])
        return key, []

    def _write(self, key: ec.EllipticCurvePrivateKey, phones: list[Subscription]) -> None:
        raw = key.private_bytes(
            serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        record = {"key": as_text(raw), "phones": [asdict(one) for one in phones]}
        write_private(self._path, json.dumps(record, ensure_ascii=False).encode())
