"""A table in another process, possibly on another machine: everything but its pins, over HTTP."""

import http.client
import json
import ssl
import time
import urllib.parse
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Final

from companion.journal.hash_chain import EntryJson
from companion.kernel.commands import Record
from companion.service.snapshot import RoomView
from hardware.harness.rig import RigError

_TIMEOUT_S: Final = 10.0


class HttpTable:
    """The dealer's side of a table's web service.

    Args:
        url: base URL, such as ``https://table.local:8080``.
        pin: the dealer's PIN.
        timeout_s: time limit of each request.

    Raises:
        RigError: the URL is invalid.
    """

    def __init__(self, url: str, pin: str, *, timeout_s: float = _TIMEOUT_S) -> None:
        self._timeout_s = timeout_s
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise RigError(f"{url!r} is no address of a table. Say one like https://table.local:8080.")
        self.url = url.rstrip("/")
        self._host, self._port = parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)
        self._is_secured = parts.scheme == "https"
        self._headers = {"Authorization": f"Bearer {pin}"}

    def view(self) -> RoomView:
        """Return the dealer's view."""
        found: RoomView = self._json("GET", "/api/v1/state")
        return found

    def journal(self, after: int) -> list[EntryJson]:
        """Return the journal entries after this sequence number."""
        found: list[EntryJson] = []
        while more := self._json("GET", f"/api/v1/events?after={after}&limit=500")["events"]:
            found += more
            after = more[-1]["seq"]
        return found

    def command(self, record: Record) -> str | None:
        """Submit a command; return the error code if it was refused."""
        status, body = self._ask("POST", "/api/v1/commands", dict(record))
        reply = self._parsed(body)
        if status == 200:
            return None
        error = reply.get("error", reply) if isinstance(reply, dict) else {}
        return str(error.get("code", status))

    def page(self, path: str) -> str:
        """Return the content of a page, fetched as the dealer."""
        return self._ask("GET", path)[1]

    def is_ready(self) -> bool:
        """Whether the table responds."""
        try:
            return self._ask("GET", "/healthz")[0] == 200
        except RigError:
            return False

    def wait_ready(self, timeout_s: float, alive: Callable[[], str | None] = lambda: None) -> None:
        """Wait until the table responds.

        Args:
            alive: returns the reason if the table is dead, and None while it is alive.

        Raises:
            RigError: the table is dead, or does not respond in time.
        """
        ends = time.monotonic() + timeout_s
        while not self.is_ready():
            if (why := alive()) is not None:
                raise RigError(why)
            if time.monotonic() > ends:
                raise RigError(f"No table answers at {self.url} (waited {timeout_s:.0f} s). Is it started?")
            time.sleep(0.05)

    # ---- one request

    def _json(self, method: str, path: str) -> Any:
        status, body = self._ask(method, path)
        if status != 200:
            raise RigError(f"{self.url}{path} answers {status}: {body[:200]}. Check --pin and --url.")
        return self._parsed(body)

    def _parsed(self, body: str) -> Any:
        try:
            return json.loads(body)
        except ValueError as error:
            raise RigError(f"{self.url} does not answer as a table does: {body[:80]!r}. Check --url.") from error

    def _connection(self) -> http.client.HTTPConnection:
        if not self._is_secured:
            return http.client.HTTPConnection(self._host, self._port, timeout=self._timeout_s)
        unverified = ssl._create_unverified_context()  # the certificate is self-signed; a rig's cable is not attacked
        return http.client.HTTPSConnection(self._host, self._port, timeout=self._timeout_s, context=unverified)

    def _ask(self, method: str, path: str, body: Record | None = None) -> tuple[int, str]:
        connection = self._connection()
        headers = self._headers | ({"Content-Type": "application/json"} if body is not None else {})
        try:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode("utf-8", "replace")
        except (OSError, http.client.HTTPException) as error:
            raise RigError(f"The table at {self.url} does not answer ({error}). Is it running?") from error
        finally:
            connection.close()


class HttpRig(ABC):
    """Mixin for rigs whose table is another process: real time; view, journal, commands and pages over HTTP."""

    @property
    @abstractmethod
    def table(self) -> HttpTable:
        """The table under test."""

    def now(self) -> float:
        """Return the monotonic time in seconds."""
        return time.monotonic()

    def wait(self, seconds: float) -> None:
        """Wait in real time."""
        time.sleep(seconds)

    def view(self) -> RoomView:
        """Return the dealer's view."""
        return self.table.view()

    def journal(self, after: int) -> Sequence[EntryJson]:
        """Return the journal entries after this sequence number."""
        return self.table.journal(after)

    def command(self, record: Record) -> str | None:
        """Submit a command as the dealer; return the error code if it was refused."""
        return self.table.command(record)

    def page(self, path: str) -> str:
        """Return the content of a page, fetched as the dealer."""
        return self.table.page(path)
