"""``[mqtt]``, ``[[webhooks]]`` and ``[alarms]``: notification of other systems.

Passwords and secrets are never in the configuration, only the names of their files.
"""

from typing import Annotated, Final, Literal, Self, get_args
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator, model_validator

EventType = Literal[
    "announcement", "round.decided", "command.undone", "command.refused", "table.held", "table.released",
    "game.changed", "question.asked", "question.answered", "alarm.raised", "alarm.cleared",
]  # fmt: skip
"""The types of events that other systems can receive."""

EVENT_TYPES: Final[tuple[EventType, ...]] = get_args(EventType)

PORT: Final = 1883
TLS_PORT: Final = 8883


def _absolute(path: str) -> str:
    if not path.startswith("/"):
        raise ValueError("this should be a whole path, such as /etc/companion/mqtt-password")
    return path


FilePath = Annotated[str, AfterValidator(_absolute)]
"""An absolute path: the service and a person at the shell run in different working directories."""

Level = r"[A-Za-z0-9_-]+"
"""One level of a topic, limited to characters that never need quoting: no wildcards, no spaces."""


class OutsideTable(BaseModel):
    """Base of these tables: frozen, strict about types, no unknown keys."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class MqttConfig(OutsideTable):
    """``[mqtt]``: the broker that the table publishes to; off without a host.

    Attributes:
        port: default 8883 with TLS, 1883 without.
        table: this table's level in every topic; unique among the broker's tables.
        name: the table's name in Home Assistant; default: derived from ``table``.
        topic: the prefix of all topics.
        password_file: default: the environment variable ``COMPANION_MQTT_PASSWORD``.
        ca_file: the CA of the broker's certificate; default: the system's trusted CAs.
        cert_file, key_file: the table's client certificate, if the broker requires one.
        discovery: Home Assistant's discovery prefix; empty turns discovery off.
        commands: whether ``hold`` and ``release`` are accepted from the broker.
    """

    host: Annotated[str, Field(min_length=1, max_length=253, pattern=r"^\S+$")] | None = None
    port: Annotated[int, Field(ge=1, le=65535)] | None = None
    table: Annotated[str, Field(max_length=64, pattern=f"^{Level}$")] = "table-1"
    name: Annotated[str, Field(min_length=1, max_length=80)] | None = None
    topic: Annotated[str, Field(max_length=200, pattern=f"^{Level}(/{Level})*$")] = "companion"
    username: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    password_file: FilePath | None = None
    tls: bool = True
    ca_file: FilePath | None = None
    cert_file: FilePath | None = None
    key_file: FilePath | None = None
    discovery: Annotated[str, Field(max_length=200, pattern=f"^({Level}(/{Level})*)?$")] = "homeassistant"
    commands: bool = False

    @model_validator(mode="after")
    def _together(self) -> Self:
        if not self.tls and (self.ca_file or self.cert_file or self.key_file):
            raise ValueError("certificates should come with tls = true")
        if (self.cert_file is None) != (self.key_file is None):
            raise ValueError("cert_file and key_file should both be there, or neither")
        if self.password_file is not None and self.username is None:
            raise ValueError("password_file should come with a username")
        return self

    @property
    def broker_port(self) -> int:
        """The configured port, or the default one."""
        return self.port or (TLS_PORT if self.tls else PORT)


class WebhookConfig(OutsideTable):
    """``[[webhooks]]``: a URL that receives events.

    Attributes:
        url: the target of the POST requests.
        secret_file: the signing secret: ``whsec_`` and at least 24 random bytes in base64.
        events: the types of events to send; default: all.
    """

    url: Annotated[str, Field(max_length=2000)]
    secret_file: FilePath
    events: Annotated[tuple[EventType, ...], Field(strict=False, min_length=1)] = EVENT_TYPES

    @field_validator("url")
    @classmethod
    def _an_address(cls, url: str) -> str:
        try:
            parts = urlsplit(url)
            is_one = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
        except ValueError:
            is_one = False
        if not is_one or not url.isascii() or not url.isprintable() or " " in url or parts.fragment:
            raise ValueError("this should be an address that begins with https:// or http://")
        if parts.username is not None:
            raise ValueError("this should be an address without a user and password: the receiver checks the signature")
        return url


class AlarmsConfig(OutsideTable):
    """``[alarms]``: alarm thresholds for MQTT and webhooks.

    Attributes:
        question_seconds: time that a question has been waiting for the dealer.
        camera_seconds: time without a picture.
        hold_seconds: time on hold.
        disk_mb: free disk space below which the alarm is raised.
    """

    question_seconds: Annotated[int, Field(ge=1, le=86_400)] = 60
    camera_seconds: Annotated[int, Field(ge=1, le=86_400)] = 10
    hold_seconds: Annotated[int, Field(ge=0, le=86_400)] = 300
    disk_mb: Annotated[int, Field(ge=1, le=10_000_000)] = 1000
