"""Runs the house's broker, keeps its password file in step with the database, and issues logins.

Optional: without mosquitto, or while it is down, the rest of the floor keeps working.
"""

import logging
import secrets
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from companion.floor import people
from companion.floor.broker import access
from companion.floor.broker.access import HOUSE, Access
from companion.floor.broker.mosquitto import BrokerUnusable, Mosquitto
from companion.floor.database import Connect
from companion.floor.errors import FloorError
from companion.floor.tables import Installation
from companion.journal.durable import write_private
from companion.kernel.messages import message

log = logging.getLogger(__name__)

OWN_PASSWORD: Final = "house.password"
NONE: Final = message("This floor was started without a broker.")


@dataclass(frozen=True, slots=True)
class Login:
    """Credentials of a broker client, shown once."""

    port: int
    login: str
    password: str
    topic: str


class BrokerService:
    """Manages the broker and its logins. Thread-safe.

    Args:
        connect: context manager that yields a database connection.
    """

    def __init__(self, connect: Connect) -> None:
        self._connect = connect
        self._lock = threading.RLock()
        self._server: Mosquitto | None = None
        self._own = secrets.token_urlsafe(16)
        self._own_line = f"{HOUSE}:{access.hashed(self._own)}\n"
        self.trouble: str = NONE
        "Why the broker is not running, and what to do; empty while it runs."

    def open(self, server: Mosquitto) -> None:
        """Start the broker; on failure, sets `trouble` and `look` retries."""
        with self._lock:
            server.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_private(server.folder / OWN_PASSWORD, self._own.encode())
            self._server = server
            self.look()

    def look(self) -> None:
        """Start the broker if it is not running, and update its password file."""
        with self._lock:
            if self._server is None:
                return
            try:
                passwords = self._passwords()
                if self._server.is_running:
                    self._server.update(passwords)
                else:
                    self._server.start(passwords)
                    log.info("The MQTT broker listens on port %s", self._server.port)
            except (BrokerUnusable, FloorError, OSError) as error:
                said = error.message if isinstance(error, BrokerUnusable | FloorError) else str(error)
                if said != self.trouble:
                    log.warning("The MQTT broker is not available: %s", said)
                self.trouble = said
            else:
                self.trouble = ""

    def refresh(self) -> None:
        """Update the password file of a running broker."""
        with self._lock:
            if self._server is not None and self._server.is_running:
                self.look()

    def close(self) -> None:
        """Stop the broker. Idempotent."""
        with self._lock:
            if self._server is not None:
                self._server.stop()
                self._server = None
                self.trouble = NONE

    @property
    def port(self) -> int | None:
        """The broker's port; None if the floor has no broker."""
        return None if self._server is None else self._server.port

    @property
    def own(self) -> Login | None:
        """The floor's own login; None if it has no broker."""
        port = self.port
        return None if port is None else Login(port, HOUSE, self._own, access.TOPIC)

    # ---- logins

    def listening(self) -> int:
        """Return the broker's port.

        Raises:
            FloorError: there is no broker.
        """
        port = self.port
        if port is None:
            raise FloorError("no-broker", NONE)
        return port

    def issue_login(self, who: Installation) -> Login:
        """Issue a table's login, with a new password.

        Raises:
            FloorError: there is no broker, or the pit has revoked the table's access.
        """
        port = self.listening()
        with self._connect() as connection:
            password = access.issue_table_password(connection, who)
            people.note(connection, who.name, "got access to the broker", {"table": who.table_id})
        self.refresh()
        return Login(port, access.login_of(who.table_id), password, access.TOPIC)

    def issue_reader_login(self, login: str, by: str) -> str:
        """Issue a new password for a read-only login.

        Raises:
            FloorError: no such reader.
        """
        with self._connect() as connection:
            password = access.issue_reader_password(connection, login, by)
            people.note(connection, by, "gave access to the broker", {"login": login})
        self.refresh()
        return password

    def revoke(self, login: str, by: str) -> None:
        """Revoke a login and disconnect its client.

        Raises:
            FloorError: no such login.
        """
        with self._connect() as connection:
            access.revoke(connection, login, by)
            people.note(connection, by, "took access to the broker away", {"login": login})
        self.refresh()

    def accesses(self) -> Sequence[Access]:
        """Return all logins."""
        with self._connect() as connection:
            return access.accesses(connection)

    def _passwords(self) -> str:
        with self._connect() as connection:
            lines = access.password_lines(connection)
        return self._own_line + lines
