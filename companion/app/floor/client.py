"""HTTP client of a floor: JSON over mutual TLS, with certificates of the floor's own authority."""

import http.client
import json
import ssl
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final
from urllib.parse import urlsplit

from companion.kernel.errors import CodedError, CompanionError
from companion.locale import known_message

_TIMEOUT_S: Final = 5.0


class FloorUnreachable(CompanionError):
    """The floor or its database does not answer; a retry may succeed."""


class FloorRefused(CodedError):
    """The floor rejected the request."""


def _text(told: Mapping[str, Any]) -> str:
    """Return the floor's error message, translatable if this program knows it."""
    said = told.get("said")
    found = None
    if isinstance(said, dict) and isinstance(said.get("say"), str) and isinstance(said.get("with"), dict):
        found = known_message(said["say"], said["with"])
    return str(told.get("message")) if found is None else found


class FloorClient:
    """A persistent connection to a floor. Thread-safe, one request at a time.

    Args:
        url: such as ``https://192.168.1.5:8443``.
        context: trusts the floor's authority, and holds the table's certificate.
    """

    def __init__(self, url: str, context: ssl.SSLContext) -> None:
        self._where = urlsplit(url)
        self._context = context
        self._lock = threading.Lock()
        self._connection: http.client.HTTPSConnection | None = None

    def get(self, path: str) -> dict[str, Any]:
        """Send a GET request and return the JSON response.

        Raises:
            FloorUnreachable: no response, or a server error.
            FloorRefused: the request was rejected.
        """
        return self._ask("GET", path, None)

    def post(self, path: str, told: Mapping[str, Any]) -> dict[str, Any]:
        """Send a POST request and return the JSON response; raises like `get`."""
        return self._ask("POST", path, json.dumps(told, separators=(",", ":")).encode())

    def _ask(self, method: str, path: str, body: bytes | None) -> dict[str, Any]:
        with self._lock:
            try:
                status, data = self._exchange(method, path, body)
            except (OSError, http.client.HTTPException, ValueError) as error:
                self._drop()
                where = self._where.netloc
                raise FloorUnreachable.saying(
                    "The floor {address} does not answer ({error}).", address=where, error=str(error)
                ) from error
        try:
            told = json.loads(data)
        except ValueError:
            told = None
        if not isinstance(told, dict) or (status != 200 and "code" not in told):
            raise FloorUnreachable.saying(
                "{address} answers, but is no floor (status {status}).", address=self._where.netloc, status=str(status)
            )
        if status == 200:
            return told
        if status >= 500:  # the outcome is unknown
            raise FloorUnreachable(_text(told))
        raise FloorRefused(str(told["code"]), _text(told))

    def _exchange(self, method: str, path: str, body: bytes | None) -> tuple[int, bytes]:
        headers = {} if body is None else {"Content-Type": "application/json"}
        is_new = self._connection is None
        if self._connection is None:
            host, port = self._where.hostname or "", self._where.port or 443
            self._connection = http.client.HTTPSConnection(host, port, timeout=_TIMEOUT_S, context=self._context)
        try:
            self._connection.request(method, path, body, headers)
            answer = self._connection.getresponse()
            return answer.status, answer.read()
        except (ConnectionError, http.client.BadStatusLine):
            if is_new:
                raise
            self._drop()  # kept-alive connection closed by the floor; all requests are idempotent
            return self._exchange(method, path, body)

    def _drop(self) -> None:
        if self._connection is not None:
            with suppress(OSError):
                self._connection.close()
            self._connection = None

    def close(self) -> None:
        """Close the connection. Idempotent."""
        with self._lock:
            self._drop()
