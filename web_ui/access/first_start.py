"""Which browsers may see the set-up code on the first start, besides the terminal.

A browser on the machine itself (the attached screen); and in the local network the first browser that asks, or one
that asks while somebody holds down a button of the panel. Each display is journaled. Once there is a PIN, there is no
set-up code.
"""

import ipaddress
import secrets
import threading
from typing import Final

from flask import current_app, request, session

from companion.app.setup.service import TableSetup
from companion.kernel.messages import message
from web_ui.access.store import AccessError
from web_ui.addresses import HERE, REACHED_AT, plain_host

_PROXY_HEADERS: Final = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via")
"""Headers of proxies, which hide whether the client is in the local network."""
_MARK: Final = "first"
"""Session cookie key that identifies the first browser."""
_AT_HOME: Final = tuple(
    ipaddress.ip_network(net)
    for net in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "fc00::/7", "fe80::/10")
)
_SAME: Final = {4: 24, 6: 64}
"""IP version -> prefix length of the local network, for public addresses."""

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class FirstBrowser:
    """The first browser that asked for the code, until the table restarts. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._mark: str | None = None
        self._address = ""

    def admit(self, mark: str | None, address: str, *, is_at_panel: bool = False) -> str:
        """Return the first browser's mark, if this browser is the first one.

        Args:
            mark: the browser's mark, or None.
            is_at_panel: whether somebody is at the table's panel; then this browser becomes the first one.

        Raises:
            AccessError: another browser was first.
        """
        with self._lock:
            if self._mark is None or (is_at_panel and mark != self._mark):
                self._mark, self._address = secrets.token_urlsafe(18), address
            elif mark != self._mark:
                why = message(
                    "Another browser, at {address}, asked for the code first. Go on there, or press again while you "
                    "hold down a button of the table's panel, or read the code in the terminal.",
                    address=self._address,
                )
                raise AccessError("not-first", why)
            return self._mark


def need_first() -> None:
    """Raise unless this browser may see the set-up code. In the local network, it becomes the first browser.

    Raises:
        AccessError: not in the local network, or another browser was first.
    """
    if is_here():
        return
    if not is_near(request.remote_addr or "", str(request.environ.get(REACHED_AT, ""))) or _is_proxied():
        why = message(
            "The code is shown only on the table's own screen and in its own network. Read it in the terminal in "
            "which the table was started."
        )
        raise AccessError("not-near", why)
    first: FirstBrowser = current_app.extensions["first_browser"]
    session[_MARK] = first.admit(session.get(_MARK), request.remote_addr or "", is_at_panel=_is_at_panel())


def _is_at_panel() -> bool:
    """Whether a button of the panel is held down now."""
    setup: TableSetup | None = current_app.extensions["table_setup"]
    panel = setup.panel_state() if setup is not None else None
    return panel is not None and bool(panel["down"])


def is_here() -> bool:
    """Whether the browser runs on this machine (the attached screen)."""
    parsed = _parsed(request.remote_addr or "")
    return parsed is not None and parsed.is_loopback and plain_host(request.host) in HERE and not _is_proxied()


def is_near(remote: str, reached: str) -> bool:
    """Whether an address is in the local network.

    Args:
        remote: the client's address.
        reached: our own address that the client connected to.

    >>> is_near("192.168.1.23", "192.168.1.5"), is_near("203.0.113.9", "192.168.1.5")
    (True, False)
    >>> is_near("2a02:8071:1:2::77", "2a02:8071:1:2::5"), is_near("2a02:8071:9:9::77", "2a02:8071:1:2::5")
    (True, False)
    """
    client, ours = _parsed(remote), _parsed(reached)
    if client is None:
        return False
    if any(client in network for network in _AT_HOME):
        return True
    return ours is not None and client in ipaddress.ip_network((ours, _SAME[ours.version]), strict=False)


def _parsed(address: str) -> Address | None:
    try:
        return ipaddress.ip_address(address.partition("%")[0].removeprefix("::ffff:"))
    except ValueError:
        return None


def _is_proxied() -> bool:
    return any(name in request.headers for name in _PROXY_HEADERS)
