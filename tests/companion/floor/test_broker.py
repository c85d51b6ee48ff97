"""The house's broker: a real mosquitto, attacked with real clients. Nobody speaks for another, or listens in."""

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import paho.mqtt.client as paho
import psycopg
import pytest
from floor_wire import ServedHouse, until
from mosquitto import Client
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.properties import Properties

from companion.app.floor.client import FloorRefused
from companion.app.floor.house_broker import PASSWORD_FILE, BrokerLogin, HouseBroker, ask_login, ask_where
from companion.app.floor.membership import Membership
from companion.app.mqtt.broker import BrokerTrouble, LoginRefused
from companion.app.mqtt.check import check_broker
from companion.app.mqtt.publisher import Publisher
from companion.floor.broker.mosquitto import Mosquitto
from companion.floor.cluster import Cluster
from companion.floor.errors import FloorError


@pytest.fixture
def place() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="broker-", dir="/tmp"))  # not pytest's: mosquitto's user must get there
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


@pytest.fixture
def served(cluster: Cluster, database: str, tmp_path: Path, place: Path) -> Iterator[ServedHouse]:
    with ServedHouse(cluster, database, tmp_path / "floor") as house:
        certificate = house.folder / "https" / "table.pem"
        house.house.broker.open(Mosquitto(place / "broker", certificate, "127.0.0.1", 0))
        assert house.house.broker.trouble == ""
        yield house


def joined(served: ServedHouse, tmp_path: Path, name: str) -> Membership:
    return served.join(tmp_path / name.replace(" ", "-"), name)


def password_of(member: Membership) -> str:
    return (member.folder / PASSWORD_FILE).read_text()


class Speaker:
    """Somebody who logs in and says what it likes; `refused` has the topics that the broker did not take."""

    def __init__(self, served: ServedHouse, login: str, password: str) -> None:
        self.refused: dict[int, bool] = {}
        self.is_cut_off = False
        self._paho = paho.Client(CallbackAPIVersion.VERSION2, protocol=MQTTProtocolVersion.MQTTv5)
        self._paho.username_pw_set(login, password)
        self._paho.tls_set(str(served.authority.path))
        self._paho.on_publish = self._published
        self._paho.on_disconnect = self._gone
        self._paho.connect("127.0.0.1", served.house.broker.port or 0)
        self._paho.loop_start()
        until(self._paho.is_connected)

    def _published(self, client: object, data: object, number: int, reason: object, properties: Properties) -> None:
        self.refused[number] = reason.is_failure  # type: ignore[attr-defined]

    def _gone(self, *_: object) -> None:
        self.is_cut_off = True

    def may_say(self, topic: str) -> bool:
        number = self._paho.publish(topic, "{}", qos=1, retain=True).mid
        until(lambda: number in self.refused)
        return not self.refused[number]

    def close(self) -> None:
        self._paho.disconnect()
        self._paho.loop_stop()


@contextmanager
def speaking(served: ServedHouse, login: str, password: str) -> Iterator[Speaker]:
    speaker = Speaker(served, login, password)
    try:
        yield speaker
    finally:
        speaker.close()


def test_a_table_that_joins_is_let_in_by_itself(served: ServedHouse, tmp_path: Path):
    member = joined(served, tmp_path, "Blue table")
    login = ask_login(member)
    assert login == BrokerLogin.of(member.folder)
    assert (login.host, login.login, login.topic) == ("127.0.0.1", "table-1", "companion")
    assert "accepts the table's messages" in check_broker(login.config(member))
    for kept in ("broker.json", PASSWORD_FILE):
        assert (member.folder / kept).stat().st_mode & 0o077 == 0, f"others may read {kept}"


