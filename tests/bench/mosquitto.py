"""A real mosquitto on a free port, and real clients for it, for tests and benchmarks."""

import json
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.subscribeoptions import SubscribeOptions

PROGRAM = "/usr/sbin/mosquitto"
PATIENCE_S = 10.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Mosquitto:
    """A broker that a test can kill, stop and restart on the same port. It stores nothing on the disk.

    Args:
        settings: additional configuration lines; without any, access is unrestricted.
    """

    def __init__(self, folder: Path, settings: Sequence[str] = ("allow_anonymous true",)) -> None:
        self.port = free_port()
        self._config = folder / f"mosquitto-{self.port}.conf"
        lines = [f"listener {self.port} 127.0.0.1", "user root", "log_type error", "persistence false", *settings]
        self._config.write_text("".join(f"{line}\n" for line in lines))
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> Self:
        self._process = subprocess.Popen([PROGRAM, "-c", str(self._config)])
        ends = time.monotonic() + PATIENCE_S
        while time.monotonic() < ends:
            with socket.socket() as line:
                if line.connect_ex(("127.0.0.1", self.port)) == 0:
                    return self
            assert self._process.poll() is None, "mosquitto has ended"
            time.sleep(0.02)
        raise AssertionError("mosquitto does not answer")

    def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def freeze(self) -> None:
        """Suspend the process, keeping all connections open."""
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGCONT)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.kill()


class Client:
    """A client that records all messages with their arrival times; a context manager."""

    def __init__(
        self, port: int, login: tuple[str, str] | None = None, ca_file: Path | None = None, host: str = "127.0.0.1"
    ) -> None:
        self.received: list[tuple[float, paho.MQTTMessage]] = []
        self._news = threading.Condition()
        self._paho = paho.Client(CallbackAPIVersion.VERSION2, protocol=MQTTProtocolVersion.MQTTv5)
        self._paho.on_message = self._on_message
        self._paho.on_connect = self._on_connect
        self._paho.on_subscribe = self._on_subscribe
        self._is_subscribed = False
        if login is not None:
            self._paho.username_pw_set(*login)
        if ca_file is not None:
            self._paho.tls_set(str(ca_file))
        self._paho.reconnect_delay_set(1, 1)
        self._address = host, port

    def __enter__(self) -> Self:
        self._paho.connect(*self._address)
        self._paho.loop_start()
        self.wait(lambda: self._is_subscribed)
        return self

    def __exit__(self, *_: object) -> None:
        self._paho.disconnect()
        self._paho.loop_stop()

    def _on_connect(self, *_: object) -> None:
        self._paho.subscribe("#", options=SubscribeOptions(qos=1, retainAsPublished=True))

    def _on_subscribe(self, *_: object) -> None:
        with self._news:
            self._is_subscribed = True
            self._news.notify_all()

    def _on_message(self, client: paho.Client, data: object, message: paho.MQTTMessage) -> None:
        with self._news:
            self.received.append((time.perf_counter(), message))
            self._news.notify_all()

    def publish(self, topic: str, payload: str, *, retain: bool = False) -> None:
        self._paho.publish(topic, payload, qos=1, retain=retain).wait_for_publish(PATIENCE_S)

    def of(self, topic: str) -> list[Any]:
        """Return the payloads of a topic in order of arrival, as text if not JSON."""
        with self._news:
            return [_value(message.payload) for _, message in self.received if message.topic == topic]

    def last(self, topic: str) -> Any:
        """Return the newest payload of a topic, or None."""
        return next(reversed(self.of(topic)), None)

    def field(self, topic: str, name: str) -> Any:
        """Return a field of the newest payload of a topic, or None."""
        return (self.last(topic) or {}).get(name)

    def wait(self, is_so: Callable[[], object], timeout_s: float = PATIENCE_S) -> None:
        """Wait until a condition holds; fail on timeout."""
        ends = time.monotonic() + timeout_s
        with self._news:
            while not is_so():
                left = ends - time.monotonic()
                assert left > 0, f"still not so; received {[(m.topic, m.payload[:200]) for _, m in self.received][-8:]}"
                self._news.wait(min(left, 0.05))


def _value(payload: bytes) -> Any:
    try:
        return json.loads(payload)
    except ValueError:
        return payload.decode()
