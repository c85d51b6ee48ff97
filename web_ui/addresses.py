"""The address at which phones reach this table."""

from __future__ import annotations

import socket
from typing import Final

from flask import current_app, request

_HERE: Final = frozenset({"localhost", "127.0.0.1", "::1", "[::1]"})


def public_base() -> str:
    """Return ``http://host:port`` for links that a phone opens: never localhost, if that can be helped."""
    configured = current_app.config.get("PUBLIC_URL")
    if configured:
        return str(configured).rstrip("/")
    name, _, port = request.host.rpartition(":") if _has_port(request.host) else (request.host, "", "")
    if name in _HERE:
        name = local_address() or name
    return f"{request.scheme}://{name}{':' + port if port else ''}"


def _has_port(host: str) -> bool:
    return host.rpartition(":")[2].isdigit() and not host.endswith("]")


def local_address() -> str | None:
    """Return this machine's address in its network, None without one. Sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return None
        return str(probe.getsockname()[0])
