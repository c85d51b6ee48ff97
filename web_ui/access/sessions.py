"""The browsers that are logged in. A cookie only names its session; whether it counts is decided here. Pure.

So a copy of a cookie ends when its owner logs out, and the dealer can end any of them.
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
    """One browser that logged in: the dealer's, or the phone of a seat.

    Attributes:
        kind: ``dealer`` or ``seat/3``.
        player: who sits there, for a phone.
        agent: what the browser calls itself.
        since: seconds since the epoch.
    """

    kind: str
    player: str | None
    address: str
    agent: str
    since: float


Sessions = Mapping[str, Session]
"""By their secret names, which only their cookies know."""


def after_begin(sessions: Sessions, name: str, begun: Session) -> dict[str, Session]:
    """Return the sessions with one more; those that are over, and the oldest of too many, are left out."""
    live = {key: one for key, one in sessions.items() if is_live(one, begun.since)} | {name: begun}
    newest = sorted(live, key=lambda key: -live[key].since)[:KEPT]
    return {key: live[key] for key in live if key in newest}


def is_live(session: Session, now: float) -> bool:
    """Say whether a session still counts; one from hours ahead does not: the clock was set back since."""
    return abs(now - session.since) < LIFETIME_S


def without_kind(sessions: Sessions, kind: str) -> dict[str, Session]:
    """Return the sessions but those of the dealer, or of one seat."""
    return {name: one for name, one in sessions.items() if one.kind != kind}


def handle(name: str) -> str:
    """Return what a page calls a session: its secret name cannot be worked out from it.

    >>> handle("secret") == handle("secret") != handle("another")
    True
    """
    return hashlib.sha256(name.encode()).hexdigest()[:16]


def agent_words(agent: str) -> str:
    """Return browser and system in short; both are names, the same in every language.

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
