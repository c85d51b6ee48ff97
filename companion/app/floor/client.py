"""Talks to a floor: JSON over TLS, both sides with certificates of the floor's own authority."""

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
    """The floor does not answer, or its database does not; trying again later may help."""


class FloorRefused(CodedError):
    """The floor has answered, and refuses."""


def _text(told: Mapping[str, Any]) -> str:
    """Return why the floor refuses something, as a sentence in any language where this program has it, too."""
    said = told.get("said")
    found = None
    if isinstance(said, dict) and isinstance(said.get("say"), str) and isinstance(said.get("with"), dict):
        found = known_message(said["say"], said["with"])
    return str(told.get("message")) if found is None else found


class FloorClient:
    """One connection to a floor, kept open. Thread-safe, one question at a time.

    Args:
        url: such as ``https://192.168.1.5:8443``.
        context: trusts the floor's authority, and has the table's own certificate.
    """

    def __init__(self, url: str, context: ssl.SSLContext) -> None:
        self._where = urlsplit(url)
        self._context = context
        self._lock = threading.Lock()
        self._connection: http.client.HTTPSConnection | None = None

    def get(self, path: str) -> dict[str, Any]:
        """Return what the floor says.

        Raises:
            FloorUnreachable: it says nothing.
            FloorRefused: it says no.
        """
        return self._ask("GET", path, None)

    def post(self, path: str, told: Mapping[str, Any]) -> dict[str, Any]:
        """Tell the floor something, and return what it says; raises as `get` does."""
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
        if status >= 500:  # whether it did what was asked is not known
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
            self._drop()  # one that the floor has closed meanwhile; everything here may be asked twice
            return self._exchange(method, path, body)

    def _drop(self) -> None:
        if self._connection is not None:
            with suppress(OSError):
                self._connection.close()
            self._connection = None

    def close(self) -> None:
        """End the connection; may be called twice."""
        with self._lock:
            self._drop()
