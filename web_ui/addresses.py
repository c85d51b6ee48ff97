"""Host names and addresses of this table, and the check of the Host header.

Against DNS rebinding, where a foreign page points its own host name at this machine and reads the responses: the Host
header must be this machine's name or address, or a name that the owner has configured.
"""

import ipaddress
import re
import socket
from collections.abc import Iterable
from typing import Final

from flask import Flask, current_app, request

from companion.kernel.messages import message
from web_ui.problems import BadRequest

REACHED_AT: Final = "companion.reached_at"
"WSGI environment key: our own address that the client connected to."
HERE: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_HOST: Final = re.compile(r"(\[[0-9A-Fa-f:.%\w]+\]|[\w.-]+)(:[0-9]{0,5})?|[0-9A-Fa-f:]+")
"""A host with an optional port. Anything more, such as ``:80@elsewhere``, would end up in printed codes."""
_SUFFIXES: Final = ("", "local", "lan", "home", "home.arpa", "internal", "localdomain", "fritz.box")
"Local domains that routers append to a machine's name; nobody else assigns names in them."


def own_names(configured: Iterable[str] = ()) -> frozenset[str]:
    """Return this machine's possible host names, in lower case."""
    name = socket.gethostname().partition(".")[0]
    local = (f"{name}.{suffix}" if suffix else name for suffix in _SUFFIXES)
    return HERE | {plain_host(one) for one in (socket.gethostname(), *local, *configured)}


def plain_host(host: str) -> str:
    """Return a host without port, brackets and case.

    >>> [plain_host(host) for host in ("Table.local:8080", "[::1]:8080", "192.168.1.5", "::1", "table.")]
    ['table.local', '::1', '192.168.1.5', '::1', 'table']
    """
    name = host.strip().casefold()
    if name.startswith("["):
        return name[1:].partition("]")[0].partition("%")[0]
    return (name.partition(":")[0] if name.count(":") == 1 else name).rstrip(".")


def register_hosts(app: Flask) -> None:
    """Refuse requests with a foreign Host header."""

    @app.before_request
    def check_host() -> None:
        asked = request.headers.get("Host")
        if asked is not None and not (_HOST.fullmatch(asked) and is_own(plain_host(asked))):
            why = message(
                "This table does not answer to the name {name}. Open {address}, or add the name to `names` in `[web]` "
                "of companion.toml.",
                name=plain_host(asked)[:60],
                address=_fallback(),
            )
            raise BadRequest(why, code="wrong-host", status=421)


def is_own(host: str) -> bool:
    """Whether a host is this table: one of its names, loopback, or the address that the client connected to."""
    if host in current_app.config["HOSTS"]:
        return True
    reached = str(request.environ.get(REACHED_AT, "")).partition("%")[0].removeprefix("::ffff:")
    try:
        address = ipaddress.ip_address(host)
        return address.is_loopback or address == ipaddress.ip_address(reached)
    except ValueError:
        return False


def public_base() -> str:
    """Return the base URL for links opened on phones; avoids localhost if possible."""
    configured = current_app.config.get("PUBLIC_URL")
    if configured:
        return str(configured).rstrip("/")
    if request.headers.get("Host") is None:
        return _fallback()
    name, _, port = request.host.rpartition(":") if _has_port(request.host) else (request.host, "", "")
    if plain_host(name) in HERE:
        name = local_address() or name
    return f"{_scheme(name)}://{name}{':' + port if port else ''}"


def _fallback() -> str:
    port = request.environ.get("SERVER_PORT", "80")
    name = local_address() or "localhost"
    return f"{_scheme(name)}://{name}{'' if port == '80' else f':{port}'}"


def _scheme(name: str) -> str:
    """Return the scheme for a host name: https if offered, except for this machine itself."""
    is_offered = current_app.config.get("HTTPS", False) and plain_host(name) not in HERE
    return "https" if is_offered else request.scheme


def _has_port(host: str) -> bool:
    return host.rpartition(":")[2].isdigit() and not host.endswith("]")


def local_address() -> str | None:
    """Return this machine's address in the local network, None without one. Sends no packets."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return None
        return str(probe.getsockname()[0])
