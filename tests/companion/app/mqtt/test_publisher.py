"""The table on a real broker: retained messages, crashes of broker or table, and permitted commands."""

import random
import socket
import subprocess
import sys
import threading
import time
from importlib import metadata
from pathlib import Path

import pytest
from mosquitto import Client, Mosquitto, free_port
from mqtt_words import ROCHE, ROOT, config_for, running

from companion.config.integrations import AlarmsConfig

DEVICE = "homeassistant/device/companion/table-1/config"
PARTS = ("state", "bets", "question", "health", "alarm")


def test_the_broker_keeps_the_tables_picture(tmp_path: Path, broker: Mosquitto) -> None:
    """A later subscriber gets the whole state immediately, flagged as retained."""
    with running(tmp_path, config_for(broker.port)) as table:
        with Client(broker.port) as early:
            table.bet(5)
            early.wait(lambda: early.field(f"{ROOT}/state", "staked") == 5)
            early.wait(lambda: early.last(f"{ROOT}/event"))
        with Client(broker.port) as late:
            late.wait(lambda: all(late.last(f"{ROOT}/{part}") for part in (*PARTS, "status")) and late.last(DEVICE))
            kept = {message.topic: message for _, message in late.received}
            assert late.field(f"{ROOT}/state", "on_table") == 100_100
            assert late.last(f"{ROOT}/status") == "online"
            assert all(message.retain and message.qos == 1 for message in kept.values())
            assert f"{ROOT}/event" not in kept
            assert set(kept) == {
                *(f"{ROOT}/{part}" for part in (*PARTS, "status")), DEVICE,
            }  # fmt: skip


def test_only_what_differs_is_sent(tmp_path: Path, broker: Mosquitto, reader: Client) -> None:
    with running(tmp_path, config_for(broker.port)) as table:
        reader.wait(lambda: reader.last(f"{ROOT}/alarm"))
        for _ in range(3):
            table.bet()
        reader.wait(lambda: reader.field(f"{ROOT}/state", "staked") == 3)
        assert [len(reader.of(f"{ROOT}/{part}")) for part in ("bets", "question", "alarm", "status")] == [1, 1, 1, 1]


def test_the_table_says_farewell_and_stays_offline(tmp_path: Path, broker: Mosquitto, reader: Client) -> None:
    with running(tmp_path, config_for(broker.port)):
        reader.wait(lambda: reader.last(f"{ROOT}/status") == "online")
    reader.wait(lambda: reader.last(f"{ROOT}/status") == "offline")
    with Client(broker.port) as late:
        late.wait(lambda: late.last(f"{ROOT}/status") == "offline")


_TABLE = """
import sys, time
from pathlib import Path
sys.path.insert(0, {here!r})
from mqtt_words import config_for, running
with running(Path({folder!r}), config_for({port})):
    time.sleep(60)
"""


@pytest.mark.thorough
def test_a_killed_table_is_offline_by_its_last_will(tmp_path: Path, broker: Mosquitto, reader: Client) -> None:
    code = _TABLE.format(here=str(Path(__file__).parent), folder=str(tmp_path / "data"), port=broker.port)
    process = subprocess.Popen([sys.executable, "-c", code])
    try:
        reader.wait(lambda: reader.last(f"{ROOT}/status") == "online", 30)
    finally:
        process.kill()
        process.wait()
    reader.wait(lambda: reader.last(f"{ROOT}/status") == "offline")


def test_a_broker_that_was_killed_has_everything_again(tmp_path: Path, broker: Mosquitto) -> None:
    """It has lost all retained messages; events of the meantime are delivered late, in order."""
    with running(tmp_path, config_for(broker.port)) as table, Client(broker.port) as first:
        first.wait(lambda: first.last(f"{ROOT}/alarm"))
        broker.kill()
        table.bet(3)
        table.do(do="hold")
        time.sleep(0.2)
        assert table.link.state == "down"
        assert "Check" in table.link.trouble
        broker.start()
        with Client(broker.port) as reader:
            reader.wait(lambda: all(reader.last(f"{ROOT}/{part}") for part in (*PARTS, "status")))
            reader.wait(lambda: len(reader.of(f"{ROOT}/event")) >= 3)
            state = reader.last(f"{ROOT}/state")
            assert (state["staked"], state["hold"], reader.field(f"{ROOT}/bets", "open")) == (
                3, "the dealer asked for it", False,
            )  # fmt: skip
            assert [one["type"] for one in reader.of(f"{ROOT}/event")] == [
                "announcement", "announcement", "table.held",
            ]  # fmt: skip
            assert reader.last(f"{ROOT}/status") == "online"
            assert (table.link.state, table.link.trouble) == ("up", "")


