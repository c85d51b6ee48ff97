"""A single-threaded connection to an MQTT broker with paho-mqtt. Every error message includes a remedy."""

import os
import select
import socket
import ssl
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, cast

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from companion.app.mqtt.outbox import Message
from companion.config.integrations import MqttConfig
from companion.kernel.errors import CompanionError, os_reason
from companion.kernel.messages import message

PASSWORD: Final = "COMPANION_MQTT_PASSWORD"
"""Environment variable with the password, used if no file is configured."""
CONNECT_S: Final = 5.0
"""Timeout of the TCP connection, and again of the broker's response."""
KEEPALIVE_S: Final = 30
"""Silence after which either side considers the other gone."""
FAREWELL_S: Final = 0.5
_ANY_NUMBER: Final = 65_535
_TAKEN_OVER: Final = "Session taken over"
_LOGIN_REFUSED: Final = ("Not authorized", "Bad user name or password", "Bad authentication method", "Banned")
_REASONS: Final = {str(said): said for said in (
    message("Not authorized"), message("Bad user name or password"), message("Bad authentication method"),
    message("Banned"), message("Server unavailable"), message("Server busy"), message("Server shutting down"),
    message("Keep alive timeout"), message("Client identifier not valid"), message("Topic name invalid"),
    message("Packet too large"), message("Quota exceeded"), message("Connection rate exceeded"),
    message("Administrative action"), message("Unspecified error"), message("Protocol error"),
)}  # fmt: skip
"""MQTT 5 reason names, as translatable messages."""

OnMessage = Callable[[bytes, bool], None]
"""Called with a payload, and whether it was a retained message."""
OnAnswer = Callable[[int, str | None], None]
"""Called with a message's number, and the broker's reason for refusing it; None if acknowledged."""


class BrokerTrouble(CompanionError):
    """The broker cannot be used; the message says why and what to do."""


class LoginRefused(BrokerTrouble):
    """The broker rejects the user name or password."""


def password_of(config: MqttConfig) -> str | None:
    """Return the broker password from its file or the environment; None without a configured user name.

    Raises:
        BrokerTrouble: the password is missing or unreadable.
    """
    if config.username is None:
        return None
    if config.password_file is None:
        found = os.environ.get(PASSWORD)
        if found is None:
            raise BrokerTrouble.saying(
                "There is no password for the broker. Name its file as password_file in [mqtt], or set {variable}.",
                variable=PASSWORD,
            )
        return found
    try:
        return Path(config.password_file).read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise _unreadable(config.password_file, error) from error


def tls_context(config: MqttConfig) -> ssl.SSLContext:
    """Return the TLS settings for the broker.

    Raises:
        BrokerTrouble: a certificate or key is unusable.
    """
    try:
        context = ssl.create_default_context(cafile=config.ca_file)
    except OSError as error:
        raise _unreadable(config.ca_file or "", error) from error
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if config.cert_file is not None:
        try:
            context.load_cert_chain(config.cert_file, config.key_file, password=b"")  # never prompt for a passphrase
        except OSError as error:
            raise _unreadable(f"{config.cert_file}, {config.key_file}", error) from error
    return context


