"""TLS, passwords, the client certificate and the shipped access list, on a real broker, right and wrong."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from certificates import Authority
from mosquitto import Client, Mosquitto, free_port
from mqtt_words import PASSWORD, ROOT, config_for, running

from companion.app.mqtt.broker import BrokerTrouble
from companion.app.mqtt.check import check_broker
from companion.config.integrations import MqttConfig
from companion.locale import Translator

ACL = Path(__file__).parents[4] / "systemd" / "mosquitto" / "companion.acl"
USERS = {"table-1": "one secret", "table-2": "another", "homeassistant": "a third", "watcher": "a fourth"}


@pytest.fixture
def passwords(tmp_path: Path) -> Path:
    file = tmp_path / "passwords"
    file.write_text("")
    file.chmod(0o600)
    for user, password in USERS.items():
        subprocess.run(["mosquitto_passwd", "-b", str(file), user, password], check=True, capture_output=True)
    return file


@pytest.fixture
def closed(tmp_path: Path, passwords: Path) -> Iterator[Mosquitto]:
    """A broker with the shipped access list, without TLS."""
    acl = tmp_path / "companion.acl"
    acl.write_text(ACL.read_text())
    acl.chmod(0o600)
    with Mosquitto(tmp_path, ("allow_anonymous false", f"password_file {passwords}", f"acl_file {acl}")) as running:
        yield running


def login(tmp_path: Path, user: str = "table-1", password: str | None = None) -> dict[str, str]:
    file = tmp_path / f"password-of-{user}"
    file.write_text(f"{USERS[user] if password is None else password}\n")
    return {"username": user, "password_file": str(file)}


def trouble(config: MqttConfig) -> str:
    with pytest.raises(BrokerTrouble) as found:
        check_broker(config)
    return found.value.message


# ---- passwords and the access list


def test_a_table_logs_in_with_its_own_password(tmp_path: Path, closed: Mosquitto) -> None:
    config = config_for(closed.port, commands=True, **login(tmp_path))
    assert "accepts the table's messages" in check_broker(config)
    with running(tmp_path, config) as table, Client(closed.port, ("homeassistant", USERS["homeassistant"])) as home:
        home.wait(lambda: home.last(f"{ROOT}/state") and home.last("homeassistant/device/companion/table-1/config"))
        home.publish(f"{ROOT}/command", "hold")
        home.wait(lambda: home.field(f"{ROOT}/state", "hold"))
        assert (table.link.state, table.link.trouble) == ("up", "")
        everything = b"".join(message.topic.encode() + message.payload for _, message in home.received)
        assert USERS["table-1"].encode() not in everything


def test_a_watcher_sees_everything_and_asks_for_nothing(tmp_path: Path, closed: Mosquitto) -> None:
    config = config_for(closed.port, commands=True, **login(tmp_path))
    with running(tmp_path, config) as table, Client(closed.port, ("watcher", USERS["watcher"])) as watcher:
        watcher.wait(lambda: watcher.last(f"{ROOT}/state"))
        watcher.publish(f"{ROOT}/command", "hold")
        table.bet()
        watcher.wait(lambda: watcher.field(f"{ROOT}/state", "staked") == 1)
        assert table.sources() == [("bet", "dealer")]


def test_no_table_speaks_for_another(tmp_path: Path, closed: Mosquitto) -> None:
    config = config_for(closed.port, **login(tmp_path, "table-2"))
    assert trouble(config) == (
        "The broker does not accept messages to companion/table-1/doctor: Not authorized. Give table-2 the right to "
        "write there."
    )
    with running(tmp_path, config) as table, Client(closed.port, ("watcher", USERS["watcher"])) as watcher:
        own = config_for(closed.port, table="table-2", **login(tmp_path, "table-2"))
        with running(tmp_path / "2", own):
            watcher.wait(lambda: watcher.last("companion/table-2/state"))
            assert watcher.last(f"{ROOT}/state") is None
            refused = "The broker refuses what is sent to companion/table-1/alarm, "
            watcher.wait(lambda: str(table.link.trouble).startswith(refused))  # one topic after another


def test_a_wrong_password(tmp_path: Path, closed: Mosquitto) -> None:
    config = config_for(closed.port, **login(tmp_path, password="guessed"))
    assert trouble(config) == (
        "The broker does not let table-1 in: Not authorized. Check username and password_file in [mqtt]."
    )


def test_no_login_where_one_is_wanted(closed: Mosquitto) -> None:
    assert trouble(config_for(closed.port)) == ("The broker wants a login. Name username and password_file in [mqtt].")


def test_a_password_from_the_environment(closed: Mosquitto, monkeypatch: pytest.MonkeyPatch) -> None:
    config = config_for(closed.port, username="table-1")
    monkeypatch.delenv(PASSWORD, raising=False)
    assert trouble(config) == (
        "There is no password for the broker. Name its file as password_file in [mqtt], or set COMPANION_MQTT_PASSWORD."
    )
    monkeypatch.setenv(PASSWORD, USERS["table-1"])
    assert check_broker(config)


def test_a_password_file_that_is_not_there(closed: Mosquitto) -> None:
    config = config_for(closed.port, username="table-1", password_file="/nowhere/password")
    assert trouble(config) == (
        "/nowhere/password cannot be used: No such file or directory. Correct it in [mqtt], and give the table's user "
        "the right to read it."
    )


def test_a_host_that_is_not_there_and_a_port_where_nobody_listens() -> None:
    assert trouble(MqttConfig(host="broker.invalid", tls=False)) == (
        "There is no host broker.invalid. Check host in [mqtt], and the network's name service."
    )
    assert "There is no host a..b" in trouble(MqttConfig(host="a..b", tls=False))
    port = free_port()
    assert trouble(config_for(port)) == (
        f"127.0.0.1 cannot be reached on port {port}: Connection refused. Check that the broker runs and listens there."
    )


@pytest.mark.parametrize(
    ("language", "refused", "nobody"),
    [("de", "keine Berechtigung", "Verbindung abgelehnt"), ("es", "sin autorización", "conexión rechazada")],
)
def test_why_is_said_in_the_language_of_the_page(
    tmp_path: Path, closed: Mosquitto, language: str, refused: str, nobody: str
) -> None:
    """Regression: reasons from the broker, the network and the disk were in English within a translated sentence."""
    say = Translator(())
    assert refused in say(trouble(config_for(closed.port, **login(tmp_path, password="guessed"))), language)
    assert nobody in say(trouble(config_for(free_port())), language)
    missing = config_for(closed.port, username="table-1", password_file="/nowhere/password")
    assert "No such" not in say(trouble(missing), language)


# ---- TLS


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path / "ca")


@pytest.fixture
def secured(tmp_path: Path, authority: Authority) -> Iterator[Mosquitto]:
    with Mosquitto(tmp_path, _tls_lines(authority)) as running:
        yield running


def _tls_lines(authority: Authority) -> tuple[str, ...]:
    certificate, key = authority.issue("broker", "127.0.0.1")
    return ("allow_anonymous true", f"cafile {authority.file}", f"certfile {certificate}", f"keyfile {key}")


def with_tls(port: int, **more: object) -> MqttConfig:
    return config_for(port, **{"tls": True, **more})


def test_a_table_speaks_tls(tmp_path: Path, authority: Authority, secured: Mosquitto) -> None:
    config = with_tls(secured.port, ca_file=str(authority.file))
    assert check_broker(config).endswith("TLS, accepts the table's messages")
    with running(tmp_path, config) as table, Client(secured.port, ca_file=authority.file) as reader:
        for _ in range(30):
            table.bet()
        reader.wait(lambda: reader.field(f"{ROOT}/state", "staked") == 30)
        reader.wait(lambda: len(reader.of(f"{ROOT}/event")) == 30)


@pytest.mark.thorough
def test_a_broker_with_tls_that_is_killed_and_comes_back(
    tmp_path: Path, authority: Authority, secured: Mosquitto
) -> None:
    config = with_tls(secured.port, ca_file=str(authority.file))
    with running(tmp_path, config) as table:
        with Client(secured.port, ca_file=authority.file) as reader:
            reader.wait(lambda: reader.last(f"{ROOT}/alarm"))
        secured.kill()
        table.do(do="hold")
        secured.start()
        with Client(secured.port, ca_file=authority.file) as reader:
            reader.wait(lambda: reader.field(f"{ROOT}/state", "hold"))


def test_a_certificate_of_somebody_else(tmp_path: Path, secured: Mosquitto) -> None:
    other = Authority(tmp_path / "other", "Another authority")
    assert "The certificate of 127.0.0.1 is not trusted" in trouble(with_tls(secured.port, ca_file=str(other.file)))
    assert "Name the authority that has signed it as ca_file" in trouble(with_tls(secured.port))


def test_a_certificate_for_another_host(tmp_path: Path, authority: Authority) -> None:
    certificate, key = authority.issue("elsewhere", "10.9.8.7")
    lines = ("allow_anonymous true", f"certfile {certificate}", f"keyfile {key}")
    with Mosquitto(tmp_path, lines) as broker:
        said = trouble(with_tls(broker.port, ca_file=str(authority.file)))
    assert "IP address mismatch" in said


def test_tls_where_there_is_none_and_none_where_there_is(
    tmp_path: Path, broker: Mosquitto, secured: Mosquitto, authority: Authority
) -> None:
    assert "does not speak TLS" in trouble(with_tls(broker.port, ca_file=str(authority.file)))
    assert "whether it wants TLS" in trouble(config_for(secured.port))


def test_a_broker_that_asks_for_the_tables_certificate(tmp_path: Path, authority: Authority) -> None:
    lines = (*_tls_lines(authority), "require_certificate true")
    certificate, key = (str(file) for file in authority.issue("table-1"))
    with Mosquitto(tmp_path, lines) as broker:
        config = with_tls(broker.port, ca_file=str(authority.file))
        assert "a certificate of the table" in trouble(config) or "certificate required" in trouble(config).lower()
        shown = with_tls(broker.port, ca_file=str(authority.file), cert_file=certificate, key_file=key)
        assert check_broker(shown)
        wrong = with_tls(broker.port, ca_file=str(authority.file), cert_file=certificate, key_file=certificate)
        assert "cannot be used" in trouble(wrong)


def test_an_authority_that_cannot_be_read(secured: Mosquitto, tmp_path: Path) -> None:
    empty = tmp_path / "empty.crt"
    empty.write_text("no certificate")
    assert f"{empty} cannot be used" in trouble(with_tls(secured.port, ca_file=str(empty)))