@pytest.mark.thorough
def test_a_broker_that_is_killed_again_and_again_has_the_newest_picture_each_time(
    tmp_path: Path, broker: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("companion.app.mqtt.publisher.LONGEST_WAIT_S", 1.0)
    rng = random.Random(7)
    with running(tmp_path, config_for(broker.port)) as table:
        staked = 0
        for _ in range(8):
            for _ in range(rng.randrange(1, 20)):
                table.bet()
                staked += 1
                time.sleep(rng.random() / 50)
            broker.kill()
            table.bet()
            staked += 1
            broker.start()
            with Client(broker.port) as reader:
                reader.wait(lambda now=staked: reader.field(f"{ROOT}/state", "staked") == now, 90)
                reader.wait(
                    lambda: all(reader.last(f"{ROOT}/{part}") for part in (*PARTS, "status")) and reader.last(DEVICE)
                )
        assert table.link.state == "up"


def test_a_table_that_starts_without_its_broker_finds_it_later(tmp_path: Path) -> None:
    broker = Mosquitto(tmp_path)
    with running(tmp_path, config_for(broker.port)) as table:
        table.bet()
        time.sleep(0.1)
        assert table.link.state == "down"
        assert "cannot be reached" in table.link.trouble
        with broker, Client(broker.port) as reader:
            reader.wait(lambda: reader.last(f"{ROOT}/state"))


def test_a_frozen_broker_delays_nobody_and_lets_nothing_grow(tmp_path: Path, broker: Mosquitto) -> None:
    """Its connections stay open but do not respond. After it resumes, it gets the newest snapshot."""
    with running(tmp_path, config_for(broker.port)) as table, Client(broker.port) as reader:
        reader.wait(lambda: reader.last(f"{ROOT}/alarm"))
        broker.freeze()
        slowest = 0.0
        for _ in range(100):
            began = time.perf_counter()
            table.bet()
            slowest = max(slowest, time.perf_counter() - began)
        table.do(do="hold")
        broker.thaw()
        reader.wait(lambda: reader.field(f"{ROOT}/state", "hold"))
        assert slowest < 4.0  # a busy disk's; whoever waits for the broker waits longer
        assert reader.field(f"{ROOT}/state", "staked") == 100
        reader.wait(lambda: reader.of(f"{ROOT}/event")[-1]["type"] == "table.held")
        told = [one["data"]["seq"] for one in reader.of(f"{ROOT}/event") if one["type"] == "announcement"]
        assert told == list(range(2, 103))
        assert len(reader.of(f"{ROOT}/state")) < 20


def test_something_that_is_no_broker(tmp_path: Path) -> None:
    """It accepts the connection but never responds."""
    with socket.create_server(("127.0.0.1", 0)) as mute:
        with running(tmp_path, config_for(mute.getsockname()[1])) as table:
            began = time.monotonic()
            for _ in range(20):
                table.bet()
            assert time.monotonic() - began < 4.0
        assert time.monotonic() - began < 5.0  # its silence alone is waited for longer


def test_two_tables_of_one_name_are_told_so(tmp_path: Path, broker: Mosquitto) -> None:
    """An older mosquitto only closes the first connection."""
    with running(tmp_path / "1", config_for(broker.port)) as one, Client(broker.port) as reader:
        reader.wait(lambda: reader.last(f"{ROOT}/status") == "online")
        with running(tmp_path / "2", config_for(broker.port)):
            reader.wait(lambda: one.link.state == "down")
            assert "no other table there is called table-1" in one.link.trouble


def test_a_newer_broker_says_that_there_are_two_of_one_name(tmp_path: Path) -> None:
    taken_over = bytes([0x20, 3, 0, 0, 0]), bytes([0xE0, 1, 0x8E])  # CONNACK, DISCONNECT: session taken over
    with (
        socket.create_server(("127.0.0.1", 0)) as says_so,
        running(tmp_path, config_for(says_so.getsockname()[1])) as table,
    ):
        line, _ = says_so.accept()
        with line:
            line.recv(4096)
            for packet in taken_over:
                line.sendall(packet)
            ends = time.monotonic() + 10
            while table.link.state != "down":
                assert time.monotonic() < ends
                time.sleep(0.01)
        assert table.link.trouble == (
            "Another table connects to the broker as table-1. Give each its own name: table in [mqtt]."
        )


def test_an_alarm_reaches_the_broker(tmp_path: Path, broker: Mosquitto, reader: Client) -> None:
    with running(tmp_path, config_for(broker.port), alarms=AlarmsConfig(hold_seconds=0)) as table:
        table.do(do="hold")
        reader.wait(lambda: "hold" in (reader.field(f"{ROOT}/alarm", "alarms") or ()))
        table.do(do="release")
        reader.wait(lambda: reader.field(f"{ROOT}/alarm", "count") == 0)


# ---- commands


def test_hold_and_release_are_the_dealers_commands(tmp_path: Path, broker: Mosquitto, reader: Client) -> None:
    with running(tmp_path, config_for(broker.port, commands=True)) as table:
        reader.wait(lambda: reader.last(f"{ROOT}/status") == "online")
        reader.publish(f"{ROOT}/command", "hold")
        reader.wait(lambda: reader.field(f"{ROOT}/state", "hold"))
        assert table.service.view("room")["hold"] == "the dealer asked for it"
        reader.publish(f"{ROOT}/command", "release")
        reader.wait(lambda: not reader.field(f"{ROOT}/state", "hold"))
        assert table.sources() == [("hold", "mqtt"), ("release", "mqtt")]


def test_nothing_else_is_carried_out(tmp_path: Path, broker: Mosquitto, reader: Client) -> None:
    with running(tmp_path, config_for(broker.port, commands=True)) as table:
        reader.wait(lambda: reader.last(f"{ROOT}/status") == "online")
        for text in ('{"do": "hold"}', "undo", "HOLD", "", "hold " * 20_000, '{"do":"cash-out","player":"Ann"}'):
            reader.publish(f"{ROOT}/command", text)
        reader.publish(f"{ROOT}/command", "release")
        reader.wait(lambda: [one for one in reader.of(f"{ROOT}/event") if one["type"] == "command.refused"])
        refused = [one["data"] for one in reader.of(f"{ROOT}/event") if one["type"] == "command.refused"]
        assert [(data["command"], data["text"]) for data in refused] == [
            ("release", "The table is not on hold. There is nothing to release.")
        ]
        assert table.sources() == []


def test_a_disputed_payout_is_not_released_from_afar(
    tmp_path: Path, broker: Mosquitto, reader: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Releasing it makes the payout, so a person has to compare both settlements first."""
    with running(tmp_path, config_for(broker.port, commands=True)) as table:
        reader.wait(lambda: reader.last(f"{ROOT}/status") == "online")
        monkeypatch.setattr(type(ROCHE.rules), "audit", lambda *_: ("Ann wins 8, not 9",))
        table.bet()
        reader.wait(lambda: "payout" in (reader.field(f"{ROOT}/alarm", "alarms") or ()))
        reader.publish(f"{ROOT}/command", "release")
        reader.wait(lambda: [one for one in reader.of(f"{ROOT}/event") if one["type"] == "command.refused"])
        assert table.service.view("room")["hold"]
        table.do(do="release")
        assert not table.service.view("room")["hold"]


def test_a_command_that_the_broker_keeps_is_not_given_again(tmp_path: Path, broker: Mosquitto) -> None:
    """Otherwise every reconnection would put the table on hold again."""
    with Client(broker.port) as reader:
        reader.publish(f"{ROOT}/command", "hold", retain=True)
        with running(tmp_path, config_for(broker.port, commands=True)) as table:
            reader.wait(lambda: reader.last(f"{ROOT}/status") == "online")
            reader.publish(f"{ROOT}/command", "release")
            reader.wait(lambda: [one for one in reader.of(f"{ROOT}/event") if one["type"] == "command.refused"])
            assert table.sources() == []


def test_without_the_owners_word_nobody_listens(tmp_path: Path, broker: Mosquitto, reader: Client) -> None:
    with running(tmp_path, config_for(broker.port)) as table:
        reader.wait(lambda: reader.last(f"{ROOT}/status") == "online")
        reader.publish(f"{ROOT}/command", "hold")
        table.bet()
        reader.wait(lambda: reader.field(f"{ROOT}/state", "staked") == 1)
        time.sleep(0.2)
        assert table.sources() == [("bet", "dealer")]
        config = reader.last(DEVICE)
        assert not [one for one in config["components"].values() if "command_topic" in one]


# ---- a table without all this

_WITHOUT = """
import sys, threading
from pathlib import Path
from contextlib import ExitStack
import companion.cli.run
from companion.app.integrations.wiring import start_integrations
from companion.config.tables import Config
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header
with ExitStack() as stack:
    service = stack.enter_context(TableService.open(Path(sys.argv[1]) / "j.db", new_header("roche"), INSTALLED))
    links = start_integrations(stack, Config(), Path(sys.argv[1]), service, None)
    assert links() == []
    assert not {"outside", "mqtt"} & {thread.name for thread in threading.enumerate()}
assert not [name for name in sys.modules if name.startswith(("paho", "companion.app.mqtt."))], "imported"
"""


def test_a_table_without_the_setting_imports_and_starts_none_of_it(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", _WITHOUT, str(tmp_path)], check=True, timeout=60)


@pytest.mark.parametrize("installed", [None, "1.6.1", "?"])
def test_a_table_without_the_extra_opens_and_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installed: str | None
) -> None:
    """Nor does an older one of the system's help, which a Pi's environment sees."""

    def version(name: str) -> str:
        if installed is None:
            raise metadata.PackageNotFoundError(name)
        return installed

    monkeypatch.setattr("companion.app.integrations.wiring.metadata.version", version)
    with running(tmp_path, config_for(free_port())) as table:
        table.bet()
        assert (table.link.state, table.link.trouble) == (
            "down", f"The program for MQTT is not installed. Run: {sys.executable} -m pip install paho-mqtt",
        )  # fmt: skip


def test_no_thread_is_left_behind(tmp_path: Path, broker: Mosquitto, reader: Client) -> None:
    with running(tmp_path, config_for(broker.port, commands=True)):
        reader.wait(lambda: reader.last(f"{ROOT}/status") == "online")
    ends = time.monotonic() + 5
    while {"outside", "mqtt", "mqtt-commands"} & {thread.name for thread in threading.enumerate()}:
        assert time.monotonic() < ends
        time.sleep(0.02)
