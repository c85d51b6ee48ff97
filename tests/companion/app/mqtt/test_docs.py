"""docs/mqtt.md is up to date: its examples, its settings, and its instructions for setting up a broker."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from mosquitto import Client, Mosquitto
from mqtt_words import ROOT, config_for, running
from told import told

from companion.app.integrations.alarms import ALARMS
from companion.app.mqtt.topics import Topics
from companion.config.file import parse_config
from companion.config.integrations import EVENT_TYPES, MqttConfig
from companion.testing import INSTALLED

REPOSITORY = Path(__file__).parents[4]
PAGE = (REPOSITORY / "docs" / "mqtt.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def section(heading: str) -> str:
    """Return the section under a heading."""
    return re.split(r"^#+ ", PAGE.partition(f"# {heading}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]


@pytest.fixture(scope="module")
def reality(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return told(tmp_path_factory.mktemp("evening"))


@pytest.mark.parametrize("part", ["state", "bets", "question", "health", "alarm"])
def test_each_topics_example_is_what_is_published(part: str, reality: dict[str, Any]) -> None:
    found = re.search(r"^```json\n(.*?)^```", section(f"`companion/TABLE/{part}`"), re.MULTILINE | re.DOTALL)
    assert found is not None
    assert json.loads(found[1]) == reality[part]


def test_the_example_of_an_event_is_what_is_published(reality: dict[str, Any]) -> None:
    assert json.loads(blocks("json")[-1]) == reality["announcement"]


@pytest.mark.parametrize("kind", EVENT_TYPES)
def test_each_type_of_event_is_told_with_its_data(kind: str, reality: dict[str, Any]) -> None:
    found = re.search(rf"^\| `{re.escape(kind)}` \|.*\| `(\{{.*\}})` \|$", PAGE, re.MULTILINE)
    assert found is not None
    common = {name: reality[kind]["data"][name] for name in ("table", "game", "seq")}
    assert {**common, **json.loads(found[1])} == reality[kind]["data"]


def test_every_topic_and_alarm_has_its_words() -> None:
    topics = Topics("companion/TABLE")
    for topic in (topics.status, topics.event, topics.command):
        assert f"### `{topic}`" in PAGE
    assert re.findall(r"^\| `(\w+)` \| .*$", section("Alarms"), re.MULTILINE) == list(ALARMS)


def test_the_settings_can_be_used_as_they_stand() -> None:
    [settings] = blocks("toml")
    config, _ = parse_config(Path("docs/mqtt.md"), settings, INSTALLED)
    assert config.mqtt == MqttConfig(
        host="broker.lan", username="table-1", password_file="/etc/companion/mqtt-password", port=8883,
        ca_file="/etc/companion/mqtt-ca.crt",
    )  # fmt: skip
    assert len(config.webhooks) == 1
    told_of = {line.partition(" =")[0].strip("# ") for line in settings.split("[mqtt]")[1].splitlines()}
    named = set(MqttConfig.model_fields) - {"cert_file", "key_file"}
    assert named <= told_of


@pytest.mark.thorough
def test_the_recipe_makes_a_broker_that_tables_can_use(tmp_path: Path) -> None:
    """Its commands are run verbatim, with the shipped settings and access list."""
    certificates, passwords = blocks("sh")
    environment = {**os.environ, "BROKER": "localhost"}
    for commands in (certificates, passwords):
        subprocess.run(["bash", "-euc", commands], cwd=tmp_path, env=environment, check=True, capture_output=True)
    shipped = REPOSITORY / "systemd" / "mosquitto"
    (tmp_path / "companion.acl").write_text((shipped / "companion.acl").read_text())
    (tmp_path / "companion.acl").chmod(0o600)
    settings = (shipped / "companion.conf").read_text()
    lines = [line for line in settings.splitlines() if line and not line.startswith(("#", "listener"))]
    placed = [re.sub(r"/etc/mosquitto/(certs/)?", f"{tmp_path}/", line) for line in lines]
    with Mosquitto(tmp_path, placed) as broker:
        config = config_for(
            broker.port, host="localhost", tls=True, ca_file=str(tmp_path / "ca.crt"), username="table-1",
            password_file=str(tmp_path / "table-1.password"), commands=True,
        )  # fmt: skip
        home = "homeassistant", (tmp_path / "homeassistant.password").read_text().strip()
        with (
            running(tmp_path / "data", config) as table,
            Client(broker.port, home, tmp_path / "ca.crt", "localhost") as reader,
        ):
            reader.wait(lambda: reader.last(f"{ROOT}/state"))
            reader.publish(f"{ROOT}/command", "hold")
            reader.wait(lambda: reader.field(f"{ROOT}/state", "hold"))
            assert (table.link.state, table.link.trouble) == ("up", "")
