"""``[mqtt]``, ``[[webhooks]]`` and ``[alarms]``: valid settings, and errors with line and key."""

from pathlib import Path

import pytest

from companion.config.file import ConfigError, load_config
from companion.config.integrations import EVENT_TYPES
from companion.config.tables import Config
from companion.testing import INSTALLED

WHOLE = """
[mqtt]
host = "broker.lan"
table = "table-3"
topic = "casino/pit-1"
username = "table-3"
password_file = "/etc/companion/mqtt-password"
ca_file = "/etc/companion/mqtt-ca.crt"
cert_file = "/etc/companion/mqtt.crt"
key_file = "/etc/companion/mqtt.key"
discovery = ""
commands = true

[[webhooks]]
url = "https://pit.example.org/hooks/table"
secret_file = "/etc/companion/pit-secret"
events = ["alarm.raised", "alarm.cleared"]

[[webhooks]]
url = "http://ha.lan:8123/api/webhook/table"
secret_file = "/etc/companion/ha-secret"

[alarms]
question_seconds = 30
"""


def config_of(folder: Path, text: str) -> Config:
    file = folder / "companion.toml"
    file.write_text(text)
    return load_config(file, INSTALLED)[0]


def test_everything_said_arrives(tmp_path: Path) -> None:
    config = config_of(tmp_path, WHOLE)
    assert (config.mqtt.host, config.mqtt.broker_port, config.mqtt.tls) == ("broker.lan", 8883, True)
    assert [hook.events for hook in config.webhooks] == [("alarm.raised", "alarm.cleared"), EVENT_TYPES]
    assert (config.alarms.question_seconds, config.alarms.hold_seconds) == (30, 300)


def test_without_a_word_nothing_is_told_and_nothing_taken(tmp_path: Path) -> None:
    config = config_of(tmp_path, "")
    assert (config.mqtt.host, config.mqtt.commands, config.webhooks) == (None, False, [])
    assert config_of(tmp_path, '[mqtt]\nhost = "x"\ntls = false').mqtt.broker_port == 1883


MQTT = '[mqtt]\nhost = "x"\n'
HOOK = '[[webhooks]]\nurl = "https://x/"\nsecret_file = "/s"\n'


def hook_to(url: str) -> str:
    return f'[[webhooks]]\nurl = "{url}"\nsecret_file = "/s"'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[mqtt]\nhost = ""', "line 2: mqtt.host: "),
        ('[mqtt]\nhost = "a b"', "line 2: mqtt.host: "),
        (MQTT + 'table = "table/1"', "line 3: mqtt.table: "),
        (MQTT + 'table = "#"', "line 3: mqtt.table: "),
        (MQTT + 'table = "table 1"', "line 3: mqtt.table: "),
        (MQTT + 'topic = "/casino"', "line 3: mqtt.topic: "),
        (MQTT + 'topic = "$SYS"', "line 3: mqtt.topic: "),
        (MQTT + 'discovery = "+"', "line 3: mqtt.discovery: "),
        (MQTT + "port = 0", "line 3: mqtt.port: "),
        (MQTT + 'password = "hunter2"', "mqtt.password: there is no such key. Did you mean 'password_file'?"),
        (MQTT + 'username = "x"\npassword_file = "p"', "line 4: mqtt.password_file: this should be a whole path"),
        (MQTT + 'password_file = "/p"', "password_file should come with a username"),
        (MQTT + 'tls = false\nca_file = "/c"', "certificates should come with tls = true"),
        (MQTT + 'cert_file = "/c"', "cert_file and key_file should both be there, or neither"),
        ('[[webhooks]]\nurl = "https://x/"', "line 1: webhooks.1.secret_file: this is needed. Add it."),
        (hook_to("ftp://x/"), "line 2: webhooks.1.url: this should be an address that begins with https://"),
        (hook_to("https:///x"), "line 2: webhooks.1.url: "),
        (hook_to("https://u:p@x/"), "without a user and password"),
        (hook_to("https://x:99999/"), "line 2: webhooks.1.url: "),
        (HOOK + 'events = ["round"]', "line 4: webhooks.1.events"),
        (HOOK + "events = []", "line 4: webhooks.1.events"),
        (HOOK + 'secret = "s"', "line 4: webhooks.1.secret: there is no such key."),
        ("[alarms]\nquestion_seconds = 0", "line 2: alarms.question_seconds: "),
        ("[alarms]\nquestion = 5", "line 2: alarms.question: there is no such key. Did you mean 'question_seconds'?"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigError) as found:
        config_of(tmp_path, text)
    assert said in found.value.message


def test_a_password_in_the_wrong_place_is_not_repeated(tmp_path: Path) -> None:
    """Error messages are logged, so they must not contain the password."""
    with pytest.raises(ConfigError) as found:
        config_of(tmp_path, '[mqtt]\nhost = "x"\npassword = "hunter2"')
    assert "hunter2" not in found.value.message
    with pytest.raises(ConfigError) as found:
        config_of(tmp_path, hook_to("https://u:hunter2@x/"))
    assert "hunter2" not in found.value.message
