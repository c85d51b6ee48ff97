"""Who is shown the set-up code on a first start, besides whoever reads the terminal.

A browser on the machine itself, which is the attached screen; and in the table's own network the browser that asks
first, or while somebody holds down a button of the panel. Each showing is journaled. With a PIN there is no code.
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

_RELAYED: Final = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via")
"""What a proxy says: behind one nobody can tell who is near."""
_MARK: Final = "first"
"""In a browser's cookie: that it was the first to ask."""
_AT_HOME: Final = tuple(
    ipaddress.ip_network(net)
    for net in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "fc00::/7", "fe80::/10")
)
_SAME: Final = {4: 24, 6: 64}
"""So many bits of its address tell a network, where addresses are given out to everybody."""

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class FirstBrowser:
    """The browser that was the first to ask for the code, until the table starts anew. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._mark: str | None = None
        self._address = ""

    def admit(self, mark: str | None, address: str, *, is_at_panel: bool = False) -> str:
        """Return the mark of the first browser, which is this one.

        Args:
            mark: what the browser shows; None where it shows none.
            is_at_panel: whether somebody proves to be at the table; whoever was first before is so no longer.

        Raises:
            AccessError: another one was first.
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
    """Return if this browser may see the set-up code; it is the first one from now on.

    Raises:
        AccessError: it is not near, or another one was first.
    """
    if is_here():
        return
    if not is_near(request.remote_addr or "", str(request.environ.get(REACHED_AT, ""))) or _is_relayed():
        why = message(
            "The code is shown only on the table's own screen and in its own network. Read it in the terminal in "
            "which the table was started."
        )
        raise AccessError("not-near", why)
    first: FirstBrowser = current_app.extensions["first_browser"]
    session[_MARK] = first.admit(session.get(_MARK), request.remote_addr or "", is_at_panel=_is_at_panel())


def _is_at_panel() -> bool:
    """Say whether a button of the panel is held down now."""
    setup: TableSetup | None = current_app.extensions["table_setup"]
    panel = setup.panel_state() if setup is not None else None
    return panel is not None and bool(panel["down"])


def is_here() -> bool:
    """Say whether the browser runs on this machine: its attached screen."""
    parsed = _parsed(request.remote_addr or "")
    return parsed is not None and parsed.is_loopback and plain_host(request.host) in HERE and not _is_relayed()


def is_near(remote: str, reached: str) -> bool:
    """Say whether an address is in the table's own network.

    Args:
        reached: the address of ours that the client has connected to.

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


def _is_relayed() -> bool:
    return any(name in request.headers for name in _RELAYED)
