"""The running table's certificate, renewed before it expires and when the table gets another address."""

import logging
import ssl
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from web_ui.https.authority import FOLDER, Authority, Host, plain_address

MAX_ADDRESSES: Final = 16
"""Maximum number of past and present addresses in a certificate."""
_TRIED_AGAIN: Final = timedelta(minutes=1)

_log = logging.getLogger(__name__)


def _utc_now() -> datetime:
    return datetime.now(UTC)


class Certificates:
    """Provides the server's TLS context. Not thread-safe: for the thread that accepts connections.

    Args:
        data_dir: its `https` folder contains the CA and the certificate.
        names: the table's host names.
        addresses: the addresses known so far; others are added when a client connects to them.
        asks_clients: request client certificates of the same CA; clients without one are accepted, too.

    Raises:
        CertificateUnusable: the CA is unusable, or cannot be created.
    """

    def __init__(
        self,
        data_dir: Path,
        names: Iterable[Host],
        addresses: Iterable[Host] = (),
        now: Callable[[], datetime] = _utc_now,
        *,
        asks_clients: bool = False,
    ) -> None:
        self._now = now
        self._names = frozenset(names)
        self.authority = Authority(data_dir / FOLDER, (*self._names, *map(plain_address, addresses)), now())
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.minimum_version = ssl.TLSVersion.TLSv1_2
        self._context.options |= ssl.OP_NO_COMPRESSION | ssl.OP_NO_RENEGOTIATION
        self._context.set_alpn_protocols(["http/1.1"])
        if asks_clients:
            self._context.verify_mode = ssl.CERT_OPTIONAL
            self._context.load_verify_locations(self.authority.path)
        self._issued = self.authority.issued()
        self._not_again_before = now() - _TRIED_AGAIN
        self._addresses = [host for host in map(plain_address, addresses) if self._may(host)]
        wanted = {*self._addresses, *(name for name in self._names if self._may(name))}
        if self._issued is None or self._issued.is_due(now()) or not wanted <= self._issued.hosts:
            self._issued = self.authority.issue((*self._names, *self._addresses), now())
        self._context.load_cert_chain(self._issued.path)

    def _may(self, host: Host) -> bool:
        return self.authority.may_vouch_for(host)

    def context(self, reached_at: Host) -> ssl.SSLContext:
        """Return the context for a connection to one of the table's addresses, renewing the certificate if due."""
        address, now = plain_address(reached_at), self._now()
        assert self._issued is not None, "made at the start"
        is_new = address not in self._issued.hosts and self._may(address)
        if (is_new or self._issued.is_due(now)) and now >= self._not_again_before:
            self._renew(address if is_new else None, now)
        return self._context

    def _renew(self, address: Host | None, now: datetime) -> None:
        if address is not None:
            self._addresses = [*self._addresses, address][-MAX_ADDRESSES:]
        try:
            self._issued = self.authority.issue((*self._names, *self._addresses), now)
            self._context.load_cert_chain(self._issued.path)
        except OSError as error:  # keep using the old one
            self._not_again_before = now + _TRIED_AGAIN
            _log.warning("The table's certificate cannot be renewed: %s. Retrying.", error)
            return
        _log.info("The table has a new certificate for %s", ", ".join(sorted(self._issued.hosts)))
