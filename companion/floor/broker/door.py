"""The house's broker as the floor uses it: started, kept in step with the database, and who is let in.

Nothing waits for it: without mosquitto, or while it is down, everything else of the floor goes on.
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
    """What a client of the broker is told, once."""

    port: int
    login: str
    password: str
    topic: str


class BrokerDoor:
    """Lets tables and readers in. Thread-safe.

    Args:
        connect: lends a connection to the database.
    """

    def __init__(self, connect: Connect) -> None:
        self._connect = connect
        self._lock = threading.RLock()
        self._server: Mosquitto | None = None
        self._own = secrets.token_urlsafe(16)
        self._own_line = f"{HOUSE}:{access.hashed(self._own)}\n"
        self.trouble: str = NONE
        "Why there is no broker, and what to do; empty while it runs."

    def open(self, server: Mosquitto) -> None:
        """Start the broker; if that fails, `trouble` says why and `look` tries again."""
        with self._lock:
            server.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_private(server.folder / OWN_PASSWORD, self._own.encode())
            self._server = server
            self.look()

    def look(self) -> None:
        """Start the broker if it does not run, and tell it who may log in now."""
        with self._lock:
            if self._server is None:
                return
            try:
                passwords = self._passwords()
                if self._server.is_running:
                    self._server.update(passwords)
                else:
                    self._server.start(passwords)
                    log.info("The broker listens on port %s", self._server.port)
            except (BrokerUnusable, FloorError, OSError) as error:
                said = error.message if isinstance(error, BrokerUnusable | FloorError) else str(error)
                if said != self.trouble:
                    log.warning("The broker: %s", said)
                self.trouble = said
            else:
                self.trouble = ""

    def refresh(self) -> None:
        """Tell a broker that runs who may log in now."""
        with self._lock:
            if self._server is not None and self._server.is_running:
                self.look()

    def close(self) -> None:
        """Stop the broker; may be called twice."""
        with self._lock:
            if self._server is not None:
                self._server.stop()
                self._server = None
                self.trouble = NONE

    @property
    def port(self) -> int | None:
        """Where it listens; None where the floor has no broker."""
        return None if self._server is None else self._server.port

    @property
    def own(self) -> Login | None:
        """The floor's own login; None where it has no broker."""
        port = self.port
        return None if port is None else Login(port, HOUSE, self._own, access.TOPIC)

    # ---- who is let in

    def listening(self) -> int:
        """Return where the broker listens.

        Raises:
            FloorError: there is no broker.
        """
        port = self.port
        if port is None:
            raise FloorError("no-broker", NONE)
        return port

    def let_in(self, who: Installation) -> Login:
        """Return a table's login, with a new password.

        Raises:
            FloorError: there is no broker, or the pit has taken the table's access away.
        """
        port = self.listening()
        with self._connect() as connection:
            password = access.give_table(connection, who)
            people.note(connection, who.name, "got access to the broker", {"table": who.table_id})
        self.refresh()
        return Login(port, access.login_of(who.table_id), password, access.TOPIC)

    def let_reader_in(self, login: str, by: str) -> str:
        """Return a new password for somebody who reads.

        Raises:
            FloorError: there is no such reader.
        """
        with self._connect() as connection:
            password = access.give_reader(connection, login, by)
            people.note(connection, by, "gave access to the broker", {"login": login})
        self.refresh()
        return password

    def revoke(self, login: str, by: str) -> None:
        """Take somebody's access away, at once.

        Raises:
            FloorError: nobody of that name has any.
        """
        with self._connect() as connection:
            access.revoke(connection, login, by)
            people.note(connection, by, "took access to the broker away", {"login": login})
        self.refresh()

    def accesses(self) -> Sequence[Access]:
        """Return everybody who may log in."""
        with self._connect() as connection:
            return access.accesses(connection)

    def _passwords(self) -> str:
        with self._connect() as connection:
            lines = access.password_lines(connection)
        return self._own_line + lines
