"""The house's broker, at a table that has joined a floor: its login comes from the floor, and nobody sets it up.

The login lies in ``DATA/floor``: ``broker.json``, and the password beside it. A table that joined before its floor had
a broker, or whose login counts no more because the floor's database was recovered, asks for another one by itself.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self
from urllib.parse import urlsplit

from companion.app.floor.client import FloorRefused, FloorUnreachable
from companion.app.floor.membership import AUTHORITY, JoinFailed, Membership
from companion.app.outside.happenings import HappeningJson
from companion.app.outside.link import LinkState
from companion.app.outside.picture import Picture
from companion.closing import Closing
from companion.config.outside import MqttConfig
from companion.journal.durable import DAMAGED, write_private

if TYPE_CHECKING:
    from companion.app.mqtt.publisher import Publisher

log = logging.getLogger(__name__)

FILE: Final = "broker.json"
PASSWORD_FILE: Final = "broker.password"
LOOK_EVERY_S: Final = 2.0
ASK_EVERY_S: Final = 30.0

MakePublisher = Callable[[MqttConfig], "Publisher"]


@dataclass(frozen=True, slots=True)
class BrokerLogin:
    """Where the house's broker is, and as whom the table logs in."""

    host: str
    port: int
    login: str
    topic: str

    @classmethod
    def of(cls, folder: Path) -> Self | None:
        """Return the login that the floor gave; None if it gave none, or the file cannot be read."""
        try:
            told = json.loads((folder / FILE).read_text(encoding="utf-8"))
            return cls(str(told["host"]), int(told["port"]), str(told["login"]), str(told["topic"]))
        except (FileNotFoundError, *DAMAGED):
            return None

    def config(self, member: Membership) -> MqttConfig:
        """Return how the table talks to it."""
        return MqttConfig(
            host=self.host, port=self.port, table=self.login, name=member.name, topic=self.topic, username=self.login,
            password_file=str((member.folder / PASSWORD_FILE).absolute()),
            ca_file=str((member.folder / AUTHORITY).absolute()), commands=True,
        )  # fmt: skip


def ask_login(member: Membership) -> BrokerLogin:
    """Ask the floor for a login, and keep it.

    Raises:
        FloorUnreachable, FloorRefused: it does not answer, has no broker, or the pit has taken the access away.
    """
    client = member.client()
    try:
        told = client.post("/floor/v1/broker", {})
    finally:
        client.close()
    made = BrokerLogin(urlsplit(member.url).hostname or "", int(told["port"]), str(told["login"]), str(told["topic"]))
    write_private(member.folder / PASSWORD_FILE, str(told["password"]).encode())
    kept = {"host": made.host, "port": made.port, "login": made.login, "topic": made.topic}
    write_private(member.folder / FILE, json.dumps(kept).encode())
    return made


class HouseBroker(Closing):
    """Publishes to the house's broker as soon as the floor has given a login. A context manager, and a listener.

    Args:
        make: returns a publisher for a login.
    """

    def __init__(self, member: Membership, make: MakePublisher) -> None:
        self._member, self._make = member, make
        self._lock = threading.Lock()
        self._publisher: Publisher | None = None
        self._shown: Picture | None = None
        self._stop = threading.Event()
        self._state = LinkState("mqtt", urlsplit(member.url).hostname or "")
        self._thread = threading.Thread(target=self._run, name="house-broker", daemon=True)

    def show(self, picture: Picture) -> None:
        """Take what is so now."""
        with self._lock:
            self._shown = picture
            if self._publisher is not None:
                self._publisher.show(picture)

    def tell(self, happened: HappeningJson) -> None:
        """Publish something that has happened, if there is a login yet."""
        with self._lock:
            if self._publisher is not None:
                self._publisher.tell(happened)

    @property
    def link(self) -> LinkState:
        """How the connection fares."""
        publisher = self._publisher
        return self._state if publisher is None else publisher.link

    def start(self) -> Self:
        self._thread.start()
        return self

    def close(self) -> None:
        """Say farewell. May be called twice."""
        self._stop.set()
        with self._lock:
            publisher, self._publisher = self._publisher, None
        if publisher is not None:
            publisher.close()

    # ---- the thread

    def _run(self) -> None:
        login = BrokerLogin.of(self._member.folder)
        while not self._stop.is_set():
            if login is None:
                login = self._asked()
            if login is None:
                self._stop.wait(ASK_EVERY_S)
                continue
            self._publish(login)
            while not self._stop.wait(LOOK_EVERY_S):
                publisher = self._publisher
                if publisher is not None and publisher.is_refused:
                    break
            self._drop()
            login = None

    def _asked(self) -> BrokerLogin | None:
        try:
            return ask_login(self._member)
        except (FloorUnreachable, FloorRefused, JoinFailed) as error:
            if error.message != self._state.trouble:
                log.info("The house's broker: %s", error.message)
            self._state = self._state.now("down", error.message)
        except Exception:
            log.exception("Our own mistake: the house's broker is not told")
        return None

    def _publish(self, login: BrokerLogin) -> None:
        made = self._make(login.config(self._member)).start()
        with self._lock:
            self._publisher = made
            if self._shown is not None:
                made.show(self._shown)

    def _drop(self) -> None:
        with self._lock:
            publisher, self._publisher = self._publisher, None
        if publisher is not None:
            self._state = publisher.link
            publisher.close()
