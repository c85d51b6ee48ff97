"""The house's MQTT broker at a table that has joined a floor: the floor issues the login, no setup needed.

The login is in ``DATA/floor``: ``broker.json``, and the password beside it. A table that joined before its floor had a
broker, or whose login became invalid because the floor's database was recovered, requests a new one by itself. It also
asks for the broker's port while the broker is unreachable, as the floor may have been restarted with another one.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self
from urllib.parse import urlsplit

from companion.app.floor.client import FloorClient, FloorRefused, FloorUnreachable
from companion.app.floor.membership import AUTHORITY, JoinFailed, Membership
from companion.app.integrations.link import LinkState
from companion.app.integrations.public_events import PublicEventJson
from companion.app.integrations.public_snapshot import PublicSnapshot
from companion.closing import Worker
from companion.config.integrations import MqttConfig
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
    """The house broker's address and the table's credentials."""

    host: str
    port: int
    login: str
    topic: str

    @classmethod
    def of(cls, folder: Path) -> Self | None:
        """Return the stored login; None if there is none, or it cannot be read."""
        try:
            told = json.loads((folder / FILE).read_text(encoding="utf-8"))
            return cls(str(told["host"]), int(told["port"]), str(told["login"]), str(told["topic"]))
        except (FileNotFoundError, *DAMAGED):
            return None

    def config(self, member: Membership) -> MqttConfig:
        """Return the MQTT client's configuration."""
        return MqttConfig(
            host=self.host, port=self.port, table=self.login, name=member.name, topic=self.topic, username=self.login,
            password_file=str((member.folder / PASSWORD_FILE).absolute()),
            ca_file=str((member.folder / AUTHORITY).absolute()), commands=True,
        )  # fmt: skip


def ask_login(member: Membership) -> BrokerLogin:
    """Request a login from the floor and store it.

    Raises:
        FloorUnreachable, FloorRefused: no response, no broker, or the pit has revoked the table's access.
    """
    told = _told(member, lambda client: client.post("/floor/v1/broker", {}))
    made = BrokerLogin(_host(member), int(told["port"]), str(told["login"]), str(told["topic"]))
    write_private(member.folder / PASSWORD_FILE, str(told["password"]).encode())
    _keep(member, made)
    return made


def ask_where(member: Membership, login: BrokerLogin) -> BrokerLogin:
    """Request the broker's current port from the floor and store it; return the login with that port.

    Raises:
        FloorUnreachable, FloorRefused: no response, or no broker.
    """
    told = _told(member, lambda client: client.get("/floor/v1/broker"))
    found = replace(login, host=_host(member), port=int(told["port"]))
    if found != login:
        _keep(member, found)
    return found


def _told(member: Membership, ask: Callable[[FloorClient], Mapping[str, Any]]) -> Mapping[str, Any]:
    client = member.client()
    try:
        return ask(client)
    finally:
        client.close()


def _host(member: Membership) -> str:
    return urlsplit(member.url).hostname or ""


def _keep(member: Membership, login: BrokerLogin) -> None:
    kept = {"host": login.host, "port": login.port, "login": login.login, "topic": login.topic}
    write_private(member.folder / FILE, json.dumps(kept).encode())


class HouseBroker(Worker):
    """Publishes to the house's broker once the floor has issued a login. A context manager, and a listener.

    Args:
        make: returns a publisher for a login.
        ask_every_s: interval between requests to the floor for what is missing.
    """

    def __init__(self, member: Membership, make: MakePublisher, ask_every_s: float = ASK_EVERY_S) -> None:
        self._member, self._make, self._ask_every_s = member, make, ask_every_s
        self._lock = threading.Lock()
        self._publisher: Publisher | None = None
        self._shown: PublicSnapshot | None = None
        self._state = LinkState("mqtt", urlsplit(member.url).hostname or "")
        super().__init__("house-broker", end_s=0.0)

    def show(self, picture: PublicSnapshot) -> None:
        """Publish the table's public state."""
        with self._lock:
            self._shown = picture
            if self._publisher is not None:
                self._publisher.show(picture)

    def on_event(self, happened: PublicEventJson) -> None:
        """Publish an event, if there is a login yet."""
        with self._lock:
            if self._publisher is not None:
                self._publisher.on_event(happened)

    @property
    def link(self) -> LinkState:
        """State of the connection."""
        publisher = self._publisher
        return self._state if publisher is None else publisher.link

    def close(self) -> None:
        """Disconnect with a final message. Idempotent."""
        super().close()
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
                self._stop.wait(self._ask_every_s)
                continue
            self._publish(login)
            login = self._watched(login)
            self._drop()

    def _watched(self, login: BrokerLogin) -> BrokerLogin | None:
        """Wait until a login stops working; return it with the broker's new address, or None if it is rejected."""
        asked_at = time.monotonic()
        while not self._stop.wait(min(LOOK_EVERY_S, self._ask_every_s)):
            publisher = self._publisher
            if publisher is None:
                continue
            if publisher.is_refused:
                return None
            if publisher.link.state == "up":
                asked_at = time.monotonic()
            elif time.monotonic() - asked_at >= self._ask_every_s:
                asked_at = time.monotonic()
                if (found := self._moved(login)) != login:
                    log.info("The house's MQTT broker moved to port %s from %s", found.port, login.port)
                    return found
        return login

    def _moved(self, login: BrokerLogin) -> BrokerLogin:
        """Return a login with the broker's address according to the floor; unchanged if the floor does not answer."""
        try:
            return ask_where(self._member, login)
        except (FloorUnreachable, FloorRefused, JoinFailed, OSError, *DAMAGED) as error:
            log.debug(
                "The floor does not report its MQTT broker's address: %s", error
            )  # older floors have no such request
        except Exception:
            log.exception("Internal error: the address of the house's MQTT broker was not requested")
        return login

    def _asked(self) -> BrokerLogin | None:
        try:
            return ask_login(self._member)
        except (FloorUnreachable, FloorRefused, JoinFailed) as error:
            if error.message != self._state.trouble:
                log.info("The floor gave no log-in for the house's MQTT broker: %s", error.message)
            self._state = self._state.now("down", error.message)
        except Exception:
            log.exception("Internal error: could not request a log-in for the house's MQTT broker")
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