def test_a_table_speaks_below_its_own_topic_alone(served: ServedHouse, tmp_path: Path):
    member = joined(served, tmp_path, "Table 1")
    ask_login(member)
    ask_login(joined(served, tmp_path, "Table 2"))
    may = {
        "companion/table-1/state": True, "companion/table-1/status": True,
        "homeassistant/device/companion/table-1/config": True,
        "companion/table-2/state": False, "companion/table-2/command": False, "companion/table-11/state": False,
        "companion/house/alarm": False, "companion/house/status": False,
        "homeassistant/device/companion/table-2/config": False, "homeassistant/device/companion/house/config": False,
        "homeassistant/status": False, "elsewhere": False, "$SYS/broker/version": False,
    }  # fmt: skip
    with speaking(served, "table-1", password_of(member)) as speaker:
        assert {topic: speaker.may_say(topic) for topic in may} == may


def test_a_table_hears_its_own_commands_and_nothing_of_others(served: ServedHouse, tmp_path: Path):
    first, second = joined(served, tmp_path, "Table 1"), joined(served, tmp_path, "Table 2")
    ask_login(first)
    ask_login(second)
    port, authority = served.house.broker.port or 0, served.authority.path
    homeassistant = served.house.broker.issue_reader_login("homeassistant", "Owner")
    with (
        Client(port, ("table-1", password_of(first)), authority) as one,
        Client(port, ("table-2", password_of(second)), authority) as two,
        Client(port, ("homeassistant", homeassistant), authority) as home,
    ):
        two.publish("companion/table-2/state", '{"secret": "of table 2"}', retain=True)
        home.publish("companion/table-1/command", "hold")
        one.wait(lambda: one.last("companion/table-1/command") == "hold")
        home.wait(lambda: home.last("companion/table-2/state"))
        assert {message.topic for _, message in one.received} == {"companion/table-1/command"}
        assert not two.received


def test_home_assistant_orders_and_a_watcher_only_looks(served: ServedHouse):
    door = served.house.broker
    with speaking(served, "homeassistant", door.issue_reader_login("homeassistant", "Owner")) as home:
        assert home.may_say("companion/table-1/command")
        assert not home.may_say("companion/table-1/state")
        assert not home.may_say("companion/house/alarm")
    with speaking(served, "watcher", door.issue_reader_login("watcher", "Owner")) as watcher:
        assert not watcher.may_say("companion/table-1/command")
        assert not watcher.may_say("companion/table-1/state")
    with pytest.raises(FloorError, match="are called homeassistant, watcher"):
        door.issue_reader_login("house", "Owner")


def test_another_password_throws_out_whoever_has_the_old_one(served: ServedHouse, tmp_path: Path):
    member = joined(served, tmp_path, "Table 1")
    config = ask_login(member).config(member)
    old = password_of(member)
    with speaking(served, "table-1", old) as speaker:
        ask_login(member)
        until(lambda: speaker.is_cut_off, 10)
    assert password_of(member) != old
    assert check_broker(config)
    (member.folder / PASSWORD_FILE).write_text(old)
    with pytest.raises(LoginRefused):
        check_broker(config)


def test_joining_again_takes_the_machine_before_off_the_broker(served: ServedHouse, tmp_path: Path):
    first = joined(served, tmp_path, "Table 1")
    login = ask_login(first)
    second = served.join(tmp_path / "another machine", "Table 1")
    with pytest.raises(LoginRefused):
        check_broker(login.config(first))
    with pytest.raises(FloorRefused, match="Another machine has joined"):
        ask_login(first)
    assert check_broker(ask_login(second).config(second))


def test_access_that_the_pit_takes_away_stays_away_until_the_table_joins_again(served: ServedHouse, tmp_path: Path):
    member = joined(served, tmp_path, "Table 1")
    login = ask_login(member)
    with speaking(served, "table-1", password_of(member)) as speaker:
        served.house.broker.revoke("table-1", "Pia")
        until(lambda: speaker.is_cut_off, 10)
    with pytest.raises(LoginRefused):
        check_broker(login.config(member))
    with pytest.raises(FloorRefused, match="taken this table's access to the broker away"):
        ask_login(member)
    again = served.join(tmp_path / "Table-1", "Table 1")
    assert check_broker(ask_login(again).config(again))
    did = [(line.who, line.did) for line in served.house.audit_lines()]
    assert ("Pia", "took access to the broker away") in did
    with pytest.raises(FloorError, match="has no access"):
        served.house.broker.revoke("table-9", "Pia")