class Broker:
    """A connection, open from `open` until it is lost or closed. Not thread-safe.

    Args:
        client_id: unique among the broker's clients: a second client with the same ID disconnects the first.
        on_answer: called for each published message once the broker acknowledges or refuses it.
        will: published by the broker once the connection is lost, and also after `close`.
    """

    def __init__(
        self,
        config: MqttConfig,
        client_id: str,
        *,
        on_answer: OnAnswer,
        on_message: OnMessage | None = None,
        will: Message | None = None,
    ) -> None:
        self._config, self._on_answer, self._on_message = config, on_answer, on_message
        self._is_open = False
        self._refused: str | None = None
        self.most_under_way = 0
        "The broker's receive maximum: how many messages may be unacknowledged at a time."
        client = self._client = Client(
            CallbackAPIVersion.VERSION2, client_id, protocol=MQTTProtocolVersion.MQTTv5, reconnect_on_failure=False
        )
        client.connect_timeout = CONNECT_S
        client.on_connect, client.on_disconnect = self._connected, self._disconnected
        client.on_publish, client.on_message = self._published, self._received
        if will is not None:
            client.will_set(will.topic, will.payload, qos=1, retain=will.is_retained)

    def open(self) -> None:
        """Connect and log in.

        Raises:
            BrokerTrouble: no connection, or the broker refused it.
        """
        config = self._config
        if config.username is not None:
            self._client.username_pw_set(config.username, password_of(config))
        if config.tls:
            self._client.tls_set_context(tls_context(config))
        try:
            self._client.connect(str(config.host), config.broker_port, KEEPALIVE_S, clean_start=True)
        except (OSError, UnicodeError) as error:
            raise BrokerTrouble(_no_connection(config, error)) from error
        ends = time.monotonic() + CONNECT_S
        while not self._is_open:
            self.serve(0.2)
            if not self._is_open and time.monotonic() > ends:
                raise BrokerTrouble(_silent(config))

    def publish(self, sent: Message) -> int:
        """Send a message at least once (QoS 1); return its number."""
        return self._client.publish(sent.topic, sent.payload, qos=1, retain=sent.is_retained).mid

    def subscribe(self, topic: str) -> None:
        """Subscribe to a topic, without its retained messages."""
        self._client.subscribe(
            topic, options=SubscribeOptions(qos=1, retainHandling=SubscribeOptions.RETAIN_DO_NOT_SEND)
        )

    def serve(self, timeout_s: float, wake: socket.socket | None = None) -> None:
        """Wait for network activity, or for data on ``wake``, then handle pending I/O.

        Raises:
            BrokerTrouble: the connection is lost.
        """
        line = cast("socket.socket | None", self._client.socket())
        if line is None:
            raise self._gone()
        is_pending = isinstance(line, ssl.SSLSocket) and line.pending() > 0
        poll = select.poll()  # select.select is limited to 1,024 file descriptors
        poll.register(line, select.POLLIN | (select.POLLOUT if self._client.want_write() else 0))
        if wake is not None:
            poll.register(wake, select.POLLIN)
        ready = dict(poll.poll(0 if is_pending else timeout_s * 1000))
        if wake is not None and wake.fileno() in ready:
            wake.recv(4096)
        happened = ready.get(line.fileno(), 0)
        if is_pending or happened & ~select.POLLOUT:
            self._client.loop_read()
        if happened & select.POLLOUT:
            self._client.loop_write()
        self._client.loop_misc()
        if self._client.socket() is None:
            raise self._gone()

    def close(self) -> None:
        """Disconnect and have the broker publish the will. May be called twice."""
        self._client.disconnect(ReasonCode(PacketTypes.DISCONNECT, "Disconnect with will message"))
        ends = time.monotonic() + FAREWELL_S
        while self._client.want_write() and self._client.socket() is not None and time.monotonic() < ends:
            self._client.loop_write()
            time.sleep(0.01)
        if (line := self._client.socket()) is not None:
            line.close()

    # ---- paho callbacks

    def _connected(self, client: Client, data: Any, flags: Any, reason: ReasonCode, properties: Any) -> None:
        self._is_open = not reason.is_failure
        self.most_under_way = getattr(properties, "ReceiveMaximum", _ANY_NUMBER)
        if reason.is_failure:
            self._refused = reason.getName()

    def _disconnected(self, client: Client, data: Any, flags: Any, reason: ReasonCode, properties: Any) -> None:
        if flags.is_disconnect_packet_from_server and self._refused is None:
            self._refused = reason.getName()

    def _published(self, client: Client, data: Any, number: int, reason: ReasonCode, properties: Any) -> None:
        self._on_answer(number, reason.getName() if reason.is_failure else None)

    def _received(self, client: Client, data: Any, received: MQTTMessage) -> None:
        if self._on_message is not None:
            self._on_message(bytes(received.payload), received.retain)

    def _gone(self) -> BrokerTrouble:
        """Return the error for a lost or refused connection."""
        is_refusal = not self._is_open and self._refused in _LOGIN_REFUSED
        return (LoginRefused if is_refusal else BrokerTrouble)(self._why_gone())

    def _why_gone(self) -> str:
        config, why = self._config, self._refused
        if why == _TAKEN_OVER:
            return message(
                "Another table connects to the broker as {table}. Give each its own name: table in [mqtt].",
                table=config.table,
            )
        if not self._is_open and why in _LOGIN_REFUSED:
            if config.username is None:
                return message("The broker wants a login. Name username and password_file in [mqtt].")
            return message(
                "The broker does not let {user} in: {why}. Check username and password_file in [mqtt].",
                user=config.username,
                why=_REASONS.get(why, why),
            )
        if why is not None:
            return message("The broker has ended the connection: {why}. Look into its log.", why=_REASONS.get(why, why))
        if not self._is_open:
            return message(
                "The broker {host} closes the connection at once. Check in [mqtt] whether it wants TLS on port {port}, "
                "or a certificate of the table.",
                host=str(config.host),
                port=str(config.broker_port),
            )
        return message(
            "The connection to the broker is lost. Check the network, whether the broker runs, and that no other table "
            "there is called {table}.",
            table=config.table,
        )


def _unreadable(file: str, error: Exception) -> BrokerTrouble:
    why = os_reason(error) if isinstance(error, OSError) and not isinstance(error, ssl.SSLError) else str(error)
    return BrokerTrouble.saying(
        "{file} cannot be used: {why}. Correct it in [mqtt], and give the table's user the right to read it.",
        file=file,
        why=why,
    )


def _silent(config: MqttConfig) -> str:
    return message(
        "{host} does not answer on port {port}. Check host and port in [mqtt], and the network.",
        host=str(config.host),
        port=str(config.broker_port),
    )


def _no_connection(config: MqttConfig, error: OSError | UnicodeError) -> str:
    host, port = str(config.host), config.broker_port
    if isinstance(error, ssl.SSLCertVerificationError):
        return message(
            "The certificate of {host} is not trusted: {why}. Name the authority that has signed it as ca_file in "
            "[mqtt], and the host as the certificate does.",
            host=host,
            why=error.verify_message,
        )
    if config.tls and isinstance(error, ssl.SSLError | ConnectionResetError):
        return message(
            "{host} does not speak TLS on port {port}: {why}. Check the port in [mqtt]; tls = false goes without.",
            host=host,
            port=str(port),
            why=getattr(error, "reason", None) or os_reason(error),
        )
    if isinstance(error, socket.gaierror | UnicodeError):  # UnicodeError: not a valid host name
        return message("There is no host {host}. Check host in [mqtt], and the network's name service.", host=host)
    if isinstance(error, TimeoutError):
        return _silent(config)
    return message(
        "{host} cannot be reached on port {port}: {why}. Check that the broker runs and listens there.",
        host=host,
        port=str(port),
        why=os_reason(error),
    )
