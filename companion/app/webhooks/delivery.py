"""A single attempt to deliver a webhook. Error messages include a remedy."""

import http.client
import json
import socket
import ssl
import time
from collections.abc import Mapping
from typing import Final
from urllib.parse import SplitResult, urlsplit

from companion.app.integrations.public_events import PublicEventJson
from companion.app.webhooks.signing import signed
from companion.kernel.errors import CompanionError
from companion.kernel.messages import message

PATIENCE_S: Final = 10.0
"""Socket timeout, for the connection and for each read."""
GONE: Final = 410
"""The HTTP status with which a receiver unsubscribes."""
MAX_WAIT_S: Final = 300


class Undelivered(CompanionError):
    """An event could not be delivered.

    Attributes:
        is_final: the receiver unsubscribed: send nothing more.
        wait_s: the receiver's ``Retry-After``; 0 without one.
    """

    def __init__(self, text: str, *, is_final: bool = False, wait_s: int = 0) -> None:
        super().__init__(text)
        self.is_final, self.wait_s = is_final, wait_s


def deliver(url: str, secret: bytes, happened: PublicEventJson) -> None:
    """Send an event to a URL.

    Redirects are not followed: only the owner decides where events go.

    Raises:
        Undelivered: no response, or not a 2xx status.
    """
    body = json.dumps(happened, ensure_ascii=False, separators=(",", ":")).encode(errors="backslashreplace")
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "table-companion",
        **signed(secret, happened["id"], int(time.time()), body),
    }
    parts = urlsplit(url)
    try:
        status, after = _posted(parts, body, headers)
    except (OSError, UnicodeError, http.client.HTTPException) as error:
        raise Undelivered(_no_answer(parts, error)) from error
    if not 200 <= status < 300:
        raise Undelivered(_refusal(parts, status), is_final=status == GONE, wait_s=after)


def host_of(url: str) -> str:
    """Return the receiver's host and port: the rest of the URL may be secret.

    >>> host_of("https://ha.lan:8123/api/webhook/s3cret")
    'ha.lan:8123'
    """
    return urlsplit(url).netloc


def _posted(parts: SplitResult, body: bytes, headers: Mapping[str, str]) -> tuple[int, int]:
    """Return the response's status, and its ``Retry-After`` in seconds, at most `MAX_WAIT_S`; 0 without one."""
    host, port = parts.hostname or "", parts.port
    if parts.scheme == "https":
        line: http.client.HTTPConnection = http.client.HTTPSConnection(
            host, port, timeout=PATIENCE_S, context=ssl.create_default_context()
        )
    else:
        line = http.client.HTTPConnection(host, port, timeout=PATIENCE_S)
    try:
        line.request("POST", (parts.path or "/") + (f"?{parts.query}" if parts.query else ""), body, dict(headers))
        answer = line.getresponse()
        after = answer.getheader("Retry-After") or ""
        return answer.status, min(int(after), MAX_WAIT_S) if after.isascii() and after.isdigit() else 0
    finally:
        line.close()


def _refusal(parts: SplitResult, status: int) -> str:
    if 300 <= status < 400:
        return message(
            "The webhook at {host} answers {status}, which leads elsewhere and is not followed. Correct url in "
            "[[webhooks]].",
            host=parts.netloc,
            status=status,
        )
    if status == GONE:
        return message(
            "The webhook at {host} answers 410: it wants no more. Take it out of [[webhooks]].", host=parts.netloc
        )
    return message(
        "The webhook at {host} answers {status}. Check url and secret_file in [[webhooks]], and the receiver's log.",
        host=parts.netloc,
        status=status,
    )


def _no_answer(parts: SplitResult, error: Exception) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        why: str = error.verify_message
    elif isinstance(error, TimeoutError):
        why = message("it does not answer in time")
    elif isinstance(error, socket.gaierror | UnicodeError):  # UnicodeError: not a valid host name
        why = message("there is no such host")
    else:
        why = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return message(
        "The webhook at {host} cannot be reached: {why}. Check url in [[webhooks]], and whether the table may reach "
        "that network.",
        host=parts.netloc,
        why=why,
    )