def test_nobody_comes_in_without_login_or_without_tls(served: ServedHouse, tmp_path: Path):
    member = joined(served, tmp_path, "Table 1")
    config = ask_login(member).config(member)
    with pytest.raises(BrokerTrouble, match="wants a login"):
        check_broker(config.model_copy(update={"username": None, "password_file": None}))
    with pytest.raises(BrokerTrouble):
        check_broker(config.model_copy(update={"tls": False, "ca_file": None}))
    with pytest.raises(BrokerTrouble, match="not trusted"):
        check_broker(config.model_copy(update={"ca_file": None}))


def test_the_house_keeps_hashes_alone(served: ServedHouse, tmp_path: Path, place: Path):
    member = joined(served, tmp_path, "Table 1")
    ask_login(member)
    password = password_of(member)
    assert password not in (place / "broker" / "passwords").read_text()
    with served.house.connection() as connection:
        kept = connection.execute("SELECT hash FROM floor.broker_access").fetchall()
        assert kept
        assert password not in str(kept)
        for change in ("UPDATE floor.broker_access SET hash = '$7$x'", "DELETE FROM floor.broker_access"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(change)
    with psycopg.connect(served.cluster.dsn("floor_auditor", served.database), autocommit=True) as auditor:
        assert auditor.execute("SELECT login FROM floor.broker_access").fetchall() == [("table-1",)]
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            auditor.execute("SELECT hash FROM floor.broker_access")


def test_a_broker_that_is_killed_is_started_again_with_the_same_logins(served: ServedHouse, tmp_path: Path):
    member = joined(served, tmp_path, "Table 1")
    config = ask_login(member).config(member)
    door = served.house.broker
    server = door._server
    assert server is not None
    server._process.kill()  # type: ignore[union-attr]
    server._process.wait()  # type: ignore[union-attr]
    with pytest.raises(BrokerTrouble):
        check_broker(config)
    door.look()
    assert check_broker(config)


@pytest.mark.thorough
def test_a_port_that_is_taken_is_said_and_stops_nothing(served: ServedHouse, place: Path):
    taken = served.house.broker.port
    assert taken is not None
    with ServedHouse(served.cluster, served.database, served.folder) as other:
        other.house.broker.open(Mosquitto(place / "other", served.folder / "https" / "table.pem", "127.0.0.1", taken))
        assert f"Another program uses port {taken}" in other.house.broker.trouble
        assert other.house.incidents() == []
        before = time.monotonic()
        with pytest.raises(FloorError):
            other.house.join("no code", lambda _: "")
        assert time.monotonic() - before < 2


def test_a_table_finds_the_broker_again_at_another_port(served: ServedHouse, tmp_path: Path, place: Path):
    """A floor that was started with another --broker-port told nobody: tables went on trying the old one for ever."""
    member = joined(served, tmp_path, "Table 1")
    before, password = ask_login(member), password_of(member)
    door = served.house.broker
    with HouseBroker(member, lambda config: Publisher(config, "1"), ask_every_s=0.2).start() as broker:
        until(lambda: broker.link.state == "up")
        door.close()
        until(lambda: broker.link.state == "down")
        door.open(Mosquitto(place / "moved", served.folder / "https" / "table.pem", "127.0.0.1", 0))
        assert door.port != before.port
        until(lambda: broker.link.state == "up" and broker.link.name == f"127.0.0.1:{door.port}")
    kept = BrokerLogin.of(member.folder)
    assert kept == replace(before, port=door.port or 0)
    assert password_of(member) == password, "the login counts as before"
    got = [one for one in served.house.audit_lines() if one.did == "got access to the broker"]
    assert len(got) == 1


def test_a_broker_that_is_only_away_is_waited_for(served: ServedHouse, tmp_path: Path):
    member = joined(served, tmp_path, "Table 1")
    before = ask_login(member)
    served.house.broker._server._process.kill()  # type: ignore[union-attr]
    assert ask_where(member, before) == before
    served.house.broker.close()
    with pytest.raises(FloorRefused, match="without a broker"):
        ask_where(member, before)
    assert BrokerLogin.of(member.folder) == before
