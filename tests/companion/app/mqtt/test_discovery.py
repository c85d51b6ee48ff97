"""The Home Assistant device: its topics exist, and its templates give the right states."""

import json
import re
from itertools import product
from typing import Any

import pytest
from jinja2 import Environment

from companion.app.integrations.alarms import ALARMS
from companion.app.mqtt.discovery import discovery_json, discovery_topic
from companion.app.mqtt.topics import Topics
from companion.config.integrations import MqttConfig

CONFIG = MqttConfig(host="broker", table="table-3")
PARTS = ("state", "bets", "question", "health", "alarm")

STATE = {"phase": "betting", "hold": None, "game": "roche", "rounds": 4, "on_table": 200, "in_play": 7,
         "players": [{"name": "Ann"}, {"name": "Bo"}]}  # fmt: skip


def components(**more: Any) -> dict[str, dict[str, Any]]:
    """Return the device's components, without those that are only listed to be removed."""
    found: dict[str, dict[str, Any]] = discovery_json(CONFIG.model_copy(update=more), "1.2")["components"]
    return {name: one for name, one in found.items() if set(one) != {"platform"}}


def shown(name: str, payload: dict[str, Any]) -> str:
    """Render a value template like Home Assistant, which uses Jinja."""
    return Environment().from_string(components()[name]["value_template"]).render(value_json=payload)


def test_the_device_has_what_home_assistant_requires() -> None:
    told = json.loads(json.dumps(discovery_json(CONFIG, "1.2")))
    assert told["device"]["identifiers"] == ["companion_table-3"]
    assert told["origin"]["name"]
    assert told["availability"] == [
        {
            "topic": "companion/table-3/status",
            "payload_available": "online",
            "payload_not_available": "offline",
        }
    ]
    named = [one["unique_id"] for one in components().values()]
    assert len(set(named)) == len(named) == len({one["name"] for one in components().values()})
    assert {one["platform"] for one in components().values()} == {"sensor", "binary_sensor"}


def test_buttons_that_were_there_are_taken_away() -> None:
    """Home Assistant removes a component that is sent with only its platform."""
    told = discovery_json(CONFIG, "1.2")["components"]
    assert {name: one for name, one in told.items() if one["platform"] == "button"} == {
        "hold": {"platform": "button"}, "release": {"platform": "button"},
    }  # fmt: skip


@pytest.mark.parametrize("topic", ["companion", "house/pit-1"])
def test_the_discovery_topic_is_as_home_assistant_matches_it(topic: str) -> None:
    """Prefix, component, an optional node and the object, of letters, digits, - and _."""
    found = discovery_topic(CONFIG.model_copy(update={"topic": topic}))
    assert re.fullmatch(r"homeassistant/device/(?:[\w-]+/)?[\w-]+/config", found)


def test_every_topic_that_is_named_is_one_that_the_table_publishes() -> None:
    topics = Topics.from_config(CONFIG)
    known = {topics.of(part) for part in PARTS}
    assert {one["state_topic"] for one in components().values()} <= known


def test_buttons_are_there_once_the_owner_allows_commands() -> None:
    buttons = {name: one for name, one in components(commands=True).items() if one["platform"] == "button"}
    assert [(one["payload_press"], one["command_topic"], one["retain"]) for one in buttons.values()] == [
        ("hold", "companion/table-3/command", False), ("release", "companion/table-3/command", False),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "payload", "value"),
    [
        ("state", STATE, "betting"),
        ("state", {**STATE, "hold": "the dealer asked for it"}, "hold"),
        ("game", STATE, "roche"),
        ("rounds", STATE, "4"),
        ("on_table", STATE, "200"),
        ("in_play", STATE, "7"),
        ("players", STATE, "2"),
        ("bets_closed", {"open": False}, "ON"),
        ("bets_closed", {"open": True}, "OFF"),
        ("bets_closed", {"open": None}, "OFF"),
        ("question", {"waiting": True}, "ON"),
        ("question", {"waiting": False}, "OFF"),
        ("panel", {"panel": "trouble"}, "ON"),
        ("panel", {"panel": "none"}, "OFF"),
        *(("camera", {"camera": status}, "ON") for status in ("poor", "lost", "ended")),
        *(("camera", {"camera": status}, "OFF") for status in ("ok", "none")),
    ],
)
def test_templates_say_what_is_so(name: str, payload: dict[str, Any], value: str) -> None:
    assert shown(name, payload) == value


def test_each_alarm_has_a_problem_of_its_own() -> None:
    for sensor, raised in product(ALARMS, ALARMS):
        found = shown(f"alarm_{sensor}", {"count": 1, "alarms": {raised: "2026-05-01T12:00:00.000Z"}})
        assert found == ("ON" if sensor == raised else "OFF")
    assert all(components()[f"alarm_{kind}"]["device_class"] == "problem" for kind in ALARMS)
