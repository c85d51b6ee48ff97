"""Log-in sessions, kept on the server; cookies only name them. Pure.

So copies of a cookie become invalid when its owner logs out, and the dealer can end any session.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

LIFETIME_S: Final = 18 * 3600.0
KEPT: Final = 200
AGENT_LENGTH: Final = 200
DEALER: Final = "dealer"


@dataclass(frozen=True, slots=True)
class Session:
    """The session of a logged-in browser: the dealer's, or a seat's phone.

    Attributes:
        kind: ``dealer`` or ``seat/3``.
        player: the seated player, for a phone.
        agent: the User-Agent header.
        since: time of the log-in, seconds since the epoch.
    """

    kind: str
    player: str | None
    address: str
    agent: str
    since: float


Sessions = Mapping[str, Session]
"""Sessions by their secret names, which only their cookies contain."""


def after_begin(sessions: Sessions, name: str, begun: Session) -> dict[str, Session]:
    """Add a session; drop expired ones, and the oldest beyond `KEPT`."""
    live = {key: one for key, one in sessions.items() if is_live(one, begun.since)} | {name: begun}
    newest = sorted(live, key=lambda key: -live[key].since)[:KEPT]
    return {key: live[key] for key in live if key in newest}


def is_live(session: Session, now: float) -> bool:
    """Whether a session is valid. One from far in the future is not: the clock was set back since."""
    return abs(now - session.since) < LIFETIME_S


def without_kind(sessions: Sessions, kind: str) -> dict[str, Session]:
    """Remove the sessions of one kind: the dealer's, or a seat's."""
    return {name: one for name, one in sessions.items() if one.kind != kind}


def handle(name: str) -> str:
    """Return a public ID of a session, from which its secret name cannot be derived.

    >>> handle("secret") == handle("secret") != handle("another")
    True
    """
    return hashlib.sha256(name.encode()).hexdigest()[:16]


def agent_words(agent: str) -> str:
    """Return the browser and operating system of a User-Agent header; both are names, so not translated.

    >>> agent_words("Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/126.0 Mobile Safari/537.36")
    'Chrome · Android'
    >>> agent_words("curl/8.5.0")
    'curl/8.5.0'
    """
    browsers = ("Firefox", "Edg", "OPR", "SamsungBrowser", "Chrome", "CriOS", "Safari")
    systems = ("Android", "iPhone", "iPad", "Windows", "Macintosh", "CrOS", "Linux")
    names = {"Edg": "Edge", "OPR": "Opera", "SamsungBrowser": "Samsung Internet", "CriOS": "Chrome"}
    names |= {"Macintosh": "macOS", "CrOS": "ChromeOS"}
    found = [next((one for one in group if one in agent), None) for group in (browsers, systems)]
    return " · ".join(names.get(one, one) for one in found if one) or agent[:40]
