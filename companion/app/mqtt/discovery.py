"""The table as a Home Assistant device: one retained message that describes its sensors and buttons.

Device-based discovery, supported by Home Assistant since 2024.11:
https://www.home-assistant.io/integrations/mqtt/#device-discovery-payload
"""

from collections.abc import Mapping
from typing import Any, Final

from companion.app.integrations.alarms import ALARMS, Alarm
from companion.app.mqtt.topics import OFFLINE, ONLINE, Topics
from companion.config.integrations import MqttConfig

Component = dict[str, Any]

_ALARM_NAMES: Final[Mapping[Alarm, str]] = {
    "question": "Question waits too long",
    "camera": "Camera lost",
    "hold": "Hold lasts too long",
    "payout": "Payout disputed",
    "disk": "Disk nearly full",
    "journal": "Journal",
    "table": "Table does not respond",
}


def discovery_topic(config: MqttConfig) -> str:
    """Return this table's discovery topic. The table name is a separate level, for use in access lists."""
    return f"{config.discovery}/device/{_node(config)}/{config.table}/config"


def _node(config: MqttConfig) -> str:
    return config.topic.replace("/", "_")


def discovery_json(config: MqttConfig, version: str) -> dict[str, Any]:
    """Return the device with its sensors, and with buttons if commands are accepted."""
    topics, device = Topics.from_config(config), f"{_node(config)}_{config.table}"
    components = {**_sensors(topics), **_problems(topics), **(_buttons(topics) if config.commands else {})}
    for name, component in components.items():
        component["unique_id"] = f"{device}_{name}"
    if not config.commands:
        components |= {name: {"platform": "button"} for name in _buttons(topics)}  # removes earlier buttons
    return {
        "device": {
            "identifiers": [device],
            "name": config.name or f"Table {config.table}",
            "manufacturer": "Table companion",
            "model": "Card table",
            "sw_version": version,
        },
        "origin": {"name": "table-companion", "sw_version": version},
        "availability": [
            {
                "topic": topics.status,
                "payload_available": ONLINE.decode(),
                "payload_not_available": OFFLINE.decode(),
            }
        ],
        "qos": 1,
        "components": components,
    }


def _sensors(topics: Topics) -> dict[str, Component]:
    state = topics.of("state")
    return {
        "state": {
            "platform": "sensor", "name": "State", "icon": "mdi:cards-playing", "state_topic": state,
            "value_template": "{{ 'hold' if value_json.hold else value_json.phase }}",
            "json_attributes_topic": state,
        },
        "game": _sensor("Game", state, "{{ value_json.game }}", "mdi:dice-multiple"),
        "rounds": _sensor("Rounds", state, "{{ value_json.rounds }}", "mdi:counter", state_class="total_increasing"),
        "on_table": _coins("Coins on the table", state, "{{ value_json.on_table }}"),
        "in_play": _coins("Coins in play", state, "{{ value_json.in_play }}"),
        "players": _sensor("Players", state, "{{ value_json.players | count }}", "mdi:account-group"),
        "bets_closed": _binary(
            "Bets closed", topics.of("bets"), "{{ 'ON' if value_json.open == false else 'OFF' }}", icon="mdi:hand-coin"
        ),
        "question": _binary(
            "Question waiting", topics.of("question"), "{{ 'ON' if value_json.waiting else 'OFF' }}",
            icon="mdi:help-circle", json_attributes_topic=topics.of("question"),
        ),
    }  # fmt: skip


def _problems(topics: Topics) -> dict[str, Component]:
    """Return the problem sensors: health of camera and panel, and each alarm."""
    health, alarm = topics.of("health"), topics.of("alarm")
    found = {
        "camera": _problem("Camera", health, "{{ 'OFF' if value_json.camera in ('ok', 'none') else 'ON' }}"),
        "panel": _problem("Panel", health, "{{ 'ON' if value_json.panel == 'trouble' else 'OFF' }}"),
    }
    for kind in ALARMS:
        template = f"{{{{ 'ON' if '{kind}' in value_json.alarms else 'OFF' }}}}"
        found[f"alarm_{kind}"] = _problem(_ALARM_NAMES[kind], alarm, template)
    return found


def _buttons(topics: Topics) -> dict[str, Component]:
    return {
        command: {
            "platform": "button", "name": name, "icon": icon,
            "command_topic": topics.command, "payload_press": command, "retain": False,
        }
        for command, name, icon in (("hold", "Hold", "mdi:pause-octagon"), ("release", "Release", "mdi:play-circle"))
    }  # fmt: skip


def _sensor(name: str, topic: str, template: str, icon: str, **more: object) -> Component:
    return {
        "platform": "sensor", "name": name, "state_topic": topic, "value_template": template, "icon": icon, **more,
    }  # fmt: skip


def _coins(name: str, topic: str, template: str) -> Component:
    return _sensor(name, topic, template, "mdi:poker-chip", state_class="measurement", unit_of_measurement="coins")


def _binary(name: str, topic: str, template: str, **more: object) -> Component:
    return {"platform": "binary_sensor", "name": name, "state_topic": topic, "value_template": template, **more}


def _problem(name: str, topic: str, template: str) -> Component:
    return _binary(name, topic, template, device_class="problem", entity_category="diagnostic")
