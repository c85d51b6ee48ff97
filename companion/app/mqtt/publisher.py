"""The thread that keeps a broker up to date. Producers only add to the outbox and never block."""

import json
import logging
import random
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from companion.app.integrations.link import LinkState
from companion.app.integrations.public_events import PublicEventJson
from companion.app.integrations.public_snapshot import PublicSnapshot
from companion.app.mqtt.broker import Broker, BrokerTrouble, LoginRefused
from companion.app.mqtt.discovery import discovery_json, discovery_topic
from companion.app.mqtt.outbox import Message, Outbox
from companion.app.mqtt.topics import OFFLINE, ONLINE, Topics
from companion.closing import Worker
from companion.config.integrations import MqttConfig
from companion.kernel.messages import message

SERVE_S: Final = 1.0
FIRST_WAIT_S: Final = 1.0
LONGEST_WAIT_S: Final = 30.0
CLOSE_S: Final = 1.0
STEADY_S: Final = 5.0
"""A connection that lasted longer than this resets the retry delay."""

log = logging.getLogger("companion.mqtt")

OnCommand = Callable[[bytes], None]
"""Called with a command's payload; must not block."""


class Publisher(Worker):
    """Publishes the table's state and events. A context manager, and a listener of the broadcaster.

    Args:
        version: the program's version, for Home Assistant.
        on_command: receives the payloads on the command topic; None to accept no commands.
    """

    def __init__(self, config: MqttConfig, version: str, on_command: OnCommand | None = None) -> None:
        self._config, self._on_command = config, on_command
        self._topics = Topics.from_config(config)
        self.outbox: Final = Outbox()
        self._bell, self._wake = socket.socketpair()
        for end in (self._bell, self._wake):
            end.setblocking(False)
        super().__init__("mqtt", end_s=CLOSE_S)
        self._refused: dict[str, str] = {}
        self._link = LinkState("mqtt", f"{config.host}:{config.broker_port}")
        self.is_refused = False
        "Whether the broker rejected the login at the last attempt."
        self.outbox.keep(self._topics.status, ONLINE)
        if config.discovery:
            self.outbox.keep(discovery_topic(config), _json(discovery_json(config, version)))

    # ---- news

    def show(self, snapshot: PublicSnapshot) -> None:
        """Publish the current state as retained messages."""
        for name, part in snapshot.parts().items():
            self.keep(name, {**part, "table": self._config.table} if "table" in part else part)

    def on_event(self, happened: PublicEventJson) -> None:
        """Publish an event."""
        data = {**happened["data"], "table": self._config.table}
        self.outbox.add(self._topics.event, _json({**happened, "data": data}))
        self._ring()

    def keep(self, name: str, part: Mapping[str, object]) -> None:
        """Set the retained object of one of this table's topics."""
        self.keep_at(self._topics.of(name), part)

    def keep_at(self, topic: str, part: Mapping[str, object]) -> None:
        """Set the retained object of any topic."""
        if self.outbox.keep(topic, _json(part)):
            self._ring()

    def add(self, name: str, value: Mapping[str, object]) -> None:
        """Publish an object, not retained, to one of this table's topics."""
        self.outbox.add(self._topics.of(name), _json(value))
        self._ring()

    @property
    def link(self) -> LinkState:
        """The connection's state."""
        return replace(self._link, lost=self.outbox.lost)

    def _ring(self) -> None:
        try:
            self._bell.send(b"!")
        except OSError:  # the buffer is full, so the thread will wake up anyway; or closed
            return

    # ---- lifecycle

    def close(self) -> None:
        """Stop, and disconnect cleanly if connected. May be called twice."""
        self._stop.set()
        self._ring()
        if self._link.state == "up":
            self._thread.join(timeout=CLOSE_S)

    # ---- the thread

    def _run(self) -> None:
        with self._bell, self._wake:
            self._keep_connected()

    def _keep_connected(self) -> None:
        wait_s = FIRST_WAIT_S
        while not self._stop.is_set():
            began = time.monotonic()
            try:
                self._serve()
            except BrokerTrouble as error:
                self.is_refused = isinstance(error, LoginRefused)
                self._down(error.message)
            except Exception:  # a bug must not end publishing for the rest of the session
                log.exception("Internal error: nothing is published to the MQTT broker; the table continues")
                self._down(message("The companion made a mistake with the broker. See its log."))
            self.outbox.disconnected()
            wait_s = FIRST_WAIT_S if time.monotonic() - began > STEADY_S else wait_s
            # Jitter, so that after a power cut the tables do not all connect at once.
            self._stop.wait(wait_s * random.uniform(1.0, 1.5))
            wait_s = min(2 * wait_s, LONGEST_WAIT_S)

    def _serve(self) -> None:
        """Open one connection and serve it until it is lost or the table closes.

        Raises:
            BrokerTrouble: the connection failed or was lost.
        """
        will = Message(self._topics.status, OFFLINE, True)
        broker = Broker(
            self._config, client_id(self._config), on_answer=self._answered, on_message=self._asked, will=will
        )
        try:
            broker.open()
            self._refused, self.is_refused = {}, False
            self._up()
            if self._on_command is not None:
                broker.subscribe(self._topics.command)
            while not self._stop.is_set():
                self.outbox.send(broker.publish, broker.most_under_way)
                broker.serve(SERVE_S, self._wake)
        finally:
            broker.close()

    def _answered(self, number: int, refusal: str | None) -> None:
        sent = self.outbox.acknowledged(number)
        if sent is None:
            return
        if refusal is not None and sent.topic not in self._refused:
            log.warning("The MQTT broker refuses %s: %s", sent.topic, refusal)
            self._refused[sent.topic] = refusal
            self._up()

    def _asked(self, payload: bytes, is_kept: bool) -> None:
        if is_kept or self._on_command is None:
            log.warning("Ignored a retained MQTT command. Send commands without the retain flag.")
        else:
            self._on_command(payload)

    # ---- link state

    def _up(self) -> None:
        trouble = ""
        if self._refused:
            trouble = message(
                "The broker refuses what is sent to {topics}. Give the table's user the right to write there.",
                topics=", ".join(sorted(self._refused)),
            )
        elif self._link.state != "up":
            log.info("Connected to the MQTT broker %s", self._link.name)
        self._link = self._link.now("up", trouble)

    def _down(self, trouble: str) -> None:
        if (self._link.state, self._link.trouble) != ("down", trouble):
            log.warning("%s", trouble)
        self._link = self._link.now("down", trouble)


def client_id(config: MqttConfig) -> str:
    """Return the table's MQTT client ID."""
    return f"{config.topic}/{config.table}"


def _json(value: Mapping[str, object]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(errors="backslashreplace")
