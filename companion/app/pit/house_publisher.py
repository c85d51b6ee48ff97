"""Publishes the pit's alarms to the house's broker: number and latest one, retained; and each change as an event."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Self

from companion.app.mqtt.discovery import discovery_topic
from companion.app.mqtt.publisher import Publisher
from companion.app.mqtt.topics import OFFLINE, ONLINE, Topics
from companion.app.operations.release import installed_version
from companion.config.integrations import MqttConfig
from companion.floor.alarms.store import Alarm
from companion.floor.broker.service import Login
from companion.journal.hash_chain import iso

MAX_NAMED: Final = 50
"""Most alarms listed beside their number, to bound the message size."""


def house_config(login: Login, host: str, password_file: Path, authority: Path) -> MqttConfig:
    """Return the MQTT configuration of the floor's own client."""
    return MqttConfig(
        host=host, port=login.port, table=login.login, name="House", topic=login.topic, username=login.login,
        password_file=str(password_file.absolute()), ca_file=str(authority.absolute()),
    )  # fmt: skip


class HousePublisher:
    """Publishes alarms to the house's broker. A context manager, and a listener of alarms."""

    def __init__(self, config: MqttConfig) -> None:
        quiet = config.model_copy(update={"discovery": ""})  # suppresses the discovery of a table
        self._publisher = Publisher(quiet, installed_version())
        self._publisher.keep_at(discovery_topic(config), discovery_json(config, installed_version()))

    def __enter__(self) -> Self:
        self._publisher.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._publisher.close()

    def show(self, on: Sequence[Alarm], last: Alarm | None) -> None:
        """Publish the active alarms as retained state."""
        told = {
            "count": len(on),
            "alarms": [alarm_json(alarm) for alarm in on[-MAX_NAMED:]],
            "last": None if last is None else alarm_json(last),
        }
        self._publisher.keep("alarm", told)

    def tell(self, alarm: Alarm, *, is_over: bool) -> None:
        """Publish a raised or cleared alarm as an event."""
        told = {
            "type": "alarm.cleared" if is_over else "alarm.raised",
            "timestamp": iso(datetime.now(UTC)),
            "id": f"alarm_{alarm.id}_{'cleared' if is_over else 'raised'}",
            "data": alarm_json(alarm),
        }
        self._publisher.add("event", told)


def alarm_json(alarm: Alarm) -> dict[str, object]:
    """Return an alarm's MQTT payload."""
    return {
        "table": f"table-{alarm.table_id}", "name": alarm.table, "alarm": alarm.kind, "text": alarm.text,
        "needs": [{"need": one.need, **one.values} for one in alarm.reasons],
        "since": alarm.raised, "over": alarm.cleared,
    }  # fmt: skip


def discovery_json(config: MqttConfig, version: str) -> Mapping[str, Any]:
    """Return the Home Assistant discovery of the house as a device: problem sensor, number of alarms, latest alarm."""
    topics = Topics.from_config(config)
    alarm, device = topics.of("alarm"), f"{config.topic}_{config.table}"
    components: dict[str, dict[str, Any]] = {
        "alarm": {
            "platform": "binary_sensor", "name": "Alarm", "device_class": "problem", "state_topic": alarm,
            "value_template": "{{ 'ON' if value_json.count else 'OFF' }}", "json_attributes_topic": alarm,
        },
        "alarms": {
            "platform": "sensor", "name": "Alarms", "icon": "mdi:bell-alert", "state_topic": alarm,
            "value_template": "{{ value_json.count }}", "state_class": "measurement",
        },
        "last": {
            "platform": "sensor", "name": "Last alarm", "icon": "mdi:bell", "state_topic": alarm,
            "value_template": "{% set last = value_json.last %}"
            "{{ (last.name ~ ': ' ~ last.text)[:250] if last else 'none' }}",
        },
    }  # fmt: skip
    for name, component in components.items():
        component["unique_id"] = f"{device}_{name}"
    return {
        "device": {
            "identifiers": [device], "name": "House", "manufacturer": "Table companion", "model": "Floor",
            "sw_version": version,
        },
        "origin": {"name": "table-companion", "sw_version": version},
        "availability": [
            {
                "topic": topics.status, "payload_available": ONLINE.decode(),
                "payload_not_available": OFFLINE.decode(),
            }
        ],
        "qos": 1,
        "components": components,
    }  # fmt: skip
